use super::*;
use crate::model::SHOWN_CANDIDATES;
use crate::output::testing::{Kind, session};
use crate::trace::Mark;

fn steps_of(trace: &Trace, mark: Mark) -> Vec<usize> {
    trace.marks(mark).iter().map(|&position| trace.step_at(position as usize + 1)).collect()
}

fn told(kind: Kind, step: usize) -> Explained {
    explain(&session(kind).trace, step)
}

#[test]
fn a_spill_says_who_needs_how_much_why_this_one_and_when_it_returns() {
    let told = told(Kind::Spilled, 3);
    assert_eq!(told.sentence, "b1 gives up its place in L1 (main memory still holds its data) to make room for b2.");
    assert_eq!(told.did[0], "b1 (256) left L1[0,256)");
    assert_eq!(told.did[1], "takes no cycles (MTE3, at 40)");
    assert_eq!(told.did[2], "extra data movement 256: way back only");
    assert_eq!(told.why[0], "b2 needs 256 units of L1, but L1 is full");
    assert!(told.why[1].contains("4 steps to its FREE × 256 units = 1 024"), "{:?}", told.why);
    assert_eq!(told.did[3], "back at step 7, just before 13 ADD");
    assert_eq!(told.next, ["step 4: 20 ALLOC b2"]);
    let row = &told.rank[0];
    assert!(row.chosen && row.text == "chosen" && row.next_use == Some(6), "{row:?}");
}

#[test]
fn each_of_many_victims_finds_the_decision_that_stands_with_the_first() {
    let (first, second) = (told(Kind::Many, 4), told(Kind::Many, 5));
    for told in [&first, &second] {
        assert_eq!(told.why[0], "b3 needs 256 units of L1, but L1 is full");
        assert_eq!(told.why[1], "spill did not help: no single buffer's leaving opens a hole of 256");
    }
    assert!(first.why[2].contains("b2 is number 1 of the 2 that leave"), "{:?}", first.why);
    assert!(second.why[2].contains("b1 is number 2 of the 2 that leave"), "{:?}", second.why);
    let texts = |told: &Explained| told.rank.iter().map(|row| row.text.clone()).collect::<Vec<_>>();
    assert_eq!(texts(&first), ["chosen", "leaves at step 5"]);
    assert_eq!(texts(&second), ["left at step 4", "chosen"]);
    assert_eq!(first.did[2], "extra data movement 256 = 2 × 128: out and back", "b2 is not backed");
    assert_eq!(first.next[0], "b3 is placed at step 6");
    assert!(first.sentence.contains("is copied from L1 out to main memory"));
}

#[test]
fn an_alloc_says_who_made_room_and_which_hole_it_took() {
    let told = told(Kind::Many, 6);
    assert_eq!(told.why[0], "b2 and b1 made room by spill-many (steps 4–5)");
    assert_eq!(told.why[1], "best fit: the only hole is L1[0,256), 256 units; it is filled exactly");
    assert_eq!(told.next[0], "first used by 6 MUL at step 7");
    let early = self::told(Kind::Many, 0);
    assert!(early.why[0].ends_with("128 stay free there"), "{:?}", early.why);
}

#[test]
fn a_reload_says_who_needs_it_and_the_cycles() {
    let told = told(Kind::Spilled, 7);
    assert_eq!(told.sentence, "b1 comes back from main memory, because 13 ADD needs it.");
    assert_eq!(told.did, ["b1 (256) is back at L1[0,256)", "MTE2 busy cycles 50–712 (662)"]);
    assert_eq!(told.why[1], "it was spilled out at step 3");
    assert_eq!(self::told(Kind::Packed, 14).sentence, "b3 comes back from main memory to be freed.");
}

#[test]
fn a_postponement_is_told_with_the_step_that_follows_it() {
    let told = told(Kind::Postponed, 1);
    assert!(told.sentence.starts_with("b2 has to wait for 4 FREE b1 to make room. Then: ADD runs"), "{told:?}");
    assert_eq!(told.did[0], "ALLOC of b2 put off to after 4 FREE b1 (once so far)");
    assert_eq!(told.why[0], "b2 needs 256 units of L1, but L1 is full");
    assert_eq!(told.why[1], "postpone: by 4 FREE b1 (step 2) 256 units will be free, before anything needs b2");
    assert_eq!(self::told(Kind::Postponed, 3).why[1], "its ALLOC was put off before, at step 1");
}

#[test]
fn the_last_resort_says_why_nobody_alone_would_do() {
    for (step, number) in [(7, 1), (8, 2), (9, 3)] {
        let told = told(Kind::Packed, step);
        assert!(told.sentence.ends_with("as everything does, so that 7 ADD finds all its buffers."), "{told:?}");
        assert!(told.why.iter().any(|why| why.contains(&format!("is number {number}"))), "{told:?}");
        let texts: Vec<&str> = told.rank.iter().map(|row| row.text.as_str()).collect();
        assert_eq!(texts, ["opens no hole of 128", "opens no hole of 128", "pinned by 7 ADD"]);
    }
    let back = told(Kind::Packed, 11);
    assert_eq!(back.why[2], "b2, b3 and b4 made room as the last resort (steps 7–9)", "over the SPILL_IN between");
}

#[test]
fn a_failure_says_what_was_tried() {
    let told = told(Kind::Failed, 1);
    assert_eq!(told.sentence, "Planning stops here: L0C has no room for b2.");
    assert_eq!(told.why[0], "b2 needs 128 units of L0C, but L0C is full");
    assert_eq!(told.why[1], "spill did not help: L0C may not spill (--spill-l0 allows it)");
    assert_eq!(told.why[3], "postpone did not help: room comes only behind 3 MATMUL, which needs b2");
    assert_eq!(self::told(Kind::Failed, 0).next[1], "step 1: the plan fails");
}

#[test]
fn past_the_end_and_without_steps_there_is_a_sentence() {
    assert_eq!(told(Kind::Spilled, 10).sentence, "The record ends with step 9.");
    assert_eq!(told(Kind::Empty, 0).sentence, "Nothing was planned, so there is no step to show.");
    assert_eq!(one_line(&session(Kind::Spilled).trace, usize::MAX - 1), "");
}

#[test]
fn the_log_has_a_line_an_event() {
    let session = session(Kind::Spilled);
    let lines: Vec<String> = (0..session.trace.event_count()).map(|at| one_line(&session.trace, at)).collect();
    let of_step_3: Vec<&str> = session.trace.run_range(3).map(|at| lines[at].as_str()).collect();
    assert_eq!(
        of_step_3,
        [
            "3 no hole b2 256 L1: largest 0, free 0",
            "3 candidate b1 chosen: 4 steps to its FREE × 256 units = 1 024",
            "3 chosen b1 for b2 by spill",
            "3 due back b1 before 13 ADD",
            "3 moved out b1 MTE3 40–40",
            "3 SPILL_OUT b1 256 L1[0,256)",
        ]
    );
    assert_eq!(lines[0], "0 ready 11 COPY_IN");
}

#[test]
fn a_story_runs_from_birth_to_free_and_jumps_between_the_halves_of_a_spill() {
    let session = session(Kind::Spilled);
    let lines: Vec<String> = story(&session.trace, BufIx(0))
        .into_iter()
        .map(|line| format!("{:?} {} {:?}", line.step.unwrap(), line.text, line.jump))
        .collect();
    assert_eq!(
        lines,
        [
            "0 born: 256 units at L1[0,256) None",
            "1 used by 11 COPY_IN None",
            "2 used by 12 ADD None",
            "3 spilled out for b2 by spill Some(7)",
            "7 reloaded to L1[0,256) for 13 ADD Some(3)",
            "8 used by 13 ADD None",
            "9 freed None",
        ]
    );
    let failed = self::session(Kind::Failed);
    let last = story(&failed.trace, BufIx(1)).pop().unwrap();
    assert_eq!((last.step, last.text.as_str()), (None, "the plan ends before it is born"));
}

/// What must hold of the words for any record.
fn hold(trace: &Trace) {
    for step in 0..=trace.step_count() {
        let told = explain(trace, step);
        assert!(!told.sentence.is_empty() && told.rank.len() <= SHOWN_CANDIDATES, "step {step}: {told:?}");
        assert!(told.rank.iter().filter(|row| row.chosen).count() <= 1, "step {step}: {told:?}");
        assert!(step == trace.step_count() || !told.why.is_empty(), "step {step}: {told:?}");
    }
    for mark in [Mark::Spill, Mark::Postpone, Mark::Failure] {
        for step in steps_of(trace, mark) {
            let why = explain(trace, step).why;
            assert!(why.iter().any(|line| line.contains(" needs ")), "{mark:?} at step {step}: {why:?}");
        }
    }
    (0..trace.event_count()).for_each(|at| assert!(!one_line(trace, at).is_empty()));
    for buf in (0..trace.problem.graph.buffers().len()).map(BufIx::new) {
        let lines = story(trace, buf);
        assert!(lines.is_sorted_by_key(|line| line.step.unwrap_or(usize::MAX)), "{lines:?}");
        for line in lines.iter().filter(|line| line.jump.is_some()) {
            let back = lines.iter().find(|other| other.step == line.jump && other.jump == line.step);
            assert!(back.is_some(), "the other half jumps back: {line:?}");
        }
    }
}

#[test]
fn every_kind_of_session_is_told_in_full() {
    Kind::ALL.iter().for_each(|&kind| hold(&session(kind).trace));
}

mod generated;
mod scheduled;
