//! The figures that a caption can name.

use super::fill::Scene;
use crate::model::{BufIx, Event, LevelIx, NodeIx, Problem, clean};
use crate::output::labels::{buffer_label, node_label};
use crate::output::numbers::{counted, grouped};
use crate::output::quantities::{duration, duration_words, moment, size};
use crate::session::Session;
use crate::trace::{Mark, Place, State};

/// Of the plan as a whole.
const OF_PLAN: &str = "step, steps, spills, postponements, waits, extra_traffic, makespan, critical_path, window, \
                       evaluations";
/// Of a buffer: that of the moment, or the one named behind a point.
const OF_BUFFER: &str = "buffer, size, block, cost, life, score, next_use, offset, readers";
/// Of a level: that of the buffer, or the one named behind a point.
const OF_LEVEL: &str =
    "level, capacity, used, free, hole, holes, residents, peak, needs, hits, misses, drops, held, waste";
/// Of an operation: that of the moment, or the one named behind a point.
const OF_NODE: &str = "node, start, end, takes, slack";

/// What is wrong, and what would be right.
type Wrong = (String, String);

/// The level of that name.
pub(super) fn level_named(problem: &Problem, name: &str) -> Option<LevelIx> {
    problem.machine.levels.iter().position(|level| level.name.raw() == name).map(LevelIx::new)
}

/// The buffer of that name.
pub(super) fn buffer_named(problem: &Problem, name: &str) -> Option<BufIx> {
    let graph = &problem.graph;
    let mut all = (0..graph.buffers().len()).map(BufIx::new);
    all.find(|&buf| graph.buffer_name(buf).is_some_and(|found| found.raw() == name))
}

/// The node of that name, an operation before an ALLOC; or `KIND n`, the nth operation of a kind, counted from 1.
pub(super) fn node_named(problem: &Problem, name: &str) -> Option<NodeIx> {
    let graph = &problem.graph;
    let named = |node: &NodeIx| graph.node(*node).name.as_ref().is_some_and(|found| found.raw() == name);
    let is_op = |node: &NodeIx| graph.node(*node).kind.is_op();
    let by_name = graph.node_ixs().filter(is_op).find(named).or_else(|| graph.node_ixs().find(named));
    by_name.or_else(|| {
        let (kind, nth) = name.rsplit_once(' ')?;
        let nth: usize = nth.parse().ok()?;
        graph.node_ixs().filter(|&node| graph.op_name(node) == kind).nth(nth.checked_sub(1)?)
    })
}

/// What `inside` stands for at `scene`.
pub(super) fn value(scene: &Scene, inside: &str) -> Result<String, Wrong> {
    let (name, of) = match inside.split_once('.') {
        Some((name, of)) => (name, Some(of)),
        None => (inside, None),
    };
    let lists = |list: &str| list.split(", ").any(|known| known == name);
    match name {
        _ if lists(OF_PLAN) && of.is_none() => Ok(of_plan(scene, name)),
        _ if lists(OF_BUFFER) => of_buffer(scene, name, buffer(scene, inside, of)?),
        _ if lists(OF_LEVEL) => Ok(of_level(scene, name, level(scene, inside, of)?)),
        _ if lists(OF_NODE) => of_node(scene, name, node(scene, inside, of)?),
        _ => Err((
            format!("there is no placeholder `{{{}}}`", clean(inside)),
            format!("use {OF_PLAN}; of a buffer {OF_BUFFER}; of a level {OF_LEVEL}; of an operation {OF_NODE}"),
        )),
    }
}

fn wrong<T>(inside: &str, what: &str, advice: &str) -> Result<T, Wrong> {
    Err((format!("`{{{}}}`: {what}", clean(inside)), advice.into()))
}

fn buffer(scene: &Scene, inside: &str, of: Option<&str>) -> Result<BufIx, Wrong> {
    match of.map_or(scene.buf, |name| buffer_named(&scene.session.trace.problem, name)) {
        Some(buf) => Ok(buf),
        None if of.is_some() => wrong(inside, "there is no buffer of that name", ""),
        None => wrong(inside, "this moment is about no buffer", "name one behind a point, as in {size.W4}"),
    }
}

fn level(scene: &Scene, inside: &str, of: Option<&str>) -> Result<LevelIx, Wrong> {
    let problem = &scene.session.trace.problem;
    let only = (problem.level_count() == 1).then(|| LevelIx::new(0));
    match of.map_or(scene.buf.map(|buf| problem.level_of(buf)).or(only), |name| level_named(problem, name)) {
        Some(level) => Ok(level),
        None if of.is_some() => wrong(inside, "the machine has no level of that name", ""),
        None => wrong(inside, "this moment is about no level", "name one behind a point, as in {used.L1}"),
    }
}

fn node(scene: &Scene, inside: &str, of: Option<&str>) -> Result<NodeIx, Wrong> {
    match of.map_or(scene.node, |name| node_named(&scene.session.trace.problem, name)) {
        Some(node) => Ok(node),
        None if of.is_some() => wrong(inside, "there is no operation of that name", ""),
        None => wrong(inside, "this moment is about no operation", "name one behind a point, as in {start.conv}"),
    }
}

fn of_plan(scene: &Scene, name: &str) -> String {
    let Session { trace, figures, bounds, searched, .. } = scene.session;
    let marks = |mark: Mark| grouped(trace.marks(mark).len() as u64);
    match name {
        "step" => scene.step.to_string(),
        "steps" => grouped(trace.step_count() as u64),
        "spills" => grouped(figures.spills),
        "postponements" => marks(Mark::Postpone),
        "waits" => marks(Mark::Wait),
        "extra_traffic" => grouped(figures.extra_traffic),
        "makespan" => duration(&trace.problem, figures.makespan),
        "critical_path" => duration(&trace.problem, bounds.critical_path),
        "window" => trace.problem.machine.window.map_or_else(|| "none".into(), |window| window.to_string()),
        _ => searched.as_ref().map_or_else(|| "0".into(), |searched| grouped(searched.evaluations)),
    }
}

/// The state at the scene.
fn state(scene: &Scene) -> State {
    let trace = &scene.session.trace;
    let mut cursor = trace.cursor();
    if trace.step_count() > 0 {
        trace.seek_step(&mut cursor, scene.step);
    }
    cursor.state().clone()
}

fn of_buffer(scene: &Scene, name: &str, buf: BufIx) -> Result<String, Wrong> {
    let trace = &scene.session.trace;
    let problem = &trace.problem;
    let level = problem.level(problem.level_of(buf));
    Ok(match name {
        "buffer" => buffer_label(&problem.graph, buf),
        "size" => size(level, problem.graph.buffer(buf).size),
        "block" => size(level, problem.space_of(buf)),
        "cost" => grouped(problem.spill_cost(buf)),
        "next_use" => match next_use(scene, buf) {
            Some(step) => step.to_string(),
            None => return wrong(name, "that buffer is never used again", ""),
        },
        "offset" => match state(scene).place(buf) {
            Place::Resident(offset) => offset.to_string(),
            _ => return wrong(name, "that buffer is not resident here", ""),
        },
        "readers" => {
            let reads = |event: &&Event| matches!(event, Event::Read { buf: read, .. } if *read == buf);
            grouped(trace.events().iter().filter(reads).count() as u64)
        }
        _ => match candidate(scene, buf) {
            Some((life, _)) if name == "life" => grouped(u64::from(life)),
            Some((_, score)) => grouped(score),
            None => return wrong(name, "that buffer is no candidate in the decision here", ""),
        },
    })
}

/// The next step that uses `buf` or frees it.
fn next_use(scene: &Scene, buf: BufIx) -> Option<usize> {
    let graph = &scene.session.trace.problem.graph;
    let users = graph.users(buf).iter().copied().chain(graph.buffer(buf).free);
    users.filter_map(|node| scene.session.trace.step_of(node)).filter(|&step| step > scene.step).min()
}

/// Life (the steps that the rule counts) and score of `buf` in the decision of this step; before a decision, in that of the next.
fn candidate(scene: &Scene, buf: BufIx) -> Option<(u32, u64)> {
    let trace = &scene.session.trace;
    let mut runs =
        (scene.step..=scene.step + 1).filter(|&step| step < trace.step_count()).flat_map(|step| trace.run(step));
    runs.find_map(|event| match *event {
        Event::Candidate { buf: of, steps, score, .. } if of == buf => Some((steps, score)),
        _ => None,
    })
}

fn of_level(scene: &Scene, name: &str, ix: LevelIx) -> String {
    let Session { trace, figures, bounds, .. } = scene.session;
    let level = trace.problem.level(ix);
    let pool = &figures.pools[ix.at()];
    let holes = || state(scene).holes(&trace.problem, ix);
    let lengths = |holes: Vec<(u64, u64)>| holes.into_iter().map(|(start, end)| end - start).collect::<Vec<_>>();
    let used = || state(scene).level(ix).used;
    match name {
        "level" => level.name.to_string(),
        "capacity" => size(level, level.capacity),
        "used" => size(level, used()),
        "free" => size(level, level.capacity.saturating_sub(used())),
        "hole" => size(level, lengths(holes()).into_iter().max().unwrap_or(0)),
        "holes" => grouped(holes().len() as u64),
        "residents" => grouped(state(scene).level(ix).by_address.len() as u64),
        "peak" => size(level, figures.peak[ix.at()]),
        "needs" => size(level, bounds.max_live.get(ix.at()).copied().unwrap_or(0)),
        "hits" => grouped(pool.hits),
        "misses" => grouped(pool.misses),
        "drops" => grouped(pool.over_cap),
        "held" => size(level, pool.peak_held),
        _ => size(level, pool.worst_waste),
    }
}

fn of_node(scene: &Scene, name: &str, node: NodeIx) -> Result<String, Wrong> {
    let Session { trace, starts, .. } = scene.session;
    let problem = &trace.problem;
    if name == "node" {
        return Ok(node_label(&problem.graph, node));
    }
    if name == "slack" {
        let slack = starts.slack(node);
        return Ok(if slack == 0 { "none".into() } else { duration_words(problem, slack) });
    }
    let Some((start, end)) = trace.step_of(node).and_then(|step| trace.time_of(step)) else {
        return wrong(name, "that operation never runs", "");
    };
    Ok(match name {
        "start" => moment(problem, start),
        "end" => moment(problem, end),
        _ => duration_words(problem, end - start),
    })
}

/// The figures of a plan in a line, for comparing it with another.
pub(super) fn line(session: &Session) -> String {
    let Session { trace, figures, .. } = session;
    let problem = &trace.problem;
    if session.diagnosis.is_some() {
        return "no plan".into();
    }
    let mut parts = Vec::new();
    if let Some(at) = problem.machine.levels.iter().position(|level| level.pool().is_some()) {
        let pool = &figures.pools[at];
        parts.push(format!("pool {}", size(&problem.machine.levels[at], pool.peak_held)));
        parts.push(format!("{}, {} reused", counted(pool.misses, "new block"), grouped(pool.hits)));
    } else {
        parts.push(counted(figures.spills, "spill"));
        parts.push(format!("{} moved", grouped(figures.extra_traffic)));
    }
    parts.push(duration_words(problem, figures.makespan));
    parts.join(", ")
}
