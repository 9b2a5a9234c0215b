//! The first line of a trace file.

use serde::{Deserialize, Serialize};

use super::graph::GraphFile;
use super::{TRACE_VERSION, Trace};
use crate::model::{Fit, GraphBuilder, Options, Order, VictimRule};

/// What stands before the steps. The machine is as in a machine file, which `input` reads.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Head {
    spillscope_trace: u32,
    /// Whether the times were measured in a run, not planned.
    pub measured: bool,
    /// Why the record ends before the graph does, in words, where it does.
    pub ended: Option<String>,
    /// Where the plan comes from, where neither the options nor a run made it: a folder, or a search. Files of before have
    /// none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// How many steps follow, without a failing one.
    pub steps: usize,
    /// Seconds that the planning or the run took.
    pub seconds: f64,
    /// How it was planned.
    pub options: OptionsFile,
    /// The machine, in the shape of a machine file.
    pub machine: serde_json::Value,
    /// The graph.
    pub graph: GraphFile,
}

impl Head {
    /// The head for `trace`, planned with `options` on `machine` (as in a machine file). It is taken for a plan that is
    /// whole; the fields say otherwise.
    pub fn new(trace: &Trace, options: &Options, machine: serde_json::Value) -> Self {
        Self {
            spillscope_trace: TRACE_VERSION,
            measured: false,
            ended: None,
            from: None,
            steps: trace.plan.steps.len(),
            seconds: 0.0,
            options: OptionsFile::new(options),
            machine,
            graph: GraphFile::new(&GraphBuilder::of(&trace.problem.graph)),
        }
    }
}

/// How it was planned; the words are those of the flags.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct OptionsFile {
    order: String,
    on_full: Vec<String>,
    postpone_limit: u32,
    /// The classic policy where it is not said, as in files of versions that knew no other.
    #[serde(default)]
    victims: VictimRule,
    #[serde(default)]
    fit: Fit,
    #[serde(default)]
    hoist: bool,
    #[serde(default)]
    prefetch: u32,
    light_tasks: bool,
    avoid_deadlock: bool,
}

impl OptionsFile {
    fn new(options: &Options) -> Self {
        Self {
            order: options.order.to_string(),
            on_full: options.on_full.iter().map(ToString::to_string).collect(),
            postpone_limit: options.postpone_limit,
            victims: options.victims,
            fit: options.fit,
            hoist: options.hoist,
            prefetch: options.prefetch,
            light_tasks: options.light_tasks,
            avoid_deadlock: options.avoid_deadlock,
        }
    }

    /// The options.
    ///
    /// # Errors
    /// A word that no flag has.
    pub fn options(&self) -> Result<Options, String> {
        let order: Order = self.order.parse()?;
        Ok(Options {
            on_full: self.on_full.iter().map(|word| word.parse()).collect::<Result<_, _>>()?,
            postpone_limit: self.postpone_limit,
            victims: self.victims,
            fit: self.fit,
            hoist: self.hoist,
            prefetch: self.prefetch,
            light_tasks: self.light_tasks,
            avoid_deadlock: self.avoid_deadlock,
            ..Options::classic(order)
        })
    }
}

/// The version that a first line says; the other fields of another version may not be as they are here.
pub(super) fn version(line: &str) -> Result<u32, serde_json::Error> {
    #[derive(Deserialize)]
    struct Version {
        spillscope_trace: u32,
    }
    serde_json::from_str(line).map(|Version { spillscope_trace }| spillscope_trace)
}
