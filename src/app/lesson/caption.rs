//! The lines of a caption, wrapped to the screen and broken into pages where they are too many.

use super::Player;
use crate::app::Class;
use crate::app::words::wrap;
use crate::lesson::Question;

/// What a line of a caption says; decides how it looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CaptionTone {
    /// What there is to see.
    Plain,
    /// What is asked, or the heading of a part.
    Strong,
    /// An answer to pick.
    Choice,
    /// The answer that was picked.
    Picked,
}

/// A line of a caption.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaptionLine {
    /// The text, no wider than the screen.
    pub text: String,
    /// How it looks.
    pub tone: CaptionTone,
    /// The choice that it belongs to, counted from 0.
    pub choice: Option<usize>,
}

/// A caption as it fits the screen.
#[derive(Clone, Debug, Default)]
pub(super) struct Fitted {
    /// The lines of the page that is shown.
    pub shown: Vec<CaptionLine>,
    /// How many pages there are.
    pub pages: usize,
    /// Rows that captions take on a screen of that size, with the heading: as many as the longest of the lesson needs,
    /// so that the panes do not jump from station to station.
    pub rows: u16,
    size: (u16, u16),
}

/// Columns that are left free at either side.
const MARGIN: usize = 1;

/// Lines longer than this are hard to read.
const WIDEST: usize = 100;

/// Brings the caption of `player` in line with the size of the screen.
pub(super) fn fit(player: &mut Player, size: (u16, u16)) {
    let width = width(size);
    if player.caption.size != size {
        let longest = longest(player, width);
        player.caption.size = size;
        player.caption.rows = u16::try_from(longest + 1).unwrap_or(u16::MAX).min(most_rows(size));
    }
    // Where nothing can be shown there is nothing to turn over.
    let is_tiny = Class::of(size) == Class::Tiny;
    let rows = if is_tiny { usize::MAX } else { usize::from(player.caption.rows.saturating_sub(1)).max(1) };
    let tried = player.tried.get(player.at).map_or(&[][..], Vec::as_slice);
    let lines = lines(player, player.at, tried, width);
    player.caption.pages = lines.len().div_ceil(rows).max(1);
    player.page = player.page.min(player.caption.pages - 1);
    player.caption.shown = lines.into_iter().skip(player.page * rows).take(rows).collect();
}

fn width((columns, _): (u16, u16)) -> usize {
    usize::from(columns).saturating_sub(2 * MARGIN).clamp(1, WIDEST)
}

/// The most rows that leave enough for the panes.
fn most_rows((columns, rows): (u16, u16)) -> u16 {
    let panes = match (columns, rows) {
        (80.., 24..) => 13,
        (_, 16..) => 9,
        _ => 3,
    };
    rows.saturating_sub(2 + panes)
}

/// Lines that the longest caption of the lesson takes, with whatever answer.
fn longest(player: &Player, width: usize) -> usize {
    let stations = 0..=player.lesson.stations.len();
    let of = |at: usize| {
        let question = player.lesson.stations.get(at).and_then(|station| station.question.as_ref());
        // The most is said where all were tried, and the last one's answer is the longest.
        let mut tried: Vec<usize> = (0..question.map_or(0, |question| question.choices.len())).collect();
        let unanswered = lines(player, at, &[], width).len();
        let answered = (0..tried.len()).map(|_| {
            tried.rotate_left(1);
            lines(player, at, &tried, width).len()
        });
        answered.max().unwrap_or(0).max(unanswered)
    };
    stations.map(of).max().unwrap_or(0)
}

/// All lines of a station where these choices were tried, the latest last.
fn lines(player: &Player, at: usize, tried: &[usize], width: usize) -> Vec<CaptionLine> {
    let mut page = Page { width, lines: Vec::new() };
    let Some(station) = player.lesson.stations.get(at) else {
        page.end(player);
        return page.lines;
    };
    match &station.question {
        None => page.add(&station.caption, CaptionTone::Plain, 0),
        Some(question) => page.question(&station.caption, question, tried),
    }
    page.lines
}

struct Page {
    width: usize,
    lines: Vec<CaptionLine>,
}

impl Page {
    fn add(&mut self, text: &str, tone: CaptionTone, hang: usize) {
        let lines = wrap(text, self.width, hang).into_iter();
        self.lines.extend(lines.map(|text| CaptionLine { text, tone, choice: None }));
    }

    /// Before the answer, what there is to see and the choices; then the choices with what came of those that were
    /// tried, and what is said to the one that was picked.
    fn question(&mut self, caption: &str, question: &Question, tried: &[usize]) {
        let picked = tried.last().copied();
        if picked.is_none() {
            self.add(caption, CaptionTone::Plain, 0);
        }
        self.add(&question.text, CaptionTone::Strong, 0);
        for (number, choice) in question.choices.iter().enumerate() {
            let is_picked = picked == Some(number);
            let cost = choice.cost.as_ref().filter(|_| tried.contains(&number));
            let cost = cost.map(|cost| format!(": {}", cost.figures)).unwrap_or_default();
            let marker = if is_picked { "▸" } else { " " };
            let tone = if is_picked { CaptionTone::Picked } else { CaptionTone::Choice };
            let first = self.lines.len();
            self.add(&format!("{marker}{}  {}{cost}", number + 1, choice.text), tone, 4);
            self.lines[first..].iter_mut().for_each(|line| line.choice = Some(number));
        }
        if let Some(choice) = picked.and_then(|picked| question.choices.get(picked)) {
            self.add(&choice.answer, CaptionTone::Plain, 0);
        }
    }

    fn end(&mut self, player: &Player) {
        let lesson = &player.lesson;
        for (heading, text) in [("Learnt: ", &lesson.learned), ("Try: ", &lesson.to_try)] {
            if !text.is_empty() {
                self.add(&format!("{heading}{text}"), CaptionTone::Plain, heading.len());
            }
        }
        let next = match player.shelf.next().and_then(|next| player.shelf.entries.get(next)) {
            Some(next) => format!("Next lesson: {}. Enter opens it, L lists them all.", next.title),
            None => "That was the last lesson. Enter lists them all.".to_owned(),
        };
        self.add(&next, CaptionTone::Strong, 0);
    }
}
