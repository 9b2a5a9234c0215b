//! After quit, error, panic and signal the terminal is as before.

use rustix::process::Signal;

use crate::demo::demo;
use crate::pty::{Pty, send};
use crate::script::{NAME, assert_ends, assert_left, script, spillscope, start, visualizer};

#[test]
fn after_quit() {
    let mut pty = start(&visualizer(""), &[]);
    pty.left().assert_taken();
    pty.press("ll");
    pty.wait_for("step 2/");
    pty.press("h");
    pty.wait_for("step 1/");
    pty.press("q");
    assert_left(pty, "0");
}

#[test]
fn after_a_storm_of_sizes_keys_and_clicks() {
    let mut pty = start(&visualizer(""), &[]);
    pty.left().assert_taken();
    let before = pty.bytes().len();
    for (cols, rows) in [(200, 60), (1, 1), (80, 24), (0, 0), (10, 3), (3, 50), (130, 40)] {
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
fn in_a_terminal_without_room() {
    for size in [(0, 0), (1, 1), (2, 1), (1, 40), (12, 4)] {
        let mut pty = Pty::start_at(size, &script(&visualizer("")), &[]);
        pty.wait_for_bytes(0, "\x1b[?1049h");
        pty.press("l?\x1bz\t");
        pty.resize(100, 30);
        pty.wait_for("step ");
        pty.press("\x03");
        assert_ends(pty, "0");
    }
}

#[test]
fn after_a_signal() {
    for (signal, status) in [(Signal::TERM, "143"), (Signal::HUP, "129"), (Signal::INT, "130")] {
        let pty = start(&visualizer(""), &[]);
        send(pty.process(NAME), signal);
        assert_left(pty, status);
    }
}

#[test]
fn after_a_panic_with_its_message_on_the_main_screen() {
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
fn an_error_before_the_screen_opens_never_takes_it() {
    let pty = Pty::start(&script(&spillscope("none.json")), &[]);
    let bytes = pty.bytes_at_end();
    let text = String::from_utf8_lossy(&bytes);
    assert!(text.contains("there is no such file") && text.contains("status 2"), "{text}");
    assert!(!text.contains("\x1b[?"), "{text}");
}
