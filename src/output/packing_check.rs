//! What the checker says of a packing of lifetimes: for people, and as JSON (`valid`, `height`, `max_live`, `capacity`,
//! `broken` with a sentence each, `command`).

use serde::Serialize;

use crate::check::packing::{BrokenPacking, MAX_BROKEN, check_packing};
use crate::engine::pack::{MaxLive, max_live};
use crate::input::Lifetimes;
use crate::model::Packed;
use crate::output::numbers::{above_bound, counted, grouped};
use crate::output::packing_report::{entry, to_json};

/// A packing with what the checker says of it.
pub struct Checked<'a> {
    file: &'a Lifetimes,
    packed: &'a Packed,
    capacity: Option<u64>,
    broken: Vec<BrokenPacking>,
    max_live: MaxLive,
}

impl<'a> Checked<'a> {
    /// Checks the addresses, against `capacity` where there is one.
    pub fn new(file: &'a Lifetimes, packed: &'a Packed, capacity: Option<u64>) -> Self {
        let broken = check_packing(&file.packing, capacity, &packed.offsets);
        Self { file, packed, capacity, broken, max_live: max_live(&file.packing) }
    }
}

/// The result in one sentence without a full stop.
pub fn verdict(checked: &Checked) -> String {
    let height = grouped(checked.packed.height);
    if checked.broken.is_empty() {
        let how = above_bound(checked.packed.height, checked.max_live.bytes);
        return format!("valid packing, height {height}; max live {}: {how}", grouped(checked.max_live.bytes));
    }
    let more = if checked.broken.len() >= MAX_BROKEN { "at least " } else { "" };
    format!("the packing is broken: {more}{}", counted(checked.broken.len() as u64, "fault"))
}

/// The report for people; ends with a newline.
pub fn text(checked: &Checked, repeat: &str) -> String {
    let mut lines = vec![format!("{}: {}", checked.file.name, verdict(checked)), String::new()];
    lines.push(entry("lifetimes", &counted(checked.file.packing.buffers.len() as u64, "buffer")));
    lines.extend(checked.capacity.map(|capacity| entry("capacity", &grouped(capacity))));
    let live = checked.max_live;
    lines.push(entry("max live", &format!("{} at time {}", grouped(live.bytes), grouped(live.at))));
    lines.extend(
        checked.broken.iter().enumerate().map(|(at, broken)| entry(if at == 0 { "BROKEN" } else { "" }, &broken.what)),
    );
    lines.extend([String::new(), "the same again:".into(), repeat.into()]);
    lines.join("\n") + "\n"
}

#[derive(Serialize)]
struct CheckJson<'a> {
    lifetimes: &'a str,
    valid: bool,
    height: u64,
    max_live: u64,
    capacity: Option<u64>,
    broken: Vec<&'a str>,
    command: &'a str,
}

/// The report as JSON; ends with a newline.
pub fn json(checked: &Checked, repeat: &str) -> String {
    to_json(&CheckJson {
        lifetimes: checked.file.name.raw(),
        valid: checked.broken.is_empty(),
        height: checked.packed.height,
        max_live: checked.max_live.bytes,
        capacity: checked.capacity,
        broken: checked.broken.iter().map(|broken| broken.what.as_str()).collect(),
        command: repeat,
    })
}
