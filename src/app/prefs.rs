//! What the person prefers about the looks; nothing here changes what is shown.

/// Which colours the screen is drawn in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// The terminal's own foreground, background and sixteen colours.
    #[default]
    Terminal,
    /// Light on dark.
    Dark,
    /// Dark on light.
    Light,
}

/// How many colours the terminal can show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum ColorDepth {
    /// No colour at all: bold, underline and reverse alone.
    None,
    /// The sixteen named ones.
    Ansi16,
    /// The 256 of the xterm palette.
    Ansi256,
    /// 24 bits.
    #[default]
    True,
}

/// What the person prefers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prefs {
    /// Colours.
    pub theme: Theme,
    /// Whether only bytes below 0x80 are written.
    pub ascii: bool,
    /// What the terminal can show.
    pub color: ColorDepth,
    /// Whether the mouse is listened to.
    pub mouse: bool,
}

impl Default for Prefs {
    fn default() -> Self {
        Self { theme: Theme::default(), ascii: false, color: ColorDepth::default(), mouse: true }
    }
}

impl Theme {
    /// The next one, round and round.
    #[must_use]
    pub fn next(self) -> Self {
        match self {
            Self::Terminal => Self::Dark,
            Self::Dark => Self::Light,
            Self::Light => Self::Terminal,
        }
    }

    /// Its name, for the notice line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Terminal => "the terminal's own colours",
            Self::Dark => "dark",
            Self::Light => "light",
        }
    }
}
