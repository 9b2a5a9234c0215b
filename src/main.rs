//! The command line of Spillscope.

fn main() -> std::process::ExitCode {
    spillscope::cli::main()
}
