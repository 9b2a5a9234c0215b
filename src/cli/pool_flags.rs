//! The flags of pooled levels and of workers.

use crate::engine::bounds;
use crate::error::Error;
use crate::input::parse_bytes;
use crate::model::{Buckets, LevelIx, MAX_NUMBER, Machine, Manager, PoolRules, Problem};
use crate::output::command_line::WORKER;

/// What says how memory is pooled and how much runs at once.
#[derive(clap::Args, Clone, Debug, Default, PartialEq)]
#[group(id = "pool-flags")]
#[command(next_help_heading = "Pools and workers")]
pub struct PoolFlags {
    /// The most that a pool may hold, in use and idle together: bytes, or KiB, MiB, GiB as in 900MiB [default: for
    /// operation graphs half of all blocks together]
    #[arg(long, value_name = "BYTES", value_parser = parse_bytes)]
    pub max_pool_bytes: Option<u64>,
    /// How a pool rounds requests up to blocks: fixed:4096,65536 or other limits, pow2, tlsf, exact [default: the
    /// machine's; host has tlsf]
    #[arg(long, value_name = "RULE")]
    buckets: Option<Buckets>,
    /// For how many cycles a block may lie idle before it is dropped; 0 keeps none [default: the machine's; host keeps
    /// all]
    #[arg(long, value_name = "CYCLES", value_parser = clap::value_parser!(u64).range(..=MAX_NUMBER))]
    max_age: Option<u64>,
    /// How many operations may run at once [default: the machine's; host has no limit but its workers]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    window: Option<u32>,
    /// How many workers there are [default: the machine's; host has 8]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..))]
    workers: Option<u8>,
}

impl PoolFlags {
    /// Puts into `machine` what the flags say.
    pub fn apply(&self, machine: &mut Machine) -> Result<(), Error> {
        let name = machine.name.clone();
        let no_pool = |flag: &str| {
            let what = format!("{flag} is for pools, and the machine {name} has none");
            Error::input(what, "use --machine host, or a machine file with \"manager\": \"pool\"")
        };
        let given = [
            ("--max-pool-bytes", self.max_pool_bytes.is_some()),
            ("--buckets", self.buckets.is_some()),
            ("--max-age", self.max_age.is_some()),
        ];
        let has_pool = machine.levels.iter().any(|level| level.pool().is_some());
        if let Some((flag, _)) = given.iter().find(|(_, given)| *given && !has_pool) {
            return Err(no_pool(flag));
        }
        for level in &mut machine.levels {
            if let Manager::Pool(rules) = &mut level.manager {
                level.capacity = self.max_pool_bytes.unwrap_or(level.capacity);
                self.apply_rules(rules);
            }
        }
        machine.window = self.window.or(machine.window);
        self.apply_workers(machine)
    }

    fn apply_rules(&self, rules: &mut PoolRules) {
        if let Some(buckets) = &self.buckets {
            rules.buckets = buckets.clone();
        }
        rules.max_age = self.max_age.or(rules.max_age);
    }

    fn apply_workers(&self, machine: &mut Machine) -> Result<(), Error> {
        let Some(count) = self.workers else { return Ok(()) };
        let Some(unit) = machine.units.iter_mut().find(|unit| unit.name.raw() == WORKER) else {
            let what = format!("--workers counts the unit '{WORKER}', and the machine {} has none", machine.name);
            return Err(Error::input(what, "use --machine host, or name the unit in the machine file"));
        };
        unit.count = count;
        Ok(())
    }
}

/// Caps every pool of the machine at [`bounds::default_pool_cap`].
pub fn cap_by_default(problem: &mut Problem) {
    for at in 0..problem.level_count() {
        if let Some(cap) = bounds::default_pool_cap(problem, LevelIx::new(at)) {
            problem.machine.levels[at].capacity = cap;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_change_pools_and_workers_and_nothing_else() {
        let flags = PoolFlags {
            max_pool_bytes: Some(9),
            buckets: Some(Buckets::Exact),
            max_age: Some(3),
            window: Some(2),
            workers: Some(4),
        };
        let mut machine = Machine::host();
        flags.apply(&mut machine).unwrap();
        let expected = PoolRules { buckets: Buckets::Exact, max_age: Some(3) };
        assert_eq!((machine.levels[0].capacity, machine.levels[0].pool()), (9, Some(&expected)));
        assert_eq!((machine.window, machine.units[0].count), (Some(2), 4));

        let mut untouched = Machine::host();
        PoolFlags::default().apply(&mut untouched).unwrap();
        assert_eq!(untouched, Machine::host());
    }

    #[test]
    fn a_machine_without_pools_or_workers_refuses_them() {
        let pooled = PoolFlags { max_age: Some(3), ..PoolFlags::default() };
        assert!(pooled.apply(&mut Machine::npu()).unwrap_err().what.contains("--max-age is for pools"));
        let workers = PoolFlags { workers: Some(3), ..PoolFlags::default() };
        assert!(workers.apply(&mut Machine::npu()).unwrap_err().what.contains("has none"));
        let window = PoolFlags { window: Some(3), ..PoolFlags::default() };
        assert!(window.apply(&mut Machine::npu()).is_ok(), "pipes run side by side too");
    }
}
