//! Every character beyond ASCII that the screen draws by itself, with its stand-in for terminals without them.
//! All are one column wide, so that folding keeps the columns.

/// (glyph, ASCII stand-in).
pub const GLYPHS: &[(char, char)] = &[
    ('─', '-'),
    ('│', '|'),
    ('┌', '+'),
    ('┐', '+'),
    ('└', '+'),
    ('┘', '+'),
    ('├', '+'),
    ('┤', '+'),
    ('┬', '+'),
    ('┴', '+'),
    ('┼', '+'),
    ('█', '#'),
    ('▉', '#'),
    ('▊', '#'),
    ('▋', '#'),
    ('▌', '#'),
    ('▍', '|'),
    ('▎', '|'),
    ('▏', '|'),
    ('▁', '_'),
    ('▂', '_'),
    ('▃', '.'),
    ('▄', '-'),
    ('▅', '-'),
    ('▆', '='),
    ('▇', '='),
    ('░', ':'),
    ('▒', '%'),
    ('▓', '&'),
    ('·', '.'),
    ('▸', '>'),
    ('◂', '<'),
    ('▾', 'v'),
    ('▴', '^'),
    ('←', '<'),
    ('→', '>'),
    ('↑', '^'),
    ('↓', 'v'),
    ('›', '>'),
    ('╷', ','),
    ('╵', '\''),
    ('…', '~'),
    ('–', '-'),
    ('×', 'x'),
    ('“', '"'),
    ('”', '"'),
    ('•', '*'),
    ('◇', 'o'),
    ('µ', 'u'),
];

/// The stand-in of `glyph`, if it has one.
pub fn ascii(glyph: char) -> Option<char> {
    GLYPHS.iter().find(|(from, _)| *from == glyph).map(|(_, to)| *to)
}

#[cfg(test)]
mod tests {
    use super::*;
    use unicode_width::UnicodeWidthChar;

    #[test]
    fn stand_ins_are_ascii_and_as_wide_as_their_glyph() {
        for &(glyph, ascii) in GLYPHS {
            assert!(!glyph.is_ascii() && (' '..='~').contains(&ascii), "{glyph} {ascii}");
            assert_eq!(glyph.width(), Some(1), "{glyph}");
        }
    }

    #[test]
    fn each_glyph_is_listed_once() {
        let mut glyphs: Vec<char> = GLYPHS.iter().map(|(glyph, _)| *glyph).collect();
        glyphs.sort_unstable();
        glyphs.dedup();
        assert_eq!(glyphs.len(), GLYPHS.len());
    }
}
