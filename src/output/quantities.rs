//! Sizes and times in the units that they have. A pool counts bytes, any other level the abstract units of its graph.
//! Where every level is a pool the graph is one of operations, whose times are microseconds; else they are cycles.

use super::numbers::{bytes, counted, cycles, grouped, micros};
use crate::model::{Level, Problem};

/// A size for a narrow column: `25.2 MB`, `512`.
pub fn size(level: &Level, amount: u64) -> String {
    if level.pool().is_some() { bytes(amount) } else { grouped(amount) }
}

/// A size in a sentence: `25.2 MB`, `512 units`.
pub fn size_words(level: &Level, amount: u64) -> String {
    if level.pool().is_some() { bytes(amount) } else { counted(amount, "unit") }
}

/// Two sizes in a sentence that compares them: to the last unit where rounding would make them look equal.
pub fn compared(level: &Level, a: u64, b: u64) -> (String, String) {
    let words = (size_words(level, a), size_words(level, b));
    if words.0 == words.1 && a != b { (exact_size(level, a), exact_size(level, b)) } else { words }
}

/// A size to the last unit: `25 165 824 bytes`, `512 units`.
pub fn exact_size(level: &Level, amount: u64) -> String {
    counted(amount, if level.pool().is_some() { "byte" } else { "unit" })
}

/// Whether times are microseconds.
pub fn in_micros(problem: &Problem) -> bool {
    let levels = &problem.machine.levels;
    !levels.is_empty() && levels.iter().all(|level| level.pool().is_some())
}

/// How long something takes, for a narrow column: `12.3 ms`, `40`.
pub fn duration(problem: &Problem, amount: u64) -> String {
    if in_micros(problem) { micros(amount) } else { grouped(amount) }
}

/// How long something takes, in a sentence: `12.3 ms`, `40 cycles`.
pub fn duration_words(problem: &Problem, amount: u64) -> String {
    if in_micros(problem) { micros(amount) } else { counted(amount, "cycle") }
}

/// A moment of the plan: `128.41 ms`, `cycle 8 656`.
pub fn moment(problem: &Problem, cycle: u64) -> String {
    match cycle {
        _ if !in_micros(problem) => format!("cycle {}", grouped(cycle)),
        0..1_000 => format!("{cycle} µs"),
        _ => format!("{} ms", thousandths(cycle)),
    }
}

/// Milliseconds with two decimals, rounded down, so that a moment never stands behind the one that follows it.
fn thousandths(micros: u64) -> String {
    format!("{}.{:02}", grouped(micros / 1000), micros % 1000 / 10)
}

/// The moments `[start, end)`, exactly: `12 345–15 020 µs`, `cycles 50–712`.
pub fn span(problem: &Problem, start: u64, end: u64) -> String {
    let between = cycles(start, end);
    if in_micros(problem) { format!("{between} µs") } else { format!("cycles {between}") }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::model::{GraphBuilder, Machine};

    fn problem(machine: Machine) -> Problem {
        let graph = GraphBuilder::new("g".into()).build().unwrap();
        Problem::new(Arc::new(graph), machine).unwrap()
    }

    #[test]
    fn a_pool_counts_bytes_and_microseconds_and_a_cache_units_and_cycles() {
        let (host, npu) = (problem(Machine::host()), problem(Machine::npu()));
        let (pool, l1) = (&host.machine.levels[0], &npu.machine.levels[0]);
        assert_eq!([size(pool, 25_165_824), size(l1, 1536)], ["25.2 MB", "1 536"]);
        assert_eq!([size_words(pool, 25_165_824), size_words(l1, 1)], ["25.2 MB", "1 unit"]);
        assert_eq!([exact_size(pool, 25_165_824), exact_size(l1, 512)], ["25 165 824 bytes", "512 units"]);
        assert_eq!(compared(pool, 24 << 20, 10 << 20), ("25.2 MB".into(), "10.5 MB".into()));
        let close = compared(pool, 25_165_824, 25_165_823);
        assert_eq!(close, ("25 165 824 bytes".into(), "25 165 823 bytes".into()), "what differs looks different");
        assert_eq!([duration(&host, 12_345), duration(&npu, 12_345)], ["12.3 ms", "12 345"]);
        assert_eq!([duration_words(&host, 40), duration_words(&npu, 40)], ["40 µs", "40 cycles"]);
        assert_eq!([moment(&host, 128_419), moment(&npu, 8656)], ["128.41 ms", "cycle 8 656"]);
        assert_eq!([span(&host, 12_345, 15_020), span(&npu, 50, 712)], ["12 345–15 020 µs", "cycles 50–712"]);
    }

    #[test]
    fn moments_keep_their_order() {
        let host = problem(Machine::host());
        assert_eq!([0, 999, 1000, 1_999].map(|at| moment(&host, at)), ["0 µs", "999 µs", "1.00 ms", "1.99 ms"]);
    }
}
