//! The checker against figures worked out by hand, mutants of a valid plan, and the published oracle.
//!
//! The oracle's tests read two environment variables and are ignored without them: `SPILLSCOPE_TOOLS`, the folder with
//! `check_plan.py` and `classic_reference.py`, and `SPILLSCOPE_CASES`, that of the published graphs.

mod npu_json;

#[path = "checker/figures.rs"]
mod figures;
#[path = "checker/main_memory.rs"]
mod main_memory;
#[path = "checker/mutants.rs"]
mod mutants;
#[path = "checker/oracle.rs"]
mod oracle;
#[path = "checker/pool_reference.rs"]
mod pool_reference;
#[path = "checker/pools.rs"]
mod pools;
#[path = "support/two_in_turn.rs"]
mod two_in_turn;
