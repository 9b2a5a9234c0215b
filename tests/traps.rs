//! The traps in the seeds' sketches (the fault each had, and what is right): a case each that falls into it again
//! where the fault comes back.

use std::sync::Arc;

use spillscope::model::{
    Event, Fallback, Fault, Graph, GraphBuilder, Level, Machine, NodeKind, Options, Order, Problem, Refusal, Step,
    Symbol,
};
use spillscope::session::{Extras, Session};

/// A graph written as its schedule: `+3` allocates buffer 3, `-3` frees it, `0,3` is an operation on both. Node ids
/// are places in the schedule. Without `edges` they follow from the buffers.
struct Case<'a> {
    /// Level and capacity.
    levels: &'a [(&'a str, u64)],
    /// By id: level and size.
    buffers: &'a [(&'a str, u64)],
    schedule: &'a str,
    edges: Option<&'a [(u64, u64)]>,
    on_full: &'a [Fallback],
}

const CLASSIC: &[Fallback] = &[Fallback::Spill, Fallback::SpillMany, Fallback::Postpone];

impl Case<'_> {
    fn planned(&self) -> Session {
        let session = self.planned_on(self.machine()).unwrap();
        assert!(session.check.is_valid(), "{:?}", session.check.broken);
        session
    }

    fn planned_on(&self, machine: Machine) -> Result<Session, Fault> {
        let problem = Problem::new(Arc::new(self.graph()), machine).unwrap();
        let options = Options { on_full: self.on_full.to_vec(), ..Options::classic(Order::Given) };
        Session::plan(problem, options, Extras { fractional_bound: false, remedies: true })
    }

    fn graph(&self) -> Graph {
        let mut graph = GraphBuilder::default();
        let op = graph.intern("OP").unwrap();
        let levels: Vec<Symbol> = self.buffers.iter().map(|(level, _)| graph.intern(level).unwrap()).collect();
        for (id, word) in (0..).zip(self.schedule.split(' ')) {
            if let Some(buf) = word.strip_prefix('+').map(number) {
                graph.alloc(id, buf, self.buffers[buf as usize].1, levels[buf as usize]);
            } else if let Some(buf) = word.strip_prefix('-') {
                graph.free(id, number(buf));
            } else {
                graph.op(id, op, op, 1, &word.split(',').map(number).collect::<Vec<_>>());
            }
        }
        graph.schedule = Some((0..graph.nodes.len() as u64).collect());
        graph.edges = self.edges.map(<[_]>::to_vec);
        graph.build().unwrap()
    }

    fn machine(&self) -> Machine {
        let level = |&(name, capacity): &(&str, u64)| Level::arena(name, capacity, true);
        Machine { levels: self.levels.iter().map(level).collect(), ..Machine::npu() }
    }

    /// The plan in the words of the schedule; `out 3` and `back 3` are the two halves of a spill.
    fn steps(&self) -> String {
        let session = self.planned();
        assert_eq!(session.diagnosis, None);
        let (plan, words) = (&session.trace.plan, self.schedule.split(' ').collect::<Vec<_>>());
        let buf = |spill: usize| plan.spills[spill].buf.0;
        let word = |step: &Step| match *step {
            Step::Node(node) => words[node.at()].to_owned(),
            Step::Out(spill) => format!("out{}", buf(spill.at())),
            Step::Back(spill) => format!("back{}", buf(spill.at())),
        };
        plan.steps.iter().map(word).collect::<Vec<_>>().join(" ")
    }
}

fn number(text: &str) -> u64 {
    text.parse().expect("a buffer's number")
}

#[test]
fn a_victim_is_of_the_level_that_is_full() {
    // Buffer 0 scores most by far, and leaving UB would free nothing in L1.
    let case = Case {
        levels: &[("L1", 10), ("UB", 100)],
        buffers: &[("UB", 100), ("L1", 10), ("L1", 10)],
        schedule: "+0 +1 1 +2 2 -2 0,1 -1 -0",
        edges: None,
        on_full: CLASSIC,
    };
    assert_eq!(case.steps(), "+0 +1 1 out1 +2 2 -2 back1 0,1 -1 -0");
}

#[test]
fn a_postponed_alloc_stands_behind_the_free_that_makes_room() {
    let case = Case {
        levels: &[("L1", 10)],
        buffers: &[("L1", 10), ("L1", 10)],
        schedule: "+0 +1 0 -0 1 -1",
        edges: None,
        on_full: &[Fallback::Postpone],
    };
    assert_eq!(case.steps(), "+0 0 -0 +1 1 -1");
    assert_eq!(case.planned().reached.postpone, 1, "once is enough");
}

/// Where the chain only postpones: the refusal at which it ends, and the node that it speaks of.
fn refused(schedule: &str, edges: Option<&[(u64, u64)]>) -> (Refusal, u32) {
    let buffers = &[("L1", 10), ("L1", 10)];
    let case = Case { levels: &[("L1", 10)], buffers, schedule, edges, on_full: &[Fallback::Postpone] };
    let session = case.planned();
    assert!(session.diagnosis.is_some());
    let refusal = session.trace.events().iter().rev().find_map(|event| match *event {
        Event::FellThrough { reason, node, .. } => Some((reason, node.0)),
        _ => None,
    });
    refusal.expect("it says why")
}

#[test]
fn an_alloc_is_not_postponed_past_its_first_use() {
    assert_eq!(refused("+0 +1 1 0 -0 -1", None), (Refusal::PastFirstUse, 2));
    // The node behind the edge 1 → 2 does not name the buffer, and still needs its ALLOC.
    let edges = [(0, 2), (0, 3), (1, 2), (1, 4), (4, 5), (2, 3)];
    assert_eq!(refused("+0 +1 0 -0 1 -1", Some(&edges)), (Refusal::PastFirstUse, 2));
}

#[test]
fn interleaved_spills_are_paired_by_their_number() {
    let case = Case {
        levels: &[("L1", 20)],
        buffers: &[("L1", 10), ("L1", 10), ("L1", 10), ("L1", 10)],
        schedule: "+0 +1 0 1 +2 +3 2,3 -2 -3 0 1 -1 -0",
        edges: None,
        on_full: CLASSIC,
    };
    assert_eq!(case.steps(), "+0 +1 0 1 out0 +2 out1 +3 2,3 -2 -3 back0 0 back1 1 -1 -0");
    let session = case.planned();
    let raw = session.trace.plan.to_raw(&session.trace.problem.graph);
    // N is 13: the halves of spill k are 13 + 2k and 14 + 2k, wherever they stand.
    assert_eq!(raw.schedule, [0, 1, 2, 3, 13, 4, 15, 5, 6, 7, 8, 14, 9, 16, 10, 11, 12]);
    assert_eq!(raw.spills.iter().map(|&(buf, _)| buf).collect::<Vec<_>>(), [0, 1]);
}

#[test]
fn the_buffers_of_the_operation_at_hand_are_pinned() {
    // When 0 comes back for `0,1`, buffer 1 scores most of those that could leave.
    let case = Case {
        levels: &[("L1", 30)],
        buffers: &[("L1", 10), ("L1", 10), ("L1", 10), ("L1", 10)],
        schedule: "+0 +1 +2 +3 3 0,1 -2 -3 -1 -0",
        edges: None,
        on_full: CLASSIC,
    };
    assert_eq!(case.steps(), "+0 +1 +2 out0 +3 3 out3 back0 0,1 -2 back3 -3 -1 -0");
}

#[test]
fn postponing_counts_the_frees_of_resident_buffers_alone() {
    // When 2 asks for room, 0 is out: its FREE comes first, but frees nothing that is taken now.
    let case = Case {
        levels: &[("L1", 10)],
        buffers: &[("L1", 6), ("L1", 6), ("L1", 6)],
        schedule: "+0 +1 1 +2 -0 -1 2 -2",
        edges: None,
        on_full: &[Fallback::Postpone, Fallback::Spill],
    };
    assert_eq!(case.steps(), "+0 out0 +1 1 out1 back0 -0 back1 -1 +2 2 -2");
    let session = case.planned();
    let postponed: Vec<_> = session.trace.events().iter().filter(|e| matches!(e, Event::Postponed { .. })).collect();
    assert!(matches!(postponed[..], [Event::Postponed { after, .. }] if after.0 == 5), "{postponed:?}");
}

#[test]
fn best_fit_holds_after_merging_too() {
    // The two holes of 20 at [0,40) merge; 25 still goes into the smaller hole of 30 behind them, and 40 into theirs.
    let case = Case {
        levels: &[("L1", 100)],
        buffers: &[("L1", 20), ("L1", 20), ("L1", 20), ("L1", 30), ("L1", 10), ("L1", 25), ("L1", 40)],
        schedule: "+0 +1 +2 +3 +4 -0 -1 -3 +5 +6 5,6 -6 -5 -4 -2",
        edges: None,
        on_full: &[],
    };
    let session = case.planned();
    assert_eq!(session.diagnosis, None);
    assert_eq!((session.trace.plan.memory[5], session.trace.plan.memory[6]), (Some(60), Some(0)));
}

#[test]
fn a_buffer_that_is_never_freed_comes_back_at_the_end() {
    let case = Case {
        levels: &[("L1", 20)],
        buffers: &[("L1", 10), ("L1", 20)],
        schedule: "+0 0 +1 1 -1",
        edges: None,
        on_full: CLASSIC,
    };
    assert_eq!(case.steps(), "+0 0 out0 +1 1 -1 back0");
}

#[test]
fn a_level_as_large_as_the_operands_is_enough() {
    // When 0 comes back, 3 stands in the middle and may not go: only the last resort makes one hole of the two.
    let case = Case {
        levels: &[("L1", 30)],
        buffers: &[("L1", 20), ("L1", 10), ("L1", 10), ("L1", 10)],
        schedule: "+0 +1 +2 +3 -1 -2 0,3 -3 -0",
        edges: None,
        on_full: CLASSIC,
    };
    assert_eq!(case.steps(), "+0 +1 out0 +2 +3 -1 -2 out3 back0 back3 0,3 -3 -0");
    let session = case.planned();
    assert_eq!(session.reached.packed, 1);
    assert_eq!(session.trace.plan.spills.iter().map(|spill| spill.offset).collect::<Vec<_>>(), [Some(0), Some(20)]);
}

#[test]
fn an_alloc_between_many_nodes_costs_their_sum() {
    // As pairs of a node before and a node behind it, these would be four hundred million.
    let many = 20_000;
    let mut graph = GraphBuilder::default();
    let name = graph.intern("L1").unwrap();
    graph.alloc(many, 0, 1, name);
    (0..many).for_each(|id| graph.op(id, name, name, 1, &[]));
    (many + 1..=2 * many).for_each(|id| graph.op(id, name, name, 1, &[0]));
    let edges = (0..many).map(|id| (id, many)).chain((many + 1..=2 * many).map(|id| (many, id)));
    graph.edges = Some(edges.collect());
    let problem = Problem::new(Arc::new(graph.build().unwrap()), Machine::npu()).unwrap();
    let extras = Extras { fractional_bound: false, remedies: false };
    let session = Session::plan(problem, Options::classic(Order::Program), extras).unwrap();
    assert!(session.check.is_valid());
    let steps = &session.trace.plan.steps;
    let graph = &session.trace.problem.graph;
    let at = many as usize;
    assert!(matches!(steps[at], Step::Node(node) if matches!(graph.node(node).kind, NodeKind::Alloc(_))));
    assert_eq!(
        session.trace.ready().count(many as u32 - 1),
        at,
        "with the last one before it, all behind it are ready"
    );
}

#[test]
fn a_plan_whose_sums_pass_what_a_count_can_hold_is_refused() {
    // Each buffer fills the level; a transfer of 2^61 units alone takes 2^62 cycles.
    let size = 1 << 61;
    let case = Case {
        levels: &[("L1", size)],
        buffers: &[("L1", size), ("L1", size)],
        schedule: "+0 +1 0 1 0 1 -0 -1",
        edges: None,
        on_full: CLASSIC,
    };
    let refused = |machine: Machine| case.planned_on(machine).expect_err("it cannot be counted").what;
    assert!(refused(case.machine()).contains("makespan passes 2^63-1"));
    let mut fast = case.machine();
    fast.transfer.bytes_per_cycle = 1e18;
    assert!(refused(fast).contains("extra traffic passes 2^63-1"));
}
