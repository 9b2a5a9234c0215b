//! Around the panes: title line, frames with their titles, footer.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::symbols::merge::MergeStrategy;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Widget};
use unicode_width::UnicodeWidthStr;

use super::text::{cut, put};
use super::theme::{Look, Sign};
use super::{buffers, events, foot, graph, levels, map, ready, timeline, units};
use crate::app::keymap::{Binding, binding_of};
use crate::app::layout::SMALLEST;
use crate::app::plans::Asked;
use crate::app::{App, Class, Command, Dir, Mode, Pane, Zoom};
use crate::output::labels::step_label;
use crate::output::numbers::counted;
use crate::output::plan_pair::{fault, plan_name};
use crate::output::quantities::{moment, size};
use crate::session::Searched;
use crate::trace::{Mark, Trace};

/// What is shown where nothing else fits.
pub fn too_small(area: Rect, buf: &mut Buffer) {
    let long =
        format!("spillscope wants {}×{} or more; here are {}×{}", SMALLEST.0, SMALLEST.1, area.width, area.height);
    let short = format!("wants {}×{}", SMALLEST.0, SMALLEST.1);
    let text = if long.width() <= usize::from(area.width) { long } else { short };
    put(buf, area, 0, Span::raw(text));
}

/// Graph · machine · policy at the left, where one stands at the right.
pub fn title(app: &App, look: Look, buf: &mut Buffer) {
    let trace = app.trace();
    let area = app.layout().title;
    let last = trace.step_count().saturating_sub(1);
    let play = app.playback();
    let state = match (play.running(), play.dir()) {
        (false, Dir::Forward) => format!("PAUSED {}", play.speed()),
        (false, Dir::Back) => format!("PAUSED ◂ {}", play.speed()),
        (true, Dir::Forward) => format!("PLAY ▸ {}", play.speed()),
        (true, Dir::Back) => format!("PLAY ◂ {}", play.speed()),
    };
    let failed = trace.failing_step() == Some(app.step()) || app.session().broken_at(app.step()).next().is_some();
    let broken = app.session().recorded.is_some() && !app.session().check.is_valid();
    let mut right = vec![Span::styled(format!("step {}/{last}", app.step()), look.strong())];
    if failed {
        let what = if broken { " BROKEN " } else { " FAILED " };
        right.extend([Span::raw(" "), Span::styled(what, look.sign(Sign::Failure))]);
    }
    if area.width >= 60 {
        right.push(Span::raw(format!("  {}", clock(trace, app.step()))));
    }
    let state_style = if play.running() { look.accent().patch(look.strong()) } else { look.dim() };
    right.extend([Span::raw("  "), Span::styled(state, state_style), Span::raw(" ")]);
    let right = Line::from(right);
    let room = usize::from(area.width).saturating_sub(right.width() + 2);
    let name = format!(" {}", trace.problem.graph.name);
    let fault = fault(app.session()).filter(|_| broken);
    let planned = fault.map_or_else(|| planned(app), |fault| format!("{} · {fault}", planned(app)));
    let whole = format!("{name} · {} · {planned}", trace.problem.machine.name);
    let texts = [whole, format!("{name} · {planned}"), cut(&name, room)];
    let left = texts.into_iter().find(|text| text.width() <= room).unwrap_or_default();
    put(buf, area, 0, Span::styled(left, look.accent()));
    let start = area.right().saturating_sub(right.width() as u16).max(area.x);
    put(buf, Rect { x: start, width: area.right() - start, ..area }, 0, right);
}

/// When the step starts, where steps start one after the other; else the cycle that all steps so far have ended by.
fn clock(trace: &Trace, step: usize) -> String {
    match trace.time_of(step).filter(|_| trace.problem.is_clocked()) {
        Some((start, _)) => format!("at {}", moment(&trace.problem, start)),
        None => format!("by {}", moment(&trace.problem, trace.clock(step))),
    }
}

/// How it was planned: policy and order of caches; order, window and cap of a pool.
fn planned(app: &App) -> String {
    let options = &app.session().options;
    let machine = &app.trace().problem.machine;
    let pool = machine.levels.iter().find(|level| level.pool().is_some());
    let searched = app.session().searched.as_ref();
    let mut parts = match pool {
        None if searched.is_some_and(Searched::found_better) => vec!["searched".to_owned()],
        Some(_) => vec![format!("{} order", options.order)],
        None => vec![options.policy_name().to_owned(), format!("{} order", options.order)],
    };
    let found = searched.filter(|searched| searched.found_better());
    parts.extend(found.map(|searched| counted(searched.evaluations, "evaluation")));
    match &app.session().recorded {
        Some(recorded) if recorded.from.is_some() => parts = vec![plan_name(app.session())],
        Some(recorded) if recorded.measured => parts.insert(0, "measured run".into()),
        _ => {}
    }
    if app.session().packed.is_some() {
        parts = vec![plan_name(app.session())];
    }
    parts.extend(machine.window.map(|window| format!("window {window}")));
    parts.extend(pool.map(|pool| format!("cap {}", size(pool, pool.capacity))));
    parts.join(" · ")
}

/// The lines between the panes and what stands on them. The focused pane's are drawn last, over its neighbours'.
pub fn frames(app: &App, look: Look, buf: &mut Buffer) {
    let layout = app.layout();
    let focus = focus_shown(app);
    let focus_last = |pane: &Pane| Some(*pane) == focus;
    let (last, first): (Vec<_>, Vec<_>) = layout.panes.iter().partition(|(pane, _)| focus_last(pane));
    for &(pane, rect) in first.iter().chain(&last) {
        let style = if Some(pane) == focus { look.accent().patch(look.strong()) } else { look.dim() };
        if layout.class == Class::Narrow {
            let line = "─".repeat(usize::from(rect.width));
            put(buf, rect, 0, Span::styled(line, style));
        } else {
            Block::bordered().border_style(style).merge_borders(MergeStrategy::Exact).render(rect, buf);
        }
    }
    for &(pane, rect) in &layout.panes {
        let tabbed = layout.tabs.iter().any(|(tab, _)| *tab == pane);
        if !tabbed {
            let inner = Rect { x: rect.x + 1, width: rect.width.saturating_sub(2), height: 1, ..rect };
            put_on_line(buf, look, inner, pane_title(app, look, pane));
        }
    }
    tabs(app, look, buf);
}

/// The pane that has the keys, if one has: where two plans are compared, the list has them.
fn focus_shown(app: &App) -> Option<Pane> {
    app.compared().is_none().then(|| app.focus())
}

/// Writes over a frame's line without taking on its colour.
pub(super) fn put_on_line(buf: &mut Buffer, look: Look, area: Rect, line: impl Into<Line<'static>>) {
    let line = line.into();
    let width = area.width.min(line.width() as u16);
    buf.set_style(Rect { width, height: area.height.min(1), ..area }, Style::reset().patch(look.text()));
    put(buf, area, 0, line);
}

fn title_style(look: Look, focused: bool) -> Style {
    if focused { look.accent().patch(look.strong()) } else { look.strong() }
}

fn pane_title(app: &App, look: Look, pane: Pane) -> Line<'static> {
    let focused = Some(pane) == focus_shown(app);
    let style = title_style(look, focused);
    let (name, rest) = match pane {
        Pane::Map => map::title(app),
        Pane::Ready => ready::title(app),
        Pane::Units => units::title(app),
        Pane::Graph => graph::title(app),
        Pane::Buffers => buffers::title(app),
        Pane::Events => events::title(app),
        Pane::Timeline => timeline::title(app),
        Pane::Levels => levels::title(app),
        Pane::Step => {
            let what = app.trace().step(app.step()).map(|step| step_label(app.trace(), step));
            (pane.title().to_owned(), what.unwrap_or_default())
        }
        Pane::Failure => (pane.title().to_owned(), String::new()),
    };
    let name = if focused { format!("▸{name}") } else { name };
    let name = if app.player().is_some_and(|player| player.points_at(pane)) { format!("{name} ◂◂") } else { name };
    let rest = if rest.is_empty() { String::new() } else { format!(" · {rest} ") };
    Line::from(vec![Span::styled(name, style), Span::styled(rest, look.dim())])
}

/// The names of panes that share a place: the visible one stands out without colour too.
fn tabs(app: &App, look: Look, buf: &mut Buffer) {
    let layout = app.layout();
    for &(pane, rect) in &layout.tabs {
        let visible = layout.rect(pane).is_some();
        let style = match (visible, pane == app.focus()) {
            (true, true) => title_style(look, true).patch(look.selected()),
            (true, false) => look.strong().patch(look.selected()),
            (false, _) => look.dim(),
        };
        let names = [pane.title(), pane.short()];
        let name = names.into_iter().find(|name| name.len() <= usize::from(rect.width)).unwrap_or(pane.shortest());
        put_on_line(buf, look, rect, Span::styled(name, style));
        // Brackets around the visible one, so that it is told in plain text too.
        let (open, close) = if visible { ("[", "]") } else { ("", " ") };
        for (x, bracket) in [(rect.x.saturating_sub(1), open), (rect.right(), close)] {
            let gap = Rect { x, width: 1, ..rect };
            if !bracket.is_empty() {
                put_on_line(buf, look, gap.intersection(buf.area), Span::styled(bracket, style));
            }
        }
    }
}

/// Notices and prompts, else the keys that are likely next.
pub fn footer(app: &App, look: Look, buf: &mut Buffer) {
    let area = app.layout().footer;
    let line = match (app.mode(), app.notice()) {
        (Mode::Prompt { ask, input }, _) => foot::prompt(app, look, *ask, input, usize::from(area.width)),
        (Mode::Letter { set }, _) => foot::letter(app, *set),
        (Mode::Replace(save), _) => foot::replace(look, save),
        (_, Some(notice)) => Line::from(vec![Span::raw(" "), Span::styled(notice.to_owned(), look.strong())]),
        (Mode::Help(_), _) => foot::help(app),
        (Mode::Menu(_), _) => foot::menu(app),
        (Mode::Note(_), _) => Line::from(" any key goes back"),
        _ if app.plans().asked().is_some_and(|asked| asked.news().is_some()) => {
            let news = app.plans().asked().and_then(Asked::news).unwrap_or_default();
            Line::from(vec![Span::raw(" "), Span::styled(news, look.accent())])
        }
        _ => match app.count() {
            Some(count) => {
                let remedy = if app.focus() == Pane::Failure { "Enter: try that remedy   " } else { "" };
                Line::from(format!(" {count} …  {remedy}G: to that step   %: to that share   or a move, so many times"))
            }
            None => keys(app, look, usize::from(area.width)),
        },
    };
    put(buf, area, 0, line);
}

/// As many of the likely keys as fit, the most useful first; help and quit always.
fn keys(app: &App, look: Look, width: usize) -> Line<'static> {
    let always = [hint(&[Command::Help]), hint(&[Command::Quit])];
    let columns = |hint: &Hint| hint.keys(app).width() + hint.text().width() + 3;
    let mut room = width.saturating_sub(always.iter().map(columns).sum());
    let mut shown: Vec<Hint> = Vec::new();
    for hint in likely(app) {
        if columns(&hint) <= room && !shown.iter().any(|other| other.text() == hint.text()) {
            room -= columns(&hint);
            shown.push(hint);
        }
    }
    let spans = shown.into_iter().chain(always).flat_map(|hint| {
        let keys = Span::styled(format!(" {}", hint.keys(app)), look.accent().patch(look.strong()));
        [keys, Span::raw(format!(" {} ", hint.text()))]
    });
    Line::from(spans.collect::<Vec<_>>())
}

/// One entry of the footer: commands that belong together, told by the word of the last, or by what they are here.
struct Hint {
    bound: Vec<&'static Binding>,
    word: Option<&'static str>,
}

impl Hint {
    /// Their keys.
    fn keys(&self, app: &App) -> String {
        self.bound.iter().map(|binding| app.key_for(&binding.command)).collect::<Vec<_>>().join(" ")
    }

    fn text(&self) -> &'static str {
        self.word.or(self.bound.last().map(|binding| binding.short)).unwrap_or_default()
    }

    /// The same under a word that tells what the keys do where one stands.
    fn called(self, word: &'static str) -> Self {
        Self { word: Some(word), ..self }
    }
}

fn hint(commands: &[Command]) -> Hint {
    Hint { bound: commands.iter().filter_map(binding_of).collect(), word: None }
}

/// The keys that jump to what this plan has: its spills, else whatever is marked.
fn jumps(app: &App) -> Hint {
    use Dir::{Back, Forward};
    if app.trace().marks(Mark::Spill).is_empty() {
        return hint(&[Command::Notable(Back), Command::Notable(Forward)]);
    }
    hint(&[Command::Mark(Mark::Spill, Back), Command::Mark(Mark::Spill, Forward)])
}

/// What is likely wanted next: first what the focused pane offers, then what always helps.
fn likely(app: &App) -> Vec<Hint> {
    use Command as C;
    use Dir::{Back, Forward};
    let rows = || hint(&[C::Row(Back), C::Row(Forward)]);
    let mut hints = Vec::new();
    if matches!(app.mode(), Mode::History(_)) {
        let see = hint(&[C::Enter]).called("see this plan");
        return vec![rows(), see, hint(&[C::Undo]), hint(&[C::Escape])];
    }
    if matches!(app.mode(), Mode::WhatIf) {
        let turn = hint(&[C::Step(Back), C::Step(Forward)]).called("change");
        let all = [rows(), turn, hint(&[C::Enter]).called("type"), hint(&[C::Undo]), hint(&[C::Redo])];
        hints.extend(all.into_iter().chain([hint(&[C::Copy]), hint(&[C::Escape])]));
        return hints;
    }
    if matches!(app.mode(), Mode::Stops(_)) {
        let jump = hint(&[C::Stop(Back), C::Stop(Forward)]).called("jump");
        let all = [hint(&[C::Enter]).called("add, change"), hint(&[C::Play]).called("on, off")];
        let all = all.into_iter().chain([hint(&[C::Previous]).called("remove"), jump, rows(), hint(&[C::Escape])]);
        hints.extend(all);
        return hints;
    }
    if matches!(app.mode(), Mode::Rivals(_)) {
        hints.extend([rows(), hint(&[C::Enter]).called("compare with this"), hint(&[C::Escape])]);
        return hints;
    }
    if app.compared().is_some() {
        hints.extend([
            hint(&[C::Parting(Back), C::Parting(Forward)]).called("differences"),
            hint(&[C::Compare]).called("back"),
            hint(&[C::Step(Back), C::Step(Forward)]),
            rows().called("buffer"),
            hint(&[C::Enter]).called("where it differs"),
            hint(&[C::Why]),
            hint(&[C::Swap]),
            hint(&[C::Level(Forward)]),
            hint(&[C::WhatIf]),
        ]);
        return hints;
    }
    if let Some(player) = app.player() {
        let (leave, list) = (hint(&[C::Escape]).called("look around"), hint(&[C::Lessons]).called("all lessons"));
        if player.is_open() {
            hints.extend([hint(&[C::Lesson(Forward)]), hint(&[C::Lesson(Back)]), leave, list]);
        } else {
            hints.push(hint(&[C::Lessons]));
        }
    }
    if app.enlarged() {
        hints.push(hint(&[C::Escape]));
    }
    let step = hint(&[C::Step(Back), C::Step(Forward)]);
    match app.focus() {
        Pane::Step => {}
        Pane::Failure => hints.extend([rows(), hint(&[C::Enter]), step, hint(&[C::Why]), hint(&[C::Pane(Forward)])]),
        Pane::Levels => hints.extend([hint(&[C::Level(Forward)]), hint(&[C::Peak])]),
        Pane::Map if app.map().spot.is_some() => {
            hints.extend([hint(&[C::Enter]), hint(&[C::Cells]), hint(&[C::Escape])]);
        }
        Pane::Map => hints.extend([
            rows(),
            hint(&[C::Zoom(Zoom::Out), C::Zoom(Zoom::In)]),
            hint(&[C::Cells]),
            hint(&[C::Coloring(Forward)]),
            hint(&[C::AllLevels]),
            hint(&[C::Level(Forward)]),
            hint(&[C::Enter]),
        ]),
        Pane::Buffers if app.story().is_some() => hints.extend([rows(), hint(&[C::Enter]), hint(&[C::Escape])]),
        Pane::Ready | Pane::Buffers | Pane::Graph => hints.extend([rows(), hint(&[C::Enter])]),
        Pane::Units => hints.extend([
            rows(),
            hint(&[C::Enter]),
            hint(&[C::Path(Back), C::Path(Forward)]),
            hint(&[C::Zoom(Zoom::Out), C::Zoom(Zoom::In)]),
        ]),
        Pane::Events => hints.extend([rows(), hint(&[C::Filter])]),
        Pane::Timeline => hints.extend([hint(&[C::Zoom(Zoom::Out), C::Zoom(Zoom::In)]), hint(&[C::Level(Forward)])]),
    }
    hints.extend([
        hint(&[C::Step(Back), C::Step(Forward)]),
        jumps(app),
        hint(&[C::Play]),
        hint(&[C::Why]),
        hint(&[C::Pane(Forward)]),
        hint(&[C::Enter]),
        hint(&[C::Event(Back), C::Event(Forward)]),
        hint(&[C::Peak]),
        hint(&[C::Search]),
        hint(&[C::Level(Forward)]),
        hint(&[C::Enlarge]),
    ]);
    hints
}
