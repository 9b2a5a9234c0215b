//! How it is opened: from a file, a pipe, at a place, with an eye on the file.

use std::path::Path;

use tempfile::TempDir;

use crate::pty::Pty;
use crate::script::{assert_left, script, spillscope, start, visualizer};

const FIRST_SPILL: &str = "samples/first-spill.json";

#[test]
fn a_graph_from_a_pipe_leaves_the_keys_to_the_terminal() {
    let mut pty = start(&format!("cat {FIRST_SPILL} | {}", spillscope("- --at 0")), &[]);
    pty.wait_for("stdin · npu");
    pty.left().assert_taken();
    pty.press("l");
    pty.wait_for("step 1/");
    pty.press("q");
    assert_left(pty, "0");
}

#[test]
fn where_stdout_is_no_terminal_a_report_is_printed() {
    let pty = Pty::start(&script(&format!("{} | cat", spillscope(FIRST_SPILL))), &[]);
    let bytes = pty.bytes_at_end();
    let text = String::from_utf8_lossy(&bytes);
    assert!(text.contains("first-spill: valid plan, 22 steps, 1 spill") && text.contains("status 0"), "{text}");
    assert!(!text.contains('\x1b'), "{text}");
}

#[test]
fn it_opens_where_it_was_told_to() {
    for (sample, place, step) in [
        ("first-spill", "", "step 11/21"),
        ("first-spill", "--at spill", "step 11/21"),
        ("first-spill", "--at 3", "step 3/21"),
        ("first-spill", "--at 3000", "step 21/21"),
        ("first-spill", "--at peak", "step 9/21"),
        ("no-plan", "", "No plan: L0C has no room"),
        ("no-plan", "--at fail", "No plan: L0C has no room"),
        ("no-plan", "--at 2", "step 2/"),
    ] {
        let mut pty = start(&spillscope(&format!("samples/{sample}.json {place}")), &[]);
        pty.wait_for(step);
        pty.press("q");
        assert_left(pty, "0");
    }
}

fn copy(sample: &str, to: &Path) {
    std::fs::copy(format!("{}/samples/{sample}.json", env!("CARGO_MANIFEST_DIR")), to).expect("copied");
}

#[test]
fn a_watched_file_is_planned_again_and_a_broken_one_keeps_the_old_plan() {
    let folder = TempDir::new().expect("a temporary folder");
    let file = folder.path().join("graph.json");
    copy("first-spill", &file);
    let mut pty = start(&spillscope(&format!("'{}' --watch --at 0", file.display())), &[]);
    pty.wait_for("step 0/21");
    copy("spill-many", &file);
    pty.wait_for("/39");
    std::fs::write(&file, "{\"Nodes\": [").expect("written");
    pty.wait_for("the file changed, but");
    assert!(pty.contents().contains("/39"), "{}", pty.contents());
    pty.press("G");
    pty.wait_for("step 39/39");
    std::fs::remove_file(&file).expect("it is there");
    copy("first-spill", &file);
    pty.wait_for("/21");
    pty.press("q");
    assert_left(pty, "0");
}

#[test]
fn a_paste_is_no_keys() {
    let mut pty = start(&visualizer(""), &[]);
    pty.press("\x1b[200~lqq\x1b[201~l");
    pty.wait_for("step 1/");
    pty.press("q");
    assert_left(pty, "0");
}

#[test]
fn escape_and_the_key_behind_it_count_both_where_they_arrive_as_one() {
    let mut pty = start(&spillscope(&format!("{FIRST_SPILL} --at 0")), &[]);
    pty.wait_for("step 0/");
    pty.press("?");
    pty.wait_for("Move through time");
    pty.press("\x1bl");
    pty.wait_for("step 1/");
    pty.press("q");
    assert_left(pty, "0");
}
