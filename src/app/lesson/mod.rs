//! Playing a lesson: a caption over the panes, which stops at one station after the other. Everything else still
//! works meanwhile, and going on returns to the station.

mod caption;
mod shelf;

use std::sync::Arc;

use crossterm::event::KeyCode;

use super::command::{Command, Dir, Effect};
use super::keymap::{Key, LESSON_BINDINGS};
use super::{App, Mode, Pane, Prefs, Subject};
use crate::lesson::{Lesson, Question, Station};
use crate::output::command_line::path_word;
use crate::session::Session;
pub use caption::{CaptionLine, CaptionTone};
pub use shelf::{Shelf, ShelfEntry, ShelfPlace, Standing};

/// A lesson that is being played.
#[derive(Clone, Debug)]
pub struct Player {
    lesson: Arc<Lesson>,
    shelf: Arc<Shelf>,
    /// The station; one more than there are stands for the end.
    at: usize,
    /// Whether the end was reached, now or in an earlier run.
    done: bool,
    /// Whether the caption is shown; else one looks around freely.
    open: bool,
    /// By station: the choices that were tried, the latest last.
    tried: Vec<Vec<usize>>,
    /// Which page of the caption is shown, where it has several.
    page: usize,
    caption: caption::Fitted,
}

/// What messages call standard input.
const STDIN: &str = "<stdin>";

/// How far someone has come in a lesson.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reached {
    /// The station, counted from 0.
    pub station: usize,
    /// Whether the end was reached.
    pub done: bool,
}

impl Player {
    /// The lesson.
    pub fn lesson(&self) -> &Lesson {
        &self.lesson
    }

    /// The command that opens it; `None` where it came through standard input.
    pub fn command_line(&self) -> Option<String> {
        let name = match self.shelf.current {
            Some(_) => &self.lesson.id,
            None => Some(&self.lesson.file).filter(|file| *file != STDIN)?,
        };
        Some(format!("spillscope learn {}", path_word(name)))
    }

    /// All lessons.
    pub fn shelf(&self) -> &Shelf {
        &self.shelf
    }

    /// The lessons of the list, the one at hand with how far one has come by now.
    pub fn entries(&self) -> impl ExactSizeIterator<Item = ShelfEntry> + '_ {
        self.shelf.entries.iter().enumerate().map(|(at, entry)| {
            let standing = if self.shelf.current == Some(at) { Standing::of(self.reached()) } else { entry.standing };
            ShelfEntry { standing, ..entry.clone() }
        })
    }

    /// Whether the caption is shown.
    pub fn is_open(&self) -> bool {
        self.open
    }

    /// The station, counted from 0; `None` at the end.
    pub fn station(&self) -> Option<&Station> {
        self.lesson.stations.get(self.at)
    }

    /// The number of the station, counted from 0; as many as there are at the end.
    pub fn at(&self) -> usize {
        self.at
    }

    /// What is asked here.
    pub fn question(&self) -> Option<&Question> {
        self.station().and_then(|station| station.question.as_ref())
    }

    /// The choice that was made here last, counted from 0.
    pub fn picked(&self) -> Option<usize> {
        self.tried.get(self.at).and_then(|tried| tried.last().copied())
    }

    /// Whether something is asked here and nothing was answered yet.
    pub fn is_asking(&self) -> bool {
        self.question().is_some() && self.picked().is_none()
    }

    /// How far one has come.
    pub fn reached(&self) -> Reached {
        Reached { station: self.at.min(self.lesson.stations.len().saturating_sub(1)), done: self.done }
    }

    /// The lines of the caption that are shown.
    pub fn lines(&self) -> &[CaptionLine] {
        &self.caption.shown
    }

    /// The page of the caption that is shown, counted from 0, and how many there are.
    pub fn pages(&self) -> (usize, usize) {
        (self.page, self.caption.pages)
    }

    /// Whether the station points at `pane`.
    pub fn points_at(&self, pane: Pane) -> bool {
        self.open
            && self.station().is_some_and(|station| station.look.iter().any(|&name| pane_named(name) == Some(pane)))
    }
}

/// The pane that a lesson calls `name`.
pub fn pane_named(name: &str) -> Option<Pane> {
    Some(match name {
        "step" => Pane::Step,
        "levels" => Pane::Levels,
        "map" => Pane::Map,
        "ready" => Pane::Ready,
        "units" => Pane::Units,
        "buffers" => Pane::Buffers,
        "events" => Pane::Events,
        "timeline" => Pane::Timeline,
        "failure" => Pane::Failure,
        _ => return None,
    })
}

/// What a key means while the caption has it: Enter goes on, digits answer.
pub(super) fn command_for(app: &App, key: Key) -> Option<Command> {
    let has_keys = matches!(app.mode, Mode::Browse) && app.compared().is_none();
    let player = app.player().filter(|player| player.open && has_keys)?;
    if let (Key::Plain(KeyCode::Char(digit @ '1'..='9')), Some(_), None) = (key, player.question(), app.count) {
        return Some(Command::Answer(digit as u8 - b'1'));
    }
    LESSON_BINDINGS.iter().find(|binding| binding.keys.contains(&key)).map(|binding| binding.command.clone())
}

/// Carries out what only lessons have.
pub(super) fn update(app: &mut App, command: &Command) -> Option<Effect> {
    match *command {
        Command::Lesson(dir) => return Some(app.lesson_by(dir)),
        Command::Answer(choice) => app.answer(usize::from(choice)),
        Command::Lessons => app.lessons(),
        _ => return None,
    }
    Some(Effect::Redraw)
}

pub(super) use shelf::choose;

impl App {
    /// Opens a lesson at a station, counted from 0; `done` where its end was reached before. With `choosing`, the list of
    /// lessons stands over it.
    pub fn learn(lesson: Arc<Lesson>, shelf: Arc<Shelf>, prefs: Prefs, from: Reached, choosing: bool) -> Self {
        let at = from.station.min(lesson.stations.len().saturating_sub(1));
        let session = Arc::clone(&lesson.plans[0].session); // a lesson has at least one plan
        let tried = vec![Vec::new(); lesson.stations.len()];
        let row = shelf.current.unwrap_or(0);
        let player = Player {
            lesson,
            shelf,
            at,
            done: from.done,
            open: true,
            tried,
            page: 0,
            caption: caption::Fitted::default(),
        };
        let mut app = Self::new(session, prefs);
        app.player = Some(player);
        app.stand_at_station();
        app.notice = None;
        if choosing {
            app.mode = Mode::Lessons(row);
        }
        app.refresh();
        app
    }

    /// Takes up where `before` stood, of which plans may still be on their way.
    pub fn comes_after(&mut self, before: &Self) {
        self.plans.number_behind(&before.plans);
        self.keymap = Arc::clone(&before.keymap);
        super::update(self, Command::Resize(before.size.0, before.size.1));
    }

    /// The lesson that is being played.
    pub fn player(&self) -> Option<&Player> {
        self.player.as_ref()
    }

    /// Whether what is still to come must not be seen yet: a question about it is open.
    pub fn is_veiled(&self) -> bool {
        let here = |player: &&Player| {
            let station = player.station().is_some_and(|station| station.step == self.step);
            player.open && player.is_asking() && station
        };
        self.player.as_ref().as_ref().is_some_and(here)
    }

    /// Rows that the caption takes, its heading among them; 0 where none is shown.
    pub(super) fn caption_rows(&self) -> u16 {
        self.player.as_ref().map_or(0, |player| if player.open { player.caption.rows } else { 0 })
    }

    /// Brings the caption in line with size and station.
    pub(super) fn refresh_caption(&mut self) {
        if let Some(mut player) = self.player.take() {
            if player.open {
                caption::fit(&mut player, self.size);
            }
            self.player = Some(player);
        }
    }

    /// The next page of the caption, or the next station; at the end the next lesson. And back.
    fn lesson_by(&mut self, dir: Dir) -> Effect {
        let Some(player) = &mut self.player else { return Effect::Redraw };
        let last = player.lesson.stations.len();
        match dir {
            Dir::Forward if player.page + 1 < player.caption.pages => {
                player.page += 1;
                return Effect::Redraw;
            }
            Dir::Forward if player.at < last => player.at += 1,
            Dir::Forward => {
                if let Some(next) = player.shelf.next() {
                    return Effect::Lesson(next);
                }
                self.mode = Mode::Lessons(self.shelf_row());
                return Effect::Redraw;
            }
            Dir::Back if player.at == 0 => {
                self.say("this is where the lesson begins");
                return Effect::Redraw;
            }
            Dir::Back => player.at -= 1,
        }
        player.done |= player.at == last;
        self.stand_at_station();
        Effect::Redraw
    }

    /// Takes the choice of that number, counted from 0, and shows what comes of it.
    fn answer(&mut self, choice: usize) {
        let Some(player) = &mut self.player else { return };
        let Some(question) = player.lesson.stations.get(player.at).and_then(|station| station.question.as_ref()) else {
            return;
        };
        let Some(chosen) = question.choices.get(choice) else {
            let count = question.choices.len();
            return self.say(format!("the answers have the keys 1 to {count}"));
        };
        let cost = chosen.cost.clone();
        if let Some(tried) = player.tried.get_mut(player.at) {
            tried.retain(|&before| before != choice);
            tried.push(choice);
        }
        player.page = 0;
        match cost {
            Some(cost) => {
                self.show_plan(&cost.session);
                self.go(cost.step);
            }
            None => self.stand_at_station(),
        }
    }

    /// A click on the caption: on a choice it answers. Whether the caption was meant.
    pub(super) fn click_caption(&mut self, x: u16, y: u16) -> bool {
        let area = self.layout.caption;
        if !area.contains(ratatui::layout::Position { x, y }) {
            return false;
        }
        let line = usize::from(y - area.y).checked_sub(1); // the first row is the heading
        let lines = self.player.as_ref().map_or(&[][..], Player::lines);
        if let Some(choice) = line.and_then(|line| lines.get(line)?.choice) {
            self.answer(choice);
        }
        true
    }

    /// The wheel over the caption turns its pages. Whether the caption was meant.
    pub(super) fn scroll_caption(&mut self, x: u16, y: u16, delta: i32) -> bool {
        let inside = self.layout.caption.contains(ratatui::layout::Position { x, y });
        if let Some(player) = self.player.as_mut().filter(|_| inside) {
            let last = player.caption.pages.saturating_sub(1);
            player.page = player.page.saturating_add_signed(delta.signum() as isize).min(last);
        }
        inside
    }

    /// `L`: back to the caption; from there to the list of lessons.
    fn lessons(&mut self) {
        match &mut self.player {
            None => self.say("no lesson is open: spillscope learn has them"),
            Some(player) if player.open => self.mode = Mode::Lessons(self.shelf_row()),
            Some(player) => {
                player.open = true;
                self.stand_at_station();
            }
        }
    }

    /// The row of the list where the lesson at hand stands.
    fn shelf_row(&self) -> usize {
        self.player.as_ref().and_then(|player| player.shelf.current).unwrap_or(0)
    }

    /// Leaves the caption to look around; whether there was one.
    pub(super) fn leave_caption(&mut self) -> bool {
        let Some(player) = self.player.as_mut().filter(|player| player.open) else { return false };
        player.open = false;
        self.say("look around: every key works as ever, and L comes back to the lesson");
        true
    }

    /// Stands where the station does, with what it points at in sight.
    fn stand_at_station(&mut self) {
        let Some(player) = &mut self.player else { return };
        player.page = 0;
        let lesson = Arc::clone(&player.lesson);
        let Some(station) = lesson.stations.get(player.at) else { return };
        self.show_plan(&lesson.plans[station.plan].session);
        self.play.set(false);
        self.go(station.step);
        self.level = station.level.unwrap_or(self.level);
        self.selected = station.select.map(Subject::Buffer);
        self.story = None;
        self.enlarged = false;
        if let Some(pane) = station.look.first().and_then(|name| pane_named(name)) {
            self.focus_on(pane);
        }
    }

    /// Shows another plan of the lesson, where it is another one. Plans that were made of the old one are its own.
    fn show_plan(&mut self, session: &Arc<Session>) {
        if Arc::ptr_eq(&self.session, session) {
            return;
        }
        self.begin_anew(session);
        self.past.clear();
        (self.selected, self.story) = (None, None);
        self.take_over(Arc::clone(session));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::lesson::PANES;

    #[test]
    fn every_pane_that_a_lesson_may_name_is_one() {
        assert!(PANES.iter().all(|name| pane_named(name).is_some()));
    }
}
