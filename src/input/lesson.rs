//! Lessons in JSON: a graph, plans of it, and stations at which to stop and say something. What a lesson says of its
//! plans (moments, buffers, figures) is only resolved once they are made; until then each such thing keeps its place in the file.
//!
//! `samples/lessons/README.md` documents the format.

mod anchor;

use std::ops::Range;

pub use anchor::{Anchor, EventKind, Moment, Reference, Referent, WantedEvent};

use super::json::{self, Value};
use super::json_object::Object;
use super::machine::read_machine;
use super::source::{Source, quoted};
use crate::error::Error;
use crate::model::Machine;

/// The version of the format that is read here.
pub const VERSION: u64 = 1;

/// The panes that a station may point at.
pub const PANES: [&str; 9] = ["step", "levels", "map", "ready", "units", "buffers", "events", "timeline", "failure"];

/// Choices have the keys 1 to 9.
const MOST_CHOICES: usize = 9;

const WANTED: &str = "a lesson: an object with `lesson` (the version), `title`, `aim`, `graph`, `plans`, `stations`, \
                      and optionally `machine`, `learned` and `try`";

/// A lesson as its file has it.
#[derive(Clone, Debug)]
pub struct LessonFile {
    /// The file.
    pub source: Source,
    /// What the lesson is called.
    pub title: String,
    /// What one will know at its end, in one sentence.
    pub aim: String,
    /// The graph that all plans are of.
    pub graph: GraphOfLesson,
    /// The machine in place of the one that flags name, where the lesson has one of its own.
    pub machine: Option<Machine>,
    /// How it is planned, at least once. The lesson opens with the first.
    pub plans: Vec<PlanOfLesson>,
    /// Where it stops, at least once.
    pub stations: Vec<StationOfLesson>,
    /// What has been learnt, told at the end.
    pub learned: Option<Text>,
    /// What to try next, told at the end.
    pub to_try: Option<Text>,
}

/// Where the graph stands.
#[derive(Clone, Debug)]
pub enum GraphOfLesson {
    /// In the lesson: a text of its own, in which every place is that of the lesson's file.
    Inline(Source),
    /// In the file of that name, seen from the lesson's folder.
    File(Text),
}

/// A text for people, with its place.
#[derive(Clone, Debug)]
pub struct Text {
    /// What it says.
    pub text: String,
    /// The bytes of the file that it takes, quotes included.
    pub at: Range<usize>,
}

/// One way to plan the graph.
#[derive(Clone, Debug)]
pub struct PlanOfLesson {
    /// What stations and placeholders call it.
    pub name: String,
    /// Words as on the command line.
    pub flags: Vec<String>,
    /// The bytes of the flags in the file.
    pub at: Range<usize>,
}

/// A moment to stop at, and what to say there.
#[derive(Clone, Debug)]
pub struct StationOfLesson {
    /// Which plan is shown.
    pub plan: usize,
    /// Where to stop.
    pub anchor: Anchor,
    /// What to say.
    pub text: Text,
    /// Panes to point at, the first with the focus; each one of [`PANES`].
    pub look: Vec<&'static str>,
    /// The level that map, buffers and timeline show.
    pub level: Option<Text>,
    /// The buffer to pick out.
    pub select: Option<Reference>,
    /// What is asked.
    pub question: Option<QuestionOfLesson>,
}

/// Something to think about before going on.
#[derive(Clone, Debug)]
pub struct QuestionOfLesson {
    /// What is asked.
    pub text: Text,
    /// Two to nine answers to pick from.
    pub choices: Vec<ChoiceOfLesson>,
}

/// An answer to pick.
#[derive(Clone, Debug)]
pub struct ChoiceOfLesson {
    /// The answer in a few words.
    pub text: Text,
    /// What is said to whoever picks it.
    pub answer: Text,
    /// What its cost is read from.
    pub cost: Option<CostOfChoice>,
}

/// The plan that shows what an answer costs.
#[derive(Clone, Debug)]
pub enum CostOfChoice {
    /// This plan of the lesson.
    Plan(usize),
    /// The station's plan, made again with this buffer leaving at the next spill.
    Evict(Reference),
}

/// Reads a lesson.
///
/// # Errors
/// Where the text is not JSON, or a field is missing, unknown, or not what it must be, with the place.
pub fn read_lesson(source: &Source) -> Result<LessonFile, Error> {
    json::check_object(source, WANTED)?;
    let top = Object::new(source, "the lesson", Value::root(&source.text))?;
    // First of all: the fields of another version may not be as they are here.
    if top.whole("lesson", 1, u64::from(u32::MAX), None)? != VERSION {
        return Err(top.bad("lesson", &format!("{VERSION}, the version that this program reads")));
    }
    only(&top, &["lesson", "title", "aim", "graph", "machine", "plans", "stations", "learned", "try"])?;
    let plans = top.objects("plans", "plan")?.iter().map(read_plan).collect::<Result<Vec<_>, _>>()?;
    if plans.is_empty() {
        return Err(top.missing("plans", "at least one plan, as in [{\"name\": \"classic\", \"flags\": []}]"));
    }
    if let Some(at) = (1..plans.len()).find(|&at| plans[..at].iter().any(|plan| plan.name == plans[at].name)) {
        let what = format!("`plans` has the name {} twice", quoted(&plans[at].name));
        return Err(source.error(plans[at].at.clone(), what, "give each plan a name of its own"));
    }
    let stations = top.objects("stations", "station")?;
    let stations = stations.iter().map(|station| read_station(station, &plans)).collect::<Result<Vec<_>, _>>()?;
    if stations.is_empty() {
        return Err(top.missing("stations", "at least one station"));
    }
    Ok(LessonFile {
        title: top.text("title", None)?,
        aim: top.text("aim", None)?,
        graph: read_graph(&top)?,
        machine: read_own_machine(&top)?,
        learned: text(&top, "learned")?,
        to_try: text(&top, "try")?,
        plans,
        stations,
        source: source.clone(),
    })
}

/// Refuses members that nobody would read: most are slips of the pen.
fn only(object: &Object, names: &[&str]) -> Result<(), Error> {
    let Some((name, value)) = object.members.iter().find(|(name, _)| !names.contains(&name.as_str())) else {
        return Ok(());
    };
    let what = format!("{}: there is no field `{}`", object.who, quoted(name));
    Err(object.source.error(value.range(), what, format!("the fields are {}", names.join(", "))))
}

fn text(object: &Object, key: &str) -> Result<Option<Text>, Error> {
    let Some(value) = object.get(key) else { return Ok(None) };
    Ok(Some(Text { text: object.text(key, None)?, at: value.range() }))
}

fn need_text(object: &Object, key: &str) -> Result<Text, Error> {
    text(object, key)?.ok_or_else(|| object.missing(key, "a text"))
}

fn read_graph(top: &Object) -> Result<GraphOfLesson, Error> {
    let Some(value) = top.get("graph") else { return Err(top.missing("graph", "a graph, or the name of its file")) };
    if value.raw().starts_with('"') {
        return Ok(GraphOfLesson::File(need_text(top, "graph")?));
    }
    if !value.raw().starts_with('{') {
        return Err(top.bad("graph", "an object, or the name of a file"));
    }
    Ok(GraphOfLesson::Inline(alone(top.source, value)))
}

fn read_own_machine(top: &Object) -> Result<Option<Machine>, Error> {
    top.get("machine").map(|value| read_machine(&alone(top.source, value))).transpose()
}

/// A value as a file of its own, with blanks for all that stands before it: its reader then points at the right place
/// by itself.
fn alone(source: &Source, value: Value) -> Source {
    let blank = |c: char| if matches!(c, '\n' | '\r') { c } else { ' ' };
    let before: String = source.text[..value.range().start].chars().map(blank).collect();
    Source { text: before + value.raw(), ..source.clone() }
}

fn read_plan(plan: &Object) -> Result<PlanOfLesson, Error> {
    only(plan, &["name", "flags"])?;
    let value = plan.get("flags").ok_or_else(|| plan.missing("flags", "a list of words as on the command line"))?;
    let flags = serde_json::from_str(value.raw()).map_err(|_| plan.bad("flags", "a list of texts"))?;
    Ok(PlanOfLesson { name: plan.text("name", None)?, flags, at: value.range() })
}

fn read_station(station: &Object, plans: &[PlanOfLesson]) -> Result<StationOfLesson, Error> {
    only(station, &["at", "plan", "text", "look", "level", "select", "question"])?;
    Ok(StationOfLesson {
        plan: named_plan(station, plans)?.unwrap_or(0),
        anchor: anchor::read(station)?,
        text: need_text(station, "text")?,
        look: read_look(station)?,
        level: text(station, "level")?,
        select: anchor::reference(station, "select")?,
        question: read_question(station, plans)?,
    })
}

/// The plan that `plan` names.
fn named_plan(object: &Object, plans: &[PlanOfLesson]) -> Result<Option<usize>, Error> {
    if object.get("plan").is_none() {
        return Ok(None);
    }
    let name = object.text("plan", None)?;
    let known = || plans.iter().map(|plan| quoted(&plan.name)).collect::<Vec<_>>().join(", ");
    let found = plans.iter().position(|plan| plan.name == name);
    found.map(Some).ok_or_else(|| object.bad("plan", &format!("the name of a plan ({})", known())))
}

fn read_look(station: &Object) -> Result<Vec<&'static str>, Error> {
    let Some(value) = station.get("look") else { return Ok(Vec::new()) };
    let wanted = || station.bad("look", &format!("a list of panes ({})", PANES.join(", ")));
    let names: Vec<String> = serde_json::from_str(value.raw()).map_err(|_| wanted())?;
    let pane = |name: &String| PANES.iter().find(|pane| *pane == name).copied().ok_or_else(wanted);
    names.iter().map(pane).collect()
}

fn read_question(station: &Object, plans: &[PlanOfLesson]) -> Result<Option<QuestionOfLesson>, Error> {
    let Some(value) = station.get("question") else { return Ok(None) };
    let question = Object::new(station.source, format!("the question of {}", station.who), value)?;
    only(&question, &["text", "choices"])?;
    let choices = question.objects("choices", "choice")?;
    if !(2..=MOST_CHOICES).contains(&choices.len()) {
        return Err(question.bad("choices", &format!("a list of 2 to {MOST_CHOICES} choices")));
    }
    let choices = choices.iter().map(|choice| read_choice(choice, plans)).collect::<Result<_, _>>()?;
    Ok(Some(QuestionOfLesson { text: need_text(&question, "text")?, choices }))
}

fn read_choice(choice: &Object, plans: &[PlanOfLesson]) -> Result<ChoiceOfLesson, Error> {
    only(choice, &["text", "answer", "plan", "evict"])?;
    let plan = named_plan(choice, plans)?.map(CostOfChoice::Plan);
    let evict = anchor::reference(choice, "evict")?.map(CostOfChoice::Evict);
    if plan.is_some() && evict.is_some() {
        return Err(choice.bad("evict", "left out where `plan` is given: one plan shows the cost"));
    }
    Ok(ChoiceOfLesson { text: need_text(choice, "text")?, answer: need_text(choice, "answer")?, cost: plan.or(evict) })
}

#[cfg(test)]
mod tests;
