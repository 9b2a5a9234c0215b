//! A packing as a graph whose steps let it be seen: an ALLOC where a buffer is born, a FREE where it dies, and in between
//! operations that last until the next of either, so that cycles are the times of the lifetimes.

use std::sync::Arc;

use super::super::{Extras, Session};
use crate::model::{
    BufIx, Fault, GraphBuilder, Level, Machine, Name, Options, Order, Plan, Problem, RawKind, RawNode, Step, Symbol,
    Timeline,
};

/// What is seen: memories, who lives in them when and where, and what the moments are called.
#[derive(Clone, Debug)]
pub struct Scene {
    /// What it is called.
    pub name: Name,
    /// What the memories together are called.
    pub machine: Name,
    /// The memories: names and capacities.
    pub levels: Vec<(Name, u64)>,
    /// Who lives in them.
    pub tenants: Vec<Tenant>,
    /// What the moments are.
    pub times: Times,
    /// What of the file means nothing here.
    pub ignored_fields: usize,
}

/// Somebody who holds addresses for a while.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tenant {
    /// Its name.
    pub name: Name,
    /// Which memory it lives in.
    pub level: usize,
    /// The first moment of its life.
    pub lower: u64,
    /// Behind its last: half-open.
    pub upper: u64,
    /// How much it holds, at least 1.
    pub size: u64,
    /// Where, if that is known.
    pub offset: Option<u64>,
}

/// What the moments are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Times {
    /// Abstract times.
    Abstract,
    /// The instructions of a program: number k runs in `[k, k+1)`.
    Program(Vec<Name>),
}

/// What is known of a packing that is seen, beside where everything lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// Who gave the addresses, in a word or two.
    pub maker: String,
    /// What the packing came to, in one sentence without a full stop.
    pub verdict: String,
    /// Buffers that alone do not fit.
    pub core: Vec<BufIx>,
    /// The step at which most is held, over all memories.
    pub peak: usize,
}

/// One operation: a stretch of time in which nobody is born or dies.
struct Tick {
    start: u64,
    end: u64,
    name: Name,
}

impl Session {
    /// The packing in `scene` as a plan to look at. `given` says that it is somebody else's: it is shown even where it is
    /// broken.
    ///
    /// # Errors
    /// Where the sizes or names are too many for a graph.
    pub fn of_scene(scene: &Scene, seen: Seen, given: bool) -> Result<Self, Fault> {
        let problem = problem(scene, true)?;
        let plan = plan(scene, &problem).to_raw(&problem.graph);
        let mut session = Self::of_plan(problem, options(), &plan, "");
        session.recorded =
            session.recorded.take().filter(|_| given).map(|record| super::super::Recorded { from: None, ..record });
        session.is_seen(seen);
        Ok(session)
    }

    /// The lifetimes in `scene` as first fit meets them, buffer by buffer, up to the one for which there is no room. Where
    /// there is room for all of them after all, those without an address are the ones that fail.
    ///
    /// # Errors
    /// As [`Session::of_scene`].
    pub fn of_failing_scene(scene: &Scene, seen: Seen) -> Result<Self, Fault> {
        // Without operands, or what is born at one moment would be refused before anything is placed.
        let extras = Extras { fractional_bound: false, remedies: false };
        let mut session = Self::plan(problem(scene, false)?, options(), extras)?;
        if session.diagnosis.is_none() {
            return Self::of_scene(scene, seen, true);
        }
        session.is_seen(seen);
        Ok(session)
    }

    fn is_seen(&mut self, seen: Seen) {
        let peak = self.fullest_step();
        self.packed = Some(Seen { peak, ..seen });
    }

    /// The step of an operation at which most is held, over all levels.
    fn fullest_step(&self) -> usize {
        let (trace, graph) = (&self.trace, &*self.trace.problem.graph);
        let (mut held, mut fullest) = (0u64, (0, 0));
        for step in 0..trace.step_count() {
            let Some(Step::Node(node)) = trace.step(step) else { continue };
            match graph.node(node).kind {
                crate::model::NodeKind::Alloc(buf) => held += graph.buffer(buf).size,
                crate::model::NodeKind::Free(buf) => held = held.saturating_sub(graph.buffer(buf).size),
                crate::model::NodeKind::Op(_) if held > fullest.0 => fullest = (held, step),
                crate::model::NodeKind::Op(_) => {}
            }
        }
        fullest.1
    }
}

/// Nothing leaves and nothing waits.
fn options() -> Options {
    Options { on_full: Vec::new(), ..Options::classic(Order::Given) }
}

fn plan(scene: &Scene, problem: &Problem) -> Plan {
    let steps = problem.graph.schedule().unwrap_or_default().iter().map(|&node| Step::Node(node)).collect();
    Plan { steps, memory: scene.tenants.iter().map(|tenant| tenant.offset).collect(), spills: Vec::new() }
}

fn problem(scene: &Scene, with_operands: bool) -> Result<Problem, Fault> {
    let graph = Arc::new(Lowering::new(scene)?.graph(with_operands)?);
    let levels = scene.levels.iter().map(|(name, capacity)| Level::arena(name.clone(), *capacity, false)).collect();
    let machine = Machine { name: scene.machine.clone(), levels, ..Machine::seed() };
    Ok(Problem::new(graph, machine).unwrap_or_else(|_| unreachable!("the machine has the levels of the scene")))
}

struct Lowering<'a> {
    scene: &'a Scene,
    ticks: Vec<Tick>,
    builder: GraphBuilder,
    levels: Vec<Symbol>,
    pipe: Symbol,
    tick: Symbol,
}

impl<'a> Lowering<'a> {
    fn new(scene: &'a Scene) -> Result<Self, Fault> {
        let mut builder = GraphBuilder::new(scene.name.clone());
        builder.ignored_fields = scene.ignored_fields;
        let (timeline, pipe) = match scene.times {
            Times::Abstract => (Timeline::Times, "time"),
            Times::Program(_) => (Timeline::Program, "program"),
        };
        builder.timeline = Some(timeline);
        let pipe = builder.intern(pipe)?;
        let tick = builder.intern("TICK")?;
        let levels = scene.levels.iter().map(|(name, _)| builder.intern(name.raw())).collect::<Result<_, _>>()?;
        Ok(Self { scene, ticks: ticks(scene), builder, levels, pipe, tick })
    }

    /// Ids are places in the schedule: at each moment who dies, who is born, then the operation until the next.
    fn graph(mut self, with_operands: bool) -> Result<crate::model::Graph, Fault> {
        let lives: Vec<(usize, usize)> = self.scene.tenants.iter().map(|tenant| self.life(tenant)).collect();
        let mut born = vec![Vec::new(); self.ticks.len()];
        let mut dying = vec![Vec::new(); self.ticks.len()];
        for (buf, &(first, last)) in lives.iter().enumerate() {
            born[first].push(buf);
            dying[last].push(buf);
        }
        let mut edges = Vec::new();
        let mut alloc_of = vec![0; lives.len()];
        let mut before: Option<u64> = None;
        for at in 0..self.ticks.len() {
            for &buf in &born[at] {
                alloc_of[buf] = self.alloc(buf);
                edges.extend(before.map(|op| (op, alloc_of[buf])));
            }
            let named: Vec<u64> = if with_operands { operands(&born[at], &dying[at]) } else { Vec::new() };
            let op = self.op(at, &named);
            edges.extend(before.map(|before| (before, op)));
            edges.extend(born[at].iter().map(|&buf| (alloc_of[buf], op)));
            for &buf in &dying[at] {
                edges.push((op, self.free(buf)));
            }
            before = Some(op);
        }
        self.builder.edges = Some(edges);
        self.builder.schedule = Some((0..self.builder.nodes.len() as u64).collect());
        self.builder.build()
    }

    /// The first and the last tick of a life.
    fn life(&self, tenant: &Tenant) -> (usize, usize) {
        let first = self.ticks.partition_point(|tick| tick.start < tenant.lower);
        let behind = self.ticks.partition_point(|tick| tick.start < tenant.upper);
        (first, behind.saturating_sub(1).max(first))
    }

    fn add(&mut self, name: Option<Name>, kind: RawKind) -> u64 {
        let id = self.builder.nodes.len() as u64;
        self.builder.nodes.push(RawNode { id, name, kind });
        id
    }

    fn alloc(&mut self, buf: usize) -> u64 {
        let tenant = &self.scene.tenants[buf];
        let kind = RawKind::Alloc(buf as u64, tenant.size, self.levels[tenant.level]);
        self.add(Some(tenant.name.clone()), kind)
    }

    fn free(&mut self, buf: usize) -> u64 {
        let name = self.scene.tenants[buf].name.clone();
        self.add(Some(name), RawKind::Free(buf as u64, None, None))
    }

    fn op(&mut self, at: usize, operands: &[u64]) -> u64 {
        let Tick { start, end, ref name } = self.ticks[at];
        let (cycles, name) = (end - start, name.clone());
        let kind = match self.scene.times {
            Times::Abstract => self.tick,
            // There may be more kinds than a graph can count.
            Times::Program(_) => self.builder.intern(base(name.raw())).unwrap_or(self.tick),
        };
        let run = self.builder.operands.len() as u32;
        self.builder.operands.extend_from_slice(operands);
        let run = (run, self.builder.operands.len() as u32);
        self.add(Some(name), RawKind::Op(kind, self.pipe, cycles, run))
    }
}

/// Who is used in a tick, as far as a graph needs to know: those in their first or last.
fn operands(born: &[usize], dying: &[usize]) -> Vec<u64> {
    let mut named: Vec<u64> = born.iter().chain(dying).map(|&buf| buf as u64).collect();
    named.sort_unstable();
    named.dedup();
    named
}

/// An instruction's kind: its name without the number behind it.
fn base(name: &str) -> &str {
    match name.rsplit_once('.') {
        Some((base, number)) if !base.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) => base,
        _ => name,
    }
}

/// The stretches of time, from 0 to the end of the last life, without a break.
fn ticks(scene: &Scene) -> Vec<Tick> {
    let last = scene.tenants.iter().map(|tenant| tenant.upper).max().unwrap_or(0);
    if let Times::Program(instructions) = &scene.times {
        let end = last.max(instructions.len() as u64);
        let name = |at: u64| instructions.get(at as usize).cloned().unwrap_or_else(|| "end of program".into());
        return (0..end).map(|at| Tick { start: at, end: at + 1, name: name(at) }).collect();
    }
    let mut moments: Vec<u64> = scene.tenants.iter().flat_map(|tenant| [tenant.lower, tenant.upper]).collect();
    moments.push(0);
    moments.sort_unstable();
    moments.dedup();
    let pairs = moments.windows(2);
    pairs.map(|pair| Tick { start: pair[0], end: pair[1], name: Name::new(format!("t={}", pair[0])) }).collect()
}

#[cfg(test)]
mod tests;
