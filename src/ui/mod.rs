//! Drawing: a pure function of the app.

pub mod export;
pub mod fold;
pub mod glyphs;
mod rgb;
