//! Two plans side by side.

use std::time::Duration;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use spillscope::app::{App, Command, Effect, Mode, Version, command_for, settle, update};
use spillscope::compare::Difference;
use spillscope::model::Step;
use spillscope::session::Meter;

use crate::support::{frame, mono, open, press, sample, text, typed};

/// The sample with L1 at 3584 beside itself as it is.
fn smaller(name: &str, width: u16, height: u16) -> App {
    let mut setup = sample(name).setup();
    setup.problem.machine.levels[0].capacity = 3584;
    let session = setup.plan(&Meter::default(), &mut |_| {}).expect("it has an order");
    let mut app = open(name, width, height);
    let change = "--capacity L1=3584".to_owned();
    app.may_be_compared_with(Some(Version { session: session.into(), change, origin: None }));
    let effect = app.compare();
    settle(&mut app, effect);
    app
}

/// The id of the node at the playhead.
fn node(app: &App) -> Option<u64> {
    match app.trace().step(app.step()) {
        Some(Step::Node(node)) => Some(app.trace().problem.graph.node(node).id),
        _ => None,
    }
}

fn other(app: &App) -> &App {
    app.compared().expect("two plans are compared").other()
}

#[test]
fn two_plans_at_every_size() {
    for (width, height) in [(200, 60), (130, 40), (100, 30), (80, 24), (60, 20), (40, 12)] {
        let app = smaller("flash-attention", width, height);
        insta::assert_snapshot!(format!("compare-{width}x{height}"), text(&app, width, height));
    }
    let mut app = smaller("flash-attention", 80, 24);
    typed(&mut app, "w");
    insta::assert_snapshot!("compare-why-80x24", text(&app, 80, 24));
    let mut app = open("flash-attention", 80, 24);
    typed(&mut app, "d");
    insta::assert_snapshot!("compare-with-80x24", text(&app, 80, 24));
}

#[test]
fn it_opens_where_they_first_part_and_says_why_one_is_better() {
    for (width, height) in [(130, 40), (80, 24)] {
        let app = smaller("flash-attention", width, height);
        let difference = Difference::new(app.trace(), other(&app).trace());
        assert_eq!(app.step(), difference.partings[0].steps[0].start as usize);
        let screen = text(&app, width, height);
        for part in ["difference 1 of", "SPILL_OUT b53", "b53 stays, which saves 512 of 3 584", "--capacity L1=3584"] {
            assert!(screen.contains(part), "{width}x{height}: {part}\n{screen}");
        }
    }
}

#[test]
fn the_other_plan_stands_at_the_same_node() {
    let mut app = smaller("flash-attention", 130, 40);
    for keys in ["g", "l", "10l", "50%", "s", "s", "G", "3h", "p", "/b70\n", ":", ";"] {
        typed(&mut app, keys);
        if let Some(here) = node(&app) {
            assert_eq!(node(other(&app)), Some(here), "{keys}");
        }
        let mut fresh = other(&app).trace().cursor();
        other(&app).trace().seek(&mut fresh, other(&app).position());
        assert_eq!(other(&app).state(), fresh.state(), "{keys}");
    }
}

#[test]
fn the_two_are_exchanged_and_left_at_the_same_node() {
    let mut app = smaller("flash-attention", 130, 40);
    let (here, there) = (app.step(), other(&app).step());
    let capacity = |app: &App| app.trace().problem.machine.levels[0].capacity;
    typed(&mut app, "X");
    assert_eq!((capacity(&app), capacity(other(&app))), (3584, 4096));
    assert_eq!((app.step(), other(&app).step()), (there, here));
    press(&mut app, KeyCode::Esc);
    assert!(app.compared().is_none());
    assert_eq!((app.step(), capacity(&app)), (there, 3584));
    // The plan that came to the screen by the exchange is one of the plans, and the one before it is still there.
    typed(&mut app, "u");
    assert_eq!(capacity(&app), 4096);
}

#[test]
fn partings_are_walked_both_ways_to_their_ends() {
    let mut app = smaller("flash-attention", 130, 40);
    let starts: Vec<usize> = app
        .compared()
        .expect("open")
        .difference()
        .partings
        .iter()
        .map(|parting| parting.steps[0].start as usize)
        .collect();
    let mut walked = vec![app.step()];
    for _ in 1..starts.len() {
        typed(&mut app, ";");
        walked.push(app.step());
    }
    assert_eq!(walked, starts);
    typed(&mut app, ";");
    assert!(app.notice().is_some_and(|notice| notice.contains("do not part again")), "{:?}", app.notice());
    for start in starts.iter().rev().skip(1) {
        typed(&mut app, ":");
        assert_eq!(app.step(), *start);
    }
    typed(&mut app, ":");
    assert!(app.notice().is_some_and(|notice| notice.contains("do not part before")), "{:?}", app.notice());
    typed(&mut app, "g2;");
    assert_eq!(app.step(), starts[1], "from before them all, the second");
    typed(&mut app, "99999999999999999999999;");
    assert_eq!(app.step(), starts[starts.len() - 1]);
}

#[test]
fn enter_goes_to_where_a_buffer_first_fares_differently() {
    let mut app = smaller("flash-attention", 130, 40);
    typed(&mut app, "G");
    for row in 0..app.compared().expect("open").difference().buffers.len() {
        let fate = app.compared().expect("open").difference().buffers[row].clone();
        press(&mut app, KeyCode::Enter);
        assert_eq!(app.selected_buffer(), Some(fate.buf));
        let first = fate.first[0].map(|step| step as usize);
        assert_eq!(first.unwrap_or(app.step()), app.step(), "row {row}");
        press(&mut app, KeyCode::Down);
    }
}

#[test]
fn a_change_is_compared_with_what_it_changed() {
    let mut app = open("flash-attention", 130, 40);
    typed(&mut app, "c");
    press(&mut app, KeyCode::Left);
    press(&mut app, KeyCode::Left);
    typed(&mut app, "d");
    assert!(app.compared().is_some() && matches!(app.mode(), Mode::Browse), "the panel makes way");
    let capacity = |app: &App| app.trace().problem.machine.levels[0].capacity;
    assert_eq!((capacity(&app), capacity(other(&app))), (3584, 3840), "the plan before it");
    typed(&mut app, "c");
    assert!(app.compared().is_none() && matches!(app.mode(), Mode::WhatIf), "what-if changes the one plan");
    press(&mut app, KeyCode::Left);
    press(&mut app, KeyCode::Esc);
    typed(&mut app, "d");
    assert_eq!((capacity(&app), capacity(other(&app))), (3328, 3584));
}

/// The newcomer's task: at most ten keys from the start to where two policies part.
#[test]
fn a_newcomer_finds_where_two_policies_part_in_few_keys() {
    for (width, height) in [(130, 40), (80, 24)] {
        let mut app = open("flash-attention", width, height);
        typed(&mut app, "d");
        let mut keys = 1;
        while !text(&app, width, height).contains("▸order: memory-aware") {
            press(&mut app, KeyCode::Down);
            keys += 1;
            assert!(keys < 9, "it is not in the menu\n{}", text(&app, width, height));
        }
        press(&mut app, KeyCode::Enter);
        let screen = text(&app, width, height);
        assert!(screen.contains("first parting: step"), "{screen}");
        println!("{width}x{height}: {} keys", keys + 1);
    }
}

#[test]
fn a_rival_that_was_chosen_leads_back_to_the_menu() {
    let mut app = open("flash-attention", 130, 40);
    typed(&mut app, "d");
    press(&mut app, KeyCode::Down);
    press(&mut app, KeyCode::Enter);
    assert!(app.compared().is_some());
    press(&mut app, KeyCode::Esc);
    assert!(matches!(app.mode(), Mode::Rivals(1)), "{:?}", app.mode());
    press(&mut app, KeyCode::Esc);
    assert!(matches!(app.mode(), Mode::Browse) && app.compared().is_none());
}

#[test]
fn the_same_plan_twice_says_so() {
    let mut app = open("first-spill", 130, 40);
    app.may_be_compared_with(Some(Version { session: sample("first-spill"), change: String::new(), origin: None }));
    let effect = app.compare();
    settle(&mut app, effect);
    let screen = text(&app, 130, 40);
    assert!(screen.contains("The two plans are the same, step by step"), "{screen}");
    typed(&mut app, "j\nX:;w;");
    frame(&app, 130, 40);
}

#[test]
fn a_plan_that_ends_early_is_compared_as_far_as_it_goes() {
    let mut failing = sample("thrash").setup();
    failing.problem.machine.levels[0].capacity = 500;
    let failing = failing.plan(&Meter::default(), &mut |_| {}).expect("it has an order");
    for leads in [false, true] {
        let plans = [sample("thrash"), failing.clone().into()];
        let [one, two] = if leads { [plans[1].clone(), plans[0].clone()] } else { plans };
        let mut app = App::new(one, mono());
        update(&mut app, Command::Resize(130, 40));
        app.may_be_compared_with(Some(Version { session: two, change: String::new(), origin: None }));
        let effect = app.compare();
        settle(&mut app, effect);
        let screen = text(&app, 130, 40);
        assert!(screen.contains("is no plan: it ends after"), "{screen}");
        typed(&mut app, "g;:GlhX50%gG\n");
        frame(&app, 130, 40);
    }
}

#[test]
fn a_comparison_survives_any_size_and_any_key() {
    let mut app = smaller("flash-attention", 130, 40);
    for (width, height) in [(0, 0), (39, 9), (40, 10), (41, 11), (79, 24), (80, 24), (119, 29), (300, 100), (300, 11)] {
        update(&mut app, Command::Resize(width, height));
        for keys in [
            "l", "w", "w", "z", "v", "\t", "j", "k", "\n", "X", "?", "?", "/x\n", "+", "0", " ", " ", "ma'a", "tt",
            "e", ".",
        ] {
            typed(&mut app, keys);
            frame(&app, width, height);
        }
        for (x, y) in [(0, 0), (5, 5), (width / 2 + 8, 8), (3, height.saturating_sub(4)), (width, height)] {
            update(&mut app, Command::Click { x, y });
            update(&mut app, Command::Scroll { x, y, delta: 1 });
            update(&mut app, Command::Drag { x, y });
            frame(&app, width, height);
        }
        assert!(app.compared().is_some(), "{width}x{height}: none of these leaves it");
    }
}

#[test]
fn how_two_plans_differ_is_worked_out_while_the_keys_go_on() {
    let mut app = open("flash-attention", 130, 40);
    typed(&mut app, "d");
    let enter = KeyEvent::new(KeyCode::Enter, KeyModifiers::NONE);
    let command = command_for(&app, enter).expect("it chooses");
    let Effect::Replan(request) = update(&mut app, command) else { panic!("another thread is asked") };
    assert!(app.compared().is_none());
    update(&mut app, Command::Tick(Duration::from_millis(200)));
    let screen = text(&app, 130, 40);
    assert!(screen.contains("comparing with order: "), "{screen}");
    let step = app.step();
    typed(&mut app, "l");
    assert_eq!(app.step(), step + 1, "the keys go on");
    let reply = request.carry_out(&mut |_| {});
    assert_eq!(app.arrived(reply), Effect::Redraw);
    assert!(app.compared().is_some());
}

#[test]
fn a_comparison_on_its_way_is_dropped_and_one_with_another_plan_is_asked_again() {
    let mut app = open("flash-attention", 130, 40);
    typed(&mut app, "c");
    press(&mut app, KeyCode::Left);
    press(&mut app, KeyCode::Esc);
    let ask = |app: &mut App| match update(app, Command::Compare) {
        Effect::Replan(request) => request,
        other => panic!("another thread is asked, not {other:?}"),
    };
    let request = ask(&mut app);
    press(&mut app, KeyCode::Esc);
    assert!(app.notice().is_some_and(|notice| notice.contains("is dropped")), "{:?}", app.notice());
    assert_eq!(app.arrived(request.carry_out(&mut |_| {})), Effect::None);
    assert!(app.compared().is_none());

    // The plan is exchanged under it.
    let (first, changed) = (sample("flash-attention"), app.plans().current().session.clone());
    app.may_be_compared_with(Some(Version { session: first.clone(), change: "as it was".into(), origin: None }));
    let request = ask(&mut app);
    typed(&mut app, "U"); // nothing to bring again: the plan stays, and so does what is on its way
    let effect = app.arrived(request.carry_out(&mut |_| {}));
    settle(&mut app, effect);
    let compared = app.compared().expect("it is there");
    assert!(std::ptr::eq(app.session(), &raw const *changed));
    let fresh = Difference::new(app.trace(), compared.other().trace());
    assert_eq!(compared.difference().partings, fresh.partings);
}

#[test]
fn a_menu_that_is_cut_says_so_at_either_end() {
    let mut app = open("flash-attention", 80, 24);
    typed(&mut app, "d");
    let more = |app: &App| text(app, 80, 24).lines().any(|line| line.contains("↓") && line.contains(" more"));
    assert!(more(&app), "{}", text(&app, 80, 24));
    (0..70).for_each(|_| drop(press(&mut app, KeyCode::Down)));
    let screen = text(&app, 80, 24);
    assert!(!more(&app) && screen.contains("↑"), "{screen}");
}
