//! Generated graphs are the same for ever: people cite seeds, and plans made elsewhere belong to exactly one graph.

use spillscope::generate::random;
use spillscope::output::graph_file::npu_json;

/// FNV-1a, 64 bits (Fowler, Noll, Vo): short, and no library can change it.
fn fingerprint(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[test]
fn a_seed_gives_the_same_graph_for_ever() {
    let plain = random::Config { seed: 7, ..random::Config::default() };
    let all = random::Config { schedule: true, gaps: true, shuffle: true, unfreed: 0.1, ..plain.clone() };
    let made = [plain, all].map(|config| fingerprint(&npu_json(&random::generate(&config).unwrap())));
    assert_eq!(
        made,
        [4_662_472_610_152_788_870, 9_567_933_310_639_184_604],
        "the generator no longer gives the graphs that it gave"
    );
}

#[test]
fn seeds_differ() {
    let text = |seed| npu_json(&random::generate(&random::Config { seed, ..random::Config::default() }).unwrap());
    assert_ne!(text(1), text(2));
}
