//! Lifetimes written back as CSV with an address for each buffer.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::input::Lifetimes;
use crate::model::Packed;
use crate::output::save::{NewFile, save_all};

/// How the name of the file ends, behind that of the lifetimes.
pub const ENDING: &str = "_packed.csv";

/// Writes `X_packed.csv` into `dir`: the rows of `file` as they are, with the column `offset`.
///
/// # Errors
/// Where it cannot be written.
pub fn save_packed(dir: &Path, file: &Lifetimes, packed: &Packed) -> Result<Vec<PathBuf>, Error> {
    let name = format!("{}{ENDING}", file.name.raw());
    let (file, packed) = (file.clone(), packed.clone());
    save_all(dir, vec![NewFile::new(name, move |out| write(out, &file, &packed))])
}

/// The columns of the input, in their order; addresses go where it had them, else into a last column.
///
/// # Errors
/// Where `out` does not take it.
pub fn write(out: &mut dyn Write, file: &Lifetimes, packed: &Packed) -> io::Result<()> {
    let mut table = csv::Writer::from_writer(out);
    let mut header = file.header.clone();
    if file.offset_column.is_none() {
        header.push("offset".into());
    }
    table.write_record(&header)?;
    for (row, offset) in file.rows.iter().zip(&packed.offsets) {
        let mut row = row.clone();
        match file.offset_column {
            Some(at) => row[at] = offset.to_string(),
            None => row.push(offset.to_string()),
        }
        table.write_record(&row)?;
    }
    table.flush()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::{Source, read_lifetimes};

    fn written(text: &str, offsets: Vec<u64>) -> String {
        let file = read_lifetimes(&Source::from_text("x.csv", text)).unwrap();
        let packed = Packed::new(&file.packing, offsets);
        let mut out = Vec::new();
        write(&mut out, &file, &packed).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn the_columns_stay_as_they_are() {
        let text = "name,end,note,bytes,start\na,9,\"one, two\",4,0\r\nb,7,,5,1\r\n";
        let expected = "name,end,note,bytes,start,offset\na,9,\"one, two\",4,0,5\nb,7,,5,1,0\n";
        assert_eq!(written(text, vec![5, 0]), expected);
    }

    #[test]
    fn addresses_go_where_the_file_has_them() {
        let text = "id,address,lower,upper,size\na,,0,9,4\nb,4,0,9,4\n";
        assert_eq!(written(text, vec![0, 4]), "id,address,lower,upper,size\na,0,0,9,4\nb,4,0,9,4\n");
    }

    #[test]
    fn what_is_written_can_be_read_again() {
        let text = written("id,lower,upper,size\na,0,9,4\n", vec![8]);
        let file = read_lifetimes(&Source::from_text("x.csv", text)).unwrap();
        assert_eq!(file.given().unwrap().offsets, [8]);
    }
}
