//! What the person prefers about the looks; nothing here changes what is shown.

use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};

/// Which colours the screen is drawn in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Theme {
    /// The terminal's own foreground, background and sixteen colours.
    #[default]
    Terminal,
    /// Light on dark.
    Dark,
    /// Dark on light.
    Light,
    /// Bright on black, every text 7:1 or more.
    HighContrast,
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
    /// How the panes share the screen.
    pub shares: Shares,
}

/// How the panes share the screen; `None` leaves it to the layout.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shares {
    /// Percent of the width that levels and map have, within [`MAP_WIDTH`](Self::MAP_WIDTH).
    pub map_width: Option<u16>,
    /// Rows of the timeline, within [`TIMELINE_HEIGHT`](Self::TIMELINE_HEIGHT); fewer where the map would vanish.
    pub timeline_height: Option<u16>,
}

impl Shares {
    /// What the map's width may be.
    pub const MAP_WIDTH: RangeInclusive<u16> = 30..=70;
    /// What the timeline's height may be.
    pub const TIMELINE_HEIGHT: RangeInclusive<u16> = 3..=12;
}

impl Default for Prefs {
    fn default() -> Self {
        Self {
            theme: Theme::default(),
            ascii: false,
            color: ColorDepth::default(),
            mouse: true,
            shares: Shares::default(),
        }
    }
}

impl Theme {
    /// All, in the order in which they follow each other.
    pub const ALL: [Self; 4] = [Self::Terminal, Self::Dark, Self::Light, Self::HighContrast];

    /// The next one, round and round.
    #[must_use]
    pub fn next(self) -> Self {
        let at = Self::ALL.iter().position(|&theme| theme == self).unwrap_or(0);
        Self::ALL[(at + 1) % Self::ALL.len()]
    }

    /// Its name, for flags and files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Terminal => "terminal",
            Self::Dark => "dark",
            Self::Light => "light",
            Self::HighContrast => "high-contrast",
        }
    }

    /// The theme of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|theme| theme.name() == name)
    }

    /// What it is, for the notice line.
    pub fn description(self) -> &'static str {
        match self {
            Self::Terminal => "the terminal's own colours",
            Self::Dark => "dark",
            Self::Light => "light",
            Self::HighContrast => "high contrast",
        }
    }
}
