//! What everything else speaks of: graphs, machines, plans, events. Knows no file format and no terminal.

mod buckets;
pub mod build;
mod cycle;
pub mod diagnosis;
mod edges;
pub mod event;
pub mod graph;
pub mod ids;
mod lookup;
pub mod machine;
pub mod name;
pub mod packing;
pub mod plan;
pub mod policy;
pub mod problem;
mod random;
mod schedule;
pub mod sink;
mod verdict;

pub use buckets::Buckets;
pub use build::{Entry, Fault, GraphBuilder, MAX_NUMBER, RawKind, RawNode};
pub use diagnosis::{Conflict, ConflictKind, Diagnosis, FailureKind, Fill, Holder, Remedy, Rise, Stay, Waiting};
pub use event::{BlockFate, Event, Fallback, Leaving, Placing, Refusal, SHOWN_CANDIDATES, Standing, Verdict, Won};
pub use graph::{Buffer, Graph, Node, NodeKind, Operation, OperationGraph, Timeline};
pub use ids::{BlockId, BufIx, LevelIx, NodeIx, SpillIx, Symbol, UnitIx};
pub use machine::{Level, Machine, Manager, PoolRules, Transfer, Unit};
pub use name::{Name, clean};
pub use packing::{Gap, Lifetime, Packed, Packing};
pub use plan::{Figures, Options, Order, Plan, PoolFigures, RawPlan, Spill, Step, step_id};
pub use policy::{Fit, PickedVictim, VictimRule};
pub use problem::{Problem, UnknownLevel};
pub use random::SplitMix64;
pub use sink::Sink;
