//! The shell scripts around the program, and how one that gave everything back ends.

use crate::pty::{Left, Pty};

/// The name of the program's process.
pub const NAME: &str = "spillscope";

/// The shell's command for the visualizer at step 0 of a sample, with these flags.
pub fn visualizer(flags: &str) -> String {
    spillscope(&format!("samples/flash-attention.json --at 0 {flags}"))
}

/// The shell's command for the binary with these arguments.
pub fn spillscope(arguments: &str) -> String {
    format!("'{}' {arguments}", env!("CARGO_BIN_EXE_spillscope"))
}

/// The program between two looks at the terminal's modes, and its exit status behind it.
pub fn script(program: &str) -> String {
    format!(
        "echo before; modes=$(stty -g); {program}; status=$?; \
         [ \"$modes\" = \"$(stty -g)\" ] && echo modes kept; echo status $status"
    )
}

/// Starts the program in a terminal and waits for its first frame.
pub fn start(program: &str, variables: &[(&str, &str)]) -> Pty {
    let pty = Pty::start(&script(program), variables);
    pty.wait_for("step ");
    pty
}

/// Ends like a program that gave everything back and had this status.
pub fn assert_ends(pty: Pty, status: &str) -> Left {
    let left = pty.end();
    left.assert_given_back();
    assert!(left.contents.contains("modes kept"), "{left:?}");
    assert!(left.contents.contains(&format!("status {status}")), "{left:?}");
    assert!(!left.contents.contains("step"), "{left:?}");
    left
}

/// The same, and what stood on the main screen stands there again.
pub fn assert_left(pty: Pty, status: &str) {
    let left = assert_ends(pty, status);
    assert!(left.contents.contains("before"), "{left:?}");
}
