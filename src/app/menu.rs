//! The two menus: what to copy, and what to write into a file.

use ratatui::layout::Rect;

use super::{App, rows};
use crate::model::BufIx;
use crate::output::labels::buffer_label;

/// A menu that is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Menu {
    /// Which.
    pub kind: MenuKind,
    /// The selected row, from 0.
    pub row: usize,
}

/// The menus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MenuKind {
    /// To the clipboard.
    Copy,
    /// Into a file.
    Export,
}

/// What a row of a menu is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pick {
    /// The command line that gives the plan.
    CommandLine,
    /// This step in words.
    Why,
    /// The frame's characters.
    Text,
    /// The frame with escapes.
    Ansi,
    /// The frame as a picture of lines and letters.
    Svg,
    /// The frame as a picture of pixels.
    Png,
    /// The story of the buffer at hand.
    Story,
    /// The files of the plan.
    Plan,
}

/// A row of a menu.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// What it is for.
    pub pick: Pick,
    /// The letter that picks it.
    pub key: char,
    /// What it says.
    pub text: String,
    /// Why it cannot be had now.
    pub lacks: Option<&'static str>,
}

impl MenuKind {
    /// What stands above it.
    pub fn title(self) -> &'static str {
        match self {
            Self::Copy => "Copy to the clipboard",
            Self::Export => "Write into a file",
        }
    }
}

/// Columns of the menus.
const WIDTH: u16 = 50;

impl App {
    /// The rows of a menu.
    pub fn items(&self, kind: MenuKind) -> Vec<Item> {
        let item = |pick, key, text: &str| Item { pick, key, text: text.into(), lacks: self.lacks(pick) };
        let story = match self.buffer_at_hand() {
            Some(buf) => format!("the story of {}", buffer_label(&self.trace().problem.graph, buf)),
            None => "the story of a buffer".into(),
        };
        let why = if self.at_failure() { "the diagnosis, in words" } else { "this step and why, in words" };
        let in_lesson = self.player().is_some() && self.plans().at() == 0;
        let command = if in_lesson { "opens this lesson" } else { "gives this plan" };
        match kind {
            MenuKind::Copy => vec![
                item(Pick::CommandLine, 'y', &format!("the command line that {command}")),
                item(Pick::Why, 'w', why),
                item(Pick::Text, 'f', "the frame, as text"),
                item(Pick::Story, 'b', &story),
            ],
            MenuKind::Export => vec![
                item(Pick::Text, 't', "the frame: text"),
                item(Pick::Ansi, 'a', "the frame: text with colours (ANSI)"),
                item(Pick::Svg, 's', "the frame: SVG picture"),
                item(Pick::Png, 'p', "the frame: PNG picture"),
                item(Pick::Story, 'b', &story),
                item(Pick::Plan, 'l', "the plan: its files, in a folder"),
            ],
        }
    }

    fn lacks(&self, pick: Pick) -> Option<&'static str> {
        match pick {
            Pick::CommandLine if self.command_line().is_none() => Some("no command line gives it"),
            Pick::Story if self.buffer_at_hand().is_none() => Some("no buffer is selected"),
            Pick::Png if !cfg!(feature = "png") => Some("not in this build: cargo build --features png"),
            Pick::Plan if self.session().diagnosis.is_some() => Some("there is no plan"),
            _ => None,
        }
    }

    /// Where an open menu stands: the same for drawing and for the mouse.
    pub fn menu_place(&self, kind: MenuKind) -> Rect {
        let (width, height) = self.size;
        let wide = WIDTH.min(width);
        let high = (self.items(kind).len() as u16 + 3).min(height);
        Rect { x: (width - wide) / 2, y: (height - high) / 2, width: wide, height: high }
    }

    /// The buffer whose story is open, that is selected, or that the step is about.
    pub(super) fn buffer_at_hand(&self) -> Option<BufIx> {
        let told = self.story.as_ref().map(|story| story.buf);
        told.or(self.selected_buffer()).or_else(|| rows::buffer_of_step(self.trace(), self.step))
    }

    /// Whether one stands where the plan ends without success.
    pub(super) fn at_failure(&self) -> bool {
        let ends = self.trace().failing_step() == Some(self.step) || self.trace().step_count() == 0;
        self.session.diagnosis.is_some() && ends
    }
}
