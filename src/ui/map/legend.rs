//! Which letter is what.

use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr;

use super::super::theme::{Look, letter};
use super::cells::{class_glyph, class_style};
use crate::app::App;
use crate::app::map::{Class, Coloring, LONGEST};
use crate::model::{BufIx, clean};
use crate::output::labels::buffer_label;
use crate::output::quantities::size;
use crate::trace::Place;

/// The legend, in so many columns.
pub fn line(app: &App, look: Look, width: usize) -> Line<'static> {
    match app.map_settings().coloring {
        Coloring::Buffer => buffers(app, look, width),
        Coloring::Age => steps(app, look, width, "steps here: ", None),
        Coloring::NextUse => steps(app, look, width, "next use in: ", Some((Class::Never, "never"))),
        Coloring::Backed => {
            let entries = [
                (Class::Backed, "backed: main memory has a copy, going out is free"),
                (Class::Unbacked, "not backed: going out must be written"),
            ];
            let short = [(Class::Backed, "backed, going out is free"), (Class::Unbacked, "not backed")];
            let [long, short] = [entries, short].map(|entries| classes(app, look, "", &entries.map(owned)));
            if long.width() <= width { long } else { short }
        }
        Coloring::Operation => kinds(app, look, width),
    }
}

fn owned((class, text): (Class, &str)) -> (Class, String) {
    (class, text.to_owned())
}

/// Letters of classes, each with its words.
fn classes(app: &App, look: Look, head: &str, entries: &[(Class, String)]) -> Line<'static> {
    let mut spans = vec![Span::styled(head.to_owned(), look.dim())];
    for (class, text) in entries {
        spans.push(Span::styled(class_glyph(app, *class).to_string(), class_style(app, look, *class)));
        spans.push(Span::styled(format!(" {text}  "), look.dim()));
    }
    Line::from(spans)
}

/// Digits for steps, each with the steps that it stands for, or the rule where there is less room.
fn steps(app: &App, look: Look, width: usize, head: &str, last: Option<(Class, &str)>) -> Line<'static> {
    let range = |class: u8| match class {
        0 => "0".to_owned(),
        1 => "1".to_owned(),
        LONGEST => format!("{} or more", 1u32 << (LONGEST - 1)),
        _ => format!("{}–{}", 1u32 << (class - 1), (1u32 << class) - 1),
    };
    // A next use is never at the step itself.
    let first = u8::from(last.is_some());
    let mut all: Vec<(Class, String)> = (first..=LONGEST).map(|class| (Class::Steps(class), range(class))).collect();
    all.extend(last.map(owned));
    let long = classes(app, look, head, &all);
    if long.width() <= width {
        return long;
    }
    let some = [1, 2, 3, 5, LONGEST].map(|class| (Class::Steps(class), range(class)));
    let some: Vec<_> = some.into_iter().chain(last.map(owned)).collect();
    let middle = classes(app, look, head, &some);
    if middle.width() <= width {
        return middle;
    }
    let few = [2, LONGEST].map(|class| (Class::Steps(class), range(class)));
    classes(app, look, head, &few.into_iter().chain(last.map(owned)).collect::<Vec<_>>())
}

/// As many kinds of operation as there is room for.
fn kinds(app: &App, look: Look, width: usize) -> Line<'static> {
    let graph = &app.trace().problem.graph;
    let list = app.kinds().list();
    let entries = list.iter().map(|&(kind, _)| (Class::Kind(kind), clean(graph.symbol(kind).raw()).into_owned()));
    let mut shown: Vec<(Class, String)> = Vec::new();
    let mut room = width;
    for (at, entry) in entries.enumerate() {
        let more = list.len() - at - 1;
        let needed = entry.1.width() + 4;
        if needed + if more > 0 { "… 999 more".len() } else { 0 } > room {
            let mut line = classes(app, look, "", &shown);
            line.push_span(Span::styled(format!("… {} more", more + 1), look.dim()));
            return line;
        }
        room -= needed;
        shown.push(entry);
    }
    classes(app, look, "", &shown)
}

/// Which letter is which buffer: those that the step is about first, also where they have just left or find no
/// room, then the other residents by address.
fn buffers(app: &App, look: Look, width: usize) -> Line<'static> {
    let residents = &app.state().level(app.level()).by_address;
    let graph = &app.trace().problem.graph;
    let changed = changed_here(app);
    let absent = changed.iter().filter(|&&buf| !matches!(app.state().place(buf), Place::Resident(_))).count();
    let all = residents.len() + absent;
    let others = residents.values().copied().filter(|buf| !changed.contains(buf));
    let mut spans: Vec<Span<'static>> = Vec::new();
    let mut room = width;
    for (at, buf) in changed.iter().copied().chain(others).enumerate() {
        let units = size(app.trace().problem.level(app.level()), graph.buffer(buf).size);
        let text = format!(" {} {units}  ", buffer_label(graph, buf));
        let rest = all - at;
        let more = if rest > 1 { format!("… {rest} more").len() } else { 0 };
        if text.width() + 1 + more > room {
            spans.push(Span::styled(format!("… {rest} more"), look.dim()));
            break;
        }
        room -= text.width() + 1;
        let letter = letter(app.trace(), buf).to_string();
        spans.extend([Span::styled(letter, look.buffer(buf)), Span::styled(text, look.dim())]);
    }
    if all == 0 {
        spans.push(Span::styled("· free   ░ just left   [ ] just placed", look.dim()));
    }
    Line::from(spans)
}

/// More than this would not fit into the legend anyway.
const MOST_NAMED: usize = 8;

/// The buffers of the level that the step is about, each once.
fn changed_here(app: &App) -> Vec<BufIx> {
    let mut found = Vec::new();
    for &(buf, _) in app.changes() {
        if found.len() < MOST_NAMED && app.trace().problem.level_of(buf) == app.level() && !found.contains(&buf) {
            found.push(buf);
        }
    }
    found
}
