//! The steps of a plan as CSV, a line each, for spreadsheets and scripts. The first line names the columns:
//!
//! | column | what it is |
//! |---|---|
//! | `step` | from 0 |
//! | `cycle_start`, `cycle_end` | half-open; of an ALLOC or FREE twice its moment |
//! | `kind` | `alloc`, `free`, `op`, `spill_out`, `spill_in`; `failure` where the plan ends without success |
//! | `id` | as in the schedule file |
//! | `op`, `name` | of a node, as in the graph file |
//! | `unit`, `lane` | where it ran; lanes of a unit count from 0 |
//! | `buffer`, `level`, `offset`, `size` | what came to or left its address there |
//! | `buffers` | those that an operation names, by id with blanks between |
//! | `used.L1`, … | units in use in each level after the step |
//! | `why` | the sentence that the visualizer shows |
//!
//! What a step does not have is empty. Texts are as `csv_text` says: a quote stands before what a spreadsheet would take for a formula.

use std::io::{self, Write};

use super::csv_text::text_field;
use super::effect::Effect;
use super::explain::explain;
use crate::model::{Graph, LevelIx, NodeKind, Step, step_id};
use crate::session::Session;
use crate::trace::Trace;

/// Columns before those of the levels.
const COLUMNS: [&str; 14] = [
    "step",
    "cycle_start",
    "cycle_end",
    "kind",
    "id",
    "op",
    "name",
    "unit",
    "lane",
    "buffer",
    "level",
    "offset",
    "size",
    "buffers",
];

/// Writes the steps of the plan of `session`.
///
/// # Errors
/// Where `out` fails.
pub fn write_steps_csv(out: &mut dyn Write, session: &Session) -> io::Result<()> {
    let trace = &session.trace;
    let mut writer = csv::Writer::from_writer(out);
    for column in COLUMNS {
        writer.write_field(column)?;
    }
    for level in &trace.problem.machine.levels {
        writer.write_field(format!("used.{level}", level = level.name))?;
    }
    writer.write_field("why")?;
    writer.write_record(None::<&[u8]>)?;
    let mut cursor = trace.cursor();
    for step in 0..trace.step_count() {
        row(trace, step).iter().try_for_each(|field| writer.write_field(field))?;
        trace.seek_step(&mut cursor, step);
        for level in 0..trace.problem.level_count() {
            writer.write_field(cursor.state().level(LevelIx::new(level)).used.to_string())?;
        }
        writer.write_field(&*text_field(&explain(trace, step).sentence))?;
        writer.write_record(None::<&[u8]>)?;
    }
    writer.flush()
}

/// The fields of a step, in the order of [`COLUMNS`].
fn row(trace: &Trace, n: usize) -> [String; COLUMNS.len()] {
    let problem = &trace.problem;
    let graph = &*problem.graph;
    let effect = Effect::of(trace.run(n));
    let (kind, op, name) = trace.step(n).map_or(("failure", String::new(), String::new()), |step| told(graph, step));
    let time = trace.step(n).map(|_| effect.time);
    let (unit, lane) = effect.unit.map_or((String::new(), String::new()), |(unit, lane)| {
        (text_field(problem.units[unit.at()].name.raw()).into_owned(), lane.to_string())
    });
    let moved = |of: &dyn Fn(crate::model::BufIx, LevelIx, u64) -> String| {
        effect.moved.map_or_else(String::new, |(buf, level, offset)| of(buf, level, offset))
    };
    [
        n.to_string(),
        number(time.map(|(start, _)| start)),
        number(time.map(|(_, end)| end)),
        kind.to_owned(),
        number(trace.step(n).map(|step| step_id(graph, step))),
        op,
        name,
        unit,
        lane,
        moved(&|buf, _, _| graph.buffer(buf).id.to_string()),
        moved(&|_, level, _| text_field(problem.level(level).name.raw()).into_owned()),
        moved(&|_, _, offset| offset.to_string()),
        moved(&|buf, _, _| graph.buffer(buf).size.to_string()),
        operands(trace, n),
    ]
}

/// Kind, operation and name of a step.
fn told(graph: &Graph, step: Step) -> (&'static str, String, String) {
    match step {
        Step::Out(_) => ("spill_out", "SPILL_OUT".into(), String::new()),
        Step::Back(_) => ("spill_in", "SPILL_IN".into(), String::new()),
        Step::Node(node) => {
            let kind = match graph.node(node).kind {
                NodeKind::Alloc(_) => "alloc",
                NodeKind::Free(_) => "free",
                NodeKind::Op(_) => "op",
            };
            let name =
                graph.node(node).name.as_ref().map_or_else(String::new, |name| text_field(name.raw()).into_owned());
            (kind, text_field(graph.op_name(node)).into_owned(), name)
        }
    }
}

fn operands(trace: &Trace, n: usize) -> String {
    let graph = &*trace.problem.graph;
    let Some(Step::Node(node)) = trace.step(n) else { return String::new() };
    let NodeKind::Op(op) = graph.node(node).kind else { return String::new() };
    let ids: Vec<String> = graph.operands(&op).iter().map(|&buf| graph.buffer(buf).id.to_string()).collect();
    ids.join(" ")
}

fn number(number: Option<u64>) -> String {
    number.map_or_else(String::new, |number| number.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::testing::{Kind, session};

    fn lines(kind: Kind) -> Vec<String> {
        let mut text = Vec::new();
        write_steps_csv(&mut text, &session(kind)).unwrap();
        String::from_utf8(text).unwrap().lines().map(str::to_owned).collect()
    }

    #[test]
    fn each_step_is_a_line_with_what_it_did_and_why() {
        let lines = lines(Kind::Spilled);
        assert!(lines[0].starts_with("step,cycle_start,cycle_end,kind,id,op,name,unit,lane,buffer,"), "{}", lines[0]);
        assert!(lines[0].ends_with(",used.L1,used.UB,used.L0A,used.L0B,used.L0C,why"), "{}", lines[0]);
        assert!(lines[1].starts_with("0,0,0,alloc,10,ALLOC,,,,1,L1,0,256,,256,0,0,0,0,"), "{}", lines[1]);
        assert!(lines[2].starts_with("1,0,30,op,11,COPY_IN,,VECTOR,0,,,,,1,256,"), "{}", lines[2]);
        assert!(lines[4].starts_with("3,") && lines[4].contains(",spill_out,23,SPILL_OUT,,MTE3,0,1,L1,0,256,,0,"));
        assert!(lines[4].contains("b1 gives up its place"), "{}", lines[4]);
        assert_eq!(lines.len(), 1 + 10);
    }

    #[test]
    fn a_failing_step_is_a_line_too() {
        let lines = lines(Kind::Failed);
        assert!(lines.last().is_some_and(|line| line.contains(",failure,,,,")), "{lines:?}");
    }
}
