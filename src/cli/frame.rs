//! `frame`: one frame of the visualizer, for documents and bug reports.

use std::io::IsTerminal;
use std::path::PathBuf;
use std::sync::Arc;

use clap::ValueEnum;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::planning::Flags;
use super::screen::{self, place};
use super::sides::{Planned, Search, Sides};
use crate::app::keys::{KEY_NAMES, key_named};
use crate::app::prefs::{ColorDepth, Prefs, Theme};
use crate::app::{App, Command, Where, command_for, settle, update};
use crate::error::Error;
use crate::model::clean;
use crate::output::save;
use crate::ui::export::{SvgStyle, render, to_ansi, to_png, to_svg, to_text};

/// Arguments of `frame`.
#[derive(clap::Args)]
pub struct Args {
    /// The graph, lifetimes in CSV, a TensorFlow Lite model, or the buffer assignment of an XLA dump: a file, or - for standard input [default: the built-in sample]
    graph: Option<String>,
    /// Where to stand: a step counted from 0, peak, fail or spill [default: the failure, else the first spill or postponement]
    #[arg(long, value_name = "N|peak|fail|spill", value_parser = place)]
    step: Option<Where>,
    /// A lesson in place of a graph, at its first station: by name or number, or a file
    #[arg(long, value_name = "LESSON", conflicts_with_all = ["graph", "step", "planning"])]
    lesson: Option<String>,
    /// Columns × rows of the screen
    #[arg(long, value_name = "WxH", default_value = "120x36", value_parser = size)]
    size: (u16, u16),
    /// The frame's form
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    // No doc comment: rustdoc would take the keys for HTML.
    #[arg(long, value_name = "KEYS", default_value = "", hide_default_value = true, help = KEYS_HELP)]
    #[arg(allow_hyphen_values = true)]
    keys: String,
    /// Where to write; standard output where left out
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    sides: Sides,
    #[command(flatten)]
    screen: screen::Flags,
    #[command(flatten)]
    planning: Flags,
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    /// Characters
    Text,
    /// Characters with colours as escapes
    Ansi,
    /// A picture of lines and letters
    Svg,
    /// A picture of pixels; only where spillscope was built with the feature png
    Png,
}

const KEYS_HELP: &str = "Keys to press first: characters, and others by name as in '<Tab><Enter>'";

/// What `--help` ends with.
pub const EXAMPLES: &str = "\
Examples:
  spillscope frame graph.json                   # where the first buffer is spilled
  spillscope frame graph.json --step peak --size 80x24
  spillscope frame graph.json --keys '<Tab>z'   # the second pane, enlarged
  spillscope frame graph.json --format svg -o frame.svg --theme light";

/// The largest frame on either side.
const LARGEST: u16 = 1000;

/// Plans, presses the keys and writes the frame.
pub fn run(args: &Args) -> Result<(), Error> {
    if args.format == Format::Png && args.out.is_none() && std::io::stdout().is_terminal() {
        return Err(Error::input("a PNG is nothing for a terminal", "name a file with -o"));
    }
    let settings = args.screen.named_settings()?;
    let color = if args.format == Format::Text { ColorDepth::None } else { ColorDepth::True };
    let prefs = args.screen.prefs(&settings, color);
    let (width, height) = args.size;
    let mut app = match &args.lesson {
        Some(lesson) => super::learn::frame(lesson, prefs)?,
        None => graph(args, prefs)?,
    };
    app.set_keymap(settings.keymap);
    update(&mut app, Command::Resize(width, height));
    for key in keys(&args.keys)? {
        if let Some(command) = command_for(&app, key) {
            let effect = update(&mut app, command);
            settle(&mut app, effect);
        }
    }
    let buffer = render(&app, width, height);
    let svg = || {
        let style = SvgStyle { light: app.prefs.theme == Theme::Light, ..SvgStyle::default() };
        to_svg(&buffer, &format!("Spillscope: {}", app.trace().problem.graph.name), &style)
    };
    let bytes = match args.format {
        Format::Text => to_text(&buffer).into_bytes(),
        Format::Ansi => to_ansi(&buffer).into_bytes(),
        Format::Svg => svg().into_bytes(),
        Format::Png => to_png(&svg())?,
    };
    match &args.out {
        Some(path) => save::save_file(path, |out| out.write_all(&bytes)),
        None => super::print_bytes(&bytes),
    }
}

/// A graph or a record on the screen at the place that was asked for.
fn graph(args: &Args, prefs: Prefs) -> Result<App, Error> {
    let Planned { session, origin, rival, .. } =
        args.sides.planned(args.graph.as_deref(), &args.planning, Search::Now)?;
    let mut app = App::new(Arc::new(session), prefs);
    origin.into_iter().for_each(|origin| app.comes_from(origin));
    let (width, height) = args.size;
    update(&mut app, Command::Resize(width, height));
    screen::open(&mut app, args.step, rival);
    Ok(app)
}

fn size(text: &str) -> Result<(u16, u16), String> {
    let parsed = text.split_once('x').and_then(|(w, h)| Some((w.parse::<u16>().ok()?, h.parse::<u16>().ok()?)));
    match parsed {
        Some((width, height)) if width <= LARGEST && height <= LARGEST => Ok((width, height)),
        _ => Err(format!("use WIDTHxHEIGHT up to {LARGEST}x{LARGEST}, as in 120x36")),
    }
}

/// The keys of a text: characters as they are, others by name in angle brackets.
fn keys(text: &str) -> Result<Vec<KeyEvent>, Error> {
    let mut keys = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let named = rest.strip_prefix('<').and_then(|rest| rest.split_once('>')).filter(|(name, _)| name.len() > 1);
        let (code, behind) = match named {
            Some((name, behind)) => (named_key(name)?, behind),
            None => (KeyCode::Char(first), &rest[first.len_utf8()..]),
        };
        keys.push(KeyEvent::new(code, KeyModifiers::NONE));
        rest = behind;
    }
    Ok(keys)
}

fn named_key(name: &str) -> Result<KeyCode, Error> {
    key_named(name).ok_or_else(|| {
        Error::input(format!("--keys names <{}>, which is no key", clean(name)), format!("use {KEY_NAMES}"))
    })
}
