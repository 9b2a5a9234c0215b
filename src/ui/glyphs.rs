//! The signs that the screen uses beyond ASCII, and what stands for them with `--ascii`.

/// Sign and stand-in.
pub const GLYPHS: &[(char, char)] =
    &[('─', '-'), ('│', '|'), ('┌', '+'), ('┐', '+'), ('└', '+'), ('┘', '+'), ('█', '#'), ('▸', '>'), ('…', '~')];
