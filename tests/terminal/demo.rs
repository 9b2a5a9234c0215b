//! A program that panics when asked to, which the real one must not be able to do: this test's own binary, started
//! again with a variable set.

use std::time::Duration;

use crossterm::event::{KeyCode, KeyEvent, MouseEvent};
use ratatui::Frame;
use spillscope::app::{Effect, Prefs};
use spillscope::tui::{Program, run_program};

/// Set where the demo is to run.
const VARIABLE: &str = "SPILLSCOPE_TEST_DEMO";

/// The shell's command for the demo.
pub fn demo() -> String {
    let this = std::env::current_exe().expect("the test's own binary");
    format!("env {VARIABLE}=1 '{}' --exact demo::child --nocapture --test-threads=1 2>&1", this.display())
}

struct Demo;

impl Program for Demo {
    fn key(&mut self, key: KeyEvent) -> Effect {
        match key.code {
            KeyCode::Char('P') => panic!("as asked"),
            KeyCode::Char('T') => drop(std::thread::spawn(|| panic!("as asked, elsewhere"))),
            _ => {}
        }
        Effect::Redraw
    }

    fn mouse(&mut self, _: MouseEvent) -> Effect {
        Effect::None
    }

    fn paste(&mut self, _: &str) -> Effect {
        Effect::None
    }

    fn resize(&mut self, _: u16, _: u16) {}

    fn tick(&mut self, _: Duration) -> Effect {
        Effect::None
    }

    fn next_tick(&self) -> Option<Duration> {
        None
    }

    fn draw(&self, frame: &mut Frame) {
        frame.buffer_mut().set_string(0, 0, "step 0", ratatui::style::Style::new());
    }
}

/// No test of its own: what the others start.
#[test]
fn child() {
    if std::env::var_os(VARIABLE).is_some() {
        let result = run_program(&mut Demo, Prefs::default());
        std::process::exit(result.map_or_else(|error| i32::from(error.exit_status()), |()| 0));
    }
}
