//! What a pool must hold: the sum of its blocks, and from that its cap where nobody names one.

use crate::engine::order::lean_need;
use crate::model::{BufIx, LevelIx, Problem};

/// The cap that the graph's file names; else half of the sum of all blocks of a pool (seed 000, section 3.3), but no less
/// than the operations need when they run one at a time in a sequence that holds little. In units of size, and no more
/// than the level has. `None` where the level is no pool.
pub fn default_pool_cap(problem: &Problem, level: LevelIx) -> Option<u64> {
    let half = sum_of_blocks(problem, level)?.div_ceil(2);
    let named = problem.graph.operation_graph.and_then(|graph| graph.max_pool_bytes);
    let cap = named.unwrap_or_else(|| half.max(lean_need(problem, level, half)));
    Some(cap.max(1).min(problem.level(level).capacity))
}

/// The blocks of all buffers of a pool together, if each had its own, in units of size; held at 2^64 − 1. `None` where
/// the level is no pool.
pub fn sum_of_blocks(problem: &Problem, level: LevelIx) -> Option<u64> {
    let rules = problem.level(level).pool()?;
    let bufs = (0..problem.graph.buffers().len()).map(BufIx::new).filter(|&buf| problem.level_of(buf) == level);
    Some(bufs.fold(0, |sum: u64, buf| sum.saturating_add(problem.block_size(buf, rules))))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::model::{Buckets, GraphBuilder, Machine, Manager, PoolRules};

    /// A chain of buffers of these sizes, each read by the operation that makes the next; the last stays.
    fn chain(sizes: &[u64], buckets: Buckets, capacity: u64) -> Option<u64> {
        let mut builder = GraphBuilder::new("chain".into());
        let (level, pipe) = (builder.intern("pool").unwrap(), builder.intern("worker").unwrap());
        for (at, &size) in (0u64..).zip(sizes) {
            builder.alloc(3 * at, at, size, level);
            let bufs: Vec<u64> = at.checked_sub(1).into_iter().chain([at]).collect();
            builder.op(3 * at + 1, pipe, pipe, 1, &bufs);
            if at + 1 < sizes.len() as u64 {
                builder.free(3 * at + 2, at);
            }
        }
        let mut machine = Machine::host();
        machine.levels[0].capacity = capacity;
        machine.levels[0].manager = Manager::Pool(PoolRules { buckets, max_age: None });
        let problem = Problem::new(Arc::new(builder.build().unwrap()), machine).unwrap();
        default_pool_cap(&problem, LevelIx(0))
    }

    #[test]
    fn half_of_all_blocks() {
        assert_eq!(chain(&[3, 3, 3, 3, 3, 3], Buckets::Exact, 1000), Some(9));
        assert_eq!(chain(&[3, 3, 3, 3, 3, 3], Buckets::PowersOfTwo, 1000), Some(12), "blocks, not sizes");
    }

    #[test]
    fn but_what_is_needed_at_once_and_no_more_than_there_is() {
        assert_eq!(chain(&[1, 1, 1, 40, 40, 1], Buckets::Exact, 1000), Some(80), "an operation's buffers");
        assert_eq!(chain(&[1, 1, 1, 1, 1, 90], Buckets::Exact, 1000), Some(91));
        assert_eq!(chain(&[1, 1, 1, 40, 40, 1], Buckets::Exact, 50), Some(50));
        assert_eq!(chain(&[], Buckets::Exact, 50), Some(1));
    }
}
