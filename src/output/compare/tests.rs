use unicode_width::UnicodeWidthStr;

use super::*;
use crate::compare::testing::{FORK, RIVALS, pooled, topological};
use crate::compare::{Range, Strategy, Sweep, standard};
use crate::output::{compare_csv, compare_json};

fn compared() -> Comparison {
    let problem = pooled(&FORK, 2, 45 << 20);
    let mut strategies = standard(&problem, &topological()).unwrap();
    let tight = pooled(&FORK, 2, 30 << 20);
    strategies.push(Strategy::new("--max-pool-bytes 30MiB --buckets exact", &tight, topological()));
    Comparison::run(&problem, strategies, &mut || {})
}

fn swept() -> (Problem, Sweep) {
    let problem = pooled(&RIVALS, 2, 12);
    let range = Range { setting: Setting::PoolBytes, values: vec![10, 12, 22, 30] };
    let sweep = Sweep::run(&problem, &topological(), &range, &mut || {});
    (problem, sweep)
}

fn row_of<'a>(text: &'a str, name: &str) -> Vec<&'a str> {
    let line = text.lines().find(|line| line.trim_start().starts_with(name));
    line.unwrap_or_else(|| panic!("{name} is not in\n{text}"))
        .split("  ")
        .map(str::trim)
        .filter(|cell| !cell.is_empty())
        .collect()
}

#[test]
fn tables_keep_to_their_width_and_name_what_they_leave_out() {
    let compared = compared();
    for width in [200, 80, 60, 44] {
        let text = strategies(&compared, width, "spillscope compare g.json");
        let table = text.lines().take_while(|line| !line.contains("the same again"));
        let wide: Vec<&str> =
            table.filter(|line| line.width() > width).filter(|line| !line.contains("no plan:")).collect();
        assert!(wide.is_empty(), "{width}: {wide:#?}");
        assert_eq!(text.contains("no room here for"), width < 90, "{width}\n{text}");
    }
}

#[test]
fn ratios_are_beside_refcount() {
    let compared = compared();
    let text = strategies(&compared, 80, "");
    assert_eq!(row_of(&text, "refcount")[2], "1.00×");
    let (naive, base) = (compared.measured("naive").unwrap(), compared.measured("refcount").unwrap());
    let expected = format!("{:.2}×", naive.pool.peak_held as f64 / base.pool.peak_held as f64);
    assert_eq!(row_of(&text, "naive")[1..3], ["68.2", expected.as_str()]);
}

#[test]
fn a_row_without_a_plan_says_why_in_the_table_and_below() {
    let text = strategies(&compared(), 80, "");
    assert_eq!(row_of(&text, "--max-pool-bytes")[1], "no plan: what is needed at once exceeds pool");
    assert!(text.contains("is --max-pool-bytes 30MiB --buckets exact"), "{text}");
    assert!(text.contains("No plan exists: "), "{text}");
}

#[test]
fn sentences_tell_each_idea_with_figures_of_the_table() {
    let compared = compared();
    let told = sentences::sentences(&compared);
    assert_eq!(told.len(), 5, "{told:#?}");
    let (naive, refcount) = (compared.measured("naive").unwrap(), compared.measured("refcount").unwrap());
    let saved = 100.0 - 100.0 * refcount.pool.peak_held as f64 / naive.pool.peak_held as f64;
    assert!(told[0].contains(&format!("the peak is {saved:.0}% lower, the time the same")), "{told:#?}");
    let hits = compared.measured("pool").unwrap().pool.hits;
    assert!(told[1].contains(&counted(hits, "request")), "{told:#?}");
}

#[test]
fn what_has_no_plan_is_not_spoken_of() {
    let problem = pooled(&RIVALS, 2, 12);
    let rows = vec![Strategy::new("pool", &pooled(&RIVALS, 2, 10), topological())];
    let compared = Comparison::run(&problem, rows, &mut || {});
    assert!(sentences::sentences(&compared).is_empty());
}

#[test]
fn a_sweep_marks_its_knee_and_keeps_what_has_no_plan() {
    let (problem, swept) = swept();
    let text = sweep(&problem, &topological(), &swept, 80, Chart::Ascii, "spillscope compare g.json");
    assert_eq!(row_of(&text, "10  ")[1], "no plan: what is needed at once exceeds pool");
    let line = |value: &str| text.lines().find(|line| line.trim_start().starts_with(value)).unwrap();
    assert!(line("12 ").ends_with(&"#".repeat(20)), "{text}");
    assert!(line("22 ").ends_with(&format!(" {} < knee", "#".repeat(10))), "{text}");
    assert!(line("30 ").ends_with(&format!(" {}", "#".repeat(10))), "{text}");
    assert!(text.contains("The knee is at max-pool-bytes 22 B"), "{text}");
    assert!(text.contains("2.0 2.0 2.0"), "busy workers by tenth of the time: {text}");
    assert!(text.lines().all(|line| line.width() <= 80), "{text}");
}

#[test]
fn json_has_the_names_that_are_documented_and_plain_numbers() {
    let compared = compared();
    let json: serde_json::Value = serde_json::from_str(&compare_json::strategies(&compared, "spillscope …")).unwrap();
    let rows = json["strategies"].as_array().unwrap();
    assert_eq!(rows.len(), 7);
    let (naive, failed) = (&rows[0], &rows[6]);
    assert_eq!((&naive["strategy"], &naive["valid"]), (&"naive".into(), &true.into()));
    assert_eq!(naive["peak_bytes"], 65 << 20);
    assert_eq!(naive["makespan"], compared.measured("naive").unwrap().figures.makespan);
    let measures =
        ["live_peak_bytes", "allocations", "reuses", "reuse", "waste_bytes", "waiting", "peak_ratio", "makespan_ratio"];
    for name in measures.iter().chain(&["peak_over_operand_set", "makespan_over_bound", "at_once"]) {
        assert!(naive[name].is_number(), "{name}: {naive}");
    }
    assert_eq!(naive["busy"].as_array().map(Vec::len), Some(2), "each worker");
    assert_eq!((&failed["valid"], failed.get("makespan")), (&false.into(), None));
    assert!(failed["failure"].as_str().is_some_and(|text| text.contains("No plan")));
    assert_eq!(json["bounds"]["operand_set_bytes"], 35 << 20);
    assert_eq!((&json["baseline"], &json["sweep"]), (&"refcount".into(), &serde_json::Value::Null));
    assert_eq!(rows[3]["tuned"]["setting"], "window");
    assert_eq!(rows[3]["tuned"]["knee"], rows[3]["window"]);

    let (problem, swept) = swept();
    let text = compare_json::sweep(&problem, &topological(), &swept, "");
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!((&json["sweep"]["setting"], &json["sweep"]["knee"]), (&"max-pool-bytes".into(), &22.into()));
    let times: Vec<&serde_json::Value> =
        json["sweep"]["values"].as_array().unwrap().iter().map(|row| &row["makespan"]).collect();
    assert_eq!(times, [&serde_json::Value::Null, &400.into(), &200.into(), &200.into()]);
}

#[test]
fn csv_has_a_line_a_row_and_as_many_fields_in_each() {
    let read = |text: &str| {
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let header: Vec<String> = reader.headers().unwrap().iter().map(str::to_owned).collect();
        let rows: Vec<Vec<String>> =
            reader.records().map(|row| row.unwrap().iter().map(str::to_owned).collect()).collect();
        (header, rows)
    };
    let (header, rows) = read(&compare_csv::strategies(&compared()));
    assert_eq!(rows.len(), 7);
    let field = |name: &str, row: usize| rows[row][header.iter().position(|field| field == name).unwrap()].as_str();
    assert_eq!((field("strategy", 0), field("peak_bytes", 0)), ("naive", "68157440"));
    assert_eq!(
        (field("strategy", 6), field("peak_bytes", 6), field("valid", 6)),
        ("--max-pool-bytes 30MiB --buckets exact", "", "false")
    );
    assert_eq!(field("busy", 0).split(' ').count(), 2);

    let (problem, swept) = swept();
    let (header, rows) = read(&compare_csv::sweep(&problem, &swept));
    assert_eq!(header[..2], ["max-pool-bytes", "knee"]);
    assert_eq!(rows.iter().map(|row| row[1].as_str()).collect::<Vec<_>>(), ["false", "false", "true", "false"]);
}
