//! Static packing: against exhaustive search, against rectangles that are known to be full, and on published problems.
//!
//! The published ones need `SPILLSCOPE_PACKINGS` (the folder of minimalloc's benchmarks); ignored without.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use spillscope::check::packing::check_packing;
use spillscope::engine::pack::{Answer, Clash, Effort, Why, fit, max_live, quick, smallest};
use spillscope::generate::{conv, flash_attention, matmul};
use spillscope::model::{Graph, Lifetime, Name, NodeIx, Packing, SplitMix64};

#[path = "packing/cuts.rs"]
mod cuts;
#[path = "packing/small.rs"]
mod small;

use cuts::{Cuts, cut};

fn nodes(nodes: u64) -> Effort {
    Effort { seconds: None, nodes: Some(nodes), ..Effort::default() }
}

/// Everything that is promised of one small problem, held against trying every address of every buffer.
fn check_small(seed: u64) {
    let packing = small::random(seed);
    let (effort, least) = (nodes(1_000_000), small::smallest(&packing));
    let about = || format!("seed {seed}: {packing:?}");
    assert!(check_packing(&packing, None, &quick(&packing).offsets).is_empty(), "{}", about());
    let found = smallest(&packing, &effort).expect("nothing is fixed wrongly");
    assert_eq!((found.packed.height, found.bound, found.proven), (least, least, true), "{}", about());
    assert_eq!(check_packing(&packing, Some(least), &found.packed.offsets), [], "{}", about());
    assert!(matches!(fit(&packing, least, &effort), Answer::Fits(packed) if packed.height == least), "{}", about());
    let Some(capacity) = least.checked_sub(1) else { return };
    let Answer::CannotFit { core, irreducible, .. } = fit(&packing, capacity, &effort) else { panic!("{}", about()) };
    assert!(irreducible, "{}", about());
    let mut which: Vec<bool> = (0..packing.buffers.len()).map(|at| core.contains(&at)).collect();
    assert!(!small::fits(&packing, &which, capacity), "the core {core:?} fits; {}", about());
    for &without in &core {
        which[without] = false;
        assert!(small::fits(&packing, &which, capacity), "{core:?} without {without} does not fit; {}", about());
        which[without] = true;
    }
}

#[test]
fn small_problems_are_solved_as_exhaustive_search_solves_them() {
    (0..600).for_each(check_small);
}

#[test]
#[ignore = "takes long; some hundreds of these are always tested"]
fn ten_thousand_small_problems_are_solved_as_exhaustive_search_solves_them() {
    (1_000..11_000).for_each(check_small);
}

fn buffer(lower: u64, upper: u64, size: u64) -> Lifetime {
    let name = Name::new("b");
    Lifetime { name, lower, upper, size, alignment: 1, fixed: None, hint: None, gaps: Vec::new() }
}

#[test]
fn what_is_fixed_wrongly_is_told_before_any_search() {
    let fixed = |lower, upper, size, fixed| Lifetime { fixed: Some(fixed), ..buffer(lower, upper, size) };
    let answer = |buffers: &[Lifetime]| match fit(&Packing { buffers: buffers.to_vec() }, 10, &nodes(10)) {
        Answer::CannotFit { core, irreducible: true, why } => (core, why),
        other => panic!("{other:?}"),
    };
    assert_eq!(answer(&[buffer(0, 1, 3), buffer(0, 1, 11)]), (vec![1], Why::Larger { buffer: 1 }));
    assert_eq!(answer(&[fixed(0, 1, 3, 8)]), (vec![0], Why::Larger { buffer: 0 }));
    let odd = Lifetime { alignment: 2, ..fixed(0, 1, 3, 5) };
    assert_eq!(answer(&[buffer(0, 1, 3), odd]), (vec![1], Why::Misaligned { buffer: 1 }));
    let three = [fixed(0, 3, 4, 0), buffer(0, 1, 1), fixed(2, 5, 2, 3)];
    assert_eq!(answer(&three), (vec![0, 2], Why::Fixed { one: 0, other: 2 }));
    let clash = smallest(&Packing { buffers: three.to_vec() }, &nodes(10));
    assert_eq!(clash, Err(Clash { core: vec![0, 2], why: Why::Fixed { one: 0, other: 2 } }));
    let most = [buffer(0, 2, 6), buffer(1, 3, 5), buffer(1, 2, 1)];
    assert_eq!(answer(&most), (vec![0, 1], Why::MaxLive { at: 1, bytes: 11 }));
}

#[test]
fn hints_are_taken_where_nothing_is_lost() {
    let hinted = |hint, lower, upper, size| Lifetime { hint: Some(hint), ..buffer(lower, upper, size) };
    let packing =
        Packing { buffers: vec![buffer(0, 9, 4), hinted(6, 0, 1, 1), hinted(6, 2, 3, 3), hinted(0, 4, 5, 2)] };
    let found = smallest(&packing, &Effort::default()).expect("nothing is fixed wrongly");
    assert_eq!((found.packed.height, found.proven), (7, true));
    assert_eq!(found.packed.offsets[1], 6, "there is room for it");
    assert_eq!(check_packing(&packing, Some(7), &found.packed.offsets), []);
}

#[test]
fn nothing_and_sizes_near_the_end_of_64_bits() {
    let none = smallest(&Packing::default(), &Effort::default()).expect("nothing is fixed wrongly");
    assert_eq!((none.packed.height, none.bound, none.proven), (0, 0, true));
    let huge = Packing { buffers: (0..5).map(|at| buffer(at, at + 2, (1 << 62) + at)).collect() };
    let found = smallest(&huge, &nodes(1000)).expect("nothing is fixed wrongly");
    assert_eq!(check_packing(&huge, None, &found.packed.offsets), []);
    assert_eq!(max_live(&huge).bytes, (1 << 63) + 7);
    assert!(matches!(fit(&huge, 1 << 62, &nodes(1000)), Answer::CannotFit { why: Why::Larger { buffer: 1 }, .. }));
}

#[test]
fn the_same_effort_gives_the_same_answer_and_a_stop_ends_it() {
    let packing = cut(150, 40, 60, Cuts::Pinwheel, 3);
    let effort = nodes(5_000);
    assert_eq!(smallest(&packing, &effort), smallest(&packing, &effort));
    let stopped = Effort { stop: Some(Arc::new(AtomicBool::new(true))), seconds: None, ..Effort::default() };
    let found = smallest(&packing, &stopped).expect("nothing is fixed wrongly");
    assert_eq!(check_packing(&packing, Some(found.packed.height), &found.packed.offsets), []);
}

#[test]
fn full_rectangles_are_packed_within_a_hundredth() {
    for (count, cuts) in
        [(60, Cuts::Guillotine), (60, Cuts::Pinwheel), (4_000, Cuts::Guillotine), (4_000, Cuts::Pinwheel)]
    {
        for seed in 0..2 {
            let packing = cut(count, 1 << 20, 1 << 20, cuts, seed);
            assert_eq!(max_live(&packing).bytes, 1 << 20, "it is full all the time");
            let packed = quick(&packing);
            assert_eq!(
                check_packing(&packing, Some((1 << 20) / 100 * 101), &packed.offsets),
                [],
                "{count} {cuts:?} {seed}"
            );
        }
    }
}

/// The buffers of `X.CAPACITY.csv`, whose columns are `id,lower,upper,size`.
fn published(name: &str) -> Packing {
    let folder: PathBuf = std::env::var_os("SPILLSCOPE_PACKINGS").expect("SPILLSCOPE_PACKINGS is not set").into();
    let text = std::fs::read_to_string(folder.join(format!("{name}.1048576.csv"))).expect("the file can be read");
    let rows = text.lines().skip(1).map(|line| {
        let fields: Vec<u64> = line.split(',').map(|field| field.parse().expect("a number")).collect();
        buffer(fields[1], fields[2], fields[3])
    });
    Packing { buffers: rows.collect() }
}

#[test]
#[ignore = "needs SPILLSCOPE_PACKINGS"]
fn the_published_problems_fit_their_capacity_and_the_smallest_is_proven() {
    for (name, least) in
        [("A", 1 << 20), ("B", 1 << 20), ("C", 1_039_360), ("E", 1 << 20), ("G", 1 << 20), ("K", 1 << 20)]
    {
        let packing = published(name);
        let Answer::Fits(packed) = fit(&packing, 1 << 20, &nodes(2_000_000)) else { panic!("{name} does not fit") };
        assert_eq!(check_packing(&packing, Some(1 << 20), &packed.offsets), [], "{name}");
        let found = smallest(&packing, &nodes(2_000_000)).expect("nothing is fixed wrongly");
        assert_eq!((found.packed.height, found.proven), (least, true), "{name}");
        assert_eq!(check_packing(&packing, Some(least), &found.packed.offsets), [], "{name}");
    }
}

/// The same problem in another order, backwards in time, or with a share of the lives a little shorter.
fn varied(packing: &Packing, kind: u64) -> Packing {
    let mut random = SplitMix64::new(kind);
    let mut buffers = packing.buffers.clone();
    let end = buffers.iter().map(|buffer| buffer.upper).max().unwrap_or(0);
    for buffer in &mut buffers {
        if kind % 2 == 1 {
            (buffer.lower, buffer.upper) = (end - buffer.upper, end - buffer.lower);
        }
        let life = buffer.upper - buffer.lower;
        if kind % 3 == 2 && life > 8 && random.chance(0.3) {
            buffer.upper -= 1 + random.below(life / 8);
        }
    }
    (1..buffers.len()).rev().for_each(|at| buffers.swap(at, random.index(at + 1)));
    Packing { buffers }
}

#[test]
#[ignore = "needs SPILLSCOPE_PACKINGS; takes long"]
fn variations_of_the_published_problems_fit_too() {
    for name in ["A", "B", "C", "E", "G", "K"] {
        let packing = published(name);
        for kind in 0..12 {
            let varied = varied(&packing, kind);
            let Answer::Fits(packed) = fit(&varied, 1 << 20, &nodes(3_000_000)) else { panic!("{name} {kind}") };
            assert_eq!(check_packing(&varied, Some(1 << 20), &packed.offsets), [], "{name} {kind}");
        }
    }
}

/// The buffers of one level with their lives in program order.
fn lives(graph: &Graph, level: &str) -> Packing {
    let nodes = graph.node_ixs().count() as u64;
    let of = graph.buffers().iter().filter(|own| graph.symbol(own.level).raw() == level);
    let upper = |free: Option<NodeIx>| free.map_or(nodes, |free| free.at() as u64 + 1);
    Packing { buffers: of.map(|own| buffer(own.alloc.at() as u64, upper(own.free), own.size)).collect() }
}

#[test]
#[ignore = "prints a table"]
fn heights_of_generated_kernels() {
    let kernels = [
        ("matmul", matmul::generate(&matmul::Config::default()).expect("sound")),
        ("flash-attention", flash_attention::generate(&flash_attention::Config::default()).expect("sound")),
        ("conv", conv::generate(&conv::Config::default()).expect("sound")),
    ];
    println!("kernel, level, buffers, max-live, quick, smallest, proven");
    for (name, graph) in &kernels {
        for level in ["L1", "UB"] {
            let packing = lives(graph, level);
            let (live, quick, found) = (max_live(&packing), quick(&packing), smallest(&packing, &nodes(200_000)));
            let found = found.expect("nothing is fixed");
            assert_eq!(check_packing(&packing, Some(found.packed.height), &found.packed.offsets), []);
            let (least, proven) = (found.packed.height, found.proven);
            println!("{name}, {level}, {}, {}, {}, {least}, {proven}", packing.buffers.len(), live.bytes, quick.height);
        }
    }
}
