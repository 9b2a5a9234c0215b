//! A plan as the three text files that public checkers read, and `X_plan.json` beside them.
//!
//! | file | lines |
//! |---|---|
//! | `X_schedule.txt` | one node id a line |
//! | `X_memory.txt` | `BufId:Offset`, first placements by ascending buffer |
//! | `X_spill.txt` | `BufId:NewOffset`, in the order of the SPILL_OUTs |

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::model::{Graph, Plan, step_id};
use crate::output::line::Line;
use crate::output::plan_json::write_plan_json;
use crate::output::save::{NewFile, Staged, stage_all};
use crate::session::Session;

/// Writes the plan of `session` into the folder `dir` as `<stem>_schedule.txt` and so on; returns where the files
/// are. `repeat` is the command that gives the same plan again.
///
/// # Errors
/// Where there is no finished plan, or a file cannot be written; then no file is left behind or changed.
pub fn save_plan(dir: &Path, stem: &str, session: &Session, repeat: &str) -> Result<Vec<PathBuf>, Error> {
    stage_plan(dir, stem, session, repeat)?.publish()
}

/// The names of a plan's files.
pub fn names(stem: &str) -> [String; 4] {
    ["schedule.txt", "memory.txt", "spill.txt", "plan.json"].map(|ending| format!("{stem}_{ending}"))
}

/// The first half of [`save_plan`]: the files are written beside their places.
///
/// # Errors
/// As for [`save_plan`].
pub fn stage_plan(dir: &Path, stem: &str, session: &Session, repeat: &str) -> Result<Staged, Error> {
    if session.diagnosis.is_some() || session.trace.failing_step().is_some() {
        return Err(Error::no_plan("there is no finished plan to write", "see the diagnosis for what would help"));
    }
    let (graph, plan) = (&*session.trace.problem.graph, &session.trace.plan);
    let [schedule, memory, spill, whole] = names(stem);
    let files = vec![
        NewFile::new(schedule, |out| write_schedule(out, graph, plan)),
        NewFile::new(memory, |out| write_memory(out, graph, plan)),
        NewFile::new(spill, |out| write_spills(out, graph, plan)),
        NewFile::new(whole, |out| write_plan_json(out, session, repeat)),
    ];
    stage_all(dir, files)
}

/// The schedule file.
///
/// # Errors
/// Where `out` fails.
pub fn write_schedule(out: &mut dyn Write, graph: &Graph, plan: &Plan) -> io::Result<()> {
    let mut line = Line::default();
    plan.steps.iter().try_for_each(|&step| line.number(step_id(graph, step)).text("\n").flush(out))
}

/// The memory file.
///
/// # Errors
/// Where `out` fails.
pub fn write_memory(out: &mut dyn Write, graph: &Graph, plan: &Plan) -> io::Result<()> {
    let placed = graph.buffers().iter().zip(&plan.memory);
    write_pairs(out, placed.filter_map(|(buffer, offset)| Some((buffer.id, (*offset)?))))
}

/// The spill file. In an unfinished plan it ends before the first spill that is still out, since later lines would
/// get the wrong number.
///
/// # Errors
/// Where `out` fails.
pub fn write_spills(out: &mut dyn Write, graph: &Graph, plan: &Plan) -> io::Result<()> {
    let ended = plan.spills.iter().map_while(|spill| Some((graph.buffer(spill.buf).id, spill.offset?)));
    write_pairs(out, ended)
}

fn write_pairs(out: &mut dyn Write, mut pairs: impl Iterator<Item = (u64, u64)>) -> io::Result<()> {
    let mut line = Line::default();
    pairs.try_for_each(|(id, offset)| line.number(id).text(":").number(offset).text("\n").flush(out))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::testing::{Kind, session};

    #[test]
    fn the_bytes_are_those_that_public_checkers_read() {
        let session = session(Kind::Spilled);
        let folder = tempfile::tempdir().unwrap();
        let saved = save_plan(folder.path(), "g", &session, "spillscope plan g.json").unwrap();
        let text = |at: usize| std::fs::read_to_string(&saved[at]).unwrap();
        let names: Vec<_> = saved.iter().map(|path| path.file_name().unwrap().to_str().unwrap()).collect();
        assert_eq!(names, ["g_schedule.txt", "g_memory.txt", "g_spill.txt", "g_plan.json"]);
        assert_eq!(text(0), "10\n11\n12\n23\n20\n21\n22\n24\n13\n14\n");
        assert_eq!(text(1), "1:0\n2:0\n");
        assert_eq!(text(2), "1:0\n");
    }

    #[test]
    fn a_failed_plan_is_not_written() {
        let folder = tempfile::tempdir().unwrap();
        let error = save_plan(folder.path(), "g", &session(Kind::Failed), "").unwrap_err();
        assert_eq!(error.exit_status(), 1);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
