//! Reads a configuration: TOML, each fault told with its place.

use std::fmt::Write;
use std::ops::{Range, RangeInclusive};

use crossterm::event::KeyCode;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::settings::Settings;
use crate::app::keymap::{Key, key_name};
use crate::app::keys::{KEY_NAMES, Refusal, key_named};
use crate::app::{Keymap, Shares, Theme};
use crate::error::Error;
use crate::input::Source;
use crate::model::clean;

/// What stands at the top of the file.
const SETTINGS: [&str; 6] = ["theme", "ascii", "mouse", "hint", "layout", "keys"];
/// What stands under `[layout]`.
const LAYOUT: [&str; 2] = ["map_width", "timeline_height"];

type Value<'t> = Spanned<DeValue<'t>>;

/// A setting with its place.
struct Entry<'t> {
    name: &'t str,
    at: Range<usize>,
    value: &'t Value<'t>,
}

/// The settings of a text.
///
/// # Errors
/// Where it is not TOML, names what there is not, or sets what cannot be.
pub fn settings(source: &Source) -> Result<Settings, Error> {
    let table = DeTable::parse(&source.text).map_err(|error| {
        let what = format!("this is no TOML: {}", clean(error.message().lines().next().unwrap_or("")));
        let advice = "`spillscope config` prints a configuration to start from";
        match error.span() {
            Some(at) => source.error(at, what, advice),
            None => source.whole_error(what, advice),
        }
    })?;
    let mut settings = Settings::default();
    for entry in entries(table.get_ref()) {
        match entry.name {
            "theme" => settings.theme = Some(theme(source, &entry)?),
            "ascii" => settings.ascii = Some(flag(source, &entry)?),
            "mouse" => settings.mouse = Some(flag(source, &entry)?),
            "hint" => settings.hint = Some(flag(source, &entry)?),
            "layout" => settings.shares = shares(source, section(source, &entry)?)?,
            "keys" => settings.keymap = keymap(source, &section(source, &entry)?)?,
            _ => return Err(unknown(source, &entry, "setting", &SETTINGS)),
        }
    }
    Ok(settings)
}

/// The entries of a table in the order of the file, so that the first fault is the one that is told.
fn entries<'t>(table: &'t DeTable<'t>) -> Vec<Entry<'t>> {
    let entry = |(key, value): (&'t Spanned<_>, &'t Value<'t>)| Entry {
        name: AsRef::<str>::as_ref(key.get_ref()),
        at: key.span(),
        value,
    };
    let mut entries: Vec<Entry> = table.iter().map(entry).collect();
    entries.sort_by_key(|entry| entry.at.start);
    entries
}

fn unknown(source: &Source, entry: &Entry, kind: &str, known: &[&str]) -> Error {
    let near = known.iter().max_by(|a, b| strsim::jaro(a, entry.name).total_cmp(&strsim::jaro(b, entry.name)));
    let near = near.filter(|near| strsim::jaro(near, entry.name) > 0.75);
    let mut advice = near.map_or_else(String::new, |near| format!("did you mean {near}? "));
    // Writing to a string cannot fail.
    let _ = write!(advice, "there are {}", known.join(", "));
    source.error(entry.at.clone(), format!("there is no {kind} {}", clean(entry.name)), advice)
}

/// The error for a value that is not what it must be.
fn wrong(source: &Source, entry: &Entry, value: &Value, expected: &str) -> Error {
    let found = value.get_ref();
    let found = found.as_str().map_or_else(|| found.type_str().to_owned(), |text| format!("“{}”", clean(text)));
    let what = format!("{} is {expected}, found {found}", clean(entry.name));
    source.error(value.span(), what, "`spillscope config` shows every setting with its default")
}

fn flag(source: &Source, entry: &Entry) -> Result<bool, Error> {
    entry.value.get_ref().as_bool().ok_or_else(|| wrong(source, entry, entry.value, "true or false"))
}

fn theme(source: &Source, entry: &Entry) -> Result<Theme, Error> {
    let names = Theme::ALL.map(Theme::name).join(", ");
    let named = entry.value.get_ref().as_str().and_then(Theme::named);
    named.ok_or_else(|| wrong(source, entry, entry.value, &format!("one of {names}")))
}

fn section<'t>(source: &Source, entry: &Entry<'t>) -> Result<Vec<Entry<'t>>, Error> {
    let table = entry.value.get_ref().as_table();
    table.map(entries).ok_or_else(|| wrong(source, entry, entry.value, &format!("a section, [{}]", entry.name)))
}

fn shares(source: &Source, entries: Vec<Entry>) -> Result<Shares, Error> {
    let mut shares = Shares::default();
    for entry in entries {
        match entry.name {
            "map_width" => shares.map_width = Some(whole(source, &entry, Shares::MAP_WIDTH)?),
            "timeline_height" => shares.timeline_height = Some(whole(source, &entry, Shares::TIMELINE_HEIGHT)?),
            _ => return Err(unknown(source, &entry, "setting of the layout", &LAYOUT)),
        }
    }
    Ok(shares)
}

fn whole(source: &Source, entry: &Entry, range: RangeInclusive<u16>) -> Result<u16, Error> {
    let written = entry.value.get_ref().as_integer();
    let number = written.and_then(|number| u16::from_str_radix(number.as_str(), number.radix()).ok());
    number.filter(|number| range.contains(number)).ok_or_else(|| {
        let expected = format!("a whole number from {} to {}", range.start(), range.end());
        wrong(source, entry, entry.value, &expected)
    })
}

fn keymap(source: &Source, entries: &[Entry]) -> Result<Keymap, Error> {
    let mut keymap = Keymap::default();
    for entry in entries {
        let keys = keys(source, entry)?;
        keymap.rebind(entry.name, &keys).map_err(|refusal| refused(source, entry, &refusal))?;
    }
    let Some((key, Refusal::Twice(one, other))) = keymap.shared() else { return Ok(keymap) };
    // The last of the two that the file names is what made it so.
    let entry = entries.iter().rev().find(|entry| entry.name == one || entry.name == other);
    let what = format!("{} is the key of {one} and of {other}", key_name(key));
    let advice = format!("give one of them another key, as in {other} = [\"…\"]");
    Err(entry.map_or_else(
        || source.whole_error(what.clone(), advice.clone()),
        |entry| source.error(entry.value.span(), what.clone(), advice.clone()),
    ))
}

fn refused(source: &Source, entry: &Entry, refusal: &Refusal) -> Error {
    match refusal {
        Refusal::NoAction(near) => {
            let near = near.as_ref().map_or_else(String::new, |near| format!("did you mean {near}? "));
            let advice = format!("{near}`spillscope config` lists the actions");
            source.error(entry.at.clone(), format!("there is no action {}", clean(entry.name)), advice)
        }
        refusal => source.error(entry.value.span(), refusal.to_string(), "take another key"),
    }
}

/// One key, or a list of keys.
fn keys(source: &Source, entry: &Entry) -> Result<Vec<Key>, Error> {
    let values: Vec<&Value> = match entry.value.get_ref().as_array() {
        Some(list) => list.iter().collect(),
        None => vec![entry.value],
    };
    values.into_iter().map(|value| key(source, entry, value).map(Key::Plain)).collect()
}

fn key(source: &Source, entry: &Entry, value: &Value) -> Result<KeyCode, Error> {
    let Some(name) = value.get_ref().as_str() else {
        return Err(wrong(source, entry, value, "a key in quotes, or a list of keys"));
    };
    key_named(name).ok_or_else(|| {
        let advice = format!("a key is one character or one of {KEY_NAMES}");
        source.error(value.span(), format!("there is no key “{}”", clean(name)), advice)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::{Command, Dir};

    fn read(text: &str) -> Result<Settings, Error> {
        settings(&Source::from_text("config.toml", text))
    }

    /// The message of a text that is refused, with its place.
    fn fault(text: &str) -> String {
        read(text).expect_err(text).to_string()
    }

    #[test]
    fn an_empty_one_changes_nothing() {
        assert_eq!(read("# nothing\n").expect("sound"), Settings::default());
    }

    #[test]
    fn every_setting_is_read() {
        let text = "theme = 'high-contrast'\nascii = true\nmouse = false\nhint = false\n\
                    [layout]\nmap_width = 60\ntimeline_height = 0x8\n\
                    [keys]\nstep-forward = 'W'\nquit = ['Q', 'F10']\n";
        let settings = read(text).expect("sound");
        assert_eq!(settings.theme, Some(Theme::HighContrast));
        assert_eq!((settings.ascii, settings.mouse, settings.hint), (Some(true), Some(false), Some(false)));
        assert_eq!(settings.shares, Shares { map_width: Some(60), timeline_height: Some(8) });
        assert_eq!(settings.keymap.name_of(&Command::Step(Dir::Forward), false), "W");
        assert_eq!(settings.keymap.keys_of(&Command::Quit).len(), 3, "Ctrl-C stays");
    }

    #[test]
    fn what_cannot_be_is_told_with_its_place() {
        for (text, part) in [
            ("theme = 'dark'\nthemes = 1", "config.toml:2:1: there is no setting themes (did you mean theme?"),
            ("theme = 'blue'", "config.toml:1:9: theme is one of terminal, dark, light, high-contrast, found “blue”"),
            ("mouse = 'no'", "config.toml:1:9: mouse is true or false, found “no”"),
            ("layout = 3", "layout is a section, [layout], found integer"),
            ("[layout]\nmap_width = 71", "config.toml:2:13: map_width is a whole number from 30 to 70"),
            ("[layout]\ntimeline_height = -1", "timeline_height is a whole number from 3 to 12"),
            ("[layout]\ntimeline_height = 99999999999999999999", "from 3 to 12"),
            ("[layout]\nmap_widht = 50", "there is no setting of the layout map_widht (did you mean map_width?"),
            (
                "[keys]\nstep-foward = 'd'",
                "config.toml:2:1: there is no action step-foward (did you mean step-forward?",
            ),
            (
                "[keys]\nquit = 'Hyper'",
                "config.toml:2:8: there is no key “Hyper” (a key is one character or one of Space",
            ),
            ("[keys]\nquit = ['Q', 'Ctrl-x']", "config.toml:2:14: there is no key “Ctrl-x”"),
            ("[keys]\nquit = ['Q', 3]", "config.toml:2:14: quit is a key in quotes, or a list of keys, found integer"),
            ("[keys]\nquit = '3'", "1 to 9 begin a count"),
            ("[keys]\nquit = 's'", "config.toml:2:8: s is the key of mark-spill-forward and of quit"),
            ("[keys]\nhelp = 'Esc'", "Esc is the key of escape and of help"),
            ("[keys]\nquit = 'x'\nquit = 'y'", "config.toml:3:1: this is no TOML: duplicate key"),
            ("theme = ", "config.toml:1:9: this is no TOML"),
            ("theme = 'dark\n", "config.toml:1:"),
            ("\"\\u001b[2J\" = 1", "there is no setting \u{fffd}[2J"),
        ] {
            let fault = fault(text);
            assert!(fault.contains(part), "{text:?}: {fault}");
        }
    }

    #[test]
    fn of_several_faults_the_first_is_told() {
        assert!(fault("zoo = 1\nascii = 2").contains("zoo"));
    }
}
