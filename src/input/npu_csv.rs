//! NPU graphs as two CSV files: `X_Nodes.csv` and, beside it, `X_Edges.csv`.

use super::csv_table::{Row, Table, whole};
use super::npu_node::{Column, Field, NodeFault, NodeFields, Spot};
use super::source::{Source, quoted};
use crate::error::Error;
use crate::model::{Entry, Fault, Graph, GraphBuilder, Name};

/// How the name of the file with the nodes ends.
pub(super) const NODES_ENDING: &str = "_Nodes.csv";
const EDGES_ENDING: &str = "_Edges.csv";
const EDGE_COLUMNS: [&str; 2] = ["StartNodeId", "EndNodeId"];

/// The advice where a column is missing.
const COLUMNS: &str = "the first row names the columns, between commas: \
                       Id,Op,BufId,Size,Type,Pipe,Cycles,Bufs for nodes, StartNodeId,EndNodeId for edges";

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
    header.check(source, &["Id", "Op"], COLUMNS)?;
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
    let op = columns.iter().position(|column| *column == Some(Column::Op)).map_or("", |at| row.cell(at));
    let is_cache = op == "ALLOC" || op == "FREE";
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
            Some(Column::Bufs) => (fields.bufs, fields.bad_buf) = read_bufs(graph, cell, is_cache),
            None => {}
        }
    }
    fields
}

/// The buffers of one cell: `1,2`, `1;2`, `1|2`, `1 2`, in brackets or not. An empty cell means no buffers for
/// an operation and nothing at all for an ALLOC or FREE.
fn read_bufs(graph: &mut GraphBuilder, cell: &str, is_cache: bool) -> (Field<(u32, u32)>, Option<usize>) {
    let start = graph.operands.len() as u32;
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
    let ends = header.check(source, &EDGE_COLUMNS, COLUMNS)?;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{BufIx, NodeIx, NodeKind};

    const NODES: &str = "Id,Op,BufId,Size,Type,Pipe,Cycles,Bufs\n\
                         0,ALLOC,5,16,L1,,,\n1,ALLOC,6,16,L1,,,\n2,ADD,,,,VEC,4,\"5,6\"\n3,FREE,5,,,,,\n";
    const EDGES: &str = "StartNodeId,EndNodeId\n0,2\n1,2\n2,3\n";

    fn parse_texts(nodes: &str, edges: &str) -> Result<Graph, Error> {
        parse(&Source::from_text("k_Nodes.csv", nodes), &Source::from_text("k_Edges.csv", edges))
    }

    /// The texts must be refused with these words at that place.
    #[track_caller]
    fn assert_fault(nodes: &str, edges: &str, words: &str, place: &str) {
        let error = parse_texts(nodes, edges).unwrap_err();
        assert!(error.what.contains(words), "{}", error.what);
        assert!(error.to_string().starts_with(place), "expected {place} in {error}");
    }

    #[track_caller]
    fn assert_row_fault(row: &str, words: &str, column: usize) {
        assert_fault(&format!("{NODES}\r\n\n{row}"), EDGES, words, &format!("k_Nodes.csv:8:{column}: "));
    }

    #[test]
    fn a_pair_of_files_is_a_graph() {
        let graph = parse_texts(NODES, EDGES).unwrap();
        assert_eq!((graph.name.raw(), graph.node_count(), graph.edge_count()), ("k", 4, 3));
        assert_eq!((graph.ignored_fields, graph.explicit_edges), (0, true));
        assert_eq!(graph.buffers()[0].free, Some(NodeIx(3)));
    }

    #[test]
    fn columns_may_stand_in_any_order_and_cells_in_many_shapes() {
        for bufs in ["5;6", "\"5, 6\"", "5|6", "5 6", "[5;6]", "\"[5, 6]\"", "\"[ 5.0 6.00 ]\"", "5;6;"] {
            let nodes = format!(
                "\u{feff} Type , Bufs,Note,Cycles,Pipe,Size,BufId,\"Op\",Id,Name\r\n\
                 L1,,x,,,16.0,5,ALLOC,0.0,a\r\n\"L1\",,\"two\nlines\",,,16,6,ALLOC,1\r\n\r\n,{bufs},,4,VEC,,,ADD,2\r\n"
            );
            let graph = parse_texts(&nodes, "EndNodeId,W,StartNodeId\r\n2,9,0\r\n").unwrap();
            let NodeKind::Op(op) = graph.node(NodeIx(2)).kind else { panic!("node 2 is an operation") };
            assert_eq!(graph.operands(&op), [BufIx(0), BufIx(1)], "{bufs}");
            assert_eq!((graph.ignored_fields, graph.edge_count()), (2, 1));
            assert_eq!(graph.buffer_name(BufIx(0)).unwrap().raw(), "a");
        }
    }

    #[test]
    fn only_first_rows_make_an_empty_graph() {
        let graph = parse_texts("Id,Op", "StartNodeId,EndNodeId\n").unwrap();
        assert_eq!(graph.node_count(), 0);
    }

    #[test]
    fn first_rows_name_the_columns() {
        assert_fault("", EDGES, "the file is empty", "k_Nodes.csv: ");
        assert_fault(NODES, "\n", "the file is empty", "k_Edges.csv: ");
        assert_fault("Id;Op;BufId\n", EDGES, "there is no column `Id`", "k_Nodes.csv:1:1: ");
        assert_fault("id,Op\n", EDGES, "there is no column `Id`", "k_Nodes.csv:1:1: ");
        assert_fault("Id,Op, Op\n", EDGES, "the column `Op` stands twice", "k_Nodes.csv:1:8: ");
        assert_fault(NODES, "StartNodeId,End\n", "there is no column `EndNodeId`", "k_Edges.csv:1:1: ");
    }

    #[test]
    fn broken_cells_are_pointed_at() {
        assert_row_fault("4,ALLOC,x,1,L1,,,", "node 4: `BufId` must be a whole number from 0 to 2^63-1, found x", 9);
        for bad in ["-3", "1.5", "1e3", "9223372036854775808", "0", "+7", "."] {
            let words = format!("node 4: `Size` must be a whole number from 1 to 2^63-1, found {bad}");
            assert_row_fault(&format!("4,ALLOC,7, {bad} ,L1,,,"), &words, 12);
        }
        assert_row_fault("4,\"ALLOC\",7,,L1,,,", "node 4: `Size` is missing", 1);
        assert_row_fault(",ALLOC,7,1,L1,,,", "entry 4 of the nodes, counted from 0: `Id` is missing", 1);
        assert_row_fault("4,X,,,,,1,5", "node 4: `Pipe` is missing", 1);
        assert_row_fault("4,X,,,,P,,5", "node 4: `Cycles` is missing", 1);
        assert_row_fault("4,X,,,,P,1,\"5,b\"", "node 4: `Bufs` must hold buffer ids", 12);
        assert_row_fault("4,X,,,,P,1,5,6", "the row has 9 cells, but there are 8 columns", 14);
        assert_row_fault("4,X,,,,P,1,7", "node 4 names buffer 7, which no node allocates", 1);
        assert_row_fault("3,X,,,,P,1,5", "node id 3 stands twice", 1);
    }

    #[test]
    fn broken_edges_are_pointed_at() {
        let with = |row: &str| format!("{EDGES}\n{row}\n");
        assert_fault(NODES, &with("0,x"), "`EndNodeId` must be a whole number", "k_Edges.csv:6:3: ");
        assert_fault(NODES, &with("-1,2"), "`StartNodeId` must be a whole number", "k_Edges.csv:6:1: ");
        assert_fault(NODES, &with("0"), "found nothing", "k_Edges.csv:6:2: ");
        assert_fault(NODES, &with("0,9"), "edge [0,9] names node 9", "k_Edges.csv:6:1: ");
        assert_fault(NODES, &with("2,2"), "leads from a node to itself", "k_Edges.csv:6:1: ");
    }

    proptest::proptest! {
        #[test]
        fn broken_rows_end_in_a_graph_or_a_message(
            at in 0..NODES.len(),
            put_in in "[\",;\r\n\\[ 0-9a-zé.-]{0,3}",
            in_edges in proptest::bool::ANY,
        ) {
            let broken = |text: &str| {
                let at = at.min(text.len());
                format!("{}{put_in}{}", &text[..at], text.get(at + 1..).unwrap_or_default())
            };
            let (nodes, edges) = if in_edges { (NODES.into(), broken(EDGES)) } else { (broken(NODES), EDGES.into()) };
            if let Err(error) = parse_texts(&nodes, &edges) {
                proptest::prop_assert!(!error.what.is_empty() && error.place.is_some());
            }
        }
    }
}
