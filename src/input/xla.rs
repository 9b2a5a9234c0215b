//! Dumps of XLA: what its buffer assignment decided (`X-buffer-assignment.txt`), joined by the names of values with when
//! each is alive (`X-live-range.txt`, found beside it). Both are texts that XLA writes with `--xla_dump_to`; lines of other
//! versions that mean nothing here are skipped and counted.

mod assignment;
mod live_range;

use super::source::{Source, quoted};
use crate::error::Error;
use crate::model::Name;
use live_range::LiveRanges;

/// How the name of the file with the assignment ends.
const ASSIGNMENT_ENDING: &str = "-buffer-assignment.txt";
const LIVE_RANGE_ENDING: &str = "-live-range.txt";

/// What a text with a buffer assignment begins with.
pub(super) const ASSIGNMENT_START: &str = "BufferAssignment:";
/// What a text with live ranges begins with.
pub(super) const LIVE_RANGE_START: &str = "HloLiveRange";

/// A program's memory as XLA planned it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dump {
    /// The file's name without `-buffer-assignment.txt`.
    pub name: Name,
    /// The allocations, in the order of the dump.
    pub allocations: Vec<Allocation>,
    /// The instructions in the order in which they run: number k runs in the tick `[k, k+1)`.
    pub instructions: Vec<Name>,
    /// The time at which the program ends, behind its last instruction. What the caller keeps is alive in the tick from then
    /// on too.
    pub end: u64,
    /// The fullest moment that the dump names, and how many bytes are alive then.
    pub peak: Option<(u64, u64)>,
    /// Lines that mean nothing here.
    pub skipped_lines: usize,
}

/// A piece of memory that values take turns in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Allocation {
    /// Its number in the dump.
    pub number: u64,
    /// Its size in bytes.
    pub size: u64,
    /// What it is for.
    pub role: Role,
    /// The values in it, in the order of the dump.
    pub values: Vec<Value>,
}

/// What an allocation is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// Temporaries of the program: what a packer decides about.
    Temporary,
    /// Results, with what took turns in their memory before.
    LiveOut,
    /// The tuple of the results.
    Output,
    /// An argument.
    Parameter,
    /// A constant.
    Constant,
    /// On the stack of whoever runs a nested computation.
    ThreadLocal,
    /// None of these.
    Other,
}

impl Role {
    /// In one short word.
    pub fn word(self) -> &'static str {
        match self {
            Role::Temporary => "temp",
            Role::LiveOut => "live-out",
            Role::Output => "output",
            Role::Parameter => "param",
            Role::Constant => "constant",
            Role::ThreadLocal => "thread",
            Role::Other => "other",
        }
    }
}

/// What an instruction makes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Value {
    /// The instruction's name, with the index of a tuple's part.
    pub name: Name,
    /// Its shape and layout, as in `f32[64,512]{1,0}`.
    pub shape: Name,
    /// Its size in bytes.
    pub size: u64,
    /// Where in the allocation it starts.
    pub offset: u64,
    /// When it is alive, half-open: `[start, end + 1)` of the dump's inclusive `start-end`. `None` where the dump does not
    /// say so, as for the values of nested computations.
    pub live: Option<(u64, u64)>,
}

/// Reads a dump; the file with the live ranges is looked for beside `assignment`.
///
/// # Errors
/// Whatever is wrong with either file, with the place, and where there is no second file.
pub fn read_xla(assignment: &Source) -> Result<Dump, Error> {
    let Some(stem) = assignment.name.strip_suffix(ASSIGNMENT_ENDING) else {
        let what = format!(
            "the live ranges of {} cannot be looked for: its name does not end in {ASSIGNMENT_ENDING}",
            quoted(&assignment.name)
        );
        let advice = "name the file as XLA does, X-buffer-assignment.txt, and put X-live-range.txt beside it";
        return Err(Error::input(what, advice).in_file(&assignment.name));
    };
    let beside = format!("{stem}{LIVE_RANGE_ENDING}");
    if !std::path::Path::new(&beside).exists() {
        let what = format!("the live ranges of {} are missing: there is no such file", quoted(&assignment.name));
        let advice = "XLA writes both with XLA_FLAGS=--xla_dump_to=DIR; put it beside the assignment";
        return Err(Error::input(what, advice).in_file(beside));
    }
    parse(assignment, &Source::read(&beside)?)
}

fn parse(assignment: &Source, live_range: &Source) -> Result<Dump, Error> {
    let mut ranges = LiveRanges::read(live_range)?;
    let (mut allocations, skipped) = assignment::read(assignment)?;
    for value in allocations.iter_mut().flat_map(|allocation| &mut allocation.values) {
        value.live = ranges.by_value.get(key(value.name.raw())).copied();
    }
    let stem = assignment.stem.strip_suffix(ASSIGNMENT_ENDING.trim_end_matches(".txt")).unwrap_or(&assignment.stem);
    let end = ranges.instructions.len() as u64;
    Ok(Dump {
        name: Name::new(stem),
        allocations,
        instructions: std::mem::take(&mut ranges.instructions),
        end,
        peak: ranges.peak,
        skipped_lines: skipped + ranges.skipped,
    })
}

/// A value's name without the empty index that only one of the two files writes.
fn key(name: &str) -> &str {
    name.strip_suffix("{}").unwrap_or(name)
}

/// A whole number below 2^63 in digits alone.
fn number(text: &str) -> Option<u64> {
    let plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|&number| plain && number <= crate::model::MAX_NUMBER)
}

#[cfg(test)]
mod tests;
