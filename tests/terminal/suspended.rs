//! Ctrl-Z and its kin: the shell gets the terminal, `fg` draws everything again.

use rustix::process::Signal;

use crate::pty::{Pty, send, wait_until_stopped};
use crate::script::{NAME, assert_left, script, start, visualizer};

/// Under job control, what the shell does while the program is stopped, then `fg`.
fn stopped(program: &str) -> String {
    script(&format!("set -m; {program}; echo; echo in the shell; read -r line; fg"))
}

/// Checks that the program has given the terminal to the shell, then brings it back.
fn assert_stops_and_comes_back(mut pty: Pty) {
    pty.wait_for("in the shell");
    // The shell may go on once the script around the program has stopped, before the program itself has.
    wait_until_stopped(pty.process(NAME));
    let left = pty.left();
    left.assert_given_back();
    assert!(left.contents.contains("before"), "{left:?}");
    let before = pty.bytes().len();
    pty.press("\n");
    pty.wait_for("step 1/");
    pty.left().assert_taken();
    assert!(pty.bytes().len() > before);
    pty.press("l");
    pty.wait_for("step 2/");
    pty.press("q");
    assert_left(pty, "0");
}

#[test]
fn ctrl_z_gives_the_terminal_to_the_shell_and_fg_redraws() {
    let mut pty = Pty::start(&stopped(&visualizer("")), &[]);
    pty.wait_for("step 0/");
    pty.press("l\x1a");
    assert_stops_and_comes_back(pty);
}

#[test]
fn ctrl_z_stops_the_script_around_the_program_too() {
    let wrapped = format!("sh -c \"{}; true\"", visualizer(""));
    let mut pty = Pty::start(&stopped(&wrapped), &[]);
    pty.wait_for("step 0/");
    pty.press("l\x1a");
    assert_stops_and_comes_back(pty);
}

#[test]
fn sigtstp_from_outside_does_the_same() {
    let mut pty = Pty::start(&stopped(&visualizer("")), &[]);
    pty.wait_for("step 0/");
    pty.press("l");
    pty.wait_for("step 1/");
    send(pty.process(NAME), Signal::TSTP);
    assert_stops_and_comes_back(pty);
}

#[test]
fn after_sigstop_and_sigcont_all_is_drawn_again() {
    let mut pty = start(&visualizer(""), &[]);
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
    pty.wait_for("step 1/");
    pty.press("q");
    assert_left(pty, "0");
}
