//! Rules R2 to R6 and the figures: one walk over the schedule, with the state of each buffer, level and unit.
//!
//! Times saturate at `u64::MAX`, which [`check`](super::check) takes for "too large to count": sums and maxima of
//! saturated times reach it exactly where the true ones pass what 64 bits hold.

mod blocks;

use super::addresses::{Addresses, Range};
use super::clock::Clock;
use super::pool::Pool;
use super::roster::Roster;
use super::{Broken, Findings, MAX_LISTED, Rule};
use crate::model::{
    BufIx, Figures, Level, MAX_NUMBER, NodeIx, NodeKind, Operation, PoolFigures, Problem, RawPlan, SpillIx, Step,
};

/// Walks the schedule and adds what breaks R1 (at a step) to R6. The figures mean something only if nothing was found.
pub(super) fn replay(problem: &Problem, plan: &RawPlan, roster: &Roster, findings: &mut Findings) -> Figures {
    let mut replay = Replay::new(problem, plan, roster, findings);
    for (at, &entry) in roster.steps.iter().enumerate() {
        if replay.findings.overflowed() {
            break;
        }
        replay.step = at;
        replay.entry(entry);
    }
    replay.figures()
}

/// Where a buffer is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// Left out of the replay; see [`Roster::unclear`].
    Unclear,
    /// Before its ALLOC.
    Unborn,
    /// Resident, at these addresses; `None` where its placement is outside the level.
    In(Option<Range>),
    /// Out by this spill.
    Out(SpillIx),
    /// After its FREE.
    Gone,
}

/// One buffer in the replay.
#[derive(Clone, Copy)]
struct Life {
    state: State,
    /// End of the latest of ALLOC, SPILL_INs and users so far: what a SPILL_OUT waits for.
    touched: u64,
    /// End of the latest SPILL_OUT.
    out: u64,
    /// End of the latest SPILL_IN: what users and FREE wait for.
    back: u64,
    /// Whether its block is new and no operation has touched it yet.
    fresh: bool,
    /// The block of main memory that keeps its contents while it is out.
    kept_in: Option<u64>,
}

/// One level in the replay.
struct LevelState {
    space: Space,
    used: u64,
    peak: u64,
    alive: u64,
    most_alive: u64,
}

/// Who holds what of a level.
enum Space {
    Arena(Addresses),
    Pool(Pool),
}

struct Replay<'a> {
    problem: &'a Problem,
    plan: &'a RawPlan,
    roster: &'a Roster,
    findings: &'a mut Findings,
    step: usize,
    lives: Vec<Life>,
    levels: Vec<LevelState>,
    /// Spills of which one half was refused: the other half is then no news.
    refused: Vec<bool>,
    /// End of each node that has run.
    ends: Vec<u64>,
    clock: Clock<'a>,
    main: Pool,
    /// Whether main memory came to more than can be counted.
    main_overflowed: bool,
    /// Sizes between ALLOC and FREE in the levels other than L0.
    stay: u64,
    peak_stay: u64,
    extra_traffic: u64,
    overlapped: Vec<BufIx>,
}

impl<'a> Replay<'a> {
    fn new(problem: &'a Problem, plan: &'a RawPlan, roster: &'a Roster, findings: &'a mut Findings) -> Self {
        let life = |&unclear: &bool| Life {
            state: if unclear { State::Unclear } else { State::Unborn },
            touched: 0,
            out: 0,
            back: 0,
            fresh: false,
            kept_in: None,
        };
        let level = |level: &Level| {
            let pool = level.pool().map(|rules| Space::Pool(Pool::new(level.capacity, rules.max_age)));
            let space = pool.unwrap_or_else(|| Space::Arena(Addresses::new()));
            LevelState { space, used: 0, peak: 0, alive: 0, most_alive: 0 }
        };
        Self {
            problem,
            plan,
            roster,
            findings,
            step: 0,
            lives: roster.unclear.iter().map(life).collect(),
            levels: problem.machine.levels.iter().map(level).collect(),
            refused: vec![false; roster.spills.len()],
            ends: vec![0; problem.graph.node_count()],
            clock: Clock::new(problem),
            main: Pool::new(MAX_NUMBER, problem.machine.main_memory.max_age),
            main_overflowed: false,
            stay: 0,
            peak_stay: 0,
            extra_traffic: 0,
            overlapped: Vec::new(),
        }
    }

    fn figures(&self) -> Figures {
        Figures {
            steps: self.roster.steps.len() as u64,
            spills: self.roster.spills.len() as u64,
            extra_traffic: self.extra_traffic,
            peak: self.levels.iter().map(|level| level.peak).collect(),
            peak_stay: self.peak_stay,
            l0_live: self.levels.iter().map(|level| level.most_alive).collect(),
            makespan: self.clock.makespan(),
            pools: self.levels.iter().map(pool_figures).collect(),
            main: self.main_figures(),
        }
    }

    /// Runs one entry of the schedule.
    fn entry(&mut self, entry: Option<Step>) {
        let id = self.plan.schedule[self.step];
        let Some(step) = entry else {
            return self.broken(Rule::R1, &[id], &[], format!("node {id} is neither in the graph nor a spill's"));
        };
        if let Some(first) = self.roster.first_at(step).filter(|&first| first != self.step) {
            return self.broken(Rule::R1, &[id], &[], format!("node {id} stands a second time, after step {first}"));
        }
        match step {
            Step::Node(node) => self.node(node),
            Step::Out(spill) => self.spill_out(spill),
            Step::Back(spill) => self.spill_back(spill),
        }
    }

    fn node(&mut self, node: NodeIx) {
        let problem = self.problem;
        let mut ready = 0;
        for before in problem.graph.preds(node) {
            ready = self.ends[before.at()].max(ready);
            if let Some(at) = self.roster.first_at(Step::Node(before)).filter(|&at| at > self.step) {
                let ids = [problem.graph.node(before).id, problem.graph.node(node).id];
                let what = format!("node {} runs before node {}, which stands at step {at}", ids[1], ids[0]);
                self.broken(Rule::R2, &ids, &[], what);
            }
        }
        let end = match problem.graph.node(node).kind {
            NodeKind::Alloc(buf) => self.alloc(buf, ready),
            NodeKind::Free(buf) => self.free(buf, ready),
            NodeKind::Op(op) => self.operation(node, &op, ready),
        };
        self.ends[node.at()] = end;
    }

    fn alloc(&mut self, buf: BufIx, ready: u64) -> u64 {
        let Some(offset) = self.roster.placed[buf.at()].filter(|_| self.lives[buf.at()].state != State::Unclear) else {
            return ready;
        };
        let size = self.problem.graph.buffer(buf).size;
        let level = self.problem.level_of(buf);
        if self.problem.level(level).is_l0() {
            let level = &mut self.levels[level.at()];
            level.alive += 1;
            level.most_alive = level.most_alive.max(level.alive);
        } else {
            self.stay += size;
            self.peak_stay = self.peak_stay.max(self.stay);
        }
        let begin = self.settle(buf, offset, self.clock.earliest(ready));
        self.clock.pass(begin);
        self.lives[buf.at()].touched = begin;
        begin
    }

    fn free(&mut self, buf: BufIx, ready: u64) -> u64 {
        let life = self.lives[buf.at()];
        let end = self.clock.earliest(ready.max(life.back));
        self.clock.pass(end);
        match life.state {
            State::In(range) => self.leave(buf, range, end),
            State::Unclear => return end,
            State::Out(_) => self.broken_buffer(Rule::R3, buf, "is freed while it is spilled out"),
            State::Unborn | State::Gone => {
                self.broken_buffer(Rule::R3, buf, "is freed before its ALLOC");
                return end;
            }
        }
        self.lives[buf.at()].state = State::Gone;
        let level = self.problem.level_of(buf);
        if self.problem.level(level).is_l0() {
            self.levels[level.at()].alive -= 1;
        } else {
            self.stay -= self.problem.graph.buffer(buf).size;
        }
        end
    }

    fn operation(&mut self, node: NodeIx, op: &Operation, mut ready: u64) -> u64 {
        let problem = self.problem;
        let graph = &problem.graph;
        for &buf in graph.operands(op) {
            let life = self.lives[buf.at()];
            ready = ready.max(life.back);
            let when = match life.state {
                State::In(_) | State::Unclear => continue,
                State::Unborn => "before its ALLOC",
                State::Out(_) => "while it is spilled out",
                State::Gone => "after its FREE",
            };
            let (id, name) = (graph.node(node).id, graph.symbol(op.op));
            let buffer = graph.buffer(buf).id;
            self.broken(Rule::R4, &[id], &[buffer], format!("node {id} ({name}) uses buffer {buffer} {when}"));
        }
        let cycles = op.cycles.saturating_add(self.first_touches(graph.operands(op)));
        let end = self.clock.run(op, ready, cycles).end;
        for &buf in graph.operands(op) {
            let touched = &mut self.lives[buf.at()].touched;
            *touched = end.max(*touched);
        }
        end
    }

    fn spill_out(&mut self, spill: SpillIx) {
        let Some(buf) = self.roster.spills[spill.at()].filter(|_| !self.refused[spill.at()]) else { return };
        let life = self.lives[buf.at()];
        let range = match life.state {
            State::In(range) => range,
            State::Unclear => return,
            State::Unborn => return self.refuse(spill, buf, "is spilled out before its ALLOC"),
            State::Out(_) => return self.refuse(spill, buf, "is spilled out while another spill has it out"),
            State::Gone => return self.refuse(spill, buf, "is spilled out after its FREE"),
        };
        if self.pool_rules(buf).is_some() {
            return self.refuse(spill, buf, "is spilled out of a pool, which does not spill");
        }
        let buffer = self.problem.graph.buffer(buf);
        let free_of_charge = buffer.backed && self.problem.machine.transfer.backed_out_free;
        let cycles = if free_of_charge { 0 } else { self.transfer(buffer.size) };
        let span = self.clock.transfer(self.problem.out_unit, life.touched, cycles);
        self.extra_traffic = self.extra_traffic.saturating_add(self.problem.spill_cost(buf));
        self.leave(buf, range, span.end);
        self.keep_in_main(buf, span.start);
        let life = &mut self.lives[buf.at()];
        (life.state, life.out) = (State::Out(spill), span.end);
    }

    fn spill_back(&mut self, spill: SpillIx) {
        let Some(buf) = self.roster.spills[spill.at()].filter(|_| !self.refused[spill.at()]) else { return };
        match self.lives[buf.at()].state {
            State::Out(out) if out == spill => {}
            State::Unclear => return,
            State::Out(_) => {
                return self.refuse(spill, buf, "comes back by a spill other than the one that has it out");
            }
            State::Unborn | State::In(_) => return self.refuse(spill, buf, "comes back before it was spilled out"),
            State::Gone => return self.refuse(spill, buf, "comes back after its FREE"),
        }
        let ready = self.settle(buf, self.plan.spills[spill.at()].1, self.lives[buf.at()].out);
        let cycles = self.transfer(self.problem.graph.buffer(buf).size);
        let end = self.clock.transfer(self.problem.back_unit, ready, cycles).end;
        self.release_from_main(buf, end);
        let life = &mut self.lives[buf.at()];
        (life.back, life.touched) = (end, end);
    }

    /// Gives `buf` its addresses. Returns when it can begin to use them: not before `ready`, and not before every earlier
    /// holder has left.
    fn settle(&mut self, buf: BufIx, offset: i64, ready: u64) -> u64 {
        let level = self.problem.level_of(buf);
        if let Some(rules) = self.pool_rules(buf) {
            self.settle_in_block(buf, rules, offset, ready);
            return ready;
        }
        let size = self.problem.graph.buffer(buf).size;
        let start = u64::try_from(offset).ok();
        let end = start.and_then(|start| start.checked_add(size));
        let range = start.zip(end).map(|(start, end)| Range { start, end });
        let range = range.filter(|range| range.end <= self.problem.level(level).capacity);
        self.lives[buf.at()].state = State::In(range);
        let Some(range) = range else {
            let what = format!("lies outside [0,{})", self.problem.level(level).capacity);
            self.broken_place(Rule::R5, buf, (offset, size), &what, None);
            return ready;
        };
        let mut overlapped = std::mem::take(&mut self.overlapped);
        let state = &mut self.levels[level.at()];
        state.count_in(size);
        let since = match &mut state.space {
            Space::Arena(addresses) => addresses.take(range, buf, MAX_LISTED + 1, &mut overlapped),
            Space::Pool(_) => 0,
        };
        for &other in &overlapped {
            let what = format!("overlaps buffer {}", self.problem.graph.buffer(other).id);
            self.broken_place(Rule::R6, buf, (offset, size), &what, Some(other));
        }
        self.overlapped = overlapped;
        ready.max(since)
    }

    /// Takes `buf` from its addresses; the caller sets its new state.
    fn leave(&mut self, buf: BufIx, range: Option<Range>, cycle: u64) {
        if let Some(range) = range {
            let level = &mut self.levels[self.problem.level_of(buf).at()];
            match &mut level.space {
                Space::Arena(addresses) => addresses.leave(range, buf, cycle),
                Space::Pool(pool) => pool.release(range.start, cycle),
            }
            level.used -= range.end - range.start;
        }
    }

    fn transfer(&self, size: u64) -> u64 {
        self.problem.machine.transfer.cycles(size).unwrap_or(u64::MAX)
    }

    fn broken(&mut self, rule: Rule, nodes: &[u64], bufs: &[u64], what: String) {
        self.findings.add(Broken { rule, step: Some(self.step), nodes: nodes.into(), bufs: bufs.into(), what });
    }

    /// The step at hand breaks `rule` because of the state of `buf`.
    fn broken_buffer(&mut self, rule: Rule, buf: BufIx, what: &str) {
        let id = self.problem.graph.buffer(buf).id;
        self.broken(rule, &[self.plan.schedule[self.step]], &[id], format!("buffer {id} {what}"));
    }

    /// The place of `buf`, offset and size, breaks `rule`.
    fn broken_place(&mut self, rule: Rule, buf: BufIx, place: (i64, u64), what: &str, other: Option<BufIx>) {
        let graph = &self.problem.graph;
        let id = graph.buffer(buf).id;
        let end = i128::from(place.0) + i128::from(place.1);
        let level = &self.problem.level(self.problem.level_of(buf)).name;
        let what = format!("buffer {id} at {level}[{},{end}) {what}", place.0);
        let bufs: Vec<u64> = std::iter::once(buf).chain(other).map(|buf| graph.buffer(buf).id).collect();
        self.broken(rule, &[self.plan.schedule[self.step]], &bufs, what);
    }

    /// Half a spill that cannot be: a finding, and the other half is left out.
    fn refuse(&mut self, spill: SpillIx, buf: BufIx, what: &str) {
        self.refused[spill.at()] = true;
        self.broken_buffer(Rule::R3, buf, what);
    }
}

impl LevelState {
    /// A buffer of `size` is resident now.
    fn count_in(&mut self, size: u64) {
        self.used += size;
        self.peak = self.peak.max(self.used);
    }
}

fn pool_figures(level: &LevelState) -> PoolFigures {
    match &level.space {
        Space::Arena(_) => PoolFigures::default(),
        Space::Pool(pool) => pool.figures(),
    }
}
