//! `frame`: one frame as text, escapes or a picture.

use super::run::Folder;

/// Where the header says that one stands: `step N/`.
fn step(frame: &str) -> &str {
    let header = frame.lines().next().expect("a header");
    let (_, rest) = header.split_once("step ").unwrap_or_else(|| panic!("no step in {header}"));
    rest.split_once('/').expect("of how many").0
}

#[test]
fn text_has_the_size_that_was_asked_for_and_no_escapes() {
    let folder = Folder::with_sample("first-spill");
    for (width, height) in [(0, 0), (1, 1), (10, 3), (40, 12), (80, 24), (120, 36), (200, 60), (300, 100), (1000, 2)] {
        let out = folder.run(&["frame", "graph.json", "--size", &format!("{width}x{height}")]).ok();
        let rows: Vec<&str> = out.lines().collect();
        assert!(rows.len() <= height && (width == 0 || rows.len() == height), "{width}x{height}: {}", rows.len());
        assert!(rows.iter().all(|row| row.chars().count() <= width), "{width}x{height}");
        assert!(!out.chars().any(|c| c.is_control() && c != '\n'), "{width}x{height}");
    }
    folder.run(&["frame", "graph.json", "--size", "1001x10"]).refused(&["1000x1000"]);
    folder.run(&["frame", "graph.json", "--size", "80"]).refused(&["as in 120x36"]);
    folder.run(&["frame", "graph.json", "--size=-1x5"]).refused(&["as in 120x36"]);
}

#[test]
fn every_format_shows_the_same_words() {
    let folder = Folder::with_sample("first-spill");
    let of = |format: &str, flags: &[&str]| {
        folder.run(&[&["frame", "graph.json", "--size", "100x30", "--format", format], flags].concat()).ok()
    };
    let ansi = of("ansi", &[]);
    assert!(ansi.contains("\x1b[") && ansi.contains("Timeline"));
    let svg = of("svg", &[]);
    assert!(svg.starts_with("<svg ") && svg.trim_end().ends_with("</svg>") && svg.contains("Timeline"));
    assert!(svg != of("svg", &["--theme", "light"]));
    assert!(of("text", &[]).contains("Timeline"));
    assert!(of("text", &["--ascii"]).is_ascii() && of("ansi", &["--ascii"]).is_ascii());
}

#[test]
fn it_stands_where_it_was_told_to() {
    let folder = Folder::with_sample("first-spill");
    let at = |flags: &[&str]| folder.run(&[&["frame", "graph.json"], flags].concat()).ok();
    assert_eq!(step(&at(&["--step", "3"])), "3");
    assert_eq!(step(&at(&["--step", "0"])), "0");
    let spill = at(&["--step", "spill"]);
    assert!(spill.contains("SPILL_OUT"), "{spill}");
    assert_eq!(spill, at(&[]), "without a place, the first spill");
    assert_eq!(step(&at(&["--step", "4000000000"])), "21", "the last of 22");
    // The peak of L1, 3328, is first there when the last of its buffers arrives.
    assert!(at(&["--step", "peak"]).contains("3 328"));
    at(&["--step", "fail"]);
    folder.run(&["frame", "graph.json", "--step", "99999999999999999999"]).refused(&["is no place"]);

    let folder = Folder::with_sample("no-plan");
    let at = |flags: &[&str]| folder.run(&[&["frame", "graph.json"], flags].concat()).ok();
    let fail = at(&["--step", "fail"]);
    assert!(fail.contains("No plan: L0C has no room"), "{fail}");
    assert_eq!(fail, at(&[]), "without a place, the failure");
}

#[test]
fn keys_are_pressed_first() {
    let folder = Folder::with_sample("first-spill");
    let frame = |step: &str, keys: &str| folder.run(&["frame", "graph.json", "--step", step, "--keys", keys]).ok();
    assert_eq!(step(&frame("2", "l")), "3");
    assert_eq!(step(&frame("2", "<Right><Right><Left>")), "3");
    assert_eq!(step(&frame("0", "7G")), "7");
    assert_eq!(step(&frame("5", "<Home>")), "0");
    assert!(frame("0", "?") != frame("0", ""));
    assert_eq!(frame("0", "?<Esc>"), frame("0", ""));
    folder.run(&["frame", "graph.json", "--keys", "<Hyper>"]).refused(&["<Hyper>", "Tab"]);
}

#[test]
fn a_file_is_written_in_place_of_stdout() {
    let folder = Folder::with_sample("first-spill");
    let printed = folder.run(&["frame", "graph.json"]).ok();
    assert_eq!(folder.run(&["frame", "graph.json", "-o", "frame.txt"]).ok(), "");
    assert_eq!(folder.read("frame.txt"), printed);
    folder.run(&["frame", "graph.json", "-o", "none/frame.txt"]).refused(&["none/frame.txt"]);
    assert_eq!(folder.names("."), ["frame.txt", "graph.json"]);
}

#[test]
fn the_smallest_graphs_have_frames_whatever_is_pressed() {
    let folder = Folder::new();
    for text in [
        r#"{"Nodes":[],"Edges":[]}"#,
        r#"{"Nodes":[{"Id":9,"Op":"NOP","Pipe":"","Cycles":0,"Bufs":[]}],"Edges":[]}"#,
        r#"{"Nodes":[{"Id":9,"Op":"ALLOC","BufId":1,"Size":4096,"Type":"L1"}],"Edges":[]}"#,
        r#"{"Nodes":[{"Id":9,"Op":"ALLOC","BufId":1,"Size":4097,"Type":"L1"}],"Edges":[]}"#,
    ] {
        folder.write("graph.json", text);
        for size in ["0x0", "3x2", "50x15", "80x24", "130x40"] {
            for keys in ["", "ljhk.,sSeEfFpP", "<Tab><Enter><Tab><Enter>zG", "wv[]nN+-0'aBm", "50%?", "/x<Enter>#"] {
                let flags = ["--size", size, "--keys", keys];
                folder.run(&[&["frame", "graph.json", "--step", "peak"], &flags[..]].concat()).ok();
            }
        }
    }
}

#[test]
fn in_ascii_no_folded_arrow_is_taken_for_another_key() {
    let folder = Folder::with_sample("first-spill");
    let footer = |flags: &[&str]| {
        let frame = folder.run(&[&["frame", "graph.json"], flags].concat()).ok();
        frame.lines().last().expect("a footer").to_owned()
    };
    assert!(footer(&[]).contains("← → step"), "{}", footer(&[]));
    assert!(footer(&["--ascii"]).contains("h l step"), "{}", footer(&["--ascii"]));
}

#[test]
fn what_was_searched_for_opens_its_story_from_the_table_too() {
    let folder = Folder::with_sample("flash-attention");
    let tabs = (1..9).map(|count| format!("/b20<Enter>{}<Enter>", "<Tab>".repeat(count)));
    let stories = tabs.filter(|keys| {
        let frame = folder.run(&["frame", "graph.json", "--size", "130x40", "--keys", keys]).ok();
        frame.contains("Story of b20")
    });
    assert!(stories.count() >= 1, "no pane opens the story of b20");
}
