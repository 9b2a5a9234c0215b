//! Help pages: there for every command, and their examples work.

use super::run::{Folder, sample};

/// The commands that a help page lists.
fn commands(help: &str) -> Vec<String> {
    let Some((_, list)) = help.split_once("\nCommands:\n") else { return Vec::new() };
    let lines = list.lines().take_while(|line| line.starts_with("  "));
    // What a name needs more than one line for stands further in.
    let names = lines.filter(|line| !line.starts_with("   ")).filter_map(|line| line.split_whitespace().next());
    names.filter(|&name| name != "help").map(str::to_owned).collect()
}

/// Every help page: the words before `--help`, and its text.
fn pages() -> Vec<(Vec<String>, String)> {
    let folder = Folder::new();
    let mut waiting = vec![Vec::new()];
    let mut found = Vec::new();
    while let Some(words) = waiting.pop() {
        let line: Vec<&str> = words.iter().map(String::as_str).chain(["--help"]).collect();
        let help = folder.run(&line).ok();
        waiting.extend(commands(&help).into_iter().map(|name| [&words[..], &[name]].concat()));
        found.push((words, help));
    }
    found
}

#[test]
fn every_page_is_printed_to_stdout() {
    let folder = Folder::new();
    let pages = pages();
    assert_eq!(pages.len(), 1 + 12 + 5, "the main page, the commands, the kinds of graphs");
    for (words, long) in pages {
        assert!(long.contains("Usage: spillscope") && long.contains("--help"), "{words:?}: {long}");
        let short: Vec<&str> = words.iter().map(String::as_str).chain(["-h"]).collect();
        assert!(folder.run(&short).ok().contains("Usage: spillscope"), "{words:?}");
    }
}

#[test]
fn the_version_names_the_commit_where_it_is_known() {
    let folder = Folder::new();
    let version = folder.run(&["--version"]).ok();
    let rest = version.strip_prefix(&format!("spillscope {}", env!("CARGO_PKG_VERSION"))).expect("name and version");
    let commit = rest.strip_suffix('\n').expect("one line");
    if !commit.is_empty() {
        let inner = commit.strip_prefix(" (").and_then(|rest| rest.strip_suffix(')')).expect("in brackets");
        let (hash, date) = inner.split_once(", ").unwrap_or((inner, "2000-01-01"));
        assert!(hash.len() == 9 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()), "{version}");
        assert!(date.len() == 10 && date.split('-').all(|part| part.parse::<u16>().is_ok()), "{version}");
    }
    assert_eq!(folder.run(&["-V"]).ok(), version);
}

/// A folder with everything that examples take for there.
fn furnished(words: &[String]) -> Folder {
    let of_operations = words.first().is_some_and(|word| word == "run");
    let folder = Folder::with_sample(if of_operations { "early-release" } else { "first-spill" });
    if !of_operations {
        for dir in ["plan", "mine", "theirs"] {
            folder.run(&["plan", "graph.json", "-o", dir]).ok();
        }
    }
    for (name, sample) in [
        ("lifetimes.csv", "lifetimes.csv"),
        ("dump-buffer-assignment.txt", "two-layers-buffer-assignment.txt"),
        ("dump-live-range.txt", "two-layers-live-range.txt"),
    ] {
        folder.write(name, &super::packing::file(sample));
    }
    folder.write("mine.json", &sample("lessons/first-spill"));
    folder
}

#[test]
fn the_examples_work() {
    for (words, help) in pages() {
        let folder = furnished(&words);
        let (_, examples) = help.split_once("Examples:\n").unwrap_or_else(|| panic!("{words:?} has none"));
        let examples: Vec<&str> = examples.lines().take_while(|line| line.starts_with("  ")).collect();
        assert!(examples.len() >= 2, "{words:?}: {examples:?}");
        // What reads on may not be there; and a manual needs to be installed.
        for example in examples.into_iter().filter(|line| !line.trim_start().starts_with("man ")) {
            let ran = folder.sh(&example.replace("| less", "| cat"));
            let status = i32::from(example.contains("exit status 1"));
            assert_eq!(ran.status, Some(status), "{example}: {ran:?}");
        }
    }
}
