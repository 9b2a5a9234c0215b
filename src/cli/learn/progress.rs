//! How far one has come in the lessons, kept between runs in the user's folder for such things. That it cannot be kept is
//! told and is never a reason to stop.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::PathBuf;

use etcetera::BaseStrategy;
use serde::{Deserialize, Serialize};

use crate::app::lesson::Reached;
use crate::model::clean;
use crate::output::save::save_file;

/// The version of the file.
const VERSION: u32 = 1;

/// By the lesson's name.
pub type Kept = BTreeMap<String, Reached>;

/// Where progress is kept; nowhere, where the user has no such folder.
#[derive(Clone, Debug, Default)]
pub struct Progress {
    file: Option<PathBuf>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Written {
    version: u32,
    lessons: BTreeMap<String, Entry>,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Entry {
    station: usize,
    done: bool,
}

impl Progress {
    /// `$XDG_STATE_HOME/spillscope/lessons.json`, or what stands for it on other systems.
    pub fn of_user() -> Self {
        let base = etcetera::choose_base_strategy().ok();
        let folder = base.map(|base| base.state_dir().unwrap_or_else(|| base.data_dir()));
        Self { file: folder.map(|folder| folder.join("spillscope").join("lessons.json")) }
    }

    /// What was kept, and what there is to tell where it cannot be read.
    pub fn read(&self) -> (Kept, Option<String>) {
        match self.try_read() {
            Ok(kept) => (kept, None),
            Err(why) => (Kept::new(), Some(format!("your progress is not kept: {why}"))),
        }
    }

    fn try_read(&self) -> Result<Kept, String> {
        let Some(file) = &self.file else { return Err("there is no folder for it".into()) };
        let name = clean(&file.to_string_lossy()).into_owned();
        let text = match fs::read_to_string(file) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Kept::new()),
            Err(error) => return Err(format!("{name} cannot be read ({})", clean(&error.to_string()))),
        };
        match serde_json::from_str::<Written>(&text) {
            Ok(Written { version: VERSION, lessons }) => {
                let reached = |entry: Entry| Reached { station: entry.station, done: entry.done };
                Ok(lessons.into_iter().map(|(id, entry)| (id, reached(entry))).collect())
            }
            Ok(Written { version, .. }) => Err(format!("{name} is of version {version}")),
            Err(_) => Err(format!("{name} is broken; delete it to begin anew")),
        }
    }

    /// Keeps how far one has come in a lesson, beside what other runs have written meanwhile.
    ///
    /// # Errors
    /// Why it cannot be kept. What cannot be read is not written over.
    pub fn keep(&self, id: &str, reached: Reached) -> Result<(), String> {
        let mut kept = self.try_read()?;
        kept.insert(id.to_owned(), reached);
        let lessons = kept
            .into_iter()
            .map(|(id, reached)| (id, Entry { station: reached.station, done: reached.done }))
            .collect();
        let text =
            serde_json::to_string_pretty(&Written { version: VERSION, lessons }).map_err(|error| error.to_string())?;
        let Some(file) = &self.file else { return Ok(()) };
        if let Some(folder) = file.parent() {
            fs::create_dir_all(folder).map_err(|error| {
                format!(
                    "the folder {} cannot be made ({})",
                    clean(&folder.to_string_lossy()),
                    clean(&error.to_string())
                )
            })?;
        }
        save_file(file, |out| writeln!(out, "{text}")).map_err(|error| error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn progress(folder: &tempfile::TempDir, text: Option<&str>) -> Progress {
        let file = folder.path().join("deep").join("lessons.json");
        if let Some(text) = text {
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(&file, text).unwrap();
        }
        Progress { file: Some(file) }
    }

    #[test]
    fn what_is_kept_is_read_again_and_several_lessons_live_side_by_side() {
        let folder = tempfile::tempdir().unwrap();
        let progress = progress(&folder, None);
        assert_eq!(progress.read(), (Kept::new(), None), "nothing was kept yet");
        let (a, b) = (Reached { station: 3, done: false }, Reached { station: 0, done: true });
        progress.keep("a", a).unwrap();
        progress.keep("b", b).unwrap();
        let (kept, trouble) = progress.read();
        assert_eq!(trouble, None);
        assert_eq!(kept.into_iter().collect::<Vec<_>>(), [("a".to_owned(), a), ("b".to_owned(), b)]);
        let files = fs::read_dir(folder.path().join("deep")).unwrap().count();
        assert_eq!(files, 1, "nothing else is left beside it");
    }

    #[test]
    fn a_broken_file_is_told_and_left_as_it_is() {
        for (text, words) in [("{", "is broken"), ("[]", "is broken"), ("{\"version\":9,\"lessons\":{}}", "version 9")]
        {
            let folder = tempfile::tempdir().unwrap();
            let progress = progress(&folder, Some(text));
            let (kept, trouble) = progress.read();
            assert!(kept.is_empty());
            assert!(trouble.is_some_and(|trouble| trouble.contains(words)), "{text}");
            assert!(progress.keep("a", Reached { station: 1, done: false }).is_err());
            assert_eq!(fs::read_to_string(progress.file.unwrap()).unwrap(), text);
        }
    }

    #[test]
    fn without_a_folder_nothing_is_kept_and_that_is_told() {
        let progress = Progress { file: None };
        assert!(progress.read().1.is_some());
        assert!(progress.keep("a", Reached { station: 1, done: false }).is_err());
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("deep"), "a file, where a folder should be").unwrap();
        let progress = Progress { file: Some(folder.path().join("deep").join("lessons.json")) };
        assert!(progress.keep("a", Reached { station: 1, done: false }).is_err());
    }
}
