//! The keys as they are bound: those of the table, or the person's own.

use std::fmt;

use crossterm::event::KeyCode;

use super::Command;
use super::keymap::{BINDINGS, Binding, Key, LESSON_BINDINGS, key_name};

/// Which keys each row of [`BINDINGS`] has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Keymap {
    /// In the order of the table.
    keys: Vec<Vec<Key>>,
}

/// Why an action cannot have a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// There is no such action; the nearest one, if any is near.
    NoAction(Option<String>),
    /// 1 to 9 begin a count.
    Digit,
    /// The key is that of two actions, of which these are the names.
    Twice(String, String),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoAction(_) => write!(f, "there is no such action"),
            Self::Digit => write!(f, "1 to 9 begin a count and cannot be the key of an action"),
            Self::Twice(one, other) => write!(f, "{one} and {other} have the same key"),
        }
    }
}

impl Default for Keymap {
    fn default() -> Self {
        Self { keys: BINDINGS.iter().map(|binding| binding.keys.to_vec()).collect() }
    }
}

impl Keymap {
    /// The rows of the table with their keys as they are now.
    pub fn rows(&self) -> impl Iterator<Item = (&'static Binding, &[Key])> {
        BINDINGS.iter().zip(self.keys.iter().map(Vec::as_slice))
    }

    /// The keys of a command; none where it has none.
    pub fn keys_of(&self, command: &Command) -> &[Key] {
        let row = self.rows().find(|(binding, _)| binding.command == *command).map(|(_, keys)| keys);
        // Those of lessons are as they are.
        let fixed = || LESSON_BINDINGS.iter().find(|binding| binding.command == *command).map(|binding| binding.keys);
        row.or_else(fixed).unwrap_or(&[])
    }

    /// The row that a key belongs to.
    pub fn bound(&self, key: Key) -> Option<&'static Binding> {
        self.rows().find(|(_, keys)| keys.contains(&key)).map(|(binding, _)| binding)
    }

    /// What the first key of a command is called; with `ascii`, the first whose name is ASCII, since an arrow folded
    /// to ASCII would name another key. A command without a key is told by its action.
    pub fn name_of(&self, command: &Command, ascii: bool) -> String {
        let mut names = self.keys_of(command).iter().map(|&key| key_name(key));
        names.find(|name| !ascii || name.is_ascii()).unwrap_or_else(|| format!("({})", action(command)))
    }

    /// Gives an action these keys in place of its own. Esc and what terminals have Ctrl for stay what they are. Whether
    /// two actions now share a key is asked when all have theirs ([`shared`](Self::shared)).
    ///
    /// # Errors
    /// Where there is no such action, or a key is a digit.
    pub fn rebind(&mut self, name: &str, keys: &[Key]) -> Result<(), Refusal> {
        let Some(at) = BINDINGS.iter().position(|binding| action(&binding.command) == name) else {
            let names = BINDINGS.iter().map(|binding| action(&binding.command));
            let near = names.max_by(|a, b| strsim::jaro(a, name).total_cmp(&strsim::jaro(b, name)));
            return Err(Refusal::NoAction(near.filter(|near| strsim::jaro(near, name) > NEAR)));
        };
        if keys.iter().any(|key| matches!(key, Key::Plain(KeyCode::Char('1'..='9')))) {
            return Err(Refusal::Digit);
        }
        let fixed = BINDINGS[at].keys.iter().copied().filter(|&key| is_fixed(key) && !keys.contains(&key));
        self.keys[at] = keys.iter().copied().chain(fixed).collect();
        Ok(())
    }

    /// The first key that two actions have.
    pub fn shared(&self) -> Option<(Key, Refusal)> {
        for (at, keys) in self.keys.iter().enumerate() {
            for &key in keys {
                let other = self.keys[at + 1..].iter().position(|keys| keys.contains(&key));
                if let Some(after) = other {
                    let [one, other] = [at, at + 1 + after].map(|at| action(&BINDINGS[at].command));
                    return Some((key, Refusal::Twice(one, other)));
                }
            }
        }
        None
    }
}

/// How alike a misspelt action has to be to be suggested (Jaro similarity).
const NEAR: f64 = 0.75;

/// Keys that keep their meaning: Esc always leads back, and Ctrl-C must end a program even where letters are typed.
fn is_fixed(key: Key) -> bool {
    matches!(key, Key::Ctrl(_) | Key::Plain(KeyCode::Esc))
}

/// What an action is called in the configuration: its command, `Step(Forward)`, as `step-forward`. Made from the
/// command, so that a row of the table cannot lack a name or have that of another.
pub fn action(command: &Command) -> String {
    let mut name = String::new();
    for c in format!("{command:?}").chars().filter(|c| *c != ')' && *c != ' ') {
        match c {
            '(' | ',' => name.push('-'),
            c if c.is_uppercase() && !name.is_empty() && !name.ends_with('-') => {
                name.push('-');
                name.extend(c.to_lowercase());
            }
            c => name.extend(c.to_lowercase()),
        }
    }
    name
}

/// Keys that have a name; of two names for one key, the first is the one that is written.
const NAMED: [(&str, KeyCode); 18] = [
    ("Space", KeyCode::Char(' ')),
    ("Enter", KeyCode::Enter),
    ("Esc", KeyCode::Esc),
    ("Tab", KeyCode::Tab),
    ("Shift-Tab", KeyCode::BackTab),
    ("BackTab", KeyCode::BackTab),
    ("Backspace", KeyCode::Backspace),
    ("Insert", KeyCode::Insert),
    ("Delete", KeyCode::Delete),
    ("Left", KeyCode::Left),
    ("Right", KeyCode::Right),
    ("Up", KeyCode::Up),
    ("Down", KeyCode::Down),
    ("PgUp", KeyCode::PageUp),
    ("PgDn", KeyCode::PageDown),
    ("Home", KeyCode::Home),
    ("End", KeyCode::End),
    ("Del", KeyCode::Delete),
];

/// What names of keys there are, for messages.
pub const KEY_NAMES: &str = "Space, Enter, Esc, Tab, Shift-Tab, Backspace, Insert, Delete, Left, Right, Up, Down, PgUp, PgDn, Home, End, F1 to F12";

/// The key of that name: a character, one of [`KEY_NAMES`] or `F1` to `F12`.
pub fn key_named(name: &str) -> Option<KeyCode> {
    let mut chars = name.chars();
    if let (Some(only), None) = (chars.next(), chars.next()) {
        return (!only.is_control()).then_some(KeyCode::Char(only));
    }
    let function = name.strip_prefix('F').and_then(|number| number.parse::<u8>().ok());
    let function = function.filter(|number| (1..=12).contains(number)).map(KeyCode::F);
    let named = NAMED.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
    named.map(|(_, code)| *code).or(function)
}

/// The name by which [`key_named`] knows a key; `None` for keys with Ctrl, which are not in the person's hands.
pub fn written(key: Key) -> Option<String> {
    let Key::Plain(code) = key else { return None };
    let named = NAMED.iter().find(|(_, known)| *known == code).map(|(name, _)| (*name).to_owned());
    named.or(match code {
        KeyCode::Char(c) => Some(c.to_string()),
        KeyCode::F(number) => Some(format!("F{number}")),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::super::{Dir, Zoom};
    use super::*;
    use crate::trace::Mark;

    fn plain(c: char) -> Key {
        Key::Plain(KeyCode::Char(c))
    }

    #[test]
    fn actions_have_names_of_their_own() {
        assert_eq!(action(&Command::Step(Dir::Forward)), "step-forward");
        assert_eq!(action(&Command::Mark(Mark::Spill, Dir::Back)), "mark-spill-back");
        assert_eq!(action(&Command::Zoom(Zoom::In)), "zoom-in");
        assert_eq!(action(&Command::SearchSelected), "search-selected");
        let mut names: Vec<String> = BINDINGS.iter().map(|binding| action(&binding.command)).collect();
        assert!(names.iter().all(|name| name.chars().all(|c| c.is_ascii_lowercase() || c == '-')), "{names:?}");
        names.sort();
        names.dedup();
        assert_eq!(names.len(), BINDINGS.len());
    }

    #[test]
    fn every_key_of_the_table_can_be_written_and_read() {
        for (_, keys) in Keymap::default().rows() {
            for &key in keys {
                let Some(name) = written(key) else {
                    assert!(matches!(key, Key::Ctrl(_)), "{key:?}");
                    continue;
                };
                assert_eq!(key_named(&name).map(Key::Plain), Some(key));
            }
        }
        assert_eq!(key_named("f5"), None);
        assert_eq!(key_named("F5"), Some(KeyCode::F(5)));
        assert_eq!([key_named("F13"), key_named(""), key_named("Hyper"), key_named("\u{7}")], [None; 4]);
        assert_eq!(key_named("pgup"), Some(KeyCode::PageUp));
    }

    #[test]
    fn a_key_goes_over_to_another_action_once_the_first_has_another() {
        let mut keymap = Keymap::default();
        assert_eq!(keymap.shared(), None);
        keymap.rebind("step-forward", &[plain('s')]).expect("an action");
        let (key, refusal) = keymap.shared().expect("s is the next spill too");
        assert_eq!(key, plain('s'));
        assert_eq!(refusal, Refusal::Twice("step-forward".into(), "mark-spill-forward".into()));
        keymap.rebind("mark-spill-forward", &[plain('l')]).expect("an action");
        assert_eq!(keymap.shared(), None);
        assert_eq!(keymap.bound(plain('s')).map(|row| &row.command), Some(&Command::Step(Dir::Forward)));
        assert_eq!(keymap.name_of(&Command::Mark(Mark::Spill, Dir::Forward), true), "l");
    }

    #[test]
    fn the_way_out_cannot_be_lost() {
        let mut keymap = Keymap::default();
        for name in ["quit", "escape", "repaint"] {
            keymap.rebind(name, &[]).expect("an action");
        }
        assert_eq!(keymap.keys_of(&Command::Quit), [Key::Ctrl('c')]);
        assert_eq!(keymap.keys_of(&Command::Escape), [Key::Plain(KeyCode::Esc)]);
        keymap.rebind("help", &[Key::Plain(KeyCode::Esc)]).expect("an action");
        assert!(keymap.shared().is_some(), "Esc stays with escape");
        keymap.rebind("help", &[]).expect("an action");
        assert_eq!(keymap.name_of(&Command::Help, false), "(help)");
    }

    #[test]
    fn what_is_no_action_or_a_digit_is_refused() {
        let mut keymap = Keymap::default();
        assert_eq!(
            keymap.rebind("step-foward", &[]),
            Err(Refusal::NoAction(Some("step-forward".into()))),
            "the nearest is named"
        );
        assert_eq!(keymap.rebind("?!", &[]), Err(Refusal::NoAction(None)));
        assert_eq!(keymap.rebind("quit", &[plain('7')]), Err(Refusal::Digit));
        assert_eq!(keymap, Keymap::default());
    }
}
