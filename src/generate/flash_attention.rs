//! Tiled attention with a running softmax (Dao et al., `FlashAttention`, 2022): O = softmax(Q·Kᵀ)·V, block by block.
//!
//! For each block of queries, over the blocks of keys and values: the cube multiplies S = Q·Kᵀ in L0C, the vector
//! unit turns it in UB into P = exp(S − running row maximum) and keeps the running row sum, the cube multiplies
//! P·V, the vector unit rescales the output so far and adds to it. The scores of the next pair of blocks are issued
//! before the softmax of the current one, so that the cube works while the vector unit does. K and V are copied
//! into L1 once and serve every block of queries; that is what L1 runs over with.

use super::program::{Buf, Program};
use super::{at_least_one, check_node_count, cost};
use crate::model::{Fault, Graph};

/// What kind of attention is wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// Blocks of queries.
    pub q_blocks: u32,
    /// Blocks of keys and values.
    pub kv_blocks: u32,
    /// Parts into which the head dimension is cut for L0A and L0B.
    pub parts: u32,
    /// Size of a block of Q in L1, and of a block of the output in UB.
    pub q_size: u64,
    /// Size of a block of K or V in L1.
    pub kv_size: u64,
    /// Size of a block of scores in UB. In L0C sums are kept in twice the precision and take twice the size.
    pub score_size: u64,
    /// Size of one number a row: the maximum, the sum, the scale.
    pub row_size: u64,
}

impl Default for Config {
    fn default() -> Self {
        Self { q_blocks: 3, kv_blocks: 4, parts: 2, q_size: 512, kv_size: 512, score_size: 256, row_size: 16 }
    }
}

/// Makes the graph.
///
/// # Errors
/// Where a number is 0 or the graph would be too large.
pub fn generate(config: &Config) -> Result<Graph, Fault> {
    check(config)?;
    let mut kernel = Kernel::new(config);
    let pairs = (0..config.q_blocks).flat_map(|q| (0..config.kv_blocks).map(move |kv| (q, kv)));
    let mut issued = None;
    for pair in pairs {
        let scores = kernel.scores(pair);
        if let Some((previous, scores)) = issued.replace((pair, scores)) {
            kernel.absorb(previous, scores);
        }
    }
    if let Some((last, scores)) = issued {
        kernel.absorb(last, scores);
    }
    kernel.program.into_builder("flash-attention", true)?.build()
}

fn check(config: &Config) -> Result<(), Fault> {
    let counts = [("q-blocks", config.q_blocks), ("kv-blocks", config.kv_blocks), ("parts", config.parts)];
    for (name, value) in counts {
        at_least_one(name, value.into())?;
    }
    let sizes = [
        ("q-size", config.q_size),
        ("kv-size", config.kv_size),
        ("score-size", config.score_size),
        ("row-size", config.row_size),
    ];
    for (name, value) in sizes {
        at_least_one(name, value)?;
    }
    let [q, kv, parts] = counts.map(|(_, value)| u128::from(value));
    check_node_count(q * kv * (22 * parts + 36) + q * (2 * parts + 6) + 6 * kv)
}

/// The program so far, and what of it later blocks need.
struct Kernel<'c> {
    config: &'c Config,
    program: Program<'static>,
    /// Q of the block of queries whose scores were issued last.
    queries: Option<Buf>,
    keys: Vec<Buf>,
    values: Vec<Buf>,
    running: Option<Running>,
}

/// What is carried from one block of keys to the next, for one block of queries.
struct Running {
    max: Buf,
    sum: Buf,
    output: Vec<Buf>,
}

/// The outcome of one block's softmax.
struct Softmax {
    max: Buf,
    sum: Buf,
    /// exp(old maximum − new maximum), where there is an old one.
    scale: Option<Buf>,
    /// P, in L1.
    weights: Buf,
}

impl<'c> Kernel<'c> {
    fn new(config: &'c Config) -> Self {
        let (keys, values) = (Vec::new(), Vec::new());
        Self { config, program: Program::default(), queries: None, keys, values, running: None }
    }

    /// The size of a part of a block that has `size`.
    fn part_of(&self, size: u64) -> u64 {
        size.div_ceil(self.config.parts.into())
    }

    /// A block of Q, K or V, copied into L1.
    fn load(&mut self, name: String, size: u64) -> Buf {
        let buf = self.program.buffer("L1", size, Some(name));
        self.program.load(buf);
        buf
    }

    /// A new UB buffer, the result of a vector operation.
    fn vector(&mut self, kind: &'static str, cycles: u64, size: u64, name: String, reads: &[Buf]) -> Buf {
        let result = self.program.buffer("UB", size, Some(name));
        self.program.op(kind, "VECTOR", cycles, &[result], reads);
        result
    }

    fn moved(&mut self, level: &'static str, size: u64, name: String, from: Buf) -> Buf {
        let inner = self.program.buffer(level, size, Some(name));
        self.program.op("MOVE", "MTE1", cost::move_in(size), &[inner], &[from]);
        inner
    }

    /// S = Q·Kᵀ, summed over the parts of the head dimension; copied to UB, which leaves L0C to P·V.
    fn scores(&mut self, (q, kv): (u32, u32)) -> Buf {
        let queries = match self.queries {
            Some(queries) if kv > 0 => queries,
            _ => self.load(format!("Q{q}"), self.config.q_size),
        };
        self.queries = Some(queries);
        if q == 0 {
            let block = self.load(format!("K{kv}"), self.config.kv_size);
            self.keys.push(block);
        }
        let keys = self.keys[kv as usize];
        let size = self.config.score_size;
        let sums = self.program.buffer("L0C", size.saturating_mul(2), Some(format!("S{q},{kv} (L0C)")));
        let (left_size, right_size) = (self.part_of(self.config.q_size), self.part_of(self.config.kv_size));
        for part in 0..self.config.parts {
            let left = self.moved("L0A", left_size, format!("Q{q}.{part} (L0A)"), queries);
            let right = self.moved("L0B", right_size, format!("K{kv}.{part} (L0B)"), keys);
            let name = format!("S{q},{kv} += Q{q}.{part}*K{kv}.{part}");
            self.program.named(name, "MATMUL", "CUBE", cost::matmul(left_size), &[sums], &[right, left]);
        }
        let scores = self.program.buffer("UB", size, Some(format!("S{q},{kv}")));
        self.program.op("COPY", "FIXP", cost::copy(size), &[scores], &[sums]);
        scores
    }

    /// Takes one block of scores into the running result; after the last block of keys the result goes out.
    fn absorb(&mut self, (q, kv): (u32, u32), scores: Buf) {
        let running = self.running.take();
        let softmax = self.softmax((q, kv), scores, running.as_ref());
        let output = self.output((q, kv), &softmax, running.as_ref().map(|running| &running.output[..]));
        let running = Running { max: softmax.max, sum: softmax.sum, output };
        if kv + 1 == self.config.kv_blocks {
            self.finish(q, &running);
        } else {
            self.running = Some(running);
        }
    }

    /// The softmax of one block against the running maximum and sum.
    fn softmax(&mut self, (q, kv): (u32, u32), scores: Buf, running: Option<&Running>) -> Softmax {
        let (size, row) = (self.config.score_size, self.config.row_size);
        let (pass, reduce, small) = (cost::vector(size), cost::reduce(size), cost::vector(row));
        let at = format!("{q},{kv}");

        let mut max = self.vector("ROWMAX", reduce, row, format!("max{at}"), &[scores]);
        if let Some(old) = running {
            max = self.vector("MAX", small, row, format!("running max{at}"), &[old.max, max]);
        }
        let shifted = self.vector("SUB", pass, size, format!("S-max{at}"), &[scores, max]);
        let p = self.vector("EXP", pass, size, format!("P{at}"), &[shifted]);
        let mut sum = self.vector("ROWSUM", reduce, row, format!("sum{at}"), &[p]);
        let scale = running.map(|old| {
            let change = self.vector("SUB", small, row, format!("max change{at}"), &[old.max, max]);
            let scale = self.vector("EXP", small, row, format!("scale{at}"), &[change]);
            let scaled = self.vector("MUL", small, row, format!("scaled sum{at}"), &[old.sum, scale]);
            sum = self.vector("ADD", small, row, format!("running sum{at}"), &[scaled, sum]);
            scale
        });
        let weights = self.program.buffer("L1", size, Some(format!("P{at} (L1)")));
        self.program.op("COPY", "MTE3", cost::copy(size), &[weights], &[p]);
        Softmax { max, sum, scale, weights }
    }

    /// P·V part by part; each is added to the rescaled output so far, or starts it.
    fn output(&mut self, (q, kv): (u32, u32), softmax: &Softmax, so_far: Option<&[Buf]>) -> Vec<Buf> {
        if q == 0 {
            let block = self.load(format!("V{kv}"), self.config.kv_size);
            self.values.push(block);
        }
        let values = self.values[kv as usize];
        let size = self.part_of(self.config.q_size);
        let weights = self.moved("L0A", self.config.score_size, format!("P{q},{kv} (L0A)"), softmax.weights);
        let mut parts = Vec::new();
        for part in 0..self.config.parts {
            let product = self.product((q, kv, part), weights, values);
            let name = if so_far.is_some() { format!("PV{q},{kv}.{part} (UB)") } else { format!("O{q}.{part}") };
            let fresh = self.program.buffer("UB", size, Some(name));
            self.program.op("COPY", "FIXP", cost::copy(size), &[fresh], &[product]);
            parts.push(match (so_far.map(|output| output[part as usize]), softmax.scale) {
                (Some(output), Some(scale)) => {
                    let name = format!("rescale O{q}.{part}");
                    self.program.named(name, "MUL", "VECTOR", cost::vector(size), &[output], &[scale]);
                    let name = format!("O{q}.{part} += PV{q},{kv}.{part}");
                    self.program.named(name, "ADD", "VECTOR", cost::vector(size), &[output], &[fresh]);
                    output
                }
                _ => fresh,
            });
        }
        parts
    }

    /// P·V for one part of the head dimension, in L0C; P stands in L0A already.
    fn product(&mut self, (q, kv, part): (u32, u32, u32), weights: Buf, values: Buf) -> Buf {
        let size = self.part_of(self.config.kv_size);
        let right = self.moved("L0B", size, format!("V{kv}.{part} (L0B)"), values);
        let size = self.part_of(self.config.q_size).saturating_mul(2);
        let product = self.program.buffer("L0C", size, Some(format!("PV{q},{kv}.{part}")));
        let name = format!("PV{q},{kv}.{part} = P{q},{kv}*V{kv}.{part}");
        let cycles = cost::matmul(self.config.score_size);
        self.program.named(name, "MATMUL", "CUBE", cycles, &[product], &[right, weights]);
        product
    }

    /// Divides the output by the row sums and copies it out.
    fn finish(&mut self, q: u32, running: &Running) {
        let row = self.config.row_size;
        let inverse = self.vector("REC", cost::vector(row), row, format!("1/sum{q}"), &[running.sum]);
        let size = self.part_of(self.config.q_size);
        for (part, &output) in running.output.iter().enumerate() {
            self.program.op("MUL", "VECTOR", cost::vector(size), &[output], &[inverse]);
            let name = format!("store O{q}.{part}");
            self.program.named(name, "COPY_OUT", "MTE3", cost::copy_out(size), &[], &[output]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::test_help::{buffer_named, count_ops, every_buffer_is_freed};

    #[test]
    fn every_pair_of_blocks_has_its_products_and_its_softmax() {
        let config = Config { q_blocks: 3, kv_blocks: 4, parts: 2, ..Config::default() };
        let graph = generate(&config).unwrap();
        assert_eq!(count_ops(&graph, "MATMUL"), 3 * 4 * (2 + 2));
        assert_eq!(count_ops(&graph, "ROWMAX"), 3 * 4);
        assert_eq!(count_ops(&graph, "ROWSUM"), 3 * 4);
        assert_eq!(count_ops(&graph, "MAX"), 3 * (4 - 1), "the first block of keys has no maximum before it");
        assert_eq!(count_ops(&graph, "REC"), 3);
        assert_eq!(count_ops(&graph, "COPY_IN"), 3 + 4 + 4);
        assert_eq!(count_ops(&graph, "COPY_OUT"), 3 * 2);
        assert!(every_buffer_is_freed(&graph));
    }

    #[test]
    fn keys_and_values_serve_every_block_of_queries() {
        let graph = generate(&Config { q_blocks: 3, kv_blocks: 2, parts: 2, ..Config::default() }).unwrap();
        let users = |name: &str| graph.users(buffer_named(&graph, name)).len();
        assert_eq!(users("K1"), 1 + 3 * 2, "a load and a move for each block of queries and part");
        assert_eq!(users("V0"), 1 + 3 * 2);
        assert_eq!(users("Q2"), 1 + 2 * 2, "a load and a move for each block of keys and part");
    }

    #[test]
    fn the_next_scores_are_issued_before_the_softmax() {
        let graph = generate(&Config { q_blocks: 1, kv_blocks: 2, parts: 1, ..Config::default() }).unwrap();
        let first_user = |name: &str| graph.users(buffer_named(&graph, name))[0];
        assert!(first_user("S0,1") < first_user("max0,0"));
    }

    #[test]
    fn absurd_sizes_are_refused() {
        for blocks in [0, 100_000, u32::MAX] {
            assert!(generate(&Config { q_blocks: blocks, kv_blocks: blocks, ..Config::default() }).is_err());
        }
        assert!(generate(&Config { parts: u32::MAX, ..Config::default() }).is_err());
        assert!(generate(&Config { kv_size: u64::MAX, ..Config::default() }).is_err());
        assert!(generate(&Config { score_size: u64::MAX / 2, ..Config::default() }).is_err());
    }
}
