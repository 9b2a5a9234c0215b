//! How a search came to its plan: each better plan on the way can be looked at.

use crossterm::event::KeyCode;
use spillscope::app::{App, Mode};

use crate::support::{open, press, text, typed};

/// A sample with a search of 1 000 evaluations behind it.
fn searched(sample: &str, width: u16, height: u16) -> App {
    let mut app = open(sample, width, height);
    let mut setup = app.setup();
    let search = *spillscope::app::knobs::knobs(&setup).last().expect("the search is the last knob");
    search.set(&mut setup, "1000").expect("a number");
    let effect = app.what_if(setup, "search".into());
    spillscope::app::settle(&mut app, effect);
    app
}

#[test]
fn the_curve_and_the_plans_on_the_way() {
    for (width, height) in [(200, 60), (130, 40), (80, 24), (60, 20)] {
        let mut app = searched("conv", width, height);
        typed(&mut app, "H");
        insta::assert_snapshot!(format!("history-{width}x{height}"), text(&app, width, height));
    }
}

#[test]
fn each_plan_of_the_history_can_be_shown_and_left_again() {
    let mut app = searched("conv", 130, 40);
    let history = app.session().searched.as_ref().expect("it was searched for").history.clone();
    assert!(history.len() >= 2);
    for row in (0..history.len()).rev() {
        typed(&mut app, "H");
        while !matches!(app.mode(), Mode::History(at) if *at == row) {
            press(&mut app, KeyCode::Up);
        }
        press(&mut app, KeyCode::Enter);
        assert_eq!(app.session().figures, history[row].figures);
        assert!(app.session().broken().is_none() && app.session().check.is_valid());
        typed(&mut app, "u");
        let before = &app.session().figures;
        assert!(row == 0 || *before == history[row - 1].figures, "the one that it bettered stands before it");
        typed(&mut app, if row == 0 { "" } else { "u" });
        assert_eq!(app.session().figures, history.last().expect("not empty").figures);
        press(&mut app, KeyCode::Esc);
    }
}

#[test]
fn a_plan_that_was_not_searched_for_has_no_history() {
    let mut app = open("conv", 130, 40);
    typed(&mut app, "H");
    assert!(app.notice().is_some_and(|notice| notice.contains("not searched for")), "{:?}", app.notice());
}
