use std::sync::mpsc::channel;
use std::time::Duration;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseEvent};
use ratatui::Frame;

use super::*;

/// Notes what it is told. `q` quits, `n` does nothing, `p` plays five ticks, `z` suspends, `m` frees the mouse, `c`
/// copies; any other key asks for a frame.
#[derive(Default)]
struct Fake {
    heard: Vec<String>,
    playing: u32,
}

impl Program for Fake {
    fn key(&mut self, key: KeyEvent) -> Effect {
        self.heard.push(key.code.to_string());
        match key.code {
            KeyCode::Char('q') => Effect::Quit,
            KeyCode::Char('n') => Effect::None,
            KeyCode::Char('z') => Effect::Suspend,
            KeyCode::Char('m') => Effect::ToggleMouse(false),
            KeyCode::Char('c') => Effect::Copy("b42".into()),
            KeyCode::Char('p') => {
                self.playing = 5;
                Effect::None
            }
            _ => Effect::Redraw,
        }
    }

    fn mouse(&mut self, mouse: MouseEvent) -> Effect {
        self.heard.push(format!("mouse {}", mouse.column));
        Effect::Redraw
    }

    fn paste(&mut self, text: &str) -> Effect {
        self.heard.push(format!("paste {text}"));
        Effect::Redraw
    }

    fn resize(&mut self, width: u16, height: u16) {
        self.heard.push(format!("{width}x{height}"));
    }

    fn tick(&mut self, passed: Duration) -> Effect {
        assert!(passed >= Duration::from_millis(1));
        self.playing -= 1;
        self.heard.push("tick".into());
        if self.playing == 0 { Effect::Quit } else { Effect::Redraw }
    }

    fn next_tick(&self) -> Option<Duration> {
        (self.playing > 0).then_some(Duration::from_millis(1))
    }

    fn draw(&self, _: &mut Frame) {}
}

/// Notes what is done to it.
#[derive(Default)]
struct Sheet {
    done: Vec<String>,
    /// How often it was measured, which is also its height.
    measured: u16,
}

impl Surface for Sheet {
    fn measure(&mut self) -> io::Result<(u16, u16)> {
        self.measured += 1;
        Ok((80, self.measured))
    }

    fn draw<P: Program>(&mut self, _: &P, anew: bool) -> io::Result<()> {
        self.done.push(if anew { "draw anew" } else { "draw" }.into());
        Ok(())
    }

    fn suspend(&mut self) -> io::Result<()> {
        self.done.push("suspend".into());
        Ok(())
    }

    fn stop(&mut self) -> io::Result<()> {
        self.done.push("stop".into());
        Ok(())
    }

    fn continued(&mut self) -> io::Result<()> {
        self.done.push("continued".into());
        Ok(())
    }

    fn set_mouse(&mut self, on: bool) -> io::Result<()> {
        self.done.push(format!("mouse {on}"));
        Ok(())
    }

    fn copy(&mut self, text: &str) -> io::Result<()> {
        self.done.push(format!("copy {text}"));
        Ok(())
    }
}

fn key(character: char) -> Message {
    Message::Terminal(Event::Key(KeyEvent::new(KeyCode::Char(character), KeyModifiers::NONE)))
}

fn keys(text: &str) -> Vec<Message> {
    text.chars().map(key).collect()
}

/// Nothing is asked of it here, and it keeps no inbox open.
fn idle_planner() -> Planner {
    Planner::new(channel().0)
}

/// All messages are there before the loop starts, so they make one batch.
fn play(messages: Vec<Message>) -> (io::Result<Ending>, Vec<String>, Vec<String>) {
    let (sender, inbox) = channel();
    messages.into_iter().for_each(|message| sender.send(message).expect("the receiver lives"));
    drop(sender);
    let (mut program, mut surface) = (Fake::default(), Sheet::default());
    let ending = run(&mut program, &mut surface, &inbox, idle_planner());
    (ending, program.heard, surface.done)
}

#[test]
fn the_program_knows_the_size_before_the_first_frame() {
    let (ending, heard, done) = play(keys("q"));
    assert_eq!(ending.expect("no error"), Ending::Quit);
    assert_eq!((heard, done), (vec!["80x1".into(), "q".into()], vec!["draw anew".to_owned()]));
}

#[test]
fn held_keys_all_count_and_make_one_frame() {
    // The sender is gone after the batch: the loop ends by that, after the frame.
    let (ending, heard, done) = play(keys("llllllll"));
    assert!(ending.is_err());
    assert_eq!(heard.len(), 9);
    assert_eq!(done, ["draw anew", "draw"]);
}

#[test]
fn what_changes_nothing_draws_nothing() {
    assert_eq!(play(keys("nnn")).2, ["draw anew"]);
}

#[test]
fn a_storm_of_resizes_ends_at_the_last_size() {
    let (_, heard, done) = play((0..500).map(|_| Message::Resized).collect());
    assert_eq!(heard, ["80x1", "80x2"]);
    assert_eq!(done, ["draw anew", "draw anew"]);
}

#[test]
fn a_released_key_is_not_heard() {
    let mut released = KeyEvent::new(KeyCode::Char('q'), KeyModifiers::NONE);
    released.kind = KeyEventKind::Release;
    assert_eq!(play(vec![Message::Terminal(Event::Key(released))]).1, ["80x1"]);
}

#[test]
fn stopped_nothing_is_drawn_until_continued() {
    let mut messages = keys("z");
    messages.extend([Message::Stop, Message::Continued]);
    let (_, heard, done) = play(messages);
    assert_eq!(done, ["draw anew", "suspend", "stop", "continued", "draw anew"]);
    assert_eq!(heard, ["80x1", "z", "80x2"]);
    assert_eq!(play(vec![Message::Stop]).2, ["draw anew", "stop"]);
}

#[test]
fn mouse_and_clipboard_are_passed_on() {
    assert_eq!(play(keys("mc")).2, ["draw anew", "mouse false", "copy b42", "draw"]);
    assert_eq!(play(vec![Message::Terminal(Event::Paste("q".into()))]).1, ["80x1", "paste q"]);
}

#[test]
fn a_signal_ends_the_loop_before_the_keys_behind_it() {
    let (ending, heard, _) = play(vec![Message::End(15), key('l')]);
    assert_eq!(ending.expect("no error"), Ending::Signal(15));
    assert_eq!(heard.len(), 1);
    assert_eq!(play(vec![Message::Panic]).0.expect("no error"), Ending::Panic);
}

#[test]
fn a_lost_terminal_is_an_error() {
    let lost = Message::Lost(io::ErrorKind::BrokenPipe.into());
    assert_eq!(play(vec![lost]).0.expect_err("lost").kind(), io::ErrorKind::BrokenPipe);
}

#[test]
fn ticks_come_while_playing_and_draw() {
    let (sender, inbox) = channel();
    sender.send(key('p')).expect("the receiver lives");
    let (mut program, mut surface) = (Fake::default(), Sheet::default());
    let ending = run(&mut program, &mut surface, &inbox, idle_planner());
    assert_eq!(ending.expect("no error"), Ending::Quit);
    assert_eq!(program.heard[2..], ["tick"; 5]);
    assert_eq!(surface.done.iter().filter(|done| *done == "draw").count(), 4);
}

#[test]
fn keys_do_not_put_a_tick_off() {
    let (mut program, mut surface) = (Fake { playing: 5, ..Fake::default() }, Sheet::default());
    let (program, surface) = (&mut program, &mut surface);
    let mut state = Loop { program, surface, planner: idle_planner(), due: Due::Nothing, ticks: None };
    state.set_tick();
    let first = state.ticks;
    std::thread::sleep(Duration::from_millis(2));
    state.set_tick();
    assert_eq!(state.ticks, first);
}
