//! Menus, notes and the hint; what a frame without colour tells; that one always reads where one is and what is next.

use crossterm::event::KeyCode;
use spillscope::app::{App, Class, Dir, Effect, Keymap, Mode, Pane, Prefs};
use spillscope::app::{Command, keys::key_named};
use spillscope::app::{keymap::Key, update};
use spillscope::ui::export::{render, to_text};

use crate::support::{SAMPLES, mono, open, press, text, typed};

const SIZES: [(u16, u16); 3] = [(130, 40), (80, 24), (60, 20)];

fn snapshot(name: &str, sample: &str, keys: &str, (width, height): (u16, u16)) {
    let mut app = open(sample, width, height);
    typed(&mut app, keys);
    insta::assert_snapshot!(format!("{name}-{width}x{height}"), text(&app, width, height));
}

#[test]
fn menus_notes_and_the_hint_at_every_size() {
    for size in SIZES {
        snapshot("copy", "first-spill", "sy", size);
        snapshot("export", "first-spill", "sxjjjj", size);
        snapshot("search-note", "first-spill", "s/?", size);
        let mut app = open("first-spill", size.0, size.1);
        app.show_hint();
        insta::assert_snapshot!(format!("hint-{}x{}", size.0, size.1), text(&app, size.0, size.1));
    }
    snapshot("export-name", "first-spill", "sxs", (80, 24));
    snapshot("export-name", "first-spill", "sxs", (40, 12));
    snapshot("bookmarks-note", "first-spill", "mall'?", (80, 24));
}

/// What a person sees of a sample after these keys without colours and in ASCII.
fn bare(sample: &str, keys: &str) -> String {
    let mut app = open(sample, 130, 40);
    app.prefs = Prefs { ascii: true, ..mono() };
    typed(&mut app, keys);
    to_text(&render(&app, 130, 40))
}

/// The line of a frame that has all of these.
fn line_with(frame: &str, parts: &[&str]) -> bool {
    frame.lines().any(|line| parts.iter().all(|part| line.contains(part)))
}

/// A sample, and the keys that lead to a place in it.
type Place = (&'static str, String);

#[test]
fn a_frame_without_colour_in_ascii_tells_every_state() {
    let (ready, buffers) = ("\t\t\tz", "\t\t\t\t\tz");
    // A state, where it is there, what tells it, and where the same thing is not in that state.
    let cases: [(&str, Place, &[&str], Place); 8] = [
        (
            "resident",
            ("first-spill", format!("10G{buffers}")),
            &["b0 ", "L1 @0 "],
            ("first-spill", format!("s{buffers}")),
        ),
        (
            "spilled",
            ("first-spill", format!("s{buffers}")),
            &["aSb0 ", "L1 out"],
            ("first-spill", format!("10G{buffers}")),
        ),
        ("backed", ("first-spill", format!("10G{buffers}")), &["b3 ", " backed"], ("thrash", format!("3G{buffers}"))),
        ("pinned", ("first-spill", format!("10G{buffers}")), &["e*b4 "], ("first-spill", format!("9G{buffers}"))),
        ("placed", ("first-spill", format!("9G{buffers}")), &["e+b4 "], ("first-spill", format!("10G{buffers}"))),
        (
            "waiting",
            ("first-spill", format!("sh{ready}")),
            &["|!12 LAYER", " W b5"],
            ("first-spill", format!("s{ready}")),
        ),
        (
            "critical",
            ("first-spill", format!("s{ready}")),
            &["|!12 LAYER", " crit "],
            ("flash-attention", format!("s{ready}")),
        ),
        ("failed", ("no-plan", String::new()), &["step 34/34  FAILED "], ("no-plan", "h".into())),
    ];
    for (state, (sample, keys), parts, (other, before)) in cases {
        let (with, without) = (bare(sample, &keys), bare(other, &before));
        assert!(with.is_ascii(), "{state}");
        assert!(line_with(&with, parts), "{state}: {parts:?} in\n{with}");
        assert!(!line_with(&without, parts), "{state}: {parts:?} also where it is not, in\n{without}");
    }
    // What the map and the timeline say by their signs, and that the sign of a state is that of no other.
    let spill = bare("first-spill", "s");
    assert!(line_with(&spill, &["11>S "]), "{spill}");
    assert!(line_with(&bare("first-spill", "s]"), &[">R "]));
    assert!(line_with(&bare("postpone", "e"), &[">P "]));
    assert!(line_with(&bare("no-plan", ""), &[">F "]));
}

/// Whether the footer names the help and a way out, or says what it waits for.
fn assert_says_what_is_next(app: &App, screen: &str, about: &str) {
    let footer = screen.lines().last().unwrap_or_default();
    let wide = app.size().0 as usize;
    assert!(footer.chars().count() <= wide, "{about}: {footer}");
    let words: &[&str] = match app.mode() {
        Mode::Browse | Mode::Hint => &["? help", "q quit"],
        Mode::Help(_) | Mode::Menu(_) => &["Esc leaves"],
        Mode::Note(_) => &["any key"],
        Mode::Prompt { .. } => &[": "],
        Mode::Letter { .. } => &["letter?"],
        _ => &[],
    };
    assert!(words.iter().all(|word| footer.contains(word)), "{about}: {footer}");
}

/// Whether the title says where one stands, and the pane that has the keys is marked.
fn assert_says_where(app: &App, screen: &str, about: &str) {
    let title = screen.lines().next().unwrap_or_default();
    let last = app.trace().step_count() - 1;
    assert!(title.contains(&format!("step {}/{last}", app.step())), "{about}: {title}");
    assert!(title.contains(&app.trace().problem.graph.name.to_string()[..6]), "{about}: {title}");
    let pane = app.focus();
    // A story has the title of its buffer.
    let names = [pane.title(), pane.short(), pane.shortest(), "Story of"];
    let marked = |name: &&str| ["▸", "["].iter().any(|mark| screen.contains(&format!("{mark}{name}")));
    assert!(names.iter().any(marked), "{about}: {pane:?} is not marked\n{screen}");
}

#[test]
fn every_pane_and_mode_says_where_one_is_and_what_is_next() {
    for sample in ["first-spill", "no-plan", "postpone"] {
        for (width, height) in [(130, 40), (80, 24), (40, 12)] {
            let mut app = open(sample, width, height);
            typed(&mut app, "sh");
            let panes = if sample == "no-plan" { 9 } else { 8 };
            for _ in 0..panes {
                typed(&mut app, "\t");
                for keys in [
                    "",
                    "z",
                    "\n",
                    "\u{1b}\u{1b}?",
                    "\u{1b}/",
                    "\u{1b}&",
                    "\u{1b}m",
                    "\u{1b}'",
                    "\u{1b}y",
                    "\u{1b}x",
                    "?",
                    "q",
                ] {
                    let focus = app.focus();
                    typed(&mut app, keys);
                    let about = format!("{sample} {width}x{height} {focus:?} {keys:?} {:?}", app.mode());
                    // A notice makes way for the keys with the next press.
                    let screen = text(&app.without_notice(), width, height);
                    assert_says_what_is_next(&app, &screen, &about);
                    if matches!(app.mode(), Mode::Browse) {
                        assert_says_where(&app, &screen, &about);
                    }
                }
                (0..4).for_each(|_| typed(&mut app, "\u{1b}"));
            }
        }
    }
}

#[test]
fn the_help_key_helps_in_every_mode() {
    for (keys, title) in [
        ("?", " Keys "),
        ("/?", "What can be searched for"),
        ("&?", "What the log can show"),
        ("m?", "Bookmarks"),
        ("'?", "Bookmarks"),
        ("y?", "This menu"),
        ("x?", "This menu"),
    ] {
        let mut app = open("first-spill", 80, 24);
        typed(&mut app, keys);
        assert!(text(&app, 80, 24).contains(title), "{keys}");
        let before = format!("{:?}", std::mem::discriminant(app.mode()));
        typed(&mut app, "\u{1b}");
        assert_ne!(format!("{:?}", std::mem::discriminant(app.mode())), before, "{keys}: a key goes back");
    }
    let mut app = open("first-spill", 80, 24);
    typed(&mut app, "/b?");
    assert!(text(&app, 80, 24).contains("b?"), "behind other characters it is one itself");
}

#[test]
fn the_help_is_complete_on_the_smallest_screen() {
    let mut app = open("first-spill", 40, 12);
    typed(&mut app, "?");
    let mut seen = String::new();
    for _ in 0..300 {
        seen += &text(&app, 40, 12);
        typed(&mut app, "j");
    }
    for (row, keys) in app.keymap().rows() {
        let first = row.help.split(' ').next().unwrap_or_default();
        assert!(seen.contains(first), "{}", row.help);
        assert!(!keys.is_empty());
    }
    assert!(seen.contains("timeline: least"), "the signs come last");
}

#[test]
fn the_hint_goes_with_any_key_which_does_what_it_does() {
    for (key, step) in [(KeyCode::Char('l'), 1), (KeyCode::Esc, 0), (KeyCode::Enter, 0), (KeyCode::Char('~'), 0)] {
        let mut app = open("first-spill", 80, 24);
        app.show_hint();
        update(&mut app, Command::Resize(100, 30));
        assert!(text(&app, 100, 30).contains("Welcome to Spillscope"));
        press(&mut app, key);
        assert!(matches!(app.mode(), Mode::Browse), "{key:?}");
        assert_eq!(app.step(), step);
        assert!(!text(&app, 100, 30).contains("Welcome"), "{key:?}");
    }
}

#[test]
fn rebound_keys_work_and_show_everywhere() {
    let mut keymap = Keymap::default();
    let key = |name: &str| Key::Plain(key_named(name).expect("a key"));
    for (action, name) in [("step-forward", "d"), ("step-back", "a"), ("help", "F1"), ("quit", "Q")] {
        keymap.rebind(action, &[key(name)]).expect("an action");
    }
    let mut app = open("first-spill", 130, 40);
    app.set_keymap(keymap);
    assert!(app.notice().is_some_and(|notice| notice.contains("F1 shows the keys")), "{:?}", app.notice());
    typed(&mut app, "dda");
    assert_eq!(app.step(), 1);
    press(&mut app, KeyCode::Right);
    assert_eq!(app.step(), 1, "the old key is gone");
    assert!(app.notice().is_some_and(|notice| notice.contains("→ has no meaning here; F1 shows the keys")));
    typed(&mut app, "a");
    let footer = text(&app, 130, 40).lines().last().map(str::to_owned).unwrap_or_default();
    assert!(footer.contains("a d step") && footer.contains("F1 help") && footer.contains("Q quit"), "{footer}");
    press(&mut app, KeyCode::F(1));
    assert!(text(&app, 130, 40).contains("│d              next step"), "{}", text(&app, 130, 40));
    assert_eq!(press(&mut app, KeyCode::Char('Q')), Effect::Quit);
}

#[test]
fn what_is_copied_is_said_and_is_what_it_says() {
    let mut app = open("first-spill", 130, 40);
    typed(&mut app, "sy");
    let Effect::Copy(why) = press(&mut app, KeyCode::Char('w')) else { panic!("nothing is copied") };
    assert!(why.starts_with("first-spill, step 11: SPILL_OUT"), "{why}");
    assert!(why.contains("gives up its place") && why.contains("rank") && why.lines().all(|line| line.len() < 400));
    assert!(app.notice().is_some_and(|notice| notice.starts_with("copied: this step and why")));
    typed(&mut app, "y");
    let Effect::Copy(story) = press(&mut app, KeyCode::Char('b')) else { panic!("nothing is copied") };
    assert!(story.contains("b0 “image”") && story.lines().count() > 5, "{story}");
    typed(&mut app, "y");
    assert_eq!(press(&mut app, KeyCode::Char('f')), Effect::CopyFrame);
    // This record has no command line, and the menu says so and stays.
    typed(&mut app, "yy");
    assert!(matches!(app.mode(), Mode::Menu(_)));
    assert!(app.notice().is_some_and(|notice| notice.contains("no command line")));

    let mut failed = open("no-plan", 130, 40);
    typed(&mut failed, "y");
    let Effect::Copy(why) = press(&mut failed, KeyCode::Char('w')) else { panic!("nothing is copied") };
    assert!(why.contains("No plan: L0C has no room"), "{why}");
}

#[test]
fn a_menu_is_walked_with_arrows_and_the_mouse() {
    let mut app = open("first-spill", 80, 24);
    typed(&mut app, "sxjjk\n");
    assert!(matches!(app.mode(), Mode::Prompt { .. }), "{:?}", app.mode());
    assert!(text(&app, 80, 24).contains("first-spill-step11.ans"));
    typed(&mut app, "\u{1b}x");
    let Mode::Menu(menu) = *app.mode() else { panic!("no menu") };
    let place = app.menu_place(menu.kind);
    update(&mut app, Command::Click { x: place.x + 5, y: place.y + 3 });
    assert!(text(&app, 80, 24).contains("first-spill-step11.svg"));
    typed(&mut app, "\u{1b}x");
    update(&mut app, Command::Click { x: 0, y: 0 });
    assert!(matches!(app.mode(), Mode::Browse), "a click elsewhere leaves");
    typed(&mut app, "x");
    press(&mut app, KeyCode::Up);
    let Mode::Menu(menu) = *app.mode() else { panic!("no menu") };
    assert_eq!(menu.row, app.items(menu.kind).len() - 1, "up from the first is the last");
}

#[test]
fn every_sample_has_a_story_to_tell_and_a_frame_to_write() {
    for sample in SAMPLES {
        let mut app = open(sample, 100, 30);
        update(&mut app, Command::Notable(Dir::Forward));
        assert!(!app.why_text().is_empty() && !app.story_at_hand().is_empty(), "{sample}");
        assert_ne!(app.layout().class, Class::Tiny);
        assert!(app.focus() == Pane::Step || app.focus() == Pane::Failure, "{sample}");
    }
}
