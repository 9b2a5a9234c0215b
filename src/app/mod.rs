//! The visualizer's state and what keys do to it; no drawing.

pub mod pane;
pub mod prefs;
