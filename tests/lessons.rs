//! The lessons that come with the program: each is played to its end through the keys, at the smallest usual size and at
//! a large one, and every anchor, caption and choice is seen on the way.

mod support;

use std::sync::Arc;

use crossterm::event::KeyCode;
use spillscope::app::lesson::{Reached, Shelf, ShelfEntry, Standing};
use spillscope::app::words::wrap;
use spillscope::app::{App, Command, Effect, Mode, settle, update};
use spillscope::cli::learn::built_in;
use spillscope::lesson::Lesson;
use spillscope::model::SplitMix64;
use spillscope::session::Session;
use support::{mono, press, text, typed};

const SIZES: [(u16, u16); 2] = [(80, 24), (130, 40)];

/// What VISUALIZER asks for, in its order.
const NAMES: [&str; 12] = [
    "why-memory-fills",
    "first-spill",
    "backed",
    "postpone",
    "fragmentation",
    "thrash",
    "no-plan",
    "early-release",
    "buckets",
    "critical-path",
    "window",
    "search",
];

fn lessons() -> Vec<Arc<Lesson>> {
    built_in().unwrap_or_else(|error| panic!("{error}")).into_iter().map(Arc::new).collect()
}

fn shelf(lessons: &[Arc<Lesson>], current: usize) -> Arc<Shelf> {
    let entries = lessons.iter().map(|lesson| ShelfEntry {
        id: lesson.id.clone(),
        title: lesson.title.clone(),
        aim: lesson.aim.clone(),
        stations: lesson.stations.len(),
        standing: Standing::New,
    });
    Arc::new(Shelf { entries: entries.collect(), current: Some(current) })
}

fn open(lessons: &[Arc<Lesson>], at: usize, (width, height): (u16, u16)) -> App {
    let from = Reached { station: 0, done: false };
    let mut app = App::learn(Arc::clone(&lessons[at]), shelf(lessons, at), mono(), from, false);
    update(&mut app, Command::Resize(width, height));
    app
}

fn is_shown(app: &App, session: &Arc<Session>) -> bool {
    std::ptr::eq(app.session(), Arc::as_ptr(session))
}

/// All of `words` is on the screen, wherever it is wrapped.
#[track_caller]
fn assert_told(screen: &str, words: &str, who: &str) {
    let bare = |text: &str| text.split_whitespace().collect::<String>();
    assert!(bare(screen).contains(&bare(words)), "{who}: {words}\n{screen}");
}

#[test]
fn there_are_twelve_in_their_order_each_of_the_right_length() {
    let lessons = lessons();
    assert_eq!(lessons.iter().map(|lesson| lesson.id.as_str()).collect::<Vec<_>>(), NAMES);
    for lesson in &lessons {
        assert!((4..=8).contains(&lesson.stations.len()), "{}: {} stations", lesson.id, lesson.stations.len());
        assert!(!lesson.learned.is_empty() && !lesson.to_try.is_empty(), "{}", lesson.id);
        for (at, station) in lesson.stations.iter().enumerate() {
            let lines = wrap(&station.caption, 78, 0).len();
            assert!(lines <= 4, "{} {at}: {lines} lines\n{}", lesson.id, station.caption);
            assert!(!station.look.is_empty(), "{} {at} points at nothing", lesson.id);
        }
    }
    let asking = lessons.iter().filter(|lesson| lesson.stations.iter().any(|station| station.question.is_some()));
    assert!(asking.count() >= 6);
}

#[test]
fn every_lesson_is_played_to_its_end_and_meets_each_anchor() {
    let lessons = lessons();
    for (at, lesson) in lessons.iter().enumerate() {
        for size in SIZES {
            let mut app = open(&lessons, at, size);
            for (number, station) in lesson.stations.iter().enumerate() {
                let who = format!("{} {number} {size:?}", lesson.id);
                let screen = text(&app, size.0, size.1);
                assert_eq!((app.player().unwrap().at(), app.step()), (number, station.step), "{who}");
                assert!(is_shown(&app, &lesson.plans[station.plan].session), "{who}: the plan");
                assert_eq!(app.player().unwrap().pages(), (0, 1), "{who}: the caption is cut\n{screen}");
                assert_told(&screen, &station.caption, &who);
                assert!(screen.contains(&format!("{}/{}", number + 1, lesson.stations.len())), "{who}\n{screen}");
                press(&mut app, KeyCode::Enter);
            }
            assert!(app.player().unwrap().reached().done, "{}", lesson.id);
            let screen = text(&app, size.0, size.1);
            assert_told(&screen, &format!("Learnt: {}", lesson.learned), &lesson.id);
            assert_eq!(app.player().unwrap().pages(), (0, 1), "{}: the end is cut\n{screen}", lesson.id);
            let effect = press(&mut app, KeyCode::Enter);
            if at + 1 < lessons.len() {
                assert_eq!(effect, Effect::Lesson(at + 1), "the next lesson is one key away");
            } else {
                assert!(matches!(app.mode(), Mode::Lessons(_)), "the last ends in the list");
            }
        }
    }
}

#[test]
fn every_choice_shows_what_the_engine_makes_of_it() {
    let lessons = lessons();
    let mut priced = 0;
    for (at, lesson) in lessons.iter().enumerate() {
        for (number, station) in lesson.stations.iter().enumerate() {
            let Some(question) = &station.question else { continue };
            for size in SIZES {
                let mut app = open(&lessons, at, size);
                (0..number).for_each(|_| drop(press(&mut app, KeyCode::Enter)));
                assert!(app.is_veiled(), "{} {number}", lesson.id);
                for (choice, chosen) in question.choices.iter().enumerate() {
                    let who = format!("{} {number} choice {choice} {size:?}", lesson.id);
                    typed(&mut app, &(choice + 1).to_string());
                    let screen = text(&app, size.0, size.1);
                    assert_eq!(app.player().unwrap().pages(), (0, 1), "{who}: it is cut\n{screen}");
                    assert_told(&screen, &chosen.answer, &who);
                    let Some(cost) = &chosen.cost else { continue };
                    priced += 1;
                    assert!(is_shown(&app, &cost.session), "{who}");
                    assert_eq!((app.step(), cost.session.broken()), (cost.step, None), "{who}");
                    assert_told(&screen, &cost.figures, &who);
                }
                press(&mut app, KeyCode::Enter);
                assert_eq!(app.player().unwrap().at(), number + 1, "{} goes on from the answer", lesson.id);
            }
        }
    }
    assert!(priced >= 2 * 15, "only {priced} choices have a price");
}

#[test]
fn a_caption_with_a_small_screen_has_pages_and_loses_nothing() {
    let lessons = lessons();
    for size in [(60, 20), (40, 12), (40, 10), (100, 30), (200, 60), (20, 5), (0, 0)] {
        for at in 0..lessons.len() {
            let mut app = open(&lessons, at, size);
            let mut presses = 0;
            let mut told = vec![String::new(); lessons[at].stations.len() + 1];
            while !app.player().unwrap().reached().done {
                let player = app.player().unwrap();
                let lines = player.lines().iter().map(|line| line.text.trim().to_owned() + " ");
                told[player.at()] += &lines.collect::<String>();
                text(&app, size.0, size.1);
                press(&mut app, KeyCode::Enter);
                presses += 1;
                assert!(presses < 1000, "{} {size:?} never ends", lessons[at].id);
            }
            for (station, told) in lessons[at].stations.iter().zip(&told).filter(|_| size.0 >= 40) {
                let bare = |text: &str| text.split_whitespace().collect::<String>();
                assert!(bare(told).contains(&bare(&station.caption)), "{} {size:?}: {told}", lessons[at].id);
            }
        }
    }
}

#[test]
fn one_looks_around_freely_and_going_on_returns_to_the_station() {
    let lessons = lessons();
    let mut app = open(&lessons, 1, (100, 30));
    press(&mut app, KeyCode::Enter);
    press(&mut app, KeyCode::Enter);
    let (station, step) = (app.player().unwrap().at(), app.step());
    typed(&mut app, "ll");
    assert_eq!(app.step(), step + 2, "keys that move work beside the caption");
    press(&mut app, KeyCode::Esc);
    assert!(!app.player().unwrap().is_open());
    assert!(!text(&app, 100, 30).contains("Lesson 2 of 12"), "the caption has made way");
    typed(&mut app, "\n");
    assert!(app.story().is_some() || app.notice().is_some(), "Enter looks into things again");
    typed(&mut app, "L");
    assert!(app.player().unwrap().is_open());
    assert_eq!((app.player().unwrap().at(), app.step()), (station, step), "back where the station is");
    typed(&mut app, "G");
    press(&mut app, KeyCode::Backspace);
    assert_eq!(app.player().unwrap().at(), station - 1);
    assert_eq!(app.step(), lessons[1].stations[station - 1].step);
}

#[test]
fn what_is_asked_about_is_hidden_until_it_is_answered() {
    let lessons = lessons();
    let mut app = open(&lessons, 1, (130, 40));
    press(&mut app, KeyCode::Enter);
    let screen = text(&app, 130, 40);
    assert!(app.is_veiled() && !screen.contains("SPILL_OUT") && screen.contains("Who should leave?"), "{screen}");
    typed(&mut app, "9");
    assert!(app.notice().is_some_and(|notice| notice.contains("1 to 3")), "{:?}", app.notice());
    typed(&mut app, "2");
    let screen = text(&app, 130, 40);
    assert!(!app.is_veiled() && screen.contains("SPILL_OUT b2"), "the panes show the choice\n{screen}");
    typed(&mut app, "1");
    let screen = text(&app, 130, 40);
    assert!(screen.contains("▸1  image: 1 spill") && screen.contains(" 2  hidden: 2 spills"), "both prices\n{screen}");
}

#[test]
fn the_list_opens_over_the_lesson_and_leads_to_any_other() {
    let lessons = lessons();
    for (width, height) in [(80, 24), (40, 12), (130, 40)] {
        let mut app = open(&lessons, 0, (width, height));
        typed(&mut app, "L");
        let screen = text(&app, width, height);
        assert!(screen.contains("Lessons") && screen.contains("Why memory fills"), "{screen}");
        typed(&mut app, "jjj");
        assert!(text(&app, width, height).contains("Postpone in place"));
        assert_eq!(press(&mut app, KeyCode::Enter), Effect::Lesson(3));
        typed(&mut app, "L");
        typed(&mut app, "G");
        assert!(text(&app, width, height).contains("Search"), "the last is brought to sight");
        press(&mut app, KeyCode::Esc);
        assert!(matches!(app.mode(), Mode::Browse) && app.player().unwrap().is_open());
    }
}

#[test]
fn without_a_lesson_its_keys_mean_what_they_always_did() {
    let mut app = support::open("first-spill", 100, 30);
    typed(&mut app, "L");
    assert!(app.notice().is_some_and(|notice| notice.contains("spillscope learn")));
    typed(&mut app, "3l");
    assert_eq!(app.step(), 3, "digits count");
}

/// Keys that a person may press in a lesson, in any order.
const STORM: [KeyCode; 20] = [
    KeyCode::Enter,
    KeyCode::Enter,
    KeyCode::Enter,
    KeyCode::Backspace,
    KeyCode::Esc,
    KeyCode::Tab,
    KeyCode::Right,
    KeyCode::Left,
    KeyCode::Down,
    KeyCode::Char('1'),
    KeyCode::Char('2'),
    KeyCode::Char('3'),
    KeyCode::Char('L'),
    KeyCode::Char('s'),
    KeyCode::Char('w'),
    KeyCode::Char('z'),
    KeyCode::Char('c'),
    KeyCode::Char('u'),
    KeyCode::Char('G'),
    KeyCode::Char(']'),
];

#[test]
fn a_storm_of_keys_and_sizes_leaves_every_lesson_standing() {
    let lessons = lessons();
    let mut dice = SplitMix64::new(12);
    for at in 0..lessons.len() {
        let mut app = open(&lessons, at, (80, 24));
        for _ in 0..300 {
            let key = STORM[dice.index(STORM.len())];
            let effect = press(&mut app, key);
            settle(&mut app, effect);
            if dice.below(10) == 0 {
                let size = (dice.below(150) as u16, dice.below(60) as u16);
                update(&mut app, Command::Resize(size.0, size.1));
                text(&app, size.0, size.1);
            }
            let trace = app.trace();
            let mut cursor = trace.cursor();
            trace.seek(&mut cursor, app.position());
            assert_eq!(cursor.state(), app.state(), "{} at step {}", lessons[at].id, app.step());
        }
    }
}
