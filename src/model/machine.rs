//! The machine that a plan is made for: its memories, its units and what a transfer costs.

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
}

/// How a level's space is handed out (ENGINE: "One engine, two kinds of memory").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manager {
    /// Contiguous addresses, best fit, coalescing (seed 002).
    Arena,
    /// Whole blocks in size buckets with consumer counts (seed 000).
    Pool,
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

impl Machine {
    /// The preset `npu`: the published rules of the public kernel graphs (2·size + 150 cycles a transfer).
    pub fn npu() -> Self {
        Self::cache_levels("npu", 0.5, 150)
    }

    /// The preset `seed`: the same levels with the second seed's defaults, 512 units a cycle and no overhead.
    pub fn seed() -> Self {
        Self::cache_levels("seed", 512.0, 0)
    }

    /// The built-in machine of that name.
    pub fn preset(name: &str) -> Option<Self> {
        match name {
            "npu" => Some(Self::npu()),
            "seed" => Some(Self::seed()),
            _ => None,
        }
    }

    /// The names that [`Machine::preset`] knows.
    pub const PRESETS: [&'static str; 2] = ["npu", "seed"];

    fn cache_levels(name: &str, bytes_per_cycle: f64, overhead: u64) -> Self {
        let level = |name: &str, capacity, spill| Level { name: name.into(), capacity, manager: Manager::Arena, spill };
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
    /// Whether this is one of the innermost levels, which the published rules and the figures treat apart:
    /// those whose name starts with `L0`.
    pub fn is_l0(&self) -> bool {
        self.name.raw().starts_with("L0")
    }
}
