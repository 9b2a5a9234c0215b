//! What the README says is so: its commands run, its table of keys is the program's, its report is the real one.
//!
//! After a change to the keys or to what `compare` finds, `UPDATE_README=1 cargo test --test readme` writes the two tables
//! anew.
#![cfg(unix)] // the commands are lines of a shell

mod shell;

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use shell::{Folder, blocks, project_file};
use spillscope::app::keymap::{BINDINGS, SECTIONS, key_name};

/// What is compared in the README.
const COMPARED: &str = "spillscope compare samples/pipeline-240.json";

/// Tests run side by side, and two of them may write the README.
static WRITING: Mutex<()> = Mutex::new(());

/// Between the marks `<!-- name -->` and `<!-- /name -->` stands `text`; with UPDATE_README it is written there.
fn must_stand_in_the_readme(name: &str, text: &str) {
    let _alone = WRITING.lock().unwrap_or_else(PoisonError::into_inner);
    let readme = project_file("README.md");
    let marks = (format!("<!-- {name} -->\n"), format!("<!-- /{name} -->"));
    let (before, rest) = readme.split_once(&marks.0).expect("it has a beginning");
    let (there, after) = rest.split_once(&marks.1).expect("it has an end");
    if std::env::var_os("UPDATE_README").is_some() {
        let written = [before, &marks.0, text, &marks.1, after].concat();
        std::fs::write(Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md"), written).expect("the README");
        return;
    }
    assert_eq!(there, text, "see the head of this test");
}

/// The commands that build; running them here would run this test within itself.
const CARGO: [&str; 2] = ["cargo run --release", "cargo test"];

fn keys_table() -> String {
    let mut rows = vec!["| key | what it does |".to_owned(), "|---|---|".to_owned()];
    for binding in BINDINGS {
        if let Some((title, _)) = SECTIONS.iter().find(|(_, first)| *first == binding.command) {
            rows.push(format!("| | **{title}** |"));
        }
        let names: Vec<String> = binding.keys.iter().map(|&key| format!("`{}`", key_name(key))).collect();
        rows.push(format!("| {} | {} |", names.join(" "), binding.help));
    }
    rows.join("\n") + "\n"
}

#[test]
fn the_table_of_keys_is_that_of_the_program() {
    must_stand_in_the_readme("keys", &keys_table());
}

#[test]
fn the_comparison_is_the_real_one() {
    let printed = String::from_utf8(Folder::new(&[]).run(COMPARED).stdout).expect("tables are UTF-8");
    must_stand_in_the_readme("compare", &format!("```text\n$ {COMPARED}\n{printed}```\n"));
}

#[test]
fn every_command_runs() {
    let readme = project_file("README.md");
    let folder = Folder::new(&[]);
    let mut cargo = Vec::new();
    let mut count = 0;
    let blocks = blocks(&readme);
    // A block of JSON with a name is a file that commands may read.
    for block in &blocks {
        if let Some(name) = block.language.strip_prefix("json ") {
            std::fs::write(folder.path(name), block.lines.join("\n")).expect("a new file");
        }
    }
    for line in blocks.iter().filter(|block| block.language == "sh").flat_map(|block| &block.lines) {
        if line.starts_with("cargo ") {
            cargo.push(*line);
        } else {
            let output = folder.run(line);
            let wrote = [" -o ", " > "].iter().any(|to| line.contains(to));
            assert!(wrote || !output.stdout.is_empty(), "{line} prints nothing");
            count += 1;
        }
    }
    assert_eq!(cargo, CARGO);
    assert!(count > 10, "only {count} commands were found");
    for written in ["plans/matmul_schedule.txt", "plans/tiny_plan.json", "matmul8.json", "frame.svg"] {
        assert!(folder.path(written).is_file(), "{written} is not there");
    }
}

#[test]
fn the_report_shown_is_the_real_one() {
    let readme = project_file("README.md");
    let folder = Folder::new(&[]);
    let mut count = 0;
    for block in blocks(&readme).into_iter().filter(|block| block.language == "text") {
        let (command, shown) = block.lines.split_first().expect("a block is not empty");
        let output = folder.run(command.strip_prefix("$ ").expect("a command comes first"));
        let printed = String::from_utf8(output.stdout).expect("reports are UTF-8");
        let mut rest = printed.lines();
        for line in shown.iter().filter(|line| **line != "…") {
            assert!(rest.any(|printed| printed == *line), "`{line}` is not there, or not in this order:\n{printed}");
            count += 1;
        }
    }
    assert!(count > 5, "only {count} lines were compared");
}

#[test]
fn the_first_minute_tells_of_the_screen_that_opens() {
    let readme = project_file("README.md");
    let minute = readme.split("## The first minute").nth(1).and_then(|rest| rest.split("## ").next()).expect("a part");
    let output = Folder::new(&[]).run("spillscope frame --size 130x40");
    let screen = String::from_utf8(output.stdout).expect("frames are UTF-8");
    let said_and_shown = [
        ("`b70` left L1", "b70 (512) left L1["),
        ("`b78` needs 512 units", "b78 needs 512 units of L1"),
        ("only\n   192 are free", "but only 192 are free"),
        ("`b70` has the largest", "▸b70"),
        ("At step 233 `z`, which is `b70`", "gzzz"),
        ("goes\n   (`S`)", "│233▸S"),
        ("at step 234 `G`", "ggg[│GGGG]"),
    ];
    for (said, shown) in said_and_shown {
        assert!(minute.contains(said), "not said any more: {said}");
        assert!(screen.contains(shown), "{said}: not shown any more: {shown}\n{screen}");
    }
}

#[test]
fn every_picture_and_file_that_is_linked_is_there() {
    for document in ["README.md", "samples/README.md", "samples/lessons/README.md", "screenshots/README.md"] {
        let text = project_file(document);
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(document);
        let links = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        let headings = text.lines().filter_map(|line| line.strip_prefix("## "));
        let anchors: Vec<String> = headings.map(|line| line.to_lowercase().replace(' ', "-")).collect();
        for link in links.filter(|link| !link.starts_with("http")) {
            let is_there = match link.strip_prefix('#') {
                Some(anchor) => anchors.iter().any(|known| known == anchor),
                None => folder.with_file_name(link).exists(),
            };
            assert!(is_there, "{document} links to {link}");
        }
    }
}
