//! Plans of other tools: broken in each way that the published rules know, and files damaged in each way that files are.
//! Either the right rule is named with its step (exit status 1), or the file with line and column (exit status 2); and
//! whatever can be read is drawn. Then: plans as what a search begins with.

mod common;
#[allow(dead_code, reason = "each test binary uses its part")]
#[path = "cli/run.rs"]
mod run;

#[path = "foreign/files.rs"]
mod files;
#[path = "foreign/improved.rs"]
mod improved;
#[path = "foreign/rules.rs"]
mod rules;
#[path = "support/two_in_turn.rs"]
mod two_in_turn;
