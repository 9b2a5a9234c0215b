//! One node of an NPU graph as its fields say it, whichever format they came in.

use std::borrow::Cow;
use std::fmt;

use crate::model::{Entry, Fault, GraphBuilder, Name, RawKind, RawNode, Symbol};

/// A field of a node; the names are those of the files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Column {
    Id,
    Op,
    BufId,
    Size,
    Type,
    Pipe,
    Cycles,
    Bufs,
    Name,
}

impl Column {
    /// Its name in a file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Id => "Id",
            Self::Op => "Op",
            Self::BufId => "BufId",
            Self::Size => "Size",
            Self::Type => "Type",
            Self::Pipe => "Pipe",
            Self::Cycles => "Cycles",
            Self::Bufs => "Bufs",
            Self::Name => "Name",
        }
    }

    /// The field of that name.
    pub fn of(name: &str) -> Option<Self> {
        Some(match name {
            "Id" => Self::Id,
            "Op" => Self::Op,
            "BufId" => Self::BufId,
            "Size" => Self::Size,
            "Type" => Self::Type,
            "Pipe" => Self::Pipe,
            "Cycles" => Self::Cycles,
            "Bufs" => Self::Bufs,
            "Name" => Self::Name,
            _ => return None,
        })
    }
}

/// What a file says for a field. Whether a bad value matters is known only with the node's `Op`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Field<T> {
    /// Nothing, or null.
    #[default]
    Absent,
    /// A value of the right type.
    Is(T),
    /// Something else.
    Bad,
}

/// The fields of one node.
#[derive(Debug, Default)]
pub(super) struct NodeFields<'a> {
    pub id: Field<u64>,
    pub op: Field<Cow<'a, str>>,
    pub buf: Field<u64>,
    pub size: Field<u64>,
    pub level: Field<Cow<'a, str>>,
    pub pipe: Field<Cow<'a, str>>,
    pub cycles: Field<u64>,
    /// Its run in [`GraphBuilder::operands`].
    pub bufs: Field<(u32, u32)>,
    /// The first entry of `Bufs` that is no id.
    pub bad_buf: Option<usize>,
    pub name: Field<Cow<'a, str>>,
}

/// What is wrong with a node. Where a field is named, the reader adds what it found there.
#[derive(Debug)]
pub(super) struct NodeFault {
    pub what: String,
    pub advice: &'static str,
    pub at: Spot,
}

/// The part of a node that a fault speaks of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Spot {
    Node,
    Field(Column),
    /// An entry of `Bufs`, from 0.
    Buf(usize),
}

/// How messages call the node: by its id, where it has a good one.
#[derive(Clone, Copy)]
struct Who {
    id: Option<u64>,
    entry: usize,
}

impl NodeFields<'_> {
    /// Checks the fields and adds the node, which is entry `entry` of the nodes, to `graph`.
    ///
    /// # Errors
    /// The first field that this kind of node needs and that is missing or is not what it must be.
    pub fn add_to(self, graph: &mut GraphBuilder, entry: usize) -> Result<(), NodeFault> {
        let mut who = Who { id: None, entry };
        let id = who.need(Column::Id, who.number(Column::Id, 0, self.id)?)?;
        who.id = Some(id);
        let op = who.need(Column::Op, who.text(Column::Op, &self.op)?)?;
        let name = who.text(Column::Name, &self.name)?.map(Name::new);
        let kind = match op {
            "ALLOC" | "FREE" => self.cache_node(graph, who, op == "ALLOC")?,
            op => self.operation(graph, who, op)?,
        };
        graph.nodes.push(RawNode { id, name, kind });
        Ok(())
    }

    fn cache_node(&self, graph: &mut GraphBuilder, who: Who, alloc: bool) -> Result<RawKind, NodeFault> {
        if let Field::Is((start, _)) = self.bufs {
            graph.operands.truncate(start as usize); // they mean nothing here
        }
        graph.ignored_fields += usize::from(self.pipe != Field::Absent)
            + usize::from(self.cycles != Field::Absent)
            + usize::from(self.bufs != Field::Absent);
        let buf = who.need(Column::BufId, who.number(Column::BufId, 0, self.buf)?)?;
        let size = who.number(Column::Size, 1, self.size)?;
        let level = who.text(Column::Type, &self.level)?;
        let level = level.map(|level| intern(graph, level)).transpose()?;
        if alloc {
            return Ok(RawKind::Alloc(buf, who.need(Column::Size, size)?, who.need(Column::Type, level)?));
        }
        Ok(RawKind::Free(buf, size, level))
    }

    fn operation(&self, graph: &mut GraphBuilder, who: Who, op: &str) -> Result<RawKind, NodeFault> {
        graph.ignored_fields += usize::from(self.buf != Field::Absent)
            + usize::from(self.size != Field::Absent)
            + usize::from(self.level != Field::Absent);
        let pipe = who.need(Column::Pipe, who.text(Column::Pipe, &self.pipe)?)?;
        let cycles = who.need(Column::Cycles, who.number(Column::Cycles, 0, self.cycles)?)?;
        let bufs = match (self.bufs, self.bad_buf) {
            (Field::Absent, _) => return Err(who.missing(Column::Bufs)),
            (Field::Bad, _) => return Err(who.bad(Spot::Field(Column::Bufs), "`Bufs` must be a list of buffer ids")),
            (_, Some(at)) => {
                return Err(who.bad(Spot::Buf(at), "`Bufs` must hold buffer ids, whole numbers from 0 to 2^63-1"));
            }
            (Field::Is(run), None) => run,
        };
        Ok(RawKind::Op(intern(graph, op)?, intern(graph, pipe)?, cycles, bufs))
    }
}

impl Who {
    fn number(self, column: Column, least: u64, value: Field<u64>) -> Result<Option<u64>, NodeFault> {
        match value {
            Field::Absent => Ok(None),
            Field::Is(number) if number >= least => Ok(Some(number)),
            _ => Err(self.no_number(column, least)),
        }
    }

    fn text<'f>(self, column: Column, value: &'f Field<Cow<'_, str>>) -> Result<Option<&'f str>, NodeFault> {
        match value {
            Field::Absent => Ok(None),
            Field::Is(text) => Ok(Some(text.as_ref())),
            Field::Bad => Err(self.no_text(column)),
        }
    }

    #[cold]
    fn no_number(self, column: Column, least: u64) -> NodeFault {
        self.bad(Spot::Field(column), &format!("`{}` must be a whole number from {least} to 2^63-1", column.name()))
    }

    #[cold]
    fn no_text(self, column: Column) -> NodeFault {
        self.bad(Spot::Field(column), &format!("`{}` must be a text", column.name()))
    }

    fn need<T>(self, column: Column, value: Option<T>) -> Result<T, NodeFault> {
        value.ok_or_else(|| self.missing(column))
    }

    #[cold]
    fn missing(self, column: Column) -> NodeFault {
        let what = format!("{self}: `{}` is missing", column.name());
        let advice = "an ALLOC has Id, Op, BufId, Size, Type; a FREE has Id, Op, BufId; \
                      any other node has Id, Op, Pipe, Cycles, Bufs";
        NodeFault { what, advice, at: Spot::Node }
    }

    fn bad(self, at: Spot, wanted: &str) -> NodeFault {
        NodeFault { what: format!("{self}: {wanted}"), advice: "", at }
    }
}

fn intern(graph: &mut GraphBuilder, text: &str) -> Result<Symbol, NodeFault> {
    let too_many =
        |fault: Fault| NodeFault { what: fault.what, advice: "use fewer kinds of operation", at: Spot::Node };
    graph.intern(text).map_err(too_many)
}

impl fmt::Display for Who {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.id {
            Some(id) => write!(f, "node {id}"),
            None => write!(f, "entry {} of the nodes, counted from 0", self.entry),
        }
    }
}

/// The part of the file that a fault of the whole graph speaks of.
pub(super) fn entry_name(entry: Entry) -> Option<(&'static str, usize)> {
    match entry {
        Entry::Whole => None,
        Entry::Node(at) => Some(("Nodes", at)),
        Entry::Edge(at) => Some(("Edges", at)),
        Entry::Schedule(at) => Some(("Schedule", at)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_field_is_known_by_its_name() {
        use Column::{BufId, Bufs, Cycles, Id, Name, Op, Pipe, Size, Type};
        for column in [Id, Op, BufId, Size, Type, Pipe, Cycles, Bufs, Name] {
            assert_eq!(Column::of(column.name()), Some(column));
        }
        assert_eq!(Column::of("id"), None);
    }
}
