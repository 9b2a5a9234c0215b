//! A pseudo-terminal with a program in it, and an emulator that shows what a person would see.

use std::io::{Read, Write};
use std::num::NonZero;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use rustix::process::{Pid, Signal, kill_process};

/// Long enough for a loaded machine; a test that passes never waits so long.
const PATIENCE: Duration = Duration::from_secs(30);

/// A synchronised update begins and ends; a terminal shows what stands between them at once.
const BEGIN: &[u8] = b"\x1b[?2026h";
const END: &[u8] = b"\x1b[?2026l";

/// What came out so far.
struct Output {
    bytes: Vec<u8>,
    /// So many of the bytes are on the screen; the others belong to a frame that is not whole yet.
    shown: usize,
    emulator: vt100::Parser,
}

impl Output {
    fn new(rows: u16, cols: u16) -> Self {
        Self { bytes: Vec::new(), shown: 0, emulator: vt100::Parser::new(cells(rows), cells(cols), 0) }
    }

    /// Shows what can be shown with `chunk`: never half a frame, as no terminal that knows frames does.
    fn take(&mut self, chunk: &[u8]) {
        self.bytes.extend_from_slice(chunk);
        // A mark may have been cut by the end of the chunk before.
        let from = self.shown.saturating_sub(BEGIN.len());
        let last = |mark: &[u8]| self.bytes[from..].windows(mark.len()).rposition(|bytes| bytes == mark);
        let (begin, end) = (last(BEGIN), last(END));
        let whole = if begin > end { from + begin.unwrap_or_default() } else { self.bytes.len() };
        if whole > self.shown {
            self.emulator.process(&self.bytes[self.shown..whole]);
            self.shown = whole;
        }
    }
}

/// A shell script in a pseudo-terminal of 100 × 30, run where the samples are.
pub struct Pty {
    master: Box<dyn MasterPty + Send>,
    writer: Box<dyn Write + Send>,
    child: Box<dyn Child + Send + Sync>,
    output: Arc<Mutex<Output>>,
}

impl Pty {
    /// Starts `script`; `sh` leads the session, as a login shell does.
    pub fn start(script: &str, variables: &[(&str, &str)]) -> Self {
        Self::start_at((100, 30), script, variables)
    }

    /// The same in a terminal of that many columns and rows.
    pub fn start_at((cols, rows): (u16, u16), script: &str, variables: &[(&str, &str)]) -> Self {
        let size = PtySize { rows, cols, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size).expect("a pseudo-terminal");
        let mut command = CommandBuilder::new("sh");
        command.args(["-c", script]);
        command.cwd(env!("CARGO_MANIFEST_DIR"));
        command.env("TERM", "xterm-256color");
        command.env("RUST_BACKTRACE", "0");
        ["NO_COLOR", "COLORTERM", "SPILLSCOPE_CONFIG"].iter().for_each(|name| command.env_remove(name));
        // Nobody's own settings, and not the first start.
        command.env("XDG_CONFIG_HOME", "/nonexistent");
        command.env("XDG_STATE_HOME", opened_before());
        variables.iter().for_each(|(name, value)| command.env(name, value));
        let child = pair.slave.spawn_command(command).expect("sh starts");
        let output = Arc::new(Mutex::new(Output::new(rows, cols)));
        let mut reader = pair.master.try_clone_reader().expect("a reader");
        let shared = Arc::clone(&output);
        std::thread::spawn(move || {
            let mut chunk = [0; 4096];
            while let Ok(count @ 1..) = reader.read(&mut chunk) {
                lock(&shared).take(&chunk[..count]);
            }
        });
        let writer = pair.master.take_writer().expect("a writer");
        Self { master: pair.master, writer, child, output }
    }

    /// Waits until the screen shows `text`.
    pub fn wait_for(&self, text: &str) {
        let start = Instant::now();
        while !self.contents().contains(text) {
            assert!(start.elapsed() < PATIENCE, "waited in vain for: {text}\nscreen:\n{}", self.contents());
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Waits until `text` is written behind the first `from` bytes, even where the screen showed it before.
    pub fn wait_for_bytes(&self, from: usize, text: &str) {
        let start = Instant::now();
        while !String::from_utf8_lossy(&self.bytes()[from..]).contains(text) {
            assert!(start.elapsed() < PATIENCE, "not written: {text}");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Waits until more than `from` bytes are written and no more follow for a moment.
    pub fn wait_until_written(&self, from: usize) {
        let start = Instant::now();
        let mut seen = from;
        loop {
            std::thread::sleep(Duration::from_millis(40));
            let now = self.bytes().len();
            if now > from && now == seen {
                return;
            }
            seen = now;
            assert!(start.elapsed() < PATIENCE, "nothing is written; screen:\n{}", self.contents());
        }
    }

    /// Types `keys`, bytes as a terminal sends them.
    pub fn press(&mut self, keys: &str) {
        self.writer.write_all(keys.as_bytes()).expect("the terminal takes keys");
        self.writer.flush().expect("the terminal takes keys");
    }

    /// Changes the size, which sends SIGWINCH.
    pub fn resize(&self, cols: u16, rows: u16) {
        lock(&self.output).emulator.screen_mut().set_size(cells(rows), cells(cols));
        self.master.resize(PtySize { rows, cols, pixel_width: 0, pixel_height: 0 }).expect("a size");
    }

    /// Everything written so far.
    pub fn bytes(&self) -> Vec<u8> {
        lock(&self.output).bytes.clone()
    }

    /// The screen's text now.
    pub fn contents(&self) -> String {
        lock(&self.output).emulator.screen().contents()
    }

    /// What stands in the last column, row by row.
    pub fn last_column(&self) -> Vec<String> {
        let output = lock(&self.output);
        let screen = output.emulator.screen();
        let (rows, cols) = screen.size();
        let text = |row| screen.cell(row, u16::from(cols) - 1).map(|cell| cell.contents().to_owned());
        (0..u16::from(rows)).map(|row| text(row).unwrap_or_default()).collect()
    }

    /// Waits until the script ends, then says what the terminal was left with.
    pub fn end(mut self) -> Left {
        self.wait_for_end();
        Left::of(lock(&self.output).emulator.screen())
    }

    /// Waits until the script ends: everything that was written.
    pub fn bytes_at_end(mut self) -> Vec<u8> {
        self.wait_for_end();
        self.bytes()
    }

    fn wait_for_end(&mut self) {
        let start = Instant::now();
        while self.child.try_wait().expect("the child is ours").is_none() {
            assert!(start.elapsed() < PATIENCE, "does not end; screen:\n{}", self.contents());
            std::thread::sleep(Duration::from_millis(5));
        }
        // The last bytes may still be on their way.
        self.wait_for("status ");
    }

    /// What the terminal is left with now.
    pub fn left(&self) -> Left {
        Left::of(lock(&self.output).emulator.screen())
    }

    /// The process among the script's whose name starts with `name`.
    pub fn process(&self, name: &str) -> Pid {
        let start = Instant::now();
        let root = self.child.process_id().expect("it runs");
        loop {
            if let Some(pid) = descendant(root, name) {
                return Pid::from_raw(i32::try_from(pid).expect("small")).expect("not 0");
            }
            assert!(start.elapsed() < PATIENCE, "no process {name}");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Pty {
    fn drop(&mut self) {
        // A failed test must not leave its program behind.
        let _ = self.child.kill();
    }
}

/// A state folder that says that the visualizer was opened before.
fn opened_before() -> String {
    let state = concat!(env!("CARGO_TARGET_TMPDIR"), "/state");
    std::fs::create_dir_all(format!("{state}/spillscope")).expect("a folder");
    std::fs::write(format!("{state}/spillscope/opened"), "").expect("written");
    state.to_owned()
}

/// What a terminal shows and is in.
#[derive(Debug)]
pub struct Left {
    /// What of it a program holds.
    pub held: Vec<&'static str>,
    /// The text of the screen.
    pub contents: String,
}

impl Left {
    fn of(screen: &vt100::Screen) -> Self {
        let mouse = screen.mouse_protocol_mode() != vt100::MouseProtocolMode::None
            || screen.mouse_protocol_encoding() != vt100::MouseProtocolEncoding::Default;
        let modes = [
            ("alternate screen", screen.alternate_screen()),
            ("cursor", screen.hide_cursor()),
            ("paste", screen.bracketed_paste()),
            ("mouse", mouse),
        ];
        let held = modes.into_iter().filter(|(_, held)| *held).map(|(name, _)| name).collect();
        Self { held, contents: screen.contents() }
    }

    /// Whether a program holds the terminal, with all that it takes.
    pub fn assert_taken(&self) {
        assert_eq!(self.held, ["alternate screen", "cursor", "paste", "mouse"], "{}", self.contents);
    }

    /// Whether the terminal is as before.
    pub fn assert_given_back(&self) {
        assert!(self.held.is_empty(), "{self:?}");
    }
}

/// Sends a signal to a process that the test started.
pub fn send(pid: Pid, signal: Signal) {
    kill_process(pid, signal).expect("the process lives");
}

/// Waits until the process is stopped.
pub fn wait_until_stopped(pid: Pid) {
    let start = Instant::now();
    while !stat(pid).starts_with("T ") {
        assert!(start.elapsed() < PATIENCE, "it does not stop");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Ticks of processor time that the process has used, by all its threads (utime, stime).
pub fn cpu_ticks(pid: Pid) -> u64 {
    let stat = stat(pid);
    let fields: Vec<&str> = stat.split(' ').collect();
    [11, 12].iter().map(|&i| fields[i].parse::<u64>().expect("a number")).sum()
}

/// What the kernel says of a process, from its state on, which is the third field (proc_pid_stat(5)).
fn stat(pid: Pid) -> String {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero())).expect("it lives");
    // The name before it may hold spaces; it ends at the last bracket.
    stat[stat.rfind(')').expect("a name") + 2..].to_owned()
}

fn descendant(root: u32, name: &str) -> Option<u32> {
    let comm = std::fs::read_to_string(format!("/proc/{root}/comm")).ok()?;
    if comm.starts_with(name) {
        return Some(root);
    }
    let children = std::fs::read_to_string(format!("/proc/{root}/task/{root}/children")).ok()?;
    children.split_whitespace().filter_map(|child| child.parse().ok()).find_map(|child| descendant(child, name))
}

/// The emulator has no empty screens.
fn cells(count: u16) -> NonZero<u16> {
    NonZero::new(count).unwrap_or(NonZero::<u16>::MIN)
}

fn lock(output: &Mutex<Output>) -> MutexGuard<'_, Output> {
    output.lock().unwrap_or_else(PoisonError::into_inner)
}
