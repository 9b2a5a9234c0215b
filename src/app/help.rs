//! The help: the key table, wrapped to the screen.

use unicode_width::UnicodeWidthStr;

use super::keymap::{BINDINGS, SECTIONS, key_name};
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

/// Rows of a screen of that height that the help shows at once.
pub fn page(height: u16) -> usize {
    usize::from(height.saturating_sub(4)).max(1)
}

/// The whole help for a screen of that width.
pub fn lines(width: u16) -> Vec<HelpLine> {
    let room = usize::from(width).saturating_sub(KEYS + 4).clamp(10, 60);
    let mut out = Vec::new();
    for binding in BINDINGS {
        if let Some((title, _)) = SECTIONS.iter().find(|(_, first)| *first == binding.command) {
            out.push(HelpLine { heading: true, keys: String::new(), text: (*title).to_owned() });
        }
        let names: Vec<String> = binding.keys.iter().map(|&key| key_name(key)).collect();
        let keys = names.join(" ");
        debug_assert!(keys.width() < KEYS);
        for (at, text) in wrap(binding.help, room, 0).into_iter().enumerate() {
            let keys = if at == 0 { keys.clone() } else { String::new() };
            out.push(HelpLine { heading: false, keys, text });
        }
    }
    out
}
