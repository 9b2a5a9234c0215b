//! From the name of a lesson to its plans: the built-in ones and files of one's own.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Parser;

use crate::cli::planning::Flags;
use crate::engine::search::{Budget, Unheard};
use crate::error::Error;
use crate::input::lesson::{GraphOfLesson, LessonFile, PlanOfLesson};
use crate::input::{Source, read_lesson};
use crate::lesson::Lesson;
use crate::model::clean;
use crate::session::{Extras, Session};

macro_rules! built_in {
    ($($name:literal),* $(,)?) => {
        /// The lessons that come with the program, in their order.
        pub const BUILT_IN: &[(&str, &str)] =
            &[$(($name, include_str!(concat!("../../../samples/lessons/", $name, ".json")))),*];
    };
}

built_in![
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

/// A lesson, before it is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Which {
    /// The built-in one of that number, counted from 0.
    BuiltIn(usize),
    /// The one in that file, or on standard input for `-`.
    File(String),
}

/// The flags of a plan of a lesson.
#[derive(Parser, Debug)]
#[command(no_binary_name = true, disable_help_flag = true)]
struct PlanFlags {
    #[command(flatten)]
    planning: Flags,
}

impl Which {
    /// The lesson that `name` means: a built-in one by name or number, counted from 1, else a file.
    ///
    /// # Errors
    /// Where there is neither.
    pub fn find(name: &str) -> Result<Self, Error> {
        let number = name.parse().ok().and_then(|number: usize| number.checked_sub(1));
        let number = number.filter(|number| *number < BUILT_IN.len());
        if let Some(at) = BUILT_IN.iter().position(|(known, _)| *known == name).or(number) {
            return Ok(Self::BuiltIn(at));
        }
        if name == "-" || Path::new(name).exists() {
            return Ok(Self::File(name.to_owned()));
        }
        let near = BUILT_IN
            .iter()
            .map(|(known, _)| *known)
            .max_by(|a, b| strsim::jaro_winkler(a, name).total_cmp(&strsim::jaro_winkler(b, name)));
        let near = near.filter(|near| strsim::jaro_winkler(near, name) > 0.8);
        let advice = match near {
            Some(near) => format!("did you mean {near}?"),
            None => "spillscope learn --list names the lessons; a file of your own is named by its path".into(),
        };
        Err(Error::input(format!("there is no lesson “{}”, and no such file", clean(name)), advice))
    }

    /// The number of a built-in lesson, counted from 0.
    pub fn number(&self) -> Option<usize> {
        if let Self::BuiltIn(at) = self { Some(*at) } else { None }
    }

    /// The text of the lesson.
    ///
    /// # Errors
    /// Where the file cannot be read.
    pub fn source(&self) -> Result<Source, Error> {
        match self {
            Self::BuiltIn(at) => Ok(Source::from_text(&format!("{}.json", BUILT_IN[*at].0), BUILT_IN[*at].1)),
            Self::File(path) => Source::read(path),
        }
    }

    /// Reads the lesson and makes its plans.
    ///
    /// # Errors
    /// Where something in it is not as it must be, or does not fit its plans.
    pub fn load(&self) -> Result<Lesson, Error> {
        let file = read_lesson(&self.source()?)?;
        let graph = self.graph(&file)?;
        let sessions = file.plans.iter().map(|plan| session(&file, &graph, plan).map(Arc::new));
        let sessions = sessions.collect::<Result<Vec<_>, _>>()?;
        Lesson::new(&file, sessions)
    }

    fn graph(&self, file: &LessonFile) -> Result<Source, Error> {
        match &file.graph {
            GraphOfLesson::Inline(graph) => Ok(graph.clone()),
            GraphOfLesson::File(name) => {
                let folder = match self {
                    Self::File(path) if path != "-" => Path::new(path).parent().map(Path::to_path_buf),
                    _ => None,
                };
                let path: PathBuf = folder.unwrap_or_default().join(&name.text);
                Source::read(&path.to_string_lossy()).map_err(|error| {
                    let what = format!("the graph {}: {}", clean(&path.to_string_lossy()), error.what);
                    file.source.error(name.at.clone(), what, error.advice)
                })
            }
        }
    }
}

/// Makes a plan of a lesson.
fn session(file: &LessonFile, graph: &Source, plan: &PlanOfLesson) -> Result<Session, Error> {
    let here = |what: String, advice: String| {
        file.source.error(plan.at.clone(), format!("the plan “{}”: {what}", clean(&plan.name)), advice)
    };
    // What has no place of its own is a matter of the flags.
    let placed = |error: Error| if error.place.is_some() { error } else { here(error.what, error.advice) };
    let mut flags = PlanFlags::try_parse_from(&plan.flags).map_err(|error| {
        let text = error.to_string();
        let line = text.lines().next().unwrap_or_default();
        here(
            clean(line.strip_prefix("error: ").unwrap_or(line)).into_owned(),
            "spillscope plan --help tells the flags".into(),
        )
    })?;
    flags.planning.use_machine(file.machine.clone());
    let job = flags.planning.job_of(graph, None).map_err(placed)?;
    let extras = Extras::for_screen(job.problem.graph.node_count());
    if job.search.as_ref().is_some_and(|search| matches!(search.wanted.budget, Budget::Seconds(_))) {
        let what = "a search by the clock finds another plan on another machine";
        return Err(here(what.into(), "use --evaluations".into()));
    }
    let made = job.setup().make(extras, &mut Unheard, |session| session.trace.prepare());
    let (session, ()) = made.map_err(|fault| here(fault.what, fault.advice))?;
    crate::cli::must_hold(&session)?;
    Ok(session)
}
