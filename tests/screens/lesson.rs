//! Lessons as a person sees them.

use spillscope::app::{ColorDepth, Prefs};
use spillscope::cli::learn;

use crate::support::{press, text, typed};
use crossterm::event::KeyCode;
use spillscope::app::{Command, update};

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

#[test]
fn a_failed_plan_of_a_lesson_stands_at_its_failure() {
    let mut app = learn::frame("no-plan", Prefs::default()).expect("lessons are sound");
    update(&mut app, Command::Resize(100, 30));
    press(&mut app, KeyCode::Enter);
    let screen = text(&app, 100, 30);
    assert!(screen.contains("What would help?") && screen.contains("Failure"), "{screen}");
}
