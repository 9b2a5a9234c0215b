//! The command line that gives a plan again: what was named, and flags for all in which problem and options differ from it.
//! Made from what was planned and not from the flags that were typed, so that it also tells a plan that was changed on
//! the screen.

use crate::engine::search::{Budget, Objective};
use crate::model::{Fallback, Machine, Options, PoolRules, Problem, clean};
use crate::output::labels::chain;
use crate::session::{Searched, Session};

/// Where a plan comes from: the files and names that stand on its command line.
#[derive(Clone, Debug, PartialEq)]
pub struct Origin {
    /// The graph as it was named; `None` for the built-in sample.
    pub graph: Option<String>,
    /// The machine's name or file, where one was named.
    pub machine: Option<String>,
    /// That machine as it is without further flags.
    pub named: Machine,
    /// The file of `--schedule`.
    pub schedule: Option<String>,
    /// The file of `--profile`.
    pub profile: Option<String>,
}

impl Origin {
    /// Graph and flags, quoted for a shell, with order and policy spelt out even where they are the defaults.
    pub fn words(&self, problem: &Problem, options: &Options) -> String {
        let mut words = self.subject_words(problem);
        words.extend(option_words(options));
        words.join(" ")
    }

    /// Graph, machine and what is read beside the graph.
    fn subject_words(&self, problem: &Problem) -> Vec<String> {
        let mut words: Vec<String> = self.graph.as_deref().map(path_word).into_iter().collect();
        words.push(self.machine_words(&problem.machine));
        words.extend(self.schedule.as_deref().map(|file| format!("--schedule {}", path_word(file))));
        words.extend(self.profile.as_deref().map(|file| format!("--profile {}", path_word(file))));
        words
    }

    /// The flags that make `machine` of the one that was named.
    pub fn machine_words(&self, machine: &Machine) -> String {
        let named = &self.named;
        let name = self.machine.as_deref().map_or_else(|| named.name.to_string(), path_word);
        let mut words = vec![format!("--machine {name}")];
        let may_now = l0_may_spill(machine);
        words.extend((may_now && !l0_may_spill(named)).then(|| "--spill-l0".to_owned()));
        words.extend(capacity_words(named, machine));
        let (transfer, usual) = (&machine.transfer, &named.transfer);
        if transfer.bytes_per_cycle.to_bits() != usual.bytes_per_cycle.to_bits() {
            words.push(flag("--bytes-per-cycle", &transfer.bytes_per_cycle.to_string()));
        }
        if transfer.overhead != usual.overhead {
            words.push(flag("--overhead", &transfer.overhead.to_string()));
        }
        words.extend(pool_words(named, machine));
        words.join(" ")
    }

    /// The command that reports the plan of `session`, or shows it where another tool made it.
    pub fn plan_command(&self, session: &Session) -> String {
        if let Some(folder) = session.recorded.as_ref().and_then(|recorded| recorded.from.as_deref()) {
            return self.view_command(&session.trace.problem, folder);
        }
        let problem = &session.trace.problem;
        let words = match &session.searched {
            None => self.words(problem, &session.options),
            // The schedule of a pool's search is made by the rest of the policy.
            Some(searched) if problem.is_clocked() => {
                [self.words(problem, &session.options), search_words(problem, searched)].join(" ")
            }
            Some(searched) => {
                let mut words = self.subject_words(problem);
                words.push(search_words(problem, searched));
                words.join(" ")
            }
        };
        format!("spillscope plan {words}")
    }

    /// The command that shows the plan in `folder`.
    fn view_command(&self, problem: &Problem, folder: &str) -> String {
        let graph = self.graph.as_deref().map(path_word);
        let profile = self.profile.as_deref().map(|file| format!("--profile {}", path_word(file)));
        let plan = format!("--plan {}", path_word(folder));
        let words = ["spillscope view".to_owned()].into_iter().chain(graph);
        let words = words.chain([plan, self.machine_words(&problem.machine)]).chain(profile);
        words.collect::<Vec<_>>().join(" ")
    }
}

/// The words that ask for the same search again; for one by the clock, for as many evaluations as it spent.
pub fn search_words(problem: &Problem, searched: &Searched) -> String {
    let wanted = &searched.wanted;
    let evaluations = if let Budget::Evaluations(asked) = wanted.budget { asked } else { searched.evaluations };
    let mut words = vec![format!("--evaluations {evaluations}")];
    words.push(format!("--objective {}", wanted.objective));
    match &wanted.objective {
        Objective::Makespan { slack } => words.push(format!("--traffic-slack {slack}")),
        Objective::PeakStay { single } if !single.is_empty() => {
            let names: Vec<&str> = single.iter().map(|&level| problem.level(level).name.raw()).collect();
            words.push(flag("--single", &names.join(",")));
        }
        Objective::Traffic | Objective::PeakStay { .. } | Objective::Weighted { .. } => {}
    }
    words.push(format!("--seed {}", wanted.seed));
    words.extend(wanted.from.as_ref().map(|given| format!("--from {}", path_word(&given.folder))));
    words.join(" ")
}

fn option_words(options: &Options) -> Vec<String> {
    let usual = Options::classic(options.order);
    let differs = |is: bool, word: String| is.then_some(word);
    let order = flag("--order", &options.order.to_string());
    let flags = [
        Some(order),
        Some(flag("--policy", "classic")),
        differs(options.on_full != usual.on_full, on_full_word(&options.on_full)),
        differs(
            options.postpone_limit != usual.postpone_limit,
            flag("--postpone-limit", &options.postpone_limit.to_string()),
        ),
        differs(options.victims != usual.victims, format!("--victims {}", options.victims)),
        differs(options.fit != usual.fit, format!("--fit {}", options.fit)),
        differs(options.hoist, "--hoist".to_owned()),
        differs(options.prefetch > 0, format!("--prefetch {}", options.prefetch)),
        differs(!options.avoid_deadlock, "--deadlock detect".to_owned()),
        differs(!options.light_tasks, "--no-light-tasks".to_owned()),
    ];
    flags.into_iter().flatten().collect()
}

fn on_full_word(on_full: &[Fallback]) -> String {
    flag("--on-full", &chain(on_full))
}

/// Whether every level named `L0…` may spill, of those that the machine has.
fn l0_may_spill(machine: &Machine) -> bool {
    let mut l0 = machine.levels.iter().filter(|level| level.is_l0()).peekable();
    l0.peek().is_some() && l0.all(|level| level.spill)
}

/// `--capacity` for the levels with another capacity; for a machine of one pool `--max-pool-bytes`.
fn capacity_words(named: &Machine, machine: &Machine) -> Option<String> {
    let levels = machine.levels.iter().zip(&named.levels);
    let changed: Vec<_> = levels.filter(|(now, before)| now.capacity != before.capacity).map(|(now, _)| now).collect();
    match changed.as_slice() {
        [] => None,
        [pool] if pool.pool().is_some() && machine.levels.len() == 1 => {
            Some(format!("--max-pool-bytes {}", pool.capacity))
        }
        levels => {
            let list: Vec<String> =
                levels.iter().map(|level| format!("{}={}", level.name.raw(), level.capacity)).collect();
            Some(flag("--capacity", &list.join(",")))
        }
    }
}

/// What differs of pools, window and workers.
fn pool_words(named: &Machine, machine: &Machine) -> Vec<String> {
    let rules = |machine: &Machine| machine.levels.iter().find_map(|level| level.pool().cloned());
    let (before, now) = (rules(named), rules(machine));
    let changed = |of: fn(&PoolRules) -> Option<String>| {
        let now = now.as_ref().and_then(of);
        now.filter(|now| before.as_ref().and_then(of).as_ref() != Some(now))
    };
    let workers =
        |machine: &Machine| machine.units.iter().find(|unit| unit.name.raw() == WORKER).map(|unit| unit.count);
    let flags = [
        ("--buckets", changed(|rules| Some(rules.buckets.to_string()))),
        ("--max-age", changed(|rules| rules.max_age.map(|age| age.to_string()))),
        ("--window", machine.window.filter(|_| machine.window != named.window).map(|window| window.to_string())),
        ("--workers", workers(machine).filter(|_| workers(machine) != workers(named)).map(|count| count.to_string())),
    ];
    flags.into_iter().filter_map(|(name, value)| value.map(|value| flag(name, &value))).collect()
}

/// What operations of an operation graph run on, and `--workers` counts.
pub const WORKER: &str = "worker";

fn flag(name: &str, value: &str) -> String {
    format!("{name} {}", quoted(value))
}

/// A file's name as one word of a POSIX shell, which no program takes for a flag.
pub fn path_word(path: &str) -> String {
    if path.starts_with('-') && path != "-" { quoted(&format!("./{path}")) } else { quoted(path) }
}

/// `word` as one word of a POSIX shell.
pub fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=,+:@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", clean(word).replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Fit, Order, VictimRule};
    use crate::output::testing::{Kind, session};

    fn origin(named: Machine) -> Origin {
        Origin { graph: Some("g.json".into()), machine: None, named, schedule: None, profile: None }
    }

    #[test]
    fn what_is_as_named_is_not_said_again() {
        let session = session(Kind::Spilled);
        let problem = &session.trace.problem;
        let words = origin(problem.machine.clone()).words(problem, &Options::classic(Order::Program));
        assert_eq!(words, format!("g.json --machine {} --order program --policy classic", problem.machine.name));
    }

    #[test]
    fn every_change_has_its_flag() {
        let mut problem = session(Kind::Spilled).trace.problem.clone();
        problem.machine = Machine::npu();
        problem.machine.levels[0].capacity = 3000;
        problem.machine.levels[1].capacity = 7;
        problem.machine.let_l0_spill();
        problem.machine.transfer.overhead = 9;
        problem.machine.transfer.bytes_per_cycle = 0.25;
        problem.machine.window = Some(3);
        let options = Options {
            on_full: vec![Fallback::Postpone],
            postpone_limit: 2,
            victims: VictimRule::CheapestRun,
            fit: Fit::Window,
            hoist: true,
            prefetch: 4,
            light_tasks: false,
            avoid_deadlock: false,
            ..Options::classic(Order::Given)
        };
        let words = Origin { schedule: Some("a b".into()), ..origin(Machine::npu()) }.words(&problem, &options);
        let expected = "g.json --machine npu --spill-l0 --capacity L1=3000,UB=7 --bytes-per-cycle 0.25 --overhead 9 \
                        --window 3 --schedule 'a b' --order given --policy classic --on-full postpone \
                        --postpone-limit 2 --victims cheapest-run --fit window --hoist --prefetch 4 --deadlock detect \
                        --no-light-tasks";
        assert_eq!(words, expected);
    }

    #[test]
    fn pools_have_flags_of_their_own() {
        let mut machine = Machine::host();
        machine.levels[0].capacity = 77;
        machine.levels[0].manager =
            crate::model::Manager::Pool(PoolRules { buckets: crate::model::Buckets::Exact, max_age: Some(0) });
        machine.units[0].count = 3;
        let words = "--machine host --max-pool-bytes 77 --buckets exact --max-age 0 --workers 3";
        assert_eq!(origin(Machine::host()).machine_words(&machine), words);
    }
}
