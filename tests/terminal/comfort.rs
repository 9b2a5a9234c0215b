//! What a person has of their own: configuration, hint, what is kept beside the graph, the clipboard, files.

use std::path::Path;

use tempfile::TempDir;

use crate::pty::Pty;
use crate::script::{assert_left, script, spillscope, start};

/// A folder with a sample in it, and the arguments that open it.
fn with_sample(sample: &str) -> (TempDir, String) {
    let folder = TempDir::new().expect("a temporary folder");
    let file = folder.path().join("graph.json");
    std::fs::copy(format!("{}/samples/{sample}.json", env!("CARGO_MANIFEST_DIR")), &file).expect("copied");
    let arguments = format!("'{}'", file.display());
    (folder, arguments)
}

fn text(folder: &TempDir, name: &str) -> String {
    std::fs::read_to_string(folder.path().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn the_first_start_says_what_to_press_and_the_second_does_not() {
    let state = TempDir::new().expect("a temporary folder");
    let variables = [("XDG_STATE_HOME", state.path().to_str().expect("UTF-8"))];
    let mut pty = start(&spillscope("samples/first-spill.json --at 0"), &variables);
    pty.wait_for("Welcome to Spillscope");
    pty.press("l");
    pty.wait_for("step 1/");
    assert!(!pty.contents().contains("Welcome"), "{}", pty.contents());
    pty.press("q");
    assert_left(pty, "0");
    let mut pty = start(&spillscope("samples/first-spill.json --at 0"), &variables);
    pty.wait_for("Timeline");
    assert!(!pty.contents().contains("Welcome"), "{}", pty.contents());
    pty.press("q");
    assert_left(pty, "0");
}

#[test]
fn a_home_that_cannot_be_written_is_no_error() {
    let folder = TempDir::new().expect("a temporary folder");
    let file = folder.path().join("file");
    std::fs::write(&file, "").expect("written");
    let mut pty = start(&spillscope("samples/first-spill.json"), &[("XDG_STATE_HOME", file.to_str().expect("UTF-8"))]);
    pty.wait_for("Welcome to Spillscope");
    pty.press("q");
    assert_left(pty, "0");
}

#[test]
fn the_configuration_that_the_environment_names_is_read() {
    let (folder, graph) = with_sample("first-spill");
    let config = folder.path().join("mine.toml");
    std::fs::write(&config, "mouse = false\n[keys]\nstep-forward = \"W\"\nquit = \"Q\"\n").expect("written");
    let variables = [("SPILLSCOPE_CONFIG", config.to_str().expect("UTF-8"))];
    let mut pty = start(&spillscope(&format!("{graph} --at 0")), &variables);
    assert!(!pty.left().held.contains(&"mouse"));
    pty.press("W");
    pty.wait_for("step 1/");
    pty.wait_for("Q quit");
    pty.press("q");
    pty.wait_for("q has no meaning here");
    pty.press("Q");
    assert_left(pty, "0");

    std::fs::write(&config, "theme = 3\n").expect("written");
    let bytes = Pty::start(&script(&spillscope(&graph)), &variables).bytes_at_end();
    let said = String::from_utf8_lossy(&bytes);
    assert!(said.contains("theme is one of") && said.contains("status 2") && !said.contains("\x1b[?1049h"), "{said}");
}

#[test]
fn what_was_set_is_kept_beside_the_graph_where_that_is_asked_for() {
    let (folder, graph) = with_sample("first-spill");
    let mut pty = start(&spillscope(&format!("{graph} --at 3")), &[]);
    pty.press("maq");
    assert_left(pty, "0");
    assert!(!folder.path().join("graph.spillscope.json").exists(), "nobody asked for it");

    let mut pty = start(&spillscope(&format!("{graph} --keep --at 3")), &[]);
    pty.press("mat7G\t\tzq");
    assert_left(pty, "0");
    let kept = text(&folder, "graph.spillscope.json");
    assert!(kept.contains("\"spillscope_keep\": 1") && kept.contains("\"theme\": \"dark\""), "{kept}");

    let mut pty = start(&spillscope(&format!("{graph} --keep")), &[]);
    pty.wait_for("step 7/");
    pty.wait_for("▸Map of");
    pty.press("'a");
    pty.wait_for("step 3/");
    pty.press("q");
    assert_left(pty, "0");
    assert_ne!(text(&folder, "graph.spillscope.json"), kept, "where one stood last");
}

#[test]
fn a_broken_one_is_told_and_left_as_it_is() {
    let (folder, graph) = with_sample("first-spill");
    let file = folder.path().join("graph.spillscope.json");
    for (broken, part) in
        [("{\n  \"spillscope_keep\": 1,", "graph.spillscope.json:2"), ("{\"spillscope_keep\": 9}", "of version 9")]
    {
        std::fs::write(&file, broken).expect("written");
        let bytes = Pty::start_at((160, 30), &script(&spillscope(&format!("{graph} --keep"))), &[]).bytes_at_end();
        let said = String::from_utf8_lossy(&bytes);
        assert!(said.contains(part) && said.contains("status 2") && !said.contains("\x1b[?1049h"), "{said}");
        assert_eq!(text(&folder, "graph.spillscope.json"), broken);
    }
    let bytes = Pty::start(&script(&format!("cat {graph} | {}", spillscope("- --keep"))), &[]).bytes_at_end();
    assert!(String::from_utf8_lossy(&bytes).contains("no place beside standard input"));
}

#[test]
fn the_command_line_goes_to_the_clipboard_by_osc_52() {
    let mut pty = start(&spillscope("samples/first-spill.json"), &[]);
    let before = pty.bytes().len();
    pty.press("yy");
    // `spillscope plan samples/first-spill.json …` in base 64.
    pty.wait_for_bytes(before, "\x1b]52;c;c3BpbGxzY29wZSBwbGFuIHNhbXBsZXMvZmlyc3Qtc3BpbGwuanNvb");
    pty.wait_for("copied: the command line");
    pty.press("q");
    assert_left(pty, "0");
}

#[test]
fn a_frame_goes_into_the_file_that_is_named() {
    let (folder, _) = with_sample("first-spill");
    let file = folder.path().join("f.svg");
    let script = format!("cd '{}'; {}", folder.path().display(), spillscope("graph.json --at 5"));
    let mut pty = start(&script, &[]);
    pty.press("xs");
    pty.wait_for("graph-step5.svg");
    pty.press("\r");
    pty.wait_for("written: graph-step5.svg");
    assert!(text(&folder, "graph-step5.svg").starts_with("<svg"));
    pty.press("xs\r");
    pty.wait_for("y replaces");
    pty.press("n");
    pty.wait_for("left as it was");
    pty.press("q");
    let left = pty.end();
    left.assert_given_back();
    assert!(!Path::new(&file).exists());
}
