//! What is written, byte for byte: nothing while paused, no colour or non-ASCII where not wanted, no name raw.

use std::time::Duration;

use tempfile::TempDir;

use crate::pty::{Pty, cpu_ticks};
use crate::script::{NAME, script, spillscope, start, visualizer};

/// Keys that show everything once: spills, every pane enlarged, details, search, help.
const TOUR: [&str; 10] = ["s", "w", "w", "z\tz\tz\tz\tz\tz\tz\tz", "z\r\x1b", "\t\r\x1b", "/b\r", "#n", "S", "?"];

/// Goes on the tour and quits; everything that was written.
fn tour(pty: Pty) -> Vec<u8> {
    let mut pty = pty;
    for keys in TOUR {
        let before = pty.bytes().len();
        pty.press(keys);
        pty.wait_until_written(before);
    }
    pty.press("\x03");
    pty.bytes_at_end()
}

#[test]
fn paused_nothing_is_written_and_no_time_used() {
    let pty = start(&visualizer(""), &[]);
    let pid = pty.process(NAME);
    std::thread::sleep(Duration::from_millis(300));
    let (bytes, ticks) = (pty.bytes().len(), cpu_ticks(pid));
    std::thread::sleep(Duration::from_secs(4));
    assert_eq!(pty.bytes().len(), bytes);
    // A tick is 10 ms; the clock may fall within one.
    assert!(cpu_ticks(pid) <= ticks + 1);
}

/// Whether an SGR parameter sets a colour.
fn colour(parameter: u16) -> bool {
    matches!(parameter, 30..=49 | 58 | 59 | 90..=107)
}

#[test]
fn no_color_writes_no_colour_but_marks() {
    let plain = sgr_parameters(&tour(start(&visualizer(""), &[("NO_COLOR", "1")])));
    assert!(plain.contains(&7) && plain.contains(&1), "nothing is marked: {plain:?}");
    assert!(!plain.iter().any(|&parameter| colour(parameter)), "{plain:?}");
    let coloured = sgr_parameters(&tour(start(&visualizer(""), &[])));
    assert!(coloured.iter().any(|&parameter| colour(parameter)), "the test would not see a colour");
}

/// Every parameter of every SGR escape.
fn sgr_parameters(bytes: &[u8]) -> Vec<u16> {
    let text = String::from_utf8_lossy(bytes);
    let sequences = text.split("\x1b[").skip(1).filter_map(|rest| {
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != ';')?;
        rest[end..].starts_with('m').then_some(&rest[..end])
    });
    sequences.flat_map(|parameters| parameters.split(';')).filter_map(|parameter| parameter.parse().ok()).collect()
}

#[test]
fn ascii_writes_bytes_below_0x80_only() {
    let folder = TempDir::new().expect("a temporary folder");
    for program in [visualizer("--ascii"), spillscope(&format!("{} --ascii --policy classic", evil(&folder)))] {
        let bytes = tour(start(&program, &[]));
        assert!(bytes.is_ascii(), "{:?}", String::from_utf8_lossy(&bytes));
    }
}

#[test]
fn without_mouse_the_mouse_stays_the_terminals() {
    let pty = Pty::start(&script(&visualizer("--no-mouse")), &[]);
    pty.wait_for("step 0/");
    assert!(!pty.left().held.contains(&"mouse"));
    let bytes = pty.bytes();
    assert!(!String::from_utf8_lossy(&bytes).contains("?1000h"));
}

/// Names that would change the terminal's title, clear it, run backwards, or shift columns.
const NAMES: [&str; 5] = [
    "\\u001b]0;pwn\\u0007",
    "a\\u001b[2Jb\\u009b31m",
    "\\u6f22\\u5b57\\u6f22\\u5b57",
    "e\\u0301e\\u0301\\u200d",
    "\\u202eevil\\r\\n\\t",
];

/// A graph that spills, in which everything is called so; its path, quoted for a shell.
fn evil(folder: &TempDir) -> String {
    let mut nodes = Vec::new();
    let mut edges = Vec::new();
    for (at, name) in NAMES.iter().enumerate() {
        let (alloc, load, user) = (at, 10 + at, 20 + at);
        nodes.push(format!(r#"{{"Id":{alloc},"Op":"ALLOC","BufId":{at},"Size":1500,"Type":"L1","Name":"{name}"}}"#));
        let run =
            |id, op| format!(r#"{{"Id":{id},"Op":"{op}","Name":"{name}","Pipe":"{name}","Cycles":9,"Bufs":[{at}]}}"#);
        nodes.extend([run(load, "COPY_IN"), run(user, name)]);
        nodes.push(format!(r#"{{"Id":{},"Op":"FREE","BufId":{at}}}"#, 30 + at));
        edges.extend([format!("[{alloc},{load}]"), format!("[{load},{user}]"), format!("[{user},{}]", 30 + at)]);
    }
    // All are loaded before the first is used.
    edges.extend((0..NAMES.len()).map(|at| format!("[{},20]", 10 + at)));
    let file = folder.path().join("evil.json");
    let text = format!(r#"{{"Nodes":[{}],"Edges":[{}]}}"#, nodes.join(","), edges.join(","));
    std::fs::write(&file, text).expect("written");
    format!("'{}'", file.display())
}

#[test]
fn names_never_reach_the_terminal_raw_and_keep_its_columns() {
    let folder = TempDir::new().expect("a temporary folder");
    let mut pty = start(&spillscope(&format!("{} --policy classic", evil(&folder))), &[]);
    pty.wait_for("gives up its place");
    assert_framed(&pty);
    pty.press("zzl");
    pty.wait_for("step ");
    assert_framed(&pty);
    let bytes = tour(pty);
    let text = String::from_utf8(bytes).expect("UTF-8");
    let known = |c: char| matches!(c, '\x1b' | '\r' | '\n') || !c.is_control();
    assert!(text.chars().all(known), "{text:?}");
    assert!(!text.contains("\x1b]") && !text.contains('\u{202e}'), "{text:?}");
    let cleared = text.matches("\x1b[2J").count();
    let ours = tour(start(&spillscope("samples/first-spill.json"), &[]));
    assert!(cleared <= String::from_utf8_lossy(&ours).matches("\x1b[2J").count(), "the screen was cleared by a name");
}

/// Every row but header and footer ends with the frame's border in the last column, whatever stands before it.
#[track_caller]
fn assert_framed(pty: &Pty) {
    let rows = pty.last_column();
    let inside = &rows[1..rows.len() - 1];
    assert!(inside.iter().all(|cell| "│┐┤┘".contains(cell.as_str())), "{inside:?}\n{}", pty.contents());
}
