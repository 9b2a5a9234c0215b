//! The figures of two plans of one graph beside each other.

use std::cmp::Ordering;

use crate::model::LevelIx;
use crate::output::numbers::grouped;
use crate::output::quantities::{duration, size};
use crate::session::Session;

/// One figure of two plans.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// What it is called.
    pub name: String,
    /// Of the first plan; a dash where that has none.
    pub before: String,
    /// Of the second.
    pub now: String,
    /// From the first to the second: `+8`, `-1 536`, `=`; empty where one of the two has none.
    pub change: String,
    /// The same as a share of the first: `-42%`; empty where that says nothing.
    pub share: String,
    /// Whether the second is better (smaller); `None` where they are equal or cannot be compared.
    pub better: Option<bool>,
}

/// Spills, traffic, time and peaks of two plans, as far as either has them.
pub fn rows(before: &Session, now: &Session) -> Vec<Row> {
    let problem = &now.trace.problem;
    let (was, is) = (&before.figures, &now.figures);
    let count = |amount: u64| grouped(amount);
    let time = |amount: u64| duration(problem, amount);
    let pairs = Pairs { has: [before, now].map(|session| session.diagnosis.is_none() && session.check.is_valid()) };
    let mut rows = Vec::new();
    if problem.machine.levels.iter().any(|level| level.pool().is_none()) {
        rows.push(pairs.row("spills", was.spills, is.spills, &count));
        rows.push(pairs.row("extra traffic", was.extra_traffic, is.extra_traffic, &count));
    }
    rows.push(pairs.row("makespan", was.makespan, is.makespan, &time));
    for at in 0..problem.level_count() {
        let level = problem.level(LevelIx::new(at));
        let in_level = |amount: u64| size(level, amount);
        let [was_peak, is_peak] = [was, is].map(|figures| figures.peak.get(at).copied().unwrap_or(0));
        if was_peak.max(is_peak) > 0 {
            rows.push(pairs.row(&format!("peak {}", level.name), was_peak, is_peak, &in_level));
        }
        if level.pool().is_some() {
            let [was, is] = [was, is].map(|figures| figures.pools.get(at).copied().unwrap_or_default());
            rows.push(pairs.row(&format!("held {}", level.name), was.peak_held, is.peak_held, &in_level));
            rows.push(pairs.row("new blocks", was.misses, is.misses, &count));
        }
    }
    rows
}

struct Pairs {
    /// Whether there is a first, a second plan.
    has: [bool; 2],
}

impl Pairs {
    fn row(&self, name: &str, was: u64, is: u64, text: &dyn Fn(u64) -> String) -> Row {
        let shown = |has: bool, amount: u64| if has { text(amount) } else { "–".into() };
        let both = self.has == [true, true];
        Row {
            name: name.to_owned(),
            before: shown(self.has[0], was),
            now: shown(self.has[1], is),
            change: if both { change(was, is, text) } else { String::new() },
            share: if both { share(was, is) } else { String::new() },
            better: (both && was != is).then_some(is < was),
        }
    }
}

fn change(was: u64, is: u64, text: &dyn Fn(u64) -> String) -> String {
    match was.cmp(&is) {
        Ordering::Equal => "=".into(),
        Ordering::Less => format!("+{}", text(is - was)),
        Ordering::Greater => format!("-{}", text(was - is)),
    }
}

fn share(was: u64, is: u64) -> String {
    let sign = if was < is { '+' } else { '-' };
    match u128::from(was.abs_diff(is)) * 100 / u128::from(was.max(1)) {
        _ if was == is || was == 0 => String::new(),
        0 => format!("{sign}<1%"),
        share => format!("{sign}{share}%"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_has_its_sign_and_its_share() {
        let text = |amount: u64| grouped(amount);
        let changes = [(10, 10), (10, 18), (3584, 2048), (0, 5), (1000, 1001), (5, 0)];
        let told = changes.map(|(was, is)| [change(was, is, &text), share(was, is)].join(" "));
        assert_eq!(told, ["= ", "+8 +80%", "-1 536 -42%", "+5 ", "+1 +<1%", "-5 -100%"]);
    }
}
