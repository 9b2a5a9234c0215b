//! Addresses for lifetimes that stand in another file.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::input::{Lifetimes, Source, read_lifetimes};
use crate::model::{Packed, clean};
use crate::output::packed_csv::ENDING;

/// The addresses in `path`, a CSV file, or in the file `X_packed.csv` of the folder `path`, for the buffers of `file` by their
/// ids.
///
/// # Errors
/// Where the file is not as it must be, or has no address for a buffer.
pub(super) fn read(file: &Lifetimes, path: &Path) -> Result<Packed, Error> {
    let path = if path.is_dir() { in_folder(file, path) } else { path.to_path_buf() };
    let name = path.to_string_lossy();
    let source = Source::read(&name)?;
    let placed = read_lifetimes(&source)?;
    let of_id: HashMap<&str, Option<u64>> =
        placed.packing.buffers.iter().map(|buffer| (buffer.name.raw(), buffer.fixed)).collect();
    let offsets = file.packing.buffers.iter().map(|buffer| match of_id.get(buffer.name.raw()) {
        Some(Some(offset)) => Ok(*offset),
        found => {
            let what = match found {
                Some(_) => format!("buffer {} has no address there", buffer.name),
                None => format!("there is no buffer {}", buffer.name),
            };
            let advice = "expected the ids of the lifetimes and a column offset with an address for each";
            Err(source.whole_error(what, advice))
        }
    });
    let offsets = offsets.collect::<Result<Vec<u64>, Error>>()?;
    if placed.packing.buffers.len() > offsets.len() {
        let (there, here) = (placed.packing.buffers.len(), offsets.len());
        let what = format!("there are addresses for {there} buffers, but {} has {here}", clean(file.name.raw()));
        return Err(source.whole_error(what, "are the two of the same problem?"));
    }
    Ok(Packed::new(&file.packing, offsets))
}

fn in_folder(file: &Lifetimes, folder: &Path) -> PathBuf {
    folder.join(format!("{}{ENDING}", file.name.raw()))
}
