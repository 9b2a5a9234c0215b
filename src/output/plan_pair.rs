//! Two plans of one graph beside each other, in words: the figures, where they part, which buffers fare differently, and
//! why one of the two is better.

use std::cmp::Reverse;
use std::ops::Range;

use super::check_report::count;
use super::difference::rows;
use super::labels::{buffer_id, buffer_label, step_label};
use super::numbers::{counted, grouped, times};
use super::packing_words::heights_compared;
use super::quantities::duration_words;
use crate::compare::Difference;
use crate::compare::difference::Fate;
use crate::session::Session;
use crate::trace::Trace;

/// Two plans and how they differ; the first is called A, the second B.
#[derive(Clone, Copy, Debug)]
pub struct Pair<'a> {
    /// The plans.
    pub sessions: [&'a Session; 2],
    /// What was changed for either, in words; may be empty.
    pub changes: [&'a str; 2],
    /// How the second differs from the first.
    pub difference: &'a Difference,
}

/// What the sides are called in texts.
pub const SIDES: [&str; 2] = ["A", "B"];

/// How many buffers a sentence names.
const NAMED: usize = 2;
/// How many partings the report lists.
const LISTED: usize = 12;
/// How many buffers the report lists.
const LISTED_BUFFERS: usize = 20;

/// Which plan it is: `plan from DIR`, or how it was planned.
pub fn plan_name(session: &Session) -> String {
    if let Some(seen) = &session.packed {
        return seen.maker.clone();
    }
    if let Some(folder) = session.recorded.as_ref().and_then(|recorded| recorded.from.as_ref()) {
        return format!("plan from {folder}");
    }
    if session.searched.is_some() {
        return "found by a search".into();
    }
    let options = &session.options;
    let pools = session.trace.problem.machine.levels.iter().all(|level| level.pool().is_some());
    let policy = if pools { String::new() } else { format!("{} · ", options.policy_name()) };
    format!("{policy}{} order", options.order)
}

/// What a plan is called beside another: what was changed for it, and which plan it is.
pub fn side_name(session: &Session, change: &str) -> String {
    let name = plan_name(session);
    if change.is_empty() { name } else { format!("{change} · {name}") }
}

/// What is wrong with a plan, in a few words; nothing where it holds.
pub fn fault(session: &Session) -> Option<String> {
    if session.diagnosis.is_some() {
        return Some("no plan".into());
    }
    (!session.check.is_valid()).then(|| format!("BROKEN, {}", count(&session.check)))
}

/// Why one of the two is better: which buffers it moves less.
pub fn why_better(pair: &Pair) -> String {
    let [a, b] = pair.sessions;
    if pair.difference.is_none() {
        return "The two plans are the same, step by step and address by address.".into();
    }
    if pair.sessions.iter().all(|session| session.packed.is_some()) {
        return heights_compared(pair.sessions.map(|session| &session.trace));
    }
    for (side, session) in pair.sessions.into_iter().enumerate() {
        if session.diagnosis.is_some() {
            let ends = counted(session.trace.plan.steps.len() as u64, "step");
            return format!("{} is no plan: it ends after {ends}.", SIDES[side]);
        }
        if !session.check.is_valid() {
            return format!("{} is broken ({}), so its figures say nothing.", SIDES[side], count(&session.check));
        }
    }
    let traffic = [a, b].map(|session| session.figures.extra_traffic);
    let better = usize::from(traffic[1] < traffic[0]);
    if traffic[0] == traffic[1] {
        return same_traffic(pair);
    }
    let saved = grouped(traffic[0].abs_diff(traffic[1]));
    let (name, other) = (SIDES[better], SIDES[1 - better]);
    let buffers = contributions(pair, better);
    let buffers = if buffers.is_empty() { String::new() } else { format!(": {}", buffers.join("; ")) };
    format!("{name} moves {saved} less than {other}{buffers}.")
}

/// The buffers that make most of the difference, and the one that goes against it most.
fn contributions(pair: &Pair, better: usize) -> Vec<String> {
    let worse = 1 - better;
    let graph = &pair.sessions[0].trace.problem.graph;
    let all = grouped(pair.sessions[worse].figures.extra_traffic);
    let saves = |fate: &Fate| fate.traffic[worse].saturating_sub(fate.traffic[better]);
    let costs = |fate: &Fate| fate.traffic[better].saturating_sub(fate.traffic[worse]);
    let mut fates: Vec<&Fate> = pair.difference.buffers.iter().filter(|fate| saves(fate) > 0).collect();
    fates.sort_by_key(|fate| Reverse(saves(fate)));
    let mut told: Vec<String> = Vec::new();
    for fate in fates.iter().take(NAMED) {
        let id = buffer_id(graph, fate.buf);
        let of = if told.is_empty() { format!(" of {all}") } else { String::new() };
        let how = match fate.spills[better] {
            0 => "stays".into(),
            spills => format!("leaves {}, not {}", times(u64::from(spills)), times(u64::from(fate.spills[worse]))),
        };
        told.push(format!("{id} {how}, which saves {}{of}", grouped(saves(fate))));
    }
    if fates.len() > NAMED {
        let rest: u64 = fates[NAMED..].iter().map(|fate| saves(fate)).fold(0, u64::saturating_add);
        told.push(format!("{} more save {}", fates.len() - NAMED, grouped(rest)));
    }
    let against = pair.difference.buffers.iter().filter(|fate| costs(fate) > 0).max_by_key(|fate| costs(fate));
    told.extend(against.map(|fate| format!("{} moves {} more", buffer_id(graph, fate.buf), grouped(costs(fate)))));
    told
}

/// Where traffic tells them not apart, time may.
fn same_traffic(pair: &Pair) -> String {
    let [a, b] = pair.sessions.map(|session| &session.figures);
    let problem = &pair.sessions[0].trace.problem;
    let moved = match a.extra_traffic {
        0 => "Neither moves anything".into(),
        traffic => format!("Both move {}", grouped(traffic)),
    };
    let places = counted(pair.difference.partings.len() as u64, "place");
    match a.makespan.abs_diff(b.makespan) {
        0 => format!("{moved} and they take equally long; order or addresses differ at {places}."),
        saved => {
            let faster = SIDES[usize::from(b.makespan < a.makespan)];
            format!("{moved}; {faster} takes {} less.", duration_words(problem, saved))
        }
    }
}

/// For people; ends with a newline. `repeat` is the command that gives the same again.
pub fn text(pair: &Pair, repeat: &str) -> String {
    let problem = &pair.sessions[0].trace.problem;
    let mut lines = vec![format!("{}: two plans", problem.graph.name), String::new()];
    for (side, session) in pair.sessions.into_iter().enumerate() {
        let fault = fault(session).map_or(String::new(), |fault| format!(" · {fault}"));
        lines.push(format!("  {}  {}{fault}", SIDES[side], side_name(session, pair.changes[side])));
        let ended = session.recorded.as_ref().and_then(|recorded| recorded.ended.as_ref());
        lines.extend(ended.map(|ended| format!("     {ended}")));
    }
    lines.push(String::new());
    lines.extend(figures(pair));
    lines.extend([String::new(), why_better(pair)]);
    lines.extend(partings(pair));
    lines.extend(buffers(pair));
    lines.extend([String::new(), "the same again:".into(), repeat.into()]);
    lines.join("\n") + "\n"
}

fn figures(pair: &Pair) -> Vec<String> {
    let rows = rows(pair.sessions[0], pair.sessions[1]);
    let cells = rows.iter().map(|row| [row.name.clone(), row.before.clone(), row.now.clone(), change(row)]);
    table(["", "A", "B", "A to B"], &cells.collect::<Vec<_>>())
}

fn change(row: &super::difference::Row) -> String {
    if row.share.is_empty() { row.change.clone() } else { format!("{} {}", row.change, row.share) }
}

fn partings(pair: &Pair) -> Vec<String> {
    let partings = &pair.difference.partings;
    let Some(first) = partings.first() else { return Vec::new() };
    let begins = first.steps[0].start;
    let mut lines = vec![String::new()];
    lines.push(format!("They part at {}, first at step {begins}:", counted(partings.len() as u64, "place")));
    let cells = partings
        .iter()
        .take(LISTED)
        .map(|parting| [0, 1].map(|side| parting_run(&pair.sessions[side].trace, &parting.steps[side])));
    lines.extend(table(["A", "B"], &cells.collect::<Vec<_>>()));
    if partings.len() > LISTED {
        lines.push(format!("  … and {} more", grouped((partings.len() - LISTED) as u64)));
    }
    lines
}

/// The steps of one side of a parting: `233–234 SPILL_OUT b70, …`.
pub fn parting_run(trace: &Trace, steps: &Range<u32>) -> String {
    let name = |step: u32| trace.step(step as usize).map_or(String::new(), |what| step_label(trace, what));
    match steps.len() {
        0 => format!("nothing before step {}", steps.start),
        1 => format!("step {}: {}", steps.start, name(steps.start)),
        2 => format!("steps {}–{}: {}, {}", steps.start, steps.end - 1, name(steps.start), name(steps.start + 1)),
        _ => format!("steps {}–{}: {}, …", steps.start, steps.end - 1, name(steps.start)),
    }
}

fn buffers(pair: &Pair) -> Vec<String> {
    let fates = &pair.difference.buffers;
    if fates.is_empty() {
        return vec![String::new(), "No buffer fares differently.".into()];
    }
    let graph = &pair.sessions[0].trace.problem.graph;
    let mut lines = vec![String::new(), format!("{} differently:", fare(fates.len()))];
    let cells = fates.iter().take(LISTED_BUFFERS).map(|fate| {
        let [a, b] = [0, 1].map(|side| grouped(u64::from(fate.spills[side])));
        [buffer_label(graph, fate.buf), a, b, what_differs(fate)]
    });
    lines.extend(table(["", "spills A", "B", "A to B"], &cells.collect::<Vec<_>>()));
    if fates.len() > LISTED_BUFFERS {
        lines.push(format!("  … and {} more", grouped((fates.len() - LISTED_BUFFERS) as u64)));
    }
    lines
}

fn fare(count: usize) -> String {
    if count == 1 { "1 buffer fares".into() } else { format!("{} buffers fare", grouped(count as u64)) }
}

/// In what a buffer fares differently, in few words: by how much B moves it more or less, else what differs.
pub fn what_differs(fate: &Fate) -> String {
    let [a, b] = fate.traffic;
    match () {
        () if a > b => format!("-{} moved", grouped(a - b)),
        () if a < b => format!("+{} moved", grouped(b - a)),
        () if fate.moves_differ => "at other times".into(),
        () => match fate.offset {
            [Some(a), Some(b)] => format!("at {a} → {b}"),
            _ => "only in one".into(),
        },
    }
}

/// Aligned columns: the first and, where there are only two, all at their left.
fn table<const N: usize>(titles: [&str; N], cells: &[[String; N]]) -> Vec<String> {
    use unicode_width::UnicodeWidthStr;
    let titles = titles.map(str::to_owned);
    let rows: Vec<&[String; N]> = [&titles].into_iter().chain(cells).collect();
    let wide: Vec<usize> = (0..N).map(|at| rows.iter().map(|row| row[at].width()).max().unwrap_or(0)).collect();
    let cell = |at: usize, text: &str| {
        let pad = " ".repeat(wide[at] - text.width());
        if at == 0 || N == 2 { format!("{text}{pad}") } else { format!("{pad}{text}") }
    };
    let line = |row: &[String; N]| {
        let cells: Vec<String> = row.iter().enumerate().map(|(at, text)| cell(at, text)).collect();
        format!("  {}", cells.join("  ")).trim_end().to_owned()
    };
    rows.into_iter().map(line).collect()
}
