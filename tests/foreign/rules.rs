//! One plan for each way to break a published rule, as files.

use super::run::Folder;
use super::two_in_turn::{GRAPH, MEMORY, SCHEDULE, SPILLS};

/// The machine on which the plan holds.
pub const MACHINE: [&str; 2] = ["--capacity", "L1=100"];

/// The three files, line by line.
#[derive(Clone)]
pub struct Plan {
    pub schedule: Vec<String>,
    pub memory: Vec<String>,
    pub spills: Vec<String>,
}

impl Plan {
    pub fn valid() -> Self {
        let pairs = |all: &[(u64, i64)]| all.iter().map(|(id, at)| format!("{id}:{at}")).collect();
        let schedule = SCHEDULE.iter().map(u64::to_string).collect();
        Self { schedule, memory: pairs(&MEMORY), spills: pairs(&SPILLS) }
    }

    /// Takes the entry at `from` out of the schedule and puts it in again at `to`.
    fn shift(&mut self, from: usize, to: usize) {
        let id = self.schedule.remove(from);
        self.schedule.insert(to, id);
    }

    fn insert(&mut self, at: usize, ids: &[u64]) {
        self.schedule.splice(at..at, ids.iter().map(u64::to_string));
    }

    pub fn write(&self, folder: &Folder) {
        for (kind, lines) in [("schedule", &self.schedule), ("memory", &self.memory), ("spill", &self.spills)] {
            folder.write(&format!("plan/graph_{kind}.txt"), &(lines.join("\n") + "\n"));
        }
    }
}

/// A folder with the graph, and the plan that holds in `plan`.
pub fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("graph.json", GRAPH);
    std::fs::create_dir(folder.path("plan")).expect("a new folder");
    Plan::valid().write(&folder);
    folder
}

/// What `check` says, which must have found something.
#[track_caller]
pub fn findings(folder: &Folder) -> String {
    folder.run(&[&["check", "graph.json", "plan"], &MACHINE[..]].concat()).ended(1, &["the plan in plan is broken"])
}

/// A frame of the plan in `plan`.
#[track_caller]
pub fn drawn(folder: &Folder) -> String {
    let frame =
        folder.run(&[&["frame", "graph.json", "--plan", "plan", "--size", "110x32"], &MACHINE[..]].concat()).ok();
    assert!(frame.contains("plan from plan"), "{frame}");
    frame
}

/// A way to break the plan, and the beginning of a line that tells it.
type Mutant = (&'static str, fn(&mut Plan), &'static str);

const MUTANTS: &[Mutant] = &[
    ("a node is missing", |plan| drop(plan.schedule.remove(8)), "R1: missing from the schedule: 1 node: 4"),
    ("half a spill is missing", |plan| drop(plan.schedule.remove(6)), "R1: "),
    ("a node stands twice", |plan| plan.insert(12, &[4]), "R1 step 12: node 4 stands a second time, after step 8"),
    ("an id that nothing has", |plan| plan.insert(5, &[1000]), "R1 step 5: "),
    ("the largest id", |plan| plan.insert(5, &[u64::MAX]), "R1 step 5: "),
    ("a buffer has no place", |plan| drop(plan.memory.remove(1)), "R1: without a placement: 1 buffer: 2"),
    ("a buffer has two places", |plan| plan.memory.push("2:0".into()), "R1: buffer 2 is placed twice"),
    (
        "a spill of no buffer",
        |plan| {
            plan.spills.push("77:0".into());
            plan.insert(16, &[16, 17]);
        },
        "R1 step 16: ",
    ),
    ("a spill that is never scheduled", |plan| plan.spills.push("2:0".into()), "R1: "),
    ("an edge runs backward", |plan| plan.shift(14, 8), "R2 step 8: "),
    ("spilled before its ALLOC", |plan| plan.shift(6, 4), "R3 step 4: "),
    (
        "spilled after its FREE",
        |plan| {
            plan.spills.push("2:0".into());
            plan.insert(13, &[16, 17]);
        },
        "R3 step 13: ",
    ),
    (
        "back before it was out",
        |plan| {
            plan.spills.push("3:60".into());
            plan.insert(9, &[17, 16]);
        },
        "R3 step 9: buffer 3",
    ),
    (
        "spills that nest",
        |plan| {
            plan.spills.push("1:0".into());
            plan.insert(4, &[16, 17]);
        },
        "R3 step 4: ",
    ),
    ("used before its ALLOC", |plan| plan.shift(5, 4), "R4 step 4: node 3 (ADD) uses buffer 2 before its ALLOC"),
    ("used while it is out", |plan| plan.shift(11, 9), "R4 step 9: "),
    ("used after its FREE", |plan| plan.shift(11, 12), "R4 step 12: "),
    ("placed outside its level", |plan| plan.memory[2] = "3:61".into(), "R5 step 0: "),
    ("placed below its level", |plan| plan.memory[2] = "3:-3".into(), "R5 step 0: buffer 3 at L1[-3,37)"),
    ("placed at the largest offset", |plan| plan.memory[2] = "3:9223372036854775807".into(), "R5 step 0: "),
    ("back to outside its level", |plan| plan.spills[1] = "2:41".into(), "R5 step 10: "),
    ("placed over another", |plan| plan.memory[0] = "1:1".into(), "R6 step 1: buffer 1 at L1[1,61) overlaps buffer 3"),
    ("back over another", |plan| plan.spills[2] = "1:40".into(), "R6 step 13: "),
];

#[test]
fn the_plan_itself_holds() {
    let folder = folder();
    let out = folder.run(&[&["check", "graph.json", "plan"], &MACHINE[..]].concat()).ok();
    assert!(out.contains("valid plan, 16 steps, 3 spills"), "{out}");
    assert!(!drawn(&folder).contains("BROKEN"));
}

#[test]
fn each_broken_rule_is_named_with_its_step_and_drawn() {
    let folder = folder();
    for (what, change, told) in MUTANTS {
        let mut plan = Plan::valid();
        change(&mut plan);
        plan.write(&folder);
        let out = findings(&folder);
        assert!(out.lines().any(|line| line.trim_start().starts_with(told)), "{what}, not told as {told}:\n{out}");
        assert!(drawn(&folder).contains("BROKEN"), "{what}");
    }
}

#[test]
fn every_rule_has_a_mutant() {
    for rule in ["R1", "R2", "R3", "R4", "R5", "R6"] {
        assert!(MUTANTS.iter().any(|(.., told)| told.starts_with(rule)), "{rule}");
    }
}
