//! Files of plans that are cut short, doubled, shuffled, of another system, or no plan at all.

use super::rules::{MACHINE, Plan, drawn, findings, folder};
use super::run::Folder;

const FILES: [&str; 3] = ["plan/graph_schedule.txt", "plan/graph_memory.txt", "plan/graph_spill.txt"];

/// Puts bytes in place of a file.
fn put(folder: &Folder, file: &str, bytes: &[u8]) {
    std::fs::write(folder.path(file), bytes).expect("written");
}

#[track_caller]
fn holds(folder: &Folder, about: &str) {
    let out = folder.run(&[&["check", "graph.json", "plan"], &MACHINE[..]].concat()).ok();
    assert!(out.contains("valid plan, 16 steps, 3 spills"), "{about}: {out}");
    drawn(folder);
}

/// Both commands refuse it with these words, and say nothing else.
#[track_caller]
fn refused(folder: &Folder, words: &[&str]) {
    folder.run(&[&["check", "graph.json", "plan"], &MACHINE[..]].concat()).refused(words);
    folder.run(&[&["frame", "graph.json", "--plan", "plan"], &MACHINE[..]].concat()).refused(words);
    folder.run(&[&["plan", "graph.json", "--from", "plan"], &MACHINE[..]].concat()).refused(words);
    folder.run(&[&["export", "graph.json", "--plan", "plan", "--to", "trace"], &MACHINE[..]].concat()).refused(words);
}

#[test]
fn line_ends_marks_and_blanks_of_other_systems_do_not_matter() {
    let folder = folder();
    for file in FILES {
        let sound = folder.read(file);
        for (about, text) in [
            ("CRLF", sound.replace('\n', "\r\n")),
            ("CR", sound.replace('\n', "\r")),
            ("a byte-order mark", format!("\u{feff}{sound}")),
            ("a byte-order mark and CRLF", format!("\u{feff}{}", sound.replace('\n', "\r\n"))),
            ("no newline at the end", sound.trim_end().to_owned()),
            ("blank lines", format!("\n\n{}\n\n", sound.replace('\n', "\n\n"))),
            ("blanks around", sound.replace('\n', "  \n\t ")),
            ("blanks within", sound.replace(':', " : ")),
        ] {
            folder.write(file, &text);
            holds(&folder, about);
        }
        folder.write(file, &sound);
    }
}

#[test]
fn files_that_are_cut_short_miss_something() {
    let folder = folder();
    let plan = Plan::valid();
    for (file, lines) in FILES.into_iter().zip([&plan.schedule, &plan.memory, &plan.spills]) {
        for kept in 0..lines.len() {
            folder.write(file, &lines[..kept].join("\n"));
            let out = findings(&folder);
            assert!(out.contains("R1"), "{file}, {kept} lines: {out}");
            drawn(&folder);
        }
        // In the middle of a line: of a pair what is left is none, or ends a digit early.
        folder.write(file, &(lines.join("\n") + "\n"));
    }
    folder.write(FILES[1], "1:0\n2:0\n3:");
    refused(&folder, &["graph_memory.txt:3:1", "expected BufId:Offset, found 3:", "two whole numbers"]);
    folder.write(FILES[1], "1:0\n2:0\n3:6");
    assert!(findings(&folder).contains("R6 "));
}

#[test]
fn doubled_and_shuffled_lines_are_findings_where_their_order_counts() {
    let folder = folder();
    let plan = Plan::valid();
    for at in 0..plan.schedule.len() {
        let mut doubled = plan.clone();
        doubled.schedule.insert(at, plan.schedule[at].clone());
        doubled.write(&folder);
        let out = findings(&folder);
        assert!(out.contains(&format!("R1 step {}: node {} stands a second time", at + 1, plan.schedule[at])), "{out}");
        drawn(&folder);
    }
    for at in 0..plan.memory.len() {
        let mut doubled = plan.clone();
        doubled.memory.insert(at, plan.memory[at].clone());
        doubled.write(&folder);
        assert!(findings(&folder).contains("R1: buffer"));
        drawn(&folder);
    }
    let mut doubled = plan.clone();
    doubled.spills.insert(0, plan.spills[0].clone());
    doubled.write(&folder);
    findings(&folder);
    drawn(&folder);

    let mut shuffled = plan.clone();
    shuffled.schedule.reverse();
    shuffled.write(&folder);
    let out = findings(&folder);
    assert!(["R2", "R3", "R4"].iter().all(|rule| out.contains(rule)), "{out}");
    drawn(&folder);
    // The order of placements means nothing, that of spills is their numbers.
    let mut shuffled = plan.clone();
    shuffled.memory.reverse();
    shuffled.write(&folder);
    holds(&folder, "placements in another order");
    let mut shuffled = plan;
    shuffled.spills.swap(0, 1);
    shuffled.write(&folder);
    assert!(findings(&folder).contains("R3"));
    drawn(&folder);
}

#[test]
fn what_is_no_line_of_a_plan_is_pointed_at() {
    let folder = folder();
    let ids = "expected a node id, found";
    let pair = "expected BufId:Offset, found";
    for (file, line, words) in [
        (0, "x", format!("{ids} x")),
        (0, "-1", format!("{ids} -1")),
        (0, "1.5", format!("{ids} 1.5")),
        (0, "1 2", format!("{ids} 1 2")),
        (0, "18446744073709551616", format!("{ids} 18446744073709551616")),
        (0, "0x10", format!("{ids} 0x10")),
        (0, "\u{1b}[2J", format!("{ids} \u{fffd}[2J")),
        (1, "1", format!("{pair} 1")),
        (1, "1:", format!("{pair} 1:")),
        (1, ":1", format!("{pair} :1")),
        (1, "1:2:3", format!("{pair} 1:2:3")),
        (1, "1,2", format!("{pair} 1,2")),
        (1, "-1:0", format!("{pair} -1:0")),
        (1, "1:9223372036854775808", format!("{pair} 1:9223372036854775808")),
        (1, "1:1e3", format!("{pair} 1:1e3")),
        (1, "BufId:Offset", format!("{pair} BufId:Offset")),
        (2, "1;0", "expected BufId:NewOffset, found 1;0".to_owned()),
    ] {
        let sound = folder.read(FILES[file]);
        let mut lines: Vec<&str> = sound.lines().collect();
        lines.insert(2, line);
        folder.write(FILES[file], &lines.join("\n"));
        let name = FILES[file].trim_start_matches("plan/");
        refused(&folder, &[&format!("{name}:3:1"), &words]);
        folder.write(FILES[file], &lines.join("\r"));
        folder
            .run(&[&["check", "graph.json", "plan"], &MACHINE[..]].concat())
            .refused(&[&format!("{name}:3:1"), &words]);
        folder.write(FILES[file], &sound);
    }
}

#[test]
fn what_is_no_text_is_said_to_be_none() {
    let folder = folder();
    for file in FILES {
        let sound = folder.read(file);
        put(&folder, file, b"1\n\xff\xfe\n");
        refused(&folder, &[":2:1", "not UTF-8"]);
        let utf16: Vec<u8> = [0xff, 0xfe].into_iter().chain(sound.bytes().flat_map(|byte| [byte, 0])).collect();
        put(&folder, file, &utf16);
        refused(&folder, &["UTF-16"]);
        put(&folder, file, &[0; 100]);
        refused(&folder, &[":1:1", "expected"]);
        folder.write(file, &sound);
    }
}

#[test]
fn files_that_are_not_there_are_named_and_without_spills_there_need_be_no_file_of_them() {
    let folder = folder();
    let plan = Plan::valid();
    std::fs::remove_file(folder.path(FILES[2])).expect("it is there");
    let out = findings(&folder);
    assert!(out.contains("R1 step 3: "), "{out}");
    drawn(&folder);
    plan.write(&folder);
    std::fs::remove_file(folder.path(FILES[1])).expect("it is there");
    refused(&folder, &["graph_memory.txt", "no such file"]);
    plan.write(&folder);
    std::fs::remove_file(folder.path(FILES[0])).expect("it is there");
    refused(&folder, &["graph_schedule.txt", "there is no schedule"]);
    std::fs::create_dir(folder.path(FILES[0])).expect("a new folder");
    refused(&folder, &["graph_schedule.txt", "found a folder"]);
}
