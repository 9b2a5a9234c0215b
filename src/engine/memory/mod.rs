//! Who hands out a level's space. No policy in here: when there is no room, they say so.

mod arena;

pub use arena::{Arena, Hole};
