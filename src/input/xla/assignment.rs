//! `X-buffer-assignment.txt`: allocations, each with the values in it, their sizes and offsets.

use std::collections::HashSet;

use super::super::source::{Source, quoted};
use super::{ASSIGNMENT_START, Allocation, Role, Value, number};
use crate::error::Error;
use crate::model::{MAX_NUMBER, Name};

const ALLOCATION: &str = "allocation N: size BYTES, KIND:";
const VALUE: &str = "value: <ID NAME @COLOR> (size=BYTES,offset=BYTES): SHAPE";

/// What comes behind the allocations: it says nothing new here.
const BEHIND: [&str; 2] = ["Used values:", "HeapSimulatorTrace"];

/// The allocations, and how many lines were skipped.
///
/// # Errors
/// Where an allocation or a value is not as it must be, with the place.
pub(super) fn read(source: &Source) -> Result<(Vec<Allocation>, usize), Error> {
    let mut allocations: Vec<Allocation> = Vec::new();
    let mut numbers = HashSet::new();
    let (mut skipped, mut total) = (0, 0u64);
    for (start, line) in source.filled_lines() {
        let fault = |what: String, advice: &str| source.error(start..start + line.len(), what, advice);
        let broken = |shape: &str| fault(format!("expected `{shape}`, found {}", quoted(line)), ADVICE);
        if line.starts_with("allocation ") {
            let found = allocation(line).ok_or_else(|| broken(ALLOCATION))?;
            if !numbers.insert(found.number) {
                let what = format!("allocation {} stands twice", found.number);
                return Err(fault(what, "are these two dumps in one file?"));
            }
            allocations.push(found);
        } else if line.starts_with("value:") {
            let found = value(line).ok_or_else(|| broken(VALUE))?;
            let Some(last) = allocations.last_mut() else {
                return Err(fault("this value stands before the first allocation".into(), ADVICE));
            };
            if found.offset.checked_add(found.size).is_none_or(|end| end > last.size) {
                let (number, size) = (last.number, last.size);
                let what = format!("this value ends behind its allocation {number}, which has {size} bytes");
                return Err(fault(what, ADVICE));
            }
            total = total
                .checked_add(found.size)
                .filter(|&sum| sum <= MAX_NUMBER)
                .ok_or_else(|| fault("with this value the sizes of all values together pass 2^63-1".into(), ADVICE))?;
            last.values.extend((found.size > 0).then_some(found));
        } else if BEHIND.iter().any(|behind| line.starts_with(behind)) {
            break;
        } else if line != ASSIGNMENT_START && !line.starts_with("Total bytes used:") {
            skipped += 1;
        }
    }
    Ok((allocations, skipped))
}

const ADVICE: &str = "is the file as XLA wrote it, and whole?";

fn allocation(line: &str) -> Option<Allocation> {
    let (number_text, rest) = line.strip_prefix("allocation ")?.split_once(": size ")?;
    let rest = rest.strip_suffix(':')?;
    let (size, facts) = rest.split_once(", ").unwrap_or((rest, ""));
    Some(Allocation { number: number(number_text)?, size: number(size)?, role: role(facts), values: Vec::new() })
}

/// What the words behind the size say; where there are several, the most telling.
fn role(facts: &str) -> Role {
    let has = |word: &str| facts.split(", ").any(|fact| fact == word || fact.split(' ').next() == Some(word));
    let words = [
        ("preallocated-temp", Role::Temporary),
        ("parameter", Role::Parameter),
        ("constant", Role::Constant),
        ("thread-local", Role::ThreadLocal),
        ("output", Role::Output),
        ("maybe-live-out", Role::LiveOut),
    ];
    words.into_iter().find(|(word, _)| has(word)).map_or(Role::Other, |(_, role)| role)
}

fn value(line: &str) -> Option<Value> {
    let (told, rest) = line.strip_prefix("value: <")?.split_once("> (size=")?;
    let (size, rest) = rest.split_once(",offset=")?;
    let (offset, shape) = rest.split_once("): ")?;
    let (_, name) = told.split_once(' ')?;
    let name = name.rsplit_once(" @").map_or(name, |(name, _)| name);
    let name = name.strip_suffix(" (phi)").unwrap_or(name);
    let filled = !name.is_empty() && number(told.split(' ').next()?).is_some();
    let value = Value {
        name: Name::new(super::key(name)),
        shape: Name::new(shape),
        size: number(size)?,
        offset: number(offset)?,
        live: None,
    };
    filled.then_some(value)
}
