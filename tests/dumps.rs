//! Static packing on public data: the sums of an XLA dump are its own, our packing of it is no larger, and every packing of
//! published lifetimes is accepted by the checker.
//!
//! Needs `SPILLSCOPE_PACKINGS` (a folder of lifetimes in CSV, named `NAME.CAPACITY.csv`) and `SPILLSCOPE_DUMPS` (a folder of XLA
//! dumps); ignored without.

use std::path::PathBuf;

use spillscope::check::packing::check_packing;
use spillscope::engine::pack::{Effort, Smallest};
use spillscope::input::{Dump, Role, Source, read_lifetimes, read_xla};
use spillscope::session::packing::{Asked, Outcome, pack_dump, see, solve};

fn files(variable: &str, ending: &str) -> Vec<PathBuf> {
    let folder = std::env::var_os(variable).unwrap_or_else(|| panic!("{variable} is not set"));
    let entries =
        std::fs::read_dir(folder).expect("the folder can be read").map(|entry| entry.expect("an entry").path());
    let mut files: Vec<PathBuf> = entries.filter(|path| path.to_string_lossy().ends_with(ending)).collect();
    files.sort();
    assert!(!files.is_empty(), "{variable} holds no file that ends in {ending}");
    files
}

fn effort() -> Effort {
    Effort { seconds: None, nodes: Some(20_000), ..Effort::default() }
}

/// The bytes alive at a moment, by the dump's own count: both ends of each range belong to it.
fn alive(dump: &Dump, at: u64) -> u64 {
    let values = dump.allocations.iter().flat_map(|allocation| &allocation.values);
    values
        .filter(|value| value.live.is_some_and(|(lower, upper)| lower <= at && at < upper))
        .map(|value| value.size)
        .sum()
}

#[test]
#[ignore = "needs SPILLSCOPE_DUMPS"]
fn the_sums_of_a_dump_are_its_own_and_our_packing_is_no_larger() {
    for path in files("SPILLSCOPE_DUMPS", "-buffer-assignment.txt") {
        let dump = read_xla(&Source::read(&path.to_string_lossy()).unwrap()).unwrap();
        let packed = pack_dump(&dump, &effort()).unwrap();
        assert_eq!(dump.skipped_lines, 0, "{path:?}");
        let mut temporaries = 0;
        for (allocation, ours) in dump.allocations.iter().zip(&packed.allocations) {
            let about = format!("{path:?}, allocation {}", allocation.number);
            assert_eq!(ours.height, allocation.size, "{about}: its values add up to its size");
            assert_eq!(ours.clashes, 0, "{about}");
            assert!(ours.packed <= allocation.size, "{about}: {} against {}", ours.packed, allocation.size);
            temporaries += usize::from(allocation.role == Role::Temporary);
        }
        assert!(temporaries > 0, "{path:?}");
        if let Some((at, bytes)) = dump.peak {
            assert_eq!(alive(&dump, at), bytes, "{path:?}: the peak that the dump tells of");
        }
        for session in [packed.see_theirs(&dump, String::new()), packed.see_ours(&dump, String::new())] {
            let session = session.unwrap();
            assert!(session.check.is_valid(), "{path:?}: {:?}", session.check.broken.first());
        }
    }
}

#[test]
#[ignore = "needs SPILLSCOPE_PACKINGS"]
fn published_lifetimes_are_read_packed_and_seen() {
    for path in files("SPILLSCOPE_PACKINGS", ".csv") {
        let file = read_lifetimes(&Source::read(&path.to_string_lossy()).unwrap()).unwrap();
        assert!(file.unknown_columns.is_empty() && file.rows.len() == file.packing.buffers.len(), "{path:?}");
        let solved = solve(&file.packing, &Asked { capacity: None, effort: effort() }).unwrap();
        let Outcome::Smallest(Smallest { packed, bound, .. }) = solved.outcome else {
            panic!("{path:?}: nothing is fixed")
        };
        assert!(packed.height >= bound && bound >= solved.max_live.bytes, "{path:?}");
        assert!(check_packing(&file.packing, Some(packed.height), &packed.offsets).is_empty(), "{path:?}");
        let session = see(&file, &packed, packed.height, String::new()).unwrap();
        assert_eq!(session.broken(), None, "{path:?}");
        assert_eq!(session.bounds.max_live, [solved.max_live.bytes], "{path:?}: two counts of the same");
    }
}
