//! What is wrong, as rows to walk along: the diagnosis of a plan that failed, or the rules that a foreign plan breaks.

use std::cmp::Reverse;

use super::command::Dir;
use super::words::{LABEL, TextLine, Tone, wrap};
use super::{App, Pane, Subject};
use crate::check;
use crate::model::{BufIx, Diagnosis, Remedy, clean};
use crate::output::diagnosis::{Line, Role, diagnosis, remedy_flag};
use crate::output::labels::buffer_id;
use crate::output::numbers::{counted, grouped};
use crate::session::Session;
use crate::trace::Trace;

/// How many holders have rows.
const MOST_HOLDERS: usize = 8;

/// Where a row leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Leads {
    /// Nowhere; it cannot be selected.
    Nowhere,
    /// To the story of a buffer.
    Story(BufIx),
    /// To a step, and the buffer that it is about.
    Step(usize, Option<BufIx>),
    /// To the table of buffers.
    Buffers,
    /// To the plan with this remedy of the diagnosis.
    Remedy(usize),
}

/// One thing to say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The heading in the left column, on the first row of its part.
    label: &'static str,
    text: String,
    tone: Tone,
    /// Where Enter leads.
    pub leads: Leads,
}

/// The rows, and the lines that they take.
#[derive(Clone, Debug, Default)]
pub struct Autopsy {
    rows: Vec<Row>,
    /// Steps at which something is wrong, ascending.
    steps: Vec<usize>,
    width: u16,
    lines: Vec<TextLine>,
    /// The row of each line.
    row_of: Vec<usize>,
}

impl Autopsy {
    /// What is wrong with the plan of `session`; no rows where nothing is.
    pub(super) fn new(session: &Session) -> Self {
        let trace = &session.trace;
        if let Some(found) = &session.diagnosis {
            let step = trace.failing_step().or(found.step.map(|step| step as usize)).unwrap_or(0);
            let rows = of_packing(session).into_iter().chain(of_diagnosis(trace, found)).collect();
            return Self { rows, steps: vec![step], ..Self::default() };
        }
        // A plan of our own that breaks a rule is refused before it is shown.
        if session.recorded.is_none() || session.check.is_valid() {
            return Self::default();
        }
        let last = trace.step_count().saturating_sub(1);
        let broken = session.check.broken.iter().filter_map(|broken| broken.step);
        let mut steps: Vec<usize> = broken.map(|step| step.min(last)).chain(session.first_broken()).collect();
        steps.sort_unstable();
        Self { rows: of_check(session), steps, ..Self::default() }
    }

    /// Breaks the rows into lines of that width, where it has changed.
    pub(super) fn wrap(&mut self, width: u16) {
        if width == 0 || width == self.width {
            return;
        }
        (self.width, self.lines, self.row_of) = (width, Vec::new(), Vec::new());
        for (at, row) in self.rows.iter().enumerate() {
            let (column, hang) = if row.tone == Tone::Sentence { (0, 0) } else { (LABEL, 2) };
            let room = usize::from(width).saturating_sub(column).max(1);
            for (part, text) in wrap(&row.text, room, hang).into_iter().enumerate() {
                let label = if part == 0 { row.label } else { "" };
                self.lines.push(TextLine { label, text, tone: row.tone, buf: None });
                self.row_of.push(at);
            }
        }
    }

    /// Row `at` moved by `count` rows that can be selected.
    pub(super) fn moved(&self, at: usize, dir: Dir, count: usize) -> usize {
        let selectable = |at: &usize| self.rows[*at].leads != Leads::Nowhere;
        let at = at.min(self.rows.len());
        let nth = count.saturating_sub(1);
        let mut there: Vec<usize> = match dir {
            Dir::Forward => (at.saturating_add(1)..self.rows.len()).filter(selectable).collect(),
            Dir::Back => (0..at).rev().filter(selectable).collect(),
        };
        there.truncate(nth.saturating_add(1));
        there.last().copied().unwrap_or(at)
    }

    /// The lines that `height` of them have room for, with the number of the first, so that those of `selected` are seen.
    pub fn visible(&self, selected: usize, height: u16) -> (usize, &[TextLine]) {
        let height = usize::from(height);
        let first = self.row_of.partition_point(|&row| row < selected);
        let end = self.row_of.partition_point(|&row| row <= selected);
        // The last line says how many more there are.
        let room = height.saturating_sub(usize::from(self.lines.len() > height)).max(1);
        let top = end.saturating_sub(room).min(first).min(self.lines.len());
        (top, &self.lines[top..self.lines.len().min(top + room)])
    }

    /// All lines at another width.
    pub(super) fn lines_at(&self, width: u16) -> Vec<TextLine> {
        let mut other = self.clone();
        other.wrap(width);
        other.lines
    }

    /// How many lines there are.
    pub fn line_count(&self) -> usize {
        self.lines.len()
    }

    /// The row of a line.
    pub fn row_of(&self, line: usize) -> Option<usize> {
        self.row_of.get(line).copied()
    }

    /// The row shown on line `line` of the pane, if it can be selected.
    pub(super) fn row_at(&self, selected: usize, line: usize, height: u16) -> Option<usize> {
        let (top, shown) = self.visible(selected, height);
        let row = self.row_of(top + line).filter(|_| line < shown.len())?;
        (self.rows[row].leads != Leads::Nowhere).then_some(row)
    }
}

/// The diagnosis, its parts in the order in which one asks: what, why, what helps, who, what came of what.
fn of_diagnosis(trace: &Trace, found: &Diagnosis) -> Vec<Row> {
    const ORDER: [Role; 8] = [
        Role::Headline,
        Role::Fact,
        Role::Blocker,
        Role::Remedy,
        Role::Holder,
        Role::InVain,
        Role::Conflict,
        Role::Rise,
    ];
    let lines = diagnosis(trace, found);
    let mut rows = Vec::new();
    for role in ORDER {
        let part = lines.iter().filter(|line| line.role == role).cloned();
        let (part, left_out) = if role == Role::Holder { largest(trace, part.collect()) } else { (part.collect(), 0) };
        let last = part.len();
        rows.extend(part.into_iter().enumerate().map(|(at, line)| row(at, &line)));
        if left_out > 0 {
            let text = format!("and {} more; the Buffers pane has them all", grouped(left_out as u64));
            rows.push(Row { label: label(role, last), text, tone: Tone::Dim, leads: Leads::Buffers });
        }
    }
    rows
}

/// What is known of lifetimes that do not fit, before what came of placing them one by one.
fn of_packing(session: &Session) -> Vec<Row> {
    let Some(seen) = &session.packed else { return Vec::new() };
    let graph = &session.trace.problem.graph;
    let sentence = |text: String| Row { label: "", text, tone: Tone::Sentence, leads: Leads::Nowhere };
    let mut rows = vec![sentence(format!("{}.", seen.verdict))];
    rows.extend(seen.core.iter().take(MOST_HOLDERS).enumerate().map(|(at, &buf)| {
        let text = format!("{} ({})", buffer_id(graph, buf), grouped(graph.buffer(buf).size));
        Row { label: if at == 0 { "core" } else { "" }, text, tone: Tone::Plain, leads: Leads::Story(buf) }
    }));
    let more = seen.core.len().saturating_sub(MOST_HOLDERS) as u64;
    if more > 0 {
        let text = format!("and {} more", grouped(more));
        rows.push(Row { label: "", text, tone: Tone::Dim, leads: Leads::Nowhere });
    }
    rows.push(sentence("Placed as they come, each by best fit:".into()));
    rows
}

/// The largest of the holders, in the order in which they lie, and how many are left out.
fn largest(trace: &Trace, holders: Vec<Line>) -> (Vec<Line>, usize) {
    let space = |line: &Line| line.buf.map_or(0, |buf| trace.problem.space_of(buf));
    let mut sizes: Vec<u64> = holders.iter().map(space).collect();
    sizes.sort_unstable_by_key(|&size| Reverse(size));
    let Some(&least) = sizes.get(MOST_HOLDERS - 1) else { return (holders, 0) };
    let all = holders.len();
    let mut equal = sizes[..MOST_HOLDERS].iter().filter(|&&size| size == least).count();
    let shown = holders.into_iter().filter(|line| {
        let size = space(line);
        let counts = size == least && equal > 0;
        equal -= usize::from(counts);
        size > least || counts
    });
    (shown.collect(), all - MOST_HOLDERS)
}

fn label(role: Role, at: usize) -> &'static str {
    if at > 0 {
        return "";
    }
    match role {
        Role::Headline => "",
        Role::Fact => "why",
        Role::Blocker => "gaps",
        Role::Holder => "held",
        Role::Remedy => "try",
        Role::InVain => "vain",
        Role::Conflict => "set",
        Role::Rise => "rise",
    }
}

/// Line `at` of its part as a row.
fn row(at: usize, line: &Line) -> Row {
    let (tone, leads) = match (line.role, line.buf, line.step) {
        (Role::Headline, Some(buf), _) => (Tone::Sentence, Leads::Story(buf)),
        (Role::Headline, ..) => (Tone::Sentence, Leads::Nowhere),
        (Role::Rise, buf, Some(step)) => (Tone::Dim, Leads::Step(step, buf)),
        (Role::Holder, Some(buf), _) => (Tone::Dim, Leads::Story(buf)),
        (_, Some(buf), _) => (Tone::Plain, Leads::Story(buf)),
        (Role::Remedy, ..) => (Tone::Chosen, line.remedy.map_or(Leads::Nowhere, Leads::Remedy)),
        (Role::InVain | Role::Rise, ..) => (Tone::Dim, Leads::Nowhere),
        _ => (Tone::Plain, Leads::Nowhere),
    };
    let text = line.remedy.map_or_else(|| line.text.clone(), |remedy| format!("{} {}", remedy + 1, line.text));
    Row { label: label(line.role, at), text, tone, leads }
}

/// What the checker found, rule by rule.
fn of_check(session: &Session) -> Vec<Row> {
    let (trace, report) = (&session.trace, &session.check);
    let listed = report.broken.len();
    let headline = if report.seen > listed {
        format!("The checker found more than {listed} broken rules; these are the first.")
    } else {
        format!("The checker found {}.", counted(listed as u64, "broken rule"))
    };
    let headline = Row { label: "", text: headline, tone: Tone::Sentence, leads: Leads::Nowhere };
    let broken = report.broken.iter().map(|broken| {
        let buf = broken.bufs.iter().find_map(|&id| trace.problem.graph.find_buffer(id));
        let leads = match (broken.step, buf) {
            (Some(step), buf) => Leads::Step(step, buf),
            (None, Some(buf)) => Leads::Story(buf),
            (None, None) => Leads::Nowhere,
        };
        let at = broken.step.map_or_else(String::new, |step| format!("step {step}: "));
        Row { label: rule_label(broken.rule), text: format!("{at}{}", clean(&broken.what)), tone: Tone::Plain, leads }
    });
    let notes = report.notes.iter().map(|note| Row {
        label: "note",
        text: clean(note).into_owned(),
        tone: Tone::Dim,
        leads: Leads::Nowhere,
    });
    let ended = session.recorded.as_ref().and_then(|recorded| recorded.ended.as_deref());
    let ended = ended.map(|ended| Row {
        label: "end",
        text: clean(ended).into_owned(),
        tone: Tone::Plain,
        leads: Leads::Nowhere,
    });
    std::iter::once(headline).chain(ended).chain(broken).chain(notes).collect()
}

fn rule_label(rule: check::Rule) -> &'static str {
    match rule {
        check::Rule::R1 => "R1",
        check::Rule::R2 => "R2",
        check::Rule::R3 => "R3",
        check::Rule::R4 => "R4",
        check::Rule::R5 => "R5",
        check::Rule::R6 => "R6",
    }
}

impl App {
    /// Whether there is something wrong to show: planning failed, or a foreign plan breaks a rule.
    pub fn has_failure(&self) -> bool {
        !self.autopsy.rows.is_empty()
    }

    /// What is wrong.
    pub fn autopsy(&self) -> &Autopsy {
        &self.autopsy
    }

    /// The first step at which something is wrong.
    pub(super) fn failing_step(&self) -> usize {
        self.autopsy.steps.first().copied().unwrap_or(0)
    }

    /// Whether something is wrong at the step where one stands, or there is no step at all.
    pub(super) fn fails_here(&self) -> bool {
        self.has_failure() && (self.trace().step_count() == 0 || self.autopsy.steps.binary_search(&self.step).is_ok())
    }

    /// Follows the selected row of the failure; a number typed before names a remedy.
    pub(super) fn enter_failure(&mut self) {
        let typed = self.count.map(|number| Leads::Remedy(number.wrapping_sub(1)));
        let selected = self.autopsy.rows.get(self.rows.failure).map(|row| row.leads.clone());
        match typed.or(selected).unwrap_or(Leads::Nowhere) {
            Leads::Nowhere => self.say("this row leads nowhere: down goes to the next that does"),
            Leads::Story(buf) => self.open_story(buf),
            Leads::Buffers => self.focus_on(Pane::Buffers),
            Leads::Step(step, buf) => {
                if let Some(buf) = buf {
                    (self.selected, self.level) = (Some(Subject::Buffer(buf)), self.trace().problem.level_of(buf));
                }
                self.jump(step);
            }
            Leads::Remedy(at) => match self.remedy(at).cloned() {
                Some(remedy) => self.effect = Some(self.try_remedy(&remedy)),
                None => self.say(format!("there is no remedy {}", at.wrapping_add(1))),
            },
        }
    }

    fn remedy(&self, at: usize) -> Option<&Remedy> {
        self.session.diagnosis.as_ref()?.remedies.get(at)
    }

    /// What Enter does at the selected row, for the footer.
    pub(super) fn what_enter_does(&self) -> Option<String> {
        let graph = &self.trace().problem.graph;
        Some(match &self.autopsy.rows.get(self.rows.failure)?.leads {
            Leads::Nowhere => return None,
            Leads::Story(buf) => format!("Enter opens the story of {}", buffer_id(graph, *buf)),
            Leads::Step(step, _) => format!("Enter goes to step {step}"),
            Leads::Buffers => "Enter goes to the Buffers pane".into(),
            Leads::Remedy(at) => {
                format!("Enter plans again with {}", remedy_flag(&self.trace().problem, self.remedy(*at)?))
            }
        })
    }
}
