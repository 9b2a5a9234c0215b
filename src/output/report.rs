//! The report of a plan for people: plain text, aligned, at most some thirty lines.

use std::fmt::Write;

use crate::engine::bounds;
use crate::engine::search::{GIVEN, ITS_ORDER};
use crate::model::{Fit, Graph, LevelIx, Options, PoolFigures, Problem};
use crate::output::diagnosis::{Role, diagnosis};
use crate::output::labels::{fit, order, policy, unit, victim_rule};
use crate::output::numbers::{above_bound, counted, grouped, percent, seconds};
use crate::output::quantities::in_micros;
use crate::session::{Given, Recorded, Searched, Session};

/// How many holders and how many broken rules are listed; the rest is counted.
const LISTED: usize = 6;

/// The report of `session`; ends with a newline. `repeat`, its last line, is the command that gives the same
/// plan again.
pub fn report(session: &Session, repeat: &str) -> String {
    let mut lines = vec![headline(session), String::new()];
    if session.diagnosis.is_some() {
        lines.extend(failure(session));
        lines.push(String::new());
    }
    lines.extend(subject(session));
    lines.push(String::new());
    if session.diagnosis.is_none() {
        lines.extend(figures(session));
        lines.push(String::new());
    }
    lines.extend(levels(session));
    lines.push(String::new());
    lines.extend(endings(session));
    lines.extend([String::new(), "the same again:".into(), repeat.into()]);
    lines.join("\n") + "\n"
}

fn headline(session: &Session) -> String {
    let name = &session.trace.problem.graph.name;
    if let Some(found) = &session.diagnosis {
        let headline = diagnosis(&session.trace, found).into_iter().find(|line| line.role == Role::Headline);
        return format!("{name}: {}", headline.map_or("No plan.".into(), |line| line.text));
    }
    let spills = match session.figures.spills {
        0 => "no spill".into(),
        spills => counted(spills, "spill"),
    };
    if let Some(recorded) = &session.recorded {
        let what = if recorded.measured { "measured run" } else { "recorded plan" };
        let ended = recorded.ended.as_ref().map_or(String::new(), |ended| format!("; ended early: {ended}"));
        return format!("{name}: {what}, {}, {spills}{ended}", counted(session.figures.steps, "step"));
    }
    let verdict = if session.check.is_valid() { "valid" } else { "BROKEN" };
    format!("{name}: {verdict} plan, {}, {spills}", counted(session.figures.steps, "step"))
}

fn subject(session: &Session) -> Vec<String> {
    let graph = &session.trace.problem.graph;
    let ignored = match graph.ignored_fields {
        0 => String::new(),
        count => format!("; {} ignored", counted(count as u64, "unknown field")),
    };
    let mut lines = vec![entry(
        "graph",
        &format!(
            "{}, {}, {}{ignored}",
            counted(graph.node_count() as u64, "node"),
            counted(graph.edge_count() as u64, "edge"),
            counted(graph.buffers().len() as u64, "buffer")
        ),
    )];
    lines.extend(durations(graph).map(|text| entry("durations", &text)));
    let problem = &session.trace.problem;
    lines.push(entry("machine", &problem.machine.name.to_string()));
    match &session.searched {
        Some(searched) => {
            lines.extend(searched.wanted.from.as_ref().map(|given| entry("from", &from(given))));
            lines.push(entry("search", &search(searched)));
        }
        None => lines.push(entry("order", &order(&session.options))),
    }
    if may_spill(problem) && session.searched.is_none() {
        lines.push(entry("policy", &policy(&session.options)));
        lines.extend(parts(&session.options));
    }
    lines.extend(problem.machine.levels.iter().filter_map(|level| {
        let rules = level.pool()?;
        let age = rules.max_age.map_or(String::new(), |age| format!(", idle for less than {}", grouped(age)));
        Some(entry(level.name.raw(), &format!("buckets {}{age}", rules.buckets)))
    }));
    lines
}

/// The parts of the policy that can be chosen one by one; those that are as usual are left out, but for the first.
fn parts(options: &Options) -> Vec<String> {
    let mut lines = vec![entry("victims", victim_rule(options.victims))];
    if options.fit != Fit::Best {
        lines.push(entry("fit", &format!("{}: {}", options.fit, fit(options.fit))));
    }
    if options.prefetch > 0 {
        let ahead = counted(u64::from(options.prefetch), "operation");
        lines.push(entry("prefetch", &format!("reloads up to {ahead} early, at no further spill")));
    }
    if options.hoist {
        lines.push(entry("hoist", "every FREE right after the last use"));
    }
    lines
}

/// The plan that a search began with.
fn from(given: &Given) -> String {
    let folder = &given.folder;
    match (&given.broken, &given.figures) {
        (Some(broken), _) => format!("the order of the plan in {folder}, which is BROKEN: {broken}"),
        (None, Some(figures)) => {
            let (traffic, makespan) = (grouped(figures.extra_traffic), grouped(figures.makespan));
            format!("the plan in {folder}, valid: extra traffic {traffic}, makespan {makespan}")
        }
        (None, None) => format!("the plan in {folder}, valid"),
    }
}

/// How a search went: from which plan to which, and what found it.
fn search(searched: &Searched) -> String {
    let spent = counted(searched.evaluations, "evaluation");
    let (Some(first), Some(last)) = (searched.history.first(), searched.history.last()) else {
        return format!("{spent}; nothing better than the classic plan");
    };
    let by = format!("best found by: {}, after {}", last.made_by(), grouped(last.evaluations));
    if first.evaluations > 1 {
        return format!("{spent}; the classic policy has no plan ({by})");
    }
    if first == last {
        return match first.phase {
            GIVEN => format!("{spent}; nothing better than the given plan"),
            ITS_ORDER => format!("{spent}; nothing better than the classic policy in the order of the given plan"),
            policy => format!("{spent}; nothing better than the plan of the {policy} policy"),
        };
    }
    let change = |before: u64, now: u64| format!("{} → {}", grouped(before), grouped(now));
    let moved = [first, last].map(|improvement| improvement.figures.extra_traffic);
    let traffic =
        if moved == [0, 0] { String::new() } else { format!("extra traffic {}, ", change(moved[0], moved[1])) };
    let makespan = change(first.figures.makespan, last.figures.makespan);
    format!("{spent}; {traffic}makespan {makespan} ({by})")
}

/// How many durations an operation graph leaves out, and what stands in for them.
fn durations(graph: &Graph) -> Option<String> {
    let facts = graph.operation_graph?;
    let (profile, default) = (facts.durations_from_profile as u64, facts.durations_by_default as u64);
    let sources = [(profile, "from the profile"), (default, "taken as 1 ms")];
    let sources = sources.iter().filter(|(count, _)| *count > 0);
    let sources: Vec<String> = sources.map(|(count, source)| format!("{} {source}", grouped(*count))).collect();
    (!sources.is_empty()).then(|| format!("{} missing: {}", grouped(profile + default), sources.join(", ")))
}

/// The diagnosis below its headline: facts, then who and what in short lists.
fn failure(session: &Session) -> Vec<String> {
    let Some(found) = &session.diagnosis else { return Vec::new() };
    let all = diagnosis(&session.trace, found);
    let of = |role: Role| all.iter().filter(move |line| line.role == role).map(|line| line.text.clone());
    let mut lines: Vec<String> = of(Role::Fact).map(|text| format!("  {text}")).collect();
    lines.extend(section("in the way", of(Role::Blocker)));
    lines.extend(section("held by", of(Role::Holder)));
    lines.extend(section("what works", of(Role::Remedy)));
    lines.extend(section("tried in vain", of(Role::InVain)));
    lines.extend(section("too much", of(Role::Conflict)));
    lines
}

fn section(title: &str, entries: impl Iterator<Item = String>) -> Vec<String> {
    let entries: Vec<String> = entries.collect();
    let mut lines: Vec<String> = entries
        .iter()
        .take(LISTED)
        .enumerate()
        .map(|(at, text)| entry(if at == 0 { title } else { "" }, text))
        .collect();
    if entries.len() > LISTED {
        lines.push(entry("", &format!("and {} more", grouped((entries.len() - LISTED) as u64))));
    }
    lines
}

fn figures(session: &Session) -> Vec<String> {
    let figures = &session.figures;
    let problem = &session.trace.problem;
    let mut rows = vec![("steps", grouped(figures.steps), String::new())];
    if may_spill(problem) {
        rows.push(("spills", grouped(figures.spills), String::new()));
        rows.push(("extra traffic", grouped(figures.extra_traffic), traffic_bound(session)));
    }
    rows.push(("makespan", grouped(figures.makespan), makespan_bound(session)));
    if may_spill(problem) {
        rows.push(("peak stay", grouped(figures.peak_stay), "units live at once outside L0".into()));
    }
    for (level, pool) in problem.machine.levels.iter().zip(&figures.pools).filter(|(level, _)| level.pool().is_some()) {
        rows.push((level.name.raw(), grouped(pool.peak_held), blocks(pool)));
    }
    if figures.main != PoolFigures::default() {
        rows.push(("main memory", grouped(figures.main.peak_held), main_memory(&figures.main)));
    }
    table(&rows)
}

/// Whether some level is no pool: only then can anything be spilled.
fn may_spill(problem: &Problem) -> bool {
    problem.machine.levels.iter().any(|level| level.pool().is_none())
}

/// What stands behind the peak of a pool.
fn blocks(pool: &PoolFigures) -> String {
    let requests = pool.hits + pool.misses;
    let (misses, hits, share) = (grouped(pool.misses), grouped(pool.hits), percent(pool.hits, requests));
    let gone = [(pool.over_cap, "dropped over the cap"), (pool.aged, "aged out")];
    let gone = gone.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!(", {} {what}", grouped(*count)));
    format!(
        "bytes held at most; {misses} new blocks, {hits} used again ({share}){}; waste at most {}",
        gone.collect::<String>(),
        grouped(pool.worst_waste)
    )
}

/// What stands behind the peak of main memory.
fn main_memory(main: &PoolFigures) -> String {
    let aged = if main.aged > 0 { format!(", aged out {}", grouped(main.aged)) } else { String::new() };
    let (hits, misses, waste) = (grouped(main.hits), grouped(main.misses), grouped(main.worst_waste));
    format!("units of blocks held for spills; hits {hits}, misses {misses}{aged}, waste {waste}")
}

fn traffic_bound(session: &Session) -> String {
    let Some(bound) = session.bounds.spill_traffic else { return "units".into() };
    // The bound keeps every ALLOC where it stands, so it says nothing once one has moved.
    let how = match session.reached.postpone {
        0 => above_bound(session.figures.extra_traffic, bound),
        _ => "does not bind here, since ALLOCs moved".into(),
    };
    format!("units; bound {} for this order: {how}", grouped(bound))
}

fn makespan_bound(session: &Session) -> String {
    let bounds = &session.bounds;
    let unit_of_time = if in_micros(&session.trace.problem) { "µs" } else { "cycles" };
    let bound = bounds.makespan();
    if bound == 0 {
        return unit_of_time.into();
    }
    let busiest = bounds.busiest.filter(|&(_, cycles)| cycles > bounds.critical_path);
    let by = busiest.map_or("critical path".into(), |(ix, _)| format!("work of {}", unit(&session.trace.problem, ix)));
    let how = above_bound(session.figures.makespan, bound);
    format!("{unit_of_time}; bound {} for any order ({by}): {how}", grouped(bound))
}

/// Names, numbers flush right, notes.
fn table(rows: &[(&str, String, String)]) -> Vec<String> {
    let width = rows.iter().map(|(_, number, _)| number.len()).max().unwrap_or(0);
    let line = |(name, number, note): &(&str, String, String)| {
        entry(name, &format!("{number:>width$}   {note}")).trim_end().to_owned()
    };
    rows.iter().map(line).collect()
}

/// One row a level: capacity, peak, share, and the two bounds.
fn levels(session: &Session) -> Vec<String> {
    let figures = &session.figures;
    let bounds = &session.bounds;
    let titles = ["level", "capacity", "peak", "", "max live", "operands"].map(str::to_owned);
    let mut rows = vec![titles.to_vec()];
    let number = |values: &[u64], at: usize| values.get(at).map_or("-".into(), |&value| grouped(value));
    for (at, level) in session.trace.problem.machine.levels.iter().enumerate() {
        let peak = figures.peak.get(at).copied().unwrap_or(0);
        rows.push(vec![
            level.name.to_string(),
            grouped(level.capacity),
            grouped(peak),
            percent(peak, level.capacity),
            number(&bounds.max_live, at),
            number(&bounds.operand_set, at),
        ]);
    }
    let mut lines = columns(&rows);
    lines.extend(pool_caps(&session.trace.problem));
    lines.push(
        "  max live: capacity that runs this order without a spill; operands: least capacity, for any order".into(),
    );
    lines
}

/// What share of all its blocks a pool may hold at once.
fn pool_caps(problem: &Problem) -> Vec<String> {
    let levels = (0..problem.level_count()).map(LevelIx::new);
    let pools = levels.filter_map(|level| {
        let (here, blocks) = (problem.level(level), bounds::sum_of_blocks(problem, level)?);
        let (share, all) = (percent(here.capacity, blocks), grouped(blocks));
        (blocks > 0).then(|| format!("  {}: its capacity is {share} of all its blocks together, {all}", here.name))
    });
    pools.collect()
}

/// The first column flush left, the others flush right, as wide as their widest cell on a terminal.
fn columns(rows: &[Vec<String>]) -> Vec<String> {
    use unicode_width::UnicodeWidthStr;
    let count = rows.first().map_or(0, Vec::len);
    let widest = |column: usize| rows.iter().map(|row| row[column].width()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..count).map(widest).collect();
    let line = |row: &Vec<String>| {
        let mut text = String::from("  ");
        for (column, cell) in row.iter().enumerate() {
            let padding = " ".repeat(widths[column].saturating_sub(cell.width()));
            let (before, after) = if column == 0 { ("", padding.as_str()) } else { (padding.as_str(), "") };
            // Writing to a String cannot fail.
            let _ = write!(text, "{before}{cell}{after}   ");
        }
        text.trim_end().to_owned()
    };
    rows.iter().map(line).collect()
}

fn endings(session: &Session) -> Vec<String> {
    let reached = &session.reached;
    let ways = [
        (reached.fits, "found a hole"),
        (reached.spill, "spilled one"),
        (reached.spill_many, "spilled many"),
        (reached.postpone, "put off"),
        (reached.packed, "packed the level"),
    ];
    let ways = ways.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{} {what}", grouped(*count)));
    let ways: Vec<String> = ways.collect();
    let mut lines = Vec::new();
    if session.diagnosis.is_some() {
        let (steps, spills) = (counted(session.figures.steps, "step"), counted(session.figures.spills, "spill"));
        lines.push(entry("so far", &format!("{steps}, {spills}")));
    }
    if !ways.is_empty() {
        lines.push(entry("placements", &ways.join(", ")));
    }
    lines.extend(check_lines(session));
    let took =
        if session.recorded.as_ref().is_some_and(|recorded| recorded.measured) { "ran for" } else { "planned in" };
    lines.push(entry(took, &seconds(session.seconds)));
    lines
}

fn check_lines(session: &Session) -> Vec<String> {
    if session.diagnosis.is_some() {
        return Vec::new();
    }
    if !session.check.is_valid() {
        return section("BROKEN", session.check.broken.iter().map(ToString::to_string));
    }
    match &session.recorded {
        Some(Recorded { ended: Some(_), .. }) => return vec![entry("checked", "not at all, since it ends early")],
        Some(Recorded { measured: true, .. }) => {
            return vec![entry("checked", "rules R1–R6 hold; times are as measured, figures as recorded")];
        }
        _ => {}
    }
    let figures = match &session.check.figures {
        Some(checked) if *checked == session.figures => "figures recomputed and equal",
        Some(_) => "figures recomputed and NOT equal",
        None => "figures not recomputed",
    };
    let mut lines = vec![entry("checked", &format!("rules R1–R6 hold, {figures}"))];
    lines.extend(section("", session.check.notes.iter().cloned()));
    lines
}

/// A name and what it is.
fn entry(name: &str, text: &str) -> String {
    format!("  {name:<13} {text}")
}

#[cfg(test)]
mod tests;
