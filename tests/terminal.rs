//! The terminal is given back as it was, whatever happens; seen through a real pseudo-terminal.
#![cfg(target_os = "linux")] // processor time and children are read from /proc

#[path = "terminal/demo.rs"]
mod demo;
#[path = "terminal/pty.rs"]
mod pty;
mod support;

use std::time::Duration;

use pty::{Left, Pty, cpu_ticks, send};
use rustix::process::Signal;

use demo::{NAME, demo, visualizer};

/// The program between two looks at the terminal's modes, and its exit status behind it.
fn script(program: &str) -> String {
    format!(
        "echo before; modes=$(stty -g); {program}; status=$?; \
         [ \"$modes\" = \"$(stty -g)\" ] && echo modes kept; echo status $status"
    )
}

fn start(program: &str, variables: &[(&str, &str)]) -> Pty {
    let pty = Pty::start(&script(program), variables);
    pty.wait_for("step 0");
    pty
}

/// Ends like a program that gave everything back and had this status.
fn assert_ends(pty: Pty, status: &str) -> Left {
    let left = pty.end();
    left.assert_given_back();
    assert!(left.contents.contains("modes kept"), "{left:?}");
    assert!(left.contents.contains(&format!("status {status}")), "{left:?}");
    assert!(!left.contents.contains("step"), "{left:?}");
    left
}

/// The same, and what stood on the main screen stands there again.
fn assert_left(pty: Pty, status: &str) {
    let left = assert_ends(pty, status);
    assert!(left.contents.contains("before"), "{left:?}");
}

#[test]
fn after_quit_the_terminal_is_as_before() {
    let mut pty = start(&demo(), &[]);
    pty.left().assert_taken();
    pty.press("ll");
    pty.wait_for("step 2");
    pty.resize(60, 20);
    pty.wait_for("60x20");
    pty.press("h\x1b[<0;3;4M");
    pty.wait_for("step 1");
    pty.press("q");
    assert_left(pty, "0");
}

#[test]
fn the_visualizer_runs_at_any_size_and_quits_cleanly() {
    let mut pty = start(&visualizer(""), &[]);
    pty.left().assert_taken();
    let before = pty.bytes().len();
    for (cols, rows) in [(200, 60), (1, 1), (80, 24), (10, 3), (130, 40)] {
        pty.resize(cols, rows);
    }
    pty.wait_for_bytes(before, "Timeline");
    pty.press("S\x1b[<0;40;30M\x1b[<32;50;30M\x1b[<65;50;10M z/b2\r??");
    pty.press("Gg");
    pty.wait_for("step 0/");
    pty.press("\x03");
    // The emulator cuts the main screen's text too.
    assert_ends(pty, "0");
}

#[test]
fn after_a_signal_the_terminal_is_as_before() {
    for (signal, status) in [(Signal::TERM, "143"), (Signal::HUP, "129"), (Signal::INT, "130")] {
        let pty = start(&visualizer(""), &[]);
        send(pty.process(NAME), signal);
        assert_left(pty, status);
    }
}

#[test]
fn after_a_panic_the_message_is_on_the_main_screen() {
    for key in ["P", "T"] {
        let mut pty = start(&demo(), &[]);
        pty.press(key);
        pty.wait_for("status ");
        let left = pty.end();
        left.assert_given_back();
        assert!(left.contents.contains("modes kept") && left.contents.contains("panicked at"), "{left:?}");
        assert!(!left.contents.contains("status 0"), "{left:?}");
    }
}

#[test]
fn paused_nothing_is_written_and_no_time_used() {
    let pty = start(&visualizer(""), &[]);
    let pid = pty.process(NAME);
    std::thread::sleep(Duration::from_millis(200));
    let (bytes, ticks) = (pty.bytes().len(), cpu_ticks(pid));
    std::thread::sleep(Duration::from_secs(2));
    assert_eq!(pty.bytes().len(), bytes);
    // A tick is 10 ms; the clock may fall within one.
    assert!(cpu_ticks(pid) <= ticks + 1);
}

#[test]
fn no_color_writes_no_colour_but_marks() {
    let mut pty = start(&visualizer(""), &[("NO_COLOR", "1")]);
    pty.press("lq");
    pty.wait_for("status 0");
    let parameters = sgr_parameters(&pty.bytes());
    assert!(parameters.contains(&7) && parameters.contains(&1), "nothing is marked: {parameters:?}");
    let colour = |p: &u16| matches!(p, 30..=49 | 58 | 59 | 90..=107);
    assert!(!parameters.iter().any(colour), "{parameters:?}");
    assert!(
        sgr_parameters(&{ start(&visualizer(""), &[]).bytes() }).iter().any(colour),
        "the test would not see a colour"
    );
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
fn ascii_writes_ascii_only() {
    let mut pty = Pty::start(&script(&visualizer("--ascii")), &[]);
    pty.wait_for("step 0");
    pty.press("l");
    pty.wait_for("step 1");
    pty.press("s?");
    pty.wait_for("Jump");
    pty.press("q");
    pty.wait_for("status");
    let bytes = pty.bytes();
    assert!(bytes.is_ascii(), "{:?}", String::from_utf8_lossy(&bytes));
}

#[test]
fn without_mouse_the_mouse_stays_the_terminals() {
    let pty = Pty::start(&script(&visualizer("--no-mouse")), &[]);
    pty.wait_for("step 0");
    assert!(!pty.left().held.contains(&"mouse"));
    let bytes = pty.bytes();
    assert!(!String::from_utf8_lossy(&bytes).contains("?1000h"));
}

/// Under job control, what the shell does while the program is stopped, then `fg`.
fn stopped(program: &str) -> String {
    script(&format!("set -m; {program}; echo; echo in the shell; read -r line; fg"))
}

/// Checks that the program has given the terminal to the shell, then brings it back.
fn assert_stops_and_comes_back(mut pty: Pty) {
    pty.wait_for("in the shell");
    let left = pty.left();
    left.assert_given_back();
    assert!(left.contents.contains("before"), "{left:?}");
    let before = pty.bytes().len();
    pty.press("\n");
    pty.wait_for("step 1");
    pty.left().assert_taken();
    assert!(pty.bytes().len() > before);
    pty.press("l");
    pty.wait_for("step 2");
    pty.press("q");
    assert_left(pty, "0");
}

#[test]
fn ctrl_z_gives_the_terminal_to_the_shell_and_fg_redraws() {
    let mut pty = Pty::start(&stopped(&visualizer("")), &[]);
    pty.wait_for("step 0");
    pty.press("l\x1a");
    assert_stops_and_comes_back(pty);
}

#[test]
fn ctrl_z_stops_the_script_around_the_program_too() {
    let wrapped = format!("sh -c '{}; true'", visualizer(""));
    let mut pty = Pty::start(&stopped(&wrapped), &[]);
    pty.wait_for("step 0");
    pty.press("l\x1a");
    assert_stops_and_comes_back(pty);
}

#[test]
fn sigtstp_from_outside_does_the_same() {
    let mut pty = Pty::start(&stopped(&visualizer("")), &[]);
    pty.wait_for("step 0");
    pty.press("l");
    pty.wait_for("step 1");
    send(pty.process(NAME), Signal::TSTP);
    assert_stops_and_comes_back(pty);
}

#[test]
fn after_sigstop_and_sigcont_all_is_drawn_again() {
    let mut pty = start(&demo(), &[]);
    let pid = pty.process(NAME);
    send(pid, Signal::STOP);
    let before = pty.bytes().len();
    send(pid, Signal::CONT);
    pty.wait_for_bytes(before, "step");
    pty.left().assert_taken();
    pty.press("q");
    assert_left(pty, "0");
}

#[test]
fn where_no_shell_could_continue_it_ctrl_z_does_nothing() {
    let mut pty = start(&visualizer(""), &[]);
    pty.press("\x1al");
    pty.wait_for("step 1");
    pty.press("q");
    assert_left(pty, "0");
}

#[test]
fn keys_come_from_the_terminal_where_a_graph_is_piped_in() {
    let mut pty = Pty::start(&script(&format!("echo q | {}", visualizer(""))), &[]);
    pty.wait_for("step 0");
    pty.press("l");
    pty.wait_for("step 1");
    pty.press("q");
    assert_left(pty, "0");
}

#[test]
fn a_paste_is_no_keys() {
    let mut pty = start(&demo(), &[]);
    pty.press("\x1b[200~lqq\x1b[201~l");
    pty.wait_for("step 1");
    pty.press("q");
    assert_left(pty, "0");
}
