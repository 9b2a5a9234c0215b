//! What is the person's own on an interactive screen: settings, what is kept beside the graph, the first start.

use super::config::Settings;
use super::hint;
use super::keep::Keeper;
use super::screen;
use crate::app::{App, Theme, Version, Where};
use crate::error::Error;

/// Settings, and the file beside the graph where one is kept.
pub struct Personal {
    settings: Settings,
    keeper: Option<Keeper>,
}

impl Personal {
    /// With what was kept for the graph in that file, if one is named.
    ///
    /// # Errors
    /// As [`Keeper::open`].
    pub fn read(settings: Settings, kept_for: Option<&str>) -> Result<Self, Error> {
        Ok(Self { settings, keeper: kept_for.map(Keeper::open).transpose()? })
    }

    /// What the configuration says.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Makes of a new app the one that is first seen. `theme` and `at` are what flags ask for, and go before what was
    /// kept.
    pub fn open(&self, app: &mut App, theme: Option<Theme>, at: Option<Where>, rival: Option<Version>) {
        app.set_keymap(self.settings.keymap.clone());
        let restored = self.keeper.as_ref().is_some_and(|keeper| keeper.restore(app));
        app.prefs.theme = theme.unwrap_or(app.prefs.theme);
        if at.is_some() || rival.is_some() || !restored {
            screen::open(app, at, rival);
        }
        if self.settings.hint.unwrap_or(true) && hint::first_start() {
            app.show_hint();
        }
    }

    /// Keeps what is set now, where that was asked for.
    ///
    /// # Errors
    /// Where the file cannot be written.
    pub fn keep(&self, app: &App) -> Result<(), Error> {
        self.keeper.as_ref().map_or(Ok(()), |keeper| keeper.write(app))
    }
}
