//! The report of a plan for programs (`--format json`). Stable: fields are added, never renamed.
//!
//! | field | what |
//! |---|---|
//! | `valid` | whether there is a plan and the checker finds no broken rule |
//! | `steps`, `spills`, `extra_traffic`, `peak`, `peak_stay`, `l0_live`, `makespan` | the figures, as the public checker names them; where planning failed, those of the part that was planned |
//! | `main_memory` | what the pool of main memory did for spilled buffers that are not backed: `hits`, `misses`, `over_cap`, `aged`, `peak_held`, `peak_busy`, `worst_waste` |
//! | `pools` | the same for each level that is a pool; only where there is one |
//! | `graph` | `name`, `nodes`, `edges`, `buffers`, `ignored_fields`; of an operation graph `durations_from_profile`, `durations_by_default`: those that it leaves out |
//! | `machine` | as in a machine file |
//! | `policy` | `name`, `order`, `on_full`, `postpone_limit`, `spill_l0`, `victims`, `fit`, `hoist`, `prefetch`, `avoid_deadlock`, `light_tasks` |
//! | `reached` | how often a placement fitted, spilled, was postponed, … |
//! | `bounds` | under `this_order` and `any_order`, each with what it bounds; `null` where not worked out |
//! | `broken` | the broken rules, in words; empty for a valid plan |
//! | `failure` | only where there is no plan: the diagnosis (`failure_json.rs`) |
//! | `seconds` | time spent planning |
//! | `repeat` | the command that gives the same plan again |

use serde::Serialize;

use super::failure_json::FailureJson;
use super::json::{FiguresJson, GraphJson, MachineJson, Object, PolicyJson, SearchJson, by_level, printable};
use crate::output::labels::unit;
use crate::session::Session;

#[derive(Serialize)]
struct ReportJson<'a> {
    valid: bool,
    #[serde(flatten)]
    figures: FiguresJson,
    graph: GraphJson,
    machine: MachineJson<'a>,
    policy: PolicyJson,
    #[serde(skip_serializing_if = "Option::is_none")]
    search: Option<SearchJson>,
    reached: ReachedJson,
    bounds: BoundsJson,
    broken: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    failure: Option<FailureJson>,
    seconds: f64,
    repeat: &'a str,
}

#[derive(Serialize)]
struct ReachedJson {
    fits: u64,
    spill: u64,
    #[serde(rename = "spill-many")]
    spill_many: u64,
    postpone: u64,
    packed: u64,
}

#[derive(Serialize)]
struct BoundsJson {
    this_order: ThisOrderJson,
    any_order: AnyOrderJson,
}

#[derive(Serialize)]
struct ThisOrderJson {
    /// Capacity that runs it without a spill.
    max_live: Object<u64>,
    extra_traffic: Option<u64>,
}

#[derive(Serialize)]
struct AnyOrderJson {
    /// Least capacity for which a plan exists.
    capacity: Object<u64>,
    makespan: u64,
    critical_path: u64,
    busiest_unit: Option<UnitJson>,
}

#[derive(Serialize)]
struct UnitJson {
    unit: String,
    cycles: u64,
}

/// The report of `session` as one JSON object; ends with a newline. `repeat` is the command that gives the same
/// plan again.
pub fn report_json(session: &Session, repeat: &str) -> String {
    let problem = &session.trace.problem;
    let reached = &session.reached;
    let report = ReportJson {
        valid: session.diagnosis.is_none() && session.check.is_valid(),
        figures: FiguresJson::new(problem, &session.figures),
        graph: GraphJson::new(&problem.graph),
        machine: MachineJson::new(&problem.machine),
        policy: PolicyJson::new(&session.options, &problem.machine),
        search: SearchJson::new(session),
        reached: ReachedJson {
            fits: reached.fits,
            spill: reached.spill,
            spill_many: reached.spill_many,
            postpone: reached.postpone,
            packed: reached.packed,
        },
        bounds: bounds(session),
        broken: session.check.broken.iter().map(ToString::to_string).collect(),
        failure: FailureJson::new(session),
        seconds: session.seconds,
        repeat,
    };
    printable(&report)
}

fn bounds(session: &Session) -> BoundsJson {
    let problem = &session.trace.problem;
    let bounds = &session.bounds;
    let busiest_unit = bounds.busiest.map(|(ix, cycles)| UnitJson { unit: unit(problem, ix), cycles });
    BoundsJson {
        this_order: ThisOrderJson {
            max_live: by_level(problem, &bounds.max_live),
            extra_traffic: bounds.spill_traffic,
        },
        any_order: AnyOrderJson {
            capacity: by_level(problem, &bounds.operand_set),
            makespan: bounds.makespan(),
            critical_path: bounds.critical_path,
            busiest_unit,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::testing::{Kind, session};

    fn parsed(kind: Kind) -> serde_json::Value {
        serde_json::from_str(&report_json(&session(kind), "spillscope plan g.json")).unwrap()
    }

    #[test]
    fn figures_stand_under_the_names_of_the_public_checker() {
        let report = parsed(Kind::Spilled);
        assert_eq!(report["valid"], true);
        assert_eq!((&report["steps"], &report["spills"]), (&10.into(), &1.into()));
        assert_eq!(report["extra_traffic"], 256, "b1 is backed: only the way back counts");
        assert_eq!(report["peak"], serde_json::json!({"L1": 256, "UB": 0, "L0A": 0, "L0B": 0, "L0C": 0}));
        assert_eq!(report["peak_stay"], 512);
        assert_eq!(report["l0_live"], serde_json::json!({}), "levels without a buffer are left out");
        assert!(report["makespan"].as_u64().unwrap() > 0);
        assert_eq!(report["policy"]["name"], "classic");
        assert_eq!(report["policy"]["on_full"], serde_json::json!(["spill", "spill-many", "postpone"]));
        assert_eq!(report["graph"]["nodes"], 8);
        assert_eq!(report["machine"]["transfer"]["in"], "MTE2");
        assert_eq!(report["reached"]["spill"], 1);
        assert_eq!(report["repeat"], "spillscope plan g.json");
        assert!(report.get("failure").is_none());
    }

    #[test]
    fn keys_keep_their_order() {
        let text = report_json(&session(Kind::Spilled), "");
        let at = |key: &str| text.find(&format!("\"{key}\":")).unwrap_or_else(|| panic!("{key} is missing"));
        let keys = ["valid", "steps", "spills", "extra_traffic", "peak", "peak_stay", "l0_live", "makespan", "graph"];
        assert!(keys.windows(2).all(|pair| at(pair[0]) < at(pair[1])), "{text}");
        assert!(at("L1") < at("UB") && at("UB") < at("L0A"), "levels stand in the machine's order");
    }

    #[test]
    fn a_failure_says_what_would_help() {
        let report = parsed(Kind::Failed);
        assert_eq!(report["valid"], false);
        let failure = &report["failure"];
        assert_eq!((&failure["kind"], &failure["level"]), (&"forbidden".into(), &"L0C".into()));
        assert_eq!((&failure["need"], &failure["free"]), (&128.into(), &0.into()));
        assert_eq!(failure["holders"][0]["stays"], "level-may-not-spill");
        let remedies = failure["remedies"].as_array().unwrap();
        assert!(remedies.contains(&serde_json::json!({"flag": "--capacity L0C=640", "smallest": false})));
        assert!(remedies.contains(&serde_json::json!({"flag": "--spill-l0"})));
    }
}
