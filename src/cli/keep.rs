//! `--keep`: what one has set on a graph, kept in a file beside it.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::app::kept::Kept;
use crate::app::stop::Stop;
use crate::error::Error;
use crate::input::Source;
use crate::model::clean;
use crate::output::save;

/// The version of the file that this program reads and writes.
const VERSION: u32 = 1;

/// The file beside a graph.
pub struct Keeper {
    path: PathBuf,
    found: Option<Kept>,
}

/// What the file holds.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    spillscope_keep: u32,
    kept: Kept,
}

/// The first field alone, which says how to read the rest.
#[derive(Deserialize)]
struct Versioned {
    spillscope_keep: u32,
}

impl Keeper {
    /// Reads what was kept for the graph in that file; nothing yet is no error.
    ///
    /// # Errors
    /// Where the file beside the graph cannot be read or is not what this program writes. It is then left as it is.
    pub fn open(graph: &str) -> Result<Self, Error> {
        if graph == "-" {
            return Err(Error::input("--keep has no place beside standard input", "name a file"));
        }
        let path = beside(Path::new(graph));
        let found = if path.exists() { Some(read(&Source::read(&path.to_string_lossy())?)?) } else { None };
        Ok(Self { path, found })
    }

    /// Sets what was kept, but for what flags ask for otherwise.
    pub fn restore(&self, app: &mut App) -> bool {
        if let Some(kept) = &self.found {
            app.restore(kept);
        }
        self.found.is_some()
    }

    /// Writes what is set now, unless it is what was found.
    ///
    /// # Errors
    /// Where the file cannot be written.
    pub fn write(&self, app: &App) -> Result<(), Error> {
        let kept = app.kept();
        if self.found.as_ref() == Some(&kept) {
            return Ok(());
        }
        let file = File { spillscope_keep: VERSION, kept };
        save::save_file(&self.path, |out| {
            serde_json::to_writer_pretty(&mut *out, &file)?;
            out.write_all(b"\n")
        })
    }
}

/// `X.spillscope.json`, X being the graph's file name without its ending.
fn beside(graph: &Path) -> PathBuf {
    let stem = graph.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    graph.with_file_name(format!("{stem}.spillscope.json"))
}

fn read(source: &Source) -> Result<Kept, Error> {
    let advice = "mend it, move it away, or start without --keep";
    let refused = |error: &serde_json::Error| {
        let at = source.offset(error.line(), error.column());
        let what = error.to_string();
        // Its own words for the place follow the message.
        let what = what.rsplit_once(" at line ").map_or(what.as_str(), |(what, _)| what);
        source.error(at..at + 1, format!("this is not what --keep writes: {}", clean(what)), advice)
    };
    let versioned: Versioned = serde_json::from_str(&source.text).map_err(|error| refused(&error))?;
    if versioned.spillscope_keep != VERSION {
        let what = format!("it is of version {}, and this spillscope knows {VERSION}", versioned.spillscope_keep);
        return Err(source.whole_error(what, advice));
    }
    let file: File = serde_json::from_str(&source.text).map_err(|error| refused(&error))?;
    // A stop that is none would be dropped, and be gone with the next write.
    let no_stop = file.kept.stops.iter().find_map(|text| Some((text, text.parse::<Stop>().err()?)));
    match no_stop {
        Some((text, why)) => Err(source.whole_error(format!("“{}” is no stop: {why}", clean(text)), advice)),
        None => Ok(file.kept),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_stands_beside_the_graph() {
        assert_eq!(beside(Path::new("a/b.json")), Path::new("a/b.spillscope.json"));
        assert_eq!(beside(Path::new("g_Nodes.csv")), Path::new("g_Nodes.spillscope.json"));
    }

    const KEPT_STOP: &str = r#"{"spillscope_keep": 1, "kept": {"theme": "dark", "at": {"step": 0, "node": 1}, "focus": "map",
        "enlarged": false, "level": null, "filter": "", "bookmarks": {}, "stops": ["L1 > lots"]}}"#;

    #[test]
    fn what_is_broken_is_told_with_its_place() {
        for (text, part) in [
            ("", "g:1:1: this is not what --keep writes: EOF"),
            ("{\n\"spillscope_keep\": 1}", "g:2:21: this is not what --keep writes: missing field `kept`"),
            ("{\"spillscope_keep\": 2, \"kept\": 3}", "g: it is of version 2, and this spillscope knows 1"),
            ("{\"kept\": {}}", "missing field `spillscope_keep`"),
            ("{\"spillscope_keep\": 1, \"kept\": {\"theme\": \"pink\"}}", "unknown variant `pink`"),
            (KEPT_STOP, "g: “L1 > lots” is no stop: "),
            ("{\"spillscope_keep\": 1, \"kept\": {\"\\u001b[2J\": 1}}", "unknown field `\u{fffd}[2J`"),
        ] {
            let error = read(&Source::from_text("g", text)).expect_err(text).to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
