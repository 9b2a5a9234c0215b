//! What-if: a knob is turned and the plan is there, at the same node, with its figures beside the old ones.

use crossterm::event::KeyCode;
use spillscope::app::{App, Effect, Mode};

use crate::support::{frame, mono, open, operations, press, sample, text, typed};
use spillscope::app::{Command, update};
use spillscope::model::{Order, Step};
use spillscope::session::Meter;

/// The id of the node at the playhead.
fn node(app: &App) -> Option<u64> {
    let trace = app.trace();
    match trace.step(app.step()) {
        Some(Step::Node(node)) => Some(trace.problem.graph.node(node).id),
        _ => None,
    }
}

fn snapshot(name: &str, sample: &str, keys: &[KeyCode], (width, height): (u16, u16)) {
    let mut app = open(sample, width, height);
    keys.iter().for_each(|&key| {
        press(&mut app, key);
    });
    insta::assert_snapshot!(name, text(&app, width, height));
}

#[test]
fn the_panel_leaves_map_levels_and_timeline_in_sight() {
    let keys = [KeyCode::Char('s'), KeyCode::Char('c'), KeyCode::Left, KeyCode::Left];
    for (width, height) in [(200, 60), (130, 40), (80, 24), (60, 20)] {
        snapshot(&format!("what-if-{width}x{height}"), "thrash", &keys, (width, height));
    }
}

#[test]
fn a_turn_plans_again_at_the_same_node_and_can_be_taken_back_and_brought_again() {
    let mut app = open("thrash", 130, 40);
    typed(&mut app, "40G");
    let here = node(&app);
    let as_opened = app.session().figures.clone();
    typed(&mut app, "c");
    press(&mut app, KeyCode::Left);
    press(&mut app, KeyCode::Left);
    let small = app.session().figures.clone();
    assert!(small.extra_traffic > as_opened.extra_traffic, "L1 is smaller");
    assert_eq!(node(&app), here);
    assert_eq!(app.plans().versions().len(), 3);
    typed(&mut app, "uu");
    assert_eq!((&app.session().figures, node(&app)), (&as_opened, here));
    typed(&mut app, "u");
    assert!(app.notice().is_some_and(|notice| notice.contains("as it was opened")), "{:?}", app.notice());
    typed(&mut app, "UU");
    assert_eq!(app.session().figures, small);
    typed(&mut app, "U");
    assert!(app.notice().is_some_and(|notice| notice.contains("nothing was taken back")));
    assert!(matches!(app.mode(), Mode::WhatIf), "the panel stays open");
}

#[test]
fn a_new_turn_drops_what_was_taken_back() {
    let mut app = open("thrash", 130, 40);
    typed(&mut app, "c");
    press(&mut app, KeyCode::Left);
    typed(&mut app, "u");
    press(&mut app, KeyCode::Right);
    assert_eq!((app.plans().versions().len(), app.plans().at()), (2, 1));
    assert_eq!(app.session().trace.problem.machine.levels[0].capacity, 4608);
}

#[test]
fn a_value_can_be_typed_and_a_wrong_one_is_told() {
    let mut app = open("thrash", 130, 40);
    typed(&mut app, "c3000\n");
    assert_eq!(app.session().trace.problem.machine.levels[0].capacity, 3000);
    typed(&mut app, "\nfour\n");
    assert!(app.notice().is_some_and(|notice| notice.contains("whole bytes")), "{:?}", app.notice());
    assert_eq!(app.session().trace.problem.machine.levels[0].capacity, 3000);
    press(&mut app, KeyCode::Enter);
    press(&mut app, KeyCode::Esc);
    assert!(matches!(app.mode(), Mode::WhatIf), "Esc leaves the prompt first");
    press(&mut app, KeyCode::Esc);
    assert!(matches!(app.mode(), Mode::Browse));
}

#[test]
fn a_plan_that_fails_shows_where_and_one_that_no_longer_does_stays_at_its_node() {
    let mut app = open("thrash", 130, 40);
    typed(&mut app, "c500\n");
    let found = app.session().diagnosis.as_ref().expect("800 do not fit 500");
    assert_eq!(found.need, 800);
    assert!(text(&app, 130, 40).contains("no plan: plan 2 of 2"));
    typed(&mut app, "u");
    assert!(app.session().diagnosis.is_none());

    let mut app = open("no-plan", 130, 40);
    let found = app.session().diagnosis.clone().expect("it fails");
    let remedy = found.remedies.first().expect("something helps").clone();
    let effect = app.try_remedy(&remedy);
    spillscope::app::settle(&mut app, effect);
    assert!(app.session().diagnosis.is_none(), "the remedy works");
    let failed = found.node.map(|node| app.trace().problem.graph.node(node).id);
    assert_eq!(node(&app), failed, "one stands where it failed before");
    assert!(app.notice().is_some_and(|notice| notice.contains("there is a plan")), "{:?}", app.notice());
}

#[test]
fn every_knob_of_every_kind_of_graph_turns_both_ways_and_plans() {
    let net = r#"{"nodes":[{"name":"a","op_type":"x","inputs":[],"output_size":5000,"est_duration":1},
        {"name":"b","op_type":"x","inputs":["a"],"output_size":9000,"est_duration":2},
        {"name":"c","op_type":"y","inputs":["a","b"],"output_size":100,"est_duration":1}]}"#;
    let pool = App::new(operations(net, 1 << 20, 2, Order::CriticalPath), mono());
    for mut app in [open("postpone", 130, 40), open("no-plan", 130, 40), pool] {
        update(&mut app, Command::Resize(130, 40));
        typed(&mut app, "c");
        let knobs = spillscope::app::knobs::knobs(&app.setup()).len();
        for _ in 0..knobs {
            for key in [KeyCode::Right, KeyCode::Left, KeyCode::Left, KeyCode::Right, KeyCode::Enter, KeyCode::Esc] {
                press(&mut app, key);
                if matches!(app.mode(), Mode::Browse) {
                    typed(&mut app, "c");
                }
            }
            assert!(app.session().broken().is_none());
            frame(&app, 130, 40);
            press(&mut app, KeyCode::Down);
        }
        assert!(app.plans().versions().len() > knobs, "most turns give a plan");
    }
}

#[test]
fn a_plan_that_is_no_longer_wanted_is_dropped() {
    let mut app = open("thrash", 130, 40);
    update(&mut app, Command::WhatIf);
    let first = update(&mut app, Command::Step(spillscope::app::Dir::Back));
    let second = update(&mut app, Command::Step(spillscope::app::Dir::Back));
    let [Effect::Replan(first), Effect::Replan(second)] = [first, second] else { panic!("two plans are asked for") };
    assert_eq!(app.arrived(first.carry_out(&mut |_| {})), Effect::None);
    assert_eq!(app.plans().versions().len(), 1, "the old plan is on the screen");
    assert_eq!(app.arrived(second.carry_out(&mut |_| {})), Effect::Redraw);
    assert_eq!(app.session().trace.problem.machine.levels[0].capacity, 3584, "both turns count");
}

#[test]
fn a_plan_on_its_way_is_broken_off_by_esc() {
    let mut app = open("thrash", 130, 40);
    update(&mut app, Command::WhatIf);
    let Effect::Replan(request) = update(&mut app, Command::Step(spillscope::app::Dir::Back)) else { panic!("a plan") };
    press(&mut app, KeyCode::Esc);
    assert!(matches!(app.mode(), Mode::WhatIf), "the plan goes first, then the panel");
    assert!(app.plans().asked().is_none());
    assert!(app.notice().is_some_and(|notice| notice.contains("dropped")), "{:?}", app.notice());
    assert_eq!(app.arrived(request.carry_out(&mut |_| {})), Effect::None);
    press(&mut app, KeyCode::Esc);
    assert!(matches!(app.mode(), Mode::Browse));
}

#[test]
fn what_nobody_wants_any_more_is_not_planned_to_its_end() {
    let meter = Meter::default();
    meter.stop();
    let fault = sample("thrash").setup().plan(&meter, &mut |_| {}).expect_err("nobody wants it");
    assert!(fault.what.contains("broken off"), "{fault}");
    sample("thrash").setup().plan(&Meter::default(), &mut |_| {}).expect("somebody does");
}
