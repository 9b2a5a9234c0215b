//! Frames of the visualizer as text, ANSI and SVG, as `frame` and the screenshots need them.

mod support;

use spillscope::app::{App, ColorDepth, Prefs, Theme, Where};
use spillscope::ui::export::{SvgStyle, render, to_ansi, to_svg, to_text};

fn app(prefs: Prefs) -> App {
    let mut app = App::new(support::sample("first-spill"), prefs);
    app.open_at(Where::FirstSpill);
    app
}

#[test]
fn a_frame_has_the_size_that_was_asked_for() {
    let app = app(Prefs::default());
    for (width, height) in [(0, 0), (1, 1), (0, 9), (39, 9), (80, 24), (200, 60)] {
        let buffer = render(&app, width, height);
        assert_eq!((buffer.area.width, buffer.area.height), (width, height));
        assert_eq!(to_text(&buffer).lines().count(), usize::from(height));
        assert!(to_svg(&buffer, "frame", &SvgStyle::default()).ends_with("</svg>\n"));
    }
}

#[test]
fn preferences_hold_for_frames_too() {
    let ascii = to_text(&render(&app(Prefs { ascii: true, ..Prefs::default() }), 120, 36));
    assert!(ascii.is_ascii() && ascii.contains("SPILL_OUT"), "{ascii}");
    for theme in [Theme::Terminal, Theme::Dark, Theme::Light] {
        let none = to_ansi(&render(&app(Prefs { theme, color: ColorDepth::None, ..Prefs::default() }), 120, 36));
        // The parameters of colours have two digits or more, those of marks one.
        let colour = |escape: &str| escape.split('m').next().is_some_and(|p| p.split(';').any(|p| p.len() > 1));
        assert!(!none.split("\x1b[").skip(1).any(colour), "{none}");
        let true_color = to_ansi(&render(&app(Prefs { theme, ..Prefs::default() }), 120, 36));
        assert_ne!(none, true_color);
        let sixteen = to_ansi(&render(&app(Prefs { theme, color: ColorDepth::Ansi16, ..Prefs::default() }), 120, 36));
        assert!(!sixteen.contains("8;2;") && !sixteen.contains("8;5;"));
    }
}

#[test]
fn the_same_frame_gives_the_same_picture() {
    let picture = || to_svg(&render(&app(Prefs::default()), 130, 40), "first-spill", &SvgStyle::default());
    assert_eq!(picture(), picture());
}
