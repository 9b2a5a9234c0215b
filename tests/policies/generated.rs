//! Generated graphs under all policies: plans that hold, the same each time, or a diagnosis that is true.

use spillscope::engine;
use spillscope::model::{Fit, Options, Remedy, VictimRule};

use super::common::{Dice, assert_checked, case, planned, with_capacity, works};

/// The options of a case with other parts of the policy.
fn with_parts(options: &Options, seed: u64) -> Options {
    let mut dice = Dice::new(seed ^ 0x5eed);
    Options {
        victims: dice.pick(&VictimRule::ALL),
        fit: dice.pick(&Fit::ALL),
        hoist: dice.one_in(2),
        prefetch: dice.pick(&[0, 0, 1, 3, 50]),
        ..options.clone()
    }
}

#[test]
fn plans_hold_and_recording_changes_none() {
    let mut plans = 0;
    for seed in 20_000..21_500 {
        let (problem, options) = case(seed, true);
        let options = with_parts(&options, seed);
        let about = format!("seed {seed}, {options:?}");
        let session = planned(&problem, &options);
        if session.diagnosis.is_some() {
            continue;
        }
        plans += 1;
        assert_checked(&session, &about);
        let silent = engine::plan(&problem, &options, &mut ()).expect("an order");
        assert_eq!(silent.plan, session.trace.plan, "{about}: recording changes nothing");
        assert_eq!(silent.figures, session.figures, "{about}");
    }
    assert!(plans > 700, "{plans} plans");
}

#[test]
fn a_failure_is_mended_by_the_capacity_that_its_diagnosis_names() {
    let mut failures = 0;
    for seed in 30_000..30_400 {
        let (problem, options) = case(seed, false);
        let options = with_parts(&options, seed);
        let about = format!("seed {seed}, {options:?}");
        let session = planned(&problem, &options);
        let Some(diagnosis) = &session.diagnosis else {
            assert_checked(&session, &about);
            continue;
        };
        failures += 1;
        let capacity = diagnosis.remedies.iter().find_map(|remedy| match remedy {
            Remedy::Capacity { levels, .. } => Some(levels),
            _ => None,
        });
        let levels = capacity.unwrap_or_else(|| panic!("{about}: no capacity is named"));
        let raised = levels.iter().fold(problem.clone(), |now, &(level, cap)| with_capacity(&now, level.at(), cap));
        assert!(works(&raised, &options), "{about}: {levels:?} does not work");
        for &(level, cap) in levels {
            let less = with_capacity(&raised, level.at(), cap - 1);
            assert!(!works(&less, &options), "{about}: one unit less than {levels:?} works too");
        }
    }
    assert!(failures > 50, "{failures} failures");
}

#[test]
fn early_reloads_never_cost_spills_traffic_or_cycles() {
    let mut faster = 0;
    for seed in 40_000..40_600 {
        let (problem, options) = case(seed, true);
        let options = Options { prefetch: 0, ..with_parts(&options, seed) };
        let plain = planned(&problem, &options);
        if plain.diagnosis.is_some() {
            continue;
        }
        let early = planned(&problem, &Options { prefetch: 8, ..options.clone() });
        let (before, now) = (&plain.figures, &early.figures);
        let about = format!("seed {seed}, {options:?}");
        assert!(now.spills <= before.spills && now.extra_traffic <= before.extra_traffic, "{about}");
        assert!(now.makespan <= before.makespan, "{about}");
        faster += u32::from(now.makespan < before.makespan);
    }
    assert!(faster > 50, "faster in {faster} cases");
}
