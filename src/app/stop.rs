//! A stop: a condition on the plan, as one line of text, and the steps at which it becomes true.
//!
//! | text | becomes true at |
//! |---|---|
//! | `L1 > 90%`, `L1 >= 4000` | each step after which so much of the level is in use, and was not before it |
//! | `b42`, `acc` or `"b42"` | each step that places, moves, frees or refuses the buffer (by id; by name), and each operation that names it |
//! | `node 1184`, `node conv1` | the step that runs the node (by id; by name) |
//! | `spill`, `no room L1` | each step with such an event, in the level if one is named |
//! | `traffic > 10000` | the step at which the figure passes that |
//!
//! A stop that is switched off has `off` before its text. They are the same steps whichever way the plan plays.

use std::fmt;
use std::str::FromStr;

use crate::input::parse_bytes;
use crate::model::{Name, clean};
use crate::trace::Mark;

/// A condition, switched on or off.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stop {
    /// What must become true.
    pub condition: Condition,
    /// Whether it stops anything.
    pub on: bool,
}

/// What must become true. Levels, buffers and nodes are named as a person names them; whether a plan has them is found
/// out when the stop is set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// A level or a figure comes to an amount.
    Over {
        /// The level's name, or that of the figure.
        what: String,
        /// Whether the amount itself is enough (`>=`).
        at_least: bool,
        /// The amount.
        amount: Amount,
    },
    /// A buffer is touched, by its id.
    Buffer(u64),
    /// A buffer is touched, by its name.
    Named(String),
    /// A node is reached, by its id or name.
    Node(String),
    /// An event of that kind happens, in the level of that name.
    Event(Mark, Option<String>),
}

/// What a level or figure is held against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Amount {
    /// Thousandths of a per cent of the level's capacity.
    Share(u32),
    /// Units of size, cycles, or how many.
    Units(u64),
}

/// Kinds of event by their words; the first of a kind is the one that is written.
const EVENTS: [(&str, Mark); 9] = [
    ("spill", Mark::Spill),
    ("reload", Mark::Reload),
    ("postpone", Mark::Postpone),
    ("wait", Mark::Wait),
    ("no room", Mark::Full),
    ("full", Mark::Full),
    ("failure", Mark::Failure),
    ("fail", Mark::Failure),
    ("postponement", Mark::Postpone),
];

const OFF: &str = "off ";

impl FromStr for Stop {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.trim();
        match without_prefix(text, OFF) {
            Some(rest) => Ok(Self { condition: rest.parse()?, on: false }),
            None => Ok(Self { condition: text.parse()?, on: true }),
        }
    }
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", if self.on { "" } else { OFF }, self.condition)
    }
}

impl FromStr for Condition {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.trim();
        if text.is_empty() {
            return Err("no condition was typed".into());
        }
        if text.chars().any(char::is_control) {
            return Err("a condition has no control characters: name a buffer by its id, as in b42".into());
        }
        if let Some(name) = unquoted(text) {
            return Ok(Self::Named(name.to_owned()));
        }
        if let Some(name) = without_prefix(text, "node ") {
            return Ok(Self::Node(unquoted(name.trim()).unwrap_or(name.trim()).to_owned()));
        }
        if let Some((what, amount)) = text.split_once(['>', '≥']) {
            return over(what, amount, text.contains('≥'));
        }
        if let Some(event) = event(text) {
            return Ok(event);
        }
        let id = text.strip_prefix(['b', 'B']).and_then(|id| id.parse().ok());
        Ok(id.map_or_else(|| Self::Named(text.to_owned()), Self::Buffer))
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Over { what, at_least, amount } => {
                write!(f, "{what} {} {amount}", if *at_least { ">=" } else { ">" })
            }
            Self::Buffer(id) => write!(f, "b{id}"),
            // A name that reads as something else is told from it by quotes.
            Self::Named(name) if name.parse() == Ok(Stop { condition: self.clone(), on: true }) => f.write_str(name),
            Self::Named(name) => write!(f, "\"{name}\""),
            Self::Node(name) => write!(f, "node {name}"),
            Self::Event(mark, level) => {
                f.write_str(event_word(*mark))?;
                level.as_ref().map_or(Ok(()), |level| write!(f, " {level}"))
            }
        }
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Units(units) => write!(f, "{units}"),
            Self::Share(share) if share.is_multiple_of(1000) => write!(f, "{}%", share / 1000),
            Self::Share(share) => {
                let decimals = format!("{:03}", share % 1000);
                write!(f, "{}.{}%", share / 1000, decimals.trim_end_matches('0'))
            }
        }
    }
}

/// The word for events of a kind.
pub(super) fn event_word(mark: Mark) -> &'static str {
    EVENTS.iter().find(|(_, other)| *other == mark).map_or("event", |(word, _)| word)
}

/// `text` behind `prefix`, case aside.
fn without_prefix<'t>(text: &'t str, prefix: &str) -> Option<&'t str> {
    let (head, rest) = text.split_at_checked(prefix.len())?;
    head.eq_ignore_ascii_case(prefix).then_some(rest)
}

fn unquoted(text: &str) -> Option<&str> {
    let inside = |open: char, close: char| text.strip_prefix(open)?.strip_suffix(close);
    inside('"', '"').or_else(|| inside('“', '”'))
}

/// `spill`, `no room L1`, `wait in pool`.
fn event(text: &str) -> Option<Condition> {
    let found = |(word, mark): &(&str, Mark)| {
        let rest = without_prefix(text, word)?;
        let level = rest.trim_start();
        if level.is_empty() {
            return Some(Condition::Event(*mark, None));
        }
        let level = without_prefix(level, "in ").unwrap_or(level).trim();
        let is_word = rest.len() > rest.trim_start().len() && !level.is_empty();
        is_word.then(|| Condition::Event(*mark, Some(level.to_owned())))
    };
    EVENTS.iter().find_map(found)
}

fn over(what: &str, amount: &str, or_equal: bool) -> Result<Condition, String> {
    let what = what.trim().to_owned();
    let (at_least, amount) = match amount.strip_prefix('=') {
        Some(amount) => (true, amount),
        None => (or_equal, amount),
    };
    if what.is_empty() {
        return Err("before > stands a level or a figure, as in L1 > 90% or traffic > 10000".into());
    }
    Ok(Condition::Over { what, at_least, amount: amount_of(amount.trim())? })
}

/// `90%`, `87.5%`, `4000`, `4 096`, `160 MiB`.
fn amount_of(text: &str) -> Result<Amount, String> {
    let wrong = || format!("“{}” is no amount: use a number, a share like 90%, or bytes like 160MiB", clean(text));
    let Some(share) = text.strip_suffix('%') else {
        let digits: String = text.chars().filter(|c| !matches!(c, ' ' | '_')).collect();
        return digits.parse().or_else(|_| parse_bytes(&digits)).map(Amount::Units).map_err(|_| wrong());
    };
    let (whole, decimals) = share.trim().split_once('.').unwrap_or((share.trim(), ""));
    let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !is_digits(whole) || !is_digits(decimals) || decimals.len() > 3 {
        return Err(wrong());
    }
    let thousandths = format!("{whole}{decimals:0<3}");
    thousandths.parse().map(Amount::Share).map_err(|_| wrong())
}

/// Whether `name`, as a person typed it, means the one that a file has: case aside.
pub(super) fn means(typed: &str, name: &Name) -> bool {
    if typed.is_ascii() && name.raw().is_ascii() {
        return name.raw().eq_ignore_ascii_case(typed);
    }
    let mut chars = name.raw().chars().flat_map(char::to_lowercase);
    let mut wanted = typed.chars().flat_map(char::to_lowercase);
    loop {
        match (chars.next(), wanted.next()) {
            (None, None) => return true,
            (a, b) if a == b => {}
            _ => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Stop {
        text.parse().unwrap_or_else(|why| panic!("{text}: {why}"))
    }

    fn over(what: &str, at_least: bool, amount: Amount) -> Condition {
        Condition::Over { what: what.into(), at_least, amount }
    }

    #[test]
    fn each_form_is_read() {
        let level = |name: &str| Some(name.to_owned());
        for (text, expected) in [
            ("L1 > 90%", over("L1", false, Amount::Share(90_000))),
            (" l1>=87.5 % ", over("l1", true, Amount::Share(87_500))),
            ("L1 ≥ 4 096", over("L1", true, Amount::Units(4096))),
            ("pool > 160MiB", over("pool", false, Amount::Units(160 << 20))),
            ("traffic > 10_000", over("traffic", false, Amount::Units(10_000))),
            ("b42", Condition::Buffer(42)),
            ("B7", Condition::Buffer(7)),
            ("\"b42\"", Condition::Named("b42".into())),
            ("“acc > 3”", Condition::Named("acc > 3".into())),
            ("acc[0,1]", Condition::Named("acc[0,1]".into())),
            ("spillway", Condition::Named("spillway".into())),
            ("node 1184", Condition::Node("1184".into())),
            ("NODE “conv 1”", Condition::Node("conv 1".into())),
            ("spill", Condition::Event(Mark::Spill, None)),
            ("Spill in L1", Condition::Event(Mark::Spill, level("L1"))),
            ("no room L0C", Condition::Event(Mark::Full, level("L0C"))),
            ("wait", Condition::Event(Mark::Wait, None)),
            ("fail", Condition::Event(Mark::Failure, None)),
        ] {
            assert_eq!(read(text), Stop { condition: expected.clone(), on: true }, "{text}");
            assert_eq!(read(&format!("off {text}")), Stop { condition: expected, on: false }, "{text}");
        }
    }

    #[test]
    fn what_is_written_reads_back() {
        let names = ["acc", "b42", "spill", "off x", "a > 3", "node 3", "“x”", "\"", "权重", "no room", "x\"y", "off"];
        let named = names.map(|name| Condition::Named(name.into()));
        let shares = [1, 500, 90_000, 87_510, u32::MAX].map(|share| over("L1", true, Amount::Share(share)));
        let units = [0, 4096, u64::MAX].map(|units| over("spills", false, Amount::Units(units)));
        let events = EVENTS.map(|(_, mark)| Condition::Event(mark, Some("L0 A".into())));
        let others = [Condition::Buffer(u64::MAX), Condition::Node("12".into()), Condition::Event(Mark::Full, None)];
        for condition in named.into_iter().chain(shares).chain(units).chain(events).chain(others) {
            for on in [true, false] {
                let stop = Stop { condition: condition.clone(), on };
                assert_eq!(read(&stop.to_string()), stop, "{stop}");
            }
        }
    }

    #[test]
    fn nonsense_is_refused_with_what_to_type() {
        for (text, part) in [
            ("", "no condition"),
            ("> 5", "before >"),
            ("L1 > ", "no amount"),
            ("L1 > much", "no amount"),
            ("L1 > -5", "no amount"),
            ("L1 > 1.5", "no amount"),
            ("L1 > 1.2345%", "no amount"),
            ("L1 > 99999999999%", "no amount"),
            ("traffic > 99999999999999999999", "no amount"),
            ("a\u{1b}[31m", "control"),
        ] {
            let refused = text.parse::<Stop>();
            assert!(refused.as_ref().is_err_and(|why| why.contains(part)), "{text}: {refused:?}");
        }
    }

    #[test]
    fn names_are_compared_case_aside() {
        assert!(means("ACC[0]", &"acc[0]".into()) && means("É", &"é".into()) && means("", &"".into()));
        assert!(!means("acc", &"acc[0]".into()) && !means("acc[0]", &"acc".into()));
    }
}
