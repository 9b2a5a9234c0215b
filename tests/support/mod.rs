//! What the tests of the screen share: planned samples, key presses, frames as text.

#![allow(dead_code, reason = "each test binary uses its part")]

use std::sync::Arc;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::{Buffer, Cell};
use spillscope::app::{App, ColorDepth, Command, Effect, Prefs, command_for, settle, update};
use spillscope::engine::bounds::default_pool_cap;
use spillscope::input::{Source, read_graph, read_graph_source};
use spillscope::model::{Graph, LevelIx, Machine, Options, Order, Problem};
use spillscope::session::{Extras, Session};
use spillscope::ui;

/// All samples.
pub const SAMPLES: [&str; 10] = [
    "first-spill",
    "spill-many",
    "postpone",
    "fragmented",
    "backed-reload",
    "thrash",
    "no-plan",
    "matmul",
    "flash-attention",
    "conv",
];

/// The samples that are operation graphs.
pub const OPERATIONS: [&str; 5] = ["pipeline-240", "light-tasks", "deadlock", "early-release", "buckets"];

/// Every sample, planned with the defaults.
pub fn all_samples() -> Vec<(&'static str, Arc<Session>)> {
    let kernels = SAMPLES.into_iter().map(|name| (name, sample(name)));
    kernels.chain(OPERATIONS.into_iter().map(|name| (name, with_a_share(name, 1)))).collect()
}

/// Plans a sample of operations by critical path with that part of the cap that it is usually opened with.
pub fn with_a_share(name: &str, part: u64) -> Arc<Session> {
    let path = format!("{}/samples/{name}.json", env!("CARGO_MANIFEST_DIR"));
    let graph = Arc::new(read_graph(&path).expect("samples are sound"));
    let mut problem = Problem::new(graph, Machine::host()).expect("it fits the machine");
    problem.machine.levels[0].capacity = default_pool_cap(&problem, LevelIx(0)).expect("it has buffers") / part;
    let extras = Extras { fractional_bound: false, remedies: true };
    Arc::new(Session::plan(problem, Options::classic(Order::CriticalPath), extras).expect("it has an order"))
}

/// Plans a sample with the defaults.
pub fn sample(name: &str) -> Arc<Session> {
    let path = format!("{}/samples/{name}.json", env!("CARGO_MANIFEST_DIR"));
    session(read_graph(&path).expect("samples are sound"))
}

/// Plans a graph with the defaults.
pub fn session(graph: Graph) -> Arc<Session> {
    let order = if graph.schedule().is_some() { Order::Given } else { Order::Program };
    let problem = Problem::new(Arc::new(graph), Machine::npu()).expect("it fits the machine");
    let extras = Extras { fractional_bound: false, remedies: true };
    Arc::new(Session::plan(problem, Options::classic(order), extras).expect("it has an order"))
}

/// Plans an operation graph on the machine `host`, with a cap in bytes and that many workers.
pub fn operations(json: &str, cap: u64, workers: u8, order: Order) -> Arc<Session> {
    let graph = read_graph_source(&Source::from_text("net", json)).expect("the graph is sound");
    let mut machine = Machine::host();
    machine.levels[0].capacity = cap;
    machine.units[0].count = workers;
    let problem = Problem::new(Arc::new(graph), machine).expect("it fits the machine");
    let extras = Extras { fractional_bound: false, remedies: true };
    Arc::new(Session::plan(problem, Options::classic(order), extras).expect("it has an order"))
}

/// Preferences for frames without colour.
pub fn mono() -> Prefs {
    Prefs { color: ColorDepth::None, ..Prefs::default() }
}

/// A sample on a screen of that size.
pub fn open(name: &str, width: u16, height: u16) -> App {
    let mut app = App::new(sample(name), mono());
    update(&mut app, Command::Resize(width, height));
    app
}

/// Presses a key; a plan that it asks for is there at once.
pub fn press(app: &mut App, code: KeyCode) -> Effect {
    let modifiers = match code {
        KeyCode::Char(c) if c.is_uppercase() => KeyModifiers::SHIFT,
        _ => KeyModifiers::NONE,
    };
    let effect = command_for(app, KeyEvent::new(code, modifiers)).map_or(Effect::None, |command| update(app, command));
    settle(app, effect)
}

/// Types characters; `\n` is Enter, `\t` is Tab, `\u{1b}` is Esc.
pub fn typed(app: &mut App, keys: &str) {
    for key in keys.chars() {
        let code = match key {
            '\n' => KeyCode::Enter,
            '\t' => KeyCode::Tab,
            '\u{1b}' => KeyCode::Esc,
            c => KeyCode::Char(c),
        };
        press(app, code);
    }
}

/// The frame at that size.
pub fn frame(app: &App, width: u16, height: u16) -> Buffer {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).expect("a test backend never fails");
    terminal.draw(|frame| ui::draw(app, frame)).expect("a test backend never fails");
    terminal.backend().buffer().clone()
}

/// The frame as lines of text, as a terminal shows them.
pub fn text(app: &App, width: u16, height: u16) -> String {
    let buffer = frame(app, width, height);
    let rows = buffer.content.chunks(usize::from(width).max(1));
    rows.map(|row| row.iter().map(Cell::symbol).collect::<String>().trim_end().to_owned() + "\n").collect()
}
