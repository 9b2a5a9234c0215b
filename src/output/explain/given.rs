//! Where the plan of another tool can be replayed no further.

use super::packed::explain_packed;
use super::{Explained, explain};
use crate::session::{Recorded, Session};

/// [`explain`], with what the session knows beside its trace: why the plan of another tool can be replayed no further.
pub fn explain_in(session: &Session, step: usize) -> Explained {
    let trace = &session.trace;
    if let Some(seen) = &session.packed {
        return explain_packed(session, seen, step);
    }
    match &session.recorded {
        Some(Recorded { ended: Some(ended), from: Some(_), .. }) if trace.failing_step() == Some(step) => Explained {
            sentence: "The plan goes on here, but what it says cannot be carried out.".into(),
            why: vec![ended.clone()],
            next: vec!["what comes behind it is not shown; `check` lists every broken rule".into()],
            ..Explained::default()
        },
        _ => explain(trace, step),
    }
}
