//! Colours and emphasis. Every state has a sign or an emphasis of its own, so that a frame without any colour
//! tells as much; colours only make it quicker to see.

use ratatui::style::{Color, Modifier, Style};

use super::palette::{self, Palette};
use crate::app::{Change, ColorDepth, Prefs};
use crate::model::{BufIx, Event};
pub use crate::output::labels::letter;
use crate::trace::Mark;

/// What happened, as all panes mark it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    /// A buffer was spilled out.
    Spill,
    /// A buffer came back.
    Reload,
    /// An ALLOC was put off.
    Postpone,
    /// Something waits for memory.
    Wait,
    /// The end without a plan.
    Failure,
}

impl Sign {
    /// Its letter.
    pub fn letter(self) -> char {
        match self {
            Self::Spill => 'S',
            Self::Reload => 'R',
            Self::Postpone => 'P',
            Self::Wait => 'W',
            Self::Failure => 'F',
        }
    }

    /// The sign of a kind of event.
    pub fn of_mark(mark: Mark) -> Self {
        match mark {
            Mark::Spill => Self::Spill,
            Mark::Reload => Self::Reload,
            Mark::Postpone => Self::Postpone,
            Mark::Full | Mark::Wait => Self::Wait,
            Mark::Failure => Self::Failure,
        }
    }

    /// The sign of an event, if it has one.
    pub fn of_event(event: &Event) -> Option<Self> {
        Mark::of(event).map(Self::of_mark)
    }

    /// The sign of what happened last in a step's run. That no hole was found is only where a decision began.
    pub fn of_run(events: &[Event]) -> Option<Self> {
        events.iter().rev().filter_map(Mark::of).find(|mark| *mark != Mark::Full).map(Self::of_mark)
    }

    /// The sign of what a step does to a buffer, if it has one.
    pub fn of_change(change: Change) -> Option<Self> {
        match change {
            Change::Out => Some(Self::Spill),
            Change::Back => Some(Self::Reload),
            Change::Postponed => Some(Self::Postpone),
            Change::Refused => Some(Self::Wait),
            Change::Placed | Change::Freed | Change::Pinned => None,
        }
    }
}

/// How things look, by what the person prefers and the terminal can.
#[derive(Clone, Copy)]
pub struct Look {
    palette: &'static Palette,
    colored: bool,
}

impl Look {
    /// The look for these preferences.
    pub fn new(prefs: &Prefs) -> Self {
        Self { palette: palette::of(prefs.theme), colored: prefs.color != ColorDepth::None }
    }

    fn ink(self, color: Color) -> Style {
        if self.colored { Style::new().fg(color) } else { Style::new() }
    }

    /// Ordinary text on the screen's ground.
    pub fn text(self) -> Style {
        if self.colored { Style::new().fg(self.palette.text).bg(self.palette.ground) } else { Style::new() }
    }

    /// Mere context.
    pub fn dim(self) -> Style {
        // Themes of our own have a colour for it, which is sure to be readable.
        if self.colored && self.palette.dim != Color::Reset {
            self.ink(self.palette.dim)
        } else {
            Style::new().add_modifier(Modifier::DIM)
        }
    }

    /// The one accent: the playhead, headings, the focused pane.
    pub fn accent(self) -> Style {
        self.ink(self.palette.accent)
    }

    /// What the eye should find first.
    pub fn strong(self) -> Style {
        Style::new().add_modifier(Modifier::BOLD)
    }

    /// The selected row.
    pub fn selected(self) -> Style {
        Style::new().add_modifier(Modifier::REVERSED)
    }

    /// What happened.
    pub fn sign(self, sign: Sign) -> Style {
        let color = match sign {
            Sign::Spill => self.palette.spill,
            Sign::Reload => self.palette.reload,
            Sign::Postpone => self.palette.postpone,
            Sign::Wait => self.palette.wait,
            Sign::Failure if self.colored => {
                let (ink, ground) = self.palette.failure;
                return self.strong().fg(ink).bg(ground);
            }
            Sign::Failure => return self.strong().add_modifier(Modifier::REVERSED),
        };
        self.ink(color).add_modifier(Modifier::BOLD)
    }

    /// A buffer, for life: its colour comes from its index alone.
    pub fn buffer(self, buf: BufIx) -> Style {
        // Buffers of neighbouring indices live together: they differ, and so do those one round apart.
        let buffers = &self.palette.buffers;
        let (ground, ink) = buffers[(buf.at() + buf.at() / buffers.len() * 2) % buffers.len()];
        if self.colored { Style::new().fg(ink).bg(ground) } else { Style::new() }
    }

    /// One of the grounds of buffers, for a class of them.
    pub fn class(self, at: usize) -> Style {
        let (ground, ink) = self.palette.buffers[at % self.palette.buffers.len()];
        if self.colored { Style::new().fg(ink).bg(ground) } else { Style::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::Theme;
    use crate::output::labels::ALPHABET;

    #[test]
    fn without_colour_no_style_has_one() {
        let look = Look::new(&Prefs { color: ColorDepth::None, theme: Theme::Dark, ..Prefs::default() });
        let signs = [Sign::Spill, Sign::Reload, Sign::Postpone, Sign::Wait, Sign::Failure].map(|sign| look.sign(sign));
        for style in
            [look.text(), look.dim(), look.accent(), look.selected(), look.buffer(BufIx(3))].into_iter().chain(signs)
        {
            assert_eq!((style.fg, style.bg), (None, None));
        }
    }

    #[test]
    fn neighbours_have_different_colours_and_no_letter_is_a_sign() {
        let look = Look::new(&Prefs::default());
        for at in 0..520 {
            assert!([1, 6].iter().all(|by| look.buffer(BufIx(at)) != look.buffer(BufIx(at + by))), "{at}");
        }
        for mark in Mark::ALL {
            assert!(ALPHABET.iter().all(|&letter| char::from(letter) != Sign::of_mark(mark).letter()));
        }
    }
}
