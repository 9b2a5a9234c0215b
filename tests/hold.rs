//! What must hold of the screen, and the tests that say so: some here, others where their subject is. The table is checked
//! ([`the_table_names_tests_that_are_there`]).
//!
//! | what must hold | tests |
//! |---|---|
//! | 1. any size, any overlay, a storm of resizes: no panic, and the panes that the size has room for | `hold_01_every_size_shows_what_it_has_room_for`, `no_storm_of_input_breaks_the_screen_or_the_state`, `a_storm_of_100_000_events`, `every_size_draws_with_every_overlay`, `panes_stay_on_the_screen_and_their_contents_apart` |
//! | 2. the terminal is as before after quit, error, panic and signals; suspended and continued | `after_quit`, `after_a_storm_of_sizes_keys_and_clicks`, `after_a_signal`, `after_a_panic_with_its_message_on_the_main_screen`, `an_error_before_the_screen_opens_never_takes_it`, `ctrl_z_gives_the_terminal_to_the_shell_and_fg_redraws` |
//! | 3. colours: the terminal's own, themes that can be read, none, few; ASCII | `every_character_of_every_frame_can_be_read`, `no_color_writes_no_colour_but_marks`, `ascii_writes_bytes_below_0x80_only`, `depth_by_colorterm_then_by_term`, `preferences_hold_for_frames_too`, `hold_03_a_frame_without_colour_tells_every_state` |
//! | 4. paused: nothing written, no time used; repeats and drags coalesced; releases unheard | `paused_nothing_is_written_and_no_time_used`, `held_keys_all_count_and_make_one_frame`, `only_the_last_of_a_drag_and_of_the_sizes_is_kept`, `a_released_key_is_not_heard` |
//! | 5. large plans: what a seek reads is bounded, only visible rows are built, what is hidden is said | `a_seek_reads_one_keyframe_at_most_and_replays_no_more_than_the_live_state_is_worth`, `measure_a_million_steps`, `measure_stops_on_a_million_steps`, `hold_05_what_has_no_room_is_counted` |
//! | 6. the state at a step is the same by playing, seeking and going back | `playing_seeking_and_going_back_come_to_the_same_state`, `going_by_steps_by_seeking_and_by_playing_ends_in_the_same_state`, `undo_takes_back_exactly_what_apply_did` |
//! | 7. odd names keep the columns and never reach the terminal raw | `names_with_wide_combining_and_control_characters_keep_the_columns`, `names_never_reach_the_terminal_raw_and_keep_its_columns` |
//! | 8. everything by keyboard, and by mouse; the mouse can be left to the terminal | `hold_08_every_pane_is_reached_by_keys_and_by_clicks`, `only_the_terminals_own_commands_need_ctrl`, `a_click_on_the_timeline_seeks_and_on_a_cell_selects`, `without_mouse_the_mouse_stays_the_terminals` |
//! | 9. a graph from a pipe; a report where stdout is no terminal | `a_graph_from_a_pipe_leaves_the_keys_to_the_terminal`, `where_stdout_is_no_terminal_a_report_is_printed` |
//! | 10. help is complete at 40×12; no two actions on one key | `help_is_complete_on_the_smallest_screens`, `no_two_commands_share_a_key_and_none_has_digits` |
//! | 11. each spill, postponement, wait and failure has its candidates and its reason | `hold_11_every_decision_is_shown_with_its_reason`, `every_step_can_be_told_and_no_wait_is_without_its_numbers` |
//! | 12. frames are kept as snapshots; a pseudo-terminal runs the binary | `hold_12_every_pane_at_every_size_in_ascii_and_in_colour`, `a_spill_at_every_size`, `it_opens_where_it_was_told_to` |
//! | 13. the pictures are made by commands and tested to be up to date | `every_picture_is_what_its_command_makes` |

mod support;

use std::path::Path;

use spillscope::app::{App, Class, ColorDepth, Command, Pane, Prefs, Theme, Where, update};
use spillscope::model::Event;
use spillscope::output::explain::explain;
use spillscope::trace::Mark;
use spillscope::ui::export::{render, to_ansi, to_text};
use support::{SAMPLES, all_samples, frame, mono, open, press, text, typed, with_a_share};

const PANES: [Pane; 10] = [
    Pane::Levels,
    Pane::Step,
    Pane::Map,
    Pane::Ready,
    Pane::Units,
    Pane::Graph,
    Pane::Buffers,
    Pane::Events,
    Pane::Timeline,
    Pane::Failure,
];

/// Presses Tab until the pane has the keys.
fn focus(app: &mut App, pane: Pane) {
    for _ in 0..20 {
        if app.focus() == pane {
            return;
        }
        typed(app, "\t");
    }
    panic!("Tab never comes to {pane:?}");
}

/// Appends all sources under `folder`.
fn sources(folder: &Path, all: &mut String) {
    for entry in std::fs::read_dir(folder).expect("a folder of the project") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(&path, all);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            *all += &std::fs::read_to_string(&path).expect("a source file");
        }
    }
}

#[test]
fn the_table_names_tests_that_are_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut all = String::new();
    ["src", "tests"].iter().for_each(|folder| sources(&root.join(folder), &mut all));
    let table: Vec<&str> = include_str!("hold.rs").lines().filter(|line| line.starts_with("//! | ")).skip(1).collect();
    for (at, row) in table.iter().enumerate() {
        assert!(row.starts_with(&format!("//! | {}. ", at + 1)), "{row}");
        let names: Vec<&str> = row.split('`').skip(1).step_by(2).collect();
        assert!(!names.is_empty(), "{row}");
        for name in names {
            assert!(all.contains(&format!("fn {name}()")), "no test {name}");
        }
    }
    assert_eq!(table.len(), 13);
}

#[test]
fn hold_01_every_size_shows_what_it_has_room_for() {
    let mut apps = [open("flash-attention", 80, 24), open("no-plan", 80, 24)];
    let overlays = ["", "?", "c", "b", "/x", "m", "z"];
    for width in (0..=300).step_by(13).chain([39, 40, 79, 80, 119, 120]) {
        for height in (0..=100).step_by(9).chain([10, 24, 29, 30]) {
            for app in &mut apps {
                update(app, Command::Resize(width, height));
                let class = app.layout().class;
                let shown = app.layout().panes.len();
                match class {
                    Class::Full => assert!(width >= 120 && height >= 30 && shown == 8),
                    Class::Tabs => assert!(width >= 80 && height >= 24 && shown == 4 && app.layout().tabs.len() >= 5),
                    Class::Narrow => assert!(width >= 40 && height >= 10 && shown == 3),
                    Class::Tiny => {
                        assert!((width < 40 || height < 10) && shown == 0);
                        let screen = text(app, width, height);
                        assert!(
                            width < 11 || height == 0 || screen.contains("wants 40×10"),
                            "{width}x{height}: {screen}"
                        );
                    }
                }
                for keys in overlays {
                    let mut over = app.clone();
                    typed(&mut over, keys);
                    frame(&over, width, height);
                }
            }
        }
    }
}

/// Resident, backed, pinned, spilled, waiting, critical, failed: each has its own words or signs in plain ASCII.
#[test]
fn hold_03_a_frame_without_colour_tells_every_state() {
    const BUFFERS: &str = "\t\t\t\t\tz";
    for (name, keys, parts) in [
        ("first-spill", "s", &["S b0 ::", "S 11 SPILL_OUT"][..]),
        ("first-spill", &format!("13G{BUFFERS}"), &["backed", "L1 out", "*b5"]),
        ("flash-attention", "204G", &["!217 MUL", "W b78", "[zz b70 zz]"]),
        ("no-plan", "", &[" FAILED ", "W b12", "may not spill", "F 34 FAILED"]),
    ] {
        let mut app = open(name, 200, 60);
        app.prefs = Prefs { ascii: true, ..mono() };
        typed(&mut app, keys);
        let screen = to_text(&render(&app, 200, 60));
        assert!(screen.is_ascii());
        for part in parts {
            assert!(screen.contains(part), "{name} {keys}: {part}\n{screen}");
        }
    }
}

#[test]
fn hold_05_what_has_no_room_is_counted() {
    for (name, pane) in
        [("flash-attention", Pane::Buffers), ("flash-attention", Pane::Ready), ("no-plan", Pane::Failure)]
    {
        let mut app = open(name, 60, 20);
        app.open_at(if name == "no-plan" { Where::Failure } else { Where::Peak });
        focus(&mut app, pane);
        let screen = text(&app, 60, 20);
        assert!(screen.contains(" more"), "{name} {pane:?}\n{screen}");
    }
}

#[test]
fn hold_08_every_pane_is_reached_by_keys_and_by_clicks() {
    for (width, height) in [(200, 60), (130, 40), (80, 24), (60, 20)] {
        for pane in PANES {
            let mut app = open("no-plan", width, height);
            focus(&mut app, pane);
            assert!(app.layout().rect(pane).is_some(), "{pane:?} has the keys and is in sight at {width}x{height}");
            // Back to the first pane, then to this one by its rectangle or its tab.
            let mut clicked = open("no-plan", width, height);
            let tab = clicked.layout().tabs.iter().find(|(other, _)| *other == pane).map(|(_, rect)| *rect);
            let rect = tab.unwrap_or_else(|| clicked.layout().rect(pane).unwrap_or_default());
            if rect.is_empty() {
                continue; // on narrow screens the map has a tab, on others a place
            }
            let inside = u16::from(tab.is_none());
            update(&mut clicked, Command::Click { x: rect.x + inside, y: rect.y + inside });
            assert_eq!(clicked.focus(), pane, "{width}x{height}");
            update(&mut clicked, Command::Scroll { x: rect.x + 1, y: rect.y + inside, delta: 1 });
            frame(&clicked, width, height);
        }
    }
}

#[test]
fn hold_11_every_decision_is_shown_with_its_reason() {
    let mut seen = [0; 6];
    let waiting = ("pipeline-240, little memory", with_a_share("pipeline-240", 8));
    for (name, session) in all_samples().into_iter().chain([waiting]) {
        let trace = &session.trace;
        for mark in Mark::ALL {
            for &position in trace.marks(mark) {
                let step = trace.step_at(position as usize + 1);
                let told = explain(trace, step);
                assert!(!told.sentence.is_empty() && !told.why.is_empty(), "{name} {step} {mark:?}: {told:?}");
                seen[mark as usize] += 1;
                // Whoever was weighed at a decision is shown at its step.
                let weighed = trace.run(step).iter().any(|event| matches!(event, Event::Candidate { .. }));
                assert!(!weighed || !told.rank.is_empty(), "{name} {step} {mark:?}: {told:?}");
            }
        }
    }
    assert!(seen.iter().all(|&count| count > 0), "by kind: {seen:?}");
}

/// Frames of every pane alone, a file a size and mode.
#[test]
fn hold_12_every_pane_at_every_size_in_ascii_and_in_colour() {
    let ascii = Prefs { ascii: true, ..mono() };
    let colour = Prefs { theme: Theme::Dark, color: ColorDepth::Ansi256, ..Prefs::default() };
    for (width, height) in [(200, 60), (130, 40), (80, 24), (60, 20)] {
        for (mode, prefs) in [("ascii", ascii), ("colour", colour)] {
            let mut frames = String::new();
            for pane in PANES {
                let name = if pane == Pane::Failure { "no-plan" } else { "flash-attention" };
                let mut app = open(name, width, height);
                app.prefs = prefs;
                if pane != Pane::Failure {
                    app.open_at(Where::FirstSpill);
                }
                focus(&mut app, pane);
                press(&mut app, crossterm::event::KeyCode::Char('z'));
                assert!(app.enlarged());
                let buffer = render(&app, width, height);
                // Escapes are shown, so that a difference can be read.
                let drawn = if prefs.ascii { to_text(&buffer) } else { to_ansi(&buffer).replace('\x1b', "␛") };
                assert!(!prefs.ascii || drawn.is_ascii(), "{pane:?} {width}x{height}");
                frames.extend(["── ", pane.title(), "\n", &drawn]);
            }
            insta::assert_snapshot!(format!("{mode}-{width}x{height}"), frames);
        }
    }
}

#[test]
fn samples_are_all_there() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples");
    let entries = std::fs::read_dir(folder).expect("the samples").map(|entry| entry.expect("an entry").path());
    let graphs = entries.filter(|path| path.extension().is_some_and(|ending| ending == "json")).count();
    assert_eq!(all_samples().len(), graphs, "a new sample belongs in tests/support");
    assert!(SAMPLES.len() < graphs);
}
