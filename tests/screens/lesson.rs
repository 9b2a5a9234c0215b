//! Lessons as a person sees them.

use spillscope::app::{ColorDepth, Prefs};
use spillscope::cli::learn;

use crate::support::{press, text, typed};
use crossterm::event::KeyCode;
use spillscope::app::lesson::Player;
use spillscope::app::{App, Command, Effect, Mode, Pane, update};

/// A lesson after these keys.
fn snapshot(name: &str, lesson: &str, keys: &str, (width, height): (u16, u16), ascii: bool) {
    let prefs = Prefs { color: ColorDepth::None, ascii, ..Prefs::default() };
    let mut app = learn::frame(lesson, prefs).expect("lessons are sound");
    update(&mut app, Command::Resize(width, height));
    typed(&mut app, keys);
    insta::assert_snapshot!(name, text(&app, width, height));
}

#[test]
fn a_caption_over_the_panes_at_every_size() {
    for size in [(200, 60), (130, 40), (80, 24), (60, 20), (40, 12)] {
        snapshot(&format!("lesson-{}x{}", size.0, size.1), "first-spill", "\n\n", size, false);
    }
}

#[test]
fn a_question_before_and_after_the_answer() {
    snapshot("lesson-question-80x24", "first-spill", "\n", (80, 24), false);
    snapshot("lesson-answer-80x24", "first-spill", "\n12", (80, 24), false);
    snapshot("lesson-answer-ascii-100x30", "first-spill", "\n12", (100, 30), true);
}

#[test]
fn the_end_and_the_list() {
    snapshot("lesson-end-80x24", "why-memory-fills", "\n\n\n\n\n\n\n", (80, 24), false);
    snapshot("lessons-80x24", "why-memory-fills", "Ljj", (80, 24), false);
    snapshot("lessons-40x12", "why-memory-fills", "LG", (40, 12), false);
}

/// A lesson of 80 × 24 after these keys.
fn open(lesson: &str, keys: &str, (width, height): (u16, u16)) -> App {
    let prefs = Prefs { color: ColorDepth::None, ..Prefs::default() };
    let mut app = learn::frame(lesson, prefs).expect("lessons are sound");
    update(&mut app, Command::Resize(width, height));
    typed(&mut app, keys);
    app
}

#[test]
fn a_question_hides_what_it_asks_for_in_timeline_and_units() {
    for (size, zoomed) in [((130, 40), ""), ((80, 24), ""), ((130, 40), "\t\tz"), ((130, 40), "\t\tz0")] {
        let mut app = open("first-spill", "\n", size);
        typed(&mut app, zoomed);
        let asked = text(&app, size.0, size.1);
        assert!(asked.contains("Who should leave?") && asked.contains("??"), "{asked}");
        // Neither the sign of the spill nor the unit that carries it out.
        for told in ["SPILL_OUT", "S b0", "[out", "peak 90"] {
            assert!(!asked.contains(told), "{told}\n{asked}");
        }
        let lane = asked.lines().find_map(|line| line.split_once("MTE3")).map_or("", |(_, lane)| lane);
        assert!(!lane.split('│').next().unwrap_or("").contains('S'), "{asked}");
        let area = app.layout().content(Pane::Timeline);
        let marks = |screen: &str| -> String {
            screen.lines().skip(usize::from(area.y)).take(usize::from(area.height)).collect()
        };
        assert!(area.height == 0 || !marks(&asked).contains(['S', 'R']), "{asked}");
        typed(&mut app, "1");
        let answered = text(&app, size.0, size.1);
        assert!(area.height == 0 || marks(&answered).contains('S'), "{answered}");
    }
}

#[test]
fn the_mouse_picks_lessons_and_answers() {
    let mut app = open("first-spill", "L", (80, 24));
    let row_of = |app: &App, what: &str| {
        let screen = text(app, 80, 24);
        let row = screen.lines().position(|line| line.contains(what)).unwrap_or_else(|| panic!("{what}\n{screen}"));
        row as u16
    };
    let y = row_of(&app, "3   ");
    let click = |y| Command::Click { x: 12, y };
    assert_eq!(update(&mut app, click(y)), Effect::Redraw);
    assert!(matches!(app.mode(), Mode::Lessons(2)), "{:?}", app.mode());
    update(&mut app, Command::Scroll { x: 12, y, delta: 1 });
    assert!(matches!(app.mode(), Mode::Lessons(3)), "{:?}", app.mode());
    update(&mut app, click(0));
    assert!(matches!(app.mode(), Mode::Lessons(3)), "beside the list nothing is meant");
    let y = row_of(&app, "▸");
    assert_eq!(update(&mut app, click(y)), Effect::Lesson(3), "the selected one is opened");

    let mut app = open("first-spill", "\n", (80, 24));
    let y = row_of(&app, "2  hidden");
    update(&mut app, click(y));
    assert_eq!(app.player().and_then(Player::picked), Some(1));
    assert!(text(&app, 80, 24).contains("▸2  hidden"));
    // Pages of a caption that is too long for the screen are turned by the wheel.
    let mut app = open("first-spill", "\n", (40, 12));
    let page = |app: &App| app.player().expect("a lesson").pages();
    let (first, pages) = page(&app);
    assert!(pages > 1);
    let y = app.layout().caption.y;
    update(&mut app, Command::Scroll { x: 2, y, delta: 1 });
    assert_eq!(page(&app).0, first + 1);
    (0..20).for_each(|_| drop(update(&mut app, Command::Scroll { x: 2, y, delta: -1 })));
    assert_eq!(page(&app).0, 0);
}

#[test]
fn the_command_that_is_copied_opens_the_lesson() {
    let mut app = open("first-spill", "", (80, 24));
    assert_eq!(app.command_line().as_deref(), Some("spillscope learn first-spill"));
    typed(&mut app, "y");
    assert!(text(&app, 80, 24).contains("the command line that opens this lesson"));
    assert_eq!(press(&mut app, KeyCode::Char('y')), Effect::Copy("spillscope learn first-spill".into()));
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/samples/lessons/first-spill.json");
    assert_eq!(open(file, "", (80, 24)).command_line(), Some(format!("spillscope learn {file}")));
    // What was changed in it, that command does not give.
    typed(&mut app, "\u{1b}c");
    press(&mut app, KeyCode::Right);
    assert_eq!(app.command_line(), None);
}

#[test]
fn a_failed_plan_of_a_lesson_stands_at_its_failure() {
    let mut app = learn::frame("no-plan", Prefs::default()).expect("lessons are sound");
    update(&mut app, Command::Resize(100, 30));
    press(&mut app, KeyCode::Enter);
    let screen = text(&app, 100, 30);
    assert!(screen.contains("What would help?") && screen.contains("Failure"), "{screen}");
}
