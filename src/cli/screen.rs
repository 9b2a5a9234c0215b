//! Flags of the screen, shared by `view` and `frame`.

use clap::ValueEnum;

use super::config::{self, Settings};
use crate::app::prefs::{ColorDepth, Prefs, Theme};
use crate::app::{App, Version, Where, settle};
use crate::error::Error;
use crate::model::clean;
use crate::trace::Mark;

/// How the screen looks.
#[derive(clap::Args, Clone, Debug)]
#[group(id = "screen")]
#[command(next_help_heading = "Screen")]
pub struct Flags {
    /// Colours [default: terminal]
    #[arg(long, value_enum)]
    theme: Option<ThemeFlag>,
    /// Write only ASCII characters
    #[arg(long)]
    ascii: bool,
    /// Settings and keys: a configuration file in place of your own (see `spillscope config`)
    #[arg(long, value_name = "FILE")]
    config: Option<String>,
}

#[derive(ValueEnum, Clone, Copy, Debug)]
enum ThemeFlag {
    /// The terminal's own
    Terminal,
    /// Light on dark
    Dark,
    /// Dark on light
    Light,
    /// Bright on black
    HighContrast,
}

impl Flags {
    /// The person's own settings, or those of the file that is named here.
    ///
    /// # Errors
    /// As [`config::of_person`].
    pub fn settings(&self) -> Result<Settings, Error> {
        config::of_person(self.config.as_deref())
    }

    /// The settings of the file that is named here; without one the defaults, whoever asks.
    ///
    /// # Errors
    /// As [`config::of_file`].
    pub fn named_settings(&self) -> Result<Settings, Error> {
        self.config.as_deref().map_or_else(|| Ok(Settings::default()), config::of_file)
    }

    /// The theme that a flag asks for.
    pub fn theme(&self) -> Option<Theme> {
        self.theme.map(|theme| match theme {
            ThemeFlag::Terminal => Theme::Terminal,
            ThemeFlag::Dark => Theme::Dark,
            ThemeFlag::Light => Theme::Light,
            ThemeFlag::HighContrast => Theme::HighContrast,
        })
    }

    /// As preferences, for a terminal of that many colours: what a flag asks for, else what is set.
    pub fn prefs(&self, settings: &Settings, color: ColorDepth) -> Prefs {
        Prefs {
            theme: self.theme().or(settings.theme).unwrap_or_default(),
            ascii: self.ascii || settings.ascii.unwrap_or(false),
            color,
            mouse: settings.mouse.unwrap_or(true),
            shares: settings.shares,
        }
    }
}

/// Opens `app` at `place`; where none is asked for, at what one most likely came for: the failure, else the first
/// spill, else the first postponement, else the first step. With a plan to compare with, at the first step that differs.
pub fn open(app: &mut App, place: Option<Where>, rival: Option<Version>) {
    let compared = rival.is_some();
    if let Some(peak) = app.session().packed.as_ref().map(|seen| seen.peak) {
        let usual = if app.has_failure() { Where::Failure } else { Where::Step(peak) };
        app.may_be_compared_with(rival);
        return app.open_packed(place.unwrap_or(usual));
    }
    app.may_be_compared_with(rival);
    if compared {
        // Nobody has pressed a key yet: what takes long may.
        let effect = app.compare();
        settle(app, effect);
        if let Some(place) = place {
            app.open_at(place);
        }
        return;
    }
    let has = |mark: Mark| !app.trace().marks(mark).is_empty();
    let failed = app.has_failure();
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
