//! Trace files ([`file`](mod@crate::trace::file)): a record with all that it takes to open it again.

use std::io::{self, Write};

use super::json::MachineJson;
use super::numbers::counted;
use crate::session::Session;
use crate::trace::file::{self, Head};

/// Writes the record of `session`.
///
/// # Errors
/// Where `out` fails.
pub fn write_trace(out: &mut dyn Write, session: &Session) -> io::Result<()> {
    let trace = &session.trace;
    let machine = serde_json::to_value(MachineJson::new(&trace.problem.machine))?;
    let mut head = Head::new(trace, &session.options, machine);
    head.seconds = session.seconds;
    if let Some(recorded) = &session.recorded {
        head.measured = recorded.measured;
        head.ended.clone_from(&recorded.ended);
        head.from.clone_from(&recorded.from);
    }
    // The options say nothing of a plan that was searched for.
    let found = session.searched.as_ref().filter(|searched| searched.found_better());
    if let Some(searched) = found.filter(|_| !trace.problem.is_clocked()) {
        head.from = Some(format!("a search of {}", counted(searched.evaluations, "evaluation")));
    }
    file::write(out, &head, trace)
}
