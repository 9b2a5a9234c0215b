//! A victim that somebody picks: the plan that comes of it is one like any other, and nothing before the decision differs.

mod support;

use spillscope::model::{BufIx, Event, PickedVictim, SpillIx, Verdict};
use spillscope::session::{Extras, Session};
use spillscope::trace::{Mark, Trace};

const EXTRAS: Extras = Extras { fractional_bound: false, remedies: false };

/// The candidates of the decision that makes spill `number`, with what became of each.
fn candidates(trace: &Trace, number: usize) -> Vec<(BufIx, Verdict)> {
    let step = trace.step_at(trace.marks(Mark::Spill)[number] as usize + 1);
    let shown = trace.run(step).iter().filter_map(|event| match *event {
        Event::Candidate { buf, verdict, .. } => Some((buf, verdict)),
        _ => None,
    });
    shown.collect()
}

/// Plans `base` again with `victim` picked for spill `number`.
fn planned_again(base: &Session, number: usize, victim: BufIx) -> Session {
    let mut options = base.options.clone();
    options.picked = Some(PickedVictim { spill: SpillIx::new(number), victim });
    Session::plan(base.trace.problem.clone(), options, EXTRAS).expect("it has an order")
}

#[test]
fn who_is_picked_leaves_and_the_checker_finds_no_fault() {
    let mut picked = 0;
    for sample in ["first-spill", "backed-reload", "thrash", "spill-many", "fragmented", "flash-attention"] {
        let base = support::sample(sample);
        for number in 0..base.trace.plan.spills.len() {
            for (victim, verdict) in candidates(&base.trace, number) {
                let again = planned_again(&base, number, victim);
                assert_eq!(again.broken(), None, "{sample}: spill {number} of {victim:?}");
                assert!(again.diagnosis.is_none(), "{sample}: spill {number} of {victim:?}");
                assert_eq!(again.trace.plan.spills[..number].len(), number);
                let before = |session: &Session| {
                    let spills = session.trace.plan.spills[..number].iter();
                    spills.map(|spill| spill.buf).collect::<Vec<_>>()
                };
                assert_eq!(before(&again), before(&base), "{sample}: what comes before spill {number} stays");
                let left = again.trace.plan.spills[number].buf;
                match verdict {
                    Verdict::Pinned => {
                        assert_eq!(left, base.trace.plan.spills[number].buf, "{sample}: it may not leave");
                    }
                    Verdict::NotNeeded => {
                        picked += usize::from(left == victim);
                    }
                    Verdict::Chosen | Verdict::NoHole | Verdict::NotEnough | Verdict::DearerRun | Verdict::Stays => {}
                }
            }
        }
    }
    assert!(picked > 20, "only {picked} of those that are picked leave");
}

#[test]
fn a_pick_for_a_spill_that_is_never_made_changes_nothing() {
    let base = support::sample("thrash");
    let again = planned_again(&base, 1000, BufIx(0));
    assert_eq!(again.trace.plan, base.trace.plan);
    assert_eq!(again.trace.events(), base.trace.events());
}

#[test]
fn another_victim_has_another_price() {
    let base = support::sample("flash-attention");
    let prices: Vec<u64> = candidates(&base.trace, 0)
        .into_iter()
        .filter(|(_, verdict)| *verdict != Verdict::Pinned)
        .map(|(victim, _)| planned_again(&base, 0, victim).figures.extra_traffic)
        .collect();
    assert!(prices.iter().any(|price| *price != base.figures.extra_traffic), "{prices:?}");
}
