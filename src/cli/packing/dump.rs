//! Dumps of XLA: packed again, seen.

use std::sync::Arc;

use super::super::plan::Format;
use super::super::planning::{Flags, PackingFlags};
use super::super::sides::{Planned, Sides};
use super::{Interrupt, LONG, SHORT, Wish, effort_words, fault_of_ours};
use crate::app::Version;
use crate::error::Error;
use crate::input::Dump;
use crate::output::command_line::path_word;
use crate::output::dump_report;
use crate::session::packing::pack_dump;

pub(super) fn plan(dump: &Dump, wish: &Wish) -> Result<(), Error> {
    if wish.out.is_some() {
        let what = "-o writes nothing for a dump of XLA: only its compiler can place its values";
        return Err(Error::input(what, "leave it out; --format json has the figures for programs"));
    }
    let PackingFlags { capacity, mut effort } = wish.flags.packing(if wish.minimize { LONG } else { SHORT })?;
    no_capacity(capacity)?;
    let interrupt = Interrupt::new(&mut effort)?;
    let packed = pack_dump(dump, &effort).map_err(fault_of_ours)?;
    let minimize = if wish.minimize { " --minimize" } else { "" };
    let repeat = format!("spillscope plan {}{minimize} {}", path_word(wish.path), effort_words(&effort));
    super::super::print(&match wish.format {
        Format::Text => dump_report::text(dump, &packed, &repeat),
        Format::Json => dump_report::json(dump, &packed, &repeat),
    })?;
    interrupt.told()
}

fn no_capacity(capacity: Option<u64>) -> Result<(), Error> {
    match capacity {
        None => Ok(()),
        Some(_) => Err(Error::input("the allocations of a dump have their sizes", "leave --capacity out")),
    }
}

pub(super) fn planned(dump: &Dump, path: &str, sides: &Sides, flags: &Flags) -> Result<Planned, Error> {
    if sides.plan().is_some() || sides.against().is_some() {
        let what = "a dump of XLA is compared with our packing of it, and --plan and --against do not go with it";
        return Err(Error::input(what, "leave them out; the key d compares"));
    }
    let PackingFlags { capacity, effort } = flags.packing(SHORT)?;
    no_capacity(capacity)?;
    let packed = pack_dump(dump, &effort).map_err(fault_of_ours)?;
    let repeat = format!("spillscope plan {} {}", path_word(path), effort_words(&effort));
    let told = dump_report::verdict(dump, &packed);
    let session = packed.see_theirs(dump, told.clone()).map_err(super::super::plan::no_order)?;
    let ours = packed.see_ours(dump, told).map_err(super::super::plan::no_order)?;
    super::super::must_hold(&ours)?;
    let rival = Version { session: Arc::new(ours), change: String::new(), origin: None };
    let report = dump_report::text(dump, &packed, &repeat);
    Ok(Planned { session, origin: None, repeat, rival: Some(rival), search: None, report: Some(report) })
}
