//! What a pool refuses, and why.

use std::fmt;

/// A block that does not fit beside those in use. All in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoRoom {
    /// The block that was needed; [`NoRoom::BEYOND`] where its size passes 2^63 − 1.
    pub need: u64,
    /// In use, which only their holders can give back.
    pub in_use: u64,
    /// Idle: would have made way.
    pub idle: u64,
    /// The most in use and idle together. Where `need` passes it, waiting does not help.
    pub cap: u64,
}

impl NoRoom {
    /// Stands for every size above the largest one, 2^63 − 1, and passes every cap.
    pub const BEYOND: u64 = 1 << 63;
}

impl fmt::Display for NoRoom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { need, in_use, cap, .. } = self;
        if *need == Self::BEYOND {
            write!(f, "a block of more than 2^63-1 bytes is needed; the pool's cap is {cap}")
        } else {
            write!(f, "a block of {need} bytes is needed; {in_use} of the pool's {cap} bytes are in use")
        }
    }
}

impl std::error::Error for NoRoom {}

/// A call that breaks the rules of the pool. It has changed nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PoolError {
    /// The pool never made a block of that id.
    Unknown,
    /// The block was released before and nobody holds it now: it is idle or dropped.
    Released,
    /// The block was released before and another holds it now: whoever reads it reads another's contents.
    Reused,
    /// Consumed more often than there are consumers.
    NoConsumer,
    /// More than 2^32 − 1 consumers.
    TooManyConsumers,
    /// Released while consumers have yet to read it.
    StillRead {
        /// How many.
        consumers: u32,
    },
    /// The real size passes the block: its end was written by somebody who does not own it.
    Overrun {
        /// Bytes that the output really has.
        actual: u64,
        /// Bytes of the block.
        block_size: u64,
    },
}

impl fmt::Display for PoolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown => f.write_str("the pool has no such block"),
            Self::Released => f.write_str("the block was released before"),
            Self::Reused => f.write_str("the block was released before and is in use by another"),
            Self::NoConsumer => f.write_str("the block was consumed more often than it has consumers"),
            Self::TooManyConsumers => f.write_str("the block has more than 2^32-1 consumers"),
            Self::StillRead { consumers } => {
                write!(f, "the block was released while {consumers} of its consumers had not read it yet")
            }
            Self::Overrun { actual, block_size } => {
                write!(f, "the output has {actual} bytes, more than the {block_size} of its block")
            }
        }
    }
}

impl std::error::Error for PoolError {}
