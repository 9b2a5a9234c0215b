//! Agreement with the oracle, `check_plan.py`: validity and every figure, on plans made by `classic_reference.py`, on
//! plans shuffled from them and on broken ones.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Map, Value, json};
use spillscope::check::{Broken, Report, check};
use spillscope::model::{Figures, Level, Machine, Problem, RawPlan};

use super::npu_json;

/// Reads cases as JSON lines, one process for all of them. A case without a plan is planned (`null` where there is
/// none), one with a plan is checked.
const DRIVER: &str = r#"
import json, math, sys
sys.path.insert(0, sys.argv[1])
import check_plan, classic_reference
for line in sys.stdin:
    case = json.loads(line)
    capacity = case["capacity"]
    if "plan" not in case:
        try:
            steps = ["spill", "spill-many", "postpone"]
            order, memory, spills, _ = classic_reference.plan(case["graph"], capacity, steps, 5, case["spill_l0"])
            # A buffer without a FREE that is out at the end stays out: no plan either.
            whole = all(offset is not None for _, offset in spills)
            answer = {"schedule": order, "memory": list(memory.items()), "spills": spills} if whole else None
        except classic_reference.NoPlan:
            answer = None
    else:
        plan, move = case["plan"], case["transfer"]
        try:
            problems, figures = check_plan.check(
                case["graph"], plan["schedule"], plan["memory"], plan["spills"], capacity,
                lambda size: move["overhead"] + math.ceil(size / move["bytes_per_cycle"]), move["backed_out_free"])
        except (check_plan.BadInput, KeyError):  # what its command calls bad input; nested spills are the second
            problems, figures = ["bad input"], {}
        answer = {"problems": problems, "figures": figures}
    print(json.dumps(answer))
"#;

/// The oracle's answers to `cases`, in order.
fn ask(cases: &[Value]) -> Vec<Value> {
    let tools = std::env::var("SPILLSCOPE_TOOLS").expect("SPILLSCOPE_TOOLS names the folder of check_plan.py");
    assert!(Path::new(&tools).join("check_plan.py").is_file(), "no check_plan.py in {tools}");
    let mut python = Command::new("python3");
    python.args(["-B", "-c", DRIVER, &tools]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = python.spawn().expect("python3 runs");
    let mut input = child.stdin.take().unwrap();
    let lines = cases.iter().map(Value::to_string).collect::<Vec<_>>().join("\n");
    // From a thread of its own, so that neither side waits for the other with a full pipe.
    let writer = std::thread::spawn(move || input.write_all(lines.as_bytes()));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    assert!(output.status.success());
    let answers = String::from_utf8(output.stdout).unwrap();
    let answers: Vec<Value> = answers.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(answers.len(), cases.len());
    answers
}

/// A graph and the machine for it.
struct Case {
    graph: Value,
    machine: Machine,
}

impl Case {
    /// The case as the driver reads it, with `plan` or to be planned.
    fn question(&self, plan: Option<&RawPlan>) -> Value {
        let levels = self.machine.levels.iter().map(|level| (level.name.raw().to_owned(), json!(level.capacity)));
        let transfer = &self.machine.transfer;
        let mut question = json!({
            "graph": self.graph,
            "capacity": levels.collect::<Map<_, _>>(),
            "spill_l0": self.machine.levels.iter().any(|level| level.is_l0() && level.spill),
            "transfer": {
                "overhead": transfer.overhead,
                "bytes_per_cycle": transfer.bytes_per_cycle,
                "backed_out_free": transfer.backed_out_free,
            },
        });
        if let Some(plan) = plan {
            let RawPlan { schedule, memory, spills } = plan;
            question["plan"] = json!({ "schedule": schedule, "memory": memory, "spills": spills });
        }
        question
    }

    fn problem(&self) -> Problem {
        Problem::new(npu_json::graph(&self.graph), self.machine.clone()).unwrap()
    }
}

fn plan_of(answer: &Value) -> Option<RawPlan> {
    let pairs = |field: &str| {
        let pair = |pair: &Value| (pair[0].as_u64().unwrap(), pair[1].as_i64().unwrap());
        answer[field].as_array().unwrap().iter().map(pair).collect()
    };
    let schedule = answer.get("schedule")?.as_array().unwrap().iter().map(|id| id.as_u64().unwrap()).collect();
    Some(RawPlan { schedule, memory: pairs("memory"), spills: pairs("spills") })
}

/// Our figures in the oracle's JSON.
fn as_oracle(figures: &Figures, machine: &Machine) -> Value {
    let name = |at: usize| machine.levels[at].name.raw().to_owned();
    let peak: Map<_, _> = figures.peak.iter().enumerate().map(|(at, &peak)| (name(at), json!(peak))).collect();
    // The oracle names only the levels in which something lived.
    let lived = figures.l0_live.iter().enumerate().filter(|(_, live)| **live > 0);
    let l0_live: Map<_, _> = lived.map(|(at, &live)| (name(at), json!(live))).collect();
    json!({
        "steps": figures.steps, "spills": figures.spills, "extra_traffic": figures.extra_traffic, "peak": peak,
        "peak_stay": figures.peak_stay, "l0_live": l0_live, "makespan": figures.makespan,
    })
}

/// Both must say valid, with equal figures, or both broken. Where broken, they need share only one rule: the oracle
/// stops after each of its three passes, and tells what follows from a fault as well.
fn assert_agree(case: &Case, plan: &RawPlan, report: &Report, answer: &Value) {
    let problems: Vec<&str> = answer["problems"].as_array().unwrap().iter().map(|p| p.as_str().unwrap()).collect();
    let context = || format!("{}\n{plan:?}\nours: {report:#?}\noracle: {problems:?}", case.graph);
    assert_eq!(report.is_valid(), problems.is_empty(), "{}", context());
    if report.is_valid() {
        let figures = report.figures.as_ref().expect("small enough to count");
        assert_eq!(as_oracle(figures, &case.machine), answer["figures"], "{}", context());
    } else if problems[0].starts_with('R') {
        // A spill that is out of turn is a broken R3, and R4 for the operations around it; each names what it meets first.
        let alike = |rule: &str| if rule == "R4" { "R3".to_owned() } else { rule.to_owned() };
        let shared = |broken: &Broken| problems.iter().any(|p| alike(&p[..2]) == alike(&broken.rule.to_string()));
        assert!(report.broken.iter().any(shared), "{}", context());
    }
}

/// A small generator of numbers, the same on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % limit as u64) as usize
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    fn pick<T: Copy>(&mut self, some: &[T]) -> T {
        some[self.below(some.len())]
    }
}

/// A graph of some buffers, operations in sequence over them, and with luck explicit edges and a schedule.
fn generate(random: &mut Random) -> Case {
    let levels = ["L1", "UB", "L0A"];
    let buffers: Vec<(usize, &str)> = (0..6 + random.below(10))
        .map(|_| (1 + random.below(15), random.pick(&["L1", "L1", "L1", "UB", "L0A"])))
        .collect();
    let operations: Vec<Vec<usize>> = (0..4 + random.below(30))
        .map(|_| (0..=random.below(3)).map(|_| random.below(buffers.len())).collect())
        .collect();
    let gap = 1 + random.below(3);
    let mut written: Vec<Value> = Vec::new();
    let mut edges: Vec<[usize; 2]> = Vec::new();
    let mut alloc_of = vec![None; buffers.len()];
    let mut users = vec![Vec::new(); buffers.len()];
    for operation in &operations {
        for &buf in operation {
            if alloc_of[buf].is_none() {
                alloc_of[buf] = Some(written.len() * gap);
                let (size, level) = buffers[buf];
                let id = written.len() * gap;
                written.push(json!({"Id": id, "Op": "ALLOC", "BufId": buf * gap, "Size": size, "Type": level}));
            }
        }
        let id = written.len() * gap;
        for &buf in operation {
            edges.push([alloc_of[buf].unwrap(), id]);
            users[buf].push(id);
        }
        let op = random.pick(&["COPY_IN", "ADD", "MMAD", "COPY_OUT"]);
        let pipe = random.pick(&["MTE2", "MTE3", "VECTOR", "CUBE", ""]);
        let bufs: Vec<usize> = operation.iter().map(|buf| buf * gap).collect();
        written.push(json!({"Id": id, "Op": op, "Pipe": pipe, "Cycles": random.below(200), "Bufs": bufs}));
    }
    for buf in 0..buffers.len() {
        if alloc_of[buf].is_some() && random.chance(93) {
            let id = written.len() * gap;
            edges.extend(users[buf].iter().map(|&user| [user, id]));
            written.push(json!({"Id": id, "Op": "FREE", "BufId": buf * gap}));
        }
    }
    let ids: Vec<u64> = written.iter().map(|node| node["Id"].as_u64().unwrap()).collect();
    let mut graph = json!({ "Nodes": written });
    if random.chance(60) {
        graph["Edges"] = json!(edges);
    }
    if random.chance(30) {
        graph["Schedule"] = json!(ids);
    }
    Case { graph, machine: generate_machine(random, &levels) }
}

fn generate_machine(random: &mut Random, levels: &[&str]) -> Machine {
    let level = |name: &&str, capacity| Level::arena(*name, capacity, true);
    let mut machine = Machine {
        levels: levels.iter().map(|name| level(name, 30 + random.below(20) as u64)).collect(),
        ..Machine::npu()
    };
    machine.transfer.overhead = random.pick(&[0, 3, 150]);
    machine.transfer.bytes_per_cycle = random.pick(&[0.5, 1.0, 3.0, 0.3, 512.0]);
    machine.transfer.backed_out_free = random.chance(50);
    machine
}

/// Swaps neighbours in the schedule, many times: often still valid, with other times.
fn shuffle(plan: &mut RawPlan, problem: &Problem, random: &mut Random) {
    for _ in 0..60 {
        let at = random.below(plan.schedule.len() - 1);
        plan.schedule.swap(at, at + 1);
        if !check(problem, plan).is_valid() {
            plan.schedule.swap(at, at + 1);
        }
    }
}

/// Breaks the plan in one place, or leaves it valid by luck.
fn damage(plan: &mut RawPlan, random: &mut Random) {
    let step = random.below(plan.schedule.len());
    let other = random.below(plan.schedule.len());
    let buffer = random.below(plan.memory.len());
    let delta = random.pick(&[-4, -3, -2, -1, 1, 2, 3, 4, i64::MIN / 2]);
    match random.below(11) {
        0 => drop(plan.schedule.remove(step)),
        1 => plan.schedule.insert(step, plan.schedule[other]),
        2 => plan.schedule[step] = random.below(300) as u64,
        3 | 4 => {
            let id = plan.schedule.remove(step);
            plan.schedule.insert(other, id);
        }
        5 | 6 => plan.memory[buffer].1 += delta,
        7 => drop(plan.memory.remove(buffer)),
        8 => plan.memory.push((random.pick(&[plan.memory[buffer].0, 12_345]), 0)),
        9 if !plan.spills.is_empty() => {
            let spill = random.below(plan.spills.len());
            plan.spills[spill].1 += delta;
        }
        _ if !plan.spills.is_empty() => {
            let spill = random.below(plan.spills.len());
            plan.spills[spill].0 = random.pick(&[plan.memory[buffer].0, 12_345]);
        }
        _ => plan.schedule.swap(step, other),
    }
}

#[test]
#[ignore = "set SPILLSCOPE_TOOLS to the folder of check_plan.py"]
fn generated_plans_get_the_same_verdict_and_figures() {
    let mut random = Random(2);
    let cases: Vec<Case> = (0..1_500).map(|_| generate(&mut random)).collect();
    let questions: Vec<Value> = cases.iter().map(|case| case.question(None)).collect();
    let plans: Vec<Option<RawPlan>> = ask(&questions).iter().map(plan_of).collect();
    let mut checks: Vec<(&Case, RawPlan, Report)> = Vec::new();
    for (case, plan) in cases.iter().zip(plans) {
        let Some(plan) = plan else { continue };
        let problem = case.problem();
        let mut shuffled = plan.clone();
        shuffle(&mut shuffled, &problem, &mut random);
        let damaged = (0..6).map(|turn| {
            let mut damaged = if turn % 2 == 0 { plan.clone() } else { shuffled.clone() };
            damage(&mut damaged, &mut random);
            damaged
        });
        let variants: Vec<RawPlan> = damaged.collect();
        for plan in [plan, shuffled].into_iter().chain(variants) {
            let report = check(&problem, &plan);
            checks.push((case, plan, report));
        }
    }
    let questions: Vec<Value> = checks.iter().map(|(case, plan, _)| case.question(Some(plan))).collect();
    for ((case, plan, report), answer) in checks.iter().zip(ask(&questions)) {
        assert_agree(case, plan, report, &answer);
    }
    let valid = checks.iter().filter(|(.., report)| report.is_valid()).count();
    let spilling = checks.iter().filter(|(_, plan, report)| report.is_valid() && !plan.spills.is_empty()).count();
    println!("{} plans, {valid} valid, {spilling} of them with spills", checks.len());
    assert!(
        valid - spilling > 500 && spilling > 500 && checks.len() - valid > 2_000,
        "the generator covers too little"
    );
}

#[test]
#[ignore = "set SPILLSCOPE_TOOLS and SPILLSCOPE_CASES to the folders of check_plan.py and of the published graphs"]
fn plans_of_published_graphs_get_the_same_figures() {
    let mut cases = Vec::new();
    for (name, path) in npu_json::published() {
        let graph = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        cases.push((name, Case { graph, machine: Machine::npu() }));
    }
    let questions: Vec<Value> = cases.iter().map(|(_, case)| case.question(None)).collect();
    let plans: Vec<RawPlan> = ask(&questions).iter().map(|answer| plan_of(answer).expect("there is a plan")).collect();
    let questions: Vec<Value> = cases.iter().zip(&plans).map(|((_, case), plan)| case.question(Some(plan))).collect();
    for (((name, case), plan), answer) in cases.iter().zip(&plans).zip(ask(&questions)) {
        let problem = case.problem();
        let start = std::time::Instant::now();
        let report = check(&problem, plan);
        println!("{name}: {} steps in {:?}: {}", plan.schedule.len(), start.elapsed(), answer["figures"]);
        assert!(report.is_valid(), "{name}: {:?}", report.broken);
        assert_agree(case, plan, &report, &answer);
    }
}
