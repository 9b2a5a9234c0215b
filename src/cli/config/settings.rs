//! What a configuration can set.

use crate::app::{Keymap, Shares, Theme};

/// What the person has set; `None` where the default holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// Colours.
    pub theme: Option<Theme>,
    /// Whether only ASCII is written.
    pub ascii: Option<bool>,
    /// Whether the mouse is listened to.
    pub mouse: Option<bool>,
    /// Whether the first start shows what to press.
    pub hint: Option<bool>,
    /// How the panes share the screen.
    pub shares: Shares,
    /// The keys.
    pub keymap: Keymap,
}
