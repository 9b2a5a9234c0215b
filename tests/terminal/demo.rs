//! What runs in the pseudo-terminal: this test's own binary, started again with a variable set. Either the visualizer
//! on a sample, or a small demo for what the visualizer must not be able to do, such as panic.

use std::time::Duration;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseEvent};
use ratatui::Frame;
use ratatui::style::{Color, Modifier, Style};
use spillscope::app::{App, Effect, Prefs, Theme};
use spillscope::tui::{Program, detect_color_of_process, run, run_program};

use crate::support;

/// Set to what is to run, with its flags.
const VARIABLE: &str = "SPILLSCOPE_TEST_PROGRAM";
/// How the name of its process starts.
pub const NAME: &str = "terminal";

/// The shell's command for the demo.
pub fn demo() -> String {
    command("demo")
}

/// The shell's command for the visualizer with these flags.
pub fn visualizer(flags: &str) -> String {
    command(&format!("visualizer{flags}"))
}

fn command(what: &str) -> String {
    let this = std::env::current_exe().expect("the test's own binary");
    format!("env {VARIABLE}={what} {} --exact demo::child --nocapture --test-threads=1 2>&1", this.display())
}

struct Demo {
    step: u32,
    size: (u16, u16),
}

impl Program for Demo {
    fn key(&mut self, key: KeyEvent) -> Effect {
        match (key.code, key.modifiers) {
            (KeyCode::Char('z'), KeyModifiers::CONTROL) => return Effect::Suspend,
            (KeyCode::Char('q'), _) => return Effect::Quit,
            (KeyCode::Char('l'), _) => self.step += 1,
            (KeyCode::Char('h'), _) => self.step -= 1,
            (KeyCode::Char('P'), _) => panic!("as asked"),
            (KeyCode::Char('T'), _) => drop(std::thread::spawn(|| panic!("as asked, elsewhere"))),
            _ => {}
        }
        Effect::Redraw
    }

    fn mouse(&mut self, _: MouseEvent) -> Effect {
        Effect::Redraw
    }

    fn paste(&mut self, _: &str) -> Effect {
        Effect::None
    }

    fn resize(&mut self, width: u16, height: u16) {
        self.size = (width, height);
    }

    fn tick(&mut self, _: Duration) -> Effect {
        Effect::None
    }

    fn next_tick(&self) -> Option<Duration> {
        None
    }

    fn draw(&self, frame: &mut Frame) {
        let style = Style::new().fg(Color::Rgb(230, 159, 0)).add_modifier(Modifier::REVERSED);
        let text = format!("step {} ▸█ 内存 {}x{}", self.step, self.size.0, self.size.1);
        frame.buffer_mut().set_string(0, 0, text, style);
    }
}

/// No test of its own: what the others start.
#[test]
fn child() {
    let Ok(what) = std::env::var(VARIABLE) else { return };
    let (ascii, mouse) = (what.contains("--ascii"), !what.contains("--no-mouse"));
    let prefs = Prefs { theme: Theme::Terminal, ascii, color: detect_color_of_process(), mouse };
    let result = if what.starts_with("demo") {
        run_program(&mut Demo { step: 0, size: (0, 0) }, prefs)
    } else {
        run(App::new(support::sample("flash-attention"), prefs))
    };
    std::process::exit(result.map_or_else(|error| i32::from(error.exit_status()), |()| 0));
}
