//! Who hands out a level's space. No policy in here: when there is no room, they say so.

mod arena;
mod given_pool;
pub mod pool;
mod pool_level;

pub use arena::{Arena, Hole};
pub use given_pool::GivenPool;
pub use pool::{Handle, Pool};
pub use pool_level::{InBlock, PoolLevel};
