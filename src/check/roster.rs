//! Rule R1: who stands where in the plan's three files. What the files say is turned into indices here, so that the
//! replay meets nothing unknown.

use std::collections::HashSet;

use super::{Broken, Findings, Rule};
use crate::model::{BufIx, NodeIx, Problem, RawPlan, SpillIx, Step, step_id};

/// How many ids a sentence names before it ends with an ellipsis.
const NAMED: usize = 8;

/// The plan in indices.
pub(super) struct Roster {
    /// What each entry of the schedule is; `None` for an id that neither the graph nor the spills have.
    pub(super) steps: Vec<Option<Step>>,
    /// The buffer of each spill; `None` where the graph does not have it.
    pub(super) spills: Vec<Option<BufIx>>,
    /// First placement of each buffer.
    pub(super) placed: Vec<Option<i64>>,
    /// Buffers whose own entries break R1: something of theirs is missing or stands twice. Where they are is anyone's
    /// guess, so the replay leaves them out and tells one fault once.
    pub(super) unclear: Vec<bool>,
    node_at: Vec<Option<usize>>,
    out_at: Vec<Option<usize>>,
    back_at: Vec<Option<usize>>,
}

impl Roster {
    /// Reads the plan; adds what breaks R1 and is not tied to a step. Unknown and doubled entries of the schedule are
    /// left to the replay, which meets them in order.
    pub(super) fn new(problem: &Problem, plan: &RawPlan, findings: &mut Findings, notes: &mut Vec<String>) -> Self {
        let graph = &*problem.graph;
        let mut roster = Self {
            steps: Vec::with_capacity(plan.schedule.len()),
            spills: plan.spills.iter().map(|&(buf, _)| graph.find_buffer(buf)).collect(),
            placed: vec![None; graph.buffers().len()],
            unclear: vec![false; graph.buffers().len()],
            node_at: vec![None; graph.node_count()],
            out_at: vec![None; plan.spills.len()],
            back_at: vec![None; plan.spills.len()],
        };
        roster.read_schedule(problem, plan);
        roster.find_missing_nodes(problem, findings);
        roster.read_memory(problem, plan, findings, notes);
        roster.find_foreign_spills(problem, plan, findings);
        roster
    }

    /// The first step at which `step` stands in the schedule.
    pub(super) fn first_at(&self, step: Step) -> Option<usize> {
        match step {
            Step::Node(node) => self.node_at[node.at()],
            Step::Out(spill) => self.out_at[spill.at()],
            Step::Back(spill) => self.back_at[spill.at()],
        }
    }

    fn read_schedule(&mut self, problem: &Problem, plan: &RawPlan) {
        for (position, &id) in plan.schedule.iter().enumerate() {
            let step = resolve(problem, id, self.spills.len());
            self.steps.push(step);
            let Some(step) = step else { continue };
            let first = match step {
                Step::Node(node) => &mut self.node_at[node.at()],
                Step::Out(spill) => &mut self.out_at[spill.at()],
                Step::Back(spill) => &mut self.back_at[spill.at()],
            };
            if first.is_some() {
                self.doubt(problem, step);
            } else {
                *first = Some(position);
            }
        }
    }

    /// Marks the buffer that a cache node or spill node is about.
    fn doubt(&mut self, problem: &Problem, step: Step) {
        let buf = match step {
            Step::Node(node) => problem.graph.node(node).kind.cache_buffer(),
            Step::Out(spill) | Step::Back(spill) => self.spills[spill.at()],
        };
        if let Some(buf) = buf {
            self.unclear[buf.at()] = true;
        }
    }

    fn find_missing_nodes(&mut self, problem: &Problem, findings: &mut Findings) {
        let nodes = problem.graph.node_ixs().map(Step::Node);
        let spills = (0..self.spills.len()).map(SpillIx::new).flat_map(|spill| [Step::Out(spill), Step::Back(spill)]);
        let missing: Vec<Step> = nodes.chain(spills).filter(|&step| self.first_at(step).is_none()).collect();
        if missing.is_empty() {
            return;
        }
        for &step in &missing {
            self.doubt(problem, step);
        }
        let ids: Vec<u64> = missing.iter().map(|&step| step_id(&problem.graph, step)).collect();
        let what = format!("missing from the schedule: {}", counted(&ids, "node"));
        findings.add(Broken { rule: Rule::R1, step: None, nodes: ids, bufs: Vec::new(), what });
    }

    fn read_memory(&mut self, problem: &Problem, plan: &RawPlan, findings: &mut Findings, notes: &mut Vec<String>) {
        let mut foreign = Vec::new();
        let mut foreign_seen = HashSet::new();
        for &(id, offset) in &plan.memory {
            let twice = match problem.graph.find_buffer(id) {
                Some(buf) => {
                    let twice = self.placed[buf.at()].replace(offset).is_some();
                    self.unclear[buf.at()] |= twice;
                    twice
                }
                None if foreign_seen.insert(id) => {
                    foreign.push(id);
                    false
                }
                None => true,
            };
            if twice {
                let what = format!("buffer {id} is placed twice");
                findings.add(Broken { rule: Rule::R1, step: None, nodes: Vec::new(), bufs: vec![id], what });
            }
        }
        if !foreign.is_empty() {
            notes.push(format!("placed, but not in the graph: {}", counted(&foreign, "buffer")));
        }
        self.find_missing_placements(problem, findings);
    }

    fn find_missing_placements(&mut self, problem: &Problem, findings: &mut Findings) {
        let mut missing = Vec::new();
        for (at, buffer) in problem.graph.buffers().iter().enumerate() {
            if self.placed[at].is_none() {
                self.unclear[at] = true;
                missing.push(buffer.id);
            }
        }
        if !missing.is_empty() {
            let what = format!("without a placement: {}", counted(&missing, "buffer"));
            findings.add(Broken { rule: Rule::R1, step: None, nodes: Vec::new(), bufs: missing, what });
        }
    }

    fn find_foreign_spills(&self, problem: &Problem, plan: &RawPlan, findings: &mut Findings) {
        for (at, &(id, _)) in plan.spills.iter().enumerate() {
            if self.spills[at].is_none() {
                let out = Step::Out(SpillIx::new(at));
                findings.add(Broken {
                    rule: Rule::R1,
                    step: self.first_at(out),
                    nodes: vec![step_id(&problem.graph, out)],
                    bufs: vec![id],
                    what: format!("spill {at} names buffer {id}, which the graph does not allocate"),
                });
            }
        }
    }
}

/// What `id` stands for in a plan with `spills` spills.
fn resolve(problem: &Problem, id: u64, spills: usize) -> Option<Step> {
    let graph = &*problem.graph;
    let Some(beyond) = id.checked_sub(graph.first_spill_id()) else {
        return find_node(problem, id).map(Step::Node);
    };
    let spill = usize::try_from(beyond / 2).ok().filter(|&spill| spill < spills).map(SpillIx::new)?;
    Some(if beyond % 2 == 0 { Step::Out(spill) } else { Step::Back(spill) })
}

/// Most graphs number their nodes 0, 1, 2, …, where the id is the index.
fn find_node(problem: &Problem, id: u64) -> Option<NodeIx> {
    let graph = &*problem.graph;
    let guess = usize::try_from(id).ok().filter(|&at| at < graph.node_count()).map(NodeIx::new);
    guess.filter(|&node| graph.node(node).id == id).or_else(|| graph.find_node(id))
}

/// `3 nodes: 1, 5, 9`, cut after [`NAMED`] ids.
fn counted(ids: &[u64], noun: &str) -> String {
    let named: Vec<String> = ids.iter().take(NAMED).map(u64::to_string).collect();
    let plural = if ids.len() == 1 { "" } else { "s" };
    let more = if ids.len() > NAMED { ", …" } else { "" };
    format!("{} {noun}{plural}: {}{more}", ids.len(), named.join(", "))
}
