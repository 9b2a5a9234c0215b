//! Operation graphs in JSON (seed 000): `{"nodes": [{"name", "op_type", "inputs": [names], "output_size"}, …]}`, with
//! `est_duration`, `actual_size` and `zero_fill` where a node has them, and the graph's own inputs in a top-level
//! `"inputs": [{"name", "size"}, …]`. A top-level `max_pool_bytes` is the cap of the pool that the graph is meant to run
//! in. Sizes are bytes, durations milliseconds.
//!
//! Names may be used before the node that makes them, so the nodes are read first, then the names they read are looked
//! up, and then all is lowered to ALLOC, operation and FREE ([`lower`]).

mod duration;
mod lower;

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::ops::Range;

use serde_json::value::RawValue;

use super::json_fields::{Fields, bad, text_of, value};
use super::profile::Profile;
use super::source::{Source, quoted};
use crate::error::Error;
use crate::model::{Entry, Fault, Graph, GraphBuilder, MAX_NUMBER, Name, OperationGraph, Symbol};

const WANTED: &str = "an operation graph: an object with the list `nodes`, and optionally `inputs`";

/// `generated` is how a generator says what it made the graph from.
const TOP: [&str; 4] = ["nodes", "inputs", "max_pool_bytes", "generated"];
const NODE: [&str; 7] = ["name", "op_type", "inputs", "output_size", "est_duration", "actual_size", "zero_fill"];
const INPUT: [&str; 2] = ["name", "size"];
const NODE_HAS: &str = "a node has name, op_type, inputs ([] for none) and output_size";

/// Microseconds of an operation whose duration nobody knows.
const DEFAULT_DURATION: u64 = 1000;

/// Reads a graph. Durations that it leaves out come from `profile`, else are [`DEFAULT_DURATION`].
///
/// # Errors
/// Whatever is wrong with the file or with the graph in it, with the place.
pub(super) fn read(source: &Source, profile: Option<&Profile>) -> Result<Graph, Error> {
    let top = Fields::of_file(source, &TOP, WANTED)?;
    let mut reader = Reader::new(source, profile);
    reader.builder.ignored_fields += top.unknown;
    reader.facts.max_pool_bytes = top.whole("max_pool_bytes", 1, &"the graph")?;
    let nodes = top.list("nodes", &"the graph")?;
    let nodes =
        nodes.ok_or_else(|| source.whole_error("the graph has no list `nodes`", format!("expected {WANTED}")))?;
    for (at, raw) in nodes.into_iter().enumerate() {
        reader.read_operation(raw.get(), at)?;
    }
    for (at, raw) in top.list("inputs", &"the graph")?.unwrap_or_default().into_iter().enumerate() {
        reader.read_input(raw.get(), at)?;
    }
    reader.look_up()?;
    reader.finish()
}

/// One operation, which writes one buffer.
struct Operation<'t> {
    name: Cow<'t, str>,
    /// The name as it stands in the file: where messages about the node point.
    name_raw: &'t str,
    kind: Symbol,
    /// Microseconds.
    cycles: u64,
    size: u64,
    actual_size: Option<u64>,
    zero_fill: bool,
    /// Its run in [`Reader::inputs_raw`]; after [`Reader::look_up`], in [`Reader::reads`].
    inputs: Range<usize>,
}

/// A graph input: a buffer that no operation makes.
struct Input<'t> {
    name: Cow<'t, str>,
    size: u64,
}

/// The state of one pass. Buffers are counted from 0: one for each operation, then one for each graph input.
struct Reader<'t> {
    source: &'t Source,
    profile: Option<&'t Profile>,
    builder: GraphBuilder,
    facts: OperationGraph,
    operations: Vec<Operation<'t>>,
    inputs: Vec<Input<'t>>,
    inputs_raw: Vec<&'t RawValue>,
    /// Buffers read, operation after operation, each once.
    reads: Vec<u32>,
    buffer_of: HashMap<Cow<'t, str>, u32>,
    total_size: u64,
    total_cycles: u64,
}

/// What messages call an entry of the file: by its name, as soon as that is known.
enum Who<'a> {
    Entry(&'static str, usize),
    Node(&'a str),
    Input(&'a str),
}

impl fmt::Display for Who<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Entry(list, at) => write!(f, "entry {at} of `{list}` (counted from 0)"),
            Self::Node(name) => write!(f, "node '{}'", quoted(name)),
            Self::Input(name) => write!(f, "graph input '{}'", quoted(name)),
        }
    }
}

impl<'t> Reader<'t> {
    fn new(source: &'t Source, profile: Option<&'t Profile>) -> Self {
        Self {
            source,
            profile,
            builder: GraphBuilder::new(Name::new(source.stem.as_str())),
            facts: OperationGraph::default(),
            operations: Vec::new(),
            inputs: Vec::new(),
            inputs_raw: Vec::new(),
            reads: Vec::new(),
            buffer_of: HashMap::new(),
            total_size: 0,
            total_cycles: 0,
        }
    }

    fn read_operation(&mut self, raw: &'t str, at: usize) -> Result<(), Error> {
        let who = Who::Entry("nodes", at);
        let fields = Fields::of_part(self.source, raw, &NODE, &who)?;
        self.builder.ignored_fields += fields.unknown;
        let (name, name_raw) = self.read_name(&fields, &who)?;
        let who = Who::Node(&name);
        let kind = fields.text("op_type", &who)?;
        let symbol = self.builder.intern(&kind).map_err(|fault| self.fault(name_raw, fault))?;
        let size = fields.need_whole("output_size", 1, &who, NODE_HAS)?;
        let actual_size = fields.whole("actual_size", 1, &who)?;
        let zero_fill = match fields.get("zero_fill") {
            None | Some("false") => false,
            Some("true") => true,
            Some(raw) => {
                return Err(bad(self.source, raw, &format_args!("{who}:"), "`zero_fill` must be true or false"));
            }
        };
        let cycles = self.read_duration(fields.get("est_duration"), &kind, &who)?;
        let names = fields.list("inputs", &who)?.ok_or_else(|| fields.missing("inputs", &who, NODE_HAS))?;
        self.count_size(size.max(actual_size.unwrap_or(0)), name_raw, &who)?;
        self.count_cycles(cycles, name_raw, &who)?;
        let start = self.inputs_raw.len();
        self.inputs_raw.extend(names);
        let inputs = start..self.inputs_raw.len();
        let operation = Operation { name, name_raw, kind: symbol, cycles, size, actual_size, zero_fill, inputs };
        self.operations.push(operation);
        Ok(())
    }

    fn read_input(&mut self, raw: &'t str, at: usize) -> Result<(), Error> {
        let who = Who::Entry("inputs", at);
        let fields = Fields::of_part(self.source, raw, &INPUT, &who)?;
        self.builder.ignored_fields += fields.unknown;
        let (name, name_raw) = self.read_name(&fields, &who)?;
        let who = Who::Input(&name);
        let size = fields.need_whole("size", 1, &who, "a graph input has name and size")?;
        self.count_size(size, name_raw, &who)?;
        self.inputs.push(Input { name, size });
        Ok(())
    }

    /// The name of the next buffer, which must be new, and as it stands in the file.
    fn read_name<const N: usize>(
        &mut self,
        fields: &Fields<'t, N>,
        who: &Who,
    ) -> Result<(Cow<'t, str>, &'t str), Error> {
        let raw = fields.need("name", who, NODE_HAS)?;
        let name = text_of(self.source, raw, &format_args!("{who}: `name`"))?;
        if name.is_empty() {
            return Err(bad(self.source, raw, &format_args!("{who}:"), "`name` must be a text that is not empty"));
        }
        let next = self.operations.len() + self.inputs.len();
        if let Some(before) = self.buffer_of.insert(name.clone(), next as u32) {
            let before = before as usize;
            let first = match before.checked_sub(self.operations.len()) {
                Some(input) => Who::Entry("inputs", input),
                None => Who::Entry("nodes", before),
            };
            let what = format!("the name '{}' stands twice: {first} has it too", quoted(&name));
            return Err(self.source.error(value(self.source, raw).range(), what, "give each a name of its own"));
        }
        Ok((name, raw))
    }

    /// Microseconds that an operation takes.
    fn read_duration(&mut self, raw: Option<&str>, kind: &str, who: &Who) -> Result<u64, Error> {
        if let Some(raw) = raw {
            let wanted = "`est_duration` must be milliseconds, a number from 0 of less than 2^63 microseconds";
            return duration::micros(raw).ok_or_else(|| bad(self.source, raw, &format_args!("{who}:"), wanted));
        }
        if let Some(micros) = self.profile.and_then(|profile| profile.micros(kind)) {
            self.facts.durations_from_profile += 1;
            return Ok(micros);
        }
        self.facts.durations_by_default += 1;
        Ok(DEFAULT_DURATION)
    }

    fn count_size(&mut self, size: u64, raw: &str, who: &Who) -> Result<(), Error> {
        self.total_size = sum(self.total_size, size).ok_or_else(|| {
            let what = format!("with {who} of {size} bytes the sizes of all buffers together pass 2^63-1");
            self.source.error(value(self.source, raw).range(), what, "use a larger unit for sizes")
        })?;
        Ok(())
    }

    fn count_cycles(&mut self, cycles: u64, raw: &str, who: &Who) -> Result<(), Error> {
        self.total_cycles = sum(self.total_cycles, cycles).ok_or_else(|| {
            let what = format!("with {who} the durations of all nodes together pass 2^63-1 microseconds");
            self.source.error(value(self.source, raw).range(), what, "use a larger unit for durations")
        })?;
        Ok(())
    }

    /// Turns the names that operations read into buffers.
    fn look_up(&mut self) -> Result<(), Error> {
        let mut last_reader = vec![u32::MAX; self.operations.len() + self.inputs.len()];
        for at in 0..self.operations.len() {
            let start = self.reads.len();
            for place in self.operations[at].inputs.clone() {
                let buffer = self.find(at, self.inputs_raw[place].get())?;
                if std::mem::replace(&mut last_reader[buffer as usize], at as u32) != at as u32 {
                    self.reads.push(buffer);
                }
            }
            self.operations[at].inputs = start..self.reads.len();
        }
        Ok(())
    }

    /// The buffer behind `raw`, a name that operation `reader` reads.
    fn find(&self, reader: usize, raw: &str) -> Result<u32, Error> {
        let who = Who::Node(&self.operations[reader].name);
        let name = text_of(self.source, raw, &format_args!("{who}: an entry of `inputs`"))?;
        let place = || value(self.source, raw).range();
        let Some(&buffer) = self.buffer_of.get(&name) else {
            let what = format!("{who} reads '{}', which no node makes and `inputs` does not declare", quoted(&name));
            return Err(self.source.error(place(), what, self.advice_for(&name)));
        };
        if buffer as usize == reader {
            return Err(self.source.error(place(), format!("{who} reads its own output"), "take it out of `inputs`"));
        }
        Ok(buffer)
    }

    /// What to do about a name that nothing has.
    fn advice_for(&self, name: &str) -> String {
        let declare = "add the node, or declare the name in the top-level `inputs`";
        let near = |other: &&Cow<str>| {
            let distance = strsim::osa_distance(name, other);
            (distance <= 1 + name.chars().count() / 8).then_some(distance)
        };
        let nearest = self.buffer_of.keys().filter_map(|other| Some((near(&other)?, other))).min();
        nearest.map_or(declare.into(), |(_, other)| format!("did you mean '{}'? else {declare}", quoted(other)))
    }

    fn fault(&self, raw: &str, fault: Fault) -> Error {
        self.source.error(value(self.source, raw).range(), fault.what, fault.advice)
    }

    fn finish(mut self) -> Result<Graph, Error> {
        let mut builder = std::mem::take(&mut self.builder);
        builder.operation_graph = Some(self.facts);
        lower::lower(&mut builder, &self.operations, &self.inputs, &self.reads).and_then(|()| builder.build()).map_err(
            |fault| match fault.at {
                Entry::Node(place) => match lower::operation_of(place, self.operations.len()) {
                    Some(at) => self.fault(self.operations[at].name_raw, fault),
                    None => self.source.whole_error(fault.what, fault.advice),
                },
                _ => self.source.whole_error(fault.what, fault.advice),
            },
        )
    }
}

fn sum(total: u64, more: u64) -> Option<u64> {
    total.checked_add(more).filter(|&total| total <= MAX_NUMBER)
}

#[cfg(test)]
mod tests;
