//! Stops: playing halts where a condition becomes true, and only there; the panel that lists them.

use std::sync::Arc;
use std::time::Duration;

use crossterm::event::KeyCode;
use spillscope::app::places::Places;
use spillscope::app::stop::Stop;
use spillscope::app::stops::Outlook;
use spillscope::app::{App, Command, Dir, Effect, Mode, Where, update};
use spillscope::model::{BufIx, Event, LevelIx, NodeKind, Order, Step};
use spillscope::session::Session;
use spillscope::trace::{Mark, Trace};

use super::support::{self, SAMPLES, mono, open, press, sample, text, typed};

fn stop(text: &str) -> Stop {
    text.parse().unwrap_or_else(|why| panic!("{text}: {why}"))
}

fn places(trace: &Trace, text: &str) -> Places {
    Places::of(&stop(text).condition, trace).unwrap_or_else(|why| panic!("{text}: {why}"))
}

/// All steps that a condition names, forward; going back must name the same.
fn met(trace: &Trace, text: &str) -> Vec<usize> {
    let places = places(trace, text);
    let steps = trace.step_count();
    let mut forward = Vec::new();
    let mut bound = 0;
    while let Some(step) = places.next(trace, bound, Dir::Forward) {
        assert!((bound..steps).contains(&step), "{text}: {step} from {bound} of {steps}");
        forward.push(step);
        bound = step + 1;
    }
    let mut back = Vec::new();
    let mut bound = steps;
    while let Some(step) = places.next(trace, bound, Dir::Back) {
        assert!(step < bound, "{text}");
        back.push(step);
        bound = step;
    }
    back.reverse();
    assert_eq!(forward, back, "{text}");
    forward
}

/// The steps after which `holds` is true and was not before.
fn edges(steps: usize, mut holds: impl FnMut(usize) -> bool) -> Vec<usize> {
    let mut before = false;
    (0..steps)
        .filter(|&step| {
            let now = holds(step);
            let edge = now && !before;
            before = now;
            edge
        })
        .collect()
}

#[test]
fn level_stops_are_where_a_plain_walk_finds_them() {
    for name in SAMPLES {
        let session = sample(name);
        let trace = &session.trace;
        let steps = trace.step_count();
        for (at, level) in trace.problem.machine.levels.iter().enumerate() {
            let uses: Vec<u64> = (0..steps)
                .map(|step| {
                    let mut cursor = trace.cursor();
                    trace.seek_step(&mut cursor, step);
                    cursor.state().level(LevelIx::new(at)).used
                })
                .collect();
            let (name, capacity) = (&level.name, level.capacity);
            for share in [0, 50, 90, 100] {
                let over = |step: usize| u128::from(uses[step]) * 100 > u128::from(capacity) * share;
                assert_eq!(met(trace, &format!("{name} > {share}%")), edges(steps, over), "{name} > {share}%");
                let least = |step: usize| u128::from(uses[step]) * 100 >= u128::from(capacity) * share;
                assert_eq!(met(trace, &format!("{name} >= {share} %")), edges(steps, least), "{name} >= {share}%");
            }
            let half = capacity / 2;
            assert_eq!(met(trace, &format!("{name} > {half}")), edges(steps, |step| uses[step] > half));
            assert_eq!(met(trace, &format!("{name} >= {half}")), edges(steps, |step| uses[step] >= half));
            assert_eq!(met(trace, &format!("{name} > {}", u64::MAX)), [0usize; 0]);
        }
    }
}

fn figures(trace: &Trace, step: usize) -> [(&'static str, u64); 6] {
    let mut cursor = trace.cursor();
    trace.seek_step(&mut cursor, step);
    let state = cursor.state();
    let count = |mark: Mark| {
        let events = &trace.events()[..trace.end_of(step)];
        events.iter().filter(|event| Mark::of(event) == Some(mark)).count() as u64
    };
    [
        ("traffic", state.extra_traffic),
        ("spills", u64::from(state.spills)),
        ("postponements", u64::from(state.postponed)),
        ("reloads", count(Mark::Reload)),
        ("waits", count(Mark::Wait)),
        ("cycle", trace.clock(step)),
    ]
}

#[test]
fn figure_stops_are_where_a_plain_walk_finds_them() {
    for name in ["thrash", "postpone", "matmul", "no-plan"] {
        let session = sample(name);
        let trace = &session.trace;
        let steps = trace.step_count();
        let all: Vec<_> = (0..steps).map(|step| figures(trace, step)).collect();
        for (at, (figure, last)) in all[steps - 1].into_iter().enumerate() {
            for limit in [0, 1, last / 2, last.saturating_sub(1), last, last + 1] {
                let over = edges(steps, |step| all[step][at].1 > limit);
                assert_eq!(met(trace, &format!("{figure} > {limit}")), over, "{name}: {figure} > {limit}");
                let least = edges(steps, |step| all[step][at].1 >= limit);
                assert_eq!(met(trace, &format!("{figure} >= {limit}")), least, "{name}: {figure} >= {limit}");
            }
        }
    }
}

#[test]
fn event_buffer_and_node_stops_are_where_a_plain_walk_finds_them() {
    for name in ["thrash", "postpone", "fragmented", "no-plan"] {
        let session = sample(name);
        let trace = &session.trace;
        let problem = &trace.problem;
        let with = |wanted: &dyn Fn(usize) -> bool| (0..trace.step_count()).filter(|&step| wanted(step)).collect();
        let kinds = [
            ("spill", Mark::Spill),
            ("reload", Mark::Reload),
            ("postpone", Mark::Postpone),
            ("no room", Mark::Full),
            ("failure", Mark::Failure),
        ];
        for (word, mark) in kinds {
            let has = |step: usize| trace.run(step).iter().any(|event| Mark::of(event) == Some(mark));
            let expected: Vec<usize> = with(&has);
            assert_eq!(met(trace, word), expected, "{name}: {word}");
            // Each such event is in one level, so that together the levels have all of them.
            let mut by_level: Vec<usize> = Vec::new();
            problem
                .machine
                .levels
                .iter()
                .for_each(|level| by_level.extend(met(trace, &format!("{word} {}", level.name))));
            by_level.sort_unstable();
            by_level.dedup();
            assert_eq!(by_level, expected, "{name}: {word} in each level");
        }
        for (at, buffer) in problem.graph.buffers().iter().enumerate() {
            let buf = BufIx(at as u32);
            let touches = |step: usize| {
                let named = match trace.step(step) {
                    Some(Step::Node(node)) => match problem.graph.node(node).kind {
                        NodeKind::Op(op) => problem.graph.operands(&op).contains(&buf),
                        NodeKind::Alloc(other) | NodeKind::Free(other) => other == buf,
                    },
                    _ => false,
                };
                let told = |event: &Event| match *event {
                    Event::Placed { buf: other, .. }
                    | Event::Left { buf: other, .. }
                    | Event::NoHole { buf: other, .. }
                    | Event::Postponed { buf: other, .. }
                    | Event::Failed { buf: other, .. } => other == buf,
                    _ => false,
                };
                named || trace.run(step).iter().any(told)
            };
            let expected: Vec<usize> = with(&touches);
            assert_eq!(met(trace, &format!("b{}", buffer.id)), expected, "{name}: b{}", buffer.id);
        }
        for node in problem.graph.node_ixs() {
            let id = problem.graph.node(node).id;
            let fails = |step: &usize| matches!(trace.run(*step).last(), Some(Event::Failed { node: other, .. }) if *other == node);
            let reached = trace.step_of(node).or(trace.failing_step().filter(fails));
            assert_eq!(met(trace, &format!("node {id}")), reached.into_iter().collect::<Vec<_>>(), "{name}: node {id}");
        }
    }
}

#[test]
fn names_are_found_case_aside_and_what_is_not_there_is_said() {
    let session = sample("thrash");
    let trace = &session.trace;
    let graph = &trace.problem.graph;
    let named = (0..graph.buffers().len() as u32).map(BufIx).find(|&buf| graph.buffer_name(buf).is_some());
    let buf = named.expect("the sample names its buffers");
    let name = graph.buffer_name(buf).expect("a name").raw().to_uppercase();
    assert!(!met(trace, &format!("\"{name}\"")).is_empty());
    for (text, part) in [
        ("b999999", "no buffer b999999"),
        ("nothing like it", "not understood"),
        ("node 999999", "no node 999999"),
        ("spill L9", "no such level"),
        ("L9 > 3", "no level and no figure (figures: traffic"),
        ("traffic > 50%", "only levels have shares"),
    ] {
        let refused = Places::of(&stop(text).condition, trace);
        assert!(refused.as_ref().is_err_and(|why| why.contains(part)), "{text}: {refused:?}");
    }
}

/// However many steps a tick plays, both ways, none that meets a stop is passed.
#[test]
fn playing_halts_at_every_stop_and_passes_none() {
    for (name, texts) in
        [("flash-attention", ["L1 > 90%", "spill", "b70"]), ("thrash", ["L1 > 60%", "reload", "traffic > 2000"])]
    {
        let session = sample(name);
        let expected: Vec<usize> = {
            let mut all: Vec<usize> = texts.iter().flat_map(|text| met(&session.trace, text)).collect();
            all.sort_unstable();
            all.dedup();
            all
        };
        for speed in ["", ">>>", ">>>>>>>>"] {
            for dir in [Dir::Forward, Dir::Back] {
                let mut app = App::new(Arc::clone(&session), mono());
                update(&mut app, Command::Resize(80, 24));
                app.set_stops(texts.iter().map(|text| stop(text)).collect());
                typed(&mut app, speed);
                if dir == Dir::Back {
                    typed(&mut app, "Gr");
                }
                let seen = halts(&mut app);
                let mut wanted: Vec<usize> = expected.clone();
                // One does not halt where one already stands.
                wanted.retain(|&step| step != if dir == Dir::Forward { 0 } else { session.trace.step_count() - 1 });
                if dir == Dir::Back {
                    wanted.reverse();
                }
                assert_eq!(seen, wanted, "{name} {speed} {dir:?}");
            }
        }
    }
}

/// Plays to the end and tells the steps at which it halted for a stop.
fn halts(app: &mut App) -> Vec<usize> {
    let mut seen = Vec::new();
    for _ in 0..10_000 {
        if !app.playback().running() {
            typed(app, " ");
        }
        if !app.playback().running() {
            break;
        }
        update(app, Command::Tick(Duration::from_millis(300)));
        if !app.playback().running() && app.notice().is_some_and(|notice| notice.starts_with("stop at step")) {
            seen.push(app.step());
        } else if !app.playback().running() || app.step() == 0 {
            break;
        }
    }
    seen
}

#[test]
fn jumps_go_to_the_next_and_previous_stop_and_say_which() {
    let mut app = open("flash-attention", 130, 40);
    typed(&mut app, "J");
    assert!(app.notice().is_some_and(|notice| notice.contains("no stop is set")));
    app.set_stops(vec![stop("L1 > 99%"), stop("off spill")]);
    let rises = met(app.trace(), "L1 > 99%");
    typed(&mut app, "J");
    assert_eq!(app.step(), rises[0]);
    let notice = app.notice().unwrap_or_default().to_owned();
    assert!(
        notice.starts_with(&format!("stop at step {}: L1 > 99% (", rises[0])) && notice.ends_with("in use)"),
        "{notice}"
    );
    typed(&mut app, "2J");
    assert_eq!(app.step(), rises[2.min(rises.len() - 1)]);
    typed(&mut app, "9999K");
    assert_eq!(app.step(), rises[0]);
    typed(&mut app, "K");
    assert!(app.notice().is_some_and(|notice| notice.contains("no stop is met before")), "{:?}", app.notice());
    // In the midst of a step, that step is still to come.
    app.open_at(Where::Step(rises[0]));
    typed(&mut app, ",J");
    assert_eq!((app.step(), app.position()), (rises[0], app.trace().end_of(rises[0])));
}

#[test]
fn the_panel_adds_switches_changes_and_removes() {
    let mut app = open("thrash", 100, 30);
    typed(&mut app, "b\nL1 > 60%\n");
    assert_eq!(app.stops(), [stop("L1 > 60%")]);
    assert!(matches!(app.mode(), Mode::Stops(0)), "the new one is selected");
    typed(&mut app, "j\nspill L9\n");
    assert!(app.notice().is_some_and(|notice| notice.contains("no such level")), "{:?}", app.notice());
    assert_eq!(app.stops().len(), 1);
    // What was typed stands there to be mended.
    typed(&mut app, "\n");
    press(&mut app, KeyCode::Backspace);
    typed(&mut app, "1\n");
    assert_eq!(app.stops()[1], stop("spill L1"));
    typed(&mut app, " ");
    assert_eq!(app.stops()[1], stop("off spill L1"));
    typed(&mut app, "k\n");
    (0..3).for_each(|_| drop(press(&mut app, KeyCode::Backspace)));
    typed(&mut app, "70%\n");
    assert_eq!(app.stops()[0], stop("L1 > 70%"));
    press(&mut app, KeyCode::Backspace);
    assert_eq!(app.stops(), [stop("off spill L1")]);
    let screen = text(&app, 100, 30);
    assert!(screen.contains("[ ] spill L1") && screen.contains("removed: L1 > 70%"), "{screen}");
    press(&mut app, KeyCode::Esc);
    assert!(matches!(app.mode(), Mode::Browse));
    assert!(app.step() == 0 && !app.playback().running(), "none of this moved anything");
}

#[test]
fn stops_stay_where_the_plan_changes_and_say_what_it_lacks() {
    let mut app = open("thrash", 100, 30);
    app.set_stops(vec![stop("spill"), stop("b999999"), stop("node conv1")]);
    assert_eq!(app.outlook(1), Outlook::Unknown("this graph has no buffer b999999".into()));
    let json = r#"{"inputs":[],"nodes":[{"name":"conv1","op_type":"conv","inputs":[],"output_size":10}]}"#;
    app.replace(support::operations(json, 100, 1, Order::Program));
    assert_eq!(app.stops().len(), 3);
    assert!(matches!(app.outlook(2), Outlook::Met(..)), "{:?}", app.outlook(2));
    typed(&mut app, "gKJ");
    assert_eq!(app.stops()[1].to_string(), "b999999");
}

#[test]
fn panel_and_halt_on_the_screen() {
    for (width, height) in [(130, 40), (80, 24), (60, 20)] {
        let mut app = open("flash-attention", width, height);
        app.set_stops(vec![stop("L1 > 90%"), stop("off spill L1"), stop("b70"), stop("traffic > 999999")]);
        typed(&mut app, "Jbj");
        insta::assert_snapshot!(format!("stops-{width}x{height}"), text(&app, width, height));
    }
    let mut app = open("flash-attention", 80, 24);
    typed(&mut app, "b\nL1 > 9");
    insta::assert_snapshot!("stops-typing-80x24", text(&app, 80, 24));
}

#[test]
fn the_timeline_shows_where_stops_are_met() {
    let mut app = open("flash-attention", 130, 40);
    assert!(!text(&app, 130, 40).contains('◇'));
    app.set_stops(vec![stop("b70"), stop("off spill L1")]);
    let area = app.layout().content(spillscope::app::Pane::Timeline);
    let columns = usize::from(area.width);
    let screen = text(&app, 130, 40);
    assert!(screen.contains("◇ stop"), "{screen}");
    let row: Vec<char> = screen.lines().nth(usize::from(area.y)).expect("a row").chars().collect();
    let marked: Vec<usize> = (0..columns).filter(|column| row[usize::from(area.x) + column] == '◇').collect();
    let mut wanted: Vec<usize> =
        met(app.trace(), "b70").into_iter().filter_map(|step| app.window().column_of(step, columns)).collect();
    wanted.dedup();
    assert_eq!(marked, wanted, "{screen}");
    app.set_stops(vec![stop("off b70")]);
    assert!(!text(&app, 130, 40).contains('◇'), "what is off halts nothing");
}

#[test]
fn a_click_selects_a_stop_and_one_beside_leaves() {
    let mut app = open("thrash", 100, 30);
    app.set_stops(vec![stop("spill"), stop("b1")]);
    typed(&mut app, "b");
    let panel = app.layout().panel();
    update(&mut app, Command::Click { x: panel.x + 2, y: panel.y + 2 });
    assert!(matches!(app.mode(), Mode::Stops(1)));
    update(&mut app, Command::Click { x: panel.x + 2, y: panel.y + 2 });
    assert!(matches!(app.mode(), Mode::Prompt { .. }));
    press(&mut app, KeyCode::Esc);
    assert!(matches!(app.mode(), Mode::Stops(1)));
    assert_eq!(update(&mut app, Command::Click { x: 0, y: 0 }), Effect::Redraw);
    assert!(matches!(app.mode(), Mode::Browse));
}

/// Prints what stops cost on a million steps; no assertion, since machines differ.
#[test]
#[ignore = "for measuring"]
fn measure_stops_on_a_million_steps() {
    use std::time::Instant;
    let config = spillscope::generate::random::Config { nodes: 1_000_000, ..Default::default() };
    let graph = spillscope::generate::random::generate(&config).expect("a sound configuration");
    let session: Arc<Session> = support::session(graph);
    let mut app = App::new(session, mono());
    update(&mut app, Command::Resize(200, 60));
    for text in [
        "L1 > 90%",
        "L1 > 99.9%",
        "spill",
        "spill L1",
        "b42",
        "node 900000",
        "traffic > 1000000",
        "cycle > 1000000",
        "no such",
    ] {
        let started = Instant::now();
        app.set_stops(vec![stop(text)]);
        let set = started.elapsed();
        let mut spent: Vec<_> = ["J", "J", "G", "K", "50%", "J", "K"]
            .iter()
            .map(|keys| {
                let started = Instant::now();
                typed(&mut app, keys);
                started.elapsed()
            })
            .collect();
        spent.sort();
        println!("{text}: set in {set:?}, a key at worst {:?}", spent[spent.len() - 1]);
    }
}
