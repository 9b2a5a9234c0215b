use super::*;
use crate::model::SplitMix64;

fn value(name: &str, size: u64, offset: u64, first: u64, last: u64) -> Value {
    Value { name: name.into(), shape: "f32[8,2]{1,0}".into(), size, offset, live: Some((first, last + 1)) }
}

fn dump(size: u64, values: Vec<Value>) -> Dump {
    let end = values.iter().filter_map(|value| value.live).map(|(_, upper)| upper).max().unwrap_or(0);
    Dump {
        name: "d".into(),
        allocations: vec![Allocation { number: 7, size, role: Role::Temporary, values }],
        instructions: (0..end).map(|at| Name::new(format!("op.{at}"))).collect(),
        end,
        peak: None,
        skipped_lines: 0,
    }
}

fn effort() -> Effort {
    Effort { seconds: None, nodes: Some(2000), ..Effort::default() }
}

#[test]
fn a_value_that_takes_over_an_operands_memory_shares_it() {
    let dump = dump(64, vec![value("a", 64, 0, 0, 2), value("b", 64, 0, 2, 4)]);
    let packed = pack_dump(&dump, &effort()).unwrap();
    let temp = &packed.allocations[0];
    assert_eq!((temp.in_place, temp.clashes, temp.height, temp.packed, temp.bound), (1, 0, 64, 64, 64));
    assert_eq!((packed.peak.bytes, packed.alignment), (64, 256));
    assert!(packed.see_theirs(&dump, String::new()).unwrap().check.is_valid(), "sharing is no fault");
}

#[test]
fn values_that_only_meet_in_the_dump_are_kept_apart_by_us() {
    // a and b are alive together in tick 2, at different addresses: that b may take over is not known.
    let dump = dump(128, vec![value("a", 64, 0, 0, 2), value("b", 64, 64, 2, 4)]);
    let packed = pack_dump(&dump, &effort()).unwrap();
    assert_eq!((packed.allocations[0].in_place, packed.allocations[0].packed), (0, 128));
}

#[test]
fn values_that_overlap_for_longer_clash() {
    let dump = dump(256, vec![value("a", 256, 0, 0, 3), value("b", 256, 0, 2, 4)]);
    let packed = pack_dump(&dump, &effort()).unwrap();
    assert_eq!((packed.allocations[0].in_place, packed.allocations[0].clashes), (0, 1));
    assert_eq!(packed.allocations[0].packed, 512, "ours has no clash");
    let session = packed.see_theirs(&dump, String::new()).unwrap();
    assert!(!session.check.is_valid() && session.recorded.is_some(), "theirs is shown as it is");
    // Two that are born in one tick take nothing over from each other, however short they live.
    let born = self::dump(64, vec![value("a", 64, 0, 2, 2), value("b", 64, 0, 2, 2)]);
    assert_eq!(pack_dump(&born, &effort()).unwrap().allocations[0].clashes, 1);
}

#[test]
fn a_chain_keeps_its_places_and_gives_back_what_it_no_longer_needs() {
    // b takes over the upper half of a; c may have the lower half from then on.
    let values = vec![value("a", 128, 0, 0, 2), value("b", 64, 64, 2, 5), value("c", 64, 0, 3, 5)];
    let dump = dump(128, values);
    let packed = pack_dump(&dump, &effort()).unwrap();
    assert_eq!((packed.allocations[0].packed, packed.allocations[0].bound), (128, 128));
    let offsets: Vec<u64> = packed.allocations[0].offsets.iter().map(|at| at.unwrap()).collect();
    assert_eq!(offsets[1], offsets[0] + 64);
}

/// Dumps that were packed by first fit, with some values that take over another's memory: our packing is valid by the dump's
/// own rules, keeps alignment and sharing, and is never larger.
#[test]
fn packing_again_is_valid_and_never_larger() {
    for seed in 0..60 {
        let mut random = SplitMix64::new(seed);
        let mut below = |limit: u64| random.below(limit);
        let mut values: Vec<Value> = Vec::new();
        for at in 0..30 {
            let (size, last) = (256 * (1 + below(8)), at + below(9));
            let taken =
                values.iter().find(|value| value.live.is_some_and(|(lower, upper)| lower < at && upper == at + 1));
            let inside = taken.filter(|taken| taken.size >= size && below(2) == 0).map(|taken| taken.offset);
            let offset =
                inside.filter(|&offset| is_free(&values, at, offset, size)).or_else(|| first_fit(&values, at, size));
            values.push(value(&format!("v{at}"), size, offset.unwrap(), at, last));
        }
        let height = values.iter().map(|value| value.offset + value.size).max().unwrap();
        let dump = dump(height, values);
        let packed = pack_dump(&dump, &effort()).unwrap();
        let temp = &packed.allocations[0];
        assert_eq!((temp.clashes, temp.height), (0, height), "seed {seed}");
        assert!(temp.packed <= height && temp.packed >= temp.bound, "seed {seed}");
        for session in [packed.see_theirs(&dump, String::new()), packed.see_ours(&dump, String::new())] {
            assert!(session.unwrap().check.is_valid(), "seed {seed}");
        }
        assert!(temp.offsets.iter().all(|at| at.unwrap() % packed.alignment == 0), "seed {seed}");
    }
}

/// Whether nobody but those that are read last then holds these addresses.
fn is_free(values: &[Value], at: u64, offset: u64, size: u64) -> bool {
    let others = values.iter().filter(|value| value.live.is_some_and(|(_, upper)| upper > at + 1));
    others.into_iter().all(|value| offset + size <= value.offset || value.offset + value.size <= offset)
}

fn first_fit(values: &[Value], at: u64, size: u64) -> Option<u64> {
    let alive = || values.iter().filter(|value| value.live.is_some_and(|(_, upper)| upper > at));
    let free =
        |offset: &u64| alive().all(|value| offset + size <= value.offset || value.offset + value.size <= *offset);
    let mut starts: Vec<u64> = alive().map(|value| value.offset + value.size).chain([0]).collect();
    starts.sort_unstable();
    starts.into_iter().find(free)
}
