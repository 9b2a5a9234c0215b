//! A plan's three files, in the shapes that public checkers read: `X_schedule.txt` with one id a line,
//! `X_memory.txt` and `X_spill.txt` with `BufId:Offset` a line.

use std::fs;
use std::path::Path;

use super::schedule::read_ids;
use super::source::{Source, cannot_read, quoted};
use crate::error::Error;
use crate::model::{RawPlan, clean};

const SCHEDULE_ENDING: &str = "_schedule.txt";

/// Reads the plan for the graph `stem` in `folder`; where the folder holds only one plan, its name may be another.
/// A plan without spill file has no spills. Whether the plan is a good one is for the checker to say.
///
/// # Errors
/// Where a file is missing or unreadable, or a line is not as it must be.
pub fn read_plan(folder: &Path, stem: &str) -> Result<RawPlan, Error> {
    let stem = find_plan(folder, stem)?;
    let path = |ending: &str| folder.join(format!("{stem}{ending}")).to_string_lossy().into_owned();
    let schedule = read_ids(&read_lines(&path(SCHEDULE_ENDING))?)?;
    let memory = read_pairs(&read_lines(&path("_memory.txt"))?, "BufId:Offset")?;
    let spill_path = path("_spill.txt");
    let has_spills = Path::new(&spill_path).exists();
    let spills = if has_spills { read_pairs(&read_lines(&spill_path)?, "BufId:NewOffset")? } else { Vec::new() };
    Ok(RawPlan { schedule, memory, spills })
}

fn read_lines(path: &str) -> Result<Source, Error> {
    Source::read(path).map(Source::with_newlines)
}

/// The name before the files' endings: `stem`, or that of the only plan in the folder.
fn find_plan(folder: &Path, stem: &str) -> Result<String, Error> {
    let own = folder.join(format!("{stem}{SCHEDULE_ENDING}"));
    if own.exists() {
        return Ok(stem.to_owned());
    }
    let in_folder = |error: Error| error.in_file(folder.to_string_lossy());
    if folder.exists() && !folder.is_dir() {
        let what = "expected the folder of a plan, found a file";
        return Err(in_folder(Error::input(what, "name the folder that holds its three files")));
    }
    let entries = fs::read_dir(folder).map_err(|error| in_folder(cannot_read_folder(&error)))?;
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut others: Vec<String> =
        names.filter_map(|name| Some(name.strip_suffix(SCHEDULE_ENDING)?.to_owned())).collect();
    others.sort();
    match others.as_slice() {
        [only] => Ok(only.clone()),
        [] => {
            let advice = "a plan is X_schedule.txt, X_memory.txt and X_spill.txt, X being the graph's name";
            Err(Error::input("there is no schedule", advice).in_file(own.to_string_lossy()))
        }
        several => {
            let names = several.iter().take(8).map(|name| clean(name)).collect::<Vec<_>>().join(", ");
            let what = format!("there is no schedule of that name, but {} others: {names}", several.len());
            Err(Error::input(what, "keep one plan in the folder, or name its files after the graph")
                .in_file(own.to_string_lossy()))
        }
    }
}

fn cannot_read_folder(error: &std::io::Error) -> Error {
    match error.kind() {
        std::io::ErrorKind::NotFound => Error::input("there is no such folder", "name the folder that holds the plan"),
        _ => cannot_read(error),
    }
}

fn read_pairs(source: &Source, shape: &str) -> Result<Vec<(u64, i64)>, Error> {
    let lines = source.filled_lines();
    lines
        .map(|(start, line)| {
            read_pair(line).ok_or_else(|| {
                let what = format!("expected {shape}, found {}", quoted(line));
                source.error(start..start + line.len(), what, "write two whole numbers with a colon between them")
            })
        })
        .collect()
}

fn read_pair(line: &str) -> Option<(u64, i64)> {
    let (buf, offset) = line.split_once(':')?;
    Some((buf.trim().parse().ok()?, offset.trim().parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            fs::write(folder.path().join(name), text).unwrap();
        }
        folder
    }

    #[test]
    fn three_files_make_a_plan() {
        let files =
            folder(&[("g_schedule.txt", "0\r\n\r\n2\n1"), ("g_memory.txt", "4: -8\n5:0\n"), ("g_spill.txt", "4:16\n")]);
        let plan = read_plan(files.path(), "g").unwrap();
        assert_eq!(plan, RawPlan { schedule: vec![0, 2, 1], memory: vec![(4, -8), (5, 0)], spills: vec![(4, 16)] });
    }

    #[test]
    fn lines_may_end_with_carriage_returns_alone() {
        let files = folder(&[("g_schedule.txt", "0\r2\r\r1"), ("g_memory.txt", "\u{feff}4:8\r5:x\r")]);
        let error = read_plan(files.path(), "g").unwrap_err();
        assert_eq!((error.what.as_str(), error.place.unwrap().at), ("expected BufId:Offset, found 5:x", Some((2, 1))));
        fs::write(files.path().join("g_memory.txt"), "4:8\r5:0\r").unwrap();
        let plan = read_plan(files.path(), "g").unwrap();
        assert_eq!((plan.schedule, plan.memory), (vec![0, 2, 1], vec![(4, 8), (5, 0)]));
    }

    #[test]
    fn the_only_plan_in_a_folder_is_taken_whatever_its_name_and_spills_may_be_absent() {
        let files = folder(&[("other_schedule.txt", "3"), ("other_memory.txt", "")]);
        assert_eq!(read_plan(files.path(), "g").unwrap().schedule, [3]);
    }

    #[test]
    fn what_is_missing_is_named() {
        let error = |files: &[(&str, &str)]| read_plan(folder(files).path(), "g").unwrap_err().to_string();
        assert!(error(&[]).contains("g_schedule.txt: there is no schedule"));
        assert!(error(&[("g_schedule.txt", "1")]).contains("g_memory.txt: there is no such file"));
        let several = error(&[("b_schedule.txt", ""), ("a_schedule.txt", "")]);
        assert!(several.contains("2 others: a, b"), "{several}");
        assert!(read_plan(Path::new("no/such/folder"), "g").unwrap_err().what.contains("no such folder"));
    }

    #[test]
    fn a_broken_line_is_pointed_at() {
        for line in ["4", "4:", ":4", "4:1:2", "x:1", "-4:1", "4:1.5", "4:99999999999999999999"] {
            let memory = format!("1:2\n\n  {line}\n");
            let files = folder(&[("g_schedule.txt", "1"), ("g_memory.txt", &memory)]);
            let error = read_plan(files.path(), "g").unwrap_err();
            assert!(error.what.contains(&format!("expected BufId:Offset, found {line}")), "{}", error.what);
            assert_eq!(error.place.unwrap().at, Some((3, 3)), "{line}");
        }
    }
}
