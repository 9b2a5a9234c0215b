//! The flags that every planning command takes, and the way from them to a problem and options.

mod packing;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::ValueEnum;

pub use packing::PackingFlags;

use super::policy_flags::PolicyFlags;
use super::pool_flags::{self, PoolFlags};
use super::search_flags::SearchFlags;
use crate::engine::search::MOST_NODES;
use crate::error::Error;
use crate::input::{self, Profile, Source};
use crate::model::{Graph, MAX_NUMBER, Machine, Options, Order, Problem, clean};
use crate::output::command_line::Origin;
use crate::session::{Setup, Wanted};

/// The graph that opens where none is named.
const BUILT_IN: &str = include_str!("../../samples/flash-attention.json");

/// What says which machine it is.
#[derive(clap::Args, Clone, Debug, Default, PartialEq)]
#[group(id = "machine-flags")]
#[command(next_help_heading = "Machine")]
pub struct MachineFlags {
    /// The machine: npu, seed, host, or a machine file in JSON [default: host for operation graphs, else npu]
    #[arg(long, value_name = "NAME|FILE")]
    machine: Option<String>,
    /// Capacities in place of the machine's, as in L1=4096,UB=1024; for lifetimes one number
    #[arg(long, value_name = "LEVEL=N,…|N", value_delimiter = ',', value_parser = capacity)]
    capacity: Vec<(String, u64)>,
    /// How much a transfer moves in a cycle, in units of size [default: the machine's; npu has 0.5]
    #[arg(long, value_name = "N")]
    bytes_per_cycle: Option<f64>,
    /// Cycles that every transfer takes on top of moving [default: the machine's; npu has 150]
    #[arg(long, value_name = "CYCLES", value_parser = clap::value_parser!(u64).range(..=MAX_NUMBER))]
    overhead: Option<u64>,
    /// What stands for the machine where none is named.
    #[arg(skip)]
    own: Option<Machine>,
    // Last, since the heading of its flags would stand over those behind it too.
    #[command(flatten)]
    pool: PoolFlags,
}

/// Planning flags.
#[derive(clap::Args, Clone, Debug, Default, PartialEq)]
#[group(id = "planning")]
#[command(next_help_heading = "Planning")]
pub struct Flags {
    /// A schedule to follow, one node id a line; - for standard input
    #[arg(long, value_name = "FILE")]
    schedule: Option<String>,
    /// Mean durations by kind of operation, for operations without one of their own; - for standard input
    #[arg(long, value_name = "FILE")]
    profile: Option<String>,
    /// The order of the nodes [default: given where there is a schedule, else critical-path for operation graphs and
    /// program for others]
    #[arg(long, value_enum)]
    order: Option<OrderFlag>,
    /// How to plan memories with addresses [default: quick for a graph without a schedule; classic where a flag says how to
    /// order, spill or place, and for more than 200 000 nodes]
    #[arg(long, value_enum)]
    policy: Option<PolicyFlag>,
    #[command(flatten)]
    parts: PolicyFlags,
    /// Whether the scheduler keeps memory back for what must run to the end, where it knows how, or may run into a
    /// deadlock [default: avoid]
    #[arg(long, value_enum)]
    deadlock: Option<DeadlockFlag>,
    /// Let no shorter operation pass a more urgent one that has slack for it (order critical-path)
    #[arg(long)]
    no_light_tasks: bool,
    /// Let the levels named L0… spill too, which npu and seed forbid
    #[arg(long)]
    spill_l0: bool,
    #[command(flatten)]
    searching: SearchFlags,
    // Last, since the heading of its flags would stand over those behind it too.
    #[command(flatten)]
    machine: MachineFlags,
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum OrderFlag {
    /// The schedule that came with the graph
    Given,
    /// The order of the file, ALLOC as late and FREE as early as can be
    Program,
    /// By events in simulated time: the lowest id that is ready, the naive baseline
    Topological,
    /// By events in simulated time: critical operations first, then the shorter
    CriticalPath,
    /// By events in simulated time: what gives most memory back first
    MemoryAware,
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum PolicyFlag {
    /// A short search for a better order, victims and addresses, under a second for 36 000 nodes
    Quick,
    /// Victim by remaining life × size; spill, spill-many, postpone
    Classic,
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum DeadlockFlag {
    /// Keep memory back, so that there is none where one at a time would fit
    Avoid,
    /// Hand memory out as it is asked for, and tell a deadlock when it is there
    Detect,
}

/// What a command plans: problem, options, and the flags that give the same again.
pub struct Job {
    /// Graph and machine.
    pub problem: Problem,
    /// How to plan.
    pub options: Options,
    /// The search for a better plan, where there is one.
    pub search: Option<Search>,
    /// The graph's file name without its ending, which names the plan files.
    pub stem: String,
    /// What was named on the command line.
    pub origin: Origin,
    /// The graph and the flags as words of a command line, quoted for a shell.
    pub words: String,
}

/// A search for a better plan.
#[derive(Clone, Debug)]
pub struct Search {
    /// What is searched for.
    pub wanted: Wanted,
    /// Whether it was asked for, and not only done because nothing else was.
    pub is_asked: bool,
}

/// A graph bound to a machine.
pub struct Loaded {
    /// The two.
    pub problem: Problem,
    /// What was named on the command line.
    pub origin: Origin,
    /// The graph's file name without its ending, which names the plan files.
    pub stem: String,
}

/// The text of the graph, or the bytes of a model: a file, `-`, or none for the built-in sample.
pub fn read_text(graph: Option<&str>) -> Result<Source, Error> {
    match graph {
        Some(path) => Source::read_text_or_model(path),
        None => Ok(Source::from_text("flash-attention.json", BUILT_IN.to_owned())),
    }
}

/// Files that are read beside a graph.
#[derive(Clone, Copy, Debug, Default)]
pub struct Beside<'a> {
    /// A schedule to follow.
    pub schedule: Option<&'a str>,
    /// Mean durations by kind of operation.
    pub profile: Option<&'a str>,
}

/// Reads graph, schedule, profile and machine, for a `text` that came from `graph` as in [`read_text`].
pub fn load_text(text: &Source, graph: Option<&str>, beside: Beside, machine: &MachineFlags) -> Result<Loaded, Error> {
    let named = [graph, beside.schedule, beside.profile, machine.machine.as_deref()];
    if named.iter().filter(|from| **from == Some("-")).count() > 1 {
        return Err(Error::input("standard input is named twice", "name a file in one of the two places"));
    }
    let profile = beside.profile.map(|path| input::read_profile(&Source::read(path)?)).transpose()?;
    let mut loaded = input::read_graph_with(text, profile.as_ref())?;
    if let Some(path) = beside.schedule {
        input::apply_schedule(&mut loaded, &Source::read(path)?.with_newlines())?;
    }
    let stem = loaded.name.raw().to_owned();
    let named = machine.named(&loaded)?;
    let resolved = machine.changed(named.clone())?;
    let mut problem = bind(loaded, resolved, &text.name)?;
    if machine.caps_by_default(&problem.graph) {
        pool_flags::cap_by_default(&mut problem);
    }
    let owned = |word: Option<&str>| word.map(str::to_owned);
    let origin = Origin {
        graph: owned(graph),
        machine: machine.machine.clone(),
        named,
        schedule: owned(beside.schedule),
        profile: owned(beside.profile),
    };
    Ok(Loaded { problem, origin, stem })
}

impl Job {
    /// What is planned.
    pub fn setup(&self) -> Setup {
        let search = self.search.as_ref().map(|search| search.wanted.clone());
        Setup { problem: self.problem.clone(), options: self.options.clone(), search }
    }
}

impl Flags {
    /// Reads graph, machine and schedule and resolves the flags. `graph` is as in [`read_text`].
    pub fn job(&self, graph: Option<&str>) -> Result<Job, Error> {
        self.job_of(&read_text(graph)?, graph)
    }

    /// The same for a `text` that came from `graph`, which is read once for many jobs.
    pub fn job_of(&self, text: &Source, graph: Option<&str>) -> Result<Job, Error> {
        let beside = Beside { schedule: self.schedule.as_deref(), profile: self.profile.as_deref() };
        let Loaded { mut problem, origin, stem } = load_text(text, graph, beside, &self.machine)?;
        if self.spill_l0 {
            problem.machine.let_l0_spill();
        }
        let mut options = self.options(&problem.graph);
        self.parts.apply(&mut options, &problem)?;
        let search = self.search(&problem, graph.is_none())?;
        let words = origin.words(&problem, &options);
        Ok(Job { problem, options, search, stem, origin, words })
    }

    /// Puts `machine` in place of the default one; a machine that is named goes before it.
    pub fn use_machine(&mut self, machine: Option<Machine>) {
        self.machine.own = machine;
    }

    /// The profile of --profile, to be brought up to date, and its file. Where that is not there yet, the graph is read
    /// without one, and the profile is empty. Standard input is read and stays as it is.
    pub fn profile_to_update(&mut self) -> Result<Option<(PathBuf, Profile)>, Error> {
        let Some(file) = self.profile.clone().filter(|file| file != "-") else { return Ok(None) };
        if Path::new(&file).exists() {
            return Ok(Some((PathBuf::from(&file), input::read_profile(&Source::read(&file)?)?)));
        }
        self.profile = None;
        Ok(Some((PathBuf::from(file), Profile::default())))
    }

    /// The search that is asked for, else the quick one where nothing says how to plan. The built-in sample is shown as the
    /// classic policy plans it: there is more to see.
    fn search(&self, problem: &Problem, is_built_in: bool) -> Result<Option<Search>, Error> {
        let clocked = problem.is_clocked();
        let quick = self.policy == Some(PolicyFlag::Quick);
        if quick && clocked {
            let what = "--policy quick searches for plans of memories with addresses, not of pools and windows";
            return Err(Error::input(what, "leave it out, or ask for a search with --evaluations N"));
        }
        let walked = self.walk_flag();
        let asked = self.searching.wanted(problem)?;
        if let Some(flag) = walked.filter(|_| !clocked && (quick || asked.is_some())) {
            let what = format!("{flag} goes with no search, which decides order, victims and addresses itself");
            return Err(Error::input(what, "leave one of the two out"));
        }
        let free = walked.is_none() && problem.graph.schedule().is_none() && !is_built_in;
        let by_default = !clocked && free && problem.graph.node_count() <= MOST_NODES;
        let is_asked = asked.is_some();
        let wanted = asked.or_else(|| (quick || by_default).then(|| Wanted::quick(problem)));
        Ok(wanted.map(|wanted| Search { wanted, is_asked }))
    }

    /// A flag that says how the nodes are ordered or how room is made, if one is given.
    fn walk_flag(&self) -> Option<&'static str> {
        let flags = [("--order", self.order.is_some()), ("--policy classic", self.policy == Some(PolicyFlag::Classic))];
        let first = flags.into_iter().find(|(_, given)| *given).map(|(flag, _)| flag);
        first.or_else(|| self.parts.first_given())
    }

    fn options(&self, graph: &Graph) -> Options {
        let order = match self.order {
            Some(OrderFlag::Given) => Order::Given,
            None if graph.schedule().is_some() => Order::Given,
            None if graph.operation_graph.is_some() => Order::CriticalPath,
            Some(OrderFlag::Program) | None => Order::Program,
            Some(OrderFlag::Topological) => Order::Topological,
            Some(OrderFlag::CriticalPath) => Order::CriticalPath,
            Some(OrderFlag::MemoryAware) => Order::MemoryAware,
        };
        let mut options = Options::classic(order);
        options.avoid_deadlock = self.deadlock != Some(DeadlockFlag::Detect);
        options.light_tasks = !self.no_light_tasks;
        options
    }
}

impl MachineFlags {
    /// The machine that is named, or the default for this graph.
    fn named(&self, graph: &Graph) -> Result<Machine, Error> {
        match (self.machine.as_deref(), &self.own) {
            (Some(name), _) => input::find_machine(name),
            (None, Some(own)) => Ok(own.clone()),
            (None, None) if graph.operation_graph.is_some() => Ok(Machine::host()),
            (None, None) => Ok(Machine::npu()),
        }
    }

    /// `machine` with what the other flags change of it.
    fn changed(&self, mut machine: Machine) -> Result<Machine, Error> {
        for (name, capacity) in &self.capacity {
            let known = names(&machine);
            if name.is_empty() {
                let what = format!("--capacity {capacity} names no level, and only lifetimes have one memory alone");
                return Err(Error::input(what, format!("use LEVEL=N; the levels are {known}")));
            }
            let Some(level) = machine.levels.iter_mut().find(|level| level.name.raw() == name) else {
                let what = format!("--capacity names level {}, which the machine does not have", clean(name));
                return Err(Error::input(what, format!("its levels are {known}")));
            };
            if level.pool().is_some() && self.pool.max_pool_bytes.is_some() {
                let what = format!("--capacity and --max-pool-bytes both say the capacity of level {}", level.name);
                return Err(Error::input(what, "leave one of the two out"));
            }
            level.capacity = *capacity;
        }
        if let Some(rate) = self.bytes_per_cycle {
            if !(rate.is_finite() && rate > 0.0) {
                return Err(Error::input(format!("--bytes-per-cycle must be above 0, found {rate}"), "use 512, say"));
            }
            machine.transfer.bytes_per_cycle = rate;
        }
        machine.transfer.overhead = self.overhead.unwrap_or(machine.transfer.overhead);
        self.pool.apply(&mut machine)?;
        Ok(machine)
    }

    /// Whether nobody said how much memory the graph's pool may take.
    fn caps_by_default(&self, graph: &Graph) -> bool {
        let is_said = self.machine.is_some()
            || self.own.is_some()
            || !self.capacity.is_empty()
            || self.pool.max_pool_bytes.is_some();
        graph.operation_graph.is_some() && !is_said
    }
}

/// Binds a graph to a machine that must have all its levels.
fn bind(graph: Graph, machine: Machine, file: &str) -> Result<Problem, Error> {
    let graph = Arc::new(graph);
    let known = names(&machine);
    Problem::new(graph.clone(), machine).map_err(|unknown| {
        let buffer = graph.buffer(unknown.buf);
        let what = format!(
            "node {}: buffer {} asks for level {}, which the machine does not have",
            graph.node(buffer.alloc).id,
            buffer.id,
            graph.symbol(unknown.level)
        );
        Error::input(what, format!("its levels are {known}; name another machine with --machine")).in_file(file)
    })
}

fn names(machine: &Machine) -> String {
    machine.levels.iter().map(|level| level.name.to_string()).collect::<Vec<_>>().join(", ")
}

/// One LEVEL=N of `--capacity`.
fn capacity(text: &str) -> Result<(String, u64), String> {
    // A number alone is for lifetimes, whose memory has no name.
    let alone = (!text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())).then_some(("", text));
    let (level, size) = text.split_once('=').or(alone).ok_or("use LEVEL=N, as in L1=4096; for lifetimes N")?;
    let size: u64 =
        size.trim().parse().map_err(|_| format!("the capacity of {} must be a whole number", clean(level)))?;
    if size == 0 || size > MAX_NUMBER {
        return Err(format!("the capacity of {} must be from 1 to 2^63-1", clean(level)));
    }
    Ok((level.trim().to_owned(), size))
}
