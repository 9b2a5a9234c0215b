//! What drawing and tests may read of the [`App`].

use std::collections::BTreeMap;

use super::lesson::Player;
use super::map::MapView;
use super::window::Window;
use super::words::Words;
use super::{App, Change, Class, Command, Filter, Keymap, Layout, Mode, Pane, Plans, Playback, Rows, Story, Subject};
use crate::model::{BufIx, LevelIx};
use crate::session::Session;
use crate::trace::{State, Trace};

impl App {
    /// What is shown.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// The keys as they are bound.
    pub fn keymap(&self) -> &Keymap {
        &self.keymap
    }

    /// What the key of a command is called, for texts on the screen.
    pub fn key_for(&self, command: &Command) -> String {
        self.keymap.name_of(command, self.prefs.ascii)
    }

    /// The same without what lies over the panes and what the footer has to say, for a picture of it.
    #[must_use]
    pub fn bare(&self) -> Self {
        Self { mode: Mode::Browse, count: None, ..self.without_notice() }
    }

    /// The same as it is after the notice was read.
    #[must_use]
    pub fn without_notice(&self) -> Self {
        Self { notice: None, ..self.clone() }
    }

    /// Whether there is room for panes.
    pub fn shows_panes(&self) -> bool {
        self.layout.class != Class::Tiny
    }

    /// Columns and rows of the screen.
    pub fn size(&self) -> (u16, u16) {
        self.size
    }

    /// The record.
    pub fn trace(&self) -> &Trace {
        &self.session.trace
    }

    /// The state where one stands.
    pub fn state(&self) -> &State {
        self.cursor.state()
    }

    /// How many events have been applied.
    pub fn position(&self) -> usize {
        self.cursor.position()
    }

    /// The step where one stands.
    pub fn step(&self) -> usize {
        self.step
    }

    /// What stands over the panes.
    pub fn mode(&self) -> &Mode {
        &self.mode
    }

    /// The pane that has the keys.
    pub fn focus(&self) -> Pane {
        self.focus
    }

    /// Whether the focused pane has the whole screen.
    pub fn enlarged(&self) -> bool {
        self.enlarged
    }

    /// The level that map, buffers and timeline show.
    pub fn level(&self) -> LevelIx {
        self.level
    }

    /// What is picked out.
    pub fn selected(&self) -> Option<Subject> {
        self.selected
    }

    /// The buffer that is picked out.
    pub fn selected_buffer(&self) -> Option<BufIx> {
        match self.selected {
            Some(Subject::Buffer(buf)) => Some(buf),
            _ => None,
        }
    }

    /// The story that is open.
    pub fn story(&self) -> Option<&Story> {
        self.story.as_ref()
    }

    /// Selected rows.
    pub fn rows(&self) -> &Rows {
        &self.rows
    }

    /// How it plays.
    pub fn playback(&self) -> &Playback {
        &self.play
    }

    /// Bookmarked steps by letter.
    pub fn bookmarks(&self) -> &BTreeMap<char, usize> {
        &self.bookmarks
    }

    /// The steps that the timeline shows.
    pub fn window(&self) -> Window {
        self.window
    }

    /// What the log shows.
    pub fn filter(&self) -> &Filter {
        &self.filter
    }

    /// The number typed so far before a command.
    pub fn count(&self) -> Option<usize> {
        self.count
    }

    /// What the footer has to say.
    pub fn notice(&self) -> Option<&str> {
        self.notice.as_deref()
    }

    /// Where everything stands.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The memory map's visible rows.
    pub fn map(&self) -> &MapView {
        &self.map
    }

    /// What the person has chosen for the map.
    pub fn map_settings(&self) -> &super::map::Settings {
        &self.map_settings
    }

    /// The letters of the kinds of operation.
    pub fn kinds(&self) -> &super::map::Kinds {
        &self.kinds
    }

    /// The plans so far.
    pub fn plans(&self) -> &Plans {
        &self.plans
    }

    /// The command that gives the plan on the screen, or that opens the lesson it belongs to; `None` for a record of
    /// elsewhere, and for what was changed in a lesson.
    pub fn command_line(&self) -> Option<String> {
        let of_lesson = self.player.as_ref().filter(|_| self.plans.at() == 0).and_then(Player::command_line);
        let plan = || self.plans.current().origin.as_ref().map(|origin| origin.plan_command(&self.session));
        of_lesson.or_else(plan)
    }

    /// What this step does to buffers.
    pub fn changes(&self) -> &[(BufIx, Change)] {
        &self.changes
    }

    /// What this step does to `buf`.
    pub fn change_of(&self, buf: BufIx) -> Option<Change> {
        self.changes.iter().find(|(changed, _)| *changed == buf).map(|(_, change)| *change)
    }

    /// The texts of This step, wrapped to its pane.
    pub fn words(&self) -> &Words {
        &self.words
    }
}
