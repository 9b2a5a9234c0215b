//! Guided lessons: stations in plans that are really made, each at a moment that is found in the record, with captions
//! whose figures are read from it. A lesson that no longer fits its plans is refused, with the place in its file.

mod anchor;
mod choice;
mod figures;
mod fill;

use std::ops::Range;
use std::sync::Arc;

use crate::error::Error;
use crate::input::Source;
use crate::input::lesson::{LessonFile, QuestionOfLesson, StationOfLesson, Text};
use crate::model::{BufIx, LevelIx, Problem};
use crate::session::Session;
use fill::Scene;

/// A lesson, resolved: every station has its step and its words.
#[derive(Clone, Debug)]
pub struct Lesson {
    /// What progress is kept under: the name of its file.
    pub id: String,
    /// The file it was read from, as messages name it.
    pub file: String,
    /// What it is called.
    pub title: String,
    /// What one will know at its end.
    pub aim: String,
    /// The plans; stations count them from 0.
    pub plans: Vec<NamedPlan>,
    /// Where it stops, at least once.
    pub stations: Vec<Station>,
    /// What has been learnt; may be empty.
    pub learned: String,
    /// What to try next; may be empty.
    pub to_try: String,
}

/// A plan of a lesson.
#[derive(Clone, Debug)]
pub struct NamedPlan {
    /// What the lesson calls it.
    pub name: String,
    /// The plan.
    pub session: Arc<Session>,
}

/// A moment to stop at, with what is said there.
#[derive(Clone, Debug)]
pub struct Station {
    /// Which of the lesson's plans is shown.
    pub plan: usize,
    /// The step to stand after.
    pub step: usize,
    /// The level to show.
    pub level: Option<LevelIx>,
    /// The buffer to pick out.
    pub select: Option<BufIx>,
    /// The panes to point at, as [`PANES`](crate::input::lesson::PANES) names them.
    pub look: Vec<&'static str>,
    /// What is said.
    pub caption: String,
    /// What is asked.
    pub question: Option<Question>,
}

/// Something to think about before going on.
#[derive(Clone, Debug)]
pub struct Question {
    /// What is asked.
    pub text: String,
    /// The answers to pick from, two to nine.
    pub choices: Vec<Choice>,
}

/// An answer to pick.
#[derive(Clone, Debug)]
pub struct Choice {
    /// The answer in a few words.
    pub text: String,
    /// What is said to whoever picks it.
    pub answer: String,
    /// What comes of it.
    pub cost: Option<Cost>,
}

/// What comes of a choice, as the engine plans it.
#[derive(Clone, Debug)]
pub struct Cost {
    /// The plan.
    pub session: Arc<Session>,
    /// Where to stand in it.
    pub step: usize,
    /// Its figures in a line.
    pub figures: String,
}

/// What is wrong with a part of a lesson, and where that part stands.
struct Misfit {
    what: String,
    advice: String,
    at: Range<usize>,
}

impl Misfit {
    fn new(at: &Range<usize>, what: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { what: what.into(), advice: advice.into(), at: at.clone() }
    }

    /// The message, which begins with whom it is about.
    fn in_file(self, source: &Source, who: &str) -> Error {
        source.error(self.at, format!("{who}: {}", self.what), self.advice)
    }
}

impl Lesson {
    /// Resolves a lesson whose plans have been made, in the order in which the file has them. The costs of choices are
    /// planned here.
    ///
    /// # Errors
    /// Where an anchor is never met, a placeholder means nothing, or a buffer, node, level or victim is not there, with
    /// the place in the file.
    pub fn new(file: &LessonFile, sessions: Vec<Arc<Session>>) -> Result<Self, Error> {
        let plans: Vec<NamedPlan> = file
            .plans
            .iter()
            .zip(sessions)
            .map(|(plan, session)| NamedPlan { name: plan.name.clone(), session })
            .collect();
        let resolver = Resolver { file, plans: &plans };
        let stations = file.stations.iter().enumerate().map(|(at, station)| resolver.station(at, station));
        let stations = stations.collect::<Result<Vec<_>, _>>()?;
        Ok(Self {
            id: file.source.stem.clone(),
            file: file.source.name.clone(),
            title: crate::model::clean(&file.title).into_owned(),
            aim: crate::model::clean(&file.aim).into_owned(),
            learned: resolver.closing(file.learned.as_ref())?,
            to_try: resolver.closing(file.to_try.as_ref())?,
            stations,
            plans,
        })
    }
}

struct Resolver<'a> {
    file: &'a LessonFile,
    plans: &'a [NamedPlan],
}

impl Resolver<'_> {
    fn station(&self, at: usize, station: &StationOfLesson) -> Result<Station, Error> {
        let who = format!("station {at}, counted from 0");
        let misfit = |misfit: Misfit| misfit.in_file(&self.file.source, &who);
        let plan = &self.plans[station.plan];
        let trace = &plan.session.trace;
        let found = anchor::find(plan, &station.anchor).map_err(misfit)?;
        let select =
            station.select.as_ref().map(|to| anchor::buffer(&trace.problem, to)).transpose().map_err(misfit)?;
        let level = station.level.as_ref().map(|name| level(&trace.problem, name)).transpose().map_err(misfit)?;
        let about = found.buf.or(select);
        let scene = Scene { plans: self.plans, session: &plan.session, step: found.step, buf: about, node: found.node };
        let asked = station.question.as_ref();
        let question = asked.map(|asked| self.question(asked, &scene)).transpose().map_err(misfit)?;
        Ok(Station {
            plan: station.plan,
            step: found.step,
            level: level.or_else(|| about.map(|buf| trace.problem.level_of(buf))),
            select,
            look: station.look.clone(),
            caption: scene.fill(&self.file.source, &station.text).map_err(misfit)?,
            question,
        })
    }

    fn question(&self, asked: &QuestionOfLesson, scene: &Scene) -> Result<Question, Misfit> {
        let source = &self.file.source;
        let choices = asked.choices.iter().map(|choice| {
            let cost = choice.cost.as_ref().map(|cost| choice::cost(scene, cost)).transpose()?;
            // What is said of a choice is said of what came of it.
            let scene = match &cost {
                Some(cost) => Scene { session: &cost.session, step: cost.step, ..*scene },
                None => *scene,
            };
            let (text, answer) = (scene.fill(source, &choice.text)?, scene.fill(source, &choice.answer)?);
            Ok(Choice { text, answer, cost })
        });
        Ok(Question { text: scene.fill(source, &asked.text)?, choices: choices.collect::<Result<_, Misfit>>()? })
    }

    /// A text of the end: it speaks of the first plan as a whole.
    fn closing(&self, text: Option<&Text>) -> Result<String, Error> {
        let Some(text) = text else { return Ok(String::new()) };
        let session = &self.plans[0].session;
        let step = session.trace.step_count().saturating_sub(1);
        let scene = Scene { plans: self.plans, session, step, buf: None, node: None };
        scene.fill(&self.file.source, text).map_err(|misfit| misfit.in_file(&self.file.source, "the lesson's end"))
    }
}

fn level(problem: &Problem, name: &Text) -> Result<LevelIx, Misfit> {
    figures::level_named(problem, &name.text).ok_or_else(|| {
        let names: Vec<String> = problem.machine.levels.iter().map(|level| level.name.to_string()).collect();
        let what = format!("the machine has no level “{}”", crate::model::clean(&name.text));
        Misfit::new(&name.at, what, format!("its levels are {}", names.join(", ")))
    })
}
