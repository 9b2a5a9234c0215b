//! Names from outside, which must never reach a terminal raw.

use std::fmt;

/// A name as the file gave it. `Display` shows it with control, bidirectional and other invisible
/// characters replaced, so that printing one is always safe; [`Name::raw`] is for writing files.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Name(Box<str>);

impl Name {
    /// Takes a name from outside.
    pub fn new(raw: impl Into<Box<str>>) -> Self {
        Self(raw.into())
    }

    /// The name as it came, for writing back into a file that escapes it (JSON). Never for a terminal.
    pub fn raw(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&clean(&self.0))
    }
}

impl From<&str> for Name {
    fn from(raw: &str) -> Self {
        Self::new(raw)
    }
}

/// `text` with every character replaced by U+FFFD that a terminal may act on or that has no shape of its own.
pub fn clean(text: &str) -> std::borrow::Cow<'_, str> {
    if text.chars().all(is_plain) {
        return text.into();
    }
    text.chars().map(|c| if is_plain(c) { c } else { '\u{fffd}' }).collect::<String>().into()
}

/// Whether a terminal shows `c` as itself: not a control, not a direction or format mark, not a line separator.
pub fn is_plain(c: char) -> bool {
    !(c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_and_direction_marks_are_replaced_and_letters_kept() {
        assert_eq!(clean("a\x1b[31mb\u{202e}c\u{9b}d"), "a\u{fffd}[31mb\u{fffd}c\u{fffd}d");
        assert_eq!(clean("权重 é"), "权重 é");
        assert_eq!(Name::new("x\n").to_string(), "x\u{fffd}");
    }
}
