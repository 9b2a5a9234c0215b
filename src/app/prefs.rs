//! What the person and the terminal ask of the look.

/// Whose colours are used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// The terminal's own.
    #[default]
    Terminal,
    /// Light on dark.
    Dark,
    /// Dark on light.
    Light,
}

/// How many colours the terminal can show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColorDepth {
    /// None: no colour escape is written.
    None,
    /// The terminal's sixteen.
    Ansi16,
    /// The fixed palette of 256.
    Ansi256,
    /// 24 bits.
    True,
}

/// What the person and the terminal ask of the look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prefs {
    /// Whose colours are used.
    pub theme: Theme,
    /// Only bytes below 0x80.
    pub ascii: bool,
    /// How many colours.
    pub color: ColorDepth,
    /// Whether the mouse is listened to.
    pub mouse: bool,
}
