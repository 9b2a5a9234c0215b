//! A configuration with every setting at its default, each with what it does; made from what the program has, so
//! that it cannot say otherwise.

use std::fmt::Write;

use crate::app::keymap::SECTIONS;
use crate::app::keys::{action, written};
use crate::app::{Keymap, Shares, Theme};

/// What stands before the keys. Settings are comments, so that a default that changes later is followed.
fn head() -> String {
    let (map, timeline) = (Shares::MAP_WIDTH, Shares::TIMELINE_HEIGHT);
    format!(
        "# Spillscope's configuration (TOML). Every line is its default: take the # away and change it.
# `spillscope config --path` prints where this file is looked for; flags go before it.

# Colours: {themes}
# theme = \"terminal\"

# Write only ASCII characters
# ascii = false

# Listen to the mouse: click, drag, wheel
# mouse = true

# Show at the very first start what to press
# hint = true

[layout]
# Percent of the width that levels and map have, {}–{}; left out, 50 on a wide screen and 45 on others
# map_width = 50
# Rows of the timeline, {}–{}; left out, 3 to 6 by the height of the screen
# timeline_height = 6

[keys]
# A key is one character or a name: Space, Enter, Tab, Shift-Tab, Backspace, Insert, Delete, Left, Right, Up, Down,
# PgUp, PgDn, Home, End, F1 to F12. An action has one, or a list of which the first is the one that is shown, or [].
# No two actions have the same key. Esc, Ctrl-C, Ctrl-L and Ctrl-Z stay what they are; 1 to 9 begin a count.
",
        map.start(),
        map.end(),
        timeline.start(),
        timeline.end(),
        themes = Theme::ALL.map(Theme::name).join(", ")
    )
}

/// The whole of it.
pub fn page() -> String {
    let keymap = Keymap::default();
    let names: Vec<(String, String)> = keymap.rows().map(|(row, keys)| (action(&row.command), list(keys))).collect();
    let widest = names.iter().map(|(name, keys)| name.len() + keys.chars().count()).max().unwrap_or(0);
    let mut out = head();
    for ((row, _), (name, keys)) in keymap.rows().zip(&names) {
        if let Some((title, _)) = SECTIONS.iter().find(|(_, first)| *first == row.command) {
            let _ = writeln!(out, "\n# {title}");
        }
        let gap = widest - name.len() - keys.chars().count();
        // Writing to a string cannot fail.
        let _ = writeln!(out, "# {name} = {keys}{:gap$}  # {}", "", row.help);
    }
    out
}

/// `["Right", "l"]`
fn list(keys: &[crate::app::keymap::Key]) -> String {
    let quoted = |name: String| match name.as_str() {
        "'" | "\\" | "\"" => format!("{name:?}"),
        _ => format!("\"{name}\""),
    };
    let names: Vec<String> = keys.iter().filter_map(|&key| written(key)).map(quoted).collect();
    format!("[{}]", names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::super::read::settings;
    use super::super::settings::Settings;
    use super::*;
    use crate::input::Source;

    #[test]
    fn as_printed_it_changes_nothing() {
        let read = settings(&Source::from_text("config.toml", page())).expect("sound");
        assert_eq!(read, Settings::default());
    }

    #[test]
    fn without_the_signs_before_its_lines_it_says_every_default() {
        let setting = |line: &&str| {
            let name = line.strip_prefix("# ").and_then(|line| line.split_once(" = "));
            name.is_some_and(|(name, _)| !name.contains(' '))
        };
        let page = page();
        let set = page.lines().filter(setting).count();
        let bare = |line| if setting(&line) { &line[2..] } else { line };
        let text: Vec<&str> = page.lines().map(bare).collect();
        let read = settings(&Source::from_text("config.toml", text.join("\n"))).expect("sound");
        assert_eq!(read.keymap, Keymap::default());
        let values = (read.theme, read.ascii, read.mouse, read.hint);
        assert_eq!(values, (Some(Theme::Terminal), Some(false), Some(true), Some(true)));
        assert_eq!(read.shares, Shares { map_width: Some(50), timeline_height: Some(6) });
        assert_eq!(set, 6 + Keymap::default().rows().count());
    }
}
