//! The screen as text: what a person sees of the samples at several sizes.

#[path = "screens/autopsy.rs"]
mod autopsy;
#[path = "screens/comfort.rs"]
mod comfort;
#[path = "screens/compare.rs"]
mod compare;
#[path = "screens/contrast.rs"]
mod contrast;
#[path = "screens/history.rs"]
mod history;
#[path = "screens/lesson.rs"]
mod lesson;
#[path = "screens/map.rs"]
mod map;
#[path = "screens/policies.rs"]
mod policies;
#[path = "screens/pools.rs"]
mod pools;
#[path = "screens/stops.rs"]
mod stops;
mod support;
#[path = "screens/units.rs"]
mod units;
#[path = "screens/what_if.rs"]
mod what_if;

use spillscope::app::{Dir, Pane, Prefs, Theme, Where};
use spillscope::ui::export::{SvgStyle, render, to_svg};
use spillscope::ui::glyphs;
use support::{open, text, typed};

fn theme() -> Theme {
    match std::env::var("LOOK_THEME").as_deref() {
        Ok("light") => Theme::Light,
        Ok("dark") => Theme::Dark,
        _ => Theme::Terminal,
    }
}

/// Prints a frame to look at, and draws it where `LOOK_SVG` says:
/// `LOOK="flash-attention 120x36 spill" cargo test --test screens look -- --ignored --nocapture`.
#[test]
#[ignore = "for looking at a frame"]
fn look() {
    let wanted = std::env::var("LOOK").unwrap_or_else(|_| "flash-attention 130x40 spill".into());
    let mut words = wanted.split(' ');
    let mut next = |or: &str| words.next().unwrap_or(or).to_owned();
    let (name, size, place, keys) = (next("first-spill"), next("130x40"), next("spill"), next(""));
    let (width, height) = size.split_once('x').expect("a size like 130x40");
    let (width, height) = (width.parse().expect("columns"), height.parse().expect("rows"));
    let mut app = open(&name, width, height);
    match place.as_str() {
        "peak" => app.open_at(Where::Peak),
        "spill" => app.open_at(Where::FirstSpill),
        "open" => {}
        step => app.open_at(Where::Step(step.parse().expect("a step"))),
    }
    typed(&mut app, &keys);
    println!("{}", text(&app, width, height));
    if let Ok(path) = std::env::var("LOOK_SVG") {
        app.prefs = Prefs { theme: theme(), ..Prefs::default() };
        let svg = to_svg(&render(&app, width, height), "look", &SvgStyle::default());
        std::fs::write(path, svg).expect("the picture can be written");
    }
}

/// The frame after these keys, as it is kept in `tests/snapshots`.
fn snapshot(name: &str, sample: &str, keys: &str, (width, height): (u16, u16)) {
    let mut app = open(sample, width, height);
    typed(&mut app, keys);
    insta::assert_snapshot!(name, text(&app, width, height));
}

const SIZES: [(u16, u16); 5] = [(200, 60), (130, 40), (80, 24), (60, 20), (40, 12)];

#[test]
fn the_first_frame() {
    snapshot("open-130x40", "flash-attention", "", (130, 40));
    snapshot("open-80x24", "flash-attention", "", (80, 24));
}

#[test]
fn a_spill_at_every_size() {
    for (width, height) in SIZES {
        snapshot(&format!("spill-{width}x{height}"), "first-spill", "s", (width, height));
    }
}

#[test]
fn many_victims_postponement_and_reload() {
    snapshot("spill-many-130x40", "spill-many", "s", (130, 40));
    snapshot("postpone-130x40", "postpone", "e", (130, 40));
    snapshot("reload-130x40", "backed-reload", "2s]", (130, 40));
    snapshot("fragmented-130x40", "fragmented", "s", (130, 40));
}

#[test]
fn a_failure_explains_itself() {
    for (width, height) in [(130, 40), (80, 24), (40, 12)] {
        snapshot(&format!("no-plan-{width}x{height}"), "no-plan", "", (width, height));
    }
}

#[test]
fn every_pane_as_a_tab_and_alone() {
    // Tab goes from This step over Levels, Map, Ready, Units and Buffers to Events, Graph and Timeline.
    for (tabs, pane) in [(2, "map"), (3, "ready"), (5, "buffers"), (6, "events")] {
        snapshot(&format!("{pane}-60x20"), "flash-attention", &format!("s{}", "\t".repeat(tabs)), (60, 20));
        snapshot(&format!("{pane}-alone-80x24"), "flash-attention", &format!("s{}z", "\t".repeat(tabs)), (80, 24));
    }
    snapshot("timeline-zoomed-80x24", "flash-attention", "s\t\t\t\t\t\t\t\t++z", (80, 24));
}

#[test]
fn overlays_prompts_and_stories() {
    snapshot("help-40x12", "first-spill", "?", (40, 12));
    snapshot("help-100x60", "first-spill", "?", (100, 60));
    snapshot("search-80x24", "first-spill", "/layer", (80, 24));
    snapshot("story-80x24", "first-spill", "s\n", (80, 24));
    snapshot("filter-80x24", "thrash", "s&spill L1\n", (80, 24));
    snapshot("too-small-39x9", "first-spill", "", (39, 9));
}

#[test]
fn every_glyph_that_is_drawn_has_a_stand_in() {
    for sample in support::SAMPLES {
        for (width, height) in SIZES {
            let mut app = open(sample, width, height);
            for key in "seSpO\t\t\t\t\tz?zD".chars() {
                typed(&mut app, &key.to_string());
                let screen = text(&app, width, height);
                let stray = screen.chars().find(|c| !c.is_ascii() && glyphs::ascii(*c).is_none());
                assert_eq!(stray, None, "{sample} {width}x{height}");
            }
        }
    }
}

#[test]
fn without_colour_each_state_has_a_sign_of_its_own() {
    for (sample, keys, sign) in [
        ("first-spill", "s", "▸S"),
        ("first-spill", "s]", "▸R"),
        ("no-plan", "", "▸F"),
        ("first-spill", "s", "[This step]"),
        ("first-spill", "s", "S b0 ░"),
        ("first-spill", "", "▸  ["),
    ] {
        let mut app = open(sample, 80, 24);
        typed(&mut app, keys);
        let screen = text(&app, 80, 24);
        assert!(screen.contains(sign), "{sample} {keys}: {sign}\n{screen}");
    }
}

/// What a newcomer asks at a spill: who left, for whom, when it returns, what it cost. Said without a key.
#[test]
fn a_spill_is_told_whole_in_the_smallest_usual_terminal() {
    for size in [(80, 24), (100, 30), (130, 40)] {
        let mut app = open("flash-attention", size.0, size.1);
        typed(&mut app, "s");
        let screen = text(&app, size.0, size.1);
        for part in ["z b70 “V2” 512", "extra data movement 512", "back at step 671", "b70 is the first of 8 in rank"]
        {
            assert!(screen.contains(part), "{size:?}: {part}\n{screen}");
        }
    }
}

#[test]
fn a_failure_is_told_whole_in_the_smallest_usual_terminal() {
    let screen = text(&open("no-plan", 80, 24), 80, 24);
    for part in ["no room for b12", "b6 (128) stands", "--spill-l0  works", "L0C=768  works", "held b6", "more lines"] {
        assert!(screen.contains(part), "{part}\n{screen}");
    }
}

#[test]
fn the_buffer_that_a_step_is_about_is_in_sight_while_the_table_is_not_in_hand() {
    let mut app = open("flash-attention", 130, 40);
    typed(&mut app, "s");
    let screen = text(&app, 130, 40);
    assert!(screen.contains("zSb70 “V2”") && screen.contains("above"), "{screen}");
    while app.focus() != Pane::Buffers {
        typed(&mut app, "\t");
    }
    let row = app.rows().buffers;
    typed(&mut app, "l");
    assert_eq!(app.rows().buffers, row, "the person's own row stays");
}

#[test]
fn a_plan_that_only_postpones_opens_at_the_first_postponement() {
    let mut app = open("postpone", 100, 30);
    assert!(app.notice().is_some_and(|notice| notice.contains("1 postponement")), "{:?}", app.notice());
    app.open_at(Where::FirstPostpone);
    let screen = text(&app, 100, 30);
    for part in ["b10 “acc2” has to wait", "▸P", "Map of L0C", "E e next S R P W F"] {
        assert!(screen.contains(part), "{part}\n{screen}");
    }
}

#[test]
fn play_goes_the_only_way_there_is() {
    let mut app = open("thrash", 100, 30);
    typed(&mut app, "r g ");
    assert!(app.playback().running() && app.playback().dir() == Dir::Forward, "from the first step only on");
    typed(&mut app, " G ");
    assert!(!app.playback().running());
    assert!(app.notice().is_some_and(|notice| notice.contains("last step")), "{:?}", app.notice());
}
