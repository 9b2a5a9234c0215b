//! The real binary in a real pseudo-terminal: what it shows, and that it gives the terminal back as it was.
#![cfg(target_os = "linux")] // processor time and children are read from /proc

#[path = "terminal/bytes.rs"]
mod bytes;
#[path = "terminal/comfort.rs"]
mod comfort;
#[path = "terminal/demo.rs"]
mod demo;
#[path = "terminal/given_back.rs"]
mod given_back;
#[path = "terminal/learn.rs"]
mod learn;
#[path = "terminal/opened.rs"]
mod opened;
#[path = "terminal/pty.rs"]
mod pty;
#[path = "terminal/script.rs"]
mod script;
#[path = "terminal/suspended.rs"]
mod suspended;
