//! The flags that say something of lifetimes, which only need addresses.

use super::{Flags, MachineFlags};
use crate::engine::pack::Effort;
use crate::error::Error;

/// What is asked of a packer.
pub struct PackingFlags {
    /// The capacity to fit.
    pub capacity: Option<u64>,
    /// How much work may be spent.
    pub effort: Effort,
}

impl Flags {
    /// What these flags ask of a packer, which may take `seconds` where they do not say how long.
    ///
    /// # Errors
    /// Where a flag is given that means nothing for lifetimes.
    pub fn packing(&self, seconds: f64) -> Result<PackingFlags, Error> {
        let mut rest = self.clone();
        let effort = rest.searching.take_effort(seconds);
        let capacity = std::mem::take(&mut rest.machine).packing_capacity()?;
        if rest == Self::default() {
            return Ok(PackingFlags { capacity, effort });
        }
        Err(nothing_for_lifetimes())
    }

    /// Whether --capacity was given.
    pub fn has_capacity(&self) -> bool {
        !self.machine.capacity.is_empty()
    }
}

impl MachineFlags {
    /// The capacity of the one memory that lifetimes have.
    ///
    /// # Errors
    /// Where it is not one number, or another flag is given.
    pub fn packing_capacity(&self) -> Result<Option<u64>, Error> {
        let mut rest = self.clone();
        let capacity = match std::mem::take(&mut rest.capacity).as_slice() {
            [] => None,
            [(name, capacity)] if name.is_empty() => Some(*capacity),
            _ => {
                let what = "lifetimes have one memory, so their --capacity is one number";
                return Err(Error::input(what, "use --capacity N, as in --capacity 1048576"));
            }
        };
        if rest == Self::default() { Ok(capacity) } else { Err(nothing_for_lifetimes()) }
    }
}

/// The error for a flag that only says something of graphs.
fn nothing_for_lifetimes() -> Error {
    let what = "a planning flag was given that means nothing for lifetimes, which only need addresses";
    Error::input(what, "they take --capacity N, and plan also --search SECONDS, --evaluations N and --seed N")
}
