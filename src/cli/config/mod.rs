//! `config`: the person's own settings, where they are looked for, and what they may say.

mod page;
mod read;
mod settings;

use std::path::PathBuf;

use etcetera::BaseStrategy;

use crate::error::Error;
use crate::input::Source;
use crate::model::clean;
pub use settings::Settings;

/// Arguments of `config`.
#[derive(clap::Args)]
pub struct Args {
    /// Print where the configuration is looked for, and nothing else
    #[arg(long)]
    path: bool,
}

/// What `--help` ends with.
pub const EXAMPLES: &str = "\
Examples:
  spillscope config                             # every setting with its default, to start from
  spillscope config --path                      # where to put it
  spillscope config > mine.toml && spillscope frame graph.json --config mine.toml

The file that --config names is read, else the one that SPILLSCOPE_CONFIG names, else the one at that
path, where it is there. Flags go before it. `frame` reads none but that of --config, so that its
pictures are the same everywhere.";

/// The variable that names a configuration file.
const VARIABLE: &str = "SPILLSCOPE_CONFIG";

/// Prints a configuration with every default, or where it is looked for.
pub fn run(args: &Args) -> Result<(), Error> {
    if !args.path {
        return super::print(&page::page());
    }
    match chosen().or_else(usual) {
        Some(path) => super::print(&format!("{}\n", clean(&path.to_string_lossy()))),
        None => Err(Error::input("the home folder is not known", format!("set HOME, or {VARIABLE} to a file"))),
    }
}

/// The settings for an interactive screen: of the file that is named here, else by the variable, else at the usual
/// place, where it may be missing.
///
/// # Errors
/// Where a named file cannot be read, or what it says cannot be honoured.
pub fn of_person(named: Option<&str>) -> Result<Settings, Error> {
    if let Some(path) = named {
        return of_file(path);
    }
    if let Some(path) = chosen() {
        return of_file(&path.to_string_lossy());
    }
    match usual().filter(|path| path.exists()) {
        Some(path) => of_file(&path.to_string_lossy()),
        None => Ok(Settings::default()),
    }
}

/// The settings of that file.
///
/// # Errors
/// Where it cannot be read, or what it says cannot be honoured.
pub fn of_file(path: &str) -> Result<Settings, Error> {
    read::settings(&Source::read(path)?)
}

/// The file that the environment names.
fn chosen() -> Option<PathBuf> {
    std::env::var_os(VARIABLE).filter(|path| !path.is_empty()).map(PathBuf::from)
}

/// `$XDG_CONFIG_HOME/spillscope/config.toml`, or what corresponds to it on the system.
fn usual() -> Option<PathBuf> {
    let folders = etcetera::choose_base_strategy().ok()?;
    Some(folders.config_dir().join("spillscope").join("config.toml"))
}
