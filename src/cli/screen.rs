//! Flags of the screen, shared by `view` and `frame`.

use clap::ValueEnum;

use crate::app::prefs::{ColorDepth, Prefs, Theme};
use crate::app::{App, Where};
use crate::model::clean;
use crate::trace::Mark;

/// How the screen looks.
#[derive(clap::Args, Clone, Debug)]
#[group(id = "screen")]
#[command(next_help_heading = "Screen")]
pub struct Flags {
    /// Colours
    #[arg(long, value_enum, default_value_t = ThemeFlag::Terminal)]
    theme: ThemeFlag,
    /// Write only ASCII characters
    #[arg(long)]
    ascii: bool,
}

#[derive(ValueEnum, Clone, Copy, Debug)]
enum ThemeFlag {
    /// The terminal's own
    Terminal,
    /// Light on dark
    Dark,
    /// Dark on light
    Light,
}

impl Flags {
    /// As preferences, for a terminal of that many colours.
    pub fn prefs(&self, color: ColorDepth, mouse: bool) -> Prefs {
        let theme = match self.theme {
            ThemeFlag::Terminal => Theme::Terminal,
            ThemeFlag::Dark => Theme::Dark,
            ThemeFlag::Light => Theme::Light,
        };
        Prefs { theme, ascii: self.ascii, color, mouse }
    }
}

/// Opens `app` at `place`; where none is asked for, at what one most likely came for: the failure, else the first
/// spill, else the first postponement, else the first step.
pub fn open(app: &mut App, place: Option<Where>) {
    let has = |mark: Mark| !app.trace().marks(mark).is_empty();
    let failed = app.session().diagnosis.is_some();
    match place {
        Some(place) => app.open_at(place),
        None if failed => {}
        None if has(Mark::Spill) => app.open_at(Where::FirstSpill),
        None if has(Mark::Postpone) => app.open_at(Where::FirstPostpone),
        None => {}
    }
}

/// Reads a place to open at: a step, `peak`, `fail` or `spill`.
pub fn place(text: &str) -> Result<Where, String> {
    match text {
        "peak" => Ok(Where::Peak),
        "fail" => Ok(Where::Failure),
        "spill" => Ok(Where::FirstSpill),
        number => number
            .parse()
            .map(Where::Step)
            .map_err(|_| format!("'{}' is no place: use a step (counted from 0), peak, fail or spill", clean(text))),
    }
}
