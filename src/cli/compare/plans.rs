//! Two plans from folders.

use std::path::PathBuf;

use super::{Args, Format};
use crate::cli::not_broken;
use crate::cli::planning::read_text;
use crate::cli::sides::read_plan;
use crate::compare::Difference;
use crate::error::Error;
use crate::output::command_line::path_word;
use crate::output::plan_pair::{self, Pair};
use crate::output::plan_pair_json;

/// Reads both, checks and replays them, prints how they differ; exit status 1 where one is broken.
pub(super) fn run(args: &Args, folders: &[PathBuf; 2]) -> Result<(), Error> {
    let graph = args.graph.as_deref();
    let text = read_text(graph)?;
    let job = args.planning.job_of(&text, graph)?;
    let words: Vec<String> = folders.iter().map(|folder| path_word(&folder.to_string_lossy())).collect();
    let machine = job.origin.machine_words(&job.problem.machine);
    let profile =
        job.origin.profile.as_deref().map_or_else(String::new, |file| format!(" --profile {}", path_word(file)));
    let graph = graph.map_or_else(String::new, path_word);
    let repeat = format!("spillscope compare {graph} {} {machine}{profile}", words.join(" "));
    let second = args.planning.job_of(&text, args.graph.as_deref())?;
    let sessions = [read_plan(job, &folders[0])?, read_plan(second, &folders[1])?];
    let difference = Difference::new(&sessions[0].trace, &sessions[1].trace);
    let pair = Pair { sessions: [&sessions[0], &sessions[1]], changes: ["", ""], difference: &difference };
    crate::cli::print(&match args.format {
        Format::Text => plan_pair::text(&pair, &repeat),
        Format::Json => plan_pair_json::json(&pair, &repeat),
        Format::Csv => {
            return Err(Error::input("two plans have no table for --format csv", "use --format json, or text"));
        }
    })?;
    sessions.iter().try_for_each(not_broken)
}
