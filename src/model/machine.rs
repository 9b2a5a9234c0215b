//! The machine that a plan is made for: its memories, its units and what a transfer costs.

use super::buckets::Buckets;
use super::name::Name;

/// A machine: levels, units, transfer rules.
#[derive(Clone, Debug, PartialEq)]
pub struct Machine {
    /// What the machine is called in reports: a preset's name or that of the machine file.
    pub name: Name,
    /// The memories, in the order in which they are shown.
    pub levels: Vec<Level>,
    /// Units with a count of their own; a pipe that the graph names and this list does not has count 1.
    pub units: Vec<Unit>,
    /// What moving a buffer out of or into a level costs.
    pub transfer: Transfer,
    /// How many operations may run at once, or no limit. Used by the event-driven scheduler.
    pub window: Option<u32>,
    /// How main memory keeps what is spilled: a pool without a cap. A buffer that is not backed has a block of it from its
    /// SPILL_OUT to that spill's SPILL_IN.
    pub main_memory: PoolRules,
}

/// One memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Level {
    /// Its name, as buffers' `Type` says it.
    pub name: Name,
    /// Its size, in the units of buffer sizes.
    pub capacity: u64,
    /// Who hands out its addresses.
    pub manager: Manager,
    /// Whether buffers may be spilled out of it.
    pub spill: bool,
    /// Units of size of fresh memory that an operation can touch for the first time in a cycle (the pages must be
    /// found and zeroed); above 0. `None` where memory is there from the start.
    pub fresh_bytes_per_cycle: Option<f64>,
}

/// How a level's space is handed out (ENGINE: "One engine, two kinds of memory").
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Manager {
    /// Contiguous addresses, best fit, coalescing (seed 002).
    Arena,
    /// Whole blocks in size buckets with consumer counts (seed 000).
    Pool(PoolRules),
}

/// How a pool keeps its blocks. Its cap (`max_pool_bytes`) is the level's capacity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PoolRules {
    /// How requests are rounded up to blocks.
    pub buckets: Buckets,
    /// For how many cycles a block may lie idle before it is dropped; 0 keeps none. `None` keeps them all.
    pub max_age: Option<u64>,
}

/// A pipe or a group of workers.
#[derive(Clone, Debug, PartialEq)]
pub struct Unit {
    /// Its name, as operations' `Pipe` says it.
    pub name: Name,
    /// How many nodes it runs at once; at least 1.
    pub count: u8,
}

/// What a transfer between a level and main memory costs.
#[derive(Clone, Debug, PartialEq)]
pub struct Transfer {
    /// Units of size moved in a cycle; above 0.
    pub bytes_per_cycle: f64,
    /// Cycles that every transfer takes beside those.
    pub overhead: u64,
    /// Whether going out takes no time for a backed buffer (its contents are still in main memory).
    pub backed_out_free: bool,
    /// The unit that SPILL_OUT runs on.
    pub out: Name,
    /// The unit that SPILL_IN runs on.
    pub back: Name,
    /// Energy for one unit of size moved, for the energy objective.
    pub energy_per_unit: f64,
}

/// What the preset `host` touches of fresh memory in a microsecond: two pages of 4 KiB, the order of what Linux zeroes
/// and maps on a page fault.
const FRESH_BYTES_PER_MICROSECOND: f64 = 8192.0;

impl Transfer {
    /// Cycles to move `size` units one way: `overhead + ⌈size ÷ bytes_per_cycle⌉`, or `None` where that
    /// passes what a cycle count can hold. The division is the one of `check_plan.py`, in double precision.
    pub fn cycles(&self, size: u64) -> Option<u64> {
        let moving = (size as f64 / self.bytes_per_cycle).ceil();
        // 2^63, exactly representable; everything below fits.
        if !(0.0..9_223_372_036_854_775_808.0).contains(&moving) {
            return None;
        }
        #[expect(clippy::cast_sign_loss, reason = "the range was checked above")]
        self.overhead.checked_add(moving as u64)
    }
}

impl Default for PoolRules {
    /// TLSF's classes, and idle blocks kept for ever.
    fn default() -> Self {
        Self { buckets: Buckets::tlsf(), max_age: None }
    }
}

impl Machine {
    /// The preset `npu`: the published rules of the public kernel graphs (2·size + 150 cycles a transfer).
    pub fn npu() -> Self {
        Self::cache_levels("npu", 0.5, 150)
    }

    /// The preset `seed`: the same levels with the second seed's defaults, 512 units a cycle and no overhead.
    pub fn seed() -> Self {
        Self::cache_levels("seed", 512.0, 0)
    }

    /// The preset `host`: a computer with 8 workers over one pooled level of 16 GiB. Cycles are microseconds, sizes bytes.
    pub fn host() -> Self {
        let pool = Level {
            name: "pool".into(),
            capacity: 16 << 30,
            manager: Manager::Pool(PoolRules::default()),
            spill: false,
            fresh_bytes_per_cycle: Some(FRESH_BYTES_PER_MICROSECOND),
        };
        Self {
            name: "host".into(),
            levels: vec![pool],
            units: vec![Unit { name: "worker".into(), count: 8 }],
            transfer: Transfer {
                bytes_per_cycle: 10_000.0,
                overhead: 0,
                backed_out_free: true,
                out: "worker".into(),
                back: "worker".into(),
                energy_per_unit: 1.0,
            },
            window: None,
            main_memory: PoolRules::default(),
        }
    }

    /// The built-in machine of that name.
    pub fn preset(name: &str) -> Option<Self> {
        match name {
            "npu" => Some(Self::npu()),
            "seed" => Some(Self::seed()),
            "host" => Some(Self::host()),
            _ => None,
        }
    }

    /// The names that [`Machine::preset`] knows.
    pub const PRESETS: [&'static str; 3] = ["npu", "seed", "host"];

    fn cache_levels(name: &str, bytes_per_cycle: f64, overhead: u64) -> Self {
        let level = |name: &str, capacity, spill| Level::arena(name, capacity, spill);
        Self {
            name: name.into(),
            levels: vec![
                level("L1", 4096, true),
                level("UB", 1024, true),
                level("L0A", 256, false),
                level("L0B", 256, false),
                level("L0C", 512, false),
            ],
            units: Vec::new(),
            transfer: Transfer {
                bytes_per_cycle,
                overhead,
                backed_out_free: true,
                out: "MTE3".into(),
                back: "MTE2".into(),
                energy_per_unit: 1.0,
            },
            window: None,
            main_memory: PoolRules::default(),
        }
    }

    /// Lets every level whose name starts with `L0` spill (`--spill-l0`).
    pub fn let_l0_spill(&mut self) {
        for level in self.levels.iter_mut().filter(|level| level.is_l0()) {
            level.spill = true;
        }
    }
}

impl Level {
    /// A level with contiguous addresses.
    pub fn arena(name: impl Into<Name>, capacity: u64, spill: bool) -> Self {
        Self { name: name.into(), capacity, manager: Manager::Arena, spill, fresh_bytes_per_cycle: None }
    }

    /// Cycles to touch `size` units of fresh memory for the first time: ⌈size ÷ rate⌉, held at 2^63; 0 without a rate.
    pub fn fresh_cycles(&self, size: u64) -> u64 {
        // Casts from floats saturate.
        #[expect(clippy::cast_sign_loss, reason = "rates are above 0")]
        self.fresh_bytes_per_cycle.map_or(0, |rate| (size as f64 / rate).ceil() as u64).min(1 << 63)
    }

    /// How the pool keeps its blocks, where this is one.
    pub fn pool(&self) -> Option<&PoolRules> {
        if let Manager::Pool(rules) = &self.manager { Some(rules) } else { None }
    }

    /// Whether this is one of the innermost levels, which the published rules and the figures treat apart:
    /// those whose name starts with `L0`.
    pub fn is_l0(&self) -> bool {
        self.name.raw().starts_with("L0")
    }
}
