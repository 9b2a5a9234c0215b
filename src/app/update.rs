//! What commands do.

use std::time::Duration;

use crossterm::event::KeyCode;
use tui_input::{Input, InputRequest};

use super::command::{Command, Dir, Effect};
use super::find::{Filter, Query};
use super::keymap::Key;
use super::menu::MenuKind;
use super::{App, Ask, Mode, Subject, help, lesson, note, rows, share};
use crate::output::labels::buffer_id;
use crate::trace::Mark;

/// Carries out a command and says what the terminal should do.
pub fn update(app: &mut App, command: Command) -> Effect {
    if let Command::Tick(passed) = command {
        return tick(app, passed);
    }
    if !matches!(command, Command::Resize(..)) {
        app.notice = None;
    }
    let effect = match std::mem::take(&mut app.mode) {
        Mode::Help(top) => help(app, command, top),
        Mode::Prompt { ask, input } => prompt(app, command, ask, input),
        Mode::Letter { set } => letter(app, command, set),
        Mode::Hint if matches!(command, Command::Resize(..)) => {
            app.mode = Mode::Hint;
            browse(app, command)
        }
        // These would only say that there is nothing to do.
        Mode::Hint if matches!(command, Command::Escape | Command::Enter | Command::Unknown(_)) => Effect::Redraw,
        Mode::Browse | Mode::Hint => browse(app, command),
        Mode::Menu(menu) => share::menu(app, &command, menu),
        Mode::Replace(save) => share::replace(app, &command, save),
        Mode::Note(note) => note::note(app, &command, note),
        Mode::Lessons(row) => lesson::choose(app, &command, row),
        Mode::WhatIf => what_if(app, command),
        Mode::Stops(row) => app.in_stops(&command, row).unwrap_or_else(|| browse(app, command)),
        Mode::Rivals(row) => app.choose_rival(&command, row).unwrap_or_else(|| browse(app, command)),
        Mode::History(row) => app.in_history(row, &command).unwrap_or_else(|| browse(app, command)),
    };
    app.refresh();
    effect
}

fn tick(app: &mut App, passed: Duration) -> Effect {
    app.plans.wait(passed);
    let news = if app.plans.asked().is_some() { Effect::Redraw } else { Effect::None };
    if !app.play.running() {
        return news;
    }
    let steps = app.play.tick(passed);
    if steps == 0 {
        return news;
    }
    if !app.play_on(steps) {
        app.play.set(false);
    }
    app.refresh();
    Effect::Redraw
}

/// Commands that mean the same whatever stands over the panes.
pub(super) fn anywhere(app: &mut App, command: &Command) -> Option<Effect> {
    Some(match *command {
        Command::Resize(width, height) => {
            app.resize(width, height);
            Effect::Redraw
        }
        Command::Quit => Effect::Quit,
        Command::Suspend => Effect::Suspend,
        Command::Repaint => Effect::Repaint,
        _ => return None,
    })
}

fn help(app: &mut App, command: Command, top: usize) -> Effect {
    let page = help::page(app.size.1);
    let top = match command {
        Command::Help | Command::Escape | Command::Enter => return Effect::Redraw,
        Command::Row(Dir::Forward) => top + 1,
        Command::Row(Dir::Back) => top.saturating_sub(1),
        Command::Scroll { delta, .. } => top.saturating_add_signed(delta as isize),
        Command::Screen(Dir::Forward) => top + page,
        Command::Screen(Dir::Back) => top.saturating_sub(page),
        Command::First => 0,
        Command::Goto => usize::MAX,
        other => {
            app.mode = Mode::Help(top);
            return anywhere(app, &other).unwrap_or_else(|| {
                app.say("Esc leaves the keys");
                Effect::Redraw
            });
        }
    };
    app.mode = Mode::Help(top.min(help::lines(&app.keymap, app.size.0, app.prefs.ascii).len().saturating_sub(page)));
    Effect::Redraw
}

fn prompt(app: &mut App, command: Command, ask: Ask, mut input: Input) -> Effect {
    match command {
        Command::Type(InputRequest::InsertChar(c)) if input.value().is_empty() && helps(app, c) => {
            app.explain(Mode::Prompt { ask, input });
        }
        Command::Type(InputRequest::DeletePrevChar) if input.value().is_empty() => app.mode = ask.behind(),
        Command::Type(request) => {
            input.handle(request);
            app.mode = Mode::Prompt { ask, input };
        }
        Command::Enter => return answer(app, ask, input.value()),
        Command::Escape | Command::Click { .. } => app.mode = ask.behind(),
        other => {
            app.mode = Mode::Prompt { ask, input };
            return anywhere(app, &other).unwrap_or(Effect::None);
        }
    }
    Effect::Redraw
}

/// The prompt was answered; an empty search searches again, an empty filter shows everything.
fn answer(app: &mut App, ask: Ask, text: &str) -> Effect {
    let problem = &app.trace().problem;
    match ask {
        Ask::Search if text.trim().is_empty() => app.jump_to_match(Dir::Forward, 1),
        Ask::Search => {
            let query = Query::new(text, &problem.graph);
            app.search_for(query);
        }
        Ask::Filter => {
            app.filter = Filter::new(text, problem);
            app.rows.events = 0;
            app.focus_on(super::Pane::Events);
        }
        Ask::SaveAs(pick) => return share::save_as(app, pick, text),
        Ask::Value(knob) => return app.value_typed(knob, text),
        Ask::Stop(row) => app.stop_typed(row, text),
    }
    Effect::Redraw
}

/// Whether that character is the key of the help.
fn helps(app: &App, c: char) -> bool {
    app.keymap.keys_of(&Command::Help).contains(&Key::Plain(KeyCode::Char(c)))
}

impl Ask {
    /// What the screen goes back to when nothing is answered.
    fn behind(self) -> Mode {
        match self {
            Self::Value(_) => Mode::WhatIf,
            Self::Stop(row) => Mode::Stops(row),
            Self::Search | Self::Filter | Self::SaveAs(_) => Mode::Browse,
        }
    }
}

/// The knobs take what they know; the rest moves through the plan as ever.
fn what_if(app: &mut App, command: Command) -> Effect {
    app.mode = Mode::WhatIf;
    app.in_what_if(&command).unwrap_or_else(|| browse(app, command))
}

fn letter(app: &mut App, command: Command, set: bool) -> Effect {
    match command {
        Command::Letter(letter) if set => {
            app.bookmarks.insert(letter, app.step);
            app.say(format!(
                "step {} is bookmarked: '{} comes back",
                app.step,
                crate::model::clean(&letter.to_string())
            ));
        }
        Command::Letter(letter) => match app.bookmarks.get(&letter) {
            Some(&step) => app.jump(step),
            None => app.say("no step is bookmarked under that letter"),
        },
        Command::Help => app.explain(Mode::Letter { set }),
        other => {
            if let Some(effect) = anywhere(app, &other) {
                app.mode = Mode::Letter { set };
                return effect;
            }
        }
    }
    Effect::Redraw
}

fn browse(app: &mut App, command: Command) -> Effect {
    if let Some(effect) = anywhere(app, &command).or_else(|| lesson::update(app, &command)) {
        return effect;
    }
    if let Command::Digit(digit) = command {
        let count = app.count.unwrap_or(0).saturating_mul(10).saturating_add(usize::from(digit));
        app.count = Some(count);
        return Effect::Redraw;
    }
    if let Some(effect) = app.in_comparison(&command) {
        return effect;
    }
    let command = app.of_cells(command);
    if moves(app, &command) || jumps(app, &command) || looks(app, &command) {
        if command != Command::Escape {
            app.count = None;
        }
        return app.effect.take().unwrap_or(Effect::Redraw);
    }
    app.count = None;
    asks(app, command)
}

/// Going on and playing.
fn moves(app: &mut App, command: &Command) -> bool {
    let count = app.count.unwrap_or(1).max(1);
    let playing = app.play.running();
    match *command {
        Command::Step(dir) => app.step_by(dir, count),
        Command::Event(dir) => app.event_by(dir, count),
        Command::Screen(dir) => app.step_by(dir, count.saturating_mul(app.map.steps_per_screen())),
        Command::Play if playing => {}
        Command::Play => return start(app),
        Command::Reverse => {
            app.play.turn();
            return true;
        }
        Command::Slower | Command::Faster => {
            app.play.faster(if *command == Command::Faster { 1 } else { -1 });
            app.say(format!("speed {}", app.play.speed()));
            return true;
        }
        _ => return false,
    }
    play(app, false)
}

/// Starts to play. At the first step there is only one way to go, whichever was played last.
fn start(app: &mut App) -> bool {
    let last = app.trace().step_count().saturating_sub(1);
    match app.play.dir() {
        Dir::Back if app.step == 0 => app.play.turn(),
        Dir::Forward if app.step >= last => {
            let [first, back] = [Command::First, Command::Reverse].map(|command| app.key_for(&command));
            app.say(format!("this is the last step: {first} goes to the first, {back} plays backward"));
            return true;
        }
        _ => {}
    }
    play(app, true)
}

/// Whoever takes the wheel has it: moving by hand ends playing.
fn play(app: &mut App, running: bool) -> bool {
    app.play.set(running);
    true
}

fn jumps(app: &mut App, command: &Command) -> bool {
    let count = app.count.unwrap_or(1).max(1);
    match *command {
        Command::First => app.jump(0),
        Command::Goto => app.jump(app.count.unwrap_or(usize::MAX)),
        Command::Percent => match app.count {
            Some(share) => app.percent(share),
            None => app.say("type the share first: 50%"),
        },
        Command::Mark(mark, dir) => app.jump_to_mark(&[mark], dir, count, mark_name(mark)),
        Command::Failure(dir) => {
            app.jump_to_mark(&[Mark::Full, Mark::Wait, Mark::Failure], dir, count, "placement without room");
        }
        Command::Notable(dir) => app.jump_to_notable(dir, count),
        Command::Parting(dir) => app.next_parting(dir, count),
        Command::Peak => app.jump_to_peak(),
        Command::Stop(dir) => app.jump_to_stop(dir, count),
        Command::Again(dir) => app.jump_to_match(dir, count),
        Command::SearchSelected => search_selected(app),
        Command::BufferEvent(dir) => app.jump_to_buffer_event(dir, count),
        Command::Path(dir) => app.path_by(dir, count),
        Command::Previous => match app.past.pop() {
            Some(step) => app.go(step),
            None => app.say("no jump to go back from"),
        },
        _ => return false,
    }
    play(app, false)
}

fn mark_name(mark: Mark) -> &'static str {
    match mark {
        Mark::Spill => "spill",
        Mark::Reload => "reload",
        Mark::Postpone => "postponement",
        Mark::Full => "placement without room",
        Mark::Failure => "failure",
        Mark::Wait => "wait for memory",
    }
}

fn search_selected(app: &mut App) {
    let of_step = || rows::buffer_of_step(app.trace(), app.step()).map(Subject::Buffer);
    let graph = &app.trace().problem.graph;
    let text = match app.selected.or_else(of_step) {
        Some(Subject::Buffer(buf)) => buffer_id(graph, buf),
        Some(Subject::Node(node)) => graph.node(node).id.to_string(),
        None => return app.say("nothing is selected"),
    };
    let query = Query::new(&text, graph);
    app.search_for(query);
}

fn looks(app: &mut App, command: &Command) -> bool {
    match *command {
        Command::Pane(dir) => app.next_pane(dir),
        Command::Row(dir) => app.row_by(dir, app.count.unwrap_or(1).max(1)),
        Command::Enter => app.enter(),
        Command::Escape => app.escape(),
        Command::Enlarge => app.enlarge(),
        Command::BufferOrder => app.order_buffers(),
        Command::Graph => app.focus_on(super::Pane::Graph),
        Command::Why => app.why(),
        Command::Level(dir) => app.next_level(dir),
        Command::Zoom(zoom) if app.focus == super::Pane::Map => app.zoom_map(zoom),
        Command::Zoom(zoom) => app.zoom(zoom),
        Command::Addresses(zoom) => app.zoom_addresses(zoom),
        Command::Coloring(dir) => app.color_map(dir),
        Command::AllLevels => app.all_levels(),
        Command::Cells => app.over_cells(),
        Command::Cell(way) => app.cell_by(way, app.count.unwrap_or(1).max(1)),
        Command::Pan(dir) => app.pan_units(dir, app.count.unwrap_or(1).max(1)),
        Command::Click { x, y } => app.click(x, y),
        Command::Drag { x, y } => app.drag(x, y),
        Command::Scroll { x, y, delta } => app.scroll(x, y, delta),
        _ => return false,
    }
    true
}

/// Prompts and the program itself.
fn asks(app: &mut App, command: Command) -> Effect {
    match command {
        Command::Search => app.mode = Mode::Prompt { ask: Ask::Search, input: Input::default() },
        Command::Filter => {
            app.mode = Mode::Prompt { ask: Ask::Filter, input: Input::new(app.filter.text.clone()) };
        }
        Command::SetMark | Command::ToMark => app.mode = Mode::Letter { set: command == Command::SetMark },
        Command::WhatIf => app.open_what_if(),
        Command::Stops => app.mode = Mode::Stops(0),
        Command::Compare => return app.compare(),
        Command::Swap => app.swap_sides(),
        Command::Undo => app.undo(),
        Command::Redo => app.redo(),
        Command::History => app.open_history(),
        Command::Help => app.mode = Mode::Help(0),
        Command::Copy => app.open_menu(MenuKind::Copy),
        Command::Export => app.open_menu(MenuKind::Export),
        Command::Theme => {
            app.prefs.theme = app.prefs.theme.next();
            app.say(format!("theme: {}", app.prefs.theme.description()));
        }
        Command::Mouse => {
            app.prefs.mouse = !app.prefs.mouse;
            app.say(if app.prefs.mouse { "the mouse is listened to" } else { "the mouse is left to the terminal" });
            return Effect::ToggleMouse(app.prefs.mouse);
        }
        Command::Unknown(key) => {
            app.say(format!("{key} has no meaning here; {} shows the keys", app.key_for(&Command::Help)));
        }
        Command::Letter(_) | Command::Type(_) => return Effect::None,
        other => {
            debug_assert!(false, "{other:?} is not carried out");
            return Effect::None;
        }
    }
    Effect::Redraw
}
