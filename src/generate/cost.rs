//! How many cycles the operations of generated kernels take, by size.
//!
//! A start-up time and a throughput for each way through the machine, in the proportions of the public kernel
//! graphs: main memory is slow (half a unit a cycle), the inner memories are fast. Sums that pass 2^64 saturate;
//! the graph builder refuses them.

/// Main memory into a level: half a unit a cycle after 70 cycles.
pub fn copy_in(size: u64) -> u64 {
    size.saturating_mul(2).saturating_add(70)
}

/// L1, UB or L0C out to main memory, less waiting than the way in: half a unit a cycle after 40 cycles.
pub fn copy_out(size: u64) -> u64 {
    size.saturating_mul(2).saturating_add(40)
}

/// L1 into L0A or L0B: 8 units a cycle after 16 cycles.
pub fn move_in(size: u64) -> u64 {
    (size / 8).saturating_add(16)
}

/// Between UB and L1 or L0C: 2 units a cycle after 16 cycles.
pub fn copy(size: u64) -> u64 {
    (size / 2).saturating_add(16)
}

/// A product of two tiles on the cube: a unit of the left tile a cycle.
pub fn matmul(left: u64) -> u64 {
    left.max(1)
}

/// A convolution step on the cube: a unit of input takes as many cycles as the kernel has units, over 16 lanes.
pub fn conv(input: u64, kernel: u64) -> u64 {
    (input.saturating_mul(kernel) / 16).saturating_add(16)
}

/// One pass of the vector unit over `size` units: a unit a cycle after 16 cycles.
pub fn vector(size: u64) -> u64 {
    size.saturating_add(16)
}

/// A reduction over rows, which takes the vector unit two passes and a bit.
pub fn reduce(size: u64) -> u64 {
    size.saturating_mul(2).saturating_add(54)
}
