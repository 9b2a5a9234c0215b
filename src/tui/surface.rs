//! What the event loop does to the terminal; a trait, so that the loop is tested without one.

use std::io::{self, Stdout, stdout};

use crossterm::clipboard::CopyToClipboard;
use crossterm::execute;
use ratatui::layout::Size;
use rustix::process::{Signal, getpgrp, getsid, kill_process_group};
use signal_hook::consts::SIGTSTP;
use signal_hook::low_level::emulate_default_handler;

use super::Program;
use super::guard::{self, Guard};
use super::screen::Screen;
use crate::app::Prefs;
use crate::ui::fold::fold;

/// What the event loop does to the terminal.
pub(super) trait Surface {
    /// Asks for the size, in cells, which holds for the frames from now on.
    fn measure(&mut self) -> io::Result<(u16, u16)>;
    /// Draws a frame; `anew` trusts nothing that stands there.
    fn draw<P: Program>(&mut self, program: &P, anew: bool) -> io::Result<()>;
    /// Gives the terminal back and asks the whole job to stop; [`stop`](Self::stop) follows.
    fn suspend(&mut self) -> io::Result<()>;
    /// Gives the terminal back and stops the process until it is continued.
    fn stop(&mut self) -> io::Result<()>;
    /// Takes the terminal again after the process was continued.
    fn continued(&mut self) -> io::Result<()>;
    /// Listens to the mouse, or no longer.
    fn set_mouse(&mut self, on: bool) -> io::Result<()>;
    /// Puts a text on the clipboard.
    fn copy(&mut self, text: &str) -> io::Result<()>;
}

/// The terminal of this process.
pub(super) struct Terminal {
    // Given back before the rest is dropped.
    guard: Guard,
    inner: ratatui::Terminal<Screen<Stdout>>,
    prefs: Prefs,
}

impl Terminal {
    /// Takes the terminal.
    pub(super) fn enter(prefs: Prefs) -> io::Result<Self> {
        let guard = Guard::enter(prefs.mouse)?;
        let inner = ratatui::Terminal::new(Screen::new(stdout(), Size::ZERO))?;
        Ok(Self { guard, inner, prefs })
    }
}

impl Surface for Terminal {
    fn measure(&mut self) -> io::Result<(u16, u16)> {
        let (width, height) = known_size(crossterm::terminal::size()?);
        self.inner.backend_mut().set_size(Size::new(width, height));
        Ok((width, height))
    }

    fn draw<P: Program>(&mut self, program: &P, anew: bool) -> io::Result<()> {
        // Held over the whole frame, so that a panic elsewhere gives the terminal back before or after it.
        let _screen = stdout().lock();
        // Stopped, or given back by a panic elsewhere: the screen belongs to the shell.
        if !guard::is_taken() {
            return Ok(());
        }
        if anew {
            self.inner.clear()?;
        }
        let Prefs { ascii, color, .. } = self.prefs;
        self.inner.draw(|frame| {
            program.draw(frame);
            fold(frame.buffer_mut(), ascii, color);
        })?;
        Ok(())
    }

    fn suspend(&mut self) -> io::Result<()> {
        if nobody_can_continue_us() {
            return Ok(());
        }
        // As Ctrl-Z does where the terminal handles it: a script that started us must stop too, or its shell would
        // wait for it. First given back, since that shell may go on before our own signal has reached us.
        guard::give_back();
        kill_process_group(getpgrp(), Signal::TSTP)?;
        Ok(())
    }

    fn stop(&mut self) -> io::Result<()> {
        if nobody_can_continue_us() {
            return Ok(());
        }
        guard::give_back();
        emulate_default_handler(SIGTSTP)
    }

    fn continued(&mut self) -> io::Result<()> {
        self.guard.take_again()
    }

    fn set_mouse(&mut self, on: bool) -> io::Result<()> {
        self.guard.set_mouse(on)
    }

    fn copy(&mut self, text: &str) -> io::Result<()> {
        execute!(stdout(), CopyToClipboard::to_clipboard_from(text))
    }
}

/// Some terminals behind serial lines and containers report 0 × 0 where they do not know; they are taken for 80 × 24.
fn known_size(size: (u16, u16)) -> (u16, u16) {
    if size == (0, 0) { (80, 24) } else { size }
}

/// Whether the leader of the session is in our process group, so that no shell with job control is above us (`tmux
/// new-window spillscope`). The kernel then ignores SIGTSTP, and so do we: stopped, we would hang for ever.
fn nobody_can_continue_us() -> bool {
    getsid(None).is_ok_and(|session| session == getpgrp())
}
