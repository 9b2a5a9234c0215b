//! NPU graphs in JSON: `{"Nodes": […], "Edges": [[from, to], …], "Schedule": [id, …]}`.
//!
//! The file is read in one pass, straight into the builder: most by the short way of [`npu_plain`], the others by a
//! parser for all of JSON. Nothing on either way keeps positions: only when something is wrong is the text walked again
//! to the value that the message speaks of.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::json::{self, PathStep, Value};
use super::json_any::{Any, Found, Key};
use super::npu_node::{Column, Field, NodeFault, NodeFields, Spot, entry_name};
use super::npu_plain;
use super::source::Source;
use crate::error::Error;
use crate::model::{Fault, Graph, GraphBuilder, Name};

const WANTED: &str = "a graph: an object with the list `Nodes`, and optionally `Edges` and `Schedule`";

/// Reads a graph.
///
/// # Errors
/// Whatever is wrong with the file or with the graph in it, with the place.
pub(super) fn read(source: &Source) -> Result<Graph, Error> {
    if !source.text.trim_start().starts_with('{') {
        json::check_object(source, WANTED)?;
    }
    let builder = match plain(source) {
        Some(builder) => builder,
        None => read_all(source)?,
    };
    builder.build().map_err(|fault| graph_error(source, fault))
}

fn new_builder(source: &Source) -> GraphBuilder {
    GraphBuilder::new(Name::new(source.stem.as_str()))
}

/// What a plain file holds; `None` where it takes all of JSON to read it, or where something is wrong.
fn plain(source: &Source) -> Option<GraphBuilder> {
    let mut builder = new_builder(source);
    npu_plain::read(&source.text, &mut builder)?;
    Some(builder)
}

/// What any file holds.
fn read_all(source: &Source) -> Result<GraphBuilder, Error> {
    let mut reader = Reader::new(new_builder(source));
    let mut parser = serde_json::Deserializer::from_str(&source.text);
    let outcome = reader.deserialize(&mut parser).and_then(|()| parser.end());
    if let Err(error) = outcome {
        return Err(reader.explain(source, &error));
    }
    if reader.has_nodes { Ok(reader.builder) } else { Err(no_nodes(source)) }
}

fn no_nodes(source: &Source) -> Error {
    let root = Value::root(&source.text);
    let start = root.range().start;
    source.error(
        start..start + 1,
        "the graph has no list `Nodes`, nor `nodes` as an operation graph has",
        format!("expected {WANTED}"),
    )
}

/// A fault of the graph as a whole, at its entry in the file.
fn graph_error(source: &Source, fault: Fault) -> Error {
    let Some((list, at)) = entry_name(fault.at) else { return source.whole_error(fault.what, fault.advice) };
    let value = Value::root(&source.text).descend(&[PathStep::Key(list, 0), PathStep::Item(at)]);
    source.error(line_to_show(value).range(), fault.what, fault.advice)
}

/// Of a node that is written over several lines, the first holds only a brace: its id tells the reader more.
fn line_to_show(value: Value<'_>) -> Value<'_> {
    if value.raw().contains('\n') { value.descend(&[PathStep::Key(Column::Id.name(), 0)]) } else { value }
}

/// What is being read; each part of the file that may be of the wrong type is entered here first.
#[derive(Clone, Copy)]
enum Part {
    Top,
    List(&'static str),
    Item(&'static str, usize),
}

/// What the reader itself found wrong; the parser's error then only carries it out.
struct Trouble {
    what: String,
    advice: &'static str,
    path: Vec<PathStep>,
    /// Whether the message goes on with what stands there.
    says_found: bool,
}

/// The state of one pass over a file; as a seed it reads the top-level object.
struct Reader {
    builder: GraphBuilder,
    part: Part,
    trouble: Option<Trouble>,
    has_nodes: bool,
    lists_seen: Vec<&'static str>,
}

impl Reader {
    fn new(builder: GraphBuilder) -> Self {
        Self { builder, part: Part::Top, trouble: None, has_nodes: false, lists_seen: Vec::new() }
    }

    /// Stops the pass with that message.
    fn fail<E: serde::de::Error>(&mut self, trouble: Trouble) -> E {
        self.trouble = Some(trouble);
        E::custom("")
    }

    /// The path to the part that is being read.
    fn path(&self) -> Vec<PathStep> {
        match self.part {
            Part::Top => Vec::new(),
            Part::List(list) => vec![PathStep::Key(list, 0)],
            Part::Item(list, at) => vec![PathStep::Key(list, 0), PathStep::Item(at)],
        }
    }

    fn enter_list<E: serde::de::Error>(&mut self, list: &'static str) -> Result<(), E> {
        if self.lists_seen.contains(&list) {
            return Err(self.doubled(list));
        }
        self.lists_seen.push(list);
        self.part = Part::List(list);
        Ok(())
    }

    fn doubled<E: serde::de::Error>(&mut self, name: &'static str) -> E {
        let mut path = self.path();
        if let Part::List(_) = self.part {
            path.clear(); // the list before is done; the second one stands beside it
        }
        path.push(PathStep::Key(name, 1));
        let what = format!("`{name}` stands twice in the same object");
        self.fail(Trouble { what, advice: "keep one of the two", path, says_found: false })
    }

    fn bad_node<E: serde::de::Error>(&mut self, fault: NodeFault) -> E {
        let mut path = self.path();
        match fault.at {
            Spot::Node => {}
            Spot::Field(column) => path.push(PathStep::Key(column.name(), 0)),
            Spot::Buf(at) => path.extend([PathStep::Key(Column::Bufs.name(), 0), PathStep::Item(at)]),
        }
        let says_found = fault.at != Spot::Node;
        self.fail(Trouble { what: fault.what, advice: fault.advice, path, says_found })
    }

    /// The message for the error that ended the pass.
    fn explain(self, source: &Source, error: &serde_json::Error) -> Error {
        let root = Value::root(&source.text);
        if let Some(trouble) = &self.trouble {
            let value = root.descend(&trouble.path);
            if trouble.says_found {
                let what = format!("{}, found {}", trouble.what, value.found());
                return source.error(value.range(), what, trouble.advice);
            }
            return source.error(line_to_show(value).range(), trouble.what.clone(), trouble.advice);
        }
        if !error.is_data() {
            return json::syntax_error(source, error);
        }
        let value = root.descend(&self.path());
        let wanted = match self.part {
            Part::Top => "the file must hold an object at the top".into(),
            Part::List(list) => format!("`{list}` must be a list"),
            Part::Item("Edges", at) => format!("entry {at} of `Edges` must be a pair [from, to] of node ids"),
            Part::Item("Schedule", at) => format!("entry {at} of `Schedule` must be a node id"),
            Part::Item(list, at) => format!("entry {at} of `{list}` must be an object"),
        };
        source.error(value.range(), format!("{wanted}, found {}", value.found()), "entries are counted from 0")
    }
}

impl<'de> DeserializeSeed<'de> for &mut Reader {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for &mut Reader {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(WANTED)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(list) = map.next_key_seed(Key(list_of))? {
            if let Some(list) = list {
                self.enter_list(list)?;
                map.next_value_seed(List { reader: self, name: list })?;
            } else {
                self.builder.ignored_fields += 1;
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }
}

fn list_of(key: &str) -> Option<&'static str> {
    ["Nodes", "Edges", "Schedule"].into_iter().find(|list| key == *list)
}

/// Reads one of the three lists.
struct List<'r> {
    reader: &'r mut Reader,
    name: &'static str,
}

impl<'de> DeserializeSeed<'de> for List<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_option(self)
    }
}

impl<'de> Visitor<'de> for List<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_none<E>(self) -> Result<(), E> {
        Ok(()) // null is as absent
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<(), A::Error> {
        match self.name {
            "Nodes" => {
                self.reader.has_nodes = true;
                read_nodes(self.reader, items)
            }
            "Edges" => read_edges(self.reader, items),
            _ => read_schedule(self.reader, items),
        }
    }
}

fn read_nodes<'de, A: SeqAccess<'de>>(reader: &mut Reader, mut items: A) -> Result<(), A::Error> {
    for at in 0.. {
        reader.part = Part::Item("Nodes", at);
        if items.next_element_seed(Node { reader, at })?.is_none() {
            break;
        }
    }
    reader.part = Part::List("Nodes");
    Ok(())
}

fn read_edges<'de, A: SeqAccess<'de>>(reader: &mut Reader, mut items: A) -> Result<(), A::Error> {
    let mut edges = Vec::new();
    for at in 0.. {
        reader.part = Part::Item("Edges", at);
        let Some(edge) = items.next_element_seed(Edge)? else { break };
        edges.push(edge);
    }
    reader.builder.edges = Some(edges);
    reader.part = Part::List("Edges");
    Ok(())
}

fn read_schedule<'de, A: SeqAccess<'de>>(reader: &mut Reader, mut items: A) -> Result<(), A::Error> {
    let mut schedule = Vec::new();
    for at in 0.. {
        reader.part = Part::Item("Schedule", at);
        let Some(id) = items.next_element_seed(Any::SCALAR)? else { break };
        let Field::Is(id) = id.number() else { return Err(A::Error::custom("a node id")) };
        schedule.push(id);
    }
    reader.builder.schedule = Some(schedule);
    reader.part = Part::List("Schedule");
    Ok(())
}

/// Reads node `at` into the builder.
struct Node<'r> {
    reader: &'r mut Reader,
    at: usize,
}

impl<'de> DeserializeSeed<'de> for Node<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Node<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a node")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let Self { reader, at } = self;
        let mut fields = NodeFields::default();
        let mut seen = 0u16;
        while let Some(column) = map.next_key_seed(Key(Column::of))? {
            let Some(column) = column else {
                reader.builder.ignored_fields += 1;
                map.next_value::<IgnoredAny>()?;
                continue;
            };
            if seen & 1 << column as u16 != 0 {
                return Err(reader.doubled(column.name()));
            }
            seen |= 1 << column as u16;
            match column {
                Column::Id => fields.id = map.next_value_seed(Any::SCALAR)?.number(),
                Column::Op => fields.op = map.next_value_seed(Any::SCALAR)?.text(),
                Column::BufId => fields.buf = map.next_value_seed(Any::SCALAR)?.number(),
                Column::Size => fields.size = map.next_value_seed(Any::SCALAR)?.number(),
                Column::Type => fields.level = map.next_value_seed(Any::SCALAR)?.text(),
                Column::Pipe => fields.pipe = map.next_value_seed(Any::SCALAR)?.text(),
                Column::Cycles => fields.cycles = map.next_value_seed(Any::SCALAR)?.number(),
                Column::Name => fields.name = map.next_value_seed(Any::SCALAR)?.text(),
                Column::Bufs => {
                    let operands = &mut reader.builder.operands;
                    let start = operands.len() as u32;
                    let bufs = map.next_value_seed(Any { list: Some(operands) })?;
                    fields.bad_buf = bufs.bad_item();
                    fields.bufs = bufs.list((start, operands.len() as u32));
                }
            }
        }
        fields.add_to(&mut reader.builder, at).map_err(|fault| reader.bad_node(fault))
    }
}

/// Reads one edge.
struct Edge;

impl<'de> DeserializeSeed<'de> for Edge {
    type Value = (u64, u64);

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Edge {
    type Value = (u64, u64);

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a pair of node ids")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        let from = items.next_element_seed(Any::SCALAR)?.map(Found::number);
        let to = items.next_element_seed(Any::SCALAR)?.map(Found::number);
        let more = items.next_element::<IgnoredAny>()?;
        match (from, to, more) {
            (Some(Field::Is(from)), Some(Field::Is(to)), None) => Ok((from, to)),
            _ => Err(A::Error::custom("a pair of node ids")),
        }
    }
}

#[cfg(test)]
mod tests;
