//! Lessons where standard output is no terminal: the list, a lesson as text, one's own lesson, and what is wrong with it.

use super::run::Folder;

/// A lesson of one's own, in which `'` stands for `"`.
fn lesson(stations: &str) -> String {
    let graph = "{'Nodes': [
      {'Id': 0, 'Op': 'ALLOC', 'Name': 'x', 'BufId': 7, 'Size': 60, 'Type': 'L1'},
      {'Id': 1, 'Op': 'COPY_IN', 'Name': 'load x', 'Pipe': 'MTE2', 'Cycles': 9, 'Bufs': [7]},
      {'Id': 2, 'Op': 'ALLOC', 'Name': 'y', 'BufId': 8, 'Size': 50, 'Type': 'L1'},
      {'Id': 3, 'Op': 'COPY_IN', 'Name': 'load y', 'Pipe': 'MTE2', 'Cycles': 9, 'Bufs': [8]},
      {'Id': 4, 'Op': 'FREE', 'BufId': 8, 'Size': 50, 'Type': 'L1'},
      {'Id': 5, 'Op': 'ADD', 'Name': 'use x', 'Pipe': 'VECTOR', 'Cycles': 9, 'Bufs': [7]},
      {'Id': 6, 'Op': 'FREE', 'BufId': 7, 'Size': 60, 'Type': 'L1'}]}";
    let flags = "['--order', 'program', '--policy', 'classic', '--capacity', 'L1=100']";
    let text = format!(
        "{{'lesson': 1, 'title': 'Mine', 'aim': 'An aim.', 'graph': {graph},\n\
         'plans': [{{'name': 'classic', 'flags': {flags}}}],\n'stations': [{stations}]}}"
    );
    text.replace('\'', "\"")
}

#[test]
fn the_list_is_the_same_with_and_without_asking_for_it() {
    let folder = Folder::new();
    let list = folder.sh("XDG_STATE_HOME=\"$PWD\" spillscope learn --list").ok();
    assert!(list.contains(" 1  Why memory fills  (why-memory-fills; 7 stations)"), "{list}");
    assert!(list.contains("12  Search  (search;"), "{list}");
    assert_eq!(folder.sh("XDG_STATE_HOME=\"$PWD\" spillscope learn").ok(), list);
    assert!(folder.names("spillscope").is_empty(), "reading keeps nothing");
}

#[test]
fn progress_that_was_kept_is_in_the_list_and_a_broken_file_is_no_reason_to_stop() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("spillscope")).expect("a new folder");
    folder.write(
        "spillscope/lessons.json",
        r#"{"version": 1, "lessons": {"first-spill": {"station": 2, "done": false}, "backed": {"station": 0, "done": true}}}"#,
    );
    let list = folder.sh("XDG_STATE_HOME=\"$PWD\" spillscope learn --list").ok();
    assert!(list.contains("(first-spill; at 3 of 7)") && list.contains("(backed; done)"), "{list}");
    folder.write("spillscope/lessons.json", "{");
    let list = folder.sh("XDG_STATE_HOME=\"$PWD\" spillscope learn --list").ok();
    assert!(list.contains("(first-spill; 7 stations)"), "{list}");
}

#[test]
fn a_lesson_is_printed_as_text_by_name_and_by_number() {
    let folder = Folder::new();
    let text = folder.run(&["learn", "first-spill"]).ok();
    assert_eq!(folder.run(&["learn", "2"]).ok(), text);
    for part in ["Lesson 2: The first spill", "1/7  step 0", "SPILL_OUT b0", "Who should leave?", "1. image (1 spill, "]
    {
        assert!(text.contains(part), "{part}\n{text}");
    }
    assert!(text.lines().all(|line| line.chars().count() <= 80) && !text.contains('\x1b'), "{text}");
}

#[test]
fn a_lesson_of_ones_own_is_read_from_any_path_and_from_standard_input() {
    let folder = Folder::new();
    let station =
        "{'at': {'event': 'spill'}, 'text': 'At {step} {buffer} goes for {size.y}, {extra_traffic} moved; {{}}.'}";
    folder.write("mine.json", &lesson(station));
    let text = folder.run(&["learn", "mine.json"]).ok();
    assert!(text.contains("Mine\nAn aim.\n"), "{text}");
    assert!(text.contains("At 2 b7 “x” goes for 50, 60 moved; {}."), "{text}");
    assert_eq!(folder.run_with(&["learn", "-"], &lesson(station)).ok(), text);
    let outside = lesson(station);
    let (before, rest) = outside.split_once("\"graph\": ").expect("it has a graph");
    let (graph, after) = rest.split_once(",\n\"plans\"").expect("plans follow");
    std::fs::create_dir(folder.path("deep")).expect("a new folder");
    folder.write("deep/graph.json", graph);
    folder.write("deep/mine.json", &format!("{before}\"graph\": \"graph.json\",\n\"plans\"{after}"));
    assert_eq!(folder.run(&["learn", "deep/mine.json"]).ok(), text, "the graph is looked for beside the lesson");
}

#[test]
fn whatever_does_not_fit_the_plan_has_one_message_with_its_place() {
    let folder = Folder::new();
    for (station, words) in [
        (
            "{'at': {'event': 'spill', 'nth': 2}, 'text': 'x'}",
            &[
                "mine.json:10:21",
                "station 0, counted from 0",
                "no such spill event number 2, only 1",
                "1 spill, 1 reload",
            ][..],
        ),
        ("{'at': {'event': 'postpone'}, 'text': 'x'}", &["there is no such postpone event", "it has 2 place"]),
        ("{'at': {'event': 'spill', 'buffer': 'z'}, 'text': 'x'}", &["no buffer “z”", "its buffers are x, y"]),
        ("{'at': {'node': 'jump'}, 'text': 'x'}", &["no node “jump”", "its operations are load x, load y, use x"]),
        ("{'at': {'node': 77}, 'text': 'x'}", &["no node 77"]),
        ("{'at': {'step': 99}, 'text': 'x'}", &["there is no step 99: the last is 8"]),
        ("{'at': 'failure', 'text': 'x'}", &["nothing fails"]),
        ("{'at': {'peak': 'L9'}, 'text': 'x'}", &["the machine has no level “L9”"]),
        ("{'at': {'step': 0, 'before': true}, 'text': 'x'}", &["nothing comes before that moment"]),
        (
            "{'at': 'start', 'text': 'so {spil} it'}",
            &["mine.json:10:42", "there is no placeholder `{spil}`", "extra_traffic"],
        ),
        ("{'at': {'step': 1}, 'text': '{size}'}", &["`{size}`: this moment is about no buffer", "{size.W4}"]),
        ("{'at': 'start', 'text': '{size.z}'}", &["there is no buffer of that name"]),
        ("{'at': 'start', 'text': '{other:spills}'}", &["there is no plan “other”", "the plans are classic"]),
        ("{'at': 'start', 'text': 'a { b'}", &["without its other half"]),
        ("{'at': 'start', 'text': 'x', 'level': 'L9'}", &["the machine has no level “L9”", "its levels are L1, UB"]),
        ("{'at': 'start', 'text': 'x', 'select': 'z'}", &["no buffer “z”"]),
        (
            "{'at': 'start', 'text': 'x', 'question': {'text': 'q', 'choices': [{'text': 'a', 'answer': 'b', 'evict': \
             'y'}, {'text': 'c', 'answer': 'd'}]}}",
            &["b8 “y” cannot leave there"],
        ),
        (
            "{'at': 'end', 'text': 'x', 'question': {'text': 'q', 'choices': [{'text': 'a', 'answer': 'b', 'evict': \
             'x'}, {'text': 'c', 'answer': 'd'}]}}",
            &["after this moment nothing is spilled"],
        ),
    ] {
        folder.write("mine.json", &lesson(station));
        folder.run(&["learn", "mine.json"]).refused(words);
    }
}

#[test]
fn what_is_wrong_with_graph_machine_or_flags_is_told_in_the_lesson() {
    let folder = Folder::new();
    let station = "{'at': 'start', 'text': 'x'}";
    for (from, to, words) in [
        ("--policy", "--polizy", &["mine.json:9:", "the plan “classic”", "unexpected argument '--polizy'"][..]),
        ("L1=100", "L7=100", &["mine.json:9:", "--capacity names level L7"]),
        ("L1=100", "L1=0", &["the capacity of L1 must be from 1"]),
        (
            "\"--order\", \"program\", \"--policy\", \"classic\", \"--capacity\", \"L1=100\"",
            "\"--search\", \"5\"",
            &["a search by the clock", "use --evaluations"],
        ),
        ("\"Size\": 60", "\"Size\": -3", &["mine.json:2:", "`Size` must be a whole number"]),
        ("\"graph\": {", "\"graph\": \"none.json\", \"x\": {", &["there is no field `x`"]),
        ("\"graph\": {", "\"machine\": {\"levels\": []}, \"graph\": {", &["mine.json:1:", "`levels` is missing"]),
        ("\"title\": \"Mine\"", "\"title\": 7", &["mine.json:1:", "`title` must be a text, found 7"]),
    ] {
        let text = lesson(station);
        assert!(text.contains(from), "{from}");
        folder.write("mine.json", &text.replacen(from, to, 1));
        folder.run(&["learn", "mine.json"]).refused(words);
    }
    folder.write("mine.json", &lesson(station).replacen("\"graph\": {", "\"graph\": \"none.json\", \"learned\": {", 1));
    assert_eq!(folder.run(&["learn", "mine.json"]).status, Some(2));
    folder.run(&["learn", "frist-spill"]).refused(&["there is no lesson “frist-spill”", "did you mean first-spill?"]);
    folder.run(&["learn", "nothing-like-it"]).refused(&["there is no lesson", "--list names the lessons"]);
    folder.run(&["learn", "0"]).refused(&["there is no lesson “0”"]);
    folder.run(&["learn", "13"]).refused(&["there is no lesson “13”"]);
}

/// The README of the lessons.
fn readme() -> String {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/samples/lessons/README.md");
    std::fs::read_to_string(path).expect("it can be read")
}

#[test]
fn the_lesson_in_the_readme_is_a_whole_one() {
    let readme = readme();
    let block = readme.split("```json my.json\n").nth(1).and_then(|rest| rest.split("```").next()).expect("a lesson");
    let folder = Folder::new();
    folder.write("my.json", block);
    let text = folder.run(&["learn", "my.json"]).ok();
    for part in
        ["“y” needs 50 units, and 40 of 100 are free", "1. “x” leaves (1 spill, 60 moved", "With 110 units nothing"]
    {
        assert!(text.contains(part), "{part}\n{text}");
    }
}

#[test]
fn the_readme_tells_of_every_lesson_pane_and_kind_of_event() {
    use spillscope::input::lesson::{EventKind, PANES};
    let readme = readme();
    let list = Folder::new().run(&["learn", "--list"]).ok();
    let lessons = list.lines().filter_map(|line| line.split_once("  (")?.1.split(';').next());
    let names = lessons.chain(PANES).chain(EventKind::ALL.map(|(name, _)| name));
    let untold: Vec<&str> = names.filter(|name| !readme.contains(&format!("`{name}`"))).collect();
    assert!(untold.is_empty(), "{untold:?}");
}
