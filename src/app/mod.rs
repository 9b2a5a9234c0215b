//! The visualizer's state and what keys do to it; no drawing.
//!
//! Keys become [`Command`]s ([`keymap`]), commands change the [`App`] ([`update()`]), and what is costly to show
//! (the memory map, the story of a buffer) is worked out there, once, so that drawing only reads.

mod access;
pub mod autopsy;
pub mod command;
pub mod compare;
pub mod find;
pub mod graph;
mod greeting;
pub mod help;
mod history;
pub mod kept;
pub mod keymap;
pub mod keys;
pub mod knobs;
pub mod layout;
pub mod lesson;
pub mod log;
mod look;
pub mod map;
pub mod menu;
mod mouse;
pub mod moved;
pub mod note;
pub mod pane;
pub mod places;
pub mod plans;
mod playback;
pub mod pool_map;
pub mod prefs;
pub mod queue;
mod replace;
mod request;
pub mod rows;
pub mod share;
pub mod sides;
pub mod stop;
pub mod stops;
mod travel;
pub mod units;
mod update;
mod what_if;
pub mod window;
pub mod words;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use tui_input::Input;

pub use command::{Command, Dir, Effect, Way, Where, Zoom};
pub use compare::Compared;
pub use find::{Filter, Query};
pub use keymap::{BINDINGS, command_for};
pub use keys::Keymap;
use knobs::Knob;
pub use pane::{Class, Layout, Pane};
pub use plans::{Plans, Version};
pub use playback::Playback;
pub use prefs::{ColorDepth, Prefs, Shares, Theme};
pub use request::{Reply, Request, settle};
pub use rows::Change;
pub use update::update;

use crate::model::{BufIx, LevelIx, NodeIx};
use crate::output::command_line::Origin;
use crate::output::explain::StoryLine;
use crate::session::Session;
use crate::trace::{Cursor, Mark};
use autopsy::Autopsy;
use map::MapView;
use menu::{Menu, Pick};
use note::Note;
use share::Save;
use stops::Stops;
use window::Window;
use words::Words;

/// What stands over the panes, or what the keys mean now.
#[derive(Clone, Debug, Default)]
pub enum Mode {
    /// The panes have the keys.
    #[default]
    Browse,
    /// The keys are shown, from this row on.
    Help(usize),
    /// A line is asked for in the footer.
    Prompt {
        /// What for.
        ask: Ask,
        /// What has been typed.
        input: Input,
    },
    /// What if: the knobs have the keys.
    WhatIf,
    /// The stops are listed, this row selected.
    Stops(usize),
    /// With what to compare: the row that is picked out.
    Rivals(usize),
    /// How a search came to its plan, with that row picked out.
    History(usize),
    /// The letter of a bookmark is waited for: to set it, or to go there.
    Letter {
        /// Whether to set it.
        set: bool,
    },
    /// The first start says what to press; the panes have the keys.
    Hint,
    /// What to copy or write is picked.
    Menu(Menu),
    /// Whether a file may be replaced is asked.
    Replace(Save),
    /// A text lies over the panes.
    Note(Note),
    /// The list of lessons is shown, with this row selected.
    Lessons(usize),
}

/// What a prompt asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ask {
    /// What to search for.
    Search,
    /// What the log should show.
    Filter,
    /// The file for what was picked in the menu.
    SaveAs(Pick),
    /// A knob's value.
    Value(Knob),
    /// The condition of the stop in this row.
    Stop(usize),
}

/// What the person has picked out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// A buffer.
    Buffer(BufIx),
    /// A node.
    Node(NodeIx),
}

/// The life of one buffer, opened in the Buffers pane.
#[derive(Clone, Debug)]
pub struct Story {
    /// Whose.
    pub buf: BufIx,
    /// How often it was spilled and what that cost, where it was.
    pub totals: Option<String>,
    /// Line by line.
    pub lines: Vec<StoryLine>,
}

/// Selected rows, pane by pane, counted from 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rows {
    /// First line shown of This step.
    pub step: usize,
    /// Ready operation.
    pub ready: usize,
    /// Lane.
    pub units: usize,
    /// Buffer of the table.
    pub buffers: usize,
    /// Line of the story.
    pub story: usize,
    /// Lines of the log away from the newest event.
    pub events: isize,
    /// Row of the failure.
    pub failure: usize,
}

/// Everything that the screen is a function of.
#[derive(Clone, Debug)]
pub struct App {
    session: Arc<Session>,
    /// How it looks.
    pub prefs: Prefs,
    keymap: Arc<Keymap>,
    size: (u16, u16),
    layout: Layout,
    cursor: Cursor,
    step: usize,
    mode: Mode,
    focus: Pane,
    tab: Pane,
    enlarged: bool,
    level: LevelIx,
    selected: Option<Subject>,
    story: Option<Story>,
    rows: Rows,
    play: Playback,
    bookmarks: BTreeMap<char, usize>,
    /// Steps that were jumped away from, the latest last.
    past: Vec<usize>,
    window: Window,
    filter: Filter,
    search: Option<Query>,
    count: Option<usize>,
    notice: Option<String>,
    /// A second cursor, which walks over the rows of the map.
    map_cursor: Cursor,
    map: MapView,
    map_settings: map::Settings,
    /// Made when the map first tells them.
    kinds: map::Kinds,
    changes: Vec<(BufIx, Change)>,
    words: Words,
    units: units::UnitsView,
    graph: graph::GraphView,
    buffer_order: moved::BufferOrder,
    moved: moved::MovedView,
    units_setting: units::Setting,
    player: Option<lesson::Player>,
    plans: Plans,
    /// The plan to compare with where what-if has made none.
    rival: Option<Version>,
    compared: Option<Box<Compared>>,
    knob: usize,
    autopsy: Autopsy,
    stops: Stops,
    /// What a row that was followed asks of the terminal beyond a new frame.
    effect: Option<Effect>,
}

impl App {
    /// Opens a session: at the failure where there is one, else at the first step.
    pub fn new(session: Arc<Session>, prefs: Prefs) -> Self {
        let trace = &session.trace;
        let mut app = Self {
            prefs,
            keymap: Arc::default(),
            size: (0, 0),
            layout: layout::layout(&layout::Want {
                size: (0, 0),
                levels: 0,
                failed: false,
                tab: Pane::Step,
                enlarged: None,
                shares: prefs.shares,
                caption: 0,
            }),
            cursor: trace.cursor(),
            step: 0,
            mode: Mode::default(),
            focus: Pane::Step,
            tab: Pane::Step,
            enlarged: false,
            level: look::busiest_level(trace),
            selected: None,
            story: None,
            rows: Rows::default(),
            play: Playback::default(),
            bookmarks: BTreeMap::new(),
            past: Vec::new(),
            window: Window::all(trace.step_count()),
            filter: Filter::default(),
            search: None,
            count: None,
            notice: None,
            map_cursor: trace.cursor(),
            map: MapView::default(),
            map_settings: map::Settings::default(),
            kinds: map::Kinds::default(),
            changes: Vec::new(),
            words: Words::default(),
            units: units::UnitsView::default(),
            graph: graph::GraphView::default(),
            buffer_order: moved::BufferOrder::default(),
            moved: moved::MovedView::default(),
            units_setting: units::Setting::default(),
            player: None,
            plans: Plans::new(Arc::clone(&session)),
            rival: None,
            compared: None,
            knob: 0,
            autopsy: Autopsy::new(&session),
            stops: Stops::default(),
            effect: None,
            session,
        };
        if app.has_failure() {
            app.open_at(Where::Failure);
            if app.session.diagnosis.is_none() {
                app.greet_broken();
            }
        } else {
            app.open_at(Where::Step(0));
            app.greet();
        }
        app
    }

    /// Stands at a place, as `--at` asks for; says so in the footer where there is no such place.
    pub fn open_at(&mut self, place: Where) {
        self.notice = None;
        match place {
            Where::Step(step) => self.go(step),
            Where::Peak => self.go_to_highest_peak(),
            Where::FirstSpill => self.go_to_first(Mark::Spill, "spill"),
            Where::FirstPostpone => self.go_to_first(Mark::Postpone, "postponement"),
            Where::Failure => self.go_to_failure(),
        }
        self.refresh();
    }

    /// Stands at a place of a packing, with all of its first memory to see, and says what the packing came to.
    pub fn open_packed(&mut self, place: Where) {
        self.map_settings.show_whole();
        self.open_at(place);
        if place != Where::Failure {
            (self.level, self.focus) = (LevelIx::new(0), Pane::Map);
        }
        self.refresh();
        self.greet();
    }

    /// Says where the plan comes from, so that its command line can be told.
    pub fn comes_from(&mut self, origin: Origin) {
        self.plans.current_mut().origin = Some(origin);
    }

    /// Time until the next tick is due; `None` while nothing moves, so that nothing wakes the program.
    pub fn next_tick(&self) -> Option<Duration> {
        let waiting = self.plans.asked().map(|_| plans::LOOK_EVERY);
        self.play.next_tick().into_iter().chain(waiting).min()
    }

    /// The texts are made for the width that they have.
    fn refresh_words(&mut self) {
        let width = self.layout.content(Pane::Step).width;
        let step = words::Wanted { step: self.step, width, without_next: self.is_veiled() };
        if step.width > 0 && Some(step) != self.words.wanted {
            self.words.step = words::this_step(&self.session, step);
            self.words.wanted = Some(step);
        }
        self.autopsy.wrap(self.layout.content(Pane::Failure).width);
    }

    /// Brings what is worked out ahead of drawing in line with the rest of the state.
    fn refresh(&mut self) {
        self.refresh_caption();
        self.layout = self.sides_layout().unwrap_or_else(|| self.panes_layout());
        self.work_out();
        self.follow();
    }

    fn panes_layout(&self) -> Layout {
        let levels = rows::level_lines(self.trace());
        let failed = self.has_failure();
        let enlarged = self.enlarged.then_some(self.focus);
        let (size, tab, shares, caption) = (self.size, self.tab, self.prefs.shares, self.caption_rows());
        layout::layout(&layout::Want { size, levels, failed, tab, enlarged, caption, shares })
    }

    /// What the panes show, for the room that they have.
    fn work_out(&mut self) {
        self.changes = rows::changes(self.trace(), self.step);
        self.window.hold(self.step);
        self.refresh_words();
        self.refresh_units();
        self.refresh_graph();
        self.refresh_moved();
        let area = self.layout.content(Pane::Map);
        let wanted = map::Wanted {
            level: self.level,
            step: self.step,
            position: self.position(),
            area,
            settings: self.map_settings,
            selected: self.selected_buffer(),
        };
        if Some(wanted) != self.map.wanted {
            let session = Arc::clone(&self.session);
            self.kinds.prepare(&session.trace, self.map_settings.coloring);
            self.map = map::view(&session.trace, &self.cursor, &mut self.map_cursor, wanted);
        }
    }
}
