//! The screen of an operation graph: a scheduler over workers, a pool of blocks.

use std::collections::BTreeSet;

use spillscope::app::map::Cell;
use spillscope::app::{App, Command, Pane, Prefs, Where, update};
use spillscope::model::{Order, Standing};
use spillscope::output::explain::explain;
use spillscope::trace::Mark;
use spillscope::ui::export::{render, to_text};
use spillscope::ui::glyphs;

use super::support::{self, mono, press, text, typed};

const MB: u64 = 1 << 20;

/// Three chains with side branches, in a pool too small for all that could run at once.
fn net() -> String {
    let (sizes, times) = ([24, 10, 40, 6], [4.0, 1.5, 8.0, 0.5]);
    let mut nodes = Vec::new();
    let mut operation = |name: String, kind: &str, inputs: &[String], size: u64, time: f64| {
        let size = size * MB;
        nodes.push(format!(
            r#"{{"name":"{name}","op_type":"{kind}","inputs":{inputs:?},"output_size":{size},"est_duration":{time}}}"#
        ));
    };
    for i in 0..8usize {
        for c in 0..3 {
            let mut inputs = vec![if i == 0 { "image".to_owned() } else { format!("c{c}_{}", i - 1) }];
            if i >= 2 && (i - 1) % 3 == c {
                inputs.push(format!("side{}", i - 2));
            }
            let kind = (c + i) % 4;
            let time = times[kind] * if c == 0 { 2.0 } else { 1.0 };
            operation(format!("c{c}_{i}"), ["conv", "norm"][kind % 2], &inputs, sizes[kind], time);
        }
        operation(format!("side{i}"), "relu", &[format!("c{}_{i}", i % 3)], 12, 0.4);
    }
    let last = ["c0_7", "c1_7", "c2_7", "side6", "side7"].map(str::to_owned);
    operation("join".into(), "concat", &last, 8, 1.0);
    format!(r#"{{"inputs":[{{"name":"image","size":{}}}],"nodes":[{}]}}"#, 4 * MB, nodes.join(","))
}

/// The net on three workers with 160 MB, at a size.
fn open(order: Order, width: u16, height: u16) -> App {
    let mut app = App::new(support::operations(&net(), 160 * MB, 3, order), mono());
    update(&mut app, Command::Resize(width, height));
    app
}

fn snapshot(name: &str, keys: &str, (width, height): (u16, u16)) {
    let mut app = open(Order::CriticalPath, width, height);
    typed(&mut app, keys);
    insta::assert_snapshot!(name, text(&app, width, height));
}

const SIZES: [(u16, u16); 4] = [(200, 60), (130, 40), (80, 24), (60, 20)];

#[test]
fn a_wait_for_memory_at_every_size() {
    for (width, height) in SIZES {
        snapshot(&format!("pool-wait-{width}x{height}"), "e", (width, height));
    }
}

#[test]
fn queue_lanes_and_story() {
    snapshot("pool-ready-alone-80x24", "e\t\t\tz", (80, 24));
    snapshot("pool-units-alone-80x24", "e\t\t\t\tz", (80, 24));
    snapshot("pool-map-60x20", "e\t\t", (60, 20));
    snapshot("pool-story-80x24", "/c0_2\n\n", (80, 24));
}

#[test]
fn a_wait_is_told_with_need_and_room_in_the_queue_and_in_words() {
    let mut app = open(Order::CriticalPath, 130, 40);
    typed(&mut app, "e");
    let screen = text(&app, 130, 40);
    for part in ["has to wait for memory: it needs", "MB are free", "W 1 ·", "░ memory", "cap 168 MB", "at "] {
        assert!(screen.contains(part), "{part}\n{screen}");
    }
    assert!(!screen.contains("cycle"), "times are in milliseconds\n{screen}");
}

/// A recorded queue is shown whole: whoever was ready is in the pane, in the order of the decision.
#[test]
fn the_ready_pane_has_the_order_of_the_last_decision() {
    for order in [Order::CriticalPath, Order::Topological, Order::MemoryAware] {
        let mut app = open(order, 200, 60);
        let mut seen = 0;
        for step in 0..app.trace().step_count() {
            app.open_at(Where::Step(step));
            let told = explain(app.trace(), step);
            let graph = &app.trace().problem.graph;
            let others = told.queue.iter().filter(|row| row.standing != Standing::Won);
            let names: Vec<String> = others.map(|row| graph.node(row.node).name.clone().unwrap().to_string()).collect();
            if names.is_empty() {
                continue;
            }
            seen += 1;
            let screen = text(&app, 200, 60);
            let pane: Vec<&str> = screen.lines().skip_while(|line| !line.contains("Ready (")).collect();
            let rows: Vec<Option<usize>> = names
                .iter()
                .map(|name| {
                    pane.iter().position(|line| line[3..].trim_start_matches(['!', ' ']).starts_with(name.as_str()))
                })
                .collect();
            assert!(
                rows.iter().all(Option::is_some) && rows.is_sorted(),
                "{order} {step}: {names:?} {rows:?}\n{screen}"
            );
        }
        assert!(seen > 5, "{order}: the queue was never longer than one");
    }
}

#[test]
fn every_step_can_be_told_and_no_wait_is_without_its_numbers() {
    for order in [Order::CriticalPath, Order::Topological, Order::MemoryAware, Order::Program] {
        let app = open(order, 80, 24);
        let trace = app.trace();
        for step in 0..trace.step_count() {
            let told = explain(trace, step);
            assert!(!told.sentence.is_empty() && !told.why.is_empty(), "{order} {step}: {told:?}");
        }
        for &position in trace.marks(Mark::Wait) {
            let told = explain(trace, trace.step_at(position as usize + 1));
            assert!(told.sentence.contains("it needs") && told.sentence.contains("free"), "{order}: {told:?}");
        }
    }
}

#[test]
fn every_glyph_has_a_stand_in_and_ascii_is_ascii() {
    for (width, height) in SIZES {
        let mut app = open(Order::CriticalPath, width, height);
        for key in "ep\t\t\t\t\t\tz\n".chars() {
            typed(&mut app, &key.to_string());
            let screen = text(&app, width, height);
            let stray = screen.chars().find(|c| !c.is_ascii() && glyphs::ascii(*c).is_none());
            assert_eq!(stray, None, "{width}x{height}\n{screen}");
        }
        app.prefs = Prefs { ascii: true, ..mono() };
        assert!(to_text(&render(&app, width, height)).is_ascii());
    }
}

/// Zoomed out, a cell is idle where its block is there at one of the row's steps and nobody is in it at any.
#[test]
fn zoomed_out_idle_blocks_are_told_from_none() {
    let mut app = open(Order::CriticalPath, 130, 40);
    typed(&mut app, "\t\t");
    while app.focus() != Pane::Map {
        typed(&mut app, "\t");
    }
    let mut seen = [0usize; 2];
    for keys in ["-", "-", "0"] {
        typed(&mut app, keys);
        let (trace, map) = (app.trace(), app.map());
        assert!(map.steps_per_row > 1);
        let spillscope::app::map::Axis::Blocks(blocks) = &map.sections[0].axis else { panic!("a pool has blocks") };
        for row in &map.rows {
            // By a plain walk: which blocks are there after the steps of the row, and which are in use.
            let (mut there, mut used) = (BTreeSet::new(), BTreeSet::new());
            let mut cursor = trace.cursor();
            for step in row.steps.clone() {
                trace.seek_step(&mut cursor, step);
                let state = cursor.state().level(app.level());
                there.extend(state.blocks.keys().copied());
                used.extend(state.by_address.keys().copied());
            }
            for (offset, columns) in blocks {
                let cell = row.cells[columns.start];
                let idle = there.contains(offset) && !used.contains(offset);
                assert_eq!(cell == Cell::Idle, idle, "block {offset}, steps {:?}: {cell:?}", row.steps);
                assert_eq!(cell == Cell::Free, !there.contains(offset), "block {offset}, steps {:?}", row.steps);
                seen[usize::from(idle)] += 1;
            }
        }
    }
    assert!(seen.iter().all(|&count| count > 10), "{seen:?}");
    insta::assert_snapshot!("pool-map-zoomed-out-130x40", text(&app, 130, 40));
}

#[test]
fn lanes_that_are_not_shown_are_counted() {
    let mut app = App::new(support::operations(&net(), 4096 * MB, 8, Order::CriticalPath), mono());
    update(&mut app, Command::Resize(60, 18));
    typed(&mut app, "\t\t\t\t");
    let screen = text(&app, 60, 18);
    assert!(screen.contains("worker 0") && screen.contains(" more"), "{screen}");
    (0..7).for_each(|_| drop(press(&mut app, crossterm::event::KeyCode::Down)));
    let screen = text(&app, 60, 18);
    assert!(screen.contains(" above"), "{screen}");
}
