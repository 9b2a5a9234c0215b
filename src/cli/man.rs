//! `man`: pages for the manual, made of what `--help` says.

use std::io;
use std::path::PathBuf;

use clap::Command;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};

use crate::error::Error;
use crate::output::save::{self, NewFile};

/// Arguments of `man`.
#[derive(clap::Args)]
pub struct Args {
    /// Write a page for each command there; where left out, the main page goes to standard output
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// What `--help` ends with.
pub const EXAMPLES: &str = "\
Examples:
  spillscope man -o man1                            # spillscope.1, spillscope-plan.1, …
  spillscope man > spillscope.1                     # the main page alone
  man ./spillscope.1";

/// Prints the main page, or writes one for each command.
pub fn run(args: &Args) -> Result<(), Error> {
    let mut command = super::command().disable_help_subcommand(true);
    command.build(); // gives each command its full name
    let Some(dir) = &args.out else { return super::print_bytes(&page(&command)) };
    let mut files = Vec::new();
    pages(&command, &mut files);
    save::save_all(dir, files).map(drop)
}

/// The page of a command and those of the commands below it.
fn pages(command: &Command, files: &mut Vec<NewFile>) {
    let text = page(command);
    let name = Man::new(command.clone()).get_filename();
    files.push(NewFile::new(name, move |out| out.write_all(&text)));
    command.get_subcommands().for_each(|below| pages(below, files));
}

fn page(command: &Command) -> Vec<u8> {
    let source = format!("spillscope {}", super::VERSION);
    let man = Man::new(command.clone()).source(source).manual("Spillscope");
    let mut text = Vec::new();
    write_page(&man, command, &mut text).expect("memory can be written to");
    text
}

fn write_page(man: &Man, command: &Command, out: &mut Vec<u8>) -> io::Result<()> {
    man.render_title(out)?;
    man.render_name_section(out)?;
    man.render_synopsis_section(out)?;
    man.render_description_section(out)?;
    man.render_options_section(out)?;
    if command.has_subcommands() {
        man.render_subcommands_section(out)?;
    }
    if let Some(help) = command.get_after_help() {
        out.extend(examples(&help.to_string()).to_roff().into_bytes());
    }
    Ok(())
}

/// The end of a help text, each example a line as it stands; the library would fill them up to a paragraph.
fn examples(help: &str) -> Roff {
    let mut roff = Roff::new();
    let mut in_examples = false;
    for line in help.lines() {
        if line == "Examples:" {
            roff.control("SH", ["EXAMPLES"]);
        } else if line.is_empty() {
            roff.control("PP", []);
        } else {
            if line.starts_with("  ") != in_examples {
                in_examples = !in_examples;
                roff.control(if in_examples { "nf" } else { "fi" }, []);
            }
            roff.text([roman(line.trim_start())]);
        }
    }
    if in_examples {
        roff.control("fi", []);
    }
    roff
}
