//! This step: a plain sentence, then what was done, why, who else was considered, what comes next.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::text::{left, put};
use super::theme::{Look, Sign};
use crate::app::words::{LABEL, TextLine, Tone};
use crate::app::{App, Command};

/// Draws This step.
pub fn this_step(app: &App, look: Look, area: Rect, buf: &mut Buffer) {
    let sign = Sign::of_run(app.trace().run(app.step()));
    lines(app, &app.words().step, app.rows().step, look, sign, area, buf);
}

fn lines(app: &App, lines: &[TextLine], top: usize, look: Look, sign: Option<Sign>, area: Rect, buf: &mut Buffer) {
    let height = usize::from(area.height);
    let top = top.min(lines.len().saturating_sub(height));
    let below = lines.len().saturating_sub(top + height);
    // The last line makes way for what says that there is more.
    let says_more = below > 0 && height > 1;
    for (row, line) in lines.iter().skip(top).take(height - usize::from(says_more)).enumerate() {
        put(buf, area, row, shown(line, look, sign));
    }
    if says_more {
        let text = format!("… {} more lines: {} shows them", below + 1, app.key_for(&Command::Why));
        put(buf, area, height - 1, Span::styled(left(&text, usize::from(area.width)), look.dim()));
    }
}

fn shown(line: &TextLine, look: Look, sign: Option<Sign>) -> Line<'static> {
    let marked = sign.map_or(look.accent().patch(look.strong()), |sign| look.sign(sign));
    if line.tone == Tone::Sentence {
        return Line::styled(line.text.clone(), look.strong());
    }
    let style = match line.tone {
        Tone::Chosen => marked,
        Tone::Dim => look.dim(),
        Tone::Plain | Tone::Sentence => look.text(),
    };
    Line::from(vec![Span::styled(left(line.label, LABEL), look.accent()), Span::styled(line.text.clone(), style)])
}
