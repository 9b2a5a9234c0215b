//! Lessons in a terminal: one is chosen, played, left, and taken up again where it was left.

use tempfile::TempDir;

use crate::pty::Pty;
use crate::script::{assert_left, script, spillscope};

fn start(arguments: &str, state: &str) -> Pty {
    Pty::start(&script(&spillscope(arguments)), &[("XDG_STATE_HOME", state)])
}

#[test]
fn progress_is_kept_between_runs_and_the_next_lesson_is_one_key_away() {
    let folder = TempDir::new().expect("a temporary folder");
    let state = folder.path().to_string_lossy().into_owned();
    let mut pty = start("learn", &state);
    pty.wait_for("Enter opens");
    pty.press("\r");
    pty.wait_for("Lesson 1 of 12");
    pty.wait_for("1/7");
    for station in 2..=7 {
        pty.press("\r");
        pty.wait_for(&format!("{station}/7"));
    }
    pty.press("\r");
    pty.wait_for("the end");
    pty.press("\r");
    pty.wait_for("Lesson 2 of 12");
    pty.press("\r");
    pty.wait_for("Who should leave?");
    pty.press("q");
    assert_left(pty, "0");
    let kept = std::fs::read_to_string(folder.path().join("spillscope/lessons.json")).expect("it was kept");
    assert!(kept.contains("why-memory-fills") && kept.contains("first-spill"), "{kept}");

    let mut pty = start("learn", &state);
    pty.wait_for("at 2 of 7");
    assert!(pty.contents().contains("done"), "{}", pty.contents());
    pty.press("\r");
    pty.wait_for("Who should leave?");
    pty.press("q");
    assert_left(pty, "0");
}

#[test]
fn a_broken_progress_file_is_told_in_the_footer_and_left_alone() {
    let folder = TempDir::new().expect("a temporary folder");
    let file = folder.path().join("spillscope/lessons.json");
    std::fs::create_dir(folder.path().join("spillscope")).expect("a new folder");
    std::fs::write(&file, "{").expect("written");
    let mut pty = start("learn first-spill", &folder.path().to_string_lossy());
    pty.wait_for("your progress is not kept");
    pty.press("\r");
    pty.wait_for("Who should leave?");
    assert!(!pty.contents().contains("your progress is not kept"), "told once");
    pty.press("q");
    assert_left(pty, "0");
    assert_eq!(std::fs::read_to_string(&file).expect("it is there"), "{");
}
