//! The keys: one table that makes the bindings, the help and the footer.

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use tui_input::InputRequest;

use super::command::{Command, Dir, Zoom};
use super::{App, Mode};
use crate::trace::Mark;

/// A key of the keyboard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// By itself, or with Shift where that gives another character.
    Plain(KeyCode),
    /// With Ctrl held; never the only key for anything but what terminals have Ctrl for.
    Ctrl(char),
}

/// A command with its keys and its words.
#[derive(Debug)]
pub struct Binding {
    /// What the keys do.
    pub command: Command,
    /// Any of these; the first is the one that the footer names.
    pub keys: &'static [Key],
    /// What the help says.
    pub help: &'static str,
    /// What the footer says, where there is room and reason.
    pub short: &'static str,
}

const fn key(c: char) -> Key {
    Key::Plain(KeyCode::Char(c))
}

const fn bind(command: Command, keys: &'static [Key], help: &'static str, short: &'static str) -> Binding {
    Binding { command, keys, help, short }
}

use Command as C;
use Dir::{Back, Forward};
use Key::{Ctrl, Plain};

/// All bindings, in the order of the help. Headings stand in [`SECTIONS`].
pub static BINDINGS: &[Binding] = &[
    bind(C::Step(Forward), &[Plain(KeyCode::Right), key('l')], "next step", "step"),
    bind(C::Step(Back), &[Plain(KeyCode::Left), key('h')], "previous step", "back a step"),
    bind(C::Event(Forward), &[key('.')], "next event within the step", "event"),
    bind(C::Event(Back), &[key(',')], "previous event", "event back"),
    bind(C::Screen(Forward), &[Plain(KeyCode::PageDown)], "a screen of steps on", "screen"),
    bind(C::Screen(Back), &[Plain(KeyCode::PageUp)], "a screen of steps back", "screen back"),
    bind(C::First, &[key('g'), Plain(KeyCode::Home)], "first step", "start"),
    bind(C::Goto, &[key('G'), Plain(KeyCode::End)], "last step; 250G: step 250", "go to"),
    bind(C::Percent, &[key('%')], "50%: half-way through the plan", "share"),
    bind(C::Play, &[key(' ')], "play, pause", "play"),
    bind(C::Reverse, &[key('r')], "play the other way", "reverse"),
    bind(C::Slower, &[key('<')], "play slower", "slower"),
    bind(C::Faster, &[key('>')], "play faster", "faster"),
    bind(C::Stops, &[key('b')], "stops: conditions at which playing halts", "stops"),
    bind(C::Stop(Forward), &[key('J')], "next step at which a stop is met", "next stop"),
    bind(C::Stop(Back), &[key('K')], "previous one", "last stop"),
    bind(C::Mark(Mark::Spill, Forward), &[key('s')], "next spill", "spill"),
    bind(C::Mark(Mark::Spill, Back), &[key('S')], "previous spill", "spill back"),
    bind(C::Notable(Forward), &[key('e')], "next event that the filter shows (else: any S R P W F)", "next S R P W F"),
    bind(C::Notable(Back), &[key('E')], "previous one", "back"),
    bind(C::Failure(Forward), &[key('f')], "next placement that found no room", "no room"),
    bind(C::Failure(Back), &[key('F')], "previous one", "back"),
    bind(C::Peak, &[key('p')], "peak of the level; again: of all levels", "peak"),
    bind(C::BufferEvent(Forward), &[key(']')], "next event of the selected buffer", "its next event"),
    bind(C::BufferEvent(Back), &[key('[')], "its previous event", "its last event"),
    bind(C::Path(Forward), &[key('}')], "next step on the critical path of this plan", "critical path"),
    bind(C::Path(Back), &[key('{')], "previous one", "path back"),
    bind(C::Search, &[key('/')], "search: id, b42, operation or name", "find"),
    bind(C::Again(Forward), &[key('n')], "next match", "next match"),
    bind(C::Again(Back), &[key('N')], "previous match", "last match"),
    bind(C::SearchSelected, &[key('#')], "search for what is selected", "find selected"),
    bind(C::SetMark, &[key('m')], "bookmark this step: m and a letter", "bookmark"),
    bind(C::ToMark, &[key('\'')], "to a bookmark: ' and its letter", "to bookmark"),
    bind(C::Previous, &[Plain(KeyCode::Backspace)], "to where you were before the last jump", "return"),
    bind(C::Pane(Forward), &[Plain(KeyCode::Tab)], "next pane", "pane"),
    bind(C::Pane(Back), &[Plain(KeyCode::BackTab)], "previous pane", "pane back"),
    bind(C::Row(Forward), &[Plain(KeyCode::Down), key('j')], "down in the pane", "row"),
    bind(C::Row(Back), &[Plain(KeyCode::Up), key('k')], "up in the pane", "row up"),
    bind(C::Enter, &[Plain(KeyCode::Enter)], "look into the selected row", "look into"),
    bind(C::Escape, &[Plain(KeyCode::Esc)], "back out of story, large pane, filter", "back"),
    bind(C::Why, &[key('w')], "why: this step on the whole screen", "why"),
    bind(C::Graph, &[key('D')], "what this node depends on, and what on it", "dependencies"),
    bind(C::Enlarge, &[key('z')], "the pane on the whole screen, and back", "enlarge"),
    bind(C::Level(Forward), &[key('v')], "next level", "level"),
    bind(C::Level(Back), &[key('V')], "previous level", "level back"),
    bind(C::BufferOrder, &[key('B')], "buffers by what their spills moved so far; again: by address", "by moved"),
    bind(C::Filter, &[key('&')], "filter the log: spill, L1, b42 or text", "filter"),
    bind(C::Zoom(Zoom::In), &[key('+'), key('=')], "zoom in: map, Units or timeline, by where the keys are", "zoom"),
    bind(C::Zoom(Zoom::Out), &[key('-')], "zoom out of them", "zoom out"),
    bind(C::Zoom(Zoom::Fit), &[key('0')], "the whole plan; in the map again: single steps", "fit"),
    bind(C::Addresses(Zoom::In), &[key('i')], "map: zoom in on addresses", "addresses"),
    bind(C::Addresses(Zoom::Out), &[key('I')], "map: zoom out of them", "more addresses"),
    bind(C::AllLevels, &[key('a')], "map: all levels side by side, or one", "all levels"),
    bind(C::Coloring(Forward), &[key('o')], "map: tell buffer, age, next use, backed, operation", "tell"),
    bind(C::Coloring(Back), &[key('O')], "map: the one before", "tell before"),
    bind(C::Cells, &[key('C')], "map: arrows go over its cells, Enter to the step of one", "cells"),
    bind(C::Pan(Forward), &[key(')')], "later cycles of the units", "later"),
    bind(C::Pan(Back), &[key('(')], "earlier cycles", "earlier"),
    bind(C::WhatIf, &[key('c')], "what if: change capacities, policy, order … and plan again", "what if"),
    bind(C::Undo, &[key('u')], "back to the plan before the change", "undo"),
    bind(C::Redo, &[key('U')], "forward to the plan that was taken back", "redo"),
    bind(C::Compare, &[key('d')], "compare with the plan before the change, or with another", "compare"),
    bind(C::Parting(Forward), &[key(';')], "compare: to the next step at which the two part", "next difference"),
    bind(C::Parting(Back), &[key(':')], "compare: to the previous one", "difference"),
    bind(C::Swap, &[key('X')], "compare: exchange the two", "exchange"),
    bind(C::History, &[key('H')], "how the search came to this plan, and the plans on the way", "search"),
    bind(C::Lessons, &[key('L')], "back to the lesson; again: all lessons", "lesson"),
    bind(C::Copy, &[key('y')], "copy: command line, why, frame, story", "copy"),
    bind(C::Export, &[key('x')], "write into a file: frame, story, plan", "export"),
    bind(C::Theme, &[key('t')], "theme: terminal, dark, light, high contrast", "theme"),
    bind(C::Mouse, &[key('M')], "mouse on, off", "mouse"),
    bind(C::Help, &[key('?')], "these keys", "help"),
    bind(C::Repaint, &[Ctrl('l')], "draw the screen anew", "redraw"),
    bind(C::Suspend, &[Ctrl('z')], "suspend; fg comes back", "suspend"),
    bind(C::Quit, &[key('q'), Ctrl('c')], "quit", "quit"),
];

/// What some keys mean while the caption of a lesson is shown. Digits answer its questions.
pub static LESSON_BINDINGS: &[Binding] = &[
    bind(C::Lesson(Forward), &[Plain(KeyCode::Enter)], "go on in the lesson", "go on"),
    bind(C::Lesson(Back), &[Plain(KeyCode::Backspace)], "back in the lesson", "back"),
];

/// Headings of the help, each before the first binding of its group.
pub static SECTIONS: &[(&str, Command)] = &[
    ("Move through time", C::Step(Forward)),
    ("Play", C::Play),
    ("Jump", C::Mark(Mark::Spill, Forward)),
    ("Search and bookmarks", C::Search),
    ("Look around", C::Pane(Forward)),
    ("Zoom and map", C::Zoom(Zoom::In)),
    ("Other plans", C::WhatIf),
    ("Lessons (spillscope learn)", C::Lessons),
    ("Program", C::Copy),
];

/// The binding of a command.
pub fn binding_of(command: &Command) -> Option<&'static Binding> {
    BINDINGS.iter().chain(LESSON_BINDINGS).find(|binding| binding.command == *command)
}

/// What a key press asks for, in the mode that the screen is in. Releases ask for nothing.
pub fn command_for(app: &App, event: KeyEvent) -> Option<Command> {
    if event.kind == KeyEventKind::Release {
        return None;
    }
    let key = key_of(event)?;
    let bound = app.keymap().bound(key).map(|binding| binding.command.clone());
    if let (Key::Ctrl(_), Some(command)) = (key, &bound) {
        return Some(command.clone()); // the terminal's own keys work everywhere
    }
    if let Some(command) = super::lesson::command_for(app, key) {
        return Some(command);
    }
    match (app.mode(), key) {
        (_, Plain(KeyCode::Esc)) => Some(Command::Escape),
        (Mode::Prompt { .. }, key) => typing(key),
        // What helps is asked for with the same key everywhere, but where it is part of a text.
        (Mode::Letter { .. } | Mode::Menu(_), _) if bound == Some(Command::Help) => Some(Command::Help),
        (Mode::Menu(menu), Plain(KeyCode::Char(letter)))
            if app.items(menu.kind).iter().any(|item| item.key == letter) =>
        {
            Some(Command::Letter(letter))
        }
        (Mode::Letter { .. } | Mode::Replace(_), Plain(KeyCode::Char(letter))) => Some(Command::Letter(letter)),
        (Mode::Letter { .. } | Mode::Replace(_), _) => Some(Command::Escape),
        (_, Plain(KeyCode::Char(digit @ '0'..='9'))) if digit != '0' || app.count().is_some() => {
            Some(Command::Digit(digit as u8 - b'0'))
        }
        _ => Some(bound.unwrap_or_else(|| Command::Unknown(key_name(key)))),
    }
}

fn key_of(event: KeyEvent) -> Option<Key> {
    let held = event.modifiers - KeyModifiers::SHIFT;
    match event.code {
        KeyCode::Modifier(_) | KeyCode::Null => None,
        KeyCode::Char(c) if held == KeyModifiers::CONTROL => Some(Key::Ctrl(c.to_ascii_lowercase())),
        // Some terminals say Tab with Shift held instead of BackTab.
        KeyCode::Tab if event.modifiers.contains(KeyModifiers::SHIFT) => Some(Plain(KeyCode::BackTab)),
        code => Some(Plain(code)),
    }
}

/// Editing a one-line prompt.
fn typing(key: Key) -> Option<Command> {
    let Plain(code) = key else { return None };
    Some(Command::Type(match code {
        KeyCode::Enter => return Some(Command::Enter),
        KeyCode::Char(c) => InputRequest::InsertChar(c),
        KeyCode::Backspace => InputRequest::DeletePrevChar,
        KeyCode::Delete => InputRequest::DeleteNextChar,
        KeyCode::Left => InputRequest::GoToPrevChar,
        KeyCode::Right => InputRequest::GoToNextChar,
        KeyCode::Home => InputRequest::GoToStart,
        KeyCode::End => InputRequest::GoToEnd,
        _ => return None,
    }))
}

/// What a key is called in help, footer and notices.
pub fn key_name(key: Key) -> String {
    match key {
        Key::Ctrl(c) => format!("Ctrl-{}", c.to_ascii_uppercase()),
        Plain(KeyCode::Char(' ')) => "Space".into(),
        Plain(KeyCode::Char(c)) => crate::model::clean(&c.to_string()).into_owned(),
        Plain(KeyCode::Left) => "←".into(),
        Plain(KeyCode::Right) => "→".into(),
        Plain(KeyCode::Up) => "↑".into(),
        Plain(KeyCode::Down) => "↓".into(),
        Plain(KeyCode::PageUp) => "PgUp".into(),
        Plain(KeyCode::PageDown) => "PgDn".into(),
        Plain(KeyCode::BackTab) => "Shift-Tab".into(),
        Plain(code) => code.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_commands_share_a_key_and_none_has_digits() {
        let mut seen: Vec<Key> = Vec::new();
        for binding in BINDINGS {
            for &key in binding.keys {
                assert!(!seen.contains(&key), "{} is bound twice", key_name(key));
                seen.push(key);
            }
            assert!(!binding.keys.is_empty() && !binding.help.is_empty() && !binding.short.is_empty());
        }
        let digits = seen.iter().filter(|key| matches!(key, Plain(KeyCode::Char('1'..='9'))));
        assert_eq!(digits.count(), 0, "1 to 9 begin a count");
    }

    #[test]
    fn only_the_terminals_own_commands_need_ctrl() {
        for binding in BINDINGS {
            let plain = binding.keys.iter().any(|key| matches!(key, Plain(_)));
            assert!(plain || matches!(binding.command, Command::Repaint | Command::Suspend), "{}", binding.help);
        }
    }

    #[test]
    fn every_section_begins_at_a_binding() {
        assert!(SECTIONS.iter().all(|(_, first)| binding_of(first).is_some()));
        assert_eq!(binding_of(&SECTIONS[0].1).map(|binding| &binding.command), Some(&BINDINGS[0].command));
    }
}
