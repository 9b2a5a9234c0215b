//! The failure as rows to walk along: the diagnosis of a plan that failed, the broken rules of a foreign one.

use std::sync::Arc;

use crossterm::event::KeyCode;
use spillscope::app::{App, Command, Effect, Pane, Where, update};
use spillscope::check;
use spillscope::model::{GraphBuilder, Name};
use spillscope::session::{Recorded, Session};

use super::support::{SAMPLES, mono, open, press, sample, session, text, typed};

/// The sample with a plan that was not made here: one step moved, so that rules are broken.
fn foreign(name: &str, change: impl FnOnce(&mut spillscope::model::RawPlan)) -> Arc<Session> {
    let mut session = Session::clone(&sample(name));
    let mut raw = session.trace.plan.to_raw(&session.trace.problem.graph);
    change(&mut raw);
    session.check = check::check(&session.trace.problem, &raw);
    session.recorded = Some(Recorded { measured: false, ended: None, from: None });
    Arc::new(session)
}

fn opened(session: Arc<Session>, width: u16, height: u16) -> App {
    let mut app = App::new(session, mono());
    update(&mut app, Command::Resize(width, height));
    app
}

/// Two placements of the plan of `first-spill` at the same address.
fn overlapping() -> Arc<Session> {
    foreign("first-spill", |raw| raw.memory.iter_mut().for_each(|(_, offset)| *offset = 0))
}

#[test]
fn the_autopsy_on_the_screen() {
    for (width, height) in [(200, 60), (130, 40), (80, 24), (60, 20)] {
        let mut app = open("no-plan", width, height);
        typed(&mut app, "jjz");
        insta::assert_snapshot!(format!("autopsy-alone-{width}x{height}"), text(&app, width, height));
    }
    let mut app = open("no-plan", 80, 24);
    typed(&mut app, "99j");
    insta::assert_snapshot!("autopsy-end-80x24", text(&app, 80, 24));
}

#[test]
fn each_row_leads_where_it_says() {
    let mut app = open("no-plan", 130, 40);
    assert_eq!(app.focus(), Pane::Failure);
    let (mut seen, mut last) = (Vec::new(), usize::MAX);
    while app.rows().failure != last {
        last = app.rows().failure;
        let mut there = app.clone();
        let promised = there.notice().unwrap_or_default().to_owned();
        let effect = press(&mut there, KeyCode::Enter);
        if promised.contains("story") {
            assert!(there.story().is_some() && there.focus() == Pane::Buffers, "{promised}");
        } else if let Some(step) = promised.strip_prefix("Enter goes to step ") {
            assert_eq!(there.step().to_string(), step);
        } else if promised.contains("plans again") {
            assert_eq!(effect, Effect::Redraw);
            assert!(there.session().diagnosis.is_none(), "{promised}: {:?}", there.notice());
            assert!(there.notice().is_some_and(|notice| notice.contains("there is a plan")), "{:?}", there.notice());
            typed(&mut there, "u");
            assert!(there.session().diagnosis.is_some() && there.fails_somewhere());
        }
        seen.push(promised);
        typed(&mut app, "j");
    }
    let count = |part: &str| seen.iter().filter(|promised| promised.contains(part)).count();
    assert!(count("story") >= 3 && count("goes to step") >= 2 && count("plans again") >= 2, "{seen:?}");
}

trait Fails {
    fn fails_somewhere(&self) -> bool;
}

impl Fails for App {
    fn fails_somewhere(&self) -> bool {
        self.has_failure() && self.layout().tabs.iter().any(|(pane, _)| *pane == Pane::Failure)
    }
}

/// The job of a newcomer: why does it fail, and what is the least change that mends it? In both usual sizes.
#[test]
fn a_newcomer_finds_cause_and_least_remedy_of_no_plan_within_eight_keys() {
    for (width, height) in [(80, 24), (130, 40)] {
        let mut app = open("no-plan", width, height);
        let screen = text(&app, width, height);
        for part in ["no room for b12", "the largest has 128", "b6 (128) stands", "--spill-l0  works", "L0C=768  works"]
        {
            assert!(screen.contains(part), "{width}x{height}, without a key: {part}\n{screen}");
        }
        let mut keys = 0;
        while !app.notice().is_some_and(|notice| notice.contains("--capacity L0C=768")) {
            press(&mut app, KeyCode::Down);
            keys += 1;
        }
        press(&mut app, KeyCode::Enter);
        keys += 1;
        assert!(app.session().diagnosis.is_none(), "{:?}", app.notice());
        assert!(keys <= 8, "{width}x{height}: {keys} keys");
        // Or by its number, in two.
        let mut app = open("no-plan", width, height);
        typed(&mut app, "1\n");
        assert!(app.session().diagnosis.is_none() && app.notice().is_some_and(|notice| notice.contains("--spill-l0")));
    }
}

#[test]
fn a_number_that_is_no_remedy_is_said() {
    let mut app = open("no-plan", 130, 40);
    typed(&mut app, "9\n");
    assert!(app.notice().is_some_and(|notice| notice.contains("no remedy 9")), "{:?}", app.notice());
    assert!(app.session().diagnosis.is_some());
}

#[test]
fn a_click_on_the_selected_remedy_plans_again() {
    let mut app = open("no-plan", 130, 40);
    let content = app.layout().content(Pane::Failure);
    let screen = text(&app, 130, 40);
    let line = screen.lines().position(|line| line.contains("--spill-l0  works")).expect("it is in sight");
    let click = Command::Click { x: content.x + 9, y: line as u16 };
    assert_eq!(update(&mut app, click.clone()), Effect::Redraw);
    assert!(app.notice().is_some_and(|notice| notice.contains("plans again with --spill-l0")), "{:?}", app.notice());
    assert!(matches!(update(&mut app, click), Effect::Replan(_)));
}

#[test]
fn broken_rules_of_a_foreign_plan_open_at_the_first_broken_step() {
    let session = overlapping();
    let broken = session.check.broken.clone();
    assert!(broken.len() > 1 && broken[0].step.is_some(), "{broken:?}");
    for (width, height) in [(130, 40), (80, 24), (60, 20)] {
        let app = opened(Arc::clone(&session), width, height);
        assert_eq!((Some(app.step()), app.focus()), (broken[0].step, Pane::Failure));
        insta::assert_snapshot!(format!("broken-{width}x{height}"), text(&app, width, height));
    }
    let mut app = opened(session, 130, 40);
    for rule in &broken {
        typed(&mut app, "j\n");
        assert_eq!(Some(app.step()), rule.step, "{rule}");
        assert_eq!(app.focus(), Pane::Failure, "the panel stays at a broken step");
    }
    app.open_at(Where::Failure);
    assert_eq!(Some(app.step()), broken[0].step);
    typed(&mut app, "gh");
    assert!(text(&app, 130, 40).contains("[This step]"), "elsewhere the step is told");
}

#[test]
fn more_broken_rules_than_are_listed_are_said_to_be_more() {
    let session = foreign("flash-attention", |raw| raw.schedule.reverse());
    assert!(session.check.seen > session.check.broken.len());
    let app = opened(session, 130, 40);
    assert!(text(&app, 130, 40).contains("more than 40 broken rules"), "{}", text(&app, 130, 40));
}

#[test]
fn a_rule_without_a_step_leads_to_its_buffer_or_nowhere() {
    let session = foreign("first-spill", |raw| raw.memory.truncate(3));
    let mut app = opened(session, 130, 40);
    typed(&mut app, "j\n");
    let screen = text(&app, 130, 40);
    assert!(screen.contains("R1") && (app.story().is_some() || app.notice().is_some()), "{screen}");
}

#[test]
fn a_sound_foreign_plan_has_no_such_pane() {
    for name in SAMPLES.iter().filter(|name| **name != "no-plan") {
        let app = opened(foreign(name, |_| ()), 80, 24);
        assert!(!app.has_failure() && !app.layout().tabs.iter().any(|(pane, _)| *pane == Pane::Failure), "{name}");
    }
}

/// Operands that exceed their level: the set is named, and no step is there to stand at.
#[test]
fn operands_that_cannot_be_together_are_named() {
    let mut graph = GraphBuilder::new(Name::new("too many"));
    let [l1, op, pipe] = ["L1", "ADD", "VECTOR"].map(|text| graph.intern(text).expect("a symbol"));
    for (buf, size) in [(1, 3000), (2, 2000), (3, 100), (4, 50)] {
        graph.alloc(buf, buf, size, l1);
    }
    graph.op(10, op, pipe, 1, &[1, 2, 3, 4]);
    (1..=4).for_each(|buf| graph.free(20 + buf, buf));
    let app = opened(session(graph.build().expect("sound")), 130, 40);
    let screen = text(&app, 130, 40);
    for part in ["No plan exists", "b1 (3 000) and b2 (2 000) together are too much", "L1=5150  works; no smaller"] {
        assert!(screen.contains(part), "{part}\n{screen}");
    }
}

/// Many holders: the largest have rows, the others are counted, and the remedies are not pushed out of reach.
#[test]
fn many_holders_are_counted() {
    let mut graph = GraphBuilder::new(Name::new("many"));
    let [l0c, op, pipe] = ["L0C", "MATMUL", "CUBE"].map(|text| graph.intern(text).expect("a symbol"));
    for buf in 0..32 {
        graph.alloc(buf, buf, 10 + buf % 3, l0c);
        graph.op(100 + buf, op, pipe, 1, &[buf]);
    }
    graph.alloc(50, 50, 300, l0c);
    graph.op(150, op, pipe, 1, &[50]);
    graph.free(250, 50);
    for buf in 0..32 {
        graph.op(300 + buf, op, pipe, 1, &[buf]);
        graph.free(400 + buf, buf);
    }
    graph.schedule = Some(graph.nodes.iter().map(|node| node.id).collect());
    let mut app = opened(session(graph.build().expect("sound")), 130, 40);
    assert!(app.has_failure());
    typed(&mut app, "z");
    let screen = text(&app, 130, 40);
    // Cut where lines break, and so looked for in short.
    for part in
        ["and 24 more; the Buffers pane has them all", "needed together are too", "and 20 more, none of them larger"]
    {
        assert!(screen.contains(part), "{part}\n{screen}");
    }
}
