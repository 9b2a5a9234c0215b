//! NPU graphs as two CSV files: `X_Nodes.csv` and, beside it, `X_Edges.csv`.

use std::ops::Range;

use csv::{ByteRecord, Reader, ReaderBuilder, Trim};

use super::npu_node::{Column, Field, NodeFault, NodeFields, Spot};
use super::source::{Source, quoted};
use crate::error::Error;
use crate::model::{Entry, Fault, Graph, GraphBuilder, MAX_NUMBER, Name};

/// How the name of the file with the nodes ends.
pub(super) const NODES_ENDING: &str = "_Nodes.csv";
const EDGES_ENDING: &str = "_Edges.csv";
const EDGE_COLUMNS: [&str; 2] = ["StartNodeId", "EndNodeId"];

/// Reads a graph from its nodes; the file with the edges is looked for beside it.
///
/// # Errors
/// Whatever is wrong with either file or with the graph in them, with the place.
pub(super) fn read(nodes: &Source) -> Result<Graph, Error> {
    let edges_path = nodes.name.strip_suffix(NODES_ENDING).unwrap_or(&nodes.name).to_owned() + EDGES_ENDING;
    if !std::path::Path::new(&edges_path).exists() {
        let what = format!("the edges of {} are missing: there is no such file", quoted(&nodes.name));
        return Err(Error::input(what, "put the file with the edges beside the nodes").in_file(edges_path));
    }
    parse(nodes, &Source::read(&edges_path)?)
}

fn parse(nodes: &Source, edges: &Source) -> Result<Graph, Error> {
    let stem = nodes.stem.strip_suffix("_Nodes").unwrap_or(&nodes.stem);
    let mut graph = GraphBuilder::new(Name::new(stem));
    read_nodes(&mut graph, nodes)?;
    read_edges(&mut graph, edges)?;
    graph.build().map_err(|fault| graph_error(nodes, edges, fault))
}

fn graph_error(nodes: &Source, edges: &Source, fault: Fault) -> Error {
    let (source, at) = match fault.at {
        Entry::Node(at) => (nodes, at),
        Entry::Edge(at) => (edges, at),
        Entry::Whole | Entry::Schedule(_) => return nodes.whole_error(fault.what, fault.advice),
    };
    let mut table = Table::new(source);
    let found = (0..=at).map_while(|_| table.next().ok().flatten()).last();
    let place = found.map_or(0..0, |row| row.range(source));
    source.error(place, fault.what, fault.advice)
}

fn read_nodes(graph: &mut GraphBuilder, source: &Source) -> Result<(), Error> {
    let mut table = Table::new(source);
    let header = table.header()?;
    let columns: Vec<Option<Column>> = header.names.iter().map(|name| Column::of(name)).collect();
    header.check(source, &["Id", "Op"])?;
    graph.ignored_fields += columns.iter().filter(|column| column.is_none()).count();
    let mut entry = 0;
    while let Some(row) = table.next()? {
        row.check_length(source, columns.len())?;
        let fields = node_fields(graph, &columns, &row);
        fields.add_to(graph, entry).map_err(|fault| node_error(source, &columns, &row, fault))?;
        entry += 1;
    }
    Ok(())
}

fn node_fields<'r>(graph: &mut GraphBuilder, columns: &[Option<Column>], row: &'r Row) -> NodeFields<'r> {
    let mut fields = NodeFields::default();
    for (at, column) in columns.iter().enumerate() {
        let cell = row.cell(at);
        let number = || if cell.is_empty() { Field::Absent } else { whole(cell).map_or(Field::Bad, Field::Is) };
        let text = || if cell.is_empty() { Field::Absent } else { Field::Is(cell.into()) };
        match column {
            Some(Column::Id) => fields.id = number(),
            Some(Column::Op) => fields.op = text(),
            Some(Column::BufId) => fields.buf = number(),
            Some(Column::Size) => fields.size = number(),
            Some(Column::Type) => fields.level = text(),
            Some(Column::Pipe) => fields.pipe = text(),
            Some(Column::Cycles) => fields.cycles = number(),
            Some(Column::Name) => fields.name = text(),
            Some(Column::Bufs) => (fields.bufs, fields.bad_buf) = read_bufs(graph, cell, &fields.op),
            None => {}
        }
    }
    fields
}

/// The buffers of one cell: `1,2`, `1;2`, `1|2`, `1 2`, in brackets or not. An empty cell means no buffers for
/// an operation and nothing at all for an ALLOC or FREE.
fn read_bufs(
    graph: &mut GraphBuilder,
    cell: &str,
    op: &Field<std::borrow::Cow<'_, str>>,
) -> (Field<(u32, u32)>, Option<usize>) {
    let start = graph.operands.len() as u32;
    let is_cache = matches!(op, Field::Is(op) if op == "ALLOC" || op == "FREE");
    if cell.is_empty() && is_cache {
        return (Field::Absent, None);
    }
    let inside = cell.strip_prefix('[').and_then(|cell| cell.strip_suffix(']')).unwrap_or(cell);
    let mut bad = None;
    for (at, item) in inside.split([',', ';', '|', ' ', '\t']).filter(|item| !item.is_empty()).enumerate() {
        match whole(item) {
            Some(buf) => graph.operands.push(buf),
            None => bad = bad.or(Some(at)),
        }
    }
    (Field::Is((start, graph.operands.len() as u32)), bad)
}

fn node_error(source: &Source, columns: &[Option<Column>], row: &Row, fault: NodeFault) -> Error {
    let column = match fault.at {
        Spot::Node => return source.error(row.range(source), fault.what, fault.advice),
        Spot::Field(column) => column,
        Spot::Buf(_) => Column::Bufs,
    };
    let at = columns.iter().position(|have| *have == Some(column)).unwrap_or(0);
    let what = format!("{}, found {}", fault.what, quoted(row.cell(at)));
    source.error(row.cell_range(source, at), what, fault.advice)
}

fn read_edges(graph: &mut GraphBuilder, source: &Source) -> Result<(), Error> {
    let mut table = Table::new(source);
    let header = table.header()?;
    let ends = header.check(source, &EDGE_COLUMNS)?;
    graph.ignored_fields += header.names.len() - EDGE_COLUMNS.len();
    let mut edges = Vec::new();
    while let Some(row) = table.next()? {
        row.check_length(source, header.names.len())?;
        let end = |at: usize| {
            whole(row.cell(ends[at])).ok_or_else(|| {
                let found = if row.cell(ends[at]).is_empty() { "nothing".into() } else { quoted(row.cell(ends[at])) };
                let what = format!("`{}` must be a whole number from 0 to 2^63-1, found {found}", EDGE_COLUMNS[at]);
                source.error(row.cell_range(source, ends[at]), what, "an edge goes from one node id to another")
            })
        };
        edges.push((end(0)?, end(1)?));
    }
    graph.edges = Some(edges);
    Ok(())
}

/// A whole number below 2^63. Tables that went through a spreadsheet or pandas say `12.0` for 12.
fn whole(cell: &str) -> Option<u64> {
    let (digits, rest) = cell.split_once('.').unwrap_or((cell, ""));
    let plain = digits.bytes().all(|byte| byte.is_ascii_digit()) && rest.bytes().all(|byte| byte == b'0');
    digits.parse().ok().filter(|&number| plain && number <= MAX_NUMBER)
}

/// A CSV file, row by row.
struct Table<'s> {
    source: &'s Source,
    reader: Reader<&'s [u8]>,
}

/// The names in the first row.
struct Header {
    names: Vec<String>,
    row: Row,
}

/// One row: its cells, and where it starts in the file.
struct Row {
    cells: Vec<String>,
    start: usize,
}

impl<'s> Table<'s> {
    fn new(source: &'s Source) -> Self {
        let mut options = ReaderBuilder::new();
        options.flexible(true).trim(Trim::All).has_headers(true);
        Self { source, reader: options.from_reader(source.text.as_bytes()) }
    }

    fn header(&mut self) -> Result<Header, Error> {
        let record = self.reader.byte_headers().map_err(|error| broken(self.source, &error))?.clone();
        let row = Row::new(self.source, &record);
        if row.cells.is_empty() {
            return Err(self.source.whole_error("the file is empty", "expected a first row with the columns' names"));
        }
        Ok(Header { names: row.cells.clone(), row })
    }

    fn next(&mut self) -> Result<Option<Row>, Error> {
        let mut record = ByteRecord::new();
        let more = self.reader.read_byte_record(&mut record).map_err(|error| broken(self.source, &error))?;
        Ok(more.then(|| Row::new(self.source, &record)))
    }
}

fn broken(source: &Source, error: &csv::Error) -> Error {
    let at = error.position().map_or(0, |position| position.byte() as usize);
    source.error(at..at + 1, "this row is not CSV", "expected cells between commas")
}

impl Header {
    /// Where the wanted columns stand. Every name may stand only once.
    fn check<const N: usize>(&self, source: &Source, wanted: &[&str; N]) -> Result<[usize; N], Error> {
        for (at, name) in self.names.iter().enumerate().filter(|(_, name)| !name.is_empty()) {
            if self.names[..at].contains(name) {
                let what = format!("the column `{}` stands twice", quoted(name));
                return Err(source.error(self.row.cell_range(source, at), what, "keep one of the two"));
            }
        }
        let mut found = [0; N];
        for (place, wanted) in found.iter_mut().zip(wanted) {
            *place = self.names.iter().position(|name| name == wanted).ok_or_else(|| {
                let what = format!("there is no column `{wanted}`");
                let advice = "the first row names the columns, between commas: \
                              Id,Op,BufId,Size,Type,Pipe,Cycles,Bufs for nodes, StartNodeId,EndNodeId for edges";
                source.error(self.row.range(source), what, advice)
            })?;
        }
        Ok(found)
    }
}

impl Row {
    /// The parser lets a record start at the blank lines before it.
    fn new(source: &Source, record: &ByteRecord) -> Self {
        let start = record.position().map_or(0, |position| position.byte() as usize).min(source.text.len());
        let blank = source.text.as_bytes()[start..].iter().take_while(|byte| b"\r\n".contains(byte)).count();
        let cells = record.iter().map(|cell| String::from_utf8_lossy(cell).into_owned()).collect();
        Self { cells, start: start + blank }
    }

    /// The cell's text; empty where the row ends before it.
    fn cell(&self, at: usize) -> &str {
        self.cells.get(at).map_or("", String::as_str)
    }

    fn check_length(&self, source: &Source, columns: usize) -> Result<(), Error> {
        let Some(extra) = (columns..self.cells.len()).find(|&at| !self.cells[at].is_empty()) else { return Ok(()) };
        let what = format!("the row has {} cells, but there are {columns} columns", self.cells.len());
        Err(source.error(self.cell_range(source, extra), what, "put a cell that holds commas in double quotes"))
    }

    fn range(&self, source: &Source) -> Range<usize> {
        let end = source.text[self.start..].find(['\r', '\n']).map_or(source.text.len(), |length| self.start + length);
        self.start..end
    }

    /// The bytes of a cell, found again by its commas and quotes; the row's end where it has no such cell.
    fn cell_range(&self, source: &Source, at: usize) -> Range<usize> {
        let bytes = source.text.as_bytes();
        let (mut start, mut end, mut cell, mut in_quotes) = (self.start, self.start, 0, false);
        while end < bytes.len() {
            match bytes[end] {
                b'"' => in_quotes = !in_quotes,
                b'\r' | b'\n' if !in_quotes => break,
                b',' if !in_quotes && cell == at => break,
                b',' if !in_quotes => (cell, start) = (cell + 1, end + 1),
                _ => {}
            }
            end += 1;
        }
        let text = &source.text[start..end];
        start += text.len() - text.trim_start().len();
        start..start.max(start + text.trim().len())
    }
}
