//! Runs the binary in a folder of its own.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

const BINARY: &str = env!("CARGO_BIN_EXE_spillscope");

/// A sample's text.
pub fn sample(name: &str) -> String {
    let path = format!("{}/samples/{name}.json", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).expect("samples can be read")
}

/// A folder in which commands run; gone when dropped.
pub struct Folder(TempDir);

/// What a command came to.
#[derive(Debug)]
pub struct Ran {
    pub status: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Folder {
    pub fn new() -> Self {
        Self(tempfile::tempdir().expect("a temporary folder"))
    }

    /// A folder with a sample as `graph.json`.
    pub fn with_sample(name: &str) -> Self {
        let folder = Self::new();
        folder.write("graph.json", &sample(name));
        folder
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).expect("written");
    }

    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// Runs the binary with nothing on its standard input.
    pub fn run(&self, arguments: &[&str]) -> Ran {
        self.run_with(arguments, "")
    }

    /// Runs the binary with `input` on its standard input.
    pub fn run_with(&self, arguments: &[&str], input: &str) -> Ran {
        let mut command = Command::new(BINARY);
        command.args(arguments);
        self.finish(command, input)
    }

    /// Runs a line of shell in which `spillscope` is the binary.
    pub fn sh(&self, line: &str) -> Ran {
        let folder = Path::new(BINARY).parent().expect("a folder").to_string_lossy();
        let mut command = Command::new("sh");
        command.args(["-c", line]).env("PATH", format!("{folder}:{}", std::env::var("PATH").expect("a PATH")));
        self.finish(command, "")
    }

    fn finish(&self, mut command: Command, input: &str) -> Ran {
        command.current_dir(self.0.path()).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("it starts");
        // A command that does not read its input closes it, which is no fault.
        let _ = child.stdin.take().expect("it was piped").write_all(input.as_bytes());
        let output = child.wait_with_output().expect("it ends");
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
        let ran = Ran { status: output.status.code(), out: text(output.stdout), err: text(output.stderr) };
        assert!(!ran.err.contains("panicked"), "{ran:?}");
        ran
    }

    /// The files below a folder, by name; none where it is not there.
    pub fn files(&self, dir: &str) -> BTreeMap<String, Vec<u8>> {
        let Ok(entries) = std::fs::read_dir(self.path(dir)) else { return BTreeMap::new() };
        let paths = entries.map(|entry| entry.expect("an entry").path());
        let name = |path: &Path| path.file_name().expect("a name").to_string_lossy().into_owned();
        paths.map(|path| (name(&path), std::fs::read(&path).unwrap_or_default())).collect()
    }

    /// The names in a folder.
    pub fn names(&self, dir: &str) -> Vec<String> {
        self.files(dir).into_keys().collect()
    }
}

impl Ran {
    /// It went well and said nothing on standard error: what it printed.
    #[track_caller]
    pub fn ok(self) -> String {
        assert_eq!((self.status, self.err.as_str()), (Some(0), ""), "{self:?}");
        self.out
    }

    /// It ended with that status, and standard error says all of `words`: what it printed.
    #[track_caller]
    pub fn ended(self, status: i32, words: &[&str]) -> String {
        assert_eq!(self.status, Some(status), "{self:?}");
        for word in words {
            assert!(self.err.contains(word), "{word} is missing: {self:?}");
        }
        assert_eq!(self.err.matches("error: ").count(), 1, "one message: {self:?}");
        self.out
    }

    /// Bad usage or bad input: standard error says all of `words`, nothing is printed.
    #[track_caller]
    pub fn refused(self, words: &[&str]) {
        assert_eq!(self.ended(2, words), "");
    }
}

/// Text that must be one JSON value and nothing else.
#[track_caller]
pub fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error} in {text}"))
}
