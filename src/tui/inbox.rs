//! What reaches the event loop, and the threads that send it.

use std::io;
use std::sync::mpsc::Sender;
use std::thread;

use crossterm::event::{self, Event, KeyEventKind, MouseEventKind};
use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP, SIGWINCH};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

use super::guard;
use crate::app::Reply;

/// What reaches the event loop.
#[derive(Debug)]
pub(super) enum Message {
    /// From the terminal.
    Terminal(Event),
    /// The terminal can no longer be read.
    Lost(io::Error),
    /// The terminal has another size (SIGWINCH).
    Resized,
    /// Asked from outside to stop for a while (SIGTSTP).
    Stop,
    /// Running again (SIGCONT).
    Continued,
    /// Asked from outside to end, by this signal.
    End(i32),
    /// A plan that was asked for is there.
    Planned(Reply),
    /// A thread panicked.
    Panic,
}

/// Sends what the terminal reports until the receiver is gone. The terminal must be in raw mode already.
pub(super) fn listen_to_terminal(sender: Sender<Message>) -> io::Result<()> {
    let read = move || {
        loop {
            let sent = match event::read() {
                Ok(event) if is_wanted(&event) => sender.send(Message::Terminal(event)),
                Ok(_) => continue,
                Err(error) => {
                    let _ = sender.send(Message::Lost(error));
                    return;
                }
            };
            if sent.is_err() {
                return;
            }
        }
    };
    thread::Builder::new().name("terminal".into()).spawn(read)?;
    Ok(())
}

/// Whether the event can matter: a key that is let go and a mouse that merely moves do nothing.
fn is_wanted(event: &Event) -> bool {
    match event {
        Event::Key(key) => key.kind != KeyEventKind::Release,
        Event::Mouse(mouse) => mouse.kind != MouseEventKind::Moved,
        Event::Paste(_) => true,
        // The reader hears of sizes only from its first read on; a change before would be lost. So SIGWINCH tells.
        Event::Resize(..) | Event::FocusGained | Event::FocusLost => false,
    }
}

/// Sends what is asked of the process from outside. The first request to end goes to the event loop; with the second,
/// or where the loop is gone, the process ends at once, so that it can always be ended.
pub(super) fn listen_to_signals(sender: Sender<Message>) -> io::Result<()> {
    let mut signals = Signals::new([SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGTSTP, SIGCONT, SIGWINCH])?;
    let wait = move || {
        let mut asked = false;
        for signal in signals.forever() {
            let message = match signal {
                SIGTSTP => Message::Stop,
                SIGCONT => Message::Continued,
                SIGWINCH => Message::Resized,
                _ => Message::End(signal),
            };
            let ends = matches!(message, Message::End(_));
            if (ends && asked) || sender.send(message).is_err() {
                guard::give_back();
                let _ = emulate_default_handler(signal);
            }
            asked |= ends;
        }
    };
    thread::Builder::new().name("signals".into()).spawn(wait)?;
    Ok(())
}

/// Drops what later messages of the same batch make pointless: all but the last of the changes of size and of
/// the places of a drag that follow one another.
pub(super) fn coalesce(batch: &mut Vec<Message>) {
    batch.dedup_by(|later, earlier| {
        let same = match (&*earlier, &*later) {
            (Message::Resized, Message::Resized) => true,
            (Message::Terminal(Event::Mouse(a)), Message::Terminal(Event::Mouse(b))) => {
                matches!(a.kind, MouseEventKind::Drag(_)) && a.kind == b.kind
            }
            _ => false,
        };
        if same {
            std::mem::swap(later, earlier);
        }
        same
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent};

    fn drag(column: u16) -> Event {
        let kind = MouseEventKind::Drag(MouseButton::Left);
        Event::Mouse(MouseEvent { kind, column, row: 0, modifiers: KeyModifiers::NONE })
    }

    #[test]
    fn only_the_last_of_a_drag_and_of_the_sizes_is_kept() {
        let key = || Message::Terminal(Event::Key(KeyEvent::new(KeyCode::Char('l'), KeyModifiers::NONE)));
        let drag = |column| Message::Terminal(drag(column));
        let mut batch = vec![drag(1), drag(2), key(), key(), drag(3), Message::Resized, Message::Resized];
        coalesce(&mut batch);
        let kept = [drag(2), key(), key(), drag(3), Message::Resized];
        assert_eq!(format!("{batch:?}"), format!("{kept:?}"));
    }

    #[test]
    fn released_keys_and_motion_are_not_wanted() {
        let mut key = KeyEvent::new(KeyCode::Char('q'), KeyModifiers::NONE);
        assert!(is_wanted(&Event::Key(key)));
        key.kind = KeyEventKind::Repeat;
        assert!(is_wanted(&Event::Key(key)));
        key.kind = KeyEventKind::Release;
        assert!(!is_wanted(&Event::Key(key)));
        let moved = MouseEvent { kind: MouseEventKind::Moved, column: 0, row: 0, modifiers: KeyModifiers::NONE };
        assert!(!is_wanted(&Event::Mouse(moved)));
        assert!(!is_wanted(&Event::FocusGained));
    }
}
