//! The command line of Spillscope.

fn main() {}
