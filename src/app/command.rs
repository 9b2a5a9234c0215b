//! What a key, the mouse or the clock asks for, and what the terminal is asked for in return.

use std::time::Duration;

use tui_input::InputRequest;

use super::request::Request;
use super::share::Save;
use crate::trace::Mark;

/// Forward (to higher steps, to the next) or back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dir {
    /// Towards the end.
    Forward,
    /// Towards the start.
    Back,
}

/// How the zoom changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Zoom {
    /// Half as much in the same width.
    In,
    /// Twice as much.
    Out,
    /// Everything.
    Fit,
}

/// Where the cell at hand of the map goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// To lower addresses.
    Left,
    /// To higher addresses.
    Right,
    /// To earlier steps.
    Up,
    /// To later steps.
    Down,
}

/// Something that the person, the terminal or the clock asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Go that many steps (the count typed before, else 1).
    Step(Dir),
    /// Go that many events.
    Event(Dir),
    /// Go a screen of steps.
    Screen(Dir),
    /// To the first step.
    First,
    /// To the last step, or to the step whose number was typed before.
    Goto,
    /// To the typed share of the plan.
    Percent,
    /// A digit of the count before a command.
    Digit(u8),
    /// Play or pause.
    Play,
    /// Turn the direction of play round.
    Reverse,
    /// Half the speed.
    Slower,
    /// Twice the speed.
    Faster,
    /// To the next or previous event of a kind.
    Mark(Mark, Dir),
    /// To the next or previous failed placement or the failure.
    Failure(Dir),
    /// To the next or previous event that the filter lets through (without one: spills, reloads, postponements, failures).
    Notable(Dir),
    /// To the peak of the focused level; again: to the fullest moment of any level.
    Peak,
    /// Ask what to search for.
    Search,
    /// The next or previous match.
    Again(Dir),
    /// Search for what is selected.
    SearchSelected,
    /// To the next or previous event of the selected buffer.
    BufferEvent(Dir),
    /// Turn between the orders of the table of buffers.
    BufferOrder,
    /// Ask what the log should show.
    Filter,
    /// Bookmark this step under the letter that follows.
    SetMark,
    /// Go to the bookmark of the letter that follows.
    ToMark,
    /// List the stops.
    Stops,
    /// To the next or previous step at which a stop is met.
    Stop(Dir),
    /// To where one was before the last jump.
    Previous,
    /// Zoom along the steps: the map where it has the focus, along the cycles of the units where they have it, else the
    /// timeline.
    Zoom(Zoom),
    /// Zoom the map along the addresses.
    Addresses(Zoom),
    /// The next or previous coloring of the map.
    Coloring(Dir),
    /// All levels side by side in the map, or the focused one.
    AllLevels,
    /// Go over the cells of the map with the arrows, or no longer.
    Cells,
    /// Move the cell at hand of the map: what the arrows ask for then.
    Cell(Way),
    /// Show later or earlier cycles of the units.
    Pan(Dir),
    /// To the next or previous step on the critical path of the plan.
    Path(Dir),
    /// Focus the next or previous pane.
    Pane(Dir),
    /// Move the selection in the pane.
    Row(Dir),
    /// Look into what is selected.
    Enter,
    /// Back out.
    Escape,
    /// Give the focused pane the whole screen.
    Enlarge,
    /// Show what the node at hand depends on, and what depends on it.
    Graph,
    /// Read why the step was done: This step on the whole screen.
    Why,
    /// Focus the next or previous level.
    Level(Dir),
    /// Change something and plan again.
    WhatIf,
    /// Back to the plan before.
    Undo,
    /// Forward to the plan that was taken back.
    Redo,
    /// Put two plans side by side, or leave that.
    Compare,
    /// Exchange the two plans.
    Swap,
    /// To the next or previous step at which the two plans part.
    Parting(Dir),
    /// Show how the search came to this plan.
    History,
    /// Show or leave the keys.
    Help,
    /// The next or previous station of the lesson.
    Lesson(Dir),
    /// Answer the lesson's question by the choice of that number, counted from 0.
    Answer(u8),
    /// Back to the lesson, or to the list of lessons.
    Lessons,
    /// Pick what to copy.
    Copy,
    /// Pick what to write into a file.
    Export,
    /// The next theme.
    Theme,
    /// Listen to the mouse or not.
    Mouse,
    /// Draw everything again.
    Repaint,
    /// Hand the terminal back for a while.
    Suspend,
    /// End.
    Quit,
    /// Typing in a prompt.
    Type(InputRequest),
    /// The letter of a bookmark.
    Letter(char),
    /// A key without a meaning here, as it is called.
    Unknown(String),
    /// The terminal's size in cells.
    Resize(u16, u16),
    /// The left button went down on a cell.
    Click {
        /// Column from 0.
        x: u16,
        /// Row from 0.
        y: u16,
    },
    /// The mouse moved with the button held.
    Drag {
        /// Column from 0.
        x: u16,
        /// Row from 0.
        y: u16,
    },
    /// The wheel turned over a cell.
    Scroll {
        /// Column from 0.
        x: u16,
        /// Row from 0.
        y: u16,
        /// Notches, down positive.
        delta: i32,
    },
    /// Time passed since the last tick.
    Tick(Duration),
}

/// What the terminal should do after a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Nothing: nothing that shows has changed.
    None,
    /// Draw.
    Redraw,
    /// Clear the screen and draw everything.
    Repaint,
    /// End.
    Quit,
    /// Hand the terminal back for a while.
    Suspend,
    /// Listen to the mouse or not, and draw.
    ToggleMouse(bool),
    /// Put the text on the clipboard (OSC 52).
    Copy(String),
    /// Open the lesson of that number, counted from 0.
    Lesson(usize),
    /// Put the frame on the clipboard, as text.
    CopyFrame,
    /// Write something into a file, and say where it went.
    Save(Save),
    /// Plan this on another thread and bring what comes of it.
    Replan(Box<Request>),
}

/// Places to open at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Where {
    /// A step, counted from 0; past the end the last.
    Step(usize),
    /// The fullest moment of any level.
    Peak,
    /// Where planning failed.
    Failure,
    /// The first SPILL_OUT.
    FirstSpill,
    /// The first ALLOC that was put off.
    FirstPostpone,
}
