//! `compare` on lifetimes: simple packers and the search side by side.

use super::super::compare::Format;
use super::super::planning::{Flags, PackingFlags};
use super::{SHORT, Subject, effort_words, fault_of_ours};
use crate::engine::pack::Smallest;
use crate::error::Error;
use crate::output::command_line::path_word;
use crate::output::packing_compare::{self, Compared};
use crate::session::packing::{Asked, Baseline, Outcome, solve};

/// Prints the table.
pub fn compare(subject: &Subject, path: &str, format: Format, flags: &Flags) -> Result<(), Error> {
    let Subject::Lifetimes(file) = subject else {
        let advice = format!("spillscope plan {} compares XLA's packing with ours", path_word(path));
        return Err(Error::input("a dump of XLA is compared as it is planned", advice));
    };
    let PackingFlags { capacity, effort } = flags.packing(SHORT)?;
    if capacity.is_some() {
        let what = "compare looks for the height that each packer needs, so --capacity means nothing";
        return Err(Error::input(what, "leave it out"));
    }
    let asked = Asked { capacity: None, effort: effort.clone() };
    let solved = solve(&file.packing, &asked).map_err(fault_of_ours)?;
    let height = solved.outcome.packed().map(|packed| packed.height);
    let bound = match solved.outcome {
        Outcome::Smallest(Smallest { bound, .. }) => bound,
        Outcome::Fit(_) => solved.max_live.bytes,
    };
    let baseline = |one: Baseline| (one.words(), one.pack(&file.packing).map(|packed| packed.height));
    let rows = Baseline::ALL.into_iter().map(baseline).chain([("search", height)]).collect();
    let compared = Compared { name: file.name.raw(), rows, bound };
    let repeat = format!("spillscope compare {} {}", path_word(path), effort_words(&effort));
    super::super::print(&match format {
        Format::Text => packing_compare::text(&compared, &repeat),
        Format::Csv => packing_compare::csv(&compared),
        Format::Json => packing_compare::json(&compared, &repeat),
    })?;
    if height.is_some() {
        return Ok(());
    }
    Err(Error::no_plan("the fixed addresses are at odds with each other", "spillscope plan says which"))
}
