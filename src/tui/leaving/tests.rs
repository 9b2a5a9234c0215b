use std::path::Path;
use std::sync::Arc;

use crossterm::event::{KeyCode, KeyEvent};

use super::*;
use crate::app::{Command, Mode, Prefs, update};
use crate::input::read_graph;
use crate::model::{Machine, Options, Order, Problem};
use crate::session::{Extras, Session};
use crate::tui::Program;

fn open(sample: &str, size: (u16, u16)) -> App {
    let path = format!("{}/samples/{sample}.json", env!("CARGO_MANIFEST_DIR"));
    let graph = Arc::new(read_graph(&path).expect("samples are sound"));
    let order = if graph.schedule().is_some() { Order::Given } else { Order::Program };
    let problem = Problem::new(graph, Machine::npu()).expect("it has every level");
    let extras = Extras { fractional_bound: false, remedies: false };
    let session = Session::plan(problem, Options::classic(order), extras).expect("it has an order");
    let mut app = App::new(Arc::new(session), Prefs::default());
    update(&mut app, Command::Resize(size.0, size.1));
    app
}

/// Types keys; `\n` is Enter. The effect of the last.
fn typed(app: &mut App, keys: &str) -> Effect {
    let code = |c| if c == '\n' { KeyCode::Enter } else { KeyCode::Char(c) };
    keys.chars().map(|c| Program::key(app, KeyEvent::from(code(c)))).last().unwrap_or(Effect::None)
}

/// Picks a row of the export menu and answers with a path.
fn export(app: &mut App, row: char, path: &Path) {
    typed(app, &format!("x{row}"));
    let Mode::Prompt { input, .. } = app.mode().clone() else { panic!("no name is asked for: {:?}", app.mode()) };
    for _ in input.value().chars() {
        Program::key(app, KeyEvent::from(KeyCode::Backspace));
    }
    typed(app, &format!("{}\n", path.display()));
}

fn notice(app: &App) -> String {
    app.notice().unwrap_or_default().to_owned()
}

#[test]
fn each_form_is_written_to_the_file_that_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut app = open("first-spill", (100, 30));
    typed(&mut app, "s");
    for (row, name, part) in [
        ('t', "a.txt", "This step"),
        ('a', "a.ans", "\x1b[0"),
        ('s', "a.svg", "<svg xmlns"),
        ('b', "b.txt", "b0 “image”"),
    ] {
        let path = folder.path().join(name);
        export(&mut app, row, &path);
        assert_eq!(notice(&app), format!("written: {}", path.display()));
        let text = std::fs::read_to_string(&path).expect("it is there");
        assert!(text.contains(part) && !text.contains("Write into a file"), "{name}: {text}");
    }
    let plan = folder.path().join("plan");
    export(&mut app, 'l', &plan);
    assert_eq!(std::fs::read_dir(&plan).expect("a folder").count(), 4);
}

#[test]
fn what_is_there_is_only_replaced_when_that_is_confirmed() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("f.txt");
    std::fs::write(&path, "old").expect("written");
    let mut app = open("first-spill", (100, 30));
    export(&mut app, 't', &path);
    typed(&mut app, "n");
    assert_eq!(
        (notice(&app).as_str(), std::fs::read_to_string(&path).expect("it").as_str()),
        ("left as it was", "old")
    );
    export(&mut app, 't', &path);
    typed(&mut app, "y");
    assert!(notice(&app).starts_with("written") && std::fs::read_to_string(&path).expect("it") != "old");

    let plan = folder.path().join("plan");
    std::fs::create_dir(&plan).expect("made");
    std::fs::write(plan.join("first-spill_spill.txt"), "old").expect("written");
    export(&mut app, 'l', &plan);
    assert!(matches!(app.mode(), Mode::Replace(_)), "{:?}", app.mode());
    typed(&mut app, "\n");
    assert_eq!(std::fs::read_dir(&plan).expect("a folder").count(), 1);
}

#[test]
fn what_cannot_be_written_is_told_and_leaves_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut app = open("no-plan", (100, 30));
    export(&mut app, 't', &folder.path().join("none/f.txt"));
    assert!(notice(&app).contains("cannot write"), "{}", notice(&app));
    assert_eq!(typed(&mut app, "xl"), Effect::Redraw);
    assert_eq!(notice(&app), "there is no plan", "a failed plan has no files");
    typed(&mut app, "\x1b");
    assert_eq!(std::fs::read_dir(folder.path()).expect("it").count(), 0);
}

#[test]
fn the_frame_is_copied_as_it_is_without_the_menu() {
    let mut app = open("first-spill", (100, 30));
    let Effect::Copy(text) = typed(&mut app, "syf") else { panic!("nothing is copied") };
    assert!(text.contains("gives up its place") && !text.contains("clipboard"), "{text}");
    assert_eq!(text.lines().count(), 30);
    let mut small = open("first-spill", (20, 5));
    let Effect::Copy(text) = typed(&mut small, "yf") else { panic!("nothing is copied") };
    assert_eq!(text.lines().count(), usize::from(USUAL_SIZE.1), "a screen without panes is of no use to anyone");
}
