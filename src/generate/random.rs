//! Seeded random graphs: the tests' generator, open to users.
//!
//! The graph grows operation by operation. Each names a few buffers of a short window of recently declared ones, so
//! that lives are local and a graph of a million nodes stays plannable. The graph is always valid; whether a plan
//! exists depends on the configuration (see [`Config::allow_impossible`] and [`Config::schedule`]).

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::RangeInclusive;

use super::growth::Growth;
use super::{at_least_one, check_node_count, fault};
use crate::model::{Fault, Graph, GraphBuilder, Machine, Name, RawKind, SplitMix64};

/// What kind of random graph is wanted.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "independent switches, each a flag of the command")]
pub struct Config {
    /// The same seed and the same configuration give the same graph, on any machine.
    pub seed: u64,
    /// How many nodes, approximately (a few more where the last operation needs them).
    pub nodes: u64,
    /// The levels in use, each with the largest size of a buffer there.
    pub levels: Vec<(Name, u64)>,
    /// The machine that must hold each operation's buffers.
    pub machine: Machine,
    /// Which sizes buffers have.
    pub sizes: Sizes,
    /// Share of buffers that are filled by a `COPY_IN`, in `[0, 1]`.
    pub backed: f64,
    /// Share of buffers without FREE, in `[0, 1]`; only in levels that may spill, since others would fill up.
    pub unfreed: f64,
    /// The most buffers that an operation names.
    pub operands: u32,
    /// How many buffers of its level may be declared between a buffer and its last use.
    pub window: u32,
    /// How many pipes operations run on, beside the one for `COPY_IN`.
    pub pipes: u32,
    /// Whether the graph gets a random legal schedule. It allocates early, at random: in levels that may not
    /// spill there may then be no plan.
    pub schedule: bool,
    /// Whether the edges are listed, or left to the buffers.
    pub edges: bool,
    /// Whether ids have gaps.
    pub gaps: bool,
    /// Whether ids are shuffled, so that the program no longer stands in the order of ids.
    pub shuffle: bool,
    /// Whether an operation's buffers may exceed a level, and levels that may not spill may overflow.
    pub allow_impossible: bool,
}

/// Which sizes buffers have, up to the largest of their level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sizes {
    /// Any size is as likely.
    Uniform,
    /// Half of them up to an eighth of the largest, half any: the kind that fragments.
    Mixed,
    /// All the largest.
    Equal,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            seed: 0,
            nodes: 300,
            levels: vec![("L1".into(), 1024), ("UB".into(), 256)],
            machine: Machine::npu(),
            sizes: Sizes::Mixed,
            backed: 0.4,
            unfreed: 0.0,
            operands: 3,
            window: 12,
            pipes: 3,
            schedule: false,
            edges: true,
            gaps: false,
            shuffle: false,
            allow_impossible: false,
        }
    }
}

/// How far from its place a node may move in a random schedule or with shuffled ids, in nodes for each buffer of
/// the window: about what a buffer brings along (ALLOC, FREE, operations).
const REACH: u64 = 4;

/// Makes the graph.
///
/// # Errors
/// Where a number is out of its range, a level is unknown to the machine, or a buffer could not fit its level.
pub fn generate(config: &Config) -> Result<Graph, Fault> {
    check(config)?;
    let mut rng = SplitMix64::new(config.seed);
    let pipes: Vec<String> = (1..=config.pipes).map(|pipe| format!("PIPE{pipe}")).collect();
    let program = Growth::new(config, &pipes, &mut rng).run();
    let mut builder = program.into_builder("random", config.edges)?;
    if config.shuffle || config.gaps {
        renumber(&mut builder, config, &mut rng);
    }
    let mut graph = builder.build()?;
    if config.schedule {
        let schedule = random_schedule(&graph, reach(config), &mut rng);
        graph.set_schedule(&schedule)?;
    }
    Ok(graph)
}

fn check(config: &Config) -> Result<(), Fault> {
    check_node_count(config.nodes.into())?;
    within("nodes", config.nodes, 1..=u64::MAX)?;
    within("operands", config.operands.into(), 1..=64)?;
    within("window", config.window.into(), 1..=1_000_000)?;
    within("pipes", config.pipes.into(), 1..=1000)?;
    for (name, share) in [("backed", config.backed), ("unfreed", config.unfreed)] {
        if !(0.0..=1.0).contains(&share) {
            return Err(fault(format!("{name} is {share}"), "give a share from 0 to 1"));
        }
    }
    if config.levels.is_empty() {
        return Err(fault("no level is given", "name at least one, like L1=512"));
    }
    for (name, largest) in &config.levels {
        at_least_one("a level's largest size", *largest)?;
        let Some(level) = config.machine.levels.iter().find(|level| level.name == *name) else {
            let what = format!("machine {} has no level {name}", config.machine.name);
            return Err(fault(what, "name one of its levels"));
        };
        if *largest > level.capacity && !config.allow_impossible {
            let what = format!("buffers of up to {largest} do not fit {name}, which holds {}", level.capacity);
            return Err(fault(what, "take a smaller size, or --allow-impossible"));
        }
    }
    Ok(())
}

fn within(name: &str, value: u64, range: RangeInclusive<u64>) -> Result<(), Fault> {
    if range.contains(&value) {
        return Ok(());
    }
    Err(fault(format!("{name} is {value}"), format!("give a whole number from {} to {}", range.start(), range.end())))
}

fn reach(config: &Config) -> u64 {
    REACH * u64::from(config.window)
}

/// Gives nodes and buffers new ids: with gaps, or in an order that only roughly follows the program.
fn renumber(builder: &mut GraphBuilder, config: &Config, rng: &mut SplitMix64) {
    let count = builder.nodes.len();
    let mut by_place: Vec<u64> = (0..count as u64).collect();
    if config.shuffle {
        let keys: Vec<u64> = by_place.iter().map(|at| at + rng.below(reach(config))).collect();
        by_place.sort_by_key(|&at| keys[at as usize]);
    }
    let gap = if config.gaps { 5 } else { 1 };
    let mut id_of = vec![0; count];
    let mut next = 0;
    for &place in &by_place {
        next += rng.below(gap);
        id_of[place as usize] = next;
        next += 1;
    }
    let new = |id: u64| id_of[id as usize];
    // Buffers keep their order; where ids have gaps, theirs have too.
    let buffer = |buf: u64| buf * gap + 3 * (gap - 1);
    for node in &mut builder.nodes {
        node.id = new(node.id);
        if let RawKind::Alloc(buf, ..) | RawKind::Free(buf, ..) = &mut node.kind {
            *buf = buffer(*buf);
        }
    }
    builder.operands.iter_mut().for_each(|buf| *buf = buffer(*buf));
    for (from, to) in builder.edges.iter_mut().flatten() {
        (*from, *to) = (new(*from), new(*to));
    }
}

/// A random legal order in which each node stands at most `reach` nodes or so from its place by id.
fn random_schedule(graph: &Graph, reach: u64, rng: &mut SplitMix64) -> Vec<u64> {
    let keys: Vec<u64> = graph.node_ixs().map(|node| node.at() as u64 + rng.below(reach)).collect();
    let mut waits: Vec<usize> = graph.node_ixs().map(|node| graph.preds(node).count()).collect();
    let roots = graph.node_ixs().filter(|node| waits[node.at()] == 0);
    let mut ready: BinaryHeap<_> = roots.map(|node| Reverse((keys[node.at()], node))).collect();
    let mut order = Vec::with_capacity(keys.len());
    while let Some(Reverse((_, node))) = ready.pop() {
        order.push(graph.node(node).id);
        for next in graph.succs(node) {
            waits[next.at()] -= 1;
            if waits[next.at()] == 0 {
                ready.push(Reverse((keys[next.at()], next)));
            }
        }
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::test_help::count_ops;
    use crate::model::{BufIx, NodeIx, NodeKind};

    /// A configuration for each seed, so that many seeds try all switches with one another.
    fn varied(seed: u64) -> Config {
        let switch = |bit: u64| seed >> bit & 1 == 1;
        let mut levels = vec![("L1".into(), 1024), ("UB".into(), 256)];
        if switch(5) {
            levels.extend([("L0A".into(), 128), ("L0C".into(), 256)]);
        }
        Config {
            seed,
            nodes: 20 + 3 * seed,
            levels,
            sizes: [Sizes::Uniform, Sizes::Mixed, Sizes::Equal][seed as usize % 3],
            unfreed: if switch(6) { 0.1 } else { 0.0 },
            operands: 1 + seed as u32 % 7,
            window: 1 + seed as u32 % 20,
            schedule: switch(0),
            edges: switch(1),
            gaps: switch(2),
            shuffle: switch(3),
            allow_impossible: switch(4) && switch(6),
            ..Config::default()
        }
    }

    fn operands(graph: &Graph, node: NodeIx) -> &[BufIx] {
        match &graph.node(node).kind {
            NodeKind::Op(op) => graph.operands(op),
            _ => &[],
        }
    }

    #[test]
    fn every_seed_gives_a_graph_that_the_builder_takes() {
        for seed in 0..200 {
            let config = varied(seed);
            let graph = generate(&config).unwrap_or_else(|fault| panic!("seed {seed}: {fault:?}"));
            assert_eq!(graph.schedule().is_some(), config.schedule, "seed {seed}");
            assert_eq!(graph.explicit_edges, config.edges, "seed {seed}");
            let count = graph.node_count() as u64;
            assert!((config.nodes..config.nodes + 4).contains(&count), "seed {seed}: {count} nodes");
        }
    }

    #[test]
    fn the_program_itself_is_a_legal_order_unless_ids_are_shuffled() {
        for seed in 0..100 {
            let graph = generate(&Config { shuffle: false, ..varied(seed) }).unwrap();
            let order: Vec<NodeIx> = graph.node_ixs().collect();
            assert_eq!(graph.check_order(&order), Ok(()), "seed {seed}");
        }
    }

    #[test]
    fn schedules_and_shuffled_ids_differ_from_the_program() {
        let config = Config { schedule: true, ..Config::default() };
        let graph = generate(&config).unwrap();
        assert!(!graph.schedule().unwrap().is_sorted(), "a random schedule in the order of ids");
        let graph = generate(&Config { shuffle: true, ..Config::default() }).unwrap();
        assert!(graph.node_ixs().any(|node| graph.preds(node).any(|pred| pred > node)), "no edge runs against the ids");
    }

    #[test]
    fn gaps_leave_ids_out_for_nodes_and_buffers() {
        let graph = generate(&Config { gaps: true, ..Config::default() }).unwrap();
        assert!(graph.first_spill_id() > graph.node_count() as u64 * 2);
        assert!(graph.buffers().windows(2).all(|pair| pair[1].id > pair[0].id + 1));
    }

    #[test]
    fn operand_sets_fit_the_machine_unless_asked_otherwise() {
        let tight = Config { operands: 12, sizes: Sizes::Equal, nodes: 2000, ..Config::default() };
        let fits = |config: &Config| {
            let graph = generate(config).unwrap();
            graph.node_ixs().all(|node| {
                config.machine.levels.iter().all(|level| {
                    let held = operands(&graph, node).iter().map(|&buf| graph.buffer(buf));
                    let here = held.filter(|buffer| *graph.symbol(buffer.level) == level.name);
                    here.map(|buffer| buffer.size).sum::<u64>() <= level.capacity
                })
            })
        };
        assert!(fits(&tight));
        assert!(!fits(&Config { allow_impossible: true, ..tight }));
    }

    #[test]
    fn levels_that_may_not_spill_are_never_more_than_half_full_in_program_order() {
        let levels = vec![("L0C".into(), 256)];
        let graph = generate(&Config { levels, nodes: 3000, unfreed: 0.5, ..Config::default() }).unwrap();
        let mut live = 0;
        for node in graph.node_ixs() {
            match graph.node(node).kind {
                NodeKind::Alloc(buf) => live += graph.buffer(buf).size,
                NodeKind::Free(buf) => live -= graph.buffer(buf).size,
                NodeKind::Op(_) => {}
            }
            assert!(live <= 256, "{live} live at node {node:?}");
        }
    }

    #[test]
    fn lives_are_as_local_as_the_window_says() {
        let levels = vec![("L1".into(), 64)];
        let graph = generate(&Config { levels, window: 5, nodes: 3000, ..Config::default() }).unwrap();
        // With one level, buffers stand in the order of their declaration.
        let mut newest = 0;
        for node in graph.node_ixs() {
            for buf in operands(&graph, node) {
                newest = newest.max(buf.at());
                assert!(buf.at() + 5 > newest, "node {node:?} names {buf:?} after {newest} was declared");
            }
        }
        assert!(newest > 300);
    }

    #[test]
    fn shares_are_met_roughly_and_exactly_at_their_ends() {
        let graph = |backed, unfreed| generate(&Config { backed, unfreed, nodes: 5000, ..Config::default() }).unwrap();
        let backed = |graph: &Graph| graph.buffers().iter().filter(|buffer| buffer.backed).count();
        let unfreed = |graph: &Graph| graph.buffers().iter().filter(|buffer| buffer.free.is_none()).count();
        let none = graph(0.0, 0.0);
        assert_eq!((backed(&none), unfreed(&none), count_ops(&none, "COPY_IN")), (0, 0, 0));
        let all = graph(1.0, 1.0);
        assert_eq!((backed(&all), unfreed(&all)), (all.buffers().len(), all.buffers().len()));
        let some = graph(0.3, 0.1);
        let share = |count: usize| count as f64 / some.buffers().len() as f64;
        assert!((0.25..0.35).contains(&share(backed(&some))) && (0.07..0.13).contains(&share(unfreed(&some))));
    }

    #[test]
    fn what_is_out_of_range_is_refused() {
        let refused = |config: Config| assert!(generate(&config).is_err(), "{config:?}");
        refused(Config { nodes: 0, ..Config::default() });
        refused(Config { nodes: u64::MAX, ..Config::default() });
        refused(Config { operands: 0, ..Config::default() });
        refused(Config { window: 0, ..Config::default() });
        refused(Config { pipes: u32::MAX, ..Config::default() });
        refused(Config { backed: f64::NAN, ..Config::default() });
        refused(Config { unfreed: 1.5, ..Config::default() });
        refused(Config { levels: Vec::new(), ..Config::default() });
        refused(Config { levels: vec![("L9".into(), 1)], ..Config::default() });
        refused(Config { levels: vec![("L1".into(), 0)], ..Config::default() });
        refused(Config { levels: vec![("L1".into(), 4097)], ..Config::default() });
        // Larger than the level is allowed where asked for; sums beyond 2^63 never.
        let allow_impossible = true;
        assert!(generate(&Config { levels: vec![("L1".into(), 5000)], allow_impossible, ..Config::default() }).is_ok());
        refused(Config { levels: vec![("L1".into(), u64::MAX)], allow_impossible, ..Config::default() });
    }
}
