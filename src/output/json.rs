//! What the JSON of reports and of plans share. Field names are those of the public checker's figures; objects keep
//! the order in which they are listed here.

use std::fmt::Write;

use serde::ser::{Serialize, Serializer};

use crate::engine::search::{Budget, MoveKind, Objective};
use crate::model::name::is_plain;
use crate::model::{Figures, Graph, Machine, Manager, Options, PoolFigures, Problem};
use crate::session::{Session, Wanted};

/// `report` as indented JSON with a newline at the end, safe to print: what a terminal may act on is escaped, also where
/// JSON itself would let it stand.
pub(super) fn printable(report: &impl Serialize) -> String {
    // Reports are plain structs with string keys: there is nothing in them that JSON could refuse.
    let json = serde_json::to_string_pretty(report).unwrap_or_default() + "\n";
    let is_safe = |c: char| is_plain(c) || c == '\n';
    if json.chars().all(is_safe) {
        return json;
    }
    let mut text = String::with_capacity(json.len() + 64);
    for c in json.chars() {
        if is_safe(c) {
            text.push(c);
        } else {
            // Such characters stand in strings alone, where this is the same character.
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(text, "\\u{unit:04x}");
            }
        }
    }
    text
}

/// An object whose keys are only known at run time, in order.
pub(super) struct Object<V>(pub Vec<(String, V)>);

impl<V> Object<V> {
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<V: Serialize> Serialize for Object<V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}

/// `values` by the level's name, in the machine's order.
pub(super) fn by_level<V: Copy>(problem: &Problem, values: &[V]) -> Object<V> {
    let levels = problem.machine.levels.iter().map(|level| level.name.raw().to_owned());
    Object(levels.zip(values.iter().copied()).collect())
}

/// The graph's size.
#[derive(serde::Serialize)]
pub(super) struct GraphJson {
    name: String,
    nodes: usize,
    edges: usize,
    buffers: usize,
    ignored_fields: usize,
    #[serde(flatten)]
    durations: Option<DurationsJson>,
}

/// Of an operation graph: durations that the file leaves out.
#[derive(serde::Serialize)]
struct DurationsJson {
    durations_from_profile: usize,
    durations_by_default: usize,
}

impl GraphJson {
    pub(super) fn new(graph: &Graph) -> Self {
        Self {
            name: graph.name.raw().to_owned(),
            nodes: graph.node_count(),
            edges: graph.edge_count(),
            buffers: graph.buffers().len(),
            ignored_fields: graph.ignored_fields,
            durations: graph.operation_graph.map(|facts| DurationsJson {
                durations_from_profile: facts.durations_from_profile,
                durations_by_default: facts.durations_by_default,
            }),
        }
    }
}

/// The machine, in the shape of a machine file.
#[derive(serde::Serialize)]
pub(super) struct MachineJson<'a> {
    name: &'a str,
    levels: Vec<LevelJson<'a>>,
    units: Vec<UnitJson<'a>>,
    transfer: TransferJson<'a>,
    window: Option<u32>,
    main_memory: RulesJson,
}

/// How a pool keeps its blocks.
#[derive(serde::Serialize)]
struct RulesJson {
    buckets: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_age: Option<u64>,
}

#[derive(serde::Serialize)]
struct LevelJson<'a> {
    name: &'a str,
    capacity: u64,
    manager: &'static str,
    spill: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    buckets: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_age: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fresh_bytes_per_cycle: Option<f64>,
}

#[derive(serde::Serialize)]
struct UnitJson<'a> {
    name: &'a str,
    count: u8,
}

#[derive(serde::Serialize)]
struct TransferJson<'a> {
    bytes_per_cycle: f64,
    overhead: u64,
    backed_out_free: bool,
    out: &'a str,
    #[serde(rename = "in")]
    back: &'a str,
    energy_per_unit: f64,
}

impl<'a> MachineJson<'a> {
    pub(super) fn new(machine: &'a Machine) -> Self {
        let levels = machine.levels.iter().map(|level| LevelJson {
            name: level.name.raw(),
            capacity: level.capacity,
            manager: match &level.manager {
                Manager::Arena => "arena",
                Manager::Pool(_) => "pool",
            },
            spill: level.spill,
            buckets: level.pool().map(|rules| rules.buckets.to_string()),
            max_age: level.pool().and_then(|rules| rules.max_age),
            fresh_bytes_per_cycle: level.fresh_bytes_per_cycle,
        });
        let units = machine.units.iter().map(|unit| UnitJson { name: unit.name.raw(), count: unit.count });
        let transfer = &machine.transfer;
        Self {
            name: machine.name.raw(),
            levels: levels.collect(),
            units: units.collect(),
            transfer: TransferJson {
                bytes_per_cycle: transfer.bytes_per_cycle,
                overhead: transfer.overhead,
                backed_out_free: transfer.backed_out_free,
                out: transfer.out.raw(),
                back: transfer.back.raw(),
                energy_per_unit: transfer.energy_per_unit,
            },
            window: machine.window,
            main_memory: RulesJson {
                buckets: machine.main_memory.buckets.to_string(),
                max_age: machine.main_memory.max_age,
            },
        }
    }
}

/// The policy with all its parts.
#[derive(serde::Serialize)]
#[expect(clippy::struct_excessive_bools, reason = "one for each switch of the policy, under its own name")]
pub(super) struct PolicyJson {
    name: &'static str,
    order: String,
    on_full: Vec<String>,
    postpone_limit: u32,
    /// Whether every level named `L0…` may spill.
    spill_l0: bool,
    victims: &'static str,
    fit: &'static str,
    hoist: bool,
    prefetch: u32,
    avoid_deadlock: bool,
    light_tasks: bool,
}

impl PolicyJson {
    pub(super) fn new(options: &Options, machine: &Machine) -> Self {
        let mut l0 = machine.levels.iter().filter(|level| level.is_l0()).peekable();
        Self {
            name: options.policy_name(),
            order: options.order.to_string(),
            on_full: options.on_full.iter().map(ToString::to_string).collect(),
            postpone_limit: options.postpone_limit,
            spill_l0: l0.peek().is_some() && l0.all(|level| level.spill),
            victims: options.victims.name(),
            fit: options.fit.name(),
            hoist: options.hoist,
            prefetch: options.prefetch,
            avoid_deadlock: options.avoid_deadlock,
            light_tasks: options.light_tasks,
        }
    }
}

/// How a plan was found by searching; the policy then says only what it was compared with.
#[derive(serde::Serialize)]
pub(super) struct SearchJson {
    /// What was made small, as `--objective` takes it.
    objective: String,
    /// For makespan: how much traffic it may cost.
    #[serde(skip_serializing_if = "Option::is_none")]
    traffic_slack: Option<f64>,
    /// For peak: levels that hold at most one live buffer.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    single: Vec<String>,
    seed: u64,
    /// The plan of elsewhere that it began with.
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<GivenJson>,
    /// What was asked for: one of the two.
    #[serde(skip_serializing_if = "Option::is_none")]
    asked_evaluations: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    asked_seconds: Option<f64>,
    /// What was spent.
    evaluations: u64,
    /// The better plans on the way.
    history: Vec<ImprovementJson>,
}

/// The plan that a search began with.
#[derive(serde::Serialize)]
struct GivenJson {
    folder: String,
    valid: bool,
    /// The first finding, where it is not.
    #[serde(skip_serializing_if = "Option::is_none")]
    finding: Option<String>,
}

#[derive(serde::Serialize)]
struct ImprovementJson {
    evaluations: u64,
    phase: &'static str,
    /// The kind of the last move that led to it.
    #[serde(rename = "move", skip_serializing_if = "Option::is_none")]
    kind: Option<&'static str>,
    extra_traffic: u64,
    makespan: u64,
    peak_stay: u64,
}

impl SearchJson {
    pub(super) fn new(session: &Session) -> Option<Self> {
        let searched = session.searched.as_ref()?;
        let history = searched.history.iter().map(|found| ImprovementJson {
            evaluations: found.evaluations,
            phase: found.phase,
            kind: found.kind.map(MoveKind::as_str),
            extra_traffic: found.figures.extra_traffic,
            makespan: found.figures.makespan,
            peak_stay: found.figures.peak_stay,
        });
        let Wanted { objective, budget, seed, from } = &searched.wanted;
        let from = from.as_ref().map(|given| GivenJson {
            folder: given.folder.to_string(),
            valid: given.start.plan.is_some(),
            finding: given.broken.as_ref().map(ToString::to_string),
        });
        let problem = &session.trace.problem;
        let single = if let Objective::PeakStay { single } = objective { &single[..] } else { &[] };
        Some(Self {
            objective: objective.to_string(),
            traffic_slack: if let Objective::Makespan { slack } = objective { Some(*slack) } else { None },
            single: single.iter().map(|&level| problem.level(level).name.raw().to_owned()).collect(),
            seed: *seed,
            from,
            asked_evaluations: if let Budget::Evaluations(asked) = budget { Some(*asked) } else { None },
            asked_seconds: if let Budget::Seconds(asked) = budget { Some(*asked) } else { None },
            evaluations: searched.evaluations,
            history: history.collect(),
        })
    }
}

/// The figures, under the names of the public checker.
#[derive(serde::Serialize)]
pub(super) struct FiguresJson {
    steps: u64,
    spills: u64,
    extra_traffic: u64,
    peak: Object<u64>,
    peak_stay: u64,
    l0_live: Object<u64>,
    makespan: u64,
    main_memory: PoolJson,
    /// By level that is a pool.
    #[serde(skip_serializing_if = "Object::is_empty")]
    pools: Object<PoolJson>,
}

/// What a pool did.
#[derive(serde::Serialize)]
struct PoolJson {
    hits: u64,
    misses: u64,
    over_cap: u64,
    aged: u64,
    peak_held: u64,
    peak_busy: u64,
    worst_waste: u64,
}

impl PoolJson {
    fn new(figures: &PoolFigures) -> Self {
        let PoolFigures { hits, misses, over_cap, aged, peak_held, peak_busy, worst_waste } = *figures;
        Self { hits, misses, over_cap, aged, peak_held, peak_busy, worst_waste }
    }
}

fn pools(problem: &Problem, figures: &Figures) -> Vec<(String, PoolJson)> {
    let levels = problem.machine.levels.iter().zip(&figures.pools).filter(|(level, _)| level.pool().is_some());
    levels.map(|(level, pool)| (level.name.raw().to_owned(), PoolJson::new(pool))).collect()
}

impl FiguresJson {
    pub(super) fn new(problem: &Problem, figures: &Figures) -> Self {
        let mut l0_live = by_level(problem, &figures.l0_live);
        l0_live.0.retain(|&(_, live)| live > 0);
        Self {
            steps: figures.steps,
            spills: figures.spills,
            extra_traffic: figures.extra_traffic,
            peak: by_level(problem, &figures.peak),
            peak_stay: figures.peak_stay,
            l0_live,
            makespan: figures.makespan,
            main_memory: PoolJson::new(&figures.main),
            pools: Object(pools(problem, figures)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_may_act_on_is_escaped_and_means_the_same() {
        let wild = "a\x1b[31m\u{9b}2J\u{202e}\u{e0041}\n权";
        let text = printable(&Object(vec![(wild.to_owned(), wild)]));
        assert!(text.chars().all(|c| is_plain(c) || c == '\n'), "{text:?}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap()[wild], wild);
        assert!(text.contains('权'), "letters stay readable");
    }
}
