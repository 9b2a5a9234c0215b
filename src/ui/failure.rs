//! Failure: the diagnosis, or the rules that a foreign plan breaks, as rows to walk along.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::text::{left, put, put_row};
use super::theme::Look;
use crate::app::words::{LABEL, TextLine, Tone};
use crate::app::{App, Command, Dir, Pane};

/// Draws the pane.
pub fn draw(app: &App, look: Look, area: Rect, buf: &mut Buffer) {
    let (autopsy, selected) = (app.autopsy(), app.rows().failure);
    let (top, lines) = autopsy.visible(selected, area.height);
    for (row, text) in lines.iter().enumerate() {
        let at = top + row;
        let chosen = autopsy.row_of(at) == Some(selected) && app.focus() == Pane::Failure;
        let is_first = at == 0 || autopsy.row_of(at - 1) != autopsy.row_of(at);
        let line = line(text, look, chosen && is_first);
        if chosen {
            put_row(buf, area, row, line, look.selected());
        } else {
            put(buf, area, row, line);
        }
    }
    let height = usize::from(area.height);
    if lines.len() < height.min(autopsy.line_count()) {
        let text = match autopsy.line_count() - (top + lines.len()) {
            0 => format!("the end; {} shows more at once", app.key_for(&Command::Enlarge)),
            below => {
                let [down, large] = [Command::Row(Dir::Forward), Command::Enlarge].map(|command| app.key_for(&command));
                format!("… {below} more lines: {down} goes on, {large} shows more")
            }
        };
        put(buf, area, height - 1, Span::styled(left(&text, usize::from(area.width)), look.dim()));
    }
}

/// A line behind its heading. The first of the selected row has a mark too, which tells it without emphasis.
fn line(line: &TextLine, look: Look, marked: bool) -> Line<'static> {
    let style = match line.tone {
        Tone::Sentence => return Line::styled(line.text.clone(), look.strong()),
        Tone::Chosen => look.accent().patch(look.strong()),
        Tone::Dim => look.dim(),
        Tone::Plain => look.text(),
    };
    let mark = if marked { "▸" } else { " " };
    let label = left(line.label, LABEL - 1) + mark;
    Line::from(vec![Span::styled(label, look.accent()), Span::styled(line.text.clone(), style)])
}
