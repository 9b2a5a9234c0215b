//! Chrome traces keep the rules of their format ("Trace Event Format", Google, 2016), as importers rely on them.

use std::collections::{BTreeMap, HashMap};

use serde_json::Value;
use spillscope::model::LevelIx;
use spillscope::output::chrome_trace::write_chrome_trace;
use spillscope::session::Session;
use spillscope::trace::Mark;

/// Thread, start, end, place in the file.
type Slice = (u64, u64, u64, usize);

pub fn keeps_the_rules(session: &Session, about: &str) {
    let mut text = Vec::new();
    write_chrome_trace(&mut text, session, "spillscope plan g.json").expect("memory takes all");
    let json: Value = serde_json::from_slice(&text).unwrap_or_else(|error| panic!("{about}: {error}"));
    let events = json["traceEvents"].as_array().expect("a list");
    for event in events {
        let kind = event["ph"].as_str().unwrap_or_default();
        assert!(["M", "C", "X", "i", "s", "f"].contains(&kind), "{about}: {event}");
        assert!(event["pid"].is_u64() && event["tid"].is_u64() && event["name"].is_string(), "{about}: {event}");
        assert!(kind == "M" || event["ts"].is_u64(), "{about}: {event}");
        assert_eq!(event["dur"].is_u64(), kind == "X", "{about}: {event}");
        assert!(kind != "i" || ["t", "g"].contains(&event["s"].as_str().unwrap_or_default()), "{about}: {event}");
    }
    let slices = slices(events);
    do_not_overlap(&slices, about);
    stand_for_the_work(session, &slices, about);
    flows_pair(session, events, &slices, about);
    counters_are_the_levels(session, events, about);
    threads_are_named_once(events, about);
    let put_off = events.iter().filter(|event| event["name"].as_str().is_some_and(|name| name.ends_with(" put off")));
    assert_eq!(put_off.count(), session.trace.marks(Mark::Postpone).len(), "{about}");
    let failures = events.iter().filter(|event| event["s"] == "g").count();
    assert_eq!(failures, session.trace.marks(Mark::Failure).len(), "{about}");
}

fn number(event: &Value, field: &str) -> u64 {
    event[field].as_u64().unwrap_or_else(|| panic!("{field}: {event}"))
}

fn slices(events: &[Value]) -> Vec<Slice> {
    let all = events.iter().enumerate().filter(|(_, event)| event["ph"] == "X");
    all.map(|(place, event)| {
        let start = number(event, "ts");
        (number(event, "tid"), start, start + number(event, "dur"), place)
    })
    .collect()
}

/// On each thread one comes after the other, in the file as in time; what takes no time may also stand behind the one that
/// begins at that moment.
fn do_not_overlap(slices: &[Slice], about: &str) {
    let mut last: HashMap<u64, (u64, u64)> = HashMap::new();
    for &(thread, start, end, place) in slices {
        let before = last.get(&thread).copied().unwrap_or((0, 0));
        let is_behind = before.1 <= start && start <= end;
        assert!(is_behind || (start == end && start == before.0), "{about}: event {place}, {before:?} before");
        if is_behind {
            last.insert(thread, (start, end));
        }
    }
}

fn stand_for_the_work(session: &Session, slices: &[Slice], about: &str) {
    let trace = &session.trace;
    let mut worked: Vec<(u64, u64)> = (0..trace.plan.steps.len())
        .filter(|&step| trace.lane_at(step).is_some())
        .filter_map(|step| trace.time_of(step))
        .collect();
    let mut shown: Vec<(u64, u64)> = slices.iter().map(|&(_, start, end, _)| (start, end)).collect();
    worked.sort_unstable();
    shown.sort_unstable();
    assert_eq!(shown, worked, "{about}");
}

/// Each spill that comes back has both halves, at the start of its slice, which stands right before it in the file. Between
/// a half and its slice there is nothing, and no longer slice of that moment comes behind: importers sort those to the front.
fn flows_pair(session: &Session, events: &[Value], slices: &[Slice], about: &str) {
    let mut halves: BTreeMap<u64, Vec<(u64, &str)>> = BTreeMap::new();
    for (place, event) in events.iter().enumerate().filter(|(_, event)| event["ph"] == "s" || event["ph"] == "f") {
        halves
            .entry(number(event, "id"))
            .or_default()
            .push((number(event, "ts"), event["ph"].as_str().unwrap_or_default()));
        let bound = slices.iter().find(|slice| slice.3 + 1 == place).unwrap_or_else(|| panic!("{about}: {event}"));
        assert_eq!((bound.0, bound.1), (number(event, "tid"), number(event, "ts")), "{about}");
        assert_eq!(event["bp"], "e", "{about}");
        let later = slices.iter().filter(|slice| slice.3 > place && (slice.0, slice.1) == (bound.0, bound.1));
        assert!(later.into_iter().all(|slice| slice.1 == slice.2), "{about}: {event}");
    }
    let back = session.trace.plan.spills.iter().filter(|spill| spill.offset.is_some()).count();
    assert_eq!(halves.len(), back, "{about}");
    // The file need not be in the order of time.
    let in_order = |pair: &Vec<(u64, &str)>| {
        let of = |half: &str| pair.iter().find(|(_, kind)| *kind == half).map(|(at, _)| *at);
        pair.len() == 2 && of("s").is_some() && of("s") <= of("f")
    };
    assert!(halves.values().all(in_order), "{about}: {halves:?}");
}

/// Ascending in time, never above the capacity, and at their highest at least as high as steps tell one by one.
fn counters_are_the_levels(session: &Session, events: &[Value], about: &str) {
    let problem = &session.trace.problem;
    for (at, level) in problem.machine.levels.iter().enumerate() {
        let name = level.name.to_string();
        let own = events.iter().filter(|event| event["ph"] == "C" && event["name"] == name.as_str());
        let points: Vec<(u64, u64)> =
            own.map(|event| (number(event, "ts"), event["args"]["used"].as_u64().expect("a number"))).collect();
        assert!(points.is_sorted_by(|a, b| a.0 < b.0), "{about}: {name}");
        assert!(points.iter().all(|&(_, used)| used <= level.capacity), "{about}: {name}");
        let held = session.trace.occupancy(LevelIx::new(at)).at(u32::MAX - 1);
        assert_eq!(points.last().map_or(0, |&(_, used)| used), held, "{about}: {name} at the end");
    }
}

fn threads_are_named_once(events: &[Value], about: &str) {
    let mut names: HashMap<u64, usize> = HashMap::new();
    let named = events.iter().filter(|event| event["name"] == "thread_name");
    named.for_each(|event| *names.entry(number(event, "tid")).or_default() += 1);
    assert!(names.values().all(|&count| count == 1), "{about}");
    let used = events.iter().filter(|event| ["X", "s", "f"].contains(&event["ph"].as_str().unwrap_or_default()));
    assert!(used.map(|event| number(event, "tid")).all(|thread| names.contains_key(&thread)), "{about}");
}
