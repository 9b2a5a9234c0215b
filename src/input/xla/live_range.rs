//! `X-live-range.txt`: the instructions in the order in which they run, and from which to which each value is alive.

use std::collections::HashMap;

use super::super::source::{Source, quoted};
use super::{LIVE_RANGE_START, key, number};
use crate::error::Error;
use crate::model::Name;

/// What the file says.
#[derive(Debug, Default)]
pub(super) struct LiveRanges {
    pub instructions: Vec<Name>,
    /// By the name of a value: when it is alive, half-open.
    pub by_value: HashMap<String, (u64, u64)>,
    pub peak: Option<(u64, u64)>,
    pub skipped: usize,
}

/// What the lines at hand are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Section {
    /// Nothing that is known.
    Unknown,
    Instructions,
    Ranges,
    /// What is alive at the fullest moment; only the sum is read.
    Peak,
}

const ADVICE: &str = "is the file as XLA wrote it, and whole?";

impl LiveRanges {
    /// # Errors
    /// Where an instruction or a live range is not as it must be, with the place.
    pub(super) fn read(source: &Source) -> Result<Self, Error> {
        let mut found = Self::default();
        let mut section = Section::Unknown;
        for (start, line) in source.filled_lines() {
            if let Some(next) = found.heading(line) {
                section = next;
                continue;
            }
            if line.starts_with("Stack trace breakdown") {
                break;
            }
            let told = match section {
                Section::Unknown => {
                    found.skipped += 1;
                    continue;
                }
                Section::Instructions => found.instruction(line),
                Section::Ranges => found.range(line),
                Section::Peak => {
                    found.holder(line);
                    continue;
                }
            };
            told.map_err(|what| source.error(start..start + line.len(), what, ADVICE))?;
        }
        Ok(found)
    }

    /// The section that `line` opens, if it opens one.
    fn heading(&mut self, line: &str) -> Option<Section> {
        if line.starts_with(LIVE_RANGE_START) {
            return Some(Section::Unknown);
        }
        if let Some(rest) = line.strip_prefix("Live ranges at ") {
            self.peak = rest.split(' ').next().and_then(number).map(|at| (at, 0));
            return Some(Section::Peak);
        }
        match line {
            "InstructionSequence:" => Some(Section::Instructions),
            "BufferLiveRange:" => Some(Section::Ranges),
            _ => None,
        }
    }

    /// `12:fusion.3`
    fn instruction(&mut self, line: &str) -> Result<(), String> {
        let expected = self.instructions.len();
        let found = line.split_once(':').filter(|(at, name)| number(at) == Some(expected as u64) && !name.is_empty());
        let Some((_, name)) = found else {
            return Err(format!("expected instruction `{expected}:NAME`, found {}", quoted(line)));
        };
        self.instructions.push(Name::new(name));
        Ok(())
    }

    /// `fusion.3{}:12-30`, both ends inclusive.
    fn range(&mut self, line: &str) -> Result<(), String> {
        let parts = line.rsplit_once(':').and_then(|(name, times)| Some((name, times.split_once('-')?)));
        let range = parts.and_then(|(name, (first, last))| Some((name, number(first)?, number(last)?)));
        let Some((name, first, last)) = range.filter(|&(name, ..)| !name.is_empty()) else {
            return Err(format!("expected a live range `NAME{{}}:FIRST-LAST`, found {}", quoted(line)));
        };
        if last < first {
            return Err(format!("the live range of {} ends before it begins: {first}-{last}", quoted(name)));
        }
        let end = self.instructions.len() as u64;
        if last > end {
            return Err(format!("the live range of {} ends at {last}, but the program ends at {end}", quoted(name)));
        }
        match self.by_value.insert(key(name).to_owned(), (first, last + 1)) {
            None => Ok(()),
            Some(_) => Err(format!("the live range of {} stands twice", quoted(name))),
        }
    }

    /// `fusion.3{}: 64 bytes (cumulative: 640 bytes)`
    fn holder(&mut self, line: &str) {
        let sum = line.split_once("(cumulative: ").and_then(|(_, rest)| number(rest.split(' ').next()?));
        match (&mut self.peak, sum) {
            (Some((_, bytes)), Some(sum)) => *bytes = sum,
            _ => self.skipped += 1,
        }
    }
}
