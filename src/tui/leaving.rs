//! What leaves the screen by a key: files that are written, the frame as text. It needs the drawing, and so it is
//! done here and not in the app.

use std::path::{Path, PathBuf};

use crate::app::menu::Pick;
use crate::app::share::Save;
use crate::app::{App, Effect, Theme};
use crate::error::Error;
use crate::model::clean;
use crate::output::{plan_files, save};
use crate::ui::export::{SvgStyle, render, to_ansi, to_png, to_svg, to_text};

/// The frame of a screen that is too small to show one.
const USUAL_SIZE: (u16, u16) = (120, 36);

/// Carries out what needs the drawing or the disk; other effects are left to the event loop.
pub(super) fn carry_out(app: &mut App, effect: Effect) -> Effect {
    match effect {
        Effect::CopyFrame => Effect::Copy(to_text(&frame(app))),
        Effect::Save(wanted) => {
            save(app, wanted);
            Effect::Redraw
        }
        other => other,
    }
}

fn save(app: &mut App, wanted: Save) {
    let there = if wanted.replace { None } else { already_there(app, &wanted) };
    if there.is_some() {
        return app.ask_to_replace(wanted);
    }
    match write(app, &wanted) {
        Ok(()) => app.notify(format!("written: {}", clean(&wanted.path))),
        Err(error) => app.notify(error.to_string()),
    }
}

/// The first file that would be replaced.
fn already_there(app: &App, wanted: &Save) -> Option<PathBuf> {
    let path = Path::new(&wanted.path);
    if wanted.pick != Pick::Plan {
        return path.exists().then(|| path.to_path_buf());
    }
    let files = plan_files::names(&stem(app)).into_iter().map(|name| path.join(name));
    files.into_iter().find(|file| file.exists())
}

fn stem(app: &App) -> String {
    app.trace().problem.graph.name.raw().replace(['/', '\\'], "-")
}

fn write(app: &App, wanted: &Save) -> Result<(), Error> {
    let path = Path::new(&wanted.path);
    let text = match wanted.pick {
        Pick::Plan => {
            let repeat = app.command_line().unwrap_or_default();
            return plan_files::save_plan(path, &stem(app), app.session(), &repeat).map(drop);
        }
        Pick::Png => to_png(&svg(app))?,
        Pick::Svg => svg(app).into_bytes(),
        Pick::Ansi => to_ansi(&frame(app)).into_bytes(),
        Pick::Text => to_text(&frame(app)).into_bytes(),
        Pick::Story => app.story_at_hand().into_bytes(),
        Pick::Why => app.why_text().into_bytes(),
        Pick::CommandLine => app.command_line().unwrap_or_default().into_bytes(),
    };
    save::save_file(path, |out| out.write_all(&text))
}

/// The panes as they are, without menu and notices.
fn frame(app: &App) -> ratatui::buffer::Buffer {
    let (width, height) = if app.shows_panes() { app.size() } else { USUAL_SIZE };
    render(&app.bare(), width, height)
}

fn svg(app: &App) -> String {
    let style = SvgStyle { light: app.prefs.theme == Theme::Light, ..SvgStyle::default() };
    to_svg(&frame(app), &format!("Spillscope: {}", app.trace().problem.graph.name), &style)
}

#[cfg(test)]
mod tests;
