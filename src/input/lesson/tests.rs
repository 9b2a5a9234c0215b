use super::*;

/// A lesson in which `'` stands for `"`, with this station and these further members.
fn lesson(station: &str, more: &str) -> String {
    format!(
        "{{'lesson': 1, 'title': 'T', 'aim': 'A', 'graph': {{}},\n'plans': [{{'name': 'p', 'flags': ['--order', \
         'given']}}, {{'name': 'q', 'flags': []}}],\n'stations': [{station}]{more}}}"
    )
}

fn read(text: &str) -> Result<LessonFile, Error> {
    read_lesson(&Source::from_text("l.json", text.replace('\'', "\"")))
}

fn at(anchor: &str) -> String {
    lesson(&format!("{{'at': {anchor}, 'text': 'x'}}"), "")
}

fn asking(choices: &str) -> String {
    let choice = "{'text': 'a', 'answer': 'b'}";
    let question = format!("{{'text': 'why?', 'choices': [{}]}}", choices.replace('C', choice));
    lesson(&format!("{{'at': 'start', 'text': 'x', 'question': {question}}}"), "")
}

#[test]
fn a_whole_lesson_is_read() {
    let station = "{'at': {'event': 'spill', 'buffer': 'W 4', 'level': 'L1', 'nth': 2, 'before': true}, 'plan': 'q', \
                   'text': 'x', 'look': ['map', 'step'], 'level': 'L1', 'select': 7, 'question': {'text': 'who?', \
                   'choices': [{'text': 'a', 'answer': 'b', 'evict': 'W 4'}, {'text': 'c', 'answer': 'd', 'plan': 'p'}]}}";
    let read = read(&lesson(station, ", 'learned': 'L', 'try': 'Y'")).unwrap();
    assert_eq!((read.title.as_str(), read.aim.as_str(), read.plans.len()), ("T", "A", 2));
    assert_eq!(read.plans[0].flags, ["--order", "given"]);
    let station = &read.stations[0];
    assert_eq!((station.plan, &station.look[..], station.anchor.before), (1, &["map", "step"][..], true));
    assert!(matches!(&station.anchor.moment, Moment::Event(WantedEvent { kind: EventKind::Spill, nth: 2, .. })));
    assert!(matches!(station.select.as_ref().unwrap().to, Referent::Id(7)));
    let choices = &station.question.as_ref().unwrap().choices;
    assert!(matches!(choices[0].cost, Some(CostOfChoice::Evict(_))));
    assert!(matches!(choices[1].cost, Some(CostOfChoice::Plan(0))));
    assert_eq!((read.learned.unwrap().text, read.to_try.unwrap().text), ("L".into(), "Y".into()));
}

#[test]
fn every_anchor_is_read() {
    for anchor in [
        "'start'",
        "'end'",
        "'peak'",
        "'failure'",
        "{'step': 12}",
        "{'node': 'MATMUL 3'}",
        "{'node': 3, 'before': true}",
        "{'peak': 'L1'}",
        "{'event': 'wait', 'node': 'conv'}",
    ] {
        read(&at(anchor)).unwrap_or_else(|error| panic!("{anchor}: {error}"));
    }
}

#[test]
fn whatever_is_wrong_has_one_message_with_its_place() {
    for (text, words) in [
        (String::new(), "the file is empty"),
        ("[1]".into(), "must hold an object at the top"),
        ("{}".into(), "the lesson: `lesson` is missing"),
        ("{'lesson': 2}".into(), "`lesson` must be 1, the version that this program reads, found 2"),
        ("{'lesson': 1, 'titel': 'T'}".into(), "the lesson: there is no field `titel`"),
        ("{'lesson': 1, 'plans': []}".into(), "`plans` is missing: expected at least one plan"),
        (lesson("", ""), "`stations` is missing: expected at least one station"),
        (lesson("7", ""), "station 0, counted from 0 must be an object, found 7"),
        (lesson("{'at': 'start'}", ""), "station 0, counted from 0: `text` is missing"),
        (lesson("{'text': 'x'}", ""), "`at` is missing"),
        (lesson("{'at': 'start', 'text': ''}", ""), "`text` must be a text that is not empty"),
        (lesson("{'at': 'start', 'text': 'x', 'plan': 'r'}", ""), "must be the name of a plan (p, q), found \"r\""),
        (lesson("{'at': 'start', 'text': 'x', 'look': ['maps']}", ""), "`look` must be a list of panes (step, levels"),
        (lesson("{'at': 'start', 'text': 'x', 'captoin': 1}", ""), "there is no field `captoin`"),
        (at("'begin'"), "`at` must be \"start\", \"end\", \"peak\""),
        (at("{'event': 'spil'}"), "`event` must be one of place, free, full, spill"),
        (at("{'event': 'spill', 'nth': 0}"), "`nth` must be a whole number from 1"),
        (at("{'event': 'spill', 'step': 4}"), "`step` must be left out where `event` is given"),
        (at("{'step': 3, 'node': 4}"), "`event` is missing: expected one of"),
        (at("{'step': -3}"), "`step` must be a whole number from 0"),
        (at("{'node': 1.5}"), "`node` must be a name, or an id"),
        (at("{'step': 3, 'nth': 4}"), "`nth` must be left out where no `event` is given"),
        (at("{'before': true}"), "`event` is missing"),
        (asking("C"), "`choices` must be a list of 2 to 9 choices"),
        (asking("C, {'text': 'a'}"), "choice 1, counted from 0: `answer` is missing"),
        (asking("C, {'text': 'a', 'answer': 'b', 'plan': 'p', 'evict': 3}"), "`evict` must be left out"),
        (lesson("{'at': 'start', 'text': 'x'}", ", 'learned': 7"), "`learned` must be a text, found 7"),
    ] {
        let error = read(&text).map(drop).expect_err(&text);
        assert!(error.what.contains(words), "{text}\n{}", error.what);
        assert_eq!(error.place.unwrap().file, "l.json");
    }
    let doubled = lesson("{'at': 'start', 'text': 'x'}", "").replace("'q'", "'p'");
    assert!(read(&doubled).unwrap_err().what.contains("`plans` has the name p twice"));
    let no_graph = lesson("{'at': 'start', 'text': 'x'}", "").replace("'graph': {}", "'graph': 7");
    assert!(read(&no_graph).unwrap_err().what.contains("`graph` must be an object, or the name of a file"));
}

#[test]
fn a_fault_in_an_inline_graph_stands_where_it_is_in_the_lesson() {
    let text = lesson("{'at': 'start', 'text': 'x'}", "").replace("'graph': {}", "'graph':\n  {'Nodes': 7}");
    let GraphOfLesson::Inline(graph) = read(&text).unwrap().graph else { panic!("it is inline") };
    let error = crate::input::read_graph_source(&graph).unwrap_err();
    let place = error.place.unwrap();
    assert_eq!((place.file.as_str(), place.at), ("l.json", Some((2, 13))), "{}", error.what);
}
