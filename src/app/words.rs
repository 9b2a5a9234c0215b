//! The texts of This step, wrapped to the width of their pane. Wrapped here and not in drawing, so that scrolling knows
//! how many lines there are.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::model::{BufIx, Standing};
use crate::output::explain::rank::{columns, columns_note};
use crate::output::explain::{Explained, RankRow, explain_in};
use crate::output::labels::{buffer_id, node_id};
use crate::output::quantities::duration;
use crate::session::Session;
use crate::trace::Trace;

/// What a line says; decides how it looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// The one sentence to read.
    Sentence,
    /// What was done.
    Plain,
    /// The candidate that was chosen, the remedy that works.
    Chosen,
    /// Candidates that lost, and other context.
    Dim,
}

/// One line on the screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextLine {
    /// The heading in the left column, on the first line of its part; else empty.
    pub label: &'static str,
    /// The text, no wider than its column.
    pub text: String,
    /// How it looks.
    pub tone: Tone,
    /// The buffer to look into.
    pub buf: Option<BufIx>,
}

/// The wrapped texts.
#[derive(Clone, Debug, Default)]
pub struct Words {
    pub(super) wanted: Option<Wanted>,
    /// This step.
    pub step: Vec<TextLine>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Wanted {
    pub step: usize,
    pub width: u16,
    /// Whether what comes next is not to be told yet.
    pub without_next: bool,
}

/// Columns of the headings.
pub const LABEL: usize = 5;

/// Collects lines of one width.
struct Page {
    width: usize,
    lines: Vec<TextLine>,
}

impl Page {
    fn new(width: u16) -> Self {
        Self { width: usize::from(width), lines: Vec::new() }
    }

    /// Enters a text under a heading; a text that goes on is set in by `hang` columns.
    fn add(&mut self, label: &'static str, text: &str, tone: Tone, buf: Option<BufIx>, hang: usize) {
        let column = if tone == Tone::Sentence { 0 } else { LABEL };
        let width = self.width.saturating_sub(column).max(1);
        for (at, part) in wrap(text, width, hang).into_iter().enumerate() {
            let label = if at == 0 { label } else { "" };
            self.lines.push(TextLine { label, text: part, tone, buf });
        }
    }

    /// Enters texts under one heading, which stands before the first.
    fn part(&mut self, label: &'static str, texts: &[String], tone: Tone) {
        for (at, text) in texts.iter().enumerate() {
            self.add(if at == 0 { label } else { "" }, text, tone, None, 0);
        }
    }
}

/// This step in words.
pub(super) fn this_step(session: &Session, wanted: Wanted) -> Vec<TextLine> {
    let trace = &session.trace;
    let told: Explained = explain_in(session, wanted.step);
    let mut page = Page::new(wanted.width);
    page.add("", &told.sentence, Tone::Sentence, None, 0);
    let broken: Vec<String> = session.broken_at(wanted.step).map(ToString::to_string).collect();
    page.part("rule", &broken, Tone::Chosen);
    page.part("did", &told.did, Tone::Plain);
    page.part("why", &told.why, Tone::Plain);
    rank(&mut page, trace, &told);
    queue(&mut page, trace, &told);
    if !wanted.without_next {
        page.part("next", &told.next, Tone::Plain);
    }
    page.lines
}

/// The candidates in aligned columns.
fn rank(page: &mut Page, trace: &Trace, told: &Explained) {
    let Some(first) = told.rank.first() else { return };
    let columns = columns(first.rule);
    let names: Vec<String> = told.rank.iter().map(|row| rank_name(trace, row)).collect();
    let cells: Vec<Vec<String>> =
        told.rank.iter().map(|row| columns.iter().map(|column| (column.cell)(row)).collect()).collect();
    let id = names.iter().map(String::len).max().unwrap_or(0);
    let wide = |at: usize| cells.iter().map(|row| row[at].len()).chain([columns[at].title.len()]).max().unwrap_or(0);
    let joined = |entries: Vec<&str>| {
        let parts = columns.iter().zip(entries).enumerate();
        let cells =
            parts.map(|(at, (column, entry))| [column.before.to_owned(), format!("{entry:>width$}", width = wide(at))]);
        cells.flatten().collect::<String>()
    };
    let head = joined(columns.iter().map(|column| column.title).collect());
    let head = format!("{:id$}{head}", "");
    // What the columns mean stands beside their titles where there is room; the reasons above spell it out in any case.
    let explained = format!("{head}  {}", columns_note(first.rule));
    let room = page.width.saturating_sub(LABEL);
    page.add("rank", if explained.width() <= room { &explained } else { &head }, Tone::Dim, None, 0);
    for ((row, name), cells) in told.rank.iter().zip(&names).zip(&cells) {
        let tone = if row.chosen { Tone::Chosen } else { Tone::Dim };
        let numbers = joined(cells.iter().map(String::as_str).collect());
        // One row each; the whole screen has room for what is cut here.
        let text = cut(&format!("{name:id$}{numbers}  {}", row.text), room);
        page.add("", &text, tone, Some(row.buf), 0);
    }
    if let Some(more) = &told.more {
        page.add("", more, Tone::Dim, None, 0);
    }
}

/// The ready queue in aligned columns.
fn queue(page: &mut Page, trace: &Trace, told: &Explained) {
    if told.queue.is_empty() {
        return;
    }
    let problem = &trace.problem;
    let cells: Vec<[String; 3]> = told
        .queue
        .iter()
        .map(|row| {
            let marker = if row.standing == Standing::Won { "▸" } else { " " };
            let slack = if row.slack == 0 { "none".to_owned() } else { duration(problem, row.slack) };
            [format!("{marker}{}", node_id(&problem.graph, row.node)), duration(problem, row.cycles), slack]
        })
        .collect();
    let wide =
        |at: usize, title: &str| cells.iter().map(|row| row[at].width()).chain([title.width()]).max().unwrap_or(0);
    let room = page.width.saturating_sub(LABEL);
    // The numbers and how each fared are worth more than the end of a long name.
    let name = wide(0, "").min((room / 3).max(8));
    let (takes, slack) = (wide(1, "takes"), wide(2, "slack"));
    let head = format!("{:name$}  {:>takes$}  {:>slack$}", "", "takes", "slack");
    page.add("queue", &cut(&head, room), Tone::Dim, None, 0);
    for (row, [id, takes_text, slack_text]) in told.queue.iter().zip(&cells) {
        let tone = if row.standing == Standing::Won { Tone::Chosen } else { Tone::Dim };
        let id = cut(id, name);
        let pad = " ".repeat(name - id.width());
        let text = format!("{id}{pad}  {takes_text:>takes$}  {slack_text:>slack$}  {}", row.text);
        page.add("", &cut(&text, room), tone, None, 0);
    }
    if let Some(more) = &told.more_ready {
        page.add("", more, Tone::Dim, None, 0);
    }
}

fn rank_name(trace: &Trace, row: &RankRow) -> String {
    let marker = if row.chosen { "▸" } else { " " };
    format!("{marker}{}", buffer_id(&trace.problem.graph, row.buf))
}

/// `text` in lines of at most `width` columns, broken at spaces where they are, later ones set in by `hang`.
pub fn wrap(text: &str, width: usize, hang: usize) -> Vec<String> {
    let hang = if hang * 2 >= width { 0 } else { hang };
    let mut lines = Vec::new();
    let mut line = String::new();
    for c in glued(text).chars() {
        if line.width() + c.width().unwrap_or(0) > width && !line.trim().is_empty() {
            let rest = line.split_off(break_of(&line, c, width, hang));
            lines.push(line);
            line = " ".repeat(hang) + &rest;
            if c == ' ' {
                continue;
            }
        }
        line.push(c);
    }
    if !line.trim().is_empty() || lines.is_empty() {
        lines.push(line);
    }
    lines.iter().map(|line| line.trim_end().replace(GLUE, " ")).collect()
}

/// A space at which no line breaks.
const GLUE: char = '\u{a0}';

/// Glues the groups of numbers: `1 024` on two lines would be misread.
fn glued(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let digits_around =
            out.ends_with(|c: char| c.is_ascii_digit()) && rest.peek().is_some_and(char::is_ascii_digit);
        out.push(if c == ' ' && digits_around { GLUE } else { c });
    }
    out
}

/// `text` in at most `width` columns; what had to go is marked by `…`.
pub fn cut(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    match width.checked_sub(1) {
        Some(room) => prefix(text, room) + "…",
        None => String::new(),
    }
}

/// As much of `text` as `width` columns hold.
pub fn prefix(text: &str, width: usize) -> String {
    let mut used = 0;
    let fits = |c: &char| {
        used += c.width().unwrap_or(0);
        used <= width
    };
    text.chars().take_while(fits).collect()
}

/// Where a full line breaks before `next`: behind its last space, or at its end where that would not do.
fn break_of(line: &str, next: char, width: usize, hang: usize) -> usize {
    let indent = line.len() - line.trim_start().len();
    let space = line.rfind(' ').filter(|&at| at > indent && next != ' ');
    let fits = |at: &usize| hang + line[*at..].width() + next.width().unwrap_or(0) <= width;
    space.map(|at| at + 1).filter(fits).unwrap_or(line.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_at_spaces_and_keep_their_width() {
        assert_eq!(wrap("b42 left L1 to make room", 10, 0), ["b42 left", "L1 to make", "room"]);
        assert_eq!(wrap("b42 left L1 to make room", 12, 2), ["b42 left L1", "  to make", "  room"]);
        assert_eq!(wrap("", 10, 0), [""]);
        assert_eq!(wrap("abcdefgh", 3, 0), ["abc", "def", "gh"]);
    }

    #[test]
    fn a_grouped_number_stays_on_one_line() {
        for width in 21..=25 {
            assert_eq!(wrap("the largest hole has 1 000 units", width, 0)[0], "the largest hole has", "{width}");
        }
    }

    #[test]
    fn nothing_is_lost_or_too_wide_with_wide_and_combining_characters() {
        let text = "权重 acc[0,1] cafe\u{301} 一二三四五六七八九十 and a word-that-is-longer-than-all x";
        for width in 2..40 {
            for hang in 0..6 {
                let lines = wrap(text, width, hang);
                assert!(lines.iter().all(|line| line.width() <= width), "{width} {hang}: {lines:?}");
                let bare = |text: &str| text.chars().filter(|c| *c != ' ').collect::<String>();
                assert_eq!(bare(&lines.concat()), bare(text));
            }
        }
    }
}
