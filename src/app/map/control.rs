//! What commands do to the map.

use super::super::command::{Command, Dir, Way, Zoom};
use super::super::{App, Pane, Subject, rows};
use super::settings::Spot;
use super::{Cell, Coloring};
use crate::output::numbers::{counted, grouped};
use crate::trace::Place;

/// A count typed before a move is held at this.
const MOST_MOVES: usize = 100_000;

impl App {
    /// Zooms the map along the steps.
    pub(in crate::app) fn zoom_map(&mut self, zoom: Zoom) {
        let (steps, rows) = (self.trace().step_count(), usize::from(self.map.cells.height));
        if self.map_settings.zoom_steps(zoom, steps, rows) {
            return;
        }
        self.say(match zoom {
            Zoom::In => "a row is a single step already",
            Zoom::Out | Zoom::Fit => "the map shows every step already",
        });
    }

    /// Zooms the focused level's addresses, around the cell at hand or the buffer that is looked at.
    pub(in crate::app) fn zoom_addresses(&mut self, zoom: Zoom) {
        self.focus_on(Pane::Map);
        let level = self.level;
        let entry = self.trace().problem.level(level);
        if entry.pool().is_some() {
            return self.say("the blocks of a pool always share the whole width");
        }
        let (capacity, name) = (entry.capacity, entry.name.clone());
        let middle = self.middle_of_interest();
        if !self.map_settings.zoom_addresses(zoom, level, capacity, middle) {
            return self.say(match zoom {
                Zoom::In => format!("the addresses of {name} are as wide as they get"),
                Zoom::Out | Zoom::Fit => format!("all of {name} is shown"),
            });
        }
        let scale = self.map_settings.scale(level, capacity, 1);
        self.say(format!("{name}[{},{}) of {}", scale.start, scale.start + scale.len, grouped(capacity)));
    }

    /// The address to zoom around: of the cell at hand, else of the selected buffer, else of the one that the step is
    /// about, else the middle of what is shown.
    fn middle_of_interest(&self) -> u64 {
        if let Some(probe) = self.map.probe.as_ref().filter(|probe| probe.level == self.level) {
            return probe.addresses.start;
        }
        let problem = &self.trace().problem;
        let of_step = rows::buffer_of_step(self.trace(), self.step);
        let place = [self.selected_buffer(), of_step].into_iter().flatten().find_map(|buf| {
            let here = problem.level_of(buf) == self.level;
            let stays = self.trace().stays_of(buf).take_while(|stay| stay.from as usize <= self.step);
            let offset = match self.state().place(buf) {
                Place::Resident(offset) => Some(offset),
                // Where it was last.
                Place::Out | Place::Absent => stays.last().map(|stay| stay.offset),
            };
            offset.filter(|_| here).map(|offset| offset.saturating_add(problem.graph.buffer(buf).size / 2))
        });
        let scale = self.map_settings.scale(self.level, problem.level(self.level).capacity, 1);
        place.unwrap_or(scale.start.saturating_add(scale.len / 2))
    }

    /// Moves the part of the addresses that is shown to where the selected buffer is.
    pub(in crate::app) fn show_selected_addresses(&mut self) {
        let Some(buf) = self.selected_buffer().filter(|&buf| self.trace().problem.level_of(buf) == self.level) else {
            return;
        };
        let Place::Resident(offset) = self.state().place(buf) else { return };
        let problem = &self.trace().problem;
        let (capacity, size) = (problem.level(self.level).capacity, problem.graph.buffer(buf).size);
        self.map_settings.show_addresses(self.level, capacity, offset, size);
    }

    /// The next coloring of the map.
    pub(in crate::app) fn color_map(&mut self, dir: Dir) {
        let coloring = self.map_settings.coloring.beside(dir == Dir::Forward);
        self.map_settings.coloring = coloring;
        self.focus_on(Pane::Map);
        self.say(match coloring {
            Coloring::Buffer => "letters are buffers",
            Coloring::Age => "digits: for how many steps a buffer has been where it is",
            Coloring::NextUse => "digits: in how many steps a buffer is used next",
            Coloring::Backed => "b: main memory has a copy, n: it has none",
            Coloring::Operation => "letters are operations: the first that names the buffer",
        });
    }

    /// All levels side by side, or the focused one.
    pub(in crate::app) fn all_levels(&mut self) {
        self.map_settings.all_levels = !self.map_settings.all_levels;
        self.focus_on(Pane::Map);
        if !self.map_settings.all_levels {
            let name = &self.trace().problem.level(self.level).name;
            return self.say(format!("the map shows {name} alone"));
        }
        self.refresh();
        let shown = self.map.sections.len() as u64;
        self.say(match (shown, self.map.left_out) {
            (1, 0) => "no other level is ever used".into(),
            (_, 0) => "all levels that are used, side by side".into(),
            (_, more) => format!("{} side by side; {more} more have no room here", counted(shown, "level")),
        });
    }

    /// Goes over the cells from now on, from that of the buffer that the step is about, or no longer.
    pub(in crate::app) fn over_cells(&mut self) {
        self.focus_on(Pane::Map);
        if self.map_settings.spot.take().is_some() {
            return self.say("the arrows go by steps and buffers again");
        }
        self.refresh();
        if self.map.rows.first().is_none_or(|row| row.cells.is_empty()) {
            return self.say("there is no row of the map to go over");
        }
        self.map_settings.spot = Some(Spot { step: self.step, column: self.first_column() });
        self.say("the arrows go over the cells; Enter goes to the step of one, Esc leaves them");
    }

    /// Goes over the cells no longer, if one did in the pane that has the keys.
    pub(in crate::app) fn leave_cells(&mut self) -> bool {
        self.focus == Pane::Map && self.map_settings.spot.take().is_some()
    }

    /// While one goes over the cells of the map, what steps and moves in the pane goes from cell to cell.
    pub(in crate::app) fn of_cells(&self, command: Command) -> Command {
        if self.focus != Pane::Map || self.map_settings.spot.is_none() {
            return command;
        }
        match command {
            Command::Step(Dir::Back) => Command::Cell(Way::Left),
            Command::Step(Dir::Forward) => Command::Cell(Way::Right),
            Command::Row(Dir::Back) => Command::Cell(Way::Up),
            Command::Row(Dir::Forward) => Command::Cell(Way::Down),
            other => other,
        }
    }

    /// Moves the cell at hand.
    pub(in crate::app) fn cell_by(&mut self, way: Way, count: usize) {
        let Some((row, _)) = self.map.spot else { return self.say("there is no cell at hand") };
        let mut one = || match way {
            Way::Left | Way::Right => self.cell_beside(row, way),
            Way::Up | Way::Down => self.cell_above(way),
        };
        let moves = (0..count.min(MOST_MOVES)).take_while(|_| one()).count();
        if moves == 0 {
            self.say("the map ends here");
        }
    }

    /// Where the buffer that the step is about stands, else the first column of the focused level.
    fn first_column(&self) -> usize {
        let buf = self.selected_buffer().or_else(|| rows::buffer_of_step(self.trace(), self.step));
        let row = self.map.rows.iter().find(|row| row.steps.contains(&self.step));
        let found = row.and_then(|row| row.cells.iter().position(|cell| buf.is_some() && cell.buf() == buf));
        let section = self.map.sections.iter().find(|section| section.level == self.level);
        found.or(section.map(|section| section.columns.start)).unwrap_or(0)
    }

    /// To the next cell in the row that holds something else; at an edge of what is shown of the addresses, further.
    fn cell_beside(&mut self, row: usize, way: Way) -> bool {
        let Some(spot) = self.map_settings.spot else { return false };
        let cells = &self.map.rows[row].cells;
        let at = spot.column.min(cells.len().saturating_sub(1));
        let here = cells[at];
        let differs = |&column: &usize| {
            cells[column] != Cell::Edge && (cells[column] != here || matches!(here, Cell::Several { .. }))
        };
        let found = match way {
            Way::Right => (at + 1..cells.len()).find(differs),
            // To the first column of the run to the left.
            _ => (0..at).rev().find(differs).map(|last| {
                let run =
                    |&column: &usize| cells[column] == cells[last] && !matches!(cells[last], Cell::Several { .. });
                (0..last).rev().take_while(run).last().unwrap_or(last)
            }),
        };
        if let Some(column) = found {
            self.map_settings.spot = Some(Spot { column, ..spot });
            self.level = self.map.section_of(column).map_or(self.level, |section| section.level);
            return true;
        }
        let capacity = self.trace().problem.level(self.level).capacity;
        self.map_settings.pan_addresses(self.level, capacity, way == Way::Right)
    }

    fn cell_above(&mut self, way: Way) -> bool {
        let Some(spot) = self.map_settings.spot else { return false };
        let each = self.map.steps_per_row.max(1);
        let last = self.trace().step_count().saturating_sub(1);
        let step = match way {
            Way::Up if spot.step >= each => spot.step - each,
            Way::Down if spot.step / each < last / each => (spot.step + each).min(last),
            _ => return false,
        };
        self.map_settings.spot = Some(Spot { step, ..spot });
        true
    }

    /// Goes to the step of the cell at hand and selects its buffer; from there, into the story of that.
    pub(in crate::app) fn enter_cell(&mut self) {
        let Some(probe) = self.map.probe.clone() else { return self.say("there is no cell at hand") };
        let buf = probe.bufs.first().copied();
        let selected = buf.map(Subject::Buffer);
        match buf {
            Some(buf) if probe.step == self.step && self.selected == selected => self.open_story(buf),
            _ => {
                self.selected = selected;
                self.level = probe.level;
                self.jump(probe.step);
                self.say(match (buf, probe.count) {
                    (None, _) => format!("nothing is there at step {}", self.step),
                    (Some(_), 0..=1) => "Enter again: its story".into(),
                    (Some(_), count) => {
                        format!(
                            "the one that has most of the cell, of {}; Enter again: its story",
                            grouped(count as u64)
                        )
                    }
                });
            }
        }
    }

    /// A click on the map: to the step and the buffer of the cell; on one that is selected, into the story.
    pub(in crate::app) fn click_map(&mut self, x: u16, y: u16) {
        let Some((row, column)) = self.map.cell_at(x, y) else { return };
        let goes_over = self.map_settings.spot.is_some();
        let (step, cell) = (self.map.rows[row].steps.start, self.map.rows[row].cells[column]);
        self.level = self.map.section_of(column).map_or(self.level, |section| section.level);
        match cell.buf().filter(|_| self.map.steps_per_row == 1) {
            Some(buf) if step == self.step && self.selected == Some(Subject::Buffer(buf)) => self.open_story(buf),
            // Also one that has just left, which the cell stands for no longer.
            Some(buf) => {
                self.selected = Some(Subject::Buffer(buf));
                self.jump(step);
            }
            None => {
                self.map_settings.spot = Some(Spot { step, column });
                self.refresh();
                self.enter_cell();
            }
        }
        self.map_settings.spot = goes_over.then_some(Spot { step: self.step, column });
    }

    /// The cell at hand comes along wherever one goes.
    pub(in crate::app) fn take_cell_along(&mut self) {
        let step = self.step;
        if let Some(spot) = self.map_settings.spot.as_mut() {
            spot.step = step;
        }
    }
}
