//! An inference pipeline in the likeness of the one that seed 000 measures (section 5): parallel main chains, shared
//! operations that tie them together, and branches that fan out of a chain and join it again further on.
//!
//! What a branch writes is held until it joins, and that is most of what is alive at once. The first chain is the
//! critical one: every fourth of its operations is heavy, and the later the heavier. Around it are light operations and
//! longer ones that can wait, enough of them that the workers are sometimes all taken.
//!
//! Operations are numbered breadth-first, so the lowest number that is ready is far from the best one to run.

use super::operations::{Operation, Operations};
use super::{at_least_one, check_node_count, fault};
use crate::model::{Fault, MAX_NUMBER, SplitMix64};

/// The fewest operations of a chain that a branch can leave and join again.
const SHORTEST: u32 = 4;
/// Each so many operations beside the chains, one is shared.
const OTHERS_A_SHARED_ONE: u64 = 15;
/// Branches that leave a chain together.
const FAN_OUT: (u64, u64) = (2, 7);
/// How many operations of the chain lie between the ends of a branch.
const SPAN: (u64, u64) = (6, 18);
/// Of a hundred branches, how many are light.
const LIGHT_BRANCHES: u64 = 45;
/// Of a hundred outputs of chains and branches, how many are small.
const SMALL_OUTPUTS: u64 = 20;
/// The fewest bytes an operation for which small and large still differ.
const BYTES_AN_OPERATION: u64 = 1000;

/// What kind of pipeline is wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// Operations in all.
    pub ops: u32,
    /// Main chains.
    pub chains: u32,
    /// Operations of each main chain.
    pub length: u32,
    /// Bytes that all operations write together.
    pub total_bytes: u64,
    /// The same seed gives the same graph.
    pub seed: u64,
}

impl Default for Config {
    /// The numbers of seed 000. The random seed is the first whose graph has the document's 1.9 GB alive at once.
    fn default() -> Self {
        Self { ops: 240, chains: 3, length: 40, total_bytes: 5_200_000_000, seed: 0 }
    }
}

/// Makes the graph.
///
/// # Errors
/// Where there are fewer operations than the chains have, the chains are too short for branches, or a number is too
/// small or too large.
pub fn generate(config: &Config) -> Result<Operations, Fault> {
    check(config)?;
    let mut pipeline = Pipeline { config, rng: SplitMix64::new(config.seed), drafts: Vec::new() };
    pipeline.add_chains();
    let others = u64::from(config.ops) - pipeline.drafts.len() as u64;
    let shared = others / OTHERS_A_SHARED_ONE;
    pipeline.add_shared(shared);
    pipeline.add_branches(others - shared);
    Ok(pipeline.finish())
}

fn check(config: &Config) -> Result<(), Fault> {
    let Config { ops, chains, length, total_bytes, .. } = *config;
    at_least_one("chains", chains.into())?;
    check_node_count(3 * u128::from(ops))?;
    if length < SHORTEST {
        return Err(fault(format!("length is {length}"), format!("a branch needs chains of {SHORTEST} or more")));
    }
    let in_chains = u64::from(chains) * u64::from(length);
    if u64::from(ops) < in_chains {
        let what = format!("ops is {ops}, but {chains} chains of {length} have {in_chains} operations");
        return Err(fault(what, "ask for more operations, or for fewer or shorter chains"));
    }
    let least = BYTES_AN_OPERATION * u64::from(ops);
    if !(least..=MAX_NUMBER).contains(&total_bytes) {
        let what = format!("total-bytes is {total_bytes}");
        return Err(fault(what, format!("use {BYTES_AN_OPERATION} bytes an operation or more, and less than 2^63")));
    }
    Ok(())
}

/// An operation that has no number yet.
struct Draft {
    /// How far from the beginning: what it reads lies in layers before.
    layer: u64,
    name: String,
    op_type: &'static str,
    /// Places in [`Pipeline::drafts`].
    inputs: Vec<usize>,
    micros: u64,
    /// Its share of all bytes.
    weight: u64,
}

struct Pipeline<'c> {
    config: &'c Config,
    rng: SplitMix64,
    /// First the chains, one after the other.
    drafts: Vec<Draft>,
}

impl Pipeline<'_> {
    fn length(&self) -> u64 {
        self.config.length.into()
    }

    /// The place of an operation of a main chain.
    fn in_chain(&self, chain: u64, layer: u64) -> usize {
        (chain * self.length() + layer) as usize
    }

    fn between(&mut self, (least, most): (u64, u64)) -> u64 {
        least + self.rng.below(most - least + 1)
    }

    /// A few kilobytes where it comes small, else so many megabytes; as bytes were the sum of all weights the total.
    /// Outputs come in few sizes, as the shapes of tensors do (seed 000, section 3).
    fn weight(&mut self, megabytes: (u64, u64)) -> u64 {
        let is_small = self.rng.below(100) < SMALL_OUTPUTS;
        regular(if is_small { self.between((4, 900)) } else { 1000 * self.between(megabytes) })
    }

    fn add_chains(&mut self) {
        for chain in 0..u64::from(self.config.chains) {
            for layer in 0..self.length() {
                let is_heavy = chain == 0 && layer % 4 == 2;
                let (op_type, micros) = match (chain, is_heavy) {
                    (_, true) => ("matmul", self.between((3000, 5000)) + 14_000 * layer / self.length()),
                    (0, false) => ("conv", self.between((1800, 3800))),
                    _ => ("conv", self.between((1500, 4500))),
                };
                let weight = self.weight((6, 36));
                let inputs = if layer > 0 { vec![self.in_chain(chain, layer - 1)] } else { Vec::new() };
                self.drafts.push(Draft {
                    layer,
                    name: format!("chain{chain}.{layer}"),
                    op_type,
                    inputs,
                    micros,
                    weight,
                });
            }
        }
    }

    /// Operations that read every chain and that every chain reads, evenly along the way.
    fn add_shared(&mut self, count: u64) {
        for number in 0..count {
            let layer = (2 * number + 1) * (self.length() - 2) / (2 * count);
            let chains = 0..u64::from(self.config.chains);
            let (micros, weight) = (self.between((400, 1500)), 1000 * self.between((10, 30)));
            let inputs = chains.clone().map(|chain| self.in_chain(chain, layer)).collect();
            let name = format!("shared{number}");
            self.drafts.push(Draft { layer: layer + 1, name, op_type: "gather", inputs, micros, weight });
            chains.for_each(|chain| self.read_last(chain, layer + 2));
        }
    }

    /// Lets an operation of a chain read the draft that was made last.
    fn read_last(&mut self, chain: u64, layer: u64) {
        let (reader, last) = (self.in_chain(chain, layer), self.drafts.len() - 1);
        self.drafts[reader].inputs.push(last);
    }

    /// Fans of branches, evenly along the way and over the chains.
    fn add_branches(&mut self, count: u64) {
        let mut fans = Vec::new();
        let mut left = count;
        while left > 0 {
            fans.push(self.between(FAN_OUT).min(left));
            left -= fans[fans.len() - 1];
        }
        for (number, &width) in (0u64..).zip(&fans) {
            let span = self.between(SPAN).min(self.length() - 2);
            let last_fork = self.length() - 1 - span;
            let fork = (1000 * number + self.rng.below(1000)) * last_fork / (1000 * fans.len() as u64);
            let chain = number % u64::from(self.config.chains);
            for branch in 0..width {
                let is_light = self.rng.below(100) < LIGHT_BRANCHES;
                let (op_type, range) =
                    if is_light { ("pointwise", (200, 3000)) } else { ("attention", (6000, 16_000)) };
                let (micros, weight) = (self.between(range), self.weight((16, 60)));
                let (name, inputs) = (format!("branch{number}.{branch}"), vec![self.in_chain(chain, fork)]);
                self.drafts.push(Draft { layer: fork + 1, name, op_type, inputs, micros, weight });
                self.read_last(chain, fork + span);
            }
        }
    }

    /// Numbers the operations layer by layer, within a layer by chance, and shares out the bytes.
    fn finish(mut self) -> Operations {
        let mut order: Vec<(u64, u64, usize)> = Vec::with_capacity(self.drafts.len());
        for (place, draft) in self.drafts.iter().enumerate() {
            order.push((draft.layer, self.rng.next(), place));
        }
        order.sort_unstable();
        let mut number_of = vec![0; order.len()];
        for (number, &(_, _, place)) in order.iter().enumerate() {
            number_of[place] = number as u32;
        }
        let total = u128::from(self.config.total_bytes);
        let weights: u128 = self.drafts.iter().map(|draft| u128::from(draft.weight)).sum();
        let mut list: Vec<Operation> = Vec::with_capacity(order.len());
        for &(_, _, place) in &order {
            let draft = &mut self.drafts[place];
            list.push(Operation {
                name: std::mem::take(&mut draft.name),
                op_type: draft.op_type,
                inputs: draft.inputs.iter().map(|&input| number_of[input]).collect(),
                output_size: (u128::from(draft.weight) * total / weights).max(1) as u64,
                micros: draft.micros,
            });
        }
        // What rounding down has left over.
        let given: u64 = list.iter().map(|operation| operation.output_size).sum();
        if let Some(first) = list.first_mut() {
            first.output_size += self.config.total_bytes.saturating_sub(given);
        }
        Operations { kind: "chains", parameters: self.config.parameters(), list }
    }
}

/// The nearest of the powers of two and of those times one and a half; `weight` is at least 2.
fn regular(weight: u64) -> u64 {
    let below = 1u64 << weight.ilog2();
    let candidates = [below, below + below / 2, 2 * below];
    candidates.into_iter().min_by_key(|candidate| candidate.abs_diff(weight)).unwrap_or(weight)
}

impl Config {
    /// As the file says them.
    fn parameters(&self) -> Vec<(&'static str, u64)> {
        vec![
            ("ops", self.ops.into()),
            ("chains", self.chains.into()),
            ("length", self.length.into()),
            ("total_bytes", self.total_bytes),
            ("seed", self.seed),
        ]
    }
}

#[cfg(test)]
mod tests;
