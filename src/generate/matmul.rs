//! A tiled matrix product C = A·B.
//!
//! For each tile of C an accumulator stands in L0C; over k a tile of A and one of B are moved from L1 into L0A and
//! L0B and multiplied into it. A tile is copied into L1 at its first use and stays until its last: a row of A
//! serves a row of C, all of B serves every row. That sharing is what L1 runs over with.

use super::program::{Buf, Program};
use super::{at_least_one, check_node_count, cost};
use crate::model::{Fault, Graph};

/// What kind of matrix product is wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// Tiles in each direction, where `m`, `n` or `k` does not say otherwise.
    pub tiles: u32,
    /// Rows of tiles of A and C.
    pub m: Option<u32>,
    /// Columns of tiles of B and C.
    pub n: Option<u32>,
    /// Columns of tiles of A, rows of tiles of B: how many products an accumulator sums up.
    pub k: Option<u32>,
    /// Size of a tile of A or B, in L1 as in L0A and L0B.
    pub tile_size: u64,
    /// Size of an accumulator in L0C; sums are kept in twice the precision.
    pub acc_size: u64,
}

impl Default for Config {
    fn default() -> Self {
        Self { tiles: 4, m: None, n: None, k: None, tile_size: 128, acc_size: 256 }
    }
}

/// Makes the graph.
///
/// # Errors
/// Where a number is 0 or the graph would be too large.
pub fn generate(config: &Config) -> Result<Graph, Fault> {
    let [m, n, k] = [config.m, config.n, config.k].map(|given| given.unwrap_or(config.tiles));
    for (name, value) in [("tiles", config.tiles), ("m", m), ("n", n), ("k", k)] {
        at_least_one(name, value.into())?;
    }
    at_least_one("tile-size", config.tile_size)?;
    at_least_one("acc-size", config.acc_size)?;
    let (rows, columns, depth) = (u128::from(m), u128::from(n), u128::from(k));
    check_node_count(7 * rows * columns * depth + 3 * (rows * depth + depth * columns + rows * columns))?;

    let mut program = Program::default();
    let mut b_tiles: Vec<Option<Buf>> = vec![None; (k as usize) * (n as usize)];
    for row in 0..m {
        let mut a_tiles: Vec<Option<Buf>> = vec![None; k as usize];
        for column in 0..n {
            let acc = program.buffer("L0C", config.acc_size, Some(format!("acc[{row},{column}]")));
            for inner in 0..k {
                let (a_name, b_name) = (format!("A[{row},{inner}]"), format!("B[{inner},{column}]"));
                let left = l1_tile(&mut program, config, &mut a_tiles[inner as usize], &a_name);
                let right = l1_tile(&mut program, config, &mut b_tiles[(inner * n + column) as usize], &b_name);
                let left = l0_tile(&mut program, config, "L0A", left, &a_name);
                let right = l0_tile(&mut program, config, "L0B", right, &b_name);
                let name = format!("acc[{row},{column}] += {a_name}*{b_name}");
                program.named(name, "MATMUL", "CUBE", cost::matmul(config.tile_size), &[acc], &[right, left]);
            }
            let cycles = cost::copy_out(config.acc_size);
            program.named(format!("store C[{row},{column}]"), "COPY_OUT", "FIXP", cycles, &[], &[acc]);
        }
    }
    program.into_builder("matmul", true)?.build()
}

/// The tile in L1, copied in where this is its first use.
fn l1_tile(program: &mut Program, config: &Config, tile: &mut Option<Buf>, name: &str) -> Buf {
    *tile.get_or_insert_with(|| {
        let buf = program.buffer("L1", config.tile_size, Some(name.to_owned()));
        program.load(buf);
        buf
    })
}

/// A copy of the tile in L0A or L0B, for one product.
fn l0_tile<'a>(program: &mut Program<'a>, config: &Config, level: &'a str, tile: Buf, name: &str) -> Buf {
    let inner = program.buffer(level, config.tile_size, Some(format!("{name} ({level})")));
    program.op("MOVE", "MTE1", cost::move_in(config.tile_size), &[inner], &[tile]);
    inner
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::test_help::{buffer_named, count_ops, every_buffer_is_freed};

    #[test]
    fn each_product_is_made_once_and_each_tile_is_loaded_once() {
        let graph = generate(&Config { m: Some(2), n: Some(3), k: Some(4), ..Config::default() }).unwrap();
        assert_eq!(count_ops(&graph, "MATMUL"), 2 * 3 * 4);
        assert_eq!(count_ops(&graph, "MOVE"), 2 * 2 * 3 * 4);
        assert_eq!(count_ops(&graph, "COPY_IN"), 2 * 4 + 4 * 3);
        assert_eq!(count_ops(&graph, "COPY_OUT"), 2 * 3);
        assert!(every_buffer_is_freed(&graph));
    }

    #[test]
    fn l1_tiles_are_shared_between_tiles_of_c() {
        let graph = generate(&Config { m: Some(2), n: Some(3), k: Some(4), ..Config::default() }).unwrap();
        let users = |name: &str| graph.users(buffer_named(&graph, name)).len();
        assert_eq!(users("A[0,1]"), 1 + 3, "a load and one move for each column of C");
        assert_eq!(users("B[2,1]"), 1 + 2, "a load and one move for each row of C");
        assert_eq!(users("acc[1,2]"), 4 + 1, "one product for each k and a store");
    }

    #[test]
    fn absurd_sizes_are_refused() {
        for tiles in [0, 1000, u32::MAX] {
            assert!(generate(&Config { tiles, ..Config::default() }).is_err(), "{tiles}");
        }
        assert!(generate(&Config { tile_size: u64::MAX, tiles: 1, ..Config::default() }).is_err());
        assert!(generate(&Config { acc_size: 0, ..Config::default() }).is_err());
    }
}
