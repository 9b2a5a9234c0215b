//! What buffers, nodes, levels and rules are called in texts. Ids always, names where the file gives one; whatever
//! came from outside is cleaned, so that every text here is safe to print.

use crate::model::{
    BufIx, Fallback, Fit, Graph, Level, LevelIx, NodeIx, NodeKind, Options, Problem, Step, UnitIx, VictimRule, clean,
};
use crate::output::numbers::times;
use crate::trace::{LETTERS, Trace};

/// `b42`; in a graph whose nodes are told apart by name, the name: that of the operation whose output it is.
pub fn buffer_id(graph: &Graph, buf: BufIx) -> String {
    match graph.buffer_name(buf).filter(|_| graph.by_name()) {
        Some(name) => name.to_string(),
        None => format!("b{}", graph.buffer(buf).id),
    }
}

/// `b42`, with its name where it has one: `b42 “acc[0,1]”`.
pub fn buffer_label(graph: &Graph, buf: BufIx) -> String {
    match graph.buffer_name(buf) {
        Some(name) if !graph.by_name() => format!("{} “{name}”", buffer_id(graph, buf)),
        _ => buffer_id(graph, buf),
    }
}

/// A buffer in a sentence: [`buffer_label`], or `the output of conv12` in a graph whose nodes are told apart by name.
pub fn buffer_words(graph: &Graph, buf: BufIx) -> String {
    match graph.buffer_name(buf).filter(|_| graph.operation_graph.is_some()) {
        // Only the graph's inputs are in main memory from the start.
        Some(name) if graph.buffer(buf).backed => format!("the input {name}"),
        Some(name) => format!("the output of {name}"),
        None => buffer_label(graph, buf),
    }
}

/// `1184 MATMUL`, `1201 FREE b3`: id and kind, with the buffer for ALLOC and FREE. In a graph whose nodes are told apart
/// by name: `conv12`, `FREE conv12`.
pub fn node_id(graph: &Graph, node: NodeIx) -> String {
    let op = clean(graph.op_name(node));
    if let Some(name) = graph.node(node).name.as_ref().filter(|_| graph.by_name()) {
        return if graph.node(node).kind.is_op() { name.to_string() } else { format!("{op} {name}") };
    }
    match graph.node(node).kind {
        NodeKind::Alloc(buf) | NodeKind::Free(buf) => {
            format!("{} {op} {}", graph.node(node).id, buffer_id(graph, buf))
        }
        NodeKind::Op(_) => format!("{} {op}", graph.node(node).id),
    }
}

/// [`node_id`], with its name where it has one: `1184 MATMUL “q·k”`.
pub fn node_label(graph: &Graph, node: NodeIx) -> String {
    match &graph.node(node).name {
        Some(name) if !graph.by_name() => format!("{} “{name}”", node_id(graph, node)),
        _ => node_id(graph, node),
    }
}

/// What a step does, in the fewest words: `SPILL_OUT b42`, `1184 MATMUL`.
pub fn step_label(trace: &Trace, step: Step) -> String {
    let graph = &trace.problem.graph;
    let spilled = |spill: crate::model::SpillIx| {
        trace.plan.spills.get(spill.at()).map_or_else(|| "?".into(), |spill| buffer_id(graph, spill.buf))
    };
    match step {
        Step::Node(node) => node_id(graph, node),
        Step::Out(spill) => format!("SPILL_OUT {}", spilled(spill)),
        Step::Back(spill) => format!("SPILL_IN {}", spilled(spill)),
    }
}

/// The place that `buf` takes at `offset`, half-open: `L1[1536,1792)`. Main memory has places too.
pub fn range(problem: &Problem, level: LevelIx, offset: u64, size: u64) -> String {
    let place = format!("[{offset},{})", offset.saturating_add(size));
    if level == problem.main_memory() {
        return format!("main memory{place}");
    }
    format!("{}{place}", problem.level(level).name)
}

/// The unit's name; `(no unit)` for operations whose pipe has none.
pub fn unit(problem: &Problem, unit: UnitIx) -> String {
    let name = &problem.units[unit.at()].name;
    if name.raw().is_empty() { "(no unit)".into() } else { name.to_string() }
}

/// The lane of a unit: `MTE2`, or `worker 3` where the unit has several.
pub fn unit_lane(problem: &Problem, ix: UnitIx, lane: u8) -> String {
    let name = unit(problem, ix);
    if problem.units[ix.at()].count > 1 { format!("{name} {lane}") } else { name }
}

/// Letters of buffers: without the capitals that are signs (S, R, P, W, F), so that each means one thing.
pub const ALPHABET: &[u8; LETTERS] = b"abcdefghijklmnopqrstuvwxyzABCDEGHIJKLMNOQTUVXYZ";

/// A buffer's letter, for life; buffers that are alive together differ as long as the alphabet allows.
pub fn letter(trace: &Trace, buf: BufIx) -> char {
    char::from(ALPHABET[usize::from(trace.letter_of(buf)) % LETTERS])
}

/// `text` as the start of a sentence. Only an article takes a capital: names stay as they are.
pub fn capital(text: &str) -> String {
    match text.strip_prefix("the ") {
        Some(rest) => format!("The {rest}"),
        None => text.to_owned(),
    }
}

/// The victim rule in words.
pub fn victim_rule(rule: VictimRule) -> &'static str {
    match rule {
        VictimRule::LifeTimesSize => "remaining life × size, largest first",
        VictimRule::FarthestNextUse => "next use, farthest first",
        VictimRule::DistanceSizeCost => "steps to the next use × size ÷ what moving it costs, largest first",
        VictimRule::CheapestRun => "the cheapest run of neighbours: least cost ÷ steps to the next use",
        VictimRule::Largest => "size, largest first",
        VictimRule::Smallest => "size, smallest first",
        VictimRule::LeastRecentlyUsed => "last use, longest ago first",
    }
}

/// The fit in words.
pub fn fit(fit: Fit) -> &'static str {
    match fit {
        Fit::Best => "the smallest hole that is large enough",
        Fit::First => "the large enough hole with the lowest address",
        Fit::Next => "the first large enough hole behind the last placement",
        Fit::Window => "the stretch of a hole that falls free first",
    }
}

/// The chain as `--on-full` takes it: `spill,spill-many,postpone`.
pub fn chain(on_full: &[Fallback]) -> String {
    on_full.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
}

/// The policy in one line: its name and its chain; the victim rule is apart ([`victim_rule`]).
pub fn policy(options: &Options) -> String {
    let tried: Vec<String> = options.on_full.iter().map(ToString::to_string).collect();
    let tried = if tried.is_empty() { "give up".into() } else { tried.join(", then ") };
    let mut limit = String::new();
    if options.on_full.contains(&Fallback::Postpone) {
        limit = format!(" (at most {} a buffer)", times(u64::from(options.postpone_limit)));
    }
    format!("{}: when full, {tried}{limit}", options.policy_name())
}

/// The order in one line, with what differs from the usual in how it is made.
pub fn order(options: &Options) -> String {
    let unusual = [(!options.avoid_deadlock, ", deadlocks detected"), (!options.light_tasks, ", no light tasks")];
    let unusual = unusual.iter().filter(|(is_so, _)| *is_so).map(|(_, words)| *words);
    format!("{}{}", options.order, unusual.collect::<String>())
}

/// How a level comes to spill that may not.
pub fn let_spill(level: &Level) -> &'static str {
    if level.is_l0() { "--spill-l0 allows it" } else { "\"spill\" in the machine file allows it" }
}
