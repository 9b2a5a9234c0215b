//! The one-way doors between folders: each knows only what stands to its left.

use std::path::{Path, PathBuf};

/// Left to right; modules of one row do not know each other.
const ROWS: &[&[&str]] = &[
    &["model"],
    &["error"],
    &["input", "generate", "engine", "check", "trace"],
    &["session", "run"],
    &["compare"],
    &["output"],
    &["lesson"],
    &["app"],
    &["ui"],
    &["tui"],
    &["cli"],
];

/// The first row that may know the terminal.
const FIRST_WITH_TERMINAL: &str = "app";

fn row(module: &str) -> Option<usize> {
    ROWS.iter().position(|row| row.contains(&module))
}

fn sources(dir: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(dir).expect("src can be read") {
        let path = entry.expect("its entries too").path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
}

/// The modules named behind `crate::` in code, groups (`crate::{a, b}`) included.
fn named(code: &str) -> Vec<String> {
    let mut found = Vec::new();
    for part in code.split("crate::").skip(1) {
        if let Some(group) = part.strip_prefix('{') {
            let group = group.split("};").next().unwrap_or(group);
            let mut depth = 0;
            for item in group.split_inclusive([',', '{', '}']) {
                if depth == 0 {
                    found.push(word(item.trim_start()));
                }
                depth += item.matches('{').count();
                depth -= item.matches('}').count().min(depth);
            }
        } else {
            found.push(word(part));
        }
    }
    found.retain(|module| !module.is_empty());
    found
}

fn word(text: &str) -> String {
    text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
}

#[test]
fn no_arrow_runs_back() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&src, &mut files);
    let mut wrong = Vec::new();
    for path in &files {
        let inside = path.strip_prefix(&src).expect("below src").to_string_lossy().replace('\\', "/");
        let module = inside.split('/').next().unwrap_or("").trim_end_matches(".rs").to_owned();
        if module == "lib" || module == "main" {
            continue;
        }
        let Some(own) = row(&module) else {
            wrong.push(format!("{inside}: the module {module} has no place in the row"));
            continue;
        };
        let text = std::fs::read_to_string(path).expect("a source file");
        let code: Vec<&str> = text.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
        let code = code.join("\n");
        for other in named(&code).into_iter().filter(|other| *other != module) {
            if row(&other).is_some_and(|other| other >= own) {
                wrong.push(format!("{inside} knows {other}, which does not stand to its left"));
            }
        }
        let terminal = ["ratatui", "crossterm"].iter().find(|name| code.contains(&format!("{name}::")));
        if let Some(name) = terminal.filter(|_| row(FIRST_WITH_TERMINAL).is_some_and(|first| own < first)) {
            wrong.push(format!("{inside} knows the terminal ({name})"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(files.len() > 20, "the whole of src was read");
}

#[test]
fn the_reader_of_use_lines_sees_groups() {
    assert_eq!(named("use crate::{model::{A, B}, ui::draw};\ncrate::cli::main()"), ["model", "ui", "cli"]);
}
