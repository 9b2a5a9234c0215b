//! The commands as a person or a script meets them: exit status, what goes to which stream, what is written.

#[path = "cli/check.rs"]
mod check;
#[path = "cli/compare.rs"]
mod compare;
#[path = "cli/config.rs"]
mod config;
#[path = "cli/export.rs"]
mod export;
#[path = "cli/frame.rs"]
mod frame;
#[path = "cli/generate.rs"]
mod generate;
#[path = "cli/help.rs"]
mod help;
#[path = "cli/learn.rs"]
mod learn;
#[path = "cli/packagers.rs"]
mod packagers;
#[path = "cli/packing.rs"]
mod packing;
#[path = "cli/plan.rs"]
mod plan;
#[path = "cli/png.rs"]
mod png;
#[path = "cli/refusals.rs"]
mod refusals;
#[path = "cli/repeat.rs"]
mod repeat;
#[path = "cli/run.rs"]
mod run;
#[path = "cli/search.rs"]
mod search;
#[path = "cli/two_plans.rs"]
mod two_plans;
#[path = "cli/view.rs"]
mod view;
