//! The mouse: click to seek and select, again to look into, wheel to scroll.

use super::command::Dir;
use super::{App, Pane, rows};

impl App {
    /// The button went down: on a tab, a row, a cell, a moment.
    pub(super) fn click(&mut self, x: u16, y: u16) {
        if self.click_caption(x, y) {
            return;
        }
        if let Some(tab) = self.layout.tab_at(x, y) {
            return self.focus_on(tab);
        }
        let Some(pane) = self.layout.pane_at(x, y) else { return };
        self.focus_on(pane);
        let content = self.layout.content(pane);
        if !content.contains(ratatui::layout::Position { x, y }) {
            return;
        }
        let row = usize::from(y - content.y);
        match pane {
            Pane::Levels => {
                let shown = rows::shown_levels(self.level, self.trace().problem.level_count(), content.height);
                if let Some(level) = shown.level_at(row) {
                    self.level = level;
                }
            }
            Pane::Map => self.click_map(x, y),
            Pane::Timeline => self.seek_timeline(x),
            Pane::Ready if row > 0 => {
                let most = self.trace().ready().count(self.step as u32);
                let top = rows::first_row(self.rows.ready, rows::table_rows(content.height, most));
                self.click_row(top + row - 1, self.rows.ready, |app, row| {
                    app.rows.ready = row.min(most.min(rows::MOST_ROWS).saturating_sub(1));
                });
            }
            Pane::Graph => self.click_graph(x, y),
            Pane::Units if row > 0 => self.click_units(x, y),
            Pane::Buffers if row > 0 => self.click_buffers(row - 1, content.height),
            Pane::Failure => {
                if let Some(row) = self.autopsy.row_at(self.rows.failure, row, content.height) {
                    self.click_row(row, self.rows.failure, |app, row| {
                        app.rows.failure = row;
                        app.notice = app.what_enter_does();
                    });
                }
            }
            _ => {}
        }
    }

    /// Selects a row; the selected one is looked into.
    fn click_row(&mut self, row: usize, selected: usize, select: impl FnOnce(&mut Self, usize)) {
        if row == selected {
            self.enter();
        } else {
            select(self, row);
        }
    }

    fn click_buffers(&mut self, row: usize, height: u16) {
        if let Some(story) = &self.story {
            let lines = story.lines.len();
            let heads = usize::from(story.totals.is_some());
            let Some(row) = row.checked_sub(heads) else { return };
            let height = height.saturating_sub(heads as u16);
            let top = rows::first_row(self.rows.story, rows::table_rows(height, lines));
            let most = lines.saturating_sub(1);
            return self.click_row(top + row, self.rows.story, |app, row| app.rows.story = row.min(most));
        }
        let all = self.table_length();
        let top = rows::first_row(self.rows.buffers, rows::table_rows(height, all));
        let most = self.buffer_rows().saturating_sub(1);
        self.click_row(top + row, self.rows.buffers, |app, row| app.select_buffer_row(row.min(most)));
    }

    /// Stands at the step under column `x` of the timeline.
    fn seek_timeline(&mut self, x: u16) {
        let content = self.layout.content(Pane::Timeline);
        let column = usize::from(x.clamp(content.x, content.right().saturating_sub(1)) - content.x);
        let (step, _) = self.window.steps_of(column, usize::from(content.width));
        self.go(step);
    }

    /// The mouse moved with the button held: the timeline follows.
    pub(super) fn drag(&mut self, x: u16, _: u16) {
        if self.focus == Pane::Timeline && self.layout.rect(Pane::Timeline).is_some() {
            self.seek_timeline(x);
        }
    }

    /// The wheel: rows of the map and of tables, steps over the timeline.
    pub(super) fn scroll(&mut self, x: u16, y: u16, delta: i32) {
        if self.scroll_caption(x, y, delta) {
            return;
        }
        let dir = if delta > 0 { Dir::Forward } else { Dir::Back };
        let count = delta.unsigned_abs() as usize;
        match self.layout.pane_at(x, y) {
            Some(Pane::Map) => self.step_by(dir, count.saturating_mul(self.map.steps_per_row.max(1))),
            Some(Pane::Timeline) => self.step_by(dir, count),
            Some(pane) => {
                self.focus_on(pane);
                self.row_by(dir, count);
            }
            None => {}
        }
    }
}
