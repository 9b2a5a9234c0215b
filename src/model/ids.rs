//! Newtyped indices. A file's own ids are `u64` and may have gaps; inside, everything is addressed by a
//! dense index, so that a per-node or per-buffer fact is a `Vec`.

use serde::{Deserialize, Serialize};

/// Declares an index type: a dense position in the table that its name says.
macro_rules! index {
    ($(#[$doc:meta])* $name:ident($raw:ty)) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub $raw);

        impl $name {
            /// The index of entry `at` of the table. The builder has checked that tables are small enough.
            #[inline]
            pub fn new(at: usize) -> Self {
                debug_assert!(<$raw>::try_from(at).is_ok());
                Self(at as $raw)
            }

            /// As a position in a slice.
            #[inline]
            pub fn at(self) -> usize {
                self.0 as usize
            }
        }
    };
}

index! {
    /// A node of the graph. Nodes are kept in ascending order of their ids, so comparing indices compares ids.
    NodeIx(u32)
}
index! {
    /// A buffer of the graph, in ascending order of buffer ids: comparing indices compares ids.
    BufIx(u32)
}
index! {
    /// A level of the machine, in the machine's order.
    LevelIx(u16)
}
index! {
    /// A unit (pipe or worker group) of the problem: the machine's first, then those that only the graph names.
    UnitIx(u16)
}
index! {
    /// A spill of a plan, in the order of their SPILL_OUTs.
    SpillIx(u32)
}
index! {
    /// A block of a pool. The id of a dropped block is given to a later one.
    BlockId(u32)
}
index! {
    /// A name interned in the graph: an operation's kind, a pipe or a level as the file spells it.
    Symbol(u16)
}
