//! What runs in the terminal, and how the visualizer does.

use std::time::Duration;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use ratatui::Frame;
use tui_input::InputRequest;

use super::leaving::carry_out;
use crate::app::{App, Command, Effect, Mode, Reply, command_for, update};
use crate::ui;

/// What runs in the terminal.
pub trait Program {
    /// A key was pressed, or is held and repeats.
    fn key(&mut self, key: KeyEvent) -> Effect;
    /// The mouse clicked, dragged or scrolled.
    fn mouse(&mut self, mouse: MouseEvent) -> Effect;
    /// Text was pasted.
    fn paste(&mut self, text: &str) -> Effect;
    /// The screen has this size now, in cells. Called before the first frame.
    fn resize(&mut self, width: u16, height: u16);
    /// The time named by [`next_tick`](Self::next_tick) is over; this much passed since the last tick.
    fn tick(&mut self, passed: Duration) -> Effect;
    /// After how long to call [`tick`](Self::tick); `None` where nothing moves by itself.
    fn next_tick(&self) -> Option<Duration>;
    /// The program begins: what it asks for at once.
    fn start(&mut self) -> Effect {
        Effect::None
    }
    /// A plan that was asked for is there. Nothing happens in a program that asks for none.
    fn arrived(&mut self, _: Reply) -> Effect {
        Effect::None
    }
    /// Draws a frame, as for the best terminal.
    fn draw(&self, frame: &mut Frame);
}

impl Program for App {
    /// A terminal says Alt with the escape byte: Esc and a key soon after it, as happens over a slow line, arrive as
    /// one. Nothing is bound to Alt, so that is taken for what it was.
    fn key(&mut self, key: KeyEvent) -> Effect {
        if !key.modifiers.contains(KeyModifiers::ALT) {
            return pressed(self, key);
        }
        let escaped = pressed(self, KeyEvent::from(KeyCode::Esc));
        let then = pressed(self, KeyEvent { modifiers: key.modifiers - KeyModifiers::ALT, ..key });
        if then == Effect::None { escaped } else { then }
    }

    fn mouse(&mut self, mouse: MouseEvent) -> Effect {
        command_of_mouse(mouse).map_or(Effect::None, |command| done(self, command))
    }

    /// Pasted text is typed into a prompt; elsewhere it would be taken for keys, and does nothing.
    fn paste(&mut self, text: &str) -> Effect {
        if !matches!(self.mode(), Mode::Prompt { .. }) {
            return Effect::None;
        }
        for character in text.chars().filter(|character| !character.is_control()) {
            update(self, Command::Type(InputRequest::InsertChar(character)));
        }
        Effect::Redraw
    }

    fn resize(&mut self, width: u16, height: u16) {
        update(self, Command::Resize(width, height));
    }

    fn tick(&mut self, passed: Duration) -> Effect {
        update(self, Command::Tick(passed))
    }

    fn next_tick(&self) -> Option<Duration> {
        App::next_tick(self)
    }

    fn arrived(&mut self, reply: Reply) -> Effect {
        App::arrived(self, reply)
    }

    fn draw(&self, frame: &mut Frame) {
        ui::draw(self, frame);
    }
}

fn pressed(app: &mut App, key: KeyEvent) -> Effect {
    command_for(app, key).map_or(Effect::None, |command| done(app, command))
}

/// Carries out a command, as far as the terminal is not needed for it.
fn done(app: &mut App, command: Command) -> Effect {
    let effect = update(app, command);
    carry_out(app, effect)
}

fn command_of_mouse(mouse: MouseEvent) -> Option<Command> {
    let (x, y) = (mouse.column, mouse.row);
    match mouse.kind {
        MouseEventKind::Down(MouseButton::Left) => Some(Command::Click { x, y }),
        MouseEventKind::Drag(MouseButton::Left) => Some(Command::Drag { x, y }),
        MouseEventKind::ScrollDown => Some(Command::Scroll { x, y, delta: 1 }),
        MouseEventKind::ScrollUp => Some(Command::Scroll { x, y, delta: -1 }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_left_button_and_the_wheel_mean_something() {
        let of = |kind| command_of_mouse(MouseEvent { kind, column: 3, row: 4, modifiers: KeyModifiers::NONE });
        assert_eq!(of(MouseEventKind::Down(MouseButton::Left)), Some(Command::Click { x: 3, y: 4 }));
        assert_eq!(of(MouseEventKind::Drag(MouseButton::Left)), Some(Command::Drag { x: 3, y: 4 }));
        assert_eq!(of(MouseEventKind::ScrollUp), Some(Command::Scroll { x: 3, y: 4, delta: -1 }));
        assert_eq!(of(MouseEventKind::Down(MouseButton::Right)), None);
        assert_eq!(of(MouseEventKind::Up(MouseButton::Left)), None);
    }
}
