//! Short texts over the panes: what helps in a prompt, a menu or while a letter is waited for.

use super::command::{Command, Effect};
use super::{App, Ask, Mode};

/// A text over the panes, gone with any key.
#[derive(Clone, Debug)]
pub struct Note {
    /// What stands above it.
    pub title: &'static str,
    /// Its lines; wrapped where they are drawn.
    pub lines: Vec<String>,
    /// What was there before, and is there again afterwards.
    pub back: Box<Mode>,
}

const SEARCH: [&str; 4] = [
    "42: the node with that id",
    "b42: the buffer with that id, wherever it is worked on",
    "matmul: operations and names that contain it, case aside",
    "n goes to the next match, N to the one before",
];

const FILTER: [&str; 5] = [
    "spill reload postpone full wait fail: what the signs S R P W F stand for",
    "alloc free run ready start block decision: the other events",
    "L1: a level.  b42: a buffer.  else: text, as in a search",
    "Several words must all fit. An empty line shows everything.",
    "e and E then go from one shown event to the next",
];

const SAVE: [&str; 3] = [
    "A file name, with a folder before it or not; the folder must be there.",
    "The files of the plan go into a folder, which is made.",
    "What is there already is only replaced after you say so.",
];

const STOP: [&str; 6] = [
    "L1 > 90%, L1 >= 4000: so much of the level in use",
    "b42, \"acc\": the buffer placed, moved, freed or worked on",
    "node 1184: that node, by id or name",
    "spill, reload, postpone, wait, no room, failure: such an event; with a level behind it, there",
    "traffic > 10000: a figure so far; also spills, reloads, postponements, waits, cycle",
    "Playing halts at each step at which it becomes true.",
];

const VALUE: [&str; 2] =
    ["Enter plans again with it; Esc leaves it as it was.", "What cannot be is refused, and says what can be."];

const MENU: [&str; 2] = ["Its letter, or up, down and Enter, picks a row.", "Esc leaves."];

impl App {
    /// Shows what helps in a mode that has no help of its own.
    pub(super) fn explain(&mut self, mode: Mode) {
        let owned = |lines: &[&str]| lines.iter().map(|&line| line.to_owned()).collect();
        let (title, lines) = match &mode {
            Mode::Prompt { ask: Ask::Search, .. } => ("What can be searched for", owned(&SEARCH)),
            Mode::Prompt { ask: Ask::Filter, .. } => ("What the log can show", owned(&FILTER)),
            Mode::Prompt { ask: Ask::SaveAs(_), .. } => ("Where to write", owned(&SAVE)),
            Mode::Prompt { ask: Ask::Stop(_), .. } => ("What can be a stop", owned(&STOP)),
            Mode::Prompt { ask: Ask::Value(_), .. } => ("A value", owned(&VALUE)),
            Mode::Letter { .. } => ("Bookmarks", self.bookmark_lines()),
            _ => ("This menu", owned(&MENU)),
        };
        self.mode = Mode::Note(Note { title, lines, back: Box::new(mode) });
    }

    fn bookmark_lines(&self) -> Vec<String> {
        let line =
            |(letter, step): (&char, &usize)| format!("{}  step {step}", crate::model::clean(&letter.to_string()));
        let mut lines: Vec<String> = self.bookmarks.iter().map(line).collect();
        if lines.is_empty() {
            lines.push("No step is bookmarked yet. Any letter or other character can be one.".into());
        }
        lines
    }
}

/// Any key goes back to what was there before.
pub(super) fn note(app: &mut App, command: &Command, note: Note) -> Effect {
    if matches!(command, Command::Resize(..) | Command::Repaint | Command::Suspend | Command::Quit) {
        app.mode = Mode::Note(note);
        return super::update::anywhere(app, command).unwrap_or(Effect::None);
    }
    app.mode = *note.back;
    Effect::Redraw
}
