//! Every character of every frame can be read: its contrast on its own ground, by WCAG 2.1.

use ratatui::buffer::Cell;
use ratatui::style::{Color, Modifier};
use spillscope::app::{Prefs, Theme};

use crate::support::{SAMPLES, frame, open, typed};

fn luminance(color: Color) -> f64 {
    let Color::Rgb(r, g, b) = color else { panic!("{color:?} has no luminance of its own") };
    let linear = |part: u8| {
        let part = f64::from(part) / 255.0;
        if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
    };
    0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b)
}

/// WCAG 2.1, contrast ratio. Reversed, ink and ground change places, and it stays the same.
fn contrast(cell: &Cell) -> f64 {
    let (a, b) = (luminance(cell.fg), luminance(cell.bg));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

/// Keys that show marks, the selected row of each pane, a story, the help, the menus, prompts.
const TOUR: [&str; 18] = [
    "",
    "s",
    "p",
    "\t",
    "\t\tj",
    "\tj",
    "\tj",
    "\tj\n",
    "\u{1b}\tj",
    "\tma",
    "w",
    "w?",
    "\u{1b}/b",
    "\u{1b}&L1",
    "\u{1b}y",
    "\u{1b}xj",
    "\u{1b}m?",
    "\u{1b}\u{1b}c",
];

#[test]
fn every_character_of_every_frame_can_be_read() {
    for (theme, least) in [(Theme::Dark, 4.5), (Theme::Light, 4.5), (Theme::HighContrast, 7.0)] {
        for sample in SAMPLES {
            for (width, height) in [(200, 60), (80, 24), (60, 20)] {
                let mut app = open(sample, width, height);
                app.prefs = Prefs { theme, ..Prefs::default() };
                for keys in TOUR {
                    typed(&mut app, keys);
                    let buffer = frame(&app, width, height);
                    for (at, cell) in buffer.content.iter().enumerate().filter(|(_, cell)| cell.symbol() != " ") {
                        let place = (at % usize::from(width), at / usize::from(width));
                        let found = contrast(cell);
                        assert!(found >= least, "{sample} {keys:?} {place:?} {found:.1}: {cell:?}");
                        assert!(!cell.modifier.contains(Modifier::DIM), "{sample} {keys:?} {place:?}: {cell:?}");
                    }
                }
            }
        }
    }
}
