//! Spillscope plans the memory of a computation graph and records every decision, so that it can be watched.
//!
//! A [`Graph`](model::Graph) of operations and buffers and a [`Machine`](model::Machine) with small memories make a
//! [`Problem`](model::Problem). The [`engine`] decides an order, an address for each buffer, and which buffers leave
//! for main memory where room is short. What it decides and why goes to a [`Sink`](model::Sink) as
//! [`Event`](model::Event)s. The [`trace`] keeps them and can stand at any step, forward and backward, and the
//! visualizer shows what the trace knows; it decides nothing. The [`check`]er shares only the model with the engine,
//! replays each plan and works out every figure anew.
//!
//! # The map
//!
//! | module | what is there |
//! |---|---|
//! | [`model`] | ids, graph, machine, problem, plan, events |
//! | [`input`] | graph, machine, schedule and plan files → model |
//! | [`generate`] | kernels and random graphs |
//! | [`engine`] | order → place → spill or wait → time; bounds; diagnosis of a failure |
//! | [`check`] | the rules R1 to R6 |
//! | [`trace`] | recorder, state with undo, cursor, index |
//! | [`run`] | the executor: operation graphs for real, on threads, in memory from the pools of plans |
//! | [`session`] | one planned graph with its trace, check and bounds: what reports and the screen read |
//! | [`compare`] | strategies side by side, sweeps of one setting, and how two plans differ |
//! | [`output`] | reports, plan files, explanations in words |
//! | [`lesson`] | guided lessons: stations in plans, with captions whose figures are read from them |
//! | [`app`] | the visualizer's state, and what keys do to it |
//! | [`ui`] | drawing |
//! | [`tui`] | the terminal |
//! | [`cli`] | the commands |
//!
//! The rule of the doors: a module knows only what stands to its left, and [`error`].
//!
//! ```text
//! model  ←  input, generate, engine, check, trace  ←  session, run  ←  compare  ←  output  ←  lesson  ←  app  ←  ui  ←  tui  ←  cli
//! ```
//!
//! # Example
//!
//! Read a graph, plan it, look at the step of the first spill, check the plan.
//!
//! ```
//! use std::sync::Arc;
//!
//! use spillscope::model::{Machine, Options, Order, Problem};
//! use spillscope::trace::{Mark, Recorder, Trace};
//! use spillscope::{check, engine, input, output};
//!
//! # fn main() -> Result<(), spillscope::error::Error> {
//! let graph = Arc::new(input::read_graph("samples/first-spill.json")?);
//! let problem = Problem::new(graph.clone(), Machine::npu()).expect("the machine has every level of the graph");
//!
//! let mut recorder = Recorder::new(); // with `&mut ()` in its place nothing is recorded, at no cost
//! let options = Options::classic(Order::Program);
//! let planned = engine::plan(&problem, &options, &mut recorder).expect("the graph has an order");
//! assert!(planned.stuck.is_none(), "every buffer found room");
//! assert_eq!(planned.figures.extra_traffic, 1024);
//!
//! let report = check::check(&problem, &planned.plan.to_raw(&graph));
//! assert!(report.is_valid());
//! assert_eq!(report.figures.as_ref(), Some(&planned.figures));
//!
//! let trace = Trace::new(problem, planned.plan, recorder);
//! let first_spill = trace.marks(Mark::Spill)[0] as usize; // a position: how many events came before
//! let step = trace.step_at(first_spill + 1);
//! assert_eq!(step, 11);
//! let mut cursor = trace.cursor();
//! trace.seek_step(&mut cursor, step);
//! assert_eq!(cursor.state().live_count(), 4);
//! assert!(output::explain::explain(&trace, step).sentence.starts_with("b0 “image” gives up its place in L1"));
//! # Ok(())
//! # }
//! ```
//!
//! [`session::Session::plan`] does all of this at once and adds bounds and, where there is no plan, the diagnosis. The folder
//! `examples` has more: planning a graph and writing its files, walking a trace, checking a plan.
//!
//! # Features
//!
//! | feature | what it adds |
//! |---|---|
//! | `png` | frames as PNG pictures ([`ui::export::to_png`], `spillscope frame --format png`, the menu of `x`); takes letters from a monospaced font of the system. The renderer brings fifty packages, so it is not on by default |

pub mod app;
pub mod check;
pub mod cli;
pub mod compare;
pub mod engine;
pub mod error;
pub mod generate;
pub mod input;
pub mod lesson;
pub mod model;
pub mod output;
pub mod run;
pub mod session;
pub mod trace;
pub mod tui;
pub mod ui;
