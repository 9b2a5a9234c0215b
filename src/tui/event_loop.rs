//! Takes messages, asks the program what follows, does it. Draws at most once a batch, and only where asked.

use std::io;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Instant;

use crossterm::event::{Event, KeyEventKind};

use super::Program;
use super::inbox::{Message, coalesce};
use super::planner::Planner;
use super::surface::Surface;
use crate::app::Effect;

/// How many messages are taken before a frame is drawn, so that a flood cannot keep the screen from changing.
const BATCH: usize = 1024;

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// The program quit.
    Quit,
    /// This signal asked for it.
    Signal(i32),
    /// A thread panicked; the terminal is given back already.
    Panic,
}

/// What the next frame has to do.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Due {
    Nothing,
    Frame,
    FrameAnew,
}

struct Loop<'a, P, S> {
    program: &'a mut P,
    surface: &'a mut S,
    planner: Planner,
    due: Due,
    /// The last tick (or the start of moving) and when the next is; `None` while nothing moves.
    ticks: Option<(Instant, Instant)>,
}

/// Runs until the program quits or has to end.
///
/// # Errors
///
/// Where the terminal can no longer be read or written.
pub(super) fn run<P: Program, S: Surface>(
    program: &mut P,
    surface: &mut S,
    inbox: &Receiver<Message>,
    planner: Planner,
) -> io::Result<Ending> {
    let mut state = Loop { program, surface, planner, due: Due::FrameAnew, ticks: None };
    state.measure()?;
    let first = state.program.start();
    state.apply(first)?;
    state.due = Due::FrameAnew;
    loop {
        state.draw()?;
        state.set_tick();
        if let Some(ending) = state.wait(inbox)? {
            return Ok(ending);
        }
    }
}

impl<P: Program, S: Surface> Loop<'_, P, S> {
    fn draw(&mut self) -> io::Result<()> {
        let due = std::mem::replace(&mut self.due, Due::Nothing);
        if due == Due::Nothing {
            return Ok(());
        }
        self.surface.draw(self.program, due == Due::FrameAnew)
    }

    /// A tick that is due keeps its time, or keys that come faster than ticks would put it off for ever; but a
    /// program that now moves faster is not kept waiting.
    fn set_tick(&mut self) {
        let now = Instant::now();
        self.ticks = self.program.next_tick().map(|period| match self.ticks {
            Some((last, due)) => (last, due.min(now + period)),
            None => (now, now + period),
        });
    }

    /// Waits for the next message or tick and takes all that is there.
    fn wait(&mut self, inbox: &Receiver<Message>) -> io::Result<Option<Ending>> {
        let first = match self.ticks {
            None => inbox.recv().map_err(|_| RecvTimeoutError::Disconnected),
            Some((_, due)) => inbox.recv_timeout(due.saturating_duration_since(Instant::now())),
        };
        match first {
            Ok(message) => {
                let mut batch = vec![message];
                batch.extend(inbox.try_iter().take(BATCH - 1));
                coalesce(&mut batch);
                for message in batch {
                    if let Some(ending) = self.take(message)? {
                        return Ok(Some(ending));
                    }
                }
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Err(io::ErrorKind::UnexpectedEof.into()),
        }
        self.tick()
    }

    fn tick(&mut self) -> io::Result<Option<Ending>> {
        let now = Instant::now();
        let Some((last, _)) = self.ticks.filter(|(_, due)| *due <= now) else { return Ok(None) };
        let effect = self.program.tick(now - last);
        self.ticks = self.program.next_tick().map(|period| (now, now + period));
        self.apply(effect)
    }

    fn take(&mut self, message: Message) -> io::Result<Option<Ending>> {
        let effect = match message {
            Message::Terminal(event) => self.event(event),
            Message::Lost(error) => return Err(error),
            Message::Planned(reply) => self.program.arrived(reply),
            Message::Panic => return Ok(Some(Ending::Panic)),
            Message::End(signal) => return Ok(Some(Ending::Signal(signal))),
            Message::Stop => {
                // The frame is drawn when SIGCONT has come.
                self.surface.stop()?;
                Effect::None
            }
            Message::Continued => {
                self.surface.continued()?;
                // A change of size while we were stopped was told to the shell.
                self.measure()?
            }
            Message::Resized => self.measure()?,
        };
        self.apply(effect)
    }

    /// Tells the program the size. All is drawn anew, even at the same size: it may have been another in between, and
    /// terminals differ in what they leave on the screen after a change.
    fn measure(&mut self) -> io::Result<Effect> {
        let (width, height) = self.surface.measure()?;
        self.program.resize(width, height);
        Ok(Effect::Repaint)
    }

    fn event(&mut self, event: Event) -> Effect {
        match event {
            Event::Key(key) if key.kind != KeyEventKind::Release => self.program.key(key),
            Event::Mouse(mouse) => self.program.mouse(mouse),
            Event::Paste(text) => self.program.paste(&text),
            Event::Key(_) | Event::Resize(..) | Event::FocusGained | Event::FocusLost => Effect::None,
        }
    }

    fn apply(&mut self, effect: Effect) -> io::Result<Option<Ending>> {
        let due = match effect {
            Effect::Quit => return Ok(Some(Ending::Quit)),
            Effect::None => Due::Nothing,
            // What a program did not carry out by itself, it cannot.
            Effect::Redraw | Effect::Lesson(_) | Effect::CopyFrame | Effect::Save(_) => Due::Frame,
            Effect::Repaint => Due::FrameAnew,
            Effect::Suspend => {
                self.surface.suspend()?;
                Due::Nothing
            }
            Effect::ToggleMouse(on) => {
                self.surface.set_mouse(on)?;
                Due::Frame
            }
            Effect::Copy(text) => {
                self.surface.copy(&text)?;
                Due::Frame
            }
            Effect::Replan(request) => {
                self.planner.plan(*request)?;
                Due::Frame
            }
        };
        self.due = self.due.max(due);
        Ok(None)
    }
}

#[cfg(test)]
mod tests;
