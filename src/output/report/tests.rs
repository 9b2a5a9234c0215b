use super::*;
use crate::output::testing::{Kind, session};

#[test]
fn a_report_is_short_aligned_and_ends_with_the_command() {
    for kind in Kind::ALL {
        let text = report(&session(kind), "spillscope plan g.json --capacity L1=256");
        assert!(text.lines().count() <= 31, "{text}");
        assert!(text.lines().all(|line| line.len() <= 130 && line.trim_end() == line), "{text}");
        assert_eq!(text.lines().last(), Some("spillscope plan g.json --capacity L1=256"));
    }
}

#[test]
fn a_plan_shows_its_figures_and_bounds() {
    let text = report(&session(Kind::Spilled), "again");
    for part in [
        "g: valid plan, 10 steps, 1 spill",
        "8 nodes, 6 edges, 2 buffers",
        "classic: when full, spill, then spill-many, then postpone (at most 5 times a buffer)",
        "extra traffic 256   units; bound 256 for this order: proven optimal",
        "makespan      722   cycles; bound 60 for any order (work of VECTOR): 12.0 times it",
        "L1           256    256   100%        512        256",
        "2 found a hole, 1 spilled one",
        "rules R1–R6 hold, figures recomputed and equal",
        "planned in    12.3 ms",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
}

#[test]
fn a_failure_shows_its_diagnosis() {
    let text = report(&session(Kind::Failed), "again");
    for part in [
        "g: No plan: L0C has no room for b2 at 2 ALLOC b2, step 1.",
        "  held by       b1 512 L0C[0,512) since step 0; next in 4 ADD; may not spill",
        "  what works    --spill-l0  works",
        "                --capacity L0C=640  works; 639 fails",
        "  so far        1 step, 0 spills",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    assert!(!text.contains("rules R1"), "nothing was checked: {text}");
}

#[test]
fn figures_that_the_checker_does_not_confirm_are_not_called_equal() {
    let mut session = session(Kind::Spilled);
    session.figures.makespan += 1;
    assert!(report(&session, "").contains("NOT equal"));
}

#[test]
fn a_bound_for_an_order_does_not_bind_a_plan_that_moved_allocs() {
    let text = report(&session(Kind::Postponed), "");
    assert!(text.contains("extra traffic   0   units; bound 1 024 for this order: does not bind here"), "{text}");
}

#[test]
fn a_broken_plan_is_not_called_valid_and_its_rules_are_listed() {
    let mut session = session(Kind::Spilled);
    let mut raw = session.trace.plan.to_raw(&session.trace.problem.graph);
    raw.memory[0].1 = 4096;
    session.check = crate::check::check(&session.trace.problem, &raw);
    let text = report(&session, "");
    assert!(text.starts_with("g: BROKEN plan") && text.contains("  BROKEN        R5 step 0: "), "{text}");
}
