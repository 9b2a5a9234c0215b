//! One error for everything that can go wrong between the command line and the screen.

use std::fmt;

/// What went wrong, where, and what to do about it.
#[derive(Debug, Clone)]
pub struct Error {
    /// Decides the exit status.
    pub kind: ErrorKind,
    /// One sentence: what was expected and what was found. Safe to print.
    pub what: String,
    /// The file, and the place in it.
    pub place: Option<Box<Place>>,
    /// What to do; may be empty.
    pub advice: String,
}

/// What kind of failure it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// Bad usage or bad input: exit 2.
    Input,
    /// No plan, or a broken one: exit 1.
    NoPlan,
    /// Interrupted: exit 130.
    Interrupted,
}

/// A place in an input file.
#[derive(Debug, Clone, Default)]
pub struct Place {
    /// The file as the user named it (`-` is shown as `<stdin>`).
    pub file: String,
    /// Line from 1, column from 1 (in characters), where known.
    pub at: Option<(usize, usize)>,
    /// The text of that line, as it stands in the file (shown cleaned and cut), where known.
    pub line_text: Option<String>,
    /// How many characters of the line are meant, from the column on.
    pub width: usize,
    /// How many characters of a very long line stand before the part that `line_text` holds.
    pub cut: usize,
}

impl Error {
    /// Bad usage or bad input.
    pub fn input(what: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { kind: ErrorKind::Input, what: what.into(), place: None, advice: advice.into() }
    }

    /// No plan, or a broken one.
    pub fn no_plan(what: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { kind: ErrorKind::NoPlan, ..Self::input(what, advice) }
    }

    /// The same error, in that file.
    #[must_use]
    pub fn in_file(mut self, file: impl Into<String>) -> Self {
        self.place.get_or_insert_default().file = file.into();
        self
    }

    /// The process's exit status for it.
    pub fn exit_status(&self) -> u8 {
        match self.kind {
            ErrorKind::NoPlan => 1,
            ErrorKind::Input => 2,
            ErrorKind::Interrupted => 130,
        }
    }
}

impl fmt::Display for Error {
    /// `file:line:column: what (advice)`, on one line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.place {
            write!(f, "{}:", crate::model::clean(&place.file))?;
            if let Some((line, column)) = place.at {
                write!(f, "{line}:{column}:")?;
            }
            write!(f, " ")?;
        }
        write!(f, "{}", self.what)?;
        if !self.advice.is_empty() {
            write!(f, " ({})", self.advice)?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {}
