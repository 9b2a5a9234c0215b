use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

use super::*;

fn made(seed: u64) -> Operations {
    generate(&Config { seed, ..Config::default() }).unwrap()
}

fn readers(operations: &Operations) -> Vec<Vec<usize>> {
    let mut readers = vec![Vec::new(); operations.list.len()];
    for (at, operation) in operations.list.iter().enumerate() {
        operation.inputs.iter().for_each(|&input| readers[input as usize].push(at));
    }
    readers
}

/// For each operation, the longest way from its start to the end of all, in microseconds.
fn tails(operations: &Operations) -> Vec<u64> {
    let mut tails = vec![0; operations.list.len()];
    for (at, readers) in readers(operations).iter().enumerate().rev() {
        let behind = readers.iter().map(|&reader| tails[reader]).max().unwrap_or(0);
        tails[at] = operations.list[at].micros + behind;
    }
    tails
}

/// For each operation, the longest way from the beginning to its start, in microseconds.
fn heads(operations: &Operations) -> Vec<u64> {
    let mut heads = vec![0; operations.list.len()];
    for (at, operation) in operations.list.iter().enumerate() {
        let before =
            operation.inputs.iter().map(|&input| heads[input as usize] + operations.list[input as usize].micros);
        heads[at] = before.max().unwrap_or(0);
    }
    heads
}

/// What running it in topological order comes to: always the lowest number that is ready, on 8 workers, each buffer
/// held from the start of its operation to the end of its last reader.
struct Run {
    /// The most bytes alive at once.
    live: u64,
    /// Microseconds.
    time: u64,
}

fn run_in_topological_order(operations: &Operations) -> Run {
    let readers = readers(operations);
    let mut waits: Vec<usize> = operations.list.iter().map(|operation| operation.inputs.len()).collect();
    let mut unread: Vec<usize> = readers.iter().map(Vec::len).collect();
    let mut ready: BTreeSet<usize> = (0..waits.len()).filter(|&at| waits[at] == 0).collect();
    let mut running = BinaryHeap::new();
    let (mut live, mut run) = (0, Run { live: 0, time: 0 });
    loop {
        while running.len() < 8 {
            let Some(at) = ready.pop_first() else { break };
            live += operations.list[at].output_size;
            run.live = run.live.max(live);
            running.push(Reverse((run.time + operations.list[at].micros, at)));
        }
        let Some(Reverse((end, done))) = running.pop() else { return run };
        run.time = end;
        for &input in &operations.list[done].inputs {
            unread[input as usize] -= 1;
            live -= if unread[input as usize] == 0 { operations.list[input as usize].output_size } else { 0 };
        }
        for &reader in &readers[done] {
            waits[reader] -= 1;
            if waits[reader] == 0 {
                ready.insert(reader);
            }
        }
    }
}

#[test]
fn the_default_is_the_pipeline_of_the_seed() {
    let pipeline = generate(&Config::default()).unwrap();
    let sizes: Vec<u64> = pipeline.list.iter().map(|operation| operation.output_size).collect();
    assert_eq!((sizes.len(), sizes.iter().sum::<u64>()), (240, 5_200_000_000));
    let (least, most) = (sizes.iter().min().unwrap(), sizes.iter().max().unwrap());
    assert!((1000..20_000).contains(least) && (40_000_000..80_000_000).contains(most), "{least} to {most}");
    let live = run_in_topological_order(&pipeline).live;
    assert!((1_850_000_000..1_950_000_000).contains(&live), "{live} bytes alive at once");
}

#[test]
fn whatever_the_seed_the_first_chain_is_critical_and_work_matters_as_much() {
    for seed in 0..20 {
        let pipeline = made(seed);
        let tails = tails(&pipeline);
        let critical = *tails.iter().max().unwrap();
        assert!((170_000..230_000).contains(&critical), "{seed}: critical path {critical}");
        let heads = heads(&pipeline);
        let is_heavy = |at: &usize| pipeline.list[*at].op_type == "matmul";
        let off = (0..240).filter(is_heavy).filter(|&at| heads[at] + tails[at] < critical).count();
        assert!(off <= 3, "{seed}: {off} of the ten heavy operations are not critical");
        let work: u64 = pipeline.list.iter().map(|operation| operation.micros).sum();
        assert!((6 * critical / 10..critical).contains(&(work / 8)), "{seed}: {work} for 8 workers");
        let run = run_in_topological_order(&pipeline);
        assert!((1_200_000_000..2_600_000_000).contains(&run.live), "{seed}: {} bytes", run.live);
        assert!(run.time > critical + critical / 20, "{seed}: the naive order must keep the critical chain waiting");
    }
}

#[test]
fn chains_are_tied_together_and_branches_join_the_chain_that_they_left() {
    let pipeline = made(3);
    let readers = readers(&pipeline);
    let name = |at: usize| pipeline.list[at].name.as_str();
    let chain_of = |at: usize| name(at).split_once('.').map(|(chain, _)| chain.to_owned());
    let mut counts = [0; 3];
    for (at, operation) in pipeline.list.iter().enumerate() {
        assert!(operation.inputs.iter().all(|&input| (input as usize) < at), "{} reads ahead", name(at));
        let kind = ["chain", "shared", "branch"].iter().position(|kind| name(at).starts_with(kind)).unwrap();
        counts[kind] += 1;
        match kind {
            1 => assert_eq!((operation.inputs.len(), readers[at].len()), (3, 3), "{}", name(at)),
            2 => {
                let (from, to) = (chain_of(operation.inputs[0] as usize), chain_of(readers[at][0]));
                assert!(from == to && readers[at].len() == 1, "{}: {from:?} to {to:?}", name(at));
            }
            _ => {}
        }
    }
    assert_eq!(counts, [120, 8, 112]);
    let outputs: Vec<&str> = (0..240).filter(|&at| readers[at].is_empty()).map(name).collect();
    assert_eq!(outputs.len(), 3, "{outputs:?}");
}

#[test]
fn other_numbers_are_kept_too() {
    for (ops, chains, length) in [(12, 3, 4), (13, 3, 4), (1, 1, 4), (500, 1, 5), (1000, 7, 9)] {
        let config = Config { ops, chains, length, total_bytes: 12_345_678, seed: 5 };
        let Ok(made) = generate(&config) else {
            assert!(ops < chains * length, "{config:?}");
            continue;
        };
        assert_eq!(made.list.len(), ops as usize);
        assert_eq!(made.list.iter().map(|operation| operation.output_size).sum::<u64>(), 12_345_678);
        assert!((0..).zip(&made.list).all(|(at, operation)| operation.inputs.iter().all(|&input| input < at)));
    }
}

#[test]
fn absurd_numbers_are_refused() {
    let usual = Config::default();
    for config in [
        Config { ops: 119, ..usual.clone() },
        Config { chains: 0, ..usual.clone() },
        Config { length: 3, ..usual.clone() },
        Config { chains: u32::MAX, length: u32::MAX, ..usual.clone() },
        Config { ops: u32::MAX, ..usual.clone() },
        Config { total_bytes: 239_999, ..usual.clone() },
        Config { total_bytes: u64::MAX, ..usual.clone() },
    ] {
        assert!(generate(&config).is_err(), "{config:?}");
    }
}

#[test]
fn the_seed_is_all_that_chance_depends_on_and_it_is_in_the_file() {
    assert_eq!(made(7), made(7));
    assert_ne!(made(7).list, made(8).list);
    let text = made(7).to_json();
    let head = "{\n  \"generated\": {\"by\": \"spillscope generate chains\", \"ops\": 240, \"chains\": 3, \"length\": 40, \
                \"total_bytes\": 5200000000, \"seed\": 7},\n  \"nodes\": [\n";
    assert!(text.starts_with(head), "{}", &text[..200]);
}
