//! Command lines of Markdown documents, run by a shell against the program that was built.

#![allow(dead_code, reason = "each test binary uses its part")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

/// A file of the project as text.
pub fn project_file(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// A fenced block of a Markdown document.
pub struct Block<'a> {
    /// What stands behind the opening fence.
    pub language: &'a str,
    pub lines: Vec<&'a str>,
}

/// The fenced blocks of a document, in order.
pub fn blocks(markdown: &str) -> Vec<Block<'_>> {
    let mut found = Vec::new();
    let mut open: Option<Block> = None;
    for line in markdown.lines() {
        match (line.strip_prefix("```"), &mut open) {
            (Some(language), None) => open = Some(Block { language, lines: Vec::new() }),
            (Some(_), Some(_)) => found.extend(open.take()),
            (None, Some(block)) => block.lines.push(line),
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "a block is never closed");
    found
}

/// The status that a command line announces in its comment (`# … exit status 1`), else 0.
pub fn announced_status(line: &str) -> i32 {
    let digits = line.split_once("# ").and_then(|(_, comment)| comment.split_once("exit status "));
    digits.map_or(0, |(_, digits)| digits.trim().parse().expect("a number behind `exit status`"))
}

/// A folder like the project's as far as commands see it; what they write is gone with it.
pub struct Folder(TempDir);

impl Folder {
    /// A folder with a copy of the samples and these empty folders.
    pub fn new(folders: &[&str]) -> Self {
        let folder = Self(TempDir::new().expect("a temporary folder"));
        let samples = folder.path("samples");
        std::fs::create_dir(&samples).expect("it is empty");
        for entry in std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("samples")).expect("samples") {
            let entry = entry.expect("an entry").path();
            if let Some(name) = entry.file_name().filter(|_| entry.is_file()) {
                std::fs::copy(&entry, samples.join(name)).expect("a copy");
            }
        }
        folders.iter().for_each(|name| std::fs::create_dir(folder.path(name)).expect("a new folder"));
        folder
    }

    /// The place of a file in it.
    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Runs a command line in which `spillscope` is the program that was built, and checks its status.
    pub fn run(&self, line: &str) -> Output {
        let program = Path::new(env!("CARGO_BIN_EXE_spillscope"));
        let mut paths = vec![program.parent().expect("it lies in a folder").to_path_buf()];
        paths.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()));
        let path = std::env::join_paths(paths).expect("no separator in the paths");
        let output = Command::new("sh")
            .args(["-c", line])
            .current_dir(self.0.path())
            .env("PATH", path)
            .output()
            .expect("a shell");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(announced_status(line)), "{line}\n{errors}");
        output
    }
}
