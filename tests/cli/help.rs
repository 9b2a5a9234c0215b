//! Help pages: there for every command, and their examples work.

use super::run::Folder;

const PAGES: [&[&str]; 14] = [
    &["--help"],
    &["view", "--help"],
    &["plan", "--help"],
    &["check", "--help"],
    &["compare", "--help"],
    &["export", "--help"],
    &["frame", "--help"],
    &["config", "--help"],
    &["generate", "--help"],
    &["generate", "matmul", "--help"],
    &["generate", "flash-attention", "--help"],
    &["generate", "conv", "--help"],
    &["generate", "chains", "--help"],
    &["generate", "random", "--help"],
];

#[test]
fn every_page_is_printed_to_stdout() {
    let folder = Folder::new();
    for page in PAGES {
        let long = folder.run(page).ok();
        assert!(long.contains("Usage: spillscope") && long.contains("--help"), "{page:?}: {long}");
        let short: Vec<&str> = page.iter().map(|word| if *word == "--help" { "-h" } else { word }).collect();
        assert!(folder.run(&short).ok().contains("Usage: spillscope"), "{page:?}");
    }
    assert_eq!(folder.run(&["--version"]).ok(), format!("spillscope {}\n", env!("CARGO_PKG_VERSION")));
    assert_eq!(folder.run(&["-V"]).ok(), folder.run(&["--version"]).ok());
}

#[test]
fn the_examples_work() {
    for page in [
        &["--help"][..],
        &["plan", "--help"],
        &["check", "--help"],
        &["compare", "--help"],
        &["frame", "--help"],
        &["config", "--help"],
        &["export", "--help"],
        &["generate", "--help"],
    ] {
        let folder = Folder::with_sample("first-spill");
        for dir in ["plan", "mine", "theirs"] {
            folder.run(&["plan", "graph.json", "-o", dir]).ok();
        }
        let help = folder.run(page).ok();
        let (_, examples) = help.split_once("Examples:\n").unwrap_or_else(|| panic!("{page:?} has none"));
        let examples: Vec<&str> = examples.lines().take_while(|line| line.starts_with("  ")).collect();
        assert!(examples.len() >= 3, "{page:?}: {examples:?}");
        examples.into_iter().for_each(|example| drop(folder.sh(example).ok()));
    }
}
