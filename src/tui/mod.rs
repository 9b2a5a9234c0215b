//! The terminal: taken and given back by a guard, fed by one event loop.
//!
//! ```text
//! keys, mouse, size ─ reader thread ─┐
//! SIGTERM, SIGTSTP, … ─ signal thread ─┼─ channel ─ event loop ─ Program ─ Effect ─ Surface
//! plans ──────────────── planner thread ─┤
//! panics ──────────────────── hook ─┘
//! ```
//!
//! All threads block. While nothing happens and nothing plays, no processor time is used and no byte written.
//!
//! How a run ends: after `q` with status 0. After SIGTERM, SIGHUP, SIGINT or SIGQUIT the terminal is given back and
//! the process dies of that same signal, as its parent expects (a shell shows 128 + the signal: 143 for SIGTERM). After
//! a panic the terminal is given back before the message is printed.

mod color;
mod event_loop;
mod guard;
mod inbox;
mod leaving;
mod planner;
mod program;
mod screen;
mod surface;

use std::io::IsTerminal;

use signal_hook::low_level::emulate_default_handler;

use crate::app::Prefs;
use crate::error::Error;
pub use color::{detect_color, detect_color_of_process};
use event_loop::Ending;
pub use program::Program;
use surface::Terminal;

/// Whether standard output is a terminal. Where it is none, a report is printed in place of the visualizer.
pub fn stdout_is_terminal() -> bool {
    std::io::stdout().is_terminal()
}

/// Runs a program in the terminal until it quits. Keys come from standard input, or from the controlling terminal where
/// that is a file or a pipe.
///
/// # Errors
///
/// Where there is no terminal to read keys from or to draw on, or it is lost on the way.
pub fn run_program<P: Program>(program: &mut P, prefs: Prefs) -> Result<(), Error> {
    match run_until_end(program, prefs).map_err(|error| terminal_error(&error))? {
        Ending::Quit => Ok(()),
        Ending::Signal(signal) => die_of(signal),
        Ending::Panic => {
            Err(Error::input("a thread of spillscope panicked; its message stands above", "please report it"))
        }
    }
}

/// The terminal is given back when this returns, also on errors and while unwinding.
fn run_until_end<P: Program>(program: &mut P, prefs: Prefs) -> std::io::Result<Ending> {
    let (sender, inbox) = std::sync::mpsc::channel();
    guard::install_panic_hook(sender.clone());
    // Signals first: from the moment the terminal changes, none of them may end the process unseen.
    inbox::listen_to_signals(sender.clone())?;
    let mut terminal = Terminal::enter(prefs)?;
    inbox::listen_to_terminal(sender.clone())?;
    event_loop::run(program, &mut terminal, &inbox, planner::Planner::new(sender))
}

/// Ends the process by the signal's own default, so that the parent sees how it ended.
fn die_of(signal: i32) -> Result<(), Error> {
    emulate_default_handler(signal).map_err(|error| terminal_error(&error))
}

fn terminal_error(error: &std::io::Error) -> Error {
    Error::input(
        format!("the terminal cannot be used: {error}"),
        "run it in a terminal, or use `spillscope plan` or `spillscope frame`",
    )
}
