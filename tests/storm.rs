//! Storms: whatever is pressed, clicked and resized, nothing breaks, and what is shown is the state of that step.

mod support;

use std::time::Duration;

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use spillscope::app::keymap::{BINDINGS, Key};
use spillscope::app::{App, Command, Effect, Mode, Pane, Where, command_for, settle, update};
use spillscope::model::{GraphBuilder, Name};
use support::{all_samples, frame, mono, open, press, sample, session, text, typed};

/// Numbers that only look random, the same in every run (Knuth's MMIX constants).
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end.max(1)
    }

    fn side(&mut self, end: u16) -> u16 {
        self.below(u64::from(end)) as u16
    }
}

/// The state shown is the one that a fresh cursor finds at the same position.
fn assert_fresh(app: &App, what: &str) {
    let mut cursor = app.trace().cursor();
    app.trace().seek(&mut cursor, app.position());
    assert_eq!(app.state(), cursor.state(), "{what}");
    assert!(app.position() <= app.trace().event_count());
    let run = app.trace().run_range(app.step());
    assert!((run.start..=run.end).contains(&app.position()), "{what}: the step is the one of the position");
}

fn random_input(app: &mut App, random: &mut Random, size: &mut (u16, u16)) -> Effect {
    match random.below(12) {
        0 => {
            *size = (random.side(301), random.side(101));
            update(app, Command::Resize(size.0, size.1))
        }
        1 => update(app, Command::Click { x: random.side(size.0.max(1) + 5), y: random.side(size.1.max(1) + 5) }),
        2 => update(app, Command::Drag { x: random.side(400), y: random.side(200) }),
        3 => {
            let delta = random.below(9) as i32 - 4;
            update(app, Command::Scroll { x: random.side(300), y: random.side(100), delta })
        }
        4 => update(app, Command::Tick(Duration::from_millis(random.below(3000)))),
        5 => press(app, KeyCode::Char(char::from(b' ' + random.below(95) as u8))),
        6 => press(app, KeyCode::Char('权')),
        _ => {
            let binding = &BINDINGS[random.below(BINDINGS.len() as u64) as usize];
            match binding.keys[0] {
                Key::Plain(code) => press(app, code),
                Key::Ctrl(_) => Effect::None,
            }
        }
    }
}

/// Lets `events` random events loose on each sample, and draws after every `every`th.
fn storm(seed: u64, events: usize, every: usize) {
    let mut random = Random(seed);
    for (name, session) in all_samples() {
        let mut size = (120, 40);
        let mut app = App::new(session, mono());
        update(&mut app, Command::Resize(size.0, size.1));
        for turn in 0..events {
            let effect = random_input(&mut app, &mut random, &mut size);
            settle(&mut app, effect);
            assert_fresh(&app, &format!("{name}, turn {turn}"));
            if turn % every == 0 {
                frame(&app, size.0, size.1);
            }
        }
    }
}

#[test]
fn no_storm_of_input_breaks_the_screen_or_the_state() {
    storm(11, 600, 3);
}

#[test]
#[ignore = "takes a minute: .ci/run runs it"]
fn a_storm_of_100_000_events() {
    storm(29, 100_000 / all_samples().len() + 1, 10);
}

#[test]
fn every_size_draws_with_every_overlay() {
    let mut plain = open("no-plan", 80, 24);
    let mut help = open("no-plan", 80, 24);
    typed(&mut help, "?");
    let mut prompt = open("flash-attention", 80, 24);
    typed(&mut prompt, "/权重 acc");
    let mut enlarged = open("flash-attention", 80, 24);
    typed(&mut enlarged, "sw");
    for (width, height) in
        [(0, 0), (1, 1), (39, 9), (40, 10), (41, 11), (300, 100), (1, 100), (300, 1), (79, 24), (119, 29)]
    {
        for app in [&mut plain, &mut help, &mut prompt, &mut enlarged] {
            update(app, Command::Resize(width, height));
            frame(app, width, height);
            // A frame of another size than the app was told happens while a resize is under way.
            frame(app, width / 2, height + 3);
        }
    }
}

#[test]
fn an_empty_plan_and_a_plan_of_one_step_are_shown() {
    let empty = session(GraphBuilder::new(Name::new("empty")).build().expect("an empty graph is sound"));
    let mut one = GraphBuilder::new(Name::new("one"));
    let l1 = one.intern("L1").expect("a symbol");
    one.alloc(0, 0, 4096, l1);
    let one = session(one.build().expect("sound"));
    let mut random = Random(5);
    for session in [empty, one] {
        let mut app = App::new(session, mono());
        let mut size = (130, 40);
        update(&mut app, Command::Resize(130, 40));
        for place in [Where::Peak, Where::FirstSpill, Where::Failure, Where::Step(usize::MAX)] {
            app.open_at(place);
            frame(&app, 130, 40);
        }
        for _ in 0..300 {
            random_input(&mut app, &mut random, &mut size);
            frame(&app, size.0, size.1);
        }
    }
}

#[test]
fn going_by_steps_by_seeking_and_by_playing_ends_in_the_same_state() {
    let mut walked = open("flash-attention", 130, 40);
    let mut jumped = open("flash-attention", 130, 40);
    let mut played = open("flash-attention", 130, 40);
    (0..123).for_each(|_| _ = press(&mut walked, KeyCode::Right));
    typed(&mut jumped, "400G277h");
    typed(&mut played, " ");
    while played.step() < 123 {
        update(&mut played, Command::Tick(Duration::from_millis(250)));
    }
    assert_eq!((walked.step(), jumped.step(), played.step()), (123, 123, 123));
    assert_eq!(walked.state(), jumped.state());
    assert_eq!(walked.state(), played.state());
    assert_eq!(text(&walked, 130, 40), text(&open_at_step("flash-attention", 123), 130, 40));
}

fn open_at_step(name: &str, step: usize) -> App {
    let mut app = open(name, 130, 40);
    app.open_at(Where::Step(step));
    app
}

#[test]
fn paused_means_no_timer_and_playing_stops_at_the_end() {
    let mut app = open("first-spill", 80, 24);
    assert_eq!(app.next_tick(), None);
    typed(&mut app, " ");
    assert!(app.next_tick().is_some());
    for _ in 0..1000 {
        update(&mut app, Command::Tick(Duration::from_secs(1)));
    }
    assert_eq!(app.next_tick(), None, "nothing is left to play");
    assert_eq!(app.step(), app.trace().step_count() - 1);
    assert_eq!(update(&mut app, Command::Tick(Duration::from_secs(1))), Effect::None);
}

#[test]
fn every_binding_does_something_or_says_why_not() {
    for binding in BINDINGS {
        let mut app = open("flash-attention", 130, 40);
        typed(&mut app, "100G");
        let before = (text(&app, 130, 40), format!("{:?}", app.prefs), *app.playback());
        let effect = update(&mut app, binding.command.clone());
        let after = (text(&app, 130, 40), format!("{:?}", app.prefs), *app.playback());
        assert!(before != after || effect != Effect::Redraw, "{} changes nothing", binding.help);
    }
}

#[test]
fn keys_without_meaning_say_so_and_releases_do_nothing() {
    let mut app = open("first-spill", 80, 24);
    press(&mut app, KeyCode::Char('Q'));
    assert!(text(&app, 80, 24).contains("Q has no meaning here"));
    let release = KeyEvent::new_with_kind(KeyCode::Right, KeyModifiers::NONE, KeyEventKind::Release);
    assert_eq!(command_for(&app, release), None);
}

#[test]
fn help_is_complete_on_the_smallest_screens() {
    for (width, height) in [(40, 12), (80, 24), (200, 60)] {
        let mut app = open("first-spill", width, height);
        typed(&mut app, "?");
        let mut seen = String::new();
        for _ in 0..200 {
            // Without the frame and the spaces, so that wrapped words join.
            seen += &text(&app, width, height).replace(['│', '\n', ' '], "");
            press(&mut app, KeyCode::Down);
        }
        for binding in BINDINGS {
            let words = binding.help.split(' ');
            assert!(words.clone().all(|word| seen.contains(word)), "{width}x{height}: {}", binding.help);
        }
        for sign in ["S", "R", "P", "W", "F", "░"] {
            assert!(seen.contains("Signs") && seen.contains(sign), "{width}x{height}: what {sign} means");
        }
        press(&mut app, KeyCode::Esc);
        assert!(matches!(app.mode(), Mode::Browse));
    }
}

#[test]
fn jumps_find_what_they_name_and_come_back() {
    let mut app = open("flash-attention", 130, 40);
    typed(&mut app, "s");
    let first = app.step();
    assert!(text(&app, 130, 40).contains("SPILL_OUT"));
    typed(&mut app, "2s");
    assert!(app.step() > first);
    typed(&mut app, "2S");
    assert_eq!(app.step(), first);
    typed(&mut app, "magG'a");
    assert_eq!(app.step(), first);
    typed(&mut app, "g50%");
    assert_eq!(app.step(), (app.trace().step_count() - 1) / 2);
    press(&mut app, KeyCode::Backspace);
    assert_eq!(app.step(), 0);
    typed(&mut app, "gS");
    assert!(app.notice().is_some_and(|notice| notice.contains("no spill before")));
}

#[test]
fn a_story_crosses_over_between_the_halves_of_a_spill() {
    let mut app = open("first-spill", 130, 40);
    typed(&mut app, "s\n");
    let out = app.step();
    assert!(app.story().is_some());
    typed(&mut app, "\n");
    let back = app.step();
    assert!(back > out, "Enter at the SPILL_OUT goes to its SPILL_IN");
    typed(&mut app, "\n");
    assert_eq!(app.step(), out);
    press(&mut app, KeyCode::Esc);
    assert!(app.story().is_none());
}

#[test]
fn a_search_goes_round_and_says_what_it_did_not_find() {
    let mut app = open("flash-attention", 130, 40);
    typed(&mut app, "/spill_in\n");
    let first = app.step();
    typed(&mut app, "n");
    assert!(app.step() > first);
    typed(&mut app, "N");
    assert_eq!(app.step(), first);
    typed(&mut app, "/no such thing\n");
    assert!(app.notice().is_some_and(|notice| notice.contains("no step matches")));
    assert_eq!(app.step(), first);
}

#[test]
fn the_log_shows_what_the_filter_lets_through() {
    let mut app = open("flash-attention", 200, 60);
    typed(&mut app, "s&spill\n");
    let screen = text(&app, 200, 60);
    assert!(screen.contains("filter: spill"));
    let events = app.trace().events();
    let lines = spillscope::app::log::around(app.trace(), app.filter(), app.position(), 50, 50).lines;
    assert!(lines.len() > 1);
    let spills = |at: &usize| spillscope::trace::Mark::of(&events[*at]) == Some(spillscope::trace::Mark::Spill);
    assert!(lines.iter().all(spills));
    press(&mut app, KeyCode::Esc);
    assert!(app.filter().is_empty());
}

#[test]
fn a_click_on_the_timeline_seeks_and_on_a_cell_selects() {
    let mut app = open("flash-attention", 130, 40);
    let timeline = app.layout().content(spillscope::app::Pane::Timeline);
    update(&mut app, Command::Click { x: timeline.right() - 1, y: timeline.y });
    assert!(app.step() * 100 / app.trace().step_count() >= 98);
    update(&mut app, Command::Drag { x: 0, y: 0 });
    assert_eq!(app.step(), 0);
    typed(&mut app, "s");
    let cells = app.map().cells;
    update(&mut app, Command::Click { x: cells.x, y: cells.y });
    assert!(app.selected_buffer().is_some());
}

#[test]
fn a_failed_plan_opens_at_its_diagnosis() {
    let app = App::new(sample("no-plan"), mono());
    assert_eq!(Some(app.step()), app.trace().failing_step());
    for (width, height) in [(200, 60), (130, 40), (80, 24), (40, 12)] {
        let app = open("no-plan", width, height);
        let screen = text(&app, width, height);
        assert!(screen.contains("No plan") && screen.contains("FAILED"), "{width}x{height}\n{screen}");
    }
}

#[test]
fn names_with_wide_combining_and_control_characters_keep_the_columns() {
    let wide = odd_names("权重权重权重 cafe\u{301} \u{1b}[31m\u{202e}");
    let plain = odd_names("abcdefghijk");
    for (width, height) in [(200, 60), (130, 40), (80, 24), (60, 20)] {
        for keys in ["s", "sz", "s\t\t\t\t\t\tz", "/权\n"] {
            let (mut a, mut b) = (App::new(session(wide.clone()), mono()), App::new(session(plain.clone()), mono()));
            for app in [&mut a, &mut b] {
                update(app, Command::Resize(width, height));
                typed(app, keys);
            }
            let (a, b) = (frame(&a, width, height), frame(&b, width, height));
            for y in 0..height {
                let ends = |buffer: &ratatui::buffer::Buffer| buffer[(width - 1, y)].symbol().to_owned();
                assert_eq!(ends(&a) == "│", ends(&b) == "│", "{width}x{height} row {y}");
            }
            assert!(a.content.iter().all(|cell| !cell.symbol().contains(['\u{1b}', '\u{202e}'])));
        }
    }
}

/// A graph whose buffers and operations have that name, too large for L1 at once.
fn odd_names(name: &str) -> spillscope::model::Graph {
    let mut graph = GraphBuilder::new(Name::new(name));
    let [l1, op, pipe] = ["L1", name, "MTE2"].map(|text| graph.intern(text).expect("a symbol"));
    for buf in 0..6 {
        graph.alloc(buf, buf, 1000, l1);
        graph.op(100 + buf, op, pipe, 10, &[buf]);
    }
    for buf in 0..6 {
        graph.op(200 + buf, op, pipe, 10, &[buf]);
        graph.free(300 + buf, buf);
    }
    graph.nodes.iter_mut().for_each(|node| node.name = Some(Name::new(name)));
    graph.build().expect("sound")
}

/// Prints what a million steps cost; no assertion, since machines differ.
#[test]
#[ignore = "for measuring"]
fn measure_a_million_steps() {
    use std::time::Instant;
    let config = spillscope::generate::random::Config { nodes: 1_000_000, ..Default::default() };
    let graph = spillscope::generate::random::generate(&config).expect("a sound configuration");
    let session = session(graph);
    let started = Instant::now();
    let mut app = App::new(session, mono());
    update(&mut app, Command::Resize(200, 60));
    println!("{} steps; opened in {:?}", app.trace().step_count(), started.elapsed());
    let mut random = Random(3);
    let mut times = |app: &mut App, what: &str, act: &mut dyn FnMut(&mut App, &mut Random)| {
        let mut spent: Vec<_> = (0..200)
            .map(|_| {
                let started = Instant::now();
                act(app, &mut random);
                started.elapsed()
            })
            .collect();
        spent.sort();
        println!("{what}: median {:?}, worst {:?}", spent[100], spent[199]);
    };
    times(&mut app, "step", &mut |app, _| _ = press(app, KeyCode::Right));
    times(&mut app, "seek", &mut |app, random| app.open_at(Where::Step(random.below(1_000_000) as usize)));
    times(&mut app, "next spill", &mut |app, _| _ = press(app, KeyCode::Char('s')));
    times(&mut app, "seek and draw", &mut |app, random| {
        app.open_at(Where::Step(random.below(1_000_000) as usize));
        frame(app, 200, 60);
    });
    times(&mut app, "draw", &mut |app, _| _ = frame(app, 200, 60));
    typed(&mut app, "\t\t0");
    assert_eq!(app.focus(), spillscope::app::Pane::Map);
    times(&mut app, "step, the map showing the whole plan", &mut |app, _| _ = press(app, KeyCode::Right));
    times(&mut app, "zoom of the map", &mut |app, random| {
        _ = press(app, KeyCode::Char(['+', '-'][random.below(2) as usize]));
    });
    typed(&mut app, "oo");
    times(&mut app, "the same, by next use", &mut |app, random| {
        _ = press(app, KeyCode::Char(['+', '-'][random.below(2) as usize]));
    });
    typed(&mut app, "a0");
    times(&mut app, "step, all levels of the whole plan", &mut |app, _| _ = press(app, KeyCode::Right));
    times(&mut app, "draw that", &mut |app, _| _ = frame(app, 200, 60));
    times(&mut app, "step on the critical path", &mut |app, _| typed(app, "}"));
    times(&mut app, "buffers by what moved, at a random step", &mut |app, random| {
        if app.buffer_order() == spillscope::app::moved::BufferOrder::Address {
            typed(app, "B");
        }
        typed(app, &format!("{}G", random.below(1_000_000)));
    });
    times(&mut app, "the whole plan's lanes, at a random step", &mut |app, random| {
        while app.focus() != Pane::Units {
            press(app, KeyCode::Tab);
        }
        typed(app, &format!("0{}G", random.below(1_000_000)));
        frame(app, 200, 60);
    });
    times(&mut app, "search", &mut |app, _| typed(app, "/nothing like it\n"));
}

/// Prints what the comparison of two plans of a million steps costs; no assertion, since machines differ.
#[test]
#[ignore = "for measuring"]
fn measure_a_comparison_of_a_million_steps() {
    use std::time::Instant;
    let config = spillscope::generate::random::Config { nodes: 1_000_000, ..Default::default() };
    let session = session(spillscope::generate::random::generate(&config).expect("a sound configuration"));
    let mut setup = session.setup();
    setup.options.on_full = vec![spillscope::model::Fallback::SpillMany];
    let rival = setup.plan(&spillscope::session::Meter::default(), &mut |_| {}).expect("it has an order");
    let mut app = App::new(session, mono());
    update(&mut app, Command::Resize(200, 60));
    let version = spillscope::app::Version { session: rival.into(), change: String::new(), origin: None };
    app.may_be_compared_with(Some(version));
    let mut timed = |what: &str, keys: &str| {
        let started = Instant::now();
        typed(&mut app, keys);
        let pressed = started.elapsed();
        frame(&app, 200, 60);
        println!("{what}: {pressed:?}, with its frame {:?}", started.elapsed());
    };
    for (what, keys) in [("open", "d"), ("next parting", ";"), ("step", "l"), ("half-way", "50%"), ("exchange", "X")] {
        timed(what, keys);
    }
}

#[test]
fn a_jump_shows_the_level_in_which_it_happened() {
    let mut app = open("postpone", 130, 40);
    typed(&mut app, "gvvve");
    assert_eq!(app.trace().problem.level(app.level()).name.raw(), "L0C", "where the postponed buffer lives");
}

#[test]
fn where_no_plan_can_exist_the_reason_stays_on_the_screen() {
    let mut graph = GraphBuilder::new(Name::new("too large"));
    let l1 = graph.intern("L1").expect("a symbol");
    graph.alloc(0, 7, 5000, l1);
    let mut app = App::new(session(graph.build().expect("sound")), mono());
    update(&mut app, Command::Resize(130, 40));
    assert_eq!(app.trace().step_count(), 0);
    for keys in ["", "l", "hG", "50%", "sep"] {
        typed(&mut app, keys);
        let screen = text(&app, 130, 40);
        assert!(screen.contains("No plan exists") && screen.contains("[Failure]"), "{keys}\n{screen}");
    }
}
