//! Over graphs that nobody looked at: the words hold, whatever was decided.

use std::sync::Arc;

use proptest::prelude::*;

use super::hold;
use crate::model::{Fallback, GraphBuilder, Machine, Options, Order, Problem};
use crate::output::report::report;
use crate::output::report_json::report_json;
use crate::output::testing::planned;

/// Buffers as (size, in L0C, freed), operations as the buffers that they name.
type Sketch = (Vec<(u64, bool, bool)>, Vec<Vec<usize>>);

fn sketch() -> impl Strategy<Value = Sketch> {
    let buffers = prop::collection::vec((1u64..120, any::<bool>(), prop::bool::weighted(0.9)), 1..14);
    (buffers, prop::collection::vec(prop::collection::vec(0usize..14, 1..3), 1..25))
}

fn chains() -> impl Strategy<Value = Vec<Fallback>> {
    prop::sample::subsequence(vec![Fallback::Spill, Fallback::SpillMany, Fallback::Postpone], 0..=3).prop_shuffle()
}

/// All buffers are born first and freed last: as full as can be, with much to spill and to put off. Some cannot be
/// planned at all.
fn problem((buffers, operations): &Sketch, spill_l0: bool) -> Problem {
    let mut builder = GraphBuilder::new("generated".into());
    let [l1, l0c, op, pipe] = ["L1", "L0C", "COPY_IN", "MTE2"].map(|name| builder.intern(name).unwrap());
    let mut schedule = Vec::new();
    let mut id = 0;
    let mut next = || {
        id += 3;
        schedule.push(id);
        id
    };
    for (buf, &(size, inner, _)) in buffers.iter().enumerate() {
        builder.alloc(next(), buf as u64, size, if inner { l0c } else { l1 });
    }
    for bufs in operations {
        let named: Vec<u64> = bufs.iter().map(|&buf| (buf % buffers.len()) as u64).collect();
        builder.op(next(), op, pipe, 7, &named);
    }
    for (buf, _) in buffers.iter().enumerate().filter(|(_, (.., freed))| *freed) {
        builder.free(next(), buf as u64);
    }
    builder.schedule = Some(schedule);
    let mut machine = Machine::npu();
    machine.levels[0].capacity = 200;
    machine.levels[4].capacity = 200;
    if spill_l0 {
        machine.let_l0_spill();
    }
    Problem::new(Arc::new(builder.build().unwrap()), machine).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn the_words_hold(sketch in sketch(), on_full in chains(), spill_l0: bool, limit in 0u32..3) {
        let problem = problem(&sketch, spill_l0);
        let options = Options { on_full, postpone_limit: limit, ..Options::classic(Order::Given) };
        let session = planned(problem, options);
        hold(&session.trace);
        prop_assert!(report(&session, "again").lines().last() == Some("again"));
        let json: serde_json::Value = serde_json::from_str(&report_json(&session, "again")).unwrap();
        prop_assert_eq!(&json["spills"], session.figures.spills);
    }
}
