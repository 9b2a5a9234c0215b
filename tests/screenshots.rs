//! The pictures of `screenshots/` are what their commands in the README there make of the screen as it is now.
//!
//! After a change to the screen, `UPDATE_SCREENSHOTS=1 cargo test --test screenshots` makes them anew; then look at
//! each.
#![cfg(unix)] // the commands are lines of a shell

mod shell;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use shell::{Folder, blocks, project_file};

/// Files of a folder by name.
type Files = BTreeMap<String, String>;

fn kept() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("screenshots")
}

fn pictures(folder: &Path) -> Files {
    let entries = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let pictures = entries.filter(|path| path.extension().is_none_or(|ending| ending != "md"));
    let named = |path: PathBuf| {
        let name = path.file_name().expect("a file").to_string_lossy().into_owned();
        (name, std::fs::read_to_string(&path).expect("a picture is text"))
    };
    pictures.map(named).collect()
}

/// Runs every command of the README.
fn made() -> Files {
    let folder = Folder::new(&["screenshots"]);
    let readme = project_file("screenshots/README.md");
    let lines = blocks(&readme).into_iter().filter(|block| block.language == "sh").flat_map(|block| block.lines);
    lines.filter(|line| line.starts_with("spillscope ")).for_each(|line| drop(folder.run(line)));
    pictures(&folder.path("screenshots"))
}

#[test]
fn every_picture_is_what_its_command_makes() {
    let made = made();
    if std::env::var_os("UPDATE_SCREENSHOTS").is_some() {
        for name in pictures(&kept()).keys() {
            std::fs::remove_file(kept().join(name)).expect("an old picture goes");
        }
        for (name, picture) in &made {
            std::fs::write(kept().join(name), picture).expect("a new picture comes");
        }
    }
    let kept = pictures(&kept());
    assert!(made.len() >= 8, "only {} pictures were made", made.len());
    assert!(made.keys().eq(kept.keys()), "made: {:?}\nkept: {:?}", made.keys(), kept.keys());
    let old: Vec<&String> = made.keys().filter(|&name| made[name] != kept[name]).collect();
    assert!(old.is_empty(), "out of date: {old:?}; see the head of this test");
    let readme = project_file("screenshots/README.md");
    let hidden: Vec<&String> = kept.keys().filter(|name| !readme.contains(&format!("]({name})"))).collect();
    assert!(hidden.is_empty(), "not shown in the README there: {hidden:?}");
}
