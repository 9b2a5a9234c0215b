//! Every victim rule, fit and hoist: plans that hold, the same each time, and each of use somewhere.

mod common;

use common::{Dice, assert_checked, case, planned};
use spillscope::engine;
use spillscope::model::{Fit, Options, VictimRule};

/// The options of a case with other parts of the policy.
fn with_parts(options: &Options, seed: u64) -> Options {
    let mut dice = Dice::new(seed ^ 0x5eed);
    Options {
        victims: dice.pick(&VictimRule::ALL),
        fit: dice.pick(&Fit::ALL),
        hoist: dice.one_in(2),
        ..options.clone()
    }
}

#[test]
fn generated_graphs_under_all_policies_end_in_plans_that_hold() {
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
    assert!(plans > 900, "{plans} plans");
}
