//! Lanes with causes and the critical path; the neighbours of a node; the buffers that move most.

use crossterm::event::KeyCode;
use spillscope::app::graph::Side;
use spillscope::app::units::{Piece, What};
use spillscope::app::{App, Command, Pane, Prefs, update};
use spillscope::model::{BufIx, Event, Leaving, NodeIx};
use spillscope::session::Track;
use spillscope::ui::export::{render, to_text};

use super::support::{mono, open, press, sample, text, typed};

/// A sample at that size, with that pane in hand after the keys.
fn with(pane: Pane, name: &str, keys: &str, (width, height): (u16, u16)) -> App {
    let mut app = open(name, width, height);
    typed(&mut app, keys);
    while app.focus() != pane {
        press(&mut app, KeyCode::Tab);
    }
    app
}

fn ascii(app: &App, width: u16, height: u16) -> String {
    let mut app = app.clone();
    app.prefs = Prefs { ascii: true, ..mono() };
    to_text(&render(&app, width, height))
}

#[test]
fn lanes_and_neighbours_at_every_size() {
    for (pane, name) in [(Pane::Units, "units"), (Pane::Graph, "graph")] {
        for (width, height) in [(200, 60), (130, 40), (80, 24), (60, 20)] {
            let mut app = with(pane, "flash-attention", "s", (width, height));
            insta::assert_snapshot!(format!("{name}-{width}x{height}"), text(&app, width, height));
            typed(&mut app, "z");
            insta::assert_snapshot!(format!("{name}-large-{width}x{height}"), text(&app, width, height));
        }
        let app = with(pane, "flash-attention", "sz", (80, 24));
        insta::assert_snapshot!(format!("{name}-ascii-80x24"), ascii(&app, 80, 24));
    }
    let mut app = with(Pane::Units, "flash-attention", "s", (80, 24));
    typed(&mut app, "0z");
    insta::assert_snapshot!("units-whole-80x24", text(&app, 80, 24));
    let app = with(Pane::Graph, "no-plan", "", (40, 12));
    insta::assert_snapshot!("graph-no-plan-40x12", text(&app, 40, 12));
}

/// A bar that has its column stands where its cycles are; every column shows one thing.
fn assert_pieces(app: &App, pieces: &[Piece], about: &str) {
    let axis = app.units().axis;
    let mut column = 0;
    for piece in pieces {
        assert_eq!(piece.columns.start, column, "{about}: {pieces:?}");
        assert!(!piece.columns.is_empty(), "{about}: {pieces:?}");
        column = piece.columns.end;
        let cycles = axis.cycle(piece.columns.start)..axis.cycle(piece.columns.end);
        if let What::Bar { step, .. } | What::Many { step, .. } = piece.what {
            let (start, end) = app.trace().time_of(step).expect("it ran");
            assert!(
                start < cycles.end && end >= cycles.start,
                "{about}: {step} at {start}..{end}, drawn in {cycles:?}"
            );
        }
        if let What::Idle { next, .. } = piece.what {
            let (start, _) = app.trace().time_of(next).expect("it ran");
            assert!(start >= cycles.end || column == axis.columns, "{about}: {next} has begun in {cycles:?}");
        }
    }
    assert_eq!(column, axis.columns, "{about}");
}

#[test]
fn every_column_of_every_lane_shows_what_happens_there_at_every_zoom() {
    for name in ["flash-attention", "thrash", "first-spill", "conv"] {
        let mut app = with(Pane::Units, name, "", (130, 40));
        for keys in ["", "+", "++", "---", "0", "+", ")", "))", "(", "++++++++++++"] {
            typed(&mut app, keys);
            for step in (0..app.trace().step_count()).step_by(7) {
                typed(&mut app, &format!("{step}G{keys}"));
                let about = format!("{name}, step {step}, after {keys:?}");
                for pieces in app.units().lanes.iter().chain(&app.units().path) {
                    assert_pieces(&app, pieces, &about);
                }
            }
        }
        assert_eq!(app.units().axis.scale, 1, "{name}: zoomed in to single cycles");
        typed(&mut app, "0");
        assert!(app.units().axis.end() >= app.session().figures.makespan && app.units().axis.start == 0);
    }
}

/// Each step on the critical path is in sight in its own lane once one stands there, and has its mark.
#[test]
fn the_critical_path_is_walked_from_the_first_cycle_to_the_last() {
    for name in ["flash-attention", "thrash", "matmul"] {
        let mut app = open(name, 130, 40);
        let path = app.session().bindings().path().steps.clone();
        let mut walked = vec![];
        for place in 0..path.len() {
            if place > 0 || path[0] > 0 {
                typed(&mut app, "}");
            }
            walked.push(app.step() as u32);
            let at = app.session().track(Track::Lane(app.rows().units)).binary_search(&path[place]);
            assert!(at.is_ok(), "{name}: the lane of step {} is selected", path[place]);
        }
        assert_eq!(walked, path, "{name}");
        typed(&mut app, "}");
        assert!(app.notice().is_some_and(|notice| notice.contains("no further")), "{:?}", app.notice());
        typed(&mut app, "{");
        assert_eq!(app.step() as u32, path[path.len() - 2], "{name}");
        typed(&mut app, &format!("{}{{", path.len()));
        assert_eq!(app.step() as u32, path[0], "{name}: no further back");
    }
}

#[test]
fn a_click_on_a_bar_leads_to_its_step_and_on_a_gap_to_the_reason() {
    let mut app = with(Pane::Units, "flash-attention", "sz", (130, 40));
    let (mut bars, mut gaps) = (0, 0);
    for lane in 0..app.units().lanes.len() {
        for at in 0..app.units().lanes[lane].len() {
            let Some(piece) = app.units().lanes[lane].get(at).cloned() else { break };
            let content = app.layout().content(Pane::Units);
            let x = content.x + (app.units().names + 2 + piece.columns.start) as u16;
            let y = content.y + 2 + lane as u16;
            update(&mut app, Command::Click { x, y });
            match piece.what {
                What::Bar { step, .. } | What::Many { step, .. } => {
                    assert_eq!((app.step(), app.rows().units), (step, lane));
                    assert_eq!(app.units().bar, Some(step));
                    bars += 1;
                }
                What::Idle { next, .. } => {
                    let said = app.notice().unwrap_or_default();
                    assert!(said.contains(&format!("until step {next}")) && said.contains("waited"), "{said}");
                    gaps += 1;
                }
                What::Nothing => {}
            }
        }
    }
    assert!(bars > 10 && gaps > 5, "{bars} bars, {gaps} gaps");
}

#[test]
fn sums_of_lanes_are_those_of_their_bars() {
    let session = sample("flash-attention");
    let trace = &session.trace;
    for track in (0..trace.lanes().len()).map(Track::Lane).chain([Track::Path]) {
        let steps = session.track(track);
        for from in (0..steps.len()).step_by(5) {
            for to in (from..=steps.len()).step_by(11) {
                let busy: u64 = steps[from..to]
                    .iter()
                    .filter_map(|&step| trace.time_of(step as usize))
                    .map(|(start, end)| end - start)
                    .sum();
                let on_path =
                    steps[from..to].iter().filter(|&&step| session.bindings().path().place_of(step as usize).is_some());
                let sum = session.sum(track, from..to);
                assert_eq!((sum.busy, sum.on_path as usize), (busy, on_path.count()), "{track:?} {from}..{to}");
            }
        }
    }
}

/// Edges are walked forward and back, and Backspace returns.
#[test]
fn the_graph_is_walked_along_its_edges() {
    let mut app = with(Pane::Graph, "flash-attention", "s", (130, 40));
    let mut walked = Vec::new();
    for _ in 0..20 {
        let (from, step) = (app.graph().node.expect("a node"), app.step());
        let Some(&to) = app.graph().neighbour() else { break };
        assert!(app.trace().problem.graph.succs(from).any(|succ| succ == to.node), "the first successor is selected");
        press(&mut app, KeyCode::Enter);
        assert_eq!((Some(app.step()), app.graph().node, app.focus()), (to.step, Some(to.node), Pane::Graph));
        walked.push((from, step));
        if app.graph().succs.rows.is_empty() {
            break;
        }
    }
    assert!(walked.len() > 3);
    for (from, step) in walked.into_iter().rev() {
        press(&mut app, KeyCode::Backspace);
        assert_eq!((app.graph().node, app.step()), (Some(from), step));
    }
}

#[test]
fn both_sides_of_a_node_are_whole_and_through_a_buffer_that_both_name() {
    let mut app = with(Pane::Graph, "conv", "", (130, 40));
    let graph = app.trace().problem.graph.clone();
    for step in 0..app.trace().step_count() {
        typed(&mut app, &format!("{step}G"));
        let view = app.graph().clone();
        let node = view.node.expect("a node");
        let sorted = |nodes: Vec<NodeIx>| {
            let mut nodes = nodes;
            nodes.sort_unstable();
            nodes
        };
        let listed = |side: &Side| sorted(side.rows.iter().map(|row| row.node).collect());
        assert_eq!(listed(&view.preds), sorted(graph.preds(node).collect()), "step {step}");
        assert_eq!(listed(&view.succs), sorted(graph.succs(node).collect()), "step {step}");
        for row in view.preds.rows.iter().chain(&view.succs.rows) {
            assert_eq!(row.step, app.trace().step_of(row.node));
        }
        // Down and up again comes to the same row; the ends hold.
        let selected = view.selected;
        typed(&mut app, "999j");
        assert_eq!(app.graph().neighbour().is_some(), view.preds.all + view.succs.all > 0);
        typed(&mut app, "999k");
        assert_eq!(app.graph().selected, 0);
        assert!(selected <= view.preds.rows.len());
    }
}

/// A newcomer's question: which buffer of `thrash` moves most, and what does it cost?
#[test]
fn the_buffer_that_moves_most_is_told_in_two_keys_and_its_cost_in_three() {
    for (width, height) in [(200, 60), (130, 40), (100, 30), (80, 24), (60, 20)] {
        let mut app = open("thrash", width, height);
        typed(&mut app, "GB");
        let screen = text(&app, width, height);
        for part in ["b5 “W4” moved most so far: 2 400 of 4 000 units", "60%"] {
            assert!(screen.contains(part), "{width}x{height}: {part}\n{screen}");
        }
        press(&mut app, KeyCode::Enter);
        let screen = text(&app, width, height);
        assert!(screen.contains("3 spills moved 2 400"), "{width}x{height}\n{screen}");
    }
    let mut app = open("thrash", 130, 40);
    typed(&mut app, "GB");
    insta::assert_snapshot!("buffers-moved-130x40", text(&app, 130, 40));
    typed(&mut app, "\nz");
    insta::assert_snapshot!("story-moved-130x40", text(&app, 130, 40));
    assert!(text(&app, 130, 40).contains("spilled out for the 3rd time"));
}

#[test]
fn what_moved_so_far_is_counted_the_same_whichever_way_one_comes() {
    let mut app = open("flash-attention", 130, 40);
    typed(&mut app, "B");
    let spilled_before = |app: &App, buf: BufIx| {
        let events = &app.trace().events()[..app.position()];
        let out = |event: &&Event| matches!(event, Event::Left { buf: left, how: Leaving::Out, .. } if *left == buf);
        events.iter().filter(out).count()
    };
    for keys in ["s", "s", "5s", "S", "G", "g", "50%", "3S", ".", ",", "p"] {
        typed(&mut app, keys);
        let moved = app.moved();
        let all = (0..app.trace().problem.graph.buffers().len()).map(BufIx::new);
        for buf in all {
            let times = spilled_before(&app, buf);
            assert_eq!((moved.times(buf) as usize, moved.rows.contains(&buf)), (times, times > 0), "{keys}: {buf:?}");
        }
        let units: Vec<u64> = moved.rows.iter().map(|&buf| moved.units(app.trace(), buf)).collect();
        assert!(units.is_sorted_by(|a, b| a >= b), "{keys}: {units:?}");
        assert_eq!(units.iter().sum::<u64>(), app.state().extra_traffic, "{keys}");
    }
    typed(&mut app, "B");
    assert!(app.notice().is_some_and(|notice| notice.contains("by address")));
}
