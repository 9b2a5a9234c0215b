//! Who else could have left: a plan that was found or made elsewhere brings no decisions, but what each resident would have
//! cost can be told from the plan itself.

use std::collections::BTreeSet;

use crate::engine::next_use::NextUse;
use crate::model::{
    BufIx, Event, Fallback, LevelIx, NodeIx, NodeKind, Plan, Problem, SHOWN_CANDIDATES, Sink, Step, Verdict, VictimRule,
};

/// Residents and uses, as far as a replay needs them to tell of alternatives.
pub(super) struct Alternatives {
    next_use: NextUse,
    /// By node: its place among the plan's nodes.
    places: Vec<u32>,
    /// The place of the node at hand.
    here: u32,
    /// By level.
    residents: Vec<BTreeSet<BufIx>>,
}

/// A resident and what its leaving would cost.
struct Resident {
    buf: BufIx,
    verdict: Verdict,
    steps: u32,
    next_use: u32,
    /// Cost ÷ steps to the next use, in thousandths.
    score: u64,
}

impl Alternatives {
    /// At the start of `plan`, whose nodes are `order`.
    pub(super) fn new(problem: &Problem, order: &[NodeIx]) -> Self {
        let mut places = vec![u32::MAX; problem.graph.node_count()];
        (0..).zip(order).for_each(|(place, node)| places[node.at()] = place);
        let residents = vec![BTreeSet::new(); problem.level_count()];
        Self { next_use: NextUse::new(&problem.graph, order), places, here: 0, residents }
    }

    /// The node that needs `buf` next.
    pub(super) fn next_use(&self, buf: BufIx) -> Option<NodeIx> {
        self.next_use.of(buf)
    }

    /// `node` is done.
    pub(super) fn pass(&mut self, problem: &Problem, node: NodeIx) {
        self.next_use.pass(&problem.graph, node);
        self.here += 1;
    }

    /// `buf` has an address now, or no longer.
    pub(super) fn moved(&mut self, level: LevelIx, buf: BufIx, is_there: bool) {
        if is_there {
            self.residents[level.at()].insert(buf);
        } else {
            self.residents[level.at()].remove(&buf);
        }
    }

    /// Records the residents of `level` at the SPILL_OUT at step `at`, cheapest first: those that leave with it, those that
    /// stay, those that may not leave. `maker` says who chose.
    pub(super) fn record<S: Sink>(
        &self,
        problem: &Problem,
        plan: &Plan,
        at: usize,
        level: LevelIx,
        maker: Fallback,
        sink: &mut S,
    ) {
        let mut rows = self.rows(problem, level, &leaving(problem, plan, at, level), &pinned(problem, plan, at));
        if maker == Fallback::Search {
            give_reasons(&mut rows);
        }
        // Whoever leaves is shown before those that stay, as far as there is room.
        rows.sort_by_key(|row| (row.verdict != Verdict::Chosen, row.verdict == Verdict::Pinned, row.score, row.buf));
        let rest = rows.split_off(rows.len().min(SHOWN_CANDIDATES));
        rows.sort_by_key(|row| (row.verdict == Verdict::Pinned, row.score, row.buf));
        for Resident { buf, verdict, steps, next_use, score } in rows {
            sink.record(Event::Candidate { buf, verdict, rule: VictimRule::CheapestRun, next_use, steps, score });
        }
        let count = |verdict: Verdict| rest.iter().filter(|row| row.verdict == verdict).count() as u32;
        let (chosen, pinned) = (count(Verdict::Chosen), count(Verdict::Pinned));
        if !rest.is_empty() {
            let not_needed = rest.len() as u32 - chosen - pinned;
            sink.record(Event::MoreCandidates { pinned, no_hole: 0, not_needed, chosen });
        }
    }

    fn rows(&self, problem: &Problem, level: LevelIx, leaving: &[BufIx], pinned: &[BufIx]) -> Vec<Resident> {
        let verdict = |buf: &BufIx| match (leaving.contains(buf), pinned.contains(buf)) {
            (true, _) => Verdict::Chosen,
            (false, true) => Verdict::Pinned,
            (false, false) => Verdict::Stays,
        };
        self.residents[level.at()].iter().map(|buf| self.resident(problem, *buf, verdict(buf))).collect()
    }

    fn resident(&self, problem: &Problem, buf: BufIx, verdict: Verdict) -> Resident {
        let next_use = self.next_use.of(buf).map_or(u32::MAX, |node| self.places[node.at()]);
        let end = self.places.len() as u32;
        let steps = next_use.min(end).saturating_sub(self.here).max(1);
        let score = u64::try_from(u128::from(problem.spill_cost(buf)) * 1000 / u128::from(steps));
        Resident { buf, verdict, steps, next_use, score: score.unwrap_or(u64::MAX) }
    }
}

/// The search looked at windows of neighbours: who costs less than one that leaves would have left with dearer ones.
fn give_reasons(rows: &mut [Resident]) {
    let dearest = rows.iter().filter(|row| row.verdict == Verdict::Chosen).map(|row| row.score).max().unwrap_or(0);
    for row in rows.iter_mut().filter(|row| row.verdict == Verdict::Stays) {
        row.verdict = if row.score < dearest { Verdict::DearerRun } else { Verdict::NotNeeded };
    }
}

/// How many steps are looked through for what belongs to one departure: plans of elsewhere may have any shape.
const REACH: usize = 4096;

/// The buffers that leave `level` from step `at` on, before the next is placed there.
fn leaving(problem: &Problem, plan: &Plan, at: usize, level: LevelIx) -> Vec<BufIx> {
    let mut leaving = Vec::new();
    for &step in plan.steps[at..].iter().take(REACH) {
        let (buf, leaves) = match step {
            Step::Out(spill) => (plan.spills[spill.at()].buf, true),
            Step::Back(spill) => (plan.spills[spill.at()].buf, false),
            Step::Node(node) => match problem.graph.node(node).kind {
                NodeKind::Alloc(buf) => (buf, false),
                NodeKind::Free(_) | NodeKind::Op(_) => continue,
            },
        };
        match (problem.level_of(buf) == level, leaves) {
            (true, true) => leaving.push(buf),
            (true, false) => break,
            (false, _) => {}
        }
    }
    leaving
}

/// What the next node of the plan names: its buffers may not leave while those that are missing come back.
fn pinned(problem: &Problem, plan: &Plan, at: usize) -> Vec<BufIx> {
    let graph = &*problem.graph;
    let next = plan.steps[at..]
        .iter()
        .take(REACH)
        .find_map(|step| if let Step::Node(node) = step { Some(*node) } else { None });
    match next.map(|node| graph.node(node).kind) {
        Some(NodeKind::Op(op)) => graph.operands(&op).to_vec(),
        Some(NodeKind::Free(buf)) => vec![buf],
        Some(NodeKind::Alloc(_)) => Vec::new(),
        None => {
            graph.buffers().iter().enumerate().filter(|(_, b)| b.free.is_none()).map(|(at, _)| BufIx::new(at)).collect()
        }
    }
}
