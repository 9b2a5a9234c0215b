//! The help: the key table, wrapped to the screen.

use unicode_width::UnicodeWidthStr;

use super::Keymap;
use super::command::Command;
use super::keymap::{Key, LESSON_BINDINGS, SECTIONS, key_name};
use super::words::wrap;

/// One line of the help.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HelpLine {
    /// Whether it is a heading.
    pub heading: bool,
    /// The keys, on the first line of a binding.
    pub keys: String,
    /// The text.
    pub text: String,
}

/// Columns of the keys.
pub const KEYS: usize = 15;

/// The signs, as every pane shows them.
const SIGNS: [(&str, &str); 13] = [
    ("S", "spilled out to main memory"),
    ("R", "reloaded: back from main memory"),
    ("P", "ALLOC postponed until there is room"),
    ("W", "waits for memory: no hole is large enough"),
    ("F", "no room at all: the plan fails"),
    ("[ ] +", "placed by this step; * used by it"),
    ("░", "left at this step, or an idle block; · free; - partly in use"),
    ("2–9 ░▒▓█", "map: so many buffers share a cell; of ten or more, how full it is"),
    ("╷ │ ╵", "map: a buffer leaves its address, is out, is back"),
    ("› ▾", "map: row and column of the cell at hand"),
    ("█ ▒", "timeline: least and most in use within a column"),
    ("◇", "timeline: a stop is met"),
    ("2–9 +", "timeline: so many marks in the column; + ten or more"),
];

/// Rows of a screen of that height that the help shows at once.
pub fn page(height: u16) -> usize {
    usize::from(height.saturating_sub(4)).max(1)
}

/// The whole help for a screen of that width: the keys, then the signs. In ASCII an arrow would be taken for another
/// key, and the letters beside it do the same.
pub fn lines(keymap: &Keymap, width: u16, ascii: bool) -> Vec<HelpLine> {
    let room = usize::from(width).saturating_sub(KEYS + 4).clamp(10, 60);
    let mut out = Vec::new();
    for (binding, keys) in keymap.rows() {
        if let Some((title, _)) = SECTIONS.iter().find(|(_, first)| *first == binding.command) {
            out.push(heading(title));
        }
        enter_keys(&mut out, keys, binding.help, ascii, room);
        if binding.command == Command::Lessons {
            LESSON_BINDINGS.iter().for_each(|binding| enter_keys(&mut out, binding.keys, binding.help, ascii, room));
            enter(&mut out, "1 to 9", "answer the lesson's question", room);
        }
    }
    out.push(heading("Signs"));
    SIGNS.iter().for_each(|(sign, text)| enter(&mut out, sign, text, room));
    out
}

fn enter_keys(out: &mut Vec<HelpLine>, keys: &[Key], help: &str, ascii: bool, room: usize) {
    let names = keys.iter().map(|&key| key_name(key));
    let names: Vec<String> = names.filter(|name| !ascii || name.is_ascii()).collect();
    enter(out, &names.join(" "), help, room);
}

fn heading(title: &str) -> HelpLine {
    HelpLine { heading: true, keys: String::new(), text: title.to_owned() }
}

/// Enters a text of at most `room` columns a line.
fn enter(out: &mut Vec<HelpLine>, keys: &str, text: &str, room: usize) {
    debug_assert!(keys.width() < KEYS);
    for (at, text) in wrap(text, room, 0).into_iter().enumerate() {
        let keys = if at == 0 { keys.to_owned() } else { String::new() };
        out.push(HelpLine { heading: false, keys, text });
    }
}
