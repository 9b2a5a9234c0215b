//! `completions`: what a shell needs to complete the command line.

use clap_complete::Shell;

use crate::error::Error;

/// Arguments of `completions`.
#[derive(clap::Args)]
pub struct Args {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

/// What `--help` ends with.
pub const EXAMPLES: &str = "\
Examples:
  spillscope completions bash > spillscope.bash     # ~/.local/share/bash-completion/completions
  spillscope completions zsh > _spillscope          # a folder of $fpath
  spillscope completions fish > spillscope.fish     # ~/.config/fish/completions
  spillscope completions elvish > spillscope.elv
  spillscope completions powershell > spillscope.ps1";

/// Prints the script for that shell.
pub fn run(args: &Args) -> Result<(), Error> {
    let mut script = Vec::new();
    let mut command = super::command();
    let name = command.get_name().to_owned();
    clap_complete::generate(args.shell, &mut command, name, &mut script);
    super::print_bytes(&script)
}
