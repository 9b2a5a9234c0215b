//! Random plans in a pool against a reference that looks at everything there is for every question.

use spillscope::check::{Rule, check};
use spillscope::model::{Buckets, BufIx, NodeIx, NodeKind, PoolFigures, Problem, RawPlan};

use super::pools::{found, graph, machine};

/// SplitMix64 (Steele, Lea, Flood 2014).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % limit
    }
}

/// A block that the pool holds: its addresses, and who has it or since when it has been idle, and as the how manieth.
#[derive(Clone, Copy)]
struct Block {
    start: u64,
    size: u64,
    holder: Option<BufIx>,
    idle: (u64, usize),
}

/// The state of one walk over a plan.
struct Reference<'a> {
    problem: &'a Problem,
    blocks: Vec<Block>,
    releases: usize,
    /// Start and end of every operation so far.
    ran: Vec<(u64, u64)>,
    /// By node; 0 where it has not run.
    ends: Vec<u64>,
    lanes: Vec<u64>,
    now: u64,
    /// Buffers in a new block that no operation has named yet.
    untouched: Vec<BufIx>,
    figures: PoolFigures,
}

impl<'a> Reference<'a> {
    fn new(problem: &'a Problem) -> Self {
        Self {
            problem,
            blocks: Vec::new(),
            releases: 0,
            ran: Vec::new(),
            ends: vec![0; problem.graph.node_count()],
            lanes: vec![0; usize::from(problem.units[0].count)],
            now: 0,
            untouched: Vec::new(),
            figures: PoolFigures::default(),
        }
    }

    fn block_size(&self, buf: BufIx) -> u64 {
        self.problem.block_size(buf, self.problem.machine.levels[0].pool().unwrap())
    }

    fn busy(&self) -> u64 {
        self.blocks.iter().filter(|block| block.holder.is_some()).map(|block| block.size).sum()
    }

    fn held(&self) -> u64 {
        self.blocks.iter().map(|block| block.size).sum()
    }

    /// Place and time of the longest idle block.
    fn oldest(&self) -> Option<(usize, u64)> {
        let idle = self.blocks.iter().enumerate().filter(|(_, block)| block.holder.is_none());
        idle.min_by_key(|(_, block)| block.idle.1).map(|(at, block)| (at, block.idle.0))
    }

    fn drop_aged(&mut self, cycle: u64) {
        let Some(max_age) = self.problem.machine.levels[0].pool().unwrap().max_age else { return };
        while let Some((at, since)) = self.oldest().filter(|&(_, since)| cycle - since >= max_age) {
            assert!(since <= cycle);
            self.blocks.remove(at);
            self.figures.aged += 1;
        }
    }

    /// Puts `buf` at `start`; the rule that this breaks, if any.
    fn place(&mut self, buf: BufIx, start: i64, cycle: u64) -> Option<Rule> {
        let size = self.block_size(buf);
        let capacity = self.problem.machine.levels[0].capacity;
        let Some(start) = u64::try_from(start).ok().filter(|_| self.busy() + size <= capacity) else {
            return Some(Rule::R5);
        };
        self.drop_aged(cycle);
        let same = |block: &Block| block.start == start && block.size == size && block.holder.is_none();
        if let Some(at) = self.blocks.iter().position(same) {
            self.blocks[at].holder = Some(buf);
            self.figures.hits += 1;
        } else {
            while self.held() + size > capacity {
                self.blocks.remove(self.oldest().unwrap().0);
                self.figures.over_cap += 1;
            }
            let shares = |block: &Block| block.start < start + size && start < block.start + block.size;
            if self.blocks.iter().any(shares) {
                return Some(Rule::R6);
            }
            self.blocks.push(Block { start, size, holder: Some(buf), idle: (0, 0) });
            self.untouched.push(buf);
            self.figures.misses += 1;
        }
        let held = self.blocks.iter().filter_map(|block| Some((block.size, block.holder?)));
        let buffers = &self.problem.graph;
        let used = |buf| buffers.buffer(buf).actual_size.unwrap_or(buffers.buffer(buf).size);
        let waste = held.map(|(size, buf)| size - used(buf)).sum();
        self.figures.worst_waste = self.figures.worst_waste.max(waste);
        self.figures.peak_busy = self.figures.peak_busy.max(self.busy());
        self.figures.peak_held = self.figures.peak_held.max(self.held());
        None
    }

    /// Runs a node whose operands are there; the rule that its placement breaks, if any.
    fn step(&mut self, node: NodeIx, offsets: &[i64]) -> Option<Rule> {
        let graph = &self.problem.graph;
        let ready = graph.preds(node).map(|before| self.ends[before.at()]).fold(self.now, u64::max);
        match graph.node(node).kind {
            NodeKind::Alloc(buf) => {
                (self.now, self.ends[node.at()]) = (ready, ready);
                return self.place(buf, offsets[buf.at()], ready);
            }
            NodeKind::Free(buf) => {
                (self.now, self.ends[node.at()]) = (ready, ready);
                let block = self.blocks.iter_mut().find(|block| block.holder == Some(buf)).unwrap();
                (block.holder, block.idle) = (None, (ready, self.releases));
                self.releases += 1;
            }
            NodeKind::Op(op) => {
                let mut cycles = op.cycles;
                for buf in graph.operands(&op).iter().filter(|buf| self.untouched.contains(buf)) {
                    let buffer = graph.buffer(*buf);
                    let fresh = self.problem.machine.levels[0].fresh_cycles(buffer.size);
                    cycles += if buffer.backed { 0 } else { fresh };
                }
                self.untouched.retain(|buf| !graph.operands(&op).contains(buf));
                let lane = (0..self.lanes.len()).min_by_key(|&lane| self.lanes[lane]).unwrap();
                let start = self.first_moment(ready.max(self.lanes[lane]));
                self.lanes[lane] = start + cycles;
                self.ran.push((start, start + cycles));
                (self.now, self.ends[node.at()]) = (start, start + cycles);
            }
        }
        None
    }

    /// The first cycle from `ready` on at which the window has a place: it can only be `ready` or an end.
    fn first_moment(&self, ready: u64) -> u64 {
        let has_place = |&cycle: &u64| {
            let running = self.ran.iter().filter(|(start, end)| (*start..*end).contains(&cycle)).count();
            self.problem.machine.window.is_none_or(|window| running < window as usize)
        };
        let moments = self.ran.iter().map(|&(_, end)| end).filter(|&end| end >= ready).chain([ready]);
        moments.filter(has_place).min().unwrap()
    }
}

fn random_problem(random: &mut Random) -> Problem {
    let count = 2 + random.below(14);
    let inputs: Vec<Vec<u64>> = (0..count)
        .map(|op| {
            let count = if op == 0 { 0 } else { random.below(3) };
            let mut inputs: Vec<u64> = (0..count).map(|_| random.below(op)).collect();
            inputs.sort_unstable();
            inputs.dedup();
            inputs
        })
        .collect();
    let ops: Vec<_> = inputs.iter().map(|inputs| (random.below(9), &inputs[..], 4 * (1 + random.below(6)))).collect();
    let graph = graph(&ops, |builder| {
        builder.actual_sizes = (0..count).filter(|_| random.below(5) == 0).map(|buf| (buf, 1 + buf * 3)).collect();
        builder.backed = (0..count).filter(|_| random.below(6) == 0).collect();
    });
    let buckets = [Buckets::Exact, Buckets::PowersOfTwo, Buckets::Fixed(vec![8, 16])];
    let buckets = buckets[random.below(3) as usize].clone();
    let max_age = Some(random.below(24)).filter(|&age| age < 8);
    let mut machine = machine(60 + random.below(240), buckets, max_age, 1 + random.below(4) as u8);
    machine.window = Some(random.below(5) as u32).filter(|&window| window > 0);
    machine.levels[0].fresh_bytes_per_cycle = [None, Some(2.5)][random.below(2) as usize];
    Problem::new(graph, machine).unwrap()
}

/// A legal order of the nodes.
fn random_order(problem: &Problem, random: &mut Random) -> Vec<NodeIx> {
    let graph = &problem.graph;
    let mut waits = graph.pred_counts();
    let mut ready: Vec<_> = graph.node_ixs().filter(|node| waits[node.at()] == 0).collect();
    let mut order = Vec::new();
    while !ready.is_empty() {
        let mut picks = [0; 3].map(|_| random.below(ready.len() as u64) as usize);
        // ALLOCs rather late: what was freed before them can be used again.
        picks.sort_by_key(|&at| matches!(graph.node(ready[at]).kind, NodeKind::Alloc(_)));
        let node = ready.swap_remove(picks[0]);
        order.push(node);
        for after in graph.succs(node) {
            waits[after.at()] -= 1;
            if waits[after.at()] == 0 {
                ready.push(after);
            }
        }
    }
    order
}

/// Mostly the next address or an idle block of the right size; now and then anything.
fn random_address(reference: &Reference, buf: BufIx, next: u64, random: &mut Random) -> i64 {
    let blocks = &reference.blocks;
    let size = reference.block_size(buf);
    let fitting: Vec<_> = blocks.iter().filter(|block| block.holder.is_none() && block.size == size).collect();
    let mut of = |count: usize| random.below(count as u64) as usize;
    let address = match of(24) {
        0 => return i64::try_from(random.below(next + 20)).unwrap() - 4,
        1 if !blocks.is_empty() => blocks[of(blocks.len())].start,
        2..20 if !fitting.is_empty() => fitting[of(fitting.len())].start,
        _ => next,
    };
    i64::try_from(address).unwrap()
}

/// What a plan breaks first, and its figures where it breaks nothing.
type Answer = (Option<(Rule, Option<usize>)>, PoolFigures, u64);

/// A plan along `order` with random addresses, made up to the first that breaks a rule.
fn random_plan(problem: &Problem, order: &[NodeIx], random: &mut Random) -> (RawPlan, Answer) {
    let graph = &problem.graph;
    let mut reference = Reference::new(problem);
    let mut offsets = vec![0; graph.buffers().len()];
    let (mut next, mut broken) = (0, None);
    for (step, &node) in order.iter().enumerate() {
        if let NodeKind::Alloc(buf) = graph.node(node).kind {
            offsets[buf.at()] = random_address(&reference, buf, next, random);
            next = next.max(u64::try_from(offsets[buf.at()]).unwrap_or(0) + reference.block_size(buf));
        }
        broken = reference.step(node, &offsets).map(|rule| (rule, Some(step)));
        if broken.is_some() {
            break;
        }
    }
    let schedule = order.iter().map(|&node| graph.node(node).id).collect();
    let makespan = reference.ends.iter().copied().max().unwrap_or(0);
    let plan = RawPlan { schedule, memory: (0..).zip(offsets).collect(), spills: Vec::new() };
    (plan, (broken, reference.figures, makespan))
}

#[test]
fn verdicts_and_figures_are_those_of_the_reference() {
    let mut verdicts = [0; 3];
    let mut total = PoolFigures::default();
    for seed in 0..10_000 {
        let random = &mut Random(seed);
        let problem = random_problem(random);
        let order = random_order(&problem, random);
        let (plan, (broken, pool, makespan)) = random_plan(&problem, &order, random);
        let report = check(&problem, &plan);
        assert_eq!(found(&report).first().copied(), broken, "seed {seed}: {:?}", report.broken);
        verdicts[broken.map_or(0, |(rule, _)| if rule == Rule::R5 { 1 } else { 2 })] += 1;
        let Some(figures) = report.figures else { continue };
        assert_eq!((figures.pools[0], figures.makespan), (pool, makespan), "seed {seed}");
        total.hits += pool.hits;
        total.over_cap += pool.over_cap;
        total.aged += pool.aged;
    }
    let seen = verdicts.into_iter().chain([total.hits, total.over_cap, total.aged]);
    assert!(seen.min() > Some(150), "too little of something: {verdicts:?} {total:?}");
}
