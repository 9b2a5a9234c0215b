//! What leaves the screen: to the clipboard and into files.

use super::command::{Command, Dir, Effect};
use super::menu::{Menu, MenuKind, Pick};
use super::words::{self, Wanted};
use super::{App, Ask, Mode};
use crate::model::{BufIx, clean};
use crate::output::explain;
use crate::output::labels::{buffer_label, step_label};
use tui_input::Input;

/// Columns of the texts that are copied and written.
const WIDTH: u16 = 100;

/// What should be written into a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Save {
    /// What.
    pub pick: Pick,
    /// The file, or the folder for the files of the plan.
    pub path: String,
    /// Whether what is there already may be replaced.
    pub replace: bool,
}

impl App {
    pub(super) fn open_menu(&mut self, kind: MenuKind) {
        self.mode = Mode::Menu(Menu { kind, row: 0 });
    }

    /// Asks whether what is there already may be replaced.
    pub fn ask_to_replace(&mut self, save: Save) {
        self.mode = Mode::Replace(save);
    }

    /// This step in words, or where the plan ends without success the diagnosis.
    pub fn why_text(&self) -> String {
        let trace = self.trace();
        let mut lines = Vec::new();
        if self.session.diagnosis.is_some() && self.at_failure() {
            lines.extend(self.autopsy.lines_at(WIDTH));
        } else {
            lines.extend(words::this_step(
                &self.session,
                Wanted { step: self.step, width: WIDTH, without_next: self.is_veiled() },
            ));
        }
        let what = trace.step(self.step).map(|step| step_label(trace, step)).unwrap_or_default();
        let mut out = format!("{}, step {}: {what}\n", trace.problem.graph.name, self.step);
        for line in &lines {
            let text = format!("{:<width$}{}", line.label, line.text, width = words::LABEL);
            let text = if line.tone == words::Tone::Sentence { &line.text } else { text.trim_end() };
            out.push_str(text);
            out.push('\n');
        }
        out
    }

    /// The life of a buffer, a line each.
    pub fn story_text(&self, buf: BufIx) -> String {
        let graph = &self.trace().problem.graph;
        let lines = explain::story(self.trace(), buf);
        let digits = self.trace().step_count().to_string().len();
        let line = |line: &explain::StoryLine| {
            let step = line.step.map_or_else(String::new, |step| step.to_string());
            format!("{step:>digits$}  {}\n", line.text)
        };
        let head = format!("{}, {}\n", graph.name, buffer_label(graph, buf));
        head + &lines.iter().map(line).collect::<String>()
    }

    /// The story of the buffer at hand, empty where there is none.
    pub fn story_at_hand(&self) -> String {
        self.buffer_at_hand().map_or_else(String::new, |buf| self.story_text(buf))
    }

    /// The name to offer: of the graph, and of the step where it is one of a frame.
    fn offered(&self, pick: Pick) -> String {
        let graph = file_name(&self.trace().problem.graph.name.to_string());
        let step = self.step;
        match pick {
            Pick::Ansi => format!("{graph}-step{step}.ans"),
            Pick::Svg => format!("{graph}-step{step}.svg"),
            Pick::Png => format!("{graph}-step{step}.png"),
            Pick::Plan => format!("{graph}-plan"),
            Pick::Story => {
                let id = self.buffer_at_hand().map(|buf| self.trace().problem.graph.buffer(buf).id);
                format!("{graph}-b{}-story.txt", id.unwrap_or(0))
            }
            Pick::Text | Pick::Why | Pick::CommandLine => format!("{graph}-step{step}.txt"),
        }
    }

    fn picked(&mut self, kind: MenuKind, row: usize) -> Effect {
        let items = self.items(kind);
        let Some(item) = items.get(row) else { return Effect::None };
        if let Some(lacks) = item.lacks {
            self.mode = Mode::Menu(Menu { kind, row });
            self.say(lacks);
            return Effect::Redraw;
        }
        if kind == MenuKind::Export {
            self.mode = Mode::Prompt { ask: Ask::SaveAs(item.pick), input: Input::new(self.offered(item.pick)) };
            return Effect::Redraw;
        }
        self.say(format!("copied: {} (tmux: set -g set-clipboard on)", item.text));
        match item.pick {
            Pick::CommandLine => Effect::Copy(self.command_line().unwrap_or_default()),
            Pick::Why => Effect::Copy(self.why_text()),
            Pick::Story => Effect::Copy(self.story_at_hand()),
            _ => Effect::CopyFrame,
        }
    }
}

/// A name as a file may have it everywhere.
fn file_name(name: &str) -> String {
    let safe = |c: char| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '-' };
    let name: String = clean(name).chars().take(60).map(safe).collect();
    let name = name.trim_matches(['.', '-']);
    if name.is_empty() { "graph".into() } else { name.to_owned() }
}

/// What the keys do in a menu.
pub(super) fn menu(app: &mut App, command: &Command, menu: Menu) -> Effect {
    let Menu { kind, row } = menu;
    let rows = app.items(kind).len();
    match *command {
        Command::Row(Dir::Forward) => app.mode = Mode::Menu(Menu { kind, row: (row + 1) % rows }),
        Command::Row(Dir::Back) => app.mode = Mode::Menu(Menu { kind, row: (row + rows - 1) % rows }),
        Command::Enter => return app.picked(kind, row),
        Command::Letter(letter) => {
            let at = app.items(kind).iter().position(|item| item.key == letter).unwrap_or(row);
            return app.picked(kind, at);
        }
        Command::Click { x, y } => {
            let place = app.menu_place(kind);
            let inside = place.contains(ratatui::layout::Position { x, y });
            return match usize::from(y).checked_sub(usize::from(place.y) + 1).filter(|&row| inside && row < rows) {
                Some(row) => app.picked(kind, row),
                None => Effect::Redraw,
            };
        }
        Command::Escape => {}
        Command::Help => app.explain(Mode::Menu(menu)),
        _ => {
            app.mode = Mode::Menu(menu);
            if let Some(effect) = super::update::anywhere(app, command) {
                return effect;
            }
        }
    }
    Effect::Redraw
}

/// What the keys do while it is asked whether to replace a file.
pub(super) fn replace(app: &mut App, command: &Command, save: Save) -> Effect {
    match command {
        Command::Letter('y') => return Effect::Save(Save { replace: true, ..save }),
        Command::Letter(_) | Command::Escape | Command::Click { .. } => app.say("left as it was"),
        other => {
            app.mode = Mode::Replace(save);
            return super::update::anywhere(app, other).unwrap_or(Effect::None);
        }
    }
    Effect::Redraw
}

/// The name of the file was typed.
pub(super) fn save_as(app: &mut App, pick: Pick, typed: &str) -> Effect {
    let path = typed.trim();
    if path.is_empty() {
        app.say("without a name nothing is written");
        return Effect::Redraw;
    }
    Effect::Save(Save { pick, path: path.to_owned(), replace: false })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offered_names_are_those_of_a_file() {
        assert_eq!(file_name("flash-attention"), "flash-attention");
        assert_eq!(file_name("../etc/pass wd\u{1b}[2J"), "etc-pass-wd--2J");
        assert_eq!(file_name("权重.v2"), "权重.v2");
        assert_eq!([file_name(""), file_name("..")], ["graph", "graph"]);
        assert_eq!(file_name(&"x".repeat(500)).len(), 60);
    }
}
