//! `view`: open the visualizer.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use crossterm::event::{KeyEvent, MouseEvent};
use ratatui::Frame;

use super::personal::Personal;
use super::planning::Flags;
use super::screen::{self, place};
use super::sides::{Planned, Search, Sides};
use crate::app::{App, Effect, Reply, Where};
use crate::compare::Difference;
use crate::error::Error;
use crate::output::plan_pair::{self, Pair};
use crate::output::report;
use crate::session::{Meter, Setup, Wanted};
use crate::tui::{self, Program};

/// Arguments of `view`.
#[derive(clap::Args)]
pub struct Args {
    /// The graph, lifetimes in CSV, a TensorFlow Lite model, the buffer assignment of an XLA dump, or a trace of a run: a file, or - for a graph on standard input [default: the built-in sample]
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
    sides: Sides,
    #[command(flatten)]
    screen: screen::Flags,
    #[command(flatten)]
    planning: Flags,
}

/// What `--help` ends with.
pub const EXAMPLES: &str = "\
Examples:
  spillscope view graph.json                    # opens at the failure, else the first spill
  spillscope view graph.json --at peak --watch  # at the fullest; again when the file changes
  spillscope plan graph.json -o plan
  spillscope view graph.json --plan plan        # the plan in these files
  spillscope view graph.json --against '--order memory-aware'   # two plans side by side
  spillscope view graph.json --keep             # bookmarks and place are there the next time
  spillscope view graph.json | less             # the report as text

In the visualizer press ? for the keys and q to leave.";

/// Plans and opens the screen; where standard output is no terminal, prints the report.
pub fn run(args: &Args) -> Result<(), Error> {
    if args.watch && args.graph.as_deref() == Some("-") {
        return Err(Error::input("--watch cannot watch standard input", "name a file"));
    }
    // Looked at first, since planning may take long.
    let personal = tui::stdout_is_terminal().then(|| personal(args)).transpose()?;
    let planned = args.sides.planned(args.graph.as_deref(), &args.planning, Search::Later)?;
    let search = planned.search.clone();
    if search.is_some() && planned.rival.is_some() {
        let advice = "write the plan that the search finds with plan -o DIR, then name DIR in --against";
        return Err(Error::input("a search does not go with --against", advice));
    }
    let Some(personal) = personal else {
        return print_report(&planned, search);
    };
    let Planned { session, origin, rival, .. } = planned;
    let mut prefs = args.screen.prefs(personal.settings(), tui::detect_color_of_process());
    prefs.mouse &= !args.no_mouse;
    let mut app = App::new(Arc::new(session), prefs);
    origin.into_iter().for_each(|origin| app.comes_from(origin));
    personal.open(&mut app, args.screen.theme(), args.at, rival);
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

/// The report in place of the screen: where a search was asked for, of what it finds; of two plans, how they differ.
fn print_report(planned: &Planned, search: Option<Wanted>) -> Result<(), Error> {
    let Planned { session, rival, origin, repeat, report: told, .. } = planned;
    if let Some(told) = told {
        super::print(told)?;
        return super::no_plan(session);
    }
    if let Some((search, origin)) = search.zip(origin.as_ref()) {
        let setup = Setup { search: Some(search), ..session.setup() };
        let found = setup.plan(&Meter::default(), &mut |_| {}).map_err(super::plan::no_order)?;
        super::print(&report::report(&found, &origin.plan_command(&found)))?;
        return super::no_plan(&found);
    }
    let Some(rival) = rival else {
        super::print(&report::report(session, repeat))?;
        return super::no_plan(session);
    };
    let difference = Difference::new(&session.trace, &rival.session.trace);
    let pair = Pair { sessions: [session, &rival.session], changes: ["", &rival.change], difference: &difference };
    super::print(&plan_pair::text(&pair, repeat))?;
    super::no_plan(session).and_then(|()| super::no_plan(&rival.session))
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
        match self.args.sides.planned(self.args.graph.as_deref(), &self.args.planning, Search::Later) {
            Ok(planned) => {
                self.app.replace(Arc::new(planned.session));
                self.app.may_be_compared_with(planned.rival);
            }
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
