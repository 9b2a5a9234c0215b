//! Spillscope plans the memory of a computation graph and records every decision, so that it can be watched.
//!
//! The rule of the doors: a folder knows only what stands to its left.
//!
//! ```text
//! model  ←  input, generate, engine, check, trace  ←  session  ←  output  ←  app  ←  ui  ←  tui  ←  cli
//! ```

pub mod app;
pub mod check;
pub mod cli;
pub mod engine;
pub mod error;
pub mod generate;
pub mod input;
pub mod model;
pub mod output;
pub mod session;
pub mod trace;
pub mod tui;
pub mod ui;
