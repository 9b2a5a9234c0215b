//! Two plans side by side: each with its name, levels, map and this step's words; below, what differs.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Clear, Widget};
use unicode_width::UnicodeWidthStr;

use super::chrome::put_on_line;
use super::text::{cut, empty, left, put, put_row, right};
use super::theme::{Look, Sign};
use crate::app::compare::rivals as choices;
use crate::app::words::wrap;
use crate::app::{App, Class, Compared};
use crate::compare::difference::{Fate, Kinship};
use crate::output::difference::{Row, rows};
use crate::output::labels::buffer_label;
use crate::output::numbers::{counted, grouped};
use crate::output::plan_pair::{SIDES, fault, side_name, what_differs};

/// Draws the whole but for the footer.
pub fn draw(app: &App, compared: &Compared, look: Look, buf: &mut Buffer) {
    title(app, compared, look, buf);
    super::draw_panes(app, look, buf);
    super::draw_panes(compared.other(), look, buf);
    heads(app, compared, look, buf);
    panel(app, compared, look, buf);
}

/// The graph at the left, which difference one stands at on the right.
fn title(app: &App, compared: &Compared, look: Look, buf: &mut Buffer) {
    let area = app.layout().title;
    let count = compared.difference().partings.len();
    let (begun, inside) = compared.difference().place(0, app.step());
    let place = match (count, begun, inside) {
        (0, ..) => "the same throughout ".to_owned(),
        (_, at, true) => format!("difference {at} of {count} "),
        (_, 0, false) => format!("the same so far; {} ahead ", counted(count as u64, "difference")),
        (_, at, false) => format!("the same here, after difference {at} of {count} "),
    };
    let start = area.right().saturating_sub(place.width() as u16).max(area.x);
    let room = usize::from(start.saturating_sub(area.x)).saturating_sub(1);
    let problem = &app.trace().problem;
    let long = format!(" {} · {} · two plans", problem.graph.name, problem.machine.name);
    let text = if long.width() <= room { long } else { cut(&format!(" {}", problem.graph.name), room) };
    put(buf, area, 0, Span::styled(text, look.accent()));
    put(buf, Rect { x: start, width: area.right() - start, ..area }, 0, Span::styled(place, look.strong()));
}

/// What each plan is called, and where it stands.
fn heads(app: &App, compared: &Compared, look: Look, buf: &mut Buffer) {
    let narrow = app.layout().class == Class::Narrow;
    let apps = [app, compared.other()];
    let changes = [&app.plans().current().change, &compared.rival().change];
    for (side, area) in compared.layout().heads.into_iter().enumerate() {
        let session = apps[side].session();
        let mut name = side_name(session, changes[side]);
        if side == 1 && app.plans().at() > 0 && changes[side].is_empty() && session.recorded.is_none() {
            name = format!("as opened · {name}");
        }
        let style = look.accent().patch(look.strong());
        let place = place(compared, apps[side], side);
        let fault = fault(session).map(|fault| format!(" {fault} "));
        let fixed = 3 + place.width() + 3 + fault.as_ref().map_or(0, |fault| fault.width() + 1);
        let room = usize::from(area.width).saturating_sub(fixed + usize::from(narrow));
        let mut spans = vec![Span::styled(format!(" {} ", SIDES[side]), look.selected().patch(style)), Span::raw(" ")];
        spans.push(Span::styled(place, look.strong()));
        spans.push(Span::styled(format!("  {}", cut(&name, room)), look.dim()));
        spans.extend(fault.map(|fault| Span::styled(fault, look.sign(Sign::Failure))));
        let line = Line::from(spans);
        if narrow {
            put_on_line(buf, look, Rect { x: area.x + 1, width: area.width.saturating_sub(2), ..area }, line);
        } else {
            put(buf, Rect { x: area.x, width: area.width.saturating_sub(1), ..area }, 0, line);
        }
    }
}

/// `step 233/1762`, and for the other plan what that step is to the one on the left.
fn place(compared: &Compared, app: &App, side: usize) -> String {
    let Some(last) = app.trace().step_count().checked_sub(1) else { return "no step".into() };
    let at = format!("step {}/{last}", app.step());
    match compared.beside().filter(|_| side == 1).map(|beside| beside.kind) {
        None | Some(Kinship::Same | Kinship::Here) => at,
        Some(Kinship::Elsewhere) => format!("{at}, where it does the same"),
        Some(Kinship::Instead) => format!("{at} in place of that"),
    }
}

fn panel(app: &App, compared: &Compared, look: Look, buf: &mut Buffer) {
    let layout = compared.layout();
    frame(app, compared, look, buf);
    let width = usize::from(layout.sentence.width);
    let lines = wrap(&format!(" {}", compared.sentence()), width.max(1), 1);
    let height = usize::from(layout.sentence.height);
    for (row, line) in lines.iter().take(height).enumerate() {
        let is_cut = row + 1 == height && lines.len() > height;
        let line = if is_cut { cut(&format!("{line} …"), width) } else { line.clone() };
        put(buf, layout.sentence, row, Span::styled(line, look.strong()));
    }
    strip(app, compared, look, buf);
    here(compared, look, buf);
    figures(app, compared, look, buf);
    list(app, compared, look, buf);
}

fn frame(app: &App, compared: &Compared, look: Look, buf: &mut Buffer) {
    let area = compared.layout().panel;
    let style = look.accent().patch(look.strong());
    let fates = compared.difference().buffers.len();
    let name = match fates {
        0 => "▸no buffer fares differently".to_owned(),
        1 => "▸1 buffer fares differently".to_owned(),
        count => format!("▸{} buffers fare differently", grouped(count as u64)),
    };
    if app.layout().class == Class::Narrow {
        put(buf, area, 0, Span::styled("─".repeat(usize::from(area.width)), style));
    } else {
        Block::bordered()
            .border_style(style)
            .merge_borders(ratatui::symbols::merge::MergeStrategy::Exact)
            .render(area, buf);
    }
    let inner = Rect { x: area.x + 1, width: area.width.saturating_sub(2), height: area.height.min(1), ..area };
    put_on_line(buf, look, inner, Span::styled(name, style));
}

/// What the two do where one stands, side by side.
fn here(compared: &Compared, look: Look, buf: &mut Buffer) {
    let area = compared.layout().here;
    let Some([a, b]) = compared.here() else {
        return put(buf, area, 0, Span::styled(" Here the two are the same.", look.dim()));
    };
    let half = usize::from(area.width / 2);
    let name = |side: usize| Span::styled(format!(" {} ", SIDES[side]), look.selected().patch(look.accent()));
    let text = |text: &str| Span::styled(format!(" {}", left(text, half.saturating_sub(5))), look.sign(Sign::Spill));
    put(buf, area, 0, Line::from(vec![Span::raw(" "), name(0), text(a), name(1), text(b)]));
}

/// The whole of the left plan in one line: where the two part, and where one stands.
fn strip(app: &App, compared: &Compared, look: Look, buf: &mut Buffer) {
    let area = compared.layout().strip;
    let steps = app.trace().step_count();
    if area.width < 4 || area.height == 0 || steps == 0 {
        return;
    }
    let columns = usize::from(area.width) - 2;
    let partings = &compared.difference().partings;
    let from = |column: usize| (column as u128 * steps as u128 / columns as u128) as usize;
    let playhead = (0..columns).rfind(|&column| from(column) <= app.step());
    for column in 0..columns {
        let (start, end) = (from(column), from(column + 1).max(from(column) + 1));
        // The first parting that does not end before the column; an empty one has the step at which it stands.
        let reach = |steps: &std::ops::Range<u32>| steps.end.max(steps.start + 1) as usize;
        let next = partings.partition_point(|parting| reach(&parting.steps[0]) <= start);
        let last = end >= steps;
        let parts = partings.get(next).is_some_and(|parting| (parting.steps[0].start as usize) < end || last);
        let style = if parts { look.sign(Sign::Spill) } else { look.dim() };
        let Some(cell) = buf.cell_mut((area.x + 1 + column as u16, area.y)) else { continue };
        cell.set_char(if parts { '▒' } else { '─' }).set_style(style);
        if playhead == Some(column) {
            cell.set_char('▴').set_style(look.accent().patch(look.selected()));
        }
    }
}

/// The figures of both, as far as there is room.
fn figures(app: &App, compared: &Compared, look: Look, buf: &mut Buffer) {
    let area = compared.layout().figures;
    let width = usize::from(area.width);
    let rows = rows(app.session(), compared.other().session());
    let wide = |title: &str, of: fn(&Row) -> &str| {
        rows.iter().map(|row| of(row).width()).chain([title.width()]).max().unwrap_or(0)
    };
    let name = wide("", |row| &row.name);
    let columns = [wide("A", |row| &row.before), wide("B", |row| &row.now), wide("A to B", |row| &row.change)];
    // The share says nothing new: it goes where there is no room.
    let shares = 1 + name + columns.iter().sum::<usize>() + 3 * 2 + 2 + wide("", |row| &row.share) <= width;
    let line = |title: &str, [a, b, change]: [&str; 3], share: &str| {
        let [a, b, change] = [right(a, columns[0]), right(b, columns[1]), right(change, columns[2])];
        format!(" {}  {a}  {b}  {change}  {}", left(title, name), if shares { share } else { "" })
    };
    put(buf, area, 0, Span::styled(cut(line("", ["A", "B", "A to B"], "").trim_end(), width), look.dim()));
    for (at, row) in rows.iter().enumerate() {
        let style = match row.better {
            Some(true) => look.strong(),
            Some(false) => look.sign(Sign::Spill),
            None => look.dim(),
        };
        let text = line(&row.name, [&row.before, &row.now, &row.change], &row.share);
        put(buf, area, at + 1, Span::styled(cut(text.trim_end(), width), style));
    }
}

/// Widths of the list's columns of numbers.
const COUNT: usize = 4;
const CHANGE: usize = 14;

/// The buffers that fare differently, the one that is picked out among them.
fn list(app: &App, compared: &Compared, look: Look, buf: &mut Buffer) {
    let area = compared.layout().list;
    let fates = &compared.difference().buffers;
    if area.height == 0 {
        return;
    }
    let width = usize::from(area.width);
    let name = width.saturating_sub(3 + 2 * (COUNT + 1) + 1 + CHANGE);
    let head = Rect { y: area.y - 1, height: 1, ..area };
    if fates.is_empty() {
        return empty(
            buf,
            Rect { y: head.y, height: area.height + 1, ..area },
            "Every buffer is spilled at the same times and lies at the same address in both.",
            look.dim(),
        );
    }
    let titles = format!(
        "{}{} {} {}",
        left(" spilled", name + 2),
        right("A", COUNT),
        right("B", COUNT),
        right("A to B", CHANGE)
    );
    put(buf, head, 0, Span::styled(titles, look.dim()));
    let shown = compared.shown_rows();
    let graph = &app.trace().problem.graph;
    for (at, fate) in fates[shown.clone()].iter().enumerate() {
        let selected = shown.start + at == compared.row();
        let [a, b] = fate.spills.map(|count| right(&count.to_string(), COUNT));
        let marker = if selected { "▸" } else { " " };
        let text = format!(
            "{marker}{} {a} {b} {}",
            left(&buffer_label(graph, fate.buf), name),
            right(&what_differs(fate), CHANGE)
        );
        let style = if selected { look.selected() } else { tone(fate, look) };
        put_row(buf, area, at, Span::styled(text, style), if selected { look.selected() } else { Style::new() });
    }
    let below = fates.len() - shown.end;
    if below > 0 {
        let more = format!("↓ {} more", grouped(below as u64));
        let x = head.right().saturating_sub(more.width() as u16 + 1);
        // In the frame, where it takes no row.
        let line = Rect { x, y: compared.layout().panel.y, width: more.width() as u16, height: 1 };
        put_on_line(buf, look, line, Span::styled(more, look.dim()));
    }
}

fn tone(fate: &Fate, look: Look) -> Style {
    match fate.saving() {
        1.. => look.strong(),
        0 => look.dim(),
        _ => look.sign(Sign::Spill),
    }
}

/// With what to compare, where there is no other plan yet.
pub fn rivals(app: &App, row: usize, look: Look, place: Rect, buf: &mut Buffer) {
    Clear.render(place, buf);
    buf.set_style(place, look.text());
    let style = look.accent().patch(look.strong());
    Block::bordered().border_style(style).title(Span::styled("▸Compare with", style)).render(place, buf);
    let inner = Rect {
        x: place.x + 1,
        y: place.y + 1,
        width: place.width.saturating_sub(2),
        height: place.height.saturating_sub(2),
    };
    let width = usize::from(inner.width).max(1);
    let about = "This plan is planned again with one thing changed, and the two are put side by side. For anything else: c \
                 changes this plan, then d compares it with what it was.";
    let lines = wrap(about, width.saturating_sub(1).max(1), 0);
    let all = choices(&app.session().setup());
    let height = usize::from(inner.height).saturating_sub(lines.len() + 1).max(1);
    let top = (row + 1).saturating_sub(height);
    for (at, (change, _)) in all.iter().enumerate().skip(top).take(height) {
        let marker = if at == row { "▸" } else { " " };
        let style = if at == row { look.selected() } else { look.text() };
        put_row(buf, inner, at - top, Span::raw(cut(&format!("{marker}{change}"), width)), style);
    }
    let below = all.len().saturating_sub(top + height);
    let more = [('↑', top), ('↓', below)].into_iter().filter(|(_, count)| *count > 0);
    let more: Vec<String> = more.map(|(arrow, count)| format!(" {arrow} {count} more")).collect();
    put(buf, inner, height, Span::styled(more.join(" "), look.dim()));
    for (at, line) in lines.into_iter().enumerate() {
        put(buf, inner, height + 1 + at, Span::styled(format!(" {line}"), look.dim()));
    }
}
