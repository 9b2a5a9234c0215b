//! Decisions of other policies than the classic one: the ranking has the columns that the rule compares, and an early
//! reload says for whom it comes.

use std::sync::Arc;

use spillscope::app::{App, Command, update};
use spillscope::input::read_graph;
use spillscope::model::{Fit, Machine, Options, Order, Problem, VictimRule};
use spillscope::session::{Extras, Session};

use super::support::{mono, text, typed};

fn open(sample: &str, change: impl Fn(&mut Options)) -> App {
    let path = format!("{}/samples/{sample}.json", env!("CARGO_MANIFEST_DIR"));
    let graph = Arc::new(read_graph(&path).expect("samples are sound"));
    let order = if graph.schedule().is_some() { Order::Given } else { Order::Program };
    let problem = Problem::new(graph, Machine::npu()).expect("it fits the machine");
    let mut options = Options::classic(order);
    change(&mut options);
    let extras = Extras { fractional_bound: false, remedies: true };
    let session = Session::plan(problem, options, extras).expect("it has an order");
    let mut app = App::new(Arc::new(session), mono());
    update(&mut app, Command::Resize(130, 40));
    app
}

fn snapshot(name: &str, sample: &str, keys: &str, change: impl Fn(&mut Options)) {
    let mut app = open(sample, change);
    typed(&mut app, keys);
    insta::assert_snapshot!(name, text(&app, 130, 40));
}

#[test]
fn a_spill_by_farthest_next_use() {
    snapshot("victims-farthest-130x40", "conv", "s", |options| options.victims = VictimRule::FarthestNextUse);
}

#[test]
fn a_spill_by_the_cheapest_run() {
    snapshot("victims-cheapest-run-130x40", "spill-many", "s", |options| options.victims = VictimRule::CheapestRun);
}

#[test]
fn a_reload_that_comes_early() {
    snapshot("prefetch-130x40", "flash-attention", "e", |options| {
        (options.fit, options.prefetch) = (Fit::Window, 8);
    });
}
