//! Colours and emphasis. Every state has a sign or an emphasis of its own, so that a frame without any colour
//! tells as much; colours only make it quicker to see.

use ratatui::style::{Color, Modifier, Style};

use crate::app::{Change, ColorDepth, Prefs, Theme};
use crate::model::{BufIx, Event};
use crate::trace::{LETTERS, Mark, Trace};

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

/// Colours of one theme as (foreground, background) of the screen and foregrounds for the rest.
struct Palette {
    text: Color,
    ground: Color,
    dim: Color,
    accent: Color,
    spill: Color,
    reload: Color,
    postpone: Color,
    wait: Color,
    failure: (Color, Color),
}

const fn rgb(hex: u32) -> Color {
    Color::Rgb((hex >> 16) as u8, (hex >> 8 & 0xff) as u8, (hex & 0xff) as u8)
}

/// Okabe and Ito's colours on near-black.
const DARK: Palette = Palette {
    text: rgb(0x00dd_dddd),
    ground: rgb(0x0011_1111),
    dim: rgb(0x0088_8f98),
    accent: rgb(0x0056_b4e9),
    spill: rgb(0x00e8_7022),
    reload: rgb(0x0000_b483),
    postpone: rgb(0x00f0_e442),
    wait: rgb(0x00cc_79a7),
    failure: (rgb(0x00ff_ffff), rgb(0x00b0_0020)),
};

/// The same hues, dark enough for white.
const LIGHT: Palette = Palette {
    text: rgb(0x0022_2222),
    ground: rgb(0x00ff_ffff),
    dim: rgb(0x0066_6b72),
    accent: rgb(0x0000_5a9c),
    spill: rgb(0x00a8_4700),
    reload: rgb(0x0000_6b4e),
    postpone: rgb(0x0071_6200),
    wait: rgb(0x008f_3f6f),
    failure: (rgb(0x00ff_ffff), rgb(0x00b0_0020)),
};

/// The terminal's own.
const TERMINAL: Palette = Palette {
    text: Color::Reset,
    ground: Color::Reset,
    dim: Color::Reset,
    accent: Color::Cyan,
    spill: Color::LightRed,
    reload: Color::Green,
    postpone: Color::Yellow,
    wait: Color::Magenta,
    failure: (Color::White, Color::Red),
};

/// Grounds of buffers, of Okabe and Ito's palette without the one that spills have, and the ink that reads on each.
const BUFFERS: [(Color, Color); 6] = [
    (rgb(0x00e6_9f00), Color::Rgb(0, 0, 0)),
    (rgb(0x0056_b4e9), Color::Rgb(0, 0, 0)),
    (rgb(0x0000_9e73), Color::Rgb(0, 0, 0)),
    (rgb(0x00f0_e442), Color::Rgb(0, 0, 0)),
    (rgb(0x0000_72b2), Color::Rgb(255, 255, 255)),
    (rgb(0x00cc_79a7), Color::Rgb(0, 0, 0)),
];

/// How things look, by what the person prefers and the terminal can.
#[derive(Clone, Copy)]
pub struct Look {
    palette: &'static Palette,
    colored: bool,
}

impl Look {
    /// The look for these preferences.
    pub fn new(prefs: &Prefs) -> Self {
        let palette = match prefs.theme {
            Theme::Terminal => &TERMINAL,
            Theme::Dark => &DARK,
            Theme::Light => &LIGHT,
        };
        Self { palette, colored: prefs.color != ColorDepth::None }
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
        let (ground, ink) = BUFFERS[(buf.at() + buf.at() / BUFFERS.len() * 2) % BUFFERS.len()];
        if self.colored { Style::new().fg(ink).bg(ground) } else { Style::new() }
    }

    /// One of the grounds of buffers, for a class of them.
    pub fn class(self, at: usize) -> Style {
        let (ground, ink) = BUFFERS[at % BUFFERS.len()];
        if self.colored { Style::new().fg(ink).bg(ground) } else { Style::new() }
    }
}

/// Letters of buffers: without the capitals that are signs, so that each means one thing.
const ALPHABET: &[u8; LETTERS] = b"abcdefghijklmnopqrstuvwxyzABCDEGHIJKLMNOQTUVXYZ";

/// A buffer's letter, for life; buffers that are alive together differ as long as the alphabet allows.
pub fn letter(trace: &Trace, buf: BufIx) -> char {
    char::from(ALPHABET[usize::from(trace.letter_of(buf)) % LETTERS])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn luminance(color: Color) -> f64 {
        let Color::Rgb(r, g, b) = color else { panic!("{color:?} has no luminance of its own") };
        let linear = |part: u8| {
            let part = f64::from(part) / 255.0;
            if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b)
    }

    /// WCAG 2.1, contrast ratio.
    fn contrast(a: Color, b: Color) -> f64 {
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    #[test]
    fn dark_and_light_are_readable() {
        for palette in [&DARK, &LIGHT] {
            let Palette { text, ground, dim, accent, spill, reload, postpone, wait, failure } = *palette;
            for ink in [text, dim, accent, spill, reload, postpone, wait] {
                assert!(contrast(ink, ground) >= 4.5, "{ink:?} on {ground:?}: {}", contrast(ink, ground));
            }
            assert!(contrast(failure.0, failure.1) >= 4.5);
        }
        for (ground, ink) in BUFFERS {
            assert!(contrast(ink, ground) >= 4.5, "{ink:?} on {ground:?}: {}", contrast(ink, ground));
        }
    }

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
