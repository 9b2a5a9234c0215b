//! `view`: open the visualizer.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use crossterm::event::{KeyEvent, MouseEvent};
use ratatui::Frame;

use super::personal::Personal;
use super::planning::Flags;
use super::screen::{self, place};
use super::search_flags::SearchFlags;
use crate::app::{App, Effect, Reply, Where};
use crate::error::Error;
use crate::input::Source;
use crate::output::command_line::{Origin, path_word};
use crate::output::report;
use crate::session::{Extras, Meter, Session, Setup, Wanted};
use crate::trace::file::is_trace_file;
use crate::tui::{self, Program};

/// Arguments of `view`.
#[derive(clap::Args)]
pub struct Args {
    /// The graph, or a trace of a run: a file, or - for a graph on standard input [default: the built-in sample]
    graph: Option<String>,
    /// Where to open: a step counted from 0, peak, fail or spill [default: the failure, else the first spill or postponement]
    #[arg(long, value_name = "N|peak|fail|spill", value_parser = place)]
    at: Option<Where>,
    /// Plan again whenever the file changes
    #[arg(long, requires = "graph")]
    watch: bool,
    /// Leave the mouse to the terminal
    #[arg(long)]
    no_mouse: bool,
    /// Keep bookmarks, place, filter and looks beside the graph, in X.spillscope.json: read now, written on quit
    #[arg(long, requires = "graph")]
    keep: bool,
    #[command(flatten)]
    screen: screen::Flags,
    #[command(flatten)]
    planning: Flags,
    // Last, since the heading of its flags would stand over those behind it too.
    #[command(flatten)]
    searching: SearchFlags,
}

/// Plans and opens the screen; where standard output is no terminal, prints the report.
pub fn run(args: &Args) -> Result<(), Error> {
    if args.watch && args.graph.as_deref() == Some("-") {
        return Err(Error::input("--watch cannot watch standard input", "name a file"));
    }
    // Looked at first, since planning may take long.
    let personal = tui::stdout_is_terminal().then(|| personal(args)).transpose()?;
    let Planned { session, origin, repeat } = planned(args)?;
    let search = args.searching.wanted(&session.trace.problem)?;
    let Some(personal) = personal else {
        return print_report(&session, search, origin.as_ref(), &repeat);
    };
    let mut prefs = args.screen.prefs(personal.settings(), tui::detect_color_of_process());
    prefs.mouse &= !args.no_mouse;
    let mut app = App::new(Arc::new(session), prefs);
    origin.into_iter().for_each(|origin| app.comes_from(origin));
    personal.open(&mut app, args.screen.theme(), args.at);
    let watched = args.graph.as_deref().filter(|_| args.watch);
    let watch = watched.map(|graph| Watch { file: PathBuf::from(graph), seen: changed(Path::new(graph)) });
    let mut viewer = Viewer { app, watch, search, args };
    tui::run_program(&mut viewer, prefs)?;
    personal.keep(&viewer.app)
}

/// What is the person's own, and what is kept beside the graph where that was asked for.
fn personal(args: &Args) -> Result<Personal, Error> {
    let graph = args.graph.as_deref().filter(|_| args.keep);
    Personal::read(args.screen.settings()?, graph)
}

/// The report in place of the screen; where a search was asked for, of what it finds.
fn print_report(session: &Session, search: Option<Wanted>, origin: Option<&Origin>, repeat: &str) -> Result<(), Error> {
    let Some((search, origin)) = search.zip(origin) else {
        super::print(&report::report(session, repeat))?;
        return super::no_plan(session);
    };
    let setup = Setup { search: Some(search), ..session.setup() };
    let found = setup.plan(&Meter::default(), &mut |_| {}).map_err(super::plan::no_order)?;
    super::print(&report::report(&found, &origin.plan_command(&found)))?;
    super::no_plan(&found)
}

/// The session that the arguments ask for.
struct Planned {
    session: Session,
    /// Where it comes from, where it was planned here.
    origin: Option<Origin>,
    /// The command that reports the same.
    repeat: String,
}

fn planned(args: &Args) -> Result<Planned, Error> {
    if let Some(session) = recorded(args.graph.as_deref())? {
        let words = args.graph.as_deref().map(path_word).unwrap_or_default();
        return Ok(Planned { session, origin: None, repeat: format!("spillscope view {words}") });
    }
    let job = args.planning.job(args.graph.as_deref())?;
    let extras = Extras::for_screen(job.problem.graph.node_count());
    let session = Session::plan(job.problem, job.options, extras).map_err(super::plan::no_order)?;
    super::must_hold(&session)?;
    let repeat = format!("spillscope plan {}", job.words);
    Ok(Planned { session, origin: Some(job.origin), repeat })
}

/// The record in that file, where it is a trace file.
pub fn recorded(path: Option<&str>) -> Result<Option<Session>, Error> {
    let Some(path) = path.filter(|path| is_trace(path)) else { return Ok(None) };
    Session::read(&Source::read(path)?).map(Some)
}

/// Whether that file begins as a trace file does; what cannot be read is told by whoever reads it.
fn is_trace(path: &str) -> bool {
    let mut beginning = Vec::new();
    let regular = Path::new(path).is_file();
    let read = regular.then(|| File::open(path).and_then(|file| file.take(64).read_to_end(&mut beginning)));
    matches!(read, Some(Ok(_))) && is_trace_file(&String::from_utf8_lossy(&beginning))
}

/// The app, with an eye on the graph's file where that was asked for.
struct Viewer<'a> {
    app: App,
    watch: Option<Watch>,
    /// The search to begin with.
    search: Option<Wanted>,
    args: &'a Args,
}

struct Watch {
    file: PathBuf,
    /// When the file was last changed, as far as it was seen.
    seen: Option<SystemTime>,
}

/// How often a watched file is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(500);

fn changed(file: &Path) -> Option<SystemTime> {
    file.metadata().and_then(|meta| meta.modified()).ok()
}

impl Viewer<'_> {
    /// Plans again where the file has changed; a file that cannot be planned now leaves the old plan on the screen.
    fn look(&mut self) -> Effect {
        let Some(watch) = &mut self.watch else { return Effect::None };
        let now = changed(&watch.file);
        if now.is_none() || now == watch.seen {
            return Effect::None;
        }
        watch.seen = now;
        match planned(self.args) {
            Ok(planned) => self.app.replace(Arc::new(planned.session)),
            Err(error) => self.app.notify(format!("the file changed, but: {error}")),
        }
        Effect::Redraw
    }
}

impl Program for Viewer<'_> {
    fn start(&mut self) -> Effect {
        let Some(wanted) = self.search.take() else { return Effect::None };
        let mut setup = self.app.setup();
        setup.search = Some(wanted);
        self.app.what_if(setup, "search".into())
    }

    fn key(&mut self, key: KeyEvent) -> Effect {
        self.app.key(key)
    }

    fn mouse(&mut self, mouse: MouseEvent) -> Effect {
        self.app.mouse(mouse)
    }

    fn paste(&mut self, text: &str) -> Effect {
        self.app.paste(text)
    }

    fn resize(&mut self, width: u16, height: u16) {
        self.app.resize(width, height);
    }

    fn tick(&mut self, passed: Duration) -> Effect {
        let looked = self.look();
        let ticked = if App::next_tick(&self.app).is_some() { self.app.tick(passed) } else { Effect::None };
        if ticked == Effect::None { looked } else { ticked }
    }

    fn next_tick(&self) -> Option<Duration> {
        let playing = App::next_tick(&self.app);
        let watching = self.watch.is_some().then_some(LOOK_EVERY);
        playing.into_iter().chain(watching).min()
    }

    fn arrived(&mut self, reply: Reply) -> Effect {
        self.app.arrived(reply)
    }

    fn draw(&self, frame: &mut Frame) {
        self.app.draw(frame);
    }
}
