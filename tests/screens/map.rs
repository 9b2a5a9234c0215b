//! The memory map: zooms, what its letters tell, spilled time, the cell at hand. And that it never lies.

#[path = "../common/mod.rs"]
mod common;

use std::collections::BTreeSet;
use std::sync::Arc;

use crossterm::event::KeyCode;
use spillscope::app::map::{Axis, Cell, Section};
use spillscope::app::{App, Command, Pane, Prefs, Where, update};
use spillscope::model::{BufIx, Order};
use spillscope::session::{Extras, Session};
use spillscope::trace::Trace;
use spillscope::ui::export::{render, to_text};

use super::support::{self, mono, open, press, text, typed};

/// The frame after these keys in the Map pane, in ASCII, at the first spill.
fn snapshot(name: &str, sample: &str, keys: &str, (width, height): (u16, u16)) {
    let mut app = open(sample, width, height);
    typed(&mut app, &format!("s\t\t{keys}"));
    assert_eq!(app.focus(), Pane::Map);
    app.prefs = Prefs { ascii: true, ..mono() };
    insta::assert_snapshot!(name, to_text(&render(&app, width, height)));
}

#[test]
fn the_map_at_three_zooms() {
    snapshot("map-steps-100x30", "flash-attention", "z", (100, 30));
    snapshot("map-4-steps-a-row-100x30", "flash-attention", "--z", (100, 30));
    snapshot("map-whole-plan-100x30", "flash-attention", "0z", (100, 30));
    snapshot("map-whole-plan-130x40", "flash-attention", "0", (130, 40));
    snapshot("map-addresses-100x30", "flash-attention", "iiz", (100, 30));
    snapshot("map-whole-plan-60x20", "thrash", "0", (60, 20));
}

#[test]
fn each_coloring_is_told_without_colour() {
    for (keys, name) in [("o", "age"), ("oo", "next-use"), ("ooo", "backed"), ("oooo", "operation")] {
        snapshot(&format!("map-by-{name}-100x30"), "flash-attention", &format!("{keys}vz"), (100, 30));
    }
}

#[test]
fn spilled_time_is_a_line_between_its_two_ends() {
    snapshot("map-gap-100x30", "first-spill", "z", (100, 30));
    let mut app = open("first-spill", 100, 30);
    typed(&mut app, "s\t\tz");
    let screen = text(&app, 100, 30);
    for part in ["S b0 ░", "│", "╵", "b0 “image” is out │ since step 11, back at step"] {
        assert!(screen.contains(part), "{part}\n{screen}");
    }
    // At the way back the line ends.
    typed(&mut app, "]");
    let screen = text(&app, 100, 30);
    assert!(screen.contains("is back: it was out since step 11"), "{screen}");
}

#[test]
fn all_levels_stand_side_by_side_where_there_is_room() {
    snapshot("map-all-levels-130x40", "flash-attention", "az", (130, 40));
    snapshot("map-all-levels-whole-plan-130x40", "flash-attention", "a0", (130, 40));
    let mut app = open("flash-attention", 45, 20);
    typed(&mut app, "s\t\ta");
    assert!(app.map().left_out > 0);
    assert!(app.notice().is_some_and(|notice| notice.contains("have no room here")), "{:?}", app.notice());
    assert!(app.map().section_of(0).is_some());
}

#[test]
fn a_pool_is_zoomed_out_too() {
    let operation = |at: usize| {
        let inputs = at.checked_sub(1).map(|before| format!("\"o{before}\"")).unwrap_or_default();
        format!(r#"{{"name":"o{at}","op_type":"x","inputs":[{inputs}],"output_size":64}}"#)
    };
    let nodes: Vec<String> = (0..60).map(operation).collect();
    let json = format!(r#"{{"nodes":[{}]}}"#, nodes.join(","));
    let mut app = App::new(support::operations(&json, 1 << 20, 1, Order::Topological), mono());
    update(&mut app, Command::Resize(130, 40));
    typed(&mut app, "\t\t---");
    assert_eq!(app.map().steps_per_row, 8);
    let several = |cell: &Cell| matches!(cell, Cell::Several { .. });
    assert!(app.map().rows[0].cells.iter().any(several), "a block was given to one after another");
    typed(&mut app, "i");
    assert!(app.notice().is_some_and(|notice| notice.contains("blocks of a pool")), "{:?}", app.notice());
}

#[test]
fn enter_goes_to_the_step_of_a_cell_then_into_the_story_of_its_buffer() {
    let mut app = open("flash-attention", 130, 40);
    typed(&mut app, "s\t\t0C");
    for code in [KeyCode::Down, KeyCode::Down, KeyCode::Right] {
        press(&mut app, code);
    }
    let probe = app.map().probe.clone().expect("a cell is at hand");
    assert!(probe.steps.start > 233 && probe.count >= 1, "{probe:?}");
    let screen = text(&app, 130, 40);
    assert!(screen.contains('›') && screen.contains('▾'), "the cell is seen without colour\n{screen}");
    typed(&mut app, "\n");
    assert_eq!((app.step(), app.selected_buffer()), (probe.step, Some(probe.bufs[0])));
    assert!(app.story().is_none());
    typed(&mut app, "\n");
    assert_eq!(app.story().map(|story| story.buf), Some(probe.bufs[0]));
    // Back in the map Esc leaves the cells, and the arrows go by steps again.
    while app.focus() != Pane::Map {
        press(&mut app, KeyCode::BackTab);
    }
    typed(&mut app, "z");
    press(&mut app, KeyCode::Esc);
    assert_eq!(app.map().spot, None);
    assert!(app.enlarged(), "the cells are further in than the large pane");
    let here = app.step();
    press(&mut app, KeyCode::Right);
    assert_eq!(app.step(), here + 1);
}

#[test]
fn a_click_on_a_row_of_many_steps_goes_to_where_the_buffer_is() {
    let mut app = open("flash-attention", 130, 40);
    typed(&mut app, "\t\t0");
    let cells = app.map().cells;
    for (x, y) in [(0, 0), (30, 3), (cells.width - 1, cells.height - 1)] {
        update(&mut app, Command::Click { x: cells.x + x, y: cells.y + y });
        assert_eq!(app.map().spot, None, "a click does not take the arrows");
    }
    update(&mut app, Command::Click { x: cells.x, y: cells.y + 4 });
    let buf = app.selected_buffer().expect("something is at address 0");
    assert!(matches!(app.state().place(buf), spillscope::trace::Place::Resident(_)));
}

#[test]
fn a_screen_of_steps_is_what_the_map_shows() {
    let mut app = open("flash-attention", 130, 40);
    typed(&mut app, "\t\t---");
    let rows = app.map().rows.len();
    press(&mut app, KeyCode::PageDown);
    assert_eq!(app.step(), rows * 8);
}

#[test]
fn the_selected_buffer_stays_in_the_part_of_the_addresses_that_is_shown() {
    let mut app = open("flash-attention", 130, 40);
    typed(&mut app, "s\t\tiii");
    for _ in 0..12 {
        press(&mut app, KeyCode::Down);
        let buf = app.selected_buffer().expect("one is selected");
        let seen = app.map().rows.iter().any(|row| row.cells.iter().any(|cell| cell.buf() == Some(buf)));
        assert!(seen, "{buf:?}");
    }
}

#[test]
fn main_memory_has_a_row_where_it_holds_anything() {
    let mut app = open("spill-many", 130, 40);
    let uses = app.session().figures.main.peak_held > 0;
    typed(&mut app, "s");
    assert_eq!(text(&app, 130, 40).contains("│ main "), uses);
    let backed = open("backed-reload", 130, 40);
    assert_eq!(text(&backed, 130, 40).contains("│ main "), backed.session().figures.main.peak_held > 0);
}

#[test]
fn marks_that_share_a_column_are_counted() {
    let sparse = open("first-spill", 130, 40);
    assert!(!text(&sparse, 130, 40).contains("so many marks"), "each has a column of its own");
    let config = spillscope::generate::random::Config { nodes: 5000, seed: 1, ..Default::default() };
    let graph = spillscope::generate::random::generate(&config).expect("a sound configuration");
    let mut app = App::new(support::session(graph), mono());
    update(&mut app, Command::Resize(130, 40));
    let content = app.layout().content(Pane::Timeline);
    let screen = text(&app, 130, 40);
    let counts = screen.lines().nth(usize::from(content.bottom()) - 2).expect("the row above the last").to_owned();
    let signs = screen.lines().nth(usize::from(content.bottom()) - 3).expect("the row of signs").to_owned();
    assert!(screen.contains("so many marks") && counts.contains('+') && signs.contains('S'), "{screen}");
    for (sign, count) in signs.chars().zip(counts.chars()).skip(1) {
        assert!(count == ' ' || count == '│' || sign != ' ', "a count without a sign\n{screen}");
    }
}

/// The buffers that lie in a cell after any of its steps.
fn holders(trace: &Trace, section: &Section, column: usize, steps: std::ops::Range<usize>) -> BTreeSet<BufIx> {
    let Axis::Addresses(scale) = &section.axis else { panic!("an arena") };
    let here = scale.addresses(column);
    let mut cursor = trace.cursor();
    let mut found = BTreeSet::new();
    for step in steps {
        trace.seek_step(&mut cursor, step);
        for (&start, &buf) in &cursor.state().level(section.level).by_address {
            if start < here.end && start + trace.problem.graph.buffer(buf).size > here.start {
                found.insert(buf);
            }
        }
    }
    found
}

/// Every cell against the states that it stands for, found by seeking.
fn assert_honest(app: &App, about: &str) {
    let trace = app.trace();
    for row in &app.map().rows {
        for section in &app.map().sections {
            for column in section.columns.clone() {
                let cell = row.cells[column];
                let there = holders(trace, section, column - section.columns.start, row.steps.clone());
                let about = format!("{about}, steps {:?}, column {column}: {there:?}", row.steps);
                match cell {
                    Cell::Free | Cell::Left(..) => assert!(there.is_empty(), "{about}: drawn free"),
                    Cell::Held(buf) | Cell::Placed(buf) => assert!(there.contains(&buf), "{about}: {buf:?} drawn"),
                    Cell::Several { count, .. } => {
                        assert!((2..=there.len()).contains(&usize::from(count)), "{about}: {count} drawn");
                    }
                    Cell::Partly => assert!(!there.is_empty(), "{about}: drawn as partly in use"),
                    Cell::Idle | Cell::Dropped | Cell::Edge => panic!("{about}: {cell:?}"),
                }
            }
        }
    }
}

#[test]
fn no_row_says_free_where_a_step_that_it_stands_for_is_not() {
    for seed in 0..24 {
        let (problem, options) = common::case(seed, seed % 2 == 0);
        let extras = Extras { fractional_bound: false, remedies: false };
        let session = Arc::new(Session::plan(problem, options, extras).expect("an order"));
        let middle = session.trace.step_count() / 2;
        let mut app = App::new(session, mono());
        update(&mut app, Command::Resize(100, 30));
        typed(&mut app, "\t\t");
        while app.focus() != Pane::Map {
            typed(&mut app, "\t");
        }
        app.open_at(Where::Step(middle));
        while app.focus() != Pane::Map {
            typed(&mut app, "\t");
        }
        for keys in ["", "-", "--", "a", "0a", "i", "i-"] {
            typed(&mut app, keys);
            assert_honest(&app, &format!("seed {seed}, {keys}"));
        }
    }
}

#[test]
fn the_cell_at_hand_names_whoever_was_there() {
    for seed in 0..24 {
        let (problem, options) = common::case(seed, true);
        let extras = Extras { fractional_bound: false, remedies: false };
        let session = Arc::new(Session::plan(problem, options, extras).expect("an order"));
        let mut app = App::new(session, mono());
        update(&mut app, Command::Resize(100, 30));
        typed(&mut app, "0C");
        for keys in ["", "--", "0"] {
            typed(&mut app, keys);
            for code in [KeyCode::Down, KeyCode::Right, KeyCode::Right, KeyCode::Up] {
                press(&mut app, code);
                let (Some((row, column)), Some(probe)) = (app.map().spot, app.map().probe.clone()) else { continue };
                let section = app.map().section_of(column).expect("a level");
                let steps = app.map().rows[row].steps.clone();
                let there = holders(app.trace(), section, column - section.columns.start, steps);
                assert_eq!(probe.count, there.len(), "seed {seed}: {probe:?} {there:?}");
                assert!(probe.bufs.iter().all(|buf| there.contains(buf)), "seed {seed}");
            }
        }
    }
}

#[test]
fn buffers_alive_together_have_different_letters_as_long_as_there_are_any() {
    use spillscope::ui::theme::letter;
    for sample in ["flash-attention", "matmul", "conv"] {
        let session = support::sample(sample);
        let trace = &session.trace;
        let mut cursor = trace.cursor();
        for step in 0..trace.step_count() {
            trace.seek_step(&mut cursor, step);
            let state = cursor.state();
            let live = (0..trace.problem.graph.buffers().len()).map(BufIx::new);
            let live: Vec<BufIx> = live.filter(|&buf| state.place(buf) != spillscope::trace::Place::Absent).collect();
            let letters: BTreeSet<char> = live.iter().map(|&buf| letter(trace, buf)).collect();
            assert!(letters.len() == live.len().min(spillscope::trace::LETTERS), "{sample} step {step}: {live:?}");
        }
    }
}
