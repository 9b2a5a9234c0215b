//! Plans in pools and under a clock: figures worked out by hand, and a mutant for each way to break a rule.

use std::sync::Arc;

use spillscope::check::{Report, Rule, check};
use spillscope::model::{
    Buckets, Figures, Graph, GraphBuilder, Level, Machine, Manager, PoolFigures, PoolRules, Problem, RawPlan, Unit,
};

/// An operation: cycles, the operations whose outputs it reads, size of its output.
pub(super) type Op<'a> = (u64, &'a [u64], u64);

/// Operation i as nodes 3i (ALLOC), 3i+1 and 3i+2 (FREE, where its output is read) and buffer i. `facts` may add what is
/// known about buffers.
pub(super) fn graph(ops: &[Op], facts: impl FnOnce(&mut GraphBuilder)) -> Arc<Graph> {
    let mut builder = GraphBuilder::new("ops".into());
    let [level, kind, pipe] = ["pool", "conv", "worker"].map(|name| builder.intern(name).unwrap());
    let mut edges = Vec::new();
    for (buf, &(cycles, inputs, size)) in (0..).zip(ops) {
        builder.alloc(3 * buf, buf, size, level);
        builder.op(3 * buf + 1, kind, pipe, cycles, &[inputs, &[buf]].concat());
        edges.push((3 * buf, 3 * buf + 1));
        edges.extend(inputs.iter().map(|input| (3 * input + 1, 3 * buf + 1)));
        edges.extend(inputs.iter().map(|input| (3 * buf + 1, 3 * input + 2)));
    }
    let is_read = |buf: &u64| ops.iter().any(|(_, inputs, _)| inputs.contains(buf));
    (0..ops.len() as u64).filter(is_read).for_each(|buf| builder.free(3 * buf + 2, buf));
    builder.edges = Some(edges);
    facts(&mut builder);
    Arc::new(builder.build().unwrap())
}

/// `workers` over one pool.
pub(super) fn machine(capacity: u64, buckets: Buckets, max_age: Option<u64>, workers: u8) -> Machine {
    let manager = Manager::Pool(PoolRules { buckets, max_age });
    let level = Level { manager, ..Level::arena("pool", capacity, true) };
    Machine { levels: vec![level], units: vec![Unit { name: "worker".into(), count: workers }], ..Machine::host() }
}

/// A chain of four, whose buckets are 64 and, above, exact; 10 units of fresh memory a cycle.
fn chain(capacity: u64, max_age: Option<u64>) -> Problem {
    let ops: [Op; 4] = [(5, &[], 50), (5, &[0], 60), (5, &[1], 40), (5, &[2], 100)];
    let mut machine = machine(capacity, Buckets::Fixed(vec![64]), max_age, 2);
    machine.levels[0].fresh_bytes_per_cycle = Some(10.0);
    Problem::new(graph(&ops, |_| ()), machine).unwrap()
}

fn chain_plan() -> RawPlan {
    RawPlan {
        //            A0 O0 A1 O1 F0 A2 O2 F1 A3  O3  F2
        //             0  1  2  3  4  5  6  7  8   9  10
        schedule: vec![0, 1, 3, 4, 2, 6, 7, 5, 9, 10, 8],
        memory: vec![(0, 0), (1, 64), (2, 0), (3, 128)],
        spills: Vec::new(),
    }
}

fn figures(problem: &Problem, plan: &RawPlan) -> Figures {
    let report = check(problem, plan);
    assert_eq!(report.broken, []);
    report.figures.unwrap()
}

#[test]
fn a_chain_reuses_one_block_and_drops_another_over_the_cap() {
    // Cycles: 0 runs to 10 (5 for fresh memory), 1 to 21 (6), FREE 0 and ALLOC 2 at 21, 2 to 26 (a hit), FREE 1 and
    // ALLOC 3 at 26, 3 to 41 (10). Blocks: 64, 64, the first again; at ALLOC 3 the second lies idle, and
    // 64 + 64 + 100 > 200, so it goes. Waste: 14, 18, then 4 + 24, then 24.
    let expected = Figures {
        steps: 11,
        peak: vec![140],
        peak_stay: 140,
        l0_live: vec![0],
        makespan: 41,
        pools: vec![PoolFigures {
            hits: 1,
            misses: 3,
            over_cap: 1,
            aged: 0,
            peak_held: 164,
            peak_busy: 164,
            worst_waste: 28,
        }],
        ..Figures::default()
    };
    assert_eq!(figures(&chain(200, None), &chain_plan()), expected);
}

#[test]
fn with_age_0_no_block_is_used_again_and_addresses_of_those_that_went_may_be() {
    // 2 needs fresh memory too (4): it runs from 21 to 30, 3 from there to 45. Both idle blocks go for their age.
    let figures = figures(&chain(200, Some(0)), &chain_plan());
    let pool =
        PoolFigures { misses: 4, aged: 2, peak_held: 164, peak_busy: 164, worst_waste: 28, ..Default::default() };
    assert_eq!((figures.makespan, figures.pools), (45, vec![pool]));
}

#[test]
fn a_block_goes_at_its_greatest_age_and_not_a_cycle_earlier() {
    // FREE 0 at 17, FREE 1 and ALLOC 3 at 22, where operation 3 starts; so ALLOC 4 is at 22 too: the block has been
    // idle for 5 cycles.
    let ops: [Op; 5] = [(10, &[], 8), (7, &[0], 8), (5, &[1], 16), (1, &[2], 32), (1, &[3], 8)];
    let plan = RawPlan {
        schedule: vec![0, 1, 3, 4, 2, 6, 7, 5, 9, 10, 12, 8, 13, 11],
        memory: vec![(0, 0), (1, 8), (2, 16), (3, 32), (4, 0)],
        spills: Vec::new(),
    };
    for (max_age, hits, aged) in [(None, 1, 0), (Some(6), 1, 0), (Some(5), 0, 1)] {
        let problem = Problem::new(graph(&ops, |_| ()), machine(1000, Buckets::Exact, max_age, 1)).unwrap();
        let pool = figures(&problem, &plan).pools[0];
        assert_eq!((pool.hits, pool.misses, pool.aged), (hits, 5 - hits, aged), "{max_age:?}");
    }
}

#[test]
fn a_placement_where_a_block_had_to_go_over_the_cap_is_a_miss() {
    // ALLOC 2 makes the idle 8 go (8 + 16 + 24 > 40), ALLOC 3 the idle 16 (16 + 24 + 8 > 40).
    let ops: [Op; 4] = [(1, &[], 8), (1, &[0], 16), (1, &[1], 24), (1, &[2], 8)];
    let plan = RawPlan { memory: vec![(0, 0), (1, 8), (2, 24), (3, 0)], ..chain_plan() };
    let pool_under = |capacity| {
        let problem = Problem::new(graph(&ops, |_| ()), machine(capacity, Buckets::Exact, None, 1)).unwrap();
        figures(&problem, &plan).pools[0]
    };
    let (tight, roomy) = (pool_under(40), pool_under(48));
    assert_eq!((tight.hits, tight.misses, tight.over_cap, tight.peak_held), (0, 4, 2, 40));
    assert_eq!((roomy.hits, roomy.misses, roomy.over_cap, roomy.peak_held), (1, 3, 0, 48));
}

#[test]
fn blocks_hold_the_larger_of_both_sizes_and_waste_is_by_the_real_one() {
    let ops: [Op; 2] = [(1, &[], 10), (1, &[0], 60)];
    let graph = graph(&ops, |builder| builder.actual_sizes = vec![(0, 70), (1, 20)]);
    let problem = Problem::new(graph, machine(134, Buckets::Fixed(vec![64]), None, 1)).unwrap();
    let plan =
        |second| RawPlan { schedule: vec![0, 1, 3, 4, 2], memory: vec![(0, 0), (1, second)], spills: Vec::new() };
    let figures = figures(&problem, &plan(70));
    let pool = PoolFigures { misses: 2, peak_held: 134, peak_busy: 134, worst_waste: 44, ..Default::default() };
    assert_eq!((figures.peak, figures.pools), (vec![70], vec![pool]));
    assert_eq!(found(&check(&problem, &plan(69))), [(Rule::R6, Some(2))]);
}

#[test]
fn what_is_backed_is_in_memory_already() {
    let ops: [Op; 2] = [(5, &[], 50), (5, &[0], 60)];
    let makespan = |backed: &[u64]| {
        let mut machine = machine(200, Buckets::Exact, None, 1);
        machine.levels[0].fresh_bytes_per_cycle = Some(10.0);
        let problem = Problem::new(graph(&ops, |builder| builder.backed = backed.to_vec()), machine).unwrap();
        let plan = RawPlan { schedule: vec![0, 1, 3, 4, 2], memory: vec![(0, 0), (1, 64)], spills: Vec::new() };
        figures(&problem, &plan).makespan
    };
    assert_eq!((makespan(&[]), makespan(&[0]), makespan(&[0, 1])), (21, 16, 10));
}

#[test]
fn the_window_holds_an_operation_up_until_fewer_run() {
    let ops: [Op; 4] = [(10, &[], 1), (4, &[], 1), (3, &[], 1), (5, &[], 1)];
    let makespan = |window| {
        let machine = Machine { window, ..machine(100, Buckets::Exact, None, 3) };
        let problem = Problem::new(graph(&ops, |_| ()), machine).unwrap();
        let memory = (0..4).zip(0..).collect();
        let plan = RawPlan { schedule: vec![0, 1, 3, 4, 6, 7, 9, 10], memory, spills: Vec::new() };
        figures(&problem, &plan).makespan
    };
    // One at a time: the sum. Two: the third starts at 4, when the second ends, the fourth at 7, to 12. Three: at 3.
    assert_eq!([1, 2, 3].map(|window| makespan(Some(window))), [22, 12, 10]);
    assert_eq!(makespan(None), 10);
}

#[test]
fn an_operation_that_takes_no_time_takes_no_place_in_the_window() {
    let ops: [Op; 3] = [(0, &[], 1), (0, &[], 1), (7, &[], 1)];
    let machine = Machine { window: Some(1), ..machine(100, Buckets::Exact, None, 3) };
    let problem = Problem::new(graph(&ops, |_| ()), machine).unwrap();
    let memory = vec![(0, 0), (1, 1), (2, 2)];
    assert_eq!(figures(&problem, &RawPlan { schedule: vec![0, 1, 3, 4, 6, 7], memory, spills: vec![] }).makespan, 7);
}

#[test]
fn in_a_pool_steps_start_in_their_order_and_in_an_arena_as_early_as_can_be() {
    // The third operation stands behind one that waits until 10.
    let ops: [Op; 3] = [(10, &[], 1), (1, &[0], 1), (4, &[], 1)];
    let plan =
        RawPlan { schedule: vec![0, 3, 6, 1, 4, 7, 2], memory: vec![(0, 0), (1, 1), (2, 2)], spills: Vec::new() };
    let makespan = |manager: Manager, window| {
        let mut machine = Machine { window, ..machine(100, Buckets::Exact, None, 3) };
        machine.levels[0].manager = manager;
        figures(&Problem::new(graph(&ops, |_| ()), machine).unwrap(), &plan).makespan
    };
    let pool = Manager::Pool(PoolRules::default());
    assert_eq!((makespan(pool, None), makespan(Manager::Arena, None)), (14, 11));
    assert_eq!(makespan(Manager::Arena, Some(3)), 14, "a window brings the clock too");
}

/// Rules and steps of what was found.
pub(super) fn found(report: &Report) -> Vec<(Rule, Option<usize>)> {
    report.broken.iter().map(|broken| (broken.rule, broken.step)).collect()
}

/// Checks the plan of the chain after `change`, with 300 units of memory.
fn mutant(change: impl FnOnce(&mut RawPlan)) -> Report {
    let mut plan = chain_plan();
    change(&mut plan);
    let report = check(&chain(300, None), &plan);
    assert!(!report.is_valid() && report.figures.is_none());
    report
}

#[test]
fn r1_a_buffer_without_an_address() {
    let report = mutant(|plan| _ = plan.memory.remove(1));
    assert_eq!(found(&report), [(Rule::R1, None)]);
}

#[test]
fn r3_a_spill_out_of_a_pool() {
    let report = mutant(|plan| {
        plan.spills.push((1, 64));
        plan.schedule.splice(3..3, [11, 12]);
    });
    assert_eq!(found(&report), [(Rule::R3, Some(3))]);
    let told = "R3 step 3: buffer 1 is spilled out of a pool, which does not spill";
    assert_eq!(report.broken[0].to_string(), told);
}

#[test]
fn r4_a_block_given_back_before_its_reader_has_run() {
    let report = mutant(|plan| plan.schedule.swap(3, 4));
    // The edge that runs backward is told at the FREE, the use at the reader.
    assert_eq!(found(&report), [(Rule::R2, Some(3)), (Rule::R4, Some(4))]);
}

#[test]
fn r5_a_block_below_address_0() {
    for offset in [-1, i64::MIN] {
        let report = mutant(|plan| plan.memory[1].1 = offset);
        assert_eq!(found(&report), [(Rule::R5, Some(2))]);
    }
    let report = mutant(|plan| plan.memory[1].1 = -3);
    assert_eq!(report.broken[0].to_string(), "R5 step 2: buffer 1 at pool[-3,61) lies below address 0");
}

#[test]
fn r5_blocks_in_use_beyond_the_capacity() {
    // In use are 128 after ALLOC 1 and 164 after ALLOC 3.
    for (capacity, steps) in [(164, &[][..]), (163, &[8]), (128, &[8]), (127, &[2, 8]), (63, &[0, 2, 5, 8])] {
        let report = check(&chain(capacity, None), &chain_plan());
        let expected: Vec<_> = steps.iter().map(|&step| (Rule::R5, Some(step))).collect();
        assert_eq!(found(&report), expected, "with {capacity}");
    }
    let report = check(&chain(163, None), &chain_plan());
    let told = "R5 step 8: buffer 3 at pool[128,228) has no room beside the blocks in use: 64 of 163";
    assert_eq!(report.broken[0].to_string(), told);
}

#[test]
fn addresses_of_a_pool_have_no_end() {
    let mut plan = chain_plan();
    plan.memory[3].1 = i64::MAX;
    assert!(check(&chain(200, None), &plan).is_valid());
}

#[test]
fn r6_a_block_taken_twice() {
    let report = mutant(|plan| plan.memory[1].1 = 0);
    assert_eq!(found(&report), [(Rule::R6, Some(2))]);
    assert_eq!(
        (report.broken[0].to_string().as_str(), &report.broken[0].bufs[..]),
        ("R6 step 2: buffer 1 at pool[0,64) overlaps the block [0,64) of buffer 0", &[1, 0][..])
    );
}

#[test]
fn r6_blocks_that_overlap_in_part_although_their_buffers_do_not() {
    let report = mutant(|plan| plan.memory[1].1 = 50);
    assert_eq!(found(&report)[0], (Rule::R6, Some(2)));
}

#[test]
fn r6_a_place_in_an_idle_block_is_its_start_and_of_its_size() {
    let report = mutant(|plan| plan.memory[2].1 = 1);
    assert_eq!(found(&report), [(Rule::R6, Some(5))]);
    let report = mutant(|plan| plan.memory[3].1 = 64);
    assert_eq!(found(&report), [(Rule::R6, Some(8))]);
    let told = "R6 step 8: buffer 3 at pool[64,164) overlaps the idle block [64,128)";
    assert_eq!(report.broken[0].to_string(), told);
    // Where there is less memory, that block had to go before.
    let mut plan = chain_plan();
    plan.memory[3].1 = 64;
    assert!(check(&chain(200, None), &plan).is_valid());
}
