//! `learn`: guided lessons, in the screen or as text.

mod classroom;
mod load;
mod progress;
mod text;

use std::sync::Arc;

use super::screen;
use crate::app::App;
use crate::app::lesson::{Reached, Shelf, ShelfEntry, Standing};
use crate::app::prefs::Prefs;
use crate::error::Error;
use crate::input::read_lesson;
use crate::lesson::Lesson;
use crate::model::clean;
use crate::tui;
use classroom::Classroom;
use load::{BUILT_IN, Which};
use progress::Progress;

/// Arguments of `learn`.
#[derive(clap::Args)]
pub struct Args {
    /// A lesson by name or number, or a lesson file of your own [default: the list of lessons]
    lesson: Option<String>,
    /// Print the lessons, with how far you have come
    #[arg(long, conflicts_with = "lesson")]
    list: bool,
    /// Leave the mouse to the terminal
    #[arg(long)]
    no_mouse: bool,
    #[command(flatten)]
    screen: screen::Flags,
}

/// What `--help` ends with.
pub const EXAMPLES: &str = "\
Examples:
  spillscope learn                              # choose a lesson
  spillscope learn first-spill                  # open one; 2 is the same
  spillscope learn mine.json                    # your own: see samples/lessons/README.md
  spillscope learn first-spill | less           # as text";

/// Opens the lesson or the list of lessons; where standard output is no terminal, prints it.
///
/// # Errors
/// Where there is no such lesson, or it is not as it must be.
pub fn run(args: &Args) -> Result<(), Error> {
    let progress = Progress::of_user();
    let (kept, trouble) = progress.read();
    let entries = shelf(&kept)?;
    if args.list {
        return super::print(&text::list(&entries));
    }
    let which = args.lesson.as_deref().map(Which::find).transpose()?;
    if !tui::stdout_is_terminal() {
        return super::print(&match which {
            None => text::list(&entries),
            Some(which) => text::lesson(&which.load()?, which.number()),
        });
    }
    let settings = args.screen.settings()?;
    let mut prefs = args.screen.prefs(&settings, tui::detect_color_of_process());
    prefs.mouse &= !args.no_mouse;
    let shelf = Shelf { entries, current: None };
    let choosing = which.is_none();
    let which = which.unwrap_or(Which::BuiltIn(shelf.first_open()));
    let lesson = which.load()?;
    let shelf = Shelf { current: which.number(), ..shelf };
    let from = kept.get(&lesson.id).copied();
    let mut app = App::learn(Arc::new(lesson), Arc::new(shelf), prefs, resumed(from), choosing);
    app.set_keymap(settings.keymap);
    if let Some(trouble) = trouble {
        app.notify(trouble);
    }
    tui::run_program(&mut Classroom::new(app, progress), prefs)
}

/// Where a lesson is taken up again: where it was left, or from its beginning where its end was reached.
fn resumed(from: Option<Reached>) -> Reached {
    match from {
        Some(Reached { station, done: false }) => Reached { station, done: false },
        Some(Reached { done: true, .. }) => Reached { station: 0, done: true },
        None => Reached { station: 0, done: false },
    }
}

/// A lesson on the screen at its first station, for a picture of it.
///
/// # Errors
/// As for [`run`].
pub fn frame(name: &str, prefs: Prefs) -> Result<App, Error> {
    let which = Which::find(name)?;
    let shelf = Shelf { entries: shelf(&progress::Kept::new())?, current: which.number() };
    Ok(App::learn(Arc::new(which.load()?), Arc::new(shelf), prefs, resumed(None), false))
}

/// The built-in lessons with how far one has come in each.
fn shelf(kept: &progress::Kept) -> Result<Vec<ShelfEntry>, Error> {
    let entry = |at: usize| {
        let file = read_lesson(&Which::BuiltIn(at).source()?)?;
        let id = file.source.stem.clone();
        let standing = match kept.get(&id) {
            None => Standing::New,
            // A lesson may have become shorter since.
            Some(reached) => {
                Standing::of(Reached { station: reached.station.min(file.stations.len() - 1), ..*reached })
            }
        };
        let (title, aim) = (clean(&file.title).into_owned(), clean(&file.aim).into_owned());
        Ok(ShelfEntry { id, title, aim, stations: file.stations.len(), standing })
    };
    (0..BUILT_IN.len()).map(entry).collect()
}

/// Every built-in lesson, resolved; for tests.
///
/// # Errors
/// Where one is broken.
pub fn built_in() -> Result<Vec<Lesson>, Error> {
    (0..BUILT_IN.len()).map(|at| Which::BuiltIn(at).load()).collect()
}
