//! The report of an XLA dump that was packed again: for people, and as JSON.
//!
//! # The JSON
//!
//! One object. `dump` is its name, `alignment` the multiple that every address is kept to. `allocations` has one entry an
//! allocation, in the order of the dump: `allocation` (its number), `kind`, `size`, `values` (how many), `in_place` (how many of
//! them take over memory of another), `height` (the end of its highest value in the dump), `packed` (the same with our
//! addresses; null where no value has a lifetime), and `bound` (no packing is lower; null likewise). `size` and `packed` are
//! the sums over those with lifetimes. `peak` is the fullest moment (`bytes`, `at`, `instruction`), `holders` who is alive then
//! (`value`, `allocation`, `size`), `dump_peak` the peak as the dump itself tells it, or null. `skipped_lines` counts lines that
//! mean nothing here.

use serde::Serialize;

use crate::input::{Dump, Role};
use crate::output::numbers::{above_bound, counted, grouped, percent, seconds};
use crate::output::packing_report::{entry, table, to_json};
use crate::session::packing::DumpPacked;

/// How many allocations are listed; the rest is summed.
const LISTED: usize = 12;

/// The answer in one sentence without a full stop.
pub fn verdict(dump: &Dump, packed: &DumpPacked) -> String {
    let (theirs, ours) = packed.sizes(dump);
    let (temp, ours_temp) = temporaries(dump, packed);
    let bytes = counted(packed.peak.bytes, "byte");
    let saved = if ours < theirs {
        format!("packed again {} in place of {}, {} less", grouped(ours), grouped(theirs), grouped(theirs - ours))
    } else {
        format!("packed again no smaller than {}", grouped(theirs))
    };
    let temporaries = if temp > 0 && ours_temp < temp {
        format!(" (temporaries {} in place of {})", grouped(ours_temp), grouped(temp))
    } else {
        String::new()
    };
    format!("peak {bytes} at {}; {saved}{temporaries}", instruction(dump, packed.peak.at))
}

/// Sizes of the temporaries together: the dump's and ours.
fn temporaries(dump: &Dump, packed: &DumpPacked) -> (u64, u64) {
    let pairs = dump.allocations.iter().zip(&packed.allocations);
    let temp = pairs.filter(|(allocation, packed)| allocation.role == Role::Temporary && packed.packed > 0);
    temp.fold((0, 0), |(theirs, ours), (allocation, packed)| (theirs + allocation.size, ours + packed.packed))
}

/// `175 (dot.4)`: the instruction that runs at a time.
fn instruction(dump: &Dump, at: u64) -> String {
    match dump.instructions.get(at as usize) {
        Some(name) => format!("{name} (instruction {at})"),
        None => "the end of the program".into(),
    }
}

/// The report for people; ends with a newline.
pub fn text(dump: &Dump, packed: &DumpPacked, repeat: &str) -> String {
    let mut lines = vec![format!("{}: {}", dump.name, verdict(dump, packed)), String::new()];
    let values: usize = dump.allocations.iter().map(|allocation| allocation.values.len()).sum();
    let without =
        packed.allocations.iter().flat_map(|allocation| &allocation.offsets).filter(|at| at.is_none()).count();
    lines.push(entry(
        "dump",
        &format!(
            "{}, {}, {}",
            counted(dump.instructions.len() as u64, "instruction"),
            counted(dump.allocations.len() as u64, "allocation"),
            counted(values as u64, "value")
        ),
    ));
    if without > 0 {
        let text =
            format!("{} of nested computations, without a lifetime in the dump", counted(without as u64, "value"));
        lines.push(entry("left out", &text));
    }
    if dump.skipped_lines > 0 {
        lines.push(entry("skipped", &format!("{} that mean nothing here", counted(dump.skipped_lines as u64, "line"))));
    }
    lines.extend(notes(packed));
    lines.push(String::new());
    lines.extend(allocations(dump, packed));
    lines.push(String::new());
    lines.extend(peak(dump, packed));
    lines.push(String::new());
    lines.push(entry("packed in", &seconds(packed.seconds)));
    lines.extend([String::new(), "the same again:".into(), repeat.into()]);
    lines.join("\n") + "\n"
}

fn notes(packed: &DumpPacked) -> Vec<String> {
    let in_place: usize = packed.allocations.iter().map(|allocation| allocation.in_place).sum();
    let clashes: usize = packed.allocations.iter().map(|allocation| allocation.clashes).sum();
    let mut lines = vec![entry("alignment", &format!("{}, as all addresses of the dump", grouped(packed.alignment)))];
    if in_place > 0 {
        let take = if in_place == 1 { "takes" } else { "take" };
        let text = format!("{} {take} over memory of an operand as it is read last", counted(in_place as u64, "value"));
        lines.push(entry("in place", &text));
    }
    if clashes > 0 {
        let text = format!(
            "{} of values hold an address together in the dump and take nothing over",
            counted(clashes as u64, "pair")
        );
        lines.push(entry("CLASHES", &text));
    }
    lines
}

/// One row an allocation in which values take turns, and the sums.
fn allocations(dump: &Dump, packed: &DumpPacked) -> Vec<String> {
    let mut rows = vec![["allocation", "values", "size", "sum found", "packed again", "bound", ""].map(str::to_owned)];
    let pairs = || dump.allocations.iter().zip(&packed.allocations).filter(|(_, packed)| packed.packed > 0);
    let mut listed: Vec<_> = pairs().filter(|(allocation, _)| allocation.values.len() > 1).collect();
    listed.sort_by_key(|(allocation, _)| {
        (allocation.role != Role::Temporary, std::cmp::Reverse(allocation.size), allocation.number)
    });
    for (allocation, packed) in listed.iter().take(LISTED) {
        rows.push([
            format!("{} {}", allocation.role.word(), allocation.number),
            grouped(allocation.values.len() as u64),
            grouped(allocation.size),
            grouped(packed.height),
            grouped(packed.packed),
            grouped(packed.bound),
            above_bound(packed.packed, packed.bound),
        ]);
    }
    let rest: Vec<_> = pairs()
        .filter(|(allocation, _)| allocation.values.len() <= 1)
        .chain(listed.iter().skip(LISTED).copied())
        .collect();
    let sum = |name: String, pairs: &[(&crate::input::Allocation, &crate::session::packing::PackedAllocation)]| {
        let total = |of: fn(&(&crate::input::Allocation, &crate::session::packing::PackedAllocation)) -> u64| {
            grouped(pairs.iter().map(of).sum())
        };
        [
            name,
            total(|(allocation, _)| allocation.values.len() as u64),
            total(|(allocation, _)| allocation.size),
            total(|(_, packed)| packed.height),
            total(|(_, packed)| packed.packed),
            total(|(_, packed)| packed.bound),
            String::new(),
        ]
    };
    if !rest.is_empty() {
        rows.push(sum(format!("{} others", rest.len()), &rest));
    }
    rows.push(sum("all".into(), &pairs().collect::<Vec<_>>()));
    columns(&rows)
}

/// The first column and the last flush left, the others flush right.
fn columns(rows: &[[String; 7]]) -> Vec<String> {
    let widths: [usize; 7] =
        std::array::from_fn(|at| rows.iter().map(|row| row[at].chars().count()).max().unwrap_or(0));
    let line = |row: &[String; 7]| {
        let cells = row.iter().zip(widths).enumerate().map(|(at, (cell, width))| {
            if at == 0 || at == 6 { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
        });
        format!("  {}", cells.collect::<Vec<_>>().join("  ")).trim_end().to_owned()
    };
    rows.iter().map(line).collect()
}

fn peak(dump: &Dump, packed: &DumpPacked) -> Vec<String> {
    let peak = packed.peak;
    let values = counted(packed.holders.len() as u64, "value");
    let text = format!("{} in {values}, at {}", counted(peak.bytes, "byte"), instruction(dump, peak.at));
    let mut lines = vec![entry("peak", &text)];
    lines.extend(table(packed.holders.iter().map(|&(allocation, value, size)| {
        let allocation = &dump.allocations[allocation];
        let value = &allocation.values[value];
        let place = format!("{} {}", allocation.role.word(), allocation.number);
        let share = percent(size, peak.bytes);
        (format!("{} {}", value.name, value.shape), format!("{} ({share}) in {place}", grouped(size)))
    })));
    lines.extend(dump.peak.map(|(at, bytes)| {
        let text = format!("{} at {}, by the dump's own count", counted(bytes, "byte"), instruction(dump, at));
        entry("XLA's peak", &text)
    }));
    lines
}

#[derive(Serialize)]
struct ReportJson<'a> {
    dump: &'a str,
    alignment: u64,
    allocations: Vec<AllocationJson<'a>>,
    size: u64,
    packed: u64,
    peak: PeakJson<'a>,
    holders: Vec<HolderJson<'a>>,
    dump_peak: Option<PeakJson<'a>>,
    skipped_lines: usize,
    seconds: f64,
    command: &'a str,
}

#[derive(Serialize)]
struct AllocationJson<'a> {
    allocation: u64,
    kind: &'a str,
    size: u64,
    values: usize,
    in_place: usize,
    height: u64,
    packed: Option<u64>,
    bound: Option<u64>,
}

#[derive(Serialize)]
struct PeakJson<'a> {
    bytes: u64,
    at: u64,
    instruction: Option<&'a str>,
}

#[derive(Serialize)]
struct HolderJson<'a> {
    value: &'a str,
    allocation: u64,
    size: u64,
}

/// The report as JSON; ends with a newline.
pub fn json(dump: &Dump, packed: &DumpPacked, repeat: &str) -> String {
    let (size, ours) = packed.sizes(dump);
    let name = |at: u64| dump.instructions.get(at as usize).map(crate::model::Name::raw);
    let peak_json = |at, bytes| PeakJson { bytes, at, instruction: name(at) };
    let pairs = dump.allocations.iter().zip(&packed.allocations);
    let allocation =
        |(allocation, packed): (&'_ crate::input::Allocation, &crate::session::packing::PackedAllocation)| {
            let is_packed = packed.packed > 0;
            AllocationJson {
                allocation: allocation.number,
                kind: allocation.role.word(),
                size: allocation.size,
                values: allocation.values.len(),
                in_place: packed.in_place,
                height: packed.height,
                packed: is_packed.then_some(packed.packed),
                bound: is_packed.then_some(packed.bound),
            }
        };
    let holder = |&(allocation, value, size): &(usize, usize, u64)| {
        let allocation = &dump.allocations[allocation];
        HolderJson { value: allocation.values[value].name.raw(), allocation: allocation.number, size }
    };
    to_json(&ReportJson {
        dump: dump.name.raw(),
        alignment: packed.alignment,
        allocations: pairs.map(allocation).collect(),
        size,
        packed: ours,
        peak: peak_json(packed.peak.at, packed.peak.bytes),
        holders: packed.holders.iter().map(holder).collect(),
        dump_peak: dump.peak.map(|(at, bytes)| peak_json(at, bytes)),
        skipped_lines: dump.skipped_lines,
        seconds: packed.seconds,
        command: repeat,
    })
}
