//! Static packing from question to answer: lifetimes and dumps of other compilers are packed, checked, and made into
//! sessions that are seen like any plan.

mod baselines;
mod dump;
mod lifetimes;
mod scene;
mod solve;

pub use baselines::{Baseline, greedy_by_size};
pub use dump::{DumpPacked, PackedAllocation, pack_dump};
pub use lifetimes::{Holder, holders_at, see, see_core, see_failure, see_given};
pub use scene::{Scene, Seen, Tenant, Times};
pub use solve::{Asked, Outcome, Solved, solve};
