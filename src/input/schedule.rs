//! A schedule in a file of its own: one node id a line, as in `X_schedule.txt`. Blank lines are skipped.

use super::source::{Source, quoted};
use crate::error::Error;
use crate::model::{Entry, Graph};

/// Gives `graph` the schedule in `source`.
///
/// # Errors
/// Where a line is no id, or the schedule is not one of this graph: with the line, where one is to blame.
/// The graph then keeps the schedule that it had.
pub fn apply_schedule(graph: &mut Graph, source: &Source) -> Result<(), Error> {
    graph.set_schedule(&read_ids(source)?).map_err(|fault| {
        let Entry::Schedule(at) = fault.at else { return source.whole_error(fault.what, fault.advice) };
        let (start, line) = source.filled_lines().nth(at).unwrap_or((0, ""));
        source.error(start..start + line.len(), fault.what, fault.advice)
    })
}

/// The ids in a file, one a line.
pub(super) fn read_ids(source: &Source) -> Result<Vec<u64>, Error> {
    let lines = source.filled_lines();
    lines
        .map(|(start, line)| {
            line.parse().map_err(|_| {
                let what = format!("expected a node id, found {}", quoted(line));
                source.error(start..start + line.len(), what, "write one whole number from 0 a line")
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::GraphBuilder;

    fn one_buffer() -> Graph {
        let mut graph = GraphBuilder::default();
        let level = graph.intern("L1").unwrap();
        graph.alloc(7, 0, 4, level);
        graph.free(9, 0);
        graph.build().unwrap()
    }

    #[test]
    fn blank_lines_line_ends_and_a_byte_order_mark_do_not_matter() {
        let mut graph = one_buffer();
        apply_schedule(&mut graph, &Source::from_text("s.txt", "\u{feff}\r\n 7 \r\n\n9")).unwrap();
        let order: Vec<u64> = graph.schedule().unwrap().iter().map(|&node| graph.node(node).id).collect();
        assert_eq!(order, [7, 9]);
    }

    #[test]
    fn faults_are_at_their_line() {
        let fault = |text: &str| {
            let error = apply_schedule(&mut one_buffer(), &Source::from_text("s.txt", text)).unwrap_err();
            (error.what, error.place.unwrap().at)
        };
        for (text, words, place) in [
            ("7\n\n x\n", "expected a node id, found x", Some((3, 2))),
            ("7\n-9\n", "expected a node id, found -9", Some((2, 1))),
            ("\n7\n8\n", "node 8, which the graph does not have", Some((3, 1))),
            ("7\n9\n7\n", "node 7 twice", Some((3, 1))),
            ("9\n7\n", "node 9 stands", Some((1, 1))),
            ("7\n", "misses 1 of 2 nodes: 9", None),
            ("", "misses 2 of 2 nodes", None),
        ] {
            let (what, at) = fault(text);
            assert!(what.contains(words), "{text:?}: {what}");
            assert_eq!(at, place, "{text:?}: {what}");
        }
    }
}
