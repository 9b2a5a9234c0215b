//! What runs in the terminal: a lesson, the next one when asked for, and progress kept on the way.

use std::sync::Arc;
use std::time::Duration;

use crossterm::event::{KeyEvent, MouseEvent};
use ratatui::Frame;

use super::load::Which;
use super::progress::{Kept, Progress};
use super::{resumed, shelf};
use crate::app::lesson::Shelf;
use crate::app::{App, Effect, Reply};
use crate::error::Error;
use crate::tui::Program;

/// The app with a lesson.
pub struct Classroom {
    app: App,
    progress: Progress,
    /// How far one has come since the program began, kept or not.
    reached: Kept,
    /// Whether it was told that progress cannot be kept.
    told: bool,
}

impl Classroom {
    /// With a lesson on the screen.
    pub fn new(app: App, progress: Progress) -> Self {
        let told = app.notice().is_some();
        Self { app, progress, reached: Kept::new(), told }
    }

    /// After every command: opens the lesson that was asked for, and keeps how far one has come.
    fn after(&mut self, effect: Effect) -> Effect {
        let effect = match effect {
            Effect::Lesson(number) => {
                if let Err(error) = self.open(number) {
                    self.app.notify(error.to_string());
                }
                Effect::Redraw
            }
            other => other,
        };
        self.keep();
        effect
    }

    fn open(&mut self, number: usize) -> Result<(), Error> {
        let (mut kept, _) = self.progress.read();
        kept.extend(self.reached.iter().map(|(id, reached)| (id.clone(), *reached)));
        let lesson = Which::BuiltIn(number).load()?;
        let shelf = Shelf { entries: shelf(&kept)?, current: Some(number) };
        let from = resumed(kept.get(&lesson.id).copied());
        let mut app = App::learn(Arc::new(lesson), Arc::new(shelf), self.app.prefs, from, false);
        app.comes_after(&self.app);
        self.app = app;
        Ok(())
    }

    fn keep(&mut self) {
        let Some(player) = self.app.player() else { return };
        let (id, now) = (player.lesson().id.clone(), player.reached());
        if self.reached.get(&id) == Some(&now) {
            return;
        }
        let result = self.progress.keep(&id, now);
        self.reached.insert(id, now);
        if let Err(why) = result
            && !self.told
        {
            self.told = true;
            self.app.notify(format!("your progress is not kept: {why}"));
        }
    }
}

impl Program for Classroom {
    fn key(&mut self, key: KeyEvent) -> Effect {
        let effect = self.app.key(key);
        self.after(effect)
    }

    fn mouse(&mut self, mouse: MouseEvent) -> Effect {
        let effect = self.app.mouse(mouse);
        self.after(effect)
    }

    fn paste(&mut self, text: &str) -> Effect {
        self.app.paste(text)
    }

    fn resize(&mut self, width: u16, height: u16) {
        Program::resize(&mut self.app, width, height);
    }

    fn tick(&mut self, passed: Duration) -> Effect {
        self.app.tick(passed)
    }

    fn next_tick(&self) -> Option<Duration> {
        App::next_tick(&self.app)
    }

    fn arrived(&mut self, reply: Reply) -> Effect {
        self.app.arrived(reply)
    }

    fn draw(&self, frame: &mut Frame) {
        self.app.draw(frame);
    }
}
