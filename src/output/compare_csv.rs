//! Comparisons and sweeps as CSV: a line a row, plain numbers, an empty field where there is none. The fields have the names
//! and meanings of the JSON's ([`compare_json`](super::compare_json)). `busy` and `at_once_by_tenth` are lists with blanks
//! between, the peak of a level is a field of its own, and a sweep has `knee`, which is true in one row.

use super::compare_json::{MemoryJson, RowJson, StrategyJson, TimeJson};
use crate::compare::{Comparison, Limits, Sweep};
use crate::model::{Problem, clean};

/// The fields of one row, with their names.
type Fields = Vec<(String, String)>;

/// A line for each strategy; ends with a newline.
pub fn strategies(compared: &Comparison) -> String {
    let row = |row| {
        let json = RowJson::of_row(compared, row);
        json.strategy.as_ref().map(strategy).into_iter().flatten().chain(fields(&json)).collect()
    };
    table(&compared.rows.iter().map(row).collect::<Vec<Fields>>())
}

/// A line for each value; ends with a newline.
pub fn sweep(problem: &Problem, swept: &Sweep) -> String {
    let operand_set = Limits::new(problem).operand_set;
    let row = |(at, point): (usize, &crate::compare::Point)| {
        let value = [field(&swept.setting.to_string(), point.value), field("knee", swept.knee == Some(at))];
        let json = RowJson::of_outcome(problem, &point.outcome, operand_set);
        value.into_iter().chain(fields(&json)).collect()
    };
    table(&swept.points.iter().enumerate().map(row).collect::<Vec<Fields>>())
}

/// The columns are those that any row has, in the order in which they first stand.
fn table(rows: &[Fields]) -> String {
    let mut columns: Vec<&str> = Vec::new();
    for (name, _) in rows.iter().flatten() {
        if !columns.contains(&name.as_str()) {
            columns.push(name);
        }
    }
    let mut writer = csv::Writer::from_writer(Vec::new());
    let value = |row: &Fields, column: &str| {
        row.iter().find(|(name, _)| name == column).map_or_else(String::new, |(_, value)| clean(value).into_owned())
    };
    // Writing to a Vec cannot fail, and each record has the same number of fields.
    let _ = writer.write_record(columns.iter().map(|name| clean(name).into_owned()));
    for row in rows {
        let _ = writer.write_record(columns.iter().map(|column| value(row, column)));
    }
    String::from_utf8(writer.into_inner().unwrap_or_default()).unwrap_or_default()
}

fn field<V: ToString>(name: &str, value: V) -> (String, String) {
    maybe(name, Some(value))
}

/// An empty field where there is no value.
fn maybe<V: ToString>(name: &str, value: Option<V>) -> (String, String) {
    (name.to_owned(), value.map_or_else(String::new, |value| value.to_string()))
}

fn list(name: &str, values: impl Iterator<Item = f64>) -> (String, String) {
    field(name, values.map(|value| value.to_string()).collect::<Vec<_>>().join(" "))
}

fn strategy(row: &StrategyJson) -> Fields {
    let mut fields = vec![
        field("strategy", &row.strategy),
        field("order", &row.order),
        maybe("window", row.window),
        maybe("max_pool_bytes", row.max_pool_bytes),
        maybe("makespan_ratio", row.makespan_ratio),
    ];
    fields.extend(row.peak_ratio.map(|ratio| field("peak_ratio", ratio)));
    fields.extend(row.traffic_ratio.map(|ratio| field("traffic_ratio", ratio)));
    fields
}

fn fields(row: &RowJson) -> Fields {
    let mut fields = vec![field("valid", row.valid)];
    fields.extend(row.memory.iter().flat_map(memory));
    fields.extend(row.time.iter().flat_map(time));
    fields.push(maybe("failure", row.failure.as_ref()));
    fields
}

fn memory(row: &MemoryJson) -> Fields {
    match row {
        MemoryJson::Pools(pools) => vec![
            field("peak_bytes", pools.peak_bytes),
            field("live_peak_bytes", pools.live_peak_bytes),
            maybe("peak_over_operand_set", pools.peak_over_operand_set),
            field("allocations", pools.allocations),
            field("reuses", pools.reuses),
            maybe("reuse", pools.reuse),
            field("dropped", pools.dropped),
            field("waste_bytes", pools.waste_bytes),
            field("waits", pools.waits),
            field("waiting", pools.waiting),
        ],
        MemoryJson::Arenas { extra_traffic, traffic_bound, spills, peak } => {
            let bound = maybe("traffic_bound", *traffic_bound);
            let mut fields = vec![field("extra_traffic", extra_traffic), bound, field("spills", spills)];
            fields.extend(peak.0.iter().map(|(level, peak)| field(&format!("peak.{level}"), peak)));
            fields
        }
    }
}

fn time(row: &TimeJson) -> Fields {
    vec![
        field("makespan", row.makespan),
        field("makespan_bound", row.makespan_bound),
        maybe("makespan_over_bound", row.makespan_over_bound),
        field("at_once", row.at_once),
        list("at_once_by_tenth", row.at_once_by_tenth.iter().copied()),
        list("busy", row.busy.iter().map(|lane| lane.share)),
        field("seconds", row.seconds),
    ]
}
