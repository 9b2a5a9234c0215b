//! The list of lessons, over the panes.

use ratatui::layout::{Position, Rect};

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

/// How the list stands on the screen: the same for drawing and for the mouse.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShelfPlace {
    /// The box, with its frame.
    pub outer: Rect,
    /// What is inside of the frame.
    pub inner: Rect,
    /// The first lesson that is shown.
    pub top: usize,
    /// How many are.
    pub shown: usize,
    /// Lines that each takes.
    pub lines: usize,
}

impl ShelfPlace {
    /// The place of a list of `count` lessons with row `row` selected, in `area`.
    pub fn new(area: Rect, count: usize, row: usize) -> Self {
        let (page, lines) = (page(area.height), row_lines(area.height));
        let top = (row + 1).saturating_sub(page).min(count.saturating_sub(page));
        let shown = page.min(count);
        let width = area.width.min(WIDEST);
        let height = u16::try_from(shown * lines + 2).unwrap_or(u16::MAX).min(area.height);
        let (x, y) = (area.x + (area.width - width) / 2, area.y + (area.height - height) / 2);
        let (inside, rows) = (width.saturating_sub(2), height.saturating_sub(2));
        let inner = Rect { x: x + 1, y: y + 1, width: inside, height: rows };
        Self { outer: Rect { x, y, width, height }, inner, top, shown, lines }
    }

    /// The lesson that stands there.
    fn row_at(&self, x: u16, y: u16) -> Option<usize> {
        let inside = self.inner.contains(Position { x, y });
        let row = usize::from(y.checked_sub(self.inner.y).filter(|_| inside)?) / self.lines;
        (row < self.shown).then_some(self.top + row)
    }
}

/// Columns that the list takes at most.
const WIDEST: u16 = 90;

/// A click selects a lesson; on the selected one it opens it.
fn click(app: &mut App, count: usize, selected: usize, x: u16, y: u16) -> Effect {
    let area = Rect { x: 0, y: 0, width: app.size.0, height: app.size.1 };
    let row = ShelfPlace::new(area, count, selected).row_at(x, y);
    app.mode = Mode::Lessons(row.unwrap_or(selected));
    if row == Some(selected) { Effect::Lesson(selected) } else { Effect::Redraw }
}

/// What keys do while the list has them.
pub(in crate::app) fn choose(app: &mut App, command: &Command, row: usize) -> Effect {
    let (count, page) = (app.player().map_or(0, |player| player.shelf.entries.len()), page(app.size.1));
    let last = count.saturating_sub(1);
    let row = match *command {
        Command::Enter if count > 0 => return Effect::Lesson(row),
        Command::Click { x, y } => return click(app, count, row, x, y),
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
