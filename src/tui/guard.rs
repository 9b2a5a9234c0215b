//! Takes the terminal and gives it back, whatever happens in between.

use std::io::{self, Write, stdout};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;

use crossterm::cursor::{Hide, Show};
use crossterm::event::{DisableBracketedPaste, DisableMouseCapture, EnableBracketedPaste};
use crossterm::style::{Attribute, Print, SetAttribute};
use crossterm::terminal::{EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode};
use crossterm::{execute, queue};

use super::inbox::Message;

/// Whether the terminal is ours. Process-wide, since a panic on any thread must give it back.
static TAKEN: AtomicBool = AtomicBool::new(false);

/// Buttons, drags and the wheel, with coordinates of any size. Not `?1003`: mere motion would wake us all the time.
const MOUSE_ON: &str = "\x1b[?1000h\x1b[?1002h\x1b[?1006h";

/// Holds the terminal; dropping it gives the terminal back.
pub(super) struct Guard {
    mouse: bool,
}

impl Guard {
    /// Takes the terminal: raw mode, alternate screen, bracketed paste and, where asked, the mouse.
    pub(super) fn enter(mouse: bool) -> io::Result<Self> {
        // Made first, so that what was done is undone where a later part fails.
        let guard = Self { mouse };
        guard.take()?;
        Ok(guard)
    }

    fn take(&self) -> io::Result<()> {
        TAKEN.store(true, Ordering::SeqCst);
        enable_raw_mode()?;
        let mut out = stdout().lock();
        queue!(out, EnterAlternateScreen, Hide, EnableBracketedPaste)?;
        if self.mouse {
            queue!(out, Print(MOUSE_ON))?;
        }
        out.flush()
    }

    /// Takes the terminal again after the process was stopped. It may have been stopped without our knowing
    /// (SIGSTOP), so the modes are set anew even where they should stand.
    pub(super) fn take_again(&self) -> io::Result<()> {
        disable_raw_mode()?;
        self.take()
    }

    /// Listens to the mouse, or no longer.
    pub(super) fn set_mouse(&mut self, on: bool) -> io::Result<()> {
        self.mouse = on;
        let mut out = stdout().lock();
        if !is_taken() {
            return Ok(());
        }
        if on { execute!(out, Print(MOUSE_ON)) } else { execute!(out, DisableMouseCapture) }
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        give_back();
    }
}

/// Whether the terminal is ours now.
pub(super) fn is_taken() -> bool {
    TAKEN.load(Ordering::SeqCst)
}

/// Gives the terminal back in the reverse order of taking it; does nothing where it is not ours. A part that fails
/// does not keep the rest from being undone.
pub(super) fn give_back() {
    // After a frame that another thread is writing; a panic amid one holds this lock itself and may take it again.
    let mut out = stdout().lock();
    if !TAKEN.swap(false, Ordering::SeqCst) {
        return;
    }
    let _ = execute!(
        out,
        DisableMouseCapture,
        DisableBracketedPaste,
        SetAttribute(Attribute::Reset),
        Show,
        LeaveAlternateScreen
    );
    let _ = disable_raw_mode();
}

/// From now on a panic gives the terminal back before its message is printed, on the main screen, and tells the event
/// loop, which may be another thread and has no terminal any more.
pub(super) fn install_panic_hook(sender: Sender<Message>) {
    let print = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        give_back();
        print(info);
        // Last, since the loop ends the process on it.
        let _ = sender.send(Message::Panic);
    }));
}
