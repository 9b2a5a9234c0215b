//! The list of lessons, over the panes.

use super::super::command::{Command, Dir, Effect};
use super::super::{App, Mode, update};
use super::Reached;

/// All lessons, and which of them is open.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shelf {
    /// In their order.
    pub entries: Vec<ShelfEntry>,
    /// The one that is open, counted from 0; `None` for one that is not on the list.
    pub current: Option<usize>,
}

/// A lesson in the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShelfEntry {
    /// What progress is kept under.
    pub id: String,
    /// What it is called.
    pub title: String,
    /// What one will know at its end.
    pub aim: String,
    /// How many stations it has.
    pub stations: usize,
    /// How far one has come.
    pub standing: Standing,
}

/// How far one has come in a lesson.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Standing {
    /// Not begun.
    #[default]
    New,
    /// At that station, counted from 0.
    At(usize),
    /// To its end.
    Done,
}

impl Standing {
    /// The standing of someone who has come so far.
    pub fn of(reached: Reached) -> Self {
        match reached {
            Reached { done: true, .. } => Self::Done,
            Reached { station, .. } => Self::At(station),
        }
    }
}

impl ShelfEntry {
    /// How far one has come, in words.
    pub fn progress(&self) -> String {
        match self.standing {
            Standing::New => format!("{} stations", self.stations),
            Standing::At(station) => format!("at {} of {}", station + 1, self.stations),
            Standing::Done => "done".into(),
        }
    }
}

impl Shelf {
    /// The lesson behind the open one.
    pub fn next(&self) -> Option<usize> {
        self.current.map(|current| current + 1).filter(|&next| next < self.entries.len())
    }

    /// The first lesson whose end was never reached; the first of all where there is none.
    pub fn first_open(&self) -> usize {
        self.entries.iter().position(|entry| entry.standing != Standing::Done).unwrap_or(0)
    }
}

/// Lines that a lesson takes in the list: its title, and its aim where there is room.
pub fn row_lines(height: u16) -> usize {
    if height >= 20 { 2 } else { 1 }
}

/// Lessons that the list shows at once on a screen of that height.
pub fn page(height: u16) -> usize {
    (usize::from(height.saturating_sub(6)) / row_lines(height)).max(1)
}

/// What keys do while the list has them.
pub(in crate::app) fn choose(app: &mut App, command: &Command, row: usize) -> Effect {
    let (count, page) = (app.player().map_or(0, |player| player.shelf.entries.len()), page(app.size.1));
    let last = count.saturating_sub(1);
    let row = match *command {
        Command::Enter if count > 0 => return Effect::Lesson(row),
        Command::Escape | Command::Lessons | Command::Enter => return Effect::Redraw,
        Command::Row(Dir::Forward) => row + 1,
        Command::Row(Dir::Back) => row.saturating_sub(1),
        Command::Screen(Dir::Forward) => row + page,
        Command::Screen(Dir::Back) => row.saturating_sub(page),
        Command::Scroll { delta, .. } => row.saturating_add_signed(delta as isize),
        Command::First => 0,
        Command::Goto => last,
        ref other => {
            app.mode = Mode::Lessons(row);
            return update::anywhere(app, other).unwrap_or(Effect::None);
        }
    };
    app.mode = Mode::Lessons(row.min(last));
    Effect::Redraw
}
