//! The buffers of a plan as CSV, a line each by ascending id. The first line names the columns:
//!
//! | column | what it is |
//! |---|---|
//! | `buffer`, `name`, `level`, `size` | as in the graph file |
//! | `backed` | `true` where main memory has a copy, so that going out moves nothing |
//! | `users` | operations that name it |
//! | `born_step`, `died_step` | of its ALLOC and its FREE; empty where it is not planned or lives to the end |
//! | `born_cycle`, `died_cycle` | when its address became its own and when it fell free, for good |
//! | `first_offset`, `last_offset` | where it was placed first and where it came to last |
//! | `spills`, `reloads` | SPILL_OUTs and SPILL_INs |
//! | `moved` | units of size that its spills move |
//! | `postponed` | how often its ALLOC was put off |
//!
//! Texts are as `csv_text` says: a quote stands before what a spreadsheet would take for a formula.

use std::io::{self, Write};

use super::csv_text::text_field;
use crate::model::{BufIx, Event, Leaving, Placing, Problem};
use crate::session::Session;
use crate::trace::Trace;

/// The columns in order.
const COLUMNS: [&str; 16] = [
    "buffer",
    "name",
    "level",
    "size",
    "backed",
    "users",
    "born_step",
    "died_step",
    "born_cycle",
    "died_cycle",
    "first_offset",
    "last_offset",
    "spills",
    "reloads",
    "moved",
    "postponed",
];

/// What happened to a buffer.
#[derive(Clone, Copy, Default)]
struct Life {
    /// Step, cycle and offset of the ALLOC.
    born: Option<(usize, u64, u64)>,
    /// Step and cycle of the FREE.
    died: Option<(usize, u64)>,
    last_offset: Option<u64>,
    spills: u64,
    reloads: u64,
    postponed: u64,
}

/// Writes the buffers of the plan of `session`.
///
/// # Errors
/// Where `out` fails.
pub fn write_buffers_csv(out: &mut dyn Write, session: &Session) -> io::Result<()> {
    let problem = &session.trace.problem;
    let mut writer = csv::Writer::from_writer(out);
    writer.write_record(COLUMNS)?;
    for (at, life) in lives(&session.trace).iter().enumerate() {
        writer.write_record(row(problem, BufIx::new(at), life))?;
    }
    writer.flush()
}

/// What happened to each buffer, by one pass over the record.
fn lives(trace: &Trace) -> Vec<Life> {
    let mut lives = vec![Life::default(); trace.problem.graph.buffers().len()];
    for step in 0..trace.step_count() {
        for event in trace.run(step) {
            match *event {
                Event::Placed { buf, how, offset, at, .. } => {
                    let life = &mut lives[buf.at()];
                    life.last_offset = Some(offset);
                    match how {
                        Placing::Alloc => life.born = Some((step, at, offset)),
                        Placing::Back => life.reloads += 1,
                    }
                }
                Event::Left { buf, how: Leaving::Free, at, .. } => lives[buf.at()].died = Some((step, at)),
                Event::Left { buf, how: Leaving::Out, .. } => lives[buf.at()].spills += 1,
                Event::Postponed { buf, .. } => lives[buf.at()].postponed += 1,
                _ => {}
            }
        }
    }
    lives
}

fn row(problem: &Problem, buf: BufIx, life: &Life) -> [String; COLUMNS.len()] {
    let graph = &*problem.graph;
    let buffer = graph.buffer(buf);
    let number = |number: Option<u64>| number.map_or_else(String::new, |number| number.to_string());
    let name = graph.buffer_name(buf).map_or_else(String::new, |name| text_field(name.raw()).into_owned());
    [
        buffer.id.to_string(),
        name,
        text_field(problem.level(problem.level_of(buf)).name.raw()).into_owned(),
        buffer.size.to_string(),
        buffer.backed.to_string(),
        graph.users(buf).len().to_string(),
        number(life.born.map(|(step, ..)| step as u64)),
        number(life.died.map(|(step, _)| step as u64)),
        number(life.born.map(|(_, at, _)| at)),
        number(life.died.map(|(_, at)| at)),
        number(life.born.map(|(.., offset)| offset)),
        number(life.last_offset),
        life.spills.to_string(),
        life.reloads.to_string(),
        life.spills.saturating_mul(problem.spill_cost(buf)).to_string(),
        life.postponed.to_string(),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::testing::{Kind, session};

    fn lines(kind: Kind) -> Vec<String> {
        let mut text = Vec::new();
        write_buffers_csv(&mut text, &session(kind)).unwrap();
        String::from_utf8(text).unwrap().lines().skip(1).map(str::to_owned).collect()
    }

    #[test]
    fn a_spilled_buffer_tells_what_it_cost() {
        let lines = lines(Kind::Spilled);
        assert!(lines[0].starts_with("1,,L1,256,true,3,0,9,0,"), "{}", lines[0]);
        assert!(lines[0].ends_with(",0,0,1,1,256,0"), "{}", lines[0]);
        assert!(lines[1].ends_with(",0,0,0,0,0,0"), "{}", lines[1]);
    }

    #[test]
    fn what_was_put_off_is_counted_and_what_was_not_reached_is_empty() {
        assert!(lines(Kind::Postponed)[1].ends_with(",0,0,0,1"));
        assert!(lines(Kind::Failed)[1].starts_with("2,,L0C,128,false,1,,,,,,,0,0,0,0"), "{:?}", lines(Kind::Failed));
        assert!(lines(Kind::Empty).is_empty());
    }
}
