//! Drawing: [`draw`] puts the [`App`] on the screen and changes nothing.
//!
//! ```text
//! title      chrome.rs     graph · machine · policy, step, cycle, play
//! caption    lesson.rs     of a lesson, where there is one
//! levels.rs  | step.rs     Levels            | This step; failure.rs: Failure
//! map.rs     |             Map               |
//! ready.rs | units.rs | buffers.rs | events.rs
//! timeline.rs
//! footer     chrome.rs     likely keys, notices, prompts;  help.rs and the list of lessons (lesson.rs) lie over all,
//!                          what_if.rs and stops.rs over This step
//!                          compare.rs: two plans in place of the panes of one
//! ```

mod buffers;
mod chrome;
mod compare;
mod events;
pub mod export;
mod failure;
pub mod fold;
mod foot;
pub mod glyphs;
mod graph;
mod help;
mod history;
mod lesson;
mod levels;
mod map;
mod moved;
mod overlay;
mod palette;
mod pool;
mod ready;
mod rgb;
mod step;
mod stops;
mod text;
pub mod theme;
mod timeline;
mod units;
mod what_if;

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::app::{App, Ask, Class, Mode, Pane};
use theme::Look;

/// Draws the screen. The area of the frame should be the size that the app was last told; where it is another,
/// nothing is drawn outside of either.
pub fn draw(app: &App, frame: &mut Frame) {
    let look = Look::new(&app.prefs);
    let area = frame.area();
    let buf = frame.buffer_mut();
    buf.set_style(area, look.text());
    let layout = app.layout();
    let covered = layout.panes.iter().map(|(_, rect)| *rect).chain([layout.title, layout.caption, layout.footer]);
    if covered.into_iter().any(|rect| rect.intersection(area) != rect) {
        return; // a resize is under way; the next frame has the right size
    }
    if layout.class == Class::Tiny {
        return chrome::too_small(area, buf);
    }
    if let Some(compared) = app.compared() {
        compare::draw(app, compared, look, buf);
    } else {
        chrome::title(app, look, buf);
        draw_panes(app, look, buf);
    }
    lesson::caption(app, look, buf);
    chrome::footer(app, look, buf);
    match *app.mode() {
        Mode::Help(top) => help::draw(app, look, area, top, buf),
        Mode::Rivals(row) => compare::rivals(app, row, look, layout.panel(), buf),
        Mode::Lessons(row) => lesson::shelf(app, look, area, row, buf),
        Mode::History(row) => history::draw(app, look, layout.panel(), row, buf),
        Mode::WhatIf | Mode::Prompt { ask: Ask::Value(_), .. } => what_if::draw(app, look, layout.panel(), buf),
        Mode::Stops(_) | Mode::Prompt { ask: Ask::Stop(_), .. } => stops::draw(app, look, layout.panel(), buf),
        _ => {}
    }
    overlay::draw(app, look, area, buf);
}

/// The panes with what is around them.
fn draw_panes(app: &App, look: Look, buf: &mut Buffer) {
    let layout = app.layout();
    chrome::frames(app, look, buf);
    for &(pane, _) in &layout.panes {
        draw_pane(app, look, pane, layout.content(pane), buf);
    }
}

fn draw_pane(app: &App, look: Look, pane: Pane, area: Rect, buf: &mut Buffer) {
    match pane {
        Pane::Levels => levels::draw(app, look, area, buf),
        Pane::Step => step::this_step(app, look, area, buf),
        Pane::Failure => failure::draw(app, look, area, buf),
        Pane::Map => map::draw(app, look, area, buf),
        Pane::Ready => ready::draw(app, look, area, buf),
        Pane::Graph => graph::draw(app, look, area, buf),
        Pane::Units => units::draw(app, look, area, buf),
        Pane::Buffers => buffers::draw(app, look, area, buf),
        Pane::Events => events::draw(app, look, area, buf),
        Pane::Timeline => timeline::draw(app, look, area, buf),
    }
}
