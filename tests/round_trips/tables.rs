//! The tables of steps and buffers beside `plan.json`; pictures and DOT, as far as they can be counted.

use std::collections::HashMap;

use serde_json::Value;
use spillscope::model::{LevelIx, clean};
use spillscope::output::buffers_csv::write_buffers_csv;
use spillscope::output::dot::write_dot;
use spillscope::output::steps_csv::write_steps_csv;
use spillscope::output::svg::Axis;
use spillscope::output::svg_map::write_map;
use spillscope::output::svg_timeline::write_timeline;
use spillscope::session::Session;

use super::plans::json_of;

type Row = HashMap<String, String>;

pub fn say_what_the_plan_does(session: &Session, about: &str) {
    let json = json_of(session);
    steps(session, &json, about);
    buffers(session, &json, about);
    pictures(session, about);
    let mut dot = Vec::new();
    write_dot(&mut dot, &session.trace.problem).expect("memory takes all");
    let dot = String::from_utf8(dot).expect("UTF-8");
    assert_eq!(dot.matches(" [ label = \"").count(), session.trace.problem.graph.node_count(), "{about}");
}

fn rows(text: &[u8]) -> Vec<Row> {
    let mut reader = csv::Reader::from_reader(text);
    reader.deserialize().map(|row| row.expect("as many fields as columns")).collect()
}

fn number(row: &Row, column: &str) -> Option<u64> {
    let field = row.get(column).unwrap_or_else(|| panic!("no column {column}"));
    (!field.is_empty()).then(|| field.parse().unwrap_or_else(|_| panic!("{column}: {field}")))
}

/// A text as the tables have it.
fn text(value: &Value) -> String {
    clean(value.as_str().unwrap_or_default()).into_owned()
}

fn steps(session: &Session, json: &Value, about: &str) {
    let mut written = Vec::new();
    write_steps_csv(&mut written, session).expect("memory takes all");
    let rows = rows(&written);
    let trace = &session.trace;
    assert_eq!(rows.len(), trace.step_count(), "{about}");
    let listed = json["steps"].as_array().expect("a list");
    for (at, (row, entry)) in rows.iter().zip(listed).enumerate() {
        let about = format!("{about}, step {at}");
        assert_eq!(number(row, "step"), Some(at as u64), "{about}");
        for (column, field) in
            [("id", "id"), ("cycle_start", "start"), ("cycle_end", "end"), ("buffer", "buffer"), ("offset", "offset")]
        {
            assert_eq!(number(row, column), entry[field].as_u64(), "{about}: {column}");
        }
        for column in ["op", "name", "unit", "level"] {
            assert_eq!(row[column], text(&entry[column]), "{about}: {column}");
        }
        assert!(!row["why"].is_empty(), "{about}");
    }
    for (level, known) in trace.problem.machine.levels.iter().enumerate() {
        let column = format!("used.{}", known.name);
        for (step, row) in rows.iter().enumerate() {
            let used = trace.occupancy(LevelIx::new(level)).at(step as u32);
            assert_eq!(number(row, &column), Some(used), "{about}, step {step}");
        }
    }
    let failure = rows.get(listed.len()).map(|row| row["kind"].as_str());
    assert_eq!(failure, trace.failing_step().map(|_| "failure"), "{about}");
}

fn buffers(session: &Session, json: &Value, about: &str) {
    let mut written = Vec::new();
    write_buffers_csv(&mut written, session).expect("memory takes all");
    let rows = rows(&written);
    let graph = &session.trace.problem.graph;
    assert_eq!(rows.len(), graph.buffers().len(), "{about}");
    let spills = json["spills"].as_array().expect("a list");
    let memory: HashMap<u64, u64> = json["memory"].as_array().expect("a list").iter().map(pair).collect();
    let listed = json["steps"].as_array().expect("a list");
    for (row, buffer) in rows.iter().zip(graph.buffers()) {
        let about = format!("{about}, buffer {}", buffer.id);
        assert_eq!(number(row, "buffer"), Some(buffer.id), "{about}");
        assert_eq!(number(row, "size"), Some(buffer.size), "{about}");
        assert_eq!(number(row, "first_offset"), memory.get(&buffer.id).copied(), "{about}");
        let own = || spills.iter().filter(|spill| spill["buffer"] == buffer.id);
        assert_eq!(number(row, "spills"), Some(own().count() as u64), "{about}");
        let back = own().filter(|spill| !spill["back"].is_null()).count() as u64;
        assert_eq!(number(row, "reloads"), Some(back), "{about}");
        for (column, op, cycle) in [("born_step", "ALLOC", "born_cycle"), ("died_step", "FREE", "died_cycle")] {
            let Some(step) = number(row, column) else { continue };
            let entry = &listed[step as usize];
            assert_eq!((&entry["op"], &entry["buffer"]), (&op.into(), &buffer.id.into()), "{about}");
            assert_eq!(number(row, cycle), entry["start"].as_u64(), "{about}");
        }
    }
    let moved: u64 = rows.iter().filter_map(|row| number(row, "moved")).sum();
    assert_eq!(moved, session.figures.extra_traffic, "{about}");
}

fn pair(entry: &Value) -> (u64, u64) {
    (entry[0].as_u64().expect("an id"), entry[1].as_u64().expect("an offset"))
}

fn pictures(session: &Session, about: &str) {
    let trace = &session.trace;
    let levels: Vec<LevelIx> = (0..trace.problem.level_count()).map(LevelIx::new).collect();
    for axis in [Axis::Steps, Axis::Cycles] {
        for &level in &levels {
            let mut svg = Vec::new();
            write_map(&mut svg, session, level, axis).expect("memory takes all");
            let svg = String::from_utf8(svg).expect("UTF-8");
            let stays = trace.stays_beginning(level, 0..u32::MAX).len();
            assert_eq!(svg.matches("><title>").count(), stays, "{about}: a rectangle a stay");
            is_sound(&svg, about);
        }
        let mut svg = Vec::new();
        write_timeline(&mut svg, session, &levels, axis).expect("memory takes all");
        is_sound(&String::from_utf8(svg).expect("UTF-8"), about);
    }
}

/// As far as it can be told without a reader of XML: what opens closes, and all numbers are some.
fn is_sound(svg: &str, about: &str) {
    assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"), "{about}");
    for element in ["title", "text", "desc"] {
        let opened = svg.matches(&format!("<{element}>")).count() + svg.matches(&format!("<{element} ")).count();
        assert_eq!(opened, svg.matches(&format!("</{element}>")).count(), "{about}: {element}");
    }
    assert!(!svg.contains("NaN") && !svg.contains("\"inf") && !svg.contains("width=\"-"), "{about}");
}
