//! Files of lifetimes: packed, seen, verified.

use std::path::Path;
use std::sync::Arc;

use super::super::plan::Format;
use super::super::planning::{Flags, PackingFlags};
use super::super::sides::{Planned, Sides};
use super::{Interrupt, LONG, SHORT, Wish, addresses, effort_words, fault_of_ours};
use crate::app::Version;
use crate::check::packing::check_packing;
use crate::engine::pack::{Answer, Smallest, Why, quick};
use crate::error::Error;
use crate::input::Lifetimes;
use crate::model::Packed;
use crate::output::command_line::path_word;
use crate::output::packing_report::{self, Packing};
use crate::output::packing_words::{reason, verdict};
use crate::output::{packed_csv, packing_check};
use crate::session::Session;
use crate::session::packing::{Asked, Outcome, Solved, greedy_by_size, see, see_core, see_failure, see_given, solve};

pub(super) fn plan(file: &Lifetimes, wish: &Wish) -> Result<(), Error> {
    let flags = wish.flags.packing(if wish.minimize || wish.flags.has_capacity() { LONG } else { SHORT })?;
    if wish.minimize && flags.capacity.is_some() {
        let what = "--capacity asks whether it fits, --minimize for the smallest capacity";
        return Err(Error::input(what, "leave one of the two out"));
    }
    let PackingFlags { capacity, mut effort } = flags;
    let interrupt = Interrupt::new(&mut effort)?;
    let solved = solve(&file.packing, &Asked { capacity, effort: effort.clone() }).map_err(fault_of_ours)?;
    let repeat = command(wish.path, capacity, wish.minimize, &effort_words(&effort));
    let greedy = greedy(file).map(|packed| packed.height);
    let report = Packing { file, solved: &solved, capacity, greedy, repeat: &repeat };
    if let Some((dir, packed)) = wish.out.zip(solved.outcome.packed()) {
        packed_csv::save_packed(dir, file, packed)?;
    }
    super::super::print(&match wish.format {
        Format::Text => packing_report::text(&report),
        Format::Json => packing_report::json(&report),
    })?;
    interrupt.told()?;
    must_fit(file, &solved, capacity)
}

fn command(path: &str, capacity: Option<u64>, minimize: bool, effort: &str) -> String {
    let capacity = capacity.map_or(String::new(), |capacity| format!(" --capacity {capacity}"));
    let minimize = if minimize { " --minimize" } else { "" };
    format!("spillscope plan {}{capacity}{minimize} {effort}", path_word(path))
}

/// An error (exit status 1) where it is proven not to fit, or not known to.
fn must_fit(file: &Lifetimes, solved: &Solved, capacity: Option<u64>) -> Result<(), Error> {
    let told = || verdict(&file.packing, solved, capacity);
    match &solved.outcome {
        Outcome::Fit(Answer::Fits(_)) | Outcome::Smallest(Smallest { .. }) => Ok(()),
        Outcome::Fit(Answer::CannotFit { core, why, .. }) => {
            let what = format!("{}: {}", told(), reason(&file.packing, core, why));
            Err(Error::no_plan(what, "--minimize looks for the smallest capacity; nothing was written"))
        }
        Outcome::Fit(Answer::Unknown { .. }) => Err(Error::no_plan(
            told(),
            "this is no proof that it cannot fit: give it more time with --search SECONDS; nothing was written",
        )),
    }
}

pub(super) fn planned(file: &Lifetimes, path: &str, sides: &Sides, flags: &Flags) -> Result<Planned, Error> {
    let PackingFlags { capacity, effort } = flags.packing(SHORT)?;
    let rival = sides.against().map(|with| rival(file, with, capacity)).transpose()?;
    let elsewhere = sides.plan().map(|with| addresses::read(file, with)).transpose()?;
    if let Some(given) = elsewhere.or_else(|| file.given()) {
        let session = given_session(file, &given, capacity)?;
        let with = sides.plan().map_or(String::new(), |with| format!(" {}", path_word(&with.to_string_lossy())));
        let capacity = capacity.map_or(String::new(), |capacity| format!(" --capacity {capacity}"));
        let repeat = format!("spillscope check {}{with}{capacity}", path_word(path));
        let report = packing_check::text(&packing_check::Checked::new(file, &given, None), &repeat);
        return Ok(Planned { session, origin: None, repeat, rival, search: None, report: Some(report) });
    }
    let solved = solve(&file.packing, &Asked { capacity, effort: effort.clone() }).map_err(fault_of_ours)?;
    let repeat = command(path, capacity, false, &effort_words(&effort));
    let greedy = greedy(file);
    let height = greedy.as_ref().map(|packed| packed.height);
    let report = packing_report::text(&Packing { file, solved: &solved, capacity, greedy: height, repeat: &repeat });
    let rival = match (rival, greedy) {
        (None, Some(greedy)) => Some(by_size(file, &greedy, capacity)?),
        (rival, _) => rival,
    };
    let session = session(file, &solved, capacity)?;
    super::super::must_hold(&session)?;
    Ok(Planned { session, origin: None, repeat, rival, search: None, report: Some(report) })
}

/// What was found, or why nothing was, to look at.
fn session(file: &Lifetimes, solved: &Solved, capacity: Option<u64>) -> Result<Session, Error> {
    let told = verdict(&file.packing, solved, capacity);
    let session = match &solved.outcome {
        Outcome::Fit(Answer::Fits(packed)) | Outcome::Smallest(Smallest { packed, .. }) => {
            see(file, packed, capacity.unwrap_or(packed.height).max(1), told)
        }
        Outcome::Fit(Answer::CannotFit { core, why: Why::Fixed { .. } | Why::Misaligned { .. }, .. }) => {
            see_core(file, core, told)
        }
        Outcome::Fit(Answer::CannotFit { core, why, .. }) => {
            let told = format!("{told}: {}", reason(&file.packing, core, why));
            let best = quick(&file.packing);
            let capacity = capacity.unwrap_or(best.height).max(1);
            see_failure(file, &best, capacity, core, told)
        }
        Outcome::Fit(Answer::Unknown { best, .. }) => {
            see_failure(file, best, capacity.unwrap_or(best.height).max(1), &[], told)
        }
    };
    session.map_err(super::super::plan::no_order)
}

fn given_session(file: &Lifetimes, given: &Packed, capacity: Option<u64>) -> Result<Session, Error> {
    let checked = packing_check::Checked::new(file, given, capacity);
    let shown = capacity.unwrap_or(given.height).max(1);
    see_given(file, given, shown, packing_check::verdict(&checked)).map_err(super::super::plan::no_order)
}

/// Of a model, the packing that its runtime would make.
fn greedy(file: &Lifetimes) -> Option<Packed> {
    file.model.as_ref().and_then(|_| greedy_by_size(&file.packing))
}

/// That packing, to compare ours with.
fn by_size(file: &Lifetimes, greedy: &Packed, capacity: Option<u64>) -> Result<Version, Error> {
    let session = given_session(file, greedy, capacity)?;
    Ok(Version { session: Arc::new(session), change: "greedy by size".into(), origin: None })
}

/// The packing of `--against`.
fn rival(file: &Lifetimes, with: &str, capacity: Option<u64>) -> Result<Version, Error> {
    let given = addresses::read(file, Path::new(with))?;
    let session = given_session(file, &given, capacity)?;
    Ok(Version { session: Arc::new(session), change: crate::model::clean(with).into(), origin: None })
}

pub(super) fn check(
    file: &Lifetimes,
    path: &str,
    with: Option<&Path>,
    format: Format,
    capacity: Option<u64>,
) -> Result<(), Error> {
    let given = match with {
        Some(with) => addresses::read(file, with)?,
        None => file.given().ok_or_else(|| {
            let what = "there is no packing to check: some buffer has no address";
            Error::input(what, "name a file or folder with a column offset, as plan -o DIR writes it").in_file(path)
        })?,
    };
    let with = with.map_or(String::new(), |with| format!(" {}", path_word(&with.to_string_lossy())));
    let room = capacity.map_or(String::new(), |capacity| format!(" --capacity {capacity}"));
    let repeat = format!("spillscope check {}{with}{room}", path_word(path));
    let checked = packing_check::Checked::new(file, &given, capacity);
    super::super::print(&match format {
        Format::Text => packing_check::text(&checked, &repeat),
        Format::Json => packing_check::json(&checked, &repeat),
    })?;
    if check_packing(&file.packing, capacity, &given.offsets).is_empty() {
        return Ok(());
    }
    Err(Error::no_plan(packing_check::verdict(&checked), "the report above names each fault"))
}
