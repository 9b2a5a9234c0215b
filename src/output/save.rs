//! Files that are there whole or not at all: written beside their place, then renamed.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::error::Error;

/// Puts a file's contents into a writer.
type Contents<'a> = Box<dyn FnOnce(&mut dyn Write) -> io::Result<()> + 'a>;

/// One file to write: its name, and what puts its contents into a writer.
pub struct NewFile<'a> {
    name: String,
    write: Contents<'a>,
}

impl<'a> NewFile<'a> {
    /// A file `name` with what `write` writes.
    pub fn new(name: impl Into<String>, write: impl FnOnce(&mut dyn Write) -> io::Result<()> + 'a) -> Self {
        Self { name: name.into(), write: Box::new(write) }
    }
}

/// Writes `files` into `dir`, which is made if it is not there, and returns where they are. All are written in
/// full before the first takes its place, so that an error leaves old files and folders as they were.
///
/// # Errors
/// Where a folder or file cannot be made, written or renamed.
pub fn save_all(dir: &Path, files: Vec<NewFile>) -> Result<Vec<PathBuf>, Error> {
    stage_all(dir, files)?.publish()
}

/// The first half of [`save_all`]: everything is written, and nothing stands in its place before
/// [`Staged::publish`].
///
/// # Errors
/// Where a folder or file cannot be made or written.
pub fn stage_all(dir: &Path, files: Vec<NewFile>) -> Result<Staged, Error> {
    let mut staged = Staged { waiting: Vec::new(), made: missing_folders(dir) };
    fs::create_dir_all(dir).map_err(|error| failed("make folder", dir, &error))?;
    for file in files {
        staged.write(dir.join(&file.name), file.write)?;
    }
    Ok(staged)
}

/// Writes one file. A place that is no regular file (`/dev/stdout`, a pipe) is written to as it stands.
///
/// # Errors
/// Where the file cannot be made, written or renamed.
pub fn save_file(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Error> {
    let found = fs::metadata(path);
    if found.as_ref().is_ok_and(|found| !found.is_file() && !found.is_dir()) {
        let open = OpenOptions::new().write(true).open(path);
        return open.and_then(|file| fill(&file, write)).map_err(|error| failed("write", path, &error));
    }
    // A link to a file stays a link; what it points to is replaced.
    let target = if found.is_ok() { fs::canonicalize(path) } else { Ok(path.to_path_buf()) };
    let target = target.map_err(|error| failed("write", path, &error))?;
    let mut staged = Staged { waiting: Vec::new(), made: Vec::new() };
    staged.write(target, Box::new(write))?;
    staged.publish().map(drop)
}

/// Files that are written and do not yet stand in their place; those still waiting are removed on drop, and so are
/// folders that were made for them and hold nothing.
pub struct Staged {
    waiting: Vec<(PathBuf, PathBuf)>,
    /// Innermost first.
    made: Vec<PathBuf>,
}

impl Staged {
    fn write(&mut self, target: PathBuf, write: Contents) -> Result<(), Error> {
        if target.is_dir() {
            return Err(failed("write", &target, &io::Error::from(io::ErrorKind::IsADirectory)));
        }
        let file_name = target.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let beside = target.with_file_name(format!(".{file_name}.{}.part", std::process::id()));
        // Left by a killed process that had the same number, as happens in containers.
        drop(fs::remove_file(&beside));
        let file = File::create_new(&beside).map_err(|error| failed("write", &target, &error))?;
        self.waiting.push((beside, target));
        let target = &self.waiting[self.waiting.len() - 1].1;
        fill(&file, write).map_err(|error| failed("write", target, &error))
    }

    /// Puts the files in their place and returns where they are.
    ///
    /// # Errors
    /// Where one cannot be renamed.
    pub fn publish(mut self) -> Result<Vec<PathBuf>, Error> {
        let mut saved = Vec::new();
        while let Some((beside, target)) = self.waiting.first() {
            fs::rename(beside, target).map_err(|error| failed("write", target, &error))?;
            saved.push(self.waiting.remove(0).1);
        }
        Ok(saved)
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        self.waiting.iter().for_each(|(beside, _)| drop(fs::remove_file(beside)));
        // One that holds something is not removed.
        self.made.iter().for_each(|folder| drop(fs::remove_dir(folder)));
    }
}

fn fill(file: &File, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut buffered = BufWriter::with_capacity(1 << 16, file);
    write(&mut buffered)?;
    buffered.flush()
}

/// The folders on the way to `dir` that are not there, innermost first.
fn missing_folders(dir: &Path) -> Vec<PathBuf> {
    let not_there = |folder: &&Path| !folder.as_os_str().is_empty() && !folder.exists();
    dir.ancestors().take_while(not_there).map(Path::to_path_buf).collect()
}

fn failed(doing: &str, path: &Path, error: &io::Error) -> Error {
    let path = path.to_string_lossy();
    let what = format!("cannot {doing} {}: {error}", crate::model::clean(&path));
    Error::input(what, "name a folder that can be written to, with room on its disk")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(name: &str, contents: &'static str) -> NewFile<'static> {
        NewFile::new(name, move |out| out.write_all(contents.as_bytes()))
    }

    fn names(dir: &Path) -> Vec<String> {
        let mut names: Vec<String> =
            fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn folders_are_made_and_old_files_replaced() {
        let root = tempfile::tempdir().unwrap();
        let dir = root.path().join("a/b");
        save_all(&dir, vec![text("x", "old and longer"), text("y", "1")]).unwrap();
        let saved = save_all(&dir, vec![text("x", "new")]).unwrap();
        assert_eq!(saved, [dir.join("x")]);
        assert_eq!(fs::read_to_string(dir.join("x")).unwrap(), "new");
        assert_eq!(names(&dir), ["x", "y"]);
    }

    #[test]
    fn an_error_while_writing_leaves_everything_as_it_was() {
        let root = tempfile::tempdir().unwrap();
        save_all(root.path(), vec![text("x", "old")]).unwrap();
        let broken = || NewFile::new("z", |_| Err(io::Error::other("disk full")));
        let error = save_all(root.path(), vec![text("x", "new"), broken()]).unwrap_err();
        assert!(error.what.contains("disk full") && error.exit_status() == 2, "{error}");
        assert_eq!(names(root.path()), ["x"]);
        assert_eq!(fs::read_to_string(root.path().join("x")).unwrap(), "old");

        let deep = root.path().join("new/deep");
        save_all(&deep, vec![text("x", "new"), broken()]).unwrap_err();
        assert_eq!(names(root.path()), ["x"], "folders made on the way are gone again");
    }

    #[test]
    fn places_that_cannot_be_written_are_refused_and_nothing_is_left() {
        let root = tempfile::tempdir().unwrap();
        fs::write(root.path().join("file"), "").unwrap();
        assert!(save_all(&root.path().join("file/below"), vec![text("x", "1")]).is_err());
        fs::create_dir(root.path().join("y")).unwrap();
        assert!(save_all(root.path(), vec![text("x", "1"), text("y", "2")]).is_err(), "y is a folder");
        assert!(save_file(&root.path().join("y"), |_| Ok(())).is_err());
        assert_eq!(names(root.path()), ["file", "y"]);
    }

    #[cfg(unix)]
    #[test]
    fn one_file_goes_through_links_and_into_devices() {
        let root = tempfile::tempdir().unwrap();
        let (file, link) = (root.path().join("file"), root.path().join("link"));
        fs::write(&file, "old").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        save_file(&link, |out| out.write_all(b"new")).unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), "new");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        save_file(Path::new("/dev/null"), |out| out.write_all(b"gone")).unwrap();
        assert_eq!(names(root.path()), ["file", "link"]);
    }
}
