//! Main memory as a pool: figures worked out by hand.

use spillscope::check::check;
use spillscope::model::{Buckets, MAX_NUMBER, Machine, PoolFigures, PoolRules, Problem};

use super::mutants::{machine, two_in_turn, valid_plan};
use super::npu_json;

/// The plan with two in turn, none of which is backed: out 0 (60), out 1 (60), back 0, out 2 (60), back 1, back 2.
fn problem(main_memory: PoolRules) -> Problem {
    let mut graph = two_in_turn();
    graph["Nodes"][1]["Op"] = "LOAD".into();
    Problem::new(npu_json::graph(&graph), Machine { main_memory, ..machine(100) }).unwrap()
}

fn figures(main_memory: PoolRules) -> PoolFigures {
    let report = check(&problem(main_memory), &valid_plan());
    assert_eq!(report.broken, []);
    report.figures.unwrap().main
}

#[test]
fn a_block_is_there_from_the_way_out_to_the_way_back() {
    let both = PoolFigures { hits: 1, misses: 2, peak_held: 120, peak_busy: 120, ..PoolFigures::default() };
    assert_eq!(figures(PoolRules::default()), both);
    let rounded = PoolFigures { peak_held: 128, peak_busy: 128, worst_waste: 8, ..both };
    assert_eq!(figures(PoolRules { buckets: Buckets::PowersOfTwo, max_age: None }), rounded);
}

#[test]
fn idle_blocks_age_there_too() {
    // Out 0 from 100 to 370, out 1 to 640 (in vain: 2 is used at 380), back 0 from there to 910; out 2 starts at 930.
    let ages = [0, 20, 21].map(|age| figures(PoolRules { buckets: Buckets::Exact, max_age: Some(age) }));
    assert_eq!(ages.map(|main| (main.hits, main.misses, main.aged)), [(0, 3, 1), (0, 3, 1), (1, 2, 0)]);
}

#[test]
fn more_than_can_be_counted_has_no_figures() {
    let huge = PoolRules { buckets: Buckets::Fixed(vec![MAX_NUMBER]), max_age: None };
    let report = check(&problem(huge), &valid_plan());
    assert!(report.is_valid() && report.figures.is_none());
    assert_eq!(report.notes.len(), 1);
}
