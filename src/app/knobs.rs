//! What can be changed of a plan on the screen: each knob knows its name, its value, and how to turn it.

use super::command::Dir;
use crate::engine::search::{Budget, Objective};
use crate::input::parse_bytes;
use crate::model::{Buckets, Fallback, Fit, LevelIx, MAX_NUMBER, Manager, Order, PoolRules, VictimRule};
use crate::output::command_line::WORKER;
use crate::output::labels::chain;
use crate::output::numbers::{counted, grouped};
use crate::output::quantities::in_micros;
use crate::session::{Setup, Wanted};

/// Something to change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Knob {
    /// A level's capacity; of a pool its cap.
    Capacity(LevelIx),
    /// Whether the levels named `L0…` may spill.
    SpillL0,
    /// What is tried where no hole is large enough.
    OnFull,
    /// Which buffer is best to spill.
    Victims,
    /// Where a buffer goes among the holes.
    Fit,
    /// Whether FREEs come right after the last use.
    Hoist,
    /// By how many operations buffers may come back early.
    Prefetch,
    /// The order of the nodes.
    Order,
    /// How often one buffer's ALLOC may be postponed.
    PostponeLimit,
    /// How many operations may run at once.
    Window,
    /// How many workers there are.
    Workers,
    /// How pools round requests up.
    Buckets,
    /// For how long blocks may lie idle.
    MaxAge,
    /// Whether shorter operations may pass more urgent ones.
    LightTasks,
    /// Whether memory is kept back so that there is no deadlock.
    Deadlock,
    /// What a transfer moves in a cycle.
    BytesPerCycle,
    /// What a transfer takes beside that.
    Overhead,
    /// Whether a better plan is searched for.
    Search,
}

/// The chains to choose among: the classic one, what each part does alone, and postponing first.
const CHAINS: [&[Fallback]; 6] = {
    use Fallback::{Postpone, Spill, SpillMany};
    [
        &[Spill, SpillMany, Postpone],
        &[Spill],
        &[SpillMany],
        &[Postpone],
        &[SpillMany, Postpone],
        &[Postpone, Spill, SpillMany],
    ]
};

/// Operations by which reloads may come early, to choose among.
const DISTANCES: [u32; 6] = [0, 1, 2, 4, 8, 16];

/// Evaluations to choose among; 0 searches for nothing.
const EVALUATIONS: [u64; 4] = [0, 100, 1_000, 10_000];

/// The knobs that change something of `setup`.
pub fn knobs(setup: &Setup) -> Vec<Knob> {
    let problem = &setup.problem;
    let clocked = problem.is_clocked();
    let spills = problem.machine.levels.iter().any(|level| level.pool().is_none());
    // A search decides order and victims itself.
    let decides = clocked || setup.search.is_none();
    let pools = problem.machine.levels.iter().any(|level| level.pool().is_some());
    let used = |level: &LevelIx| {
        problem.graph.buffers().iter().any(|buffer| problem.graph.symbol(buffer.level) == &problem.level(*level).name)
    };
    let capacities = (0..problem.level_count()).map(LevelIx::new).filter(used).map(Knob::Capacity);
    let others = [
        (Knob::SpillL0, problem.machine.levels.iter().any(|level| level.is_l0() && level.pool().is_none())),
        (Knob::OnFull, spills && decides),
        (Knob::Victims, spills && decides),
        (Knob::Fit, spills && decides),
        (Knob::Hoist, decides && !clocked),
        (Knob::Prefetch, spills && decides),
        (Knob::PostponeLimit, spills && decides && setup.options.on_full.contains(&Fallback::Postpone)),
        (Knob::Order, decides),
        (Knob::LightTasks, decides && setup.options.order == Order::CriticalPath),
        (Knob::Deadlock, decides && !matches!(setup.options.order, Order::Given | Order::Program)),
        (Knob::Window, clocked),
        (Knob::Workers, workers(setup).is_some()),
        (Knob::Buckets, pools),
        (Knob::MaxAge, pools),
        (Knob::BytesPerCycle, spills),
        (Knob::Overhead, spills),
        (Knob::Search, true),
    ];
    capacities.chain(others.into_iter().filter(|(_, applies)| *applies).map(|(knob, _)| knob)).collect()
}

impl Knob {
    /// What it is called.
    pub fn name(self, setup: &Setup) -> String {
        match self {
            Self::Capacity(level) => format!("capacity {}", setup.problem.level(level).name),
            Self::SpillL0 => "L0 may spill".into(),
            Self::OnFull => "when full".into(),
            Self::Victims => "victims".into(),
            Self::Fit => "fit".into(),
            Self::Hoist => "early FREEs".into(),
            Self::Prefetch => "early reloads".into(),
            Self::Order => "order".into(),
            Self::PostponeLimit => "postpone limit".into(),
            Self::Window => "window".into(),
            Self::Workers => "workers".into(),
            Self::Buckets => "buckets".into(),
            Self::MaxAge => "idle for at most".into(),
            Self::LightTasks => "light tasks pass".into(),
            Self::Deadlock => "deadlocks".into(),
            Self::BytesPerCycle => "bytes per cycle".into(),
            Self::Overhead => "transfer overhead".into(),
            Self::Search => "search".into(),
        }
    }

    /// Its value in words.
    pub fn value(self, setup: &Setup) -> String {
        let Setup { problem, options, .. } = setup;
        let transfer = &problem.machine.transfer;
        let yes = |is: bool| if is { "yes" } else { "no" }.to_owned();
        match self {
            Self::Capacity(level) => {
                let level = problem.level(level);
                let amount = grouped(level.capacity);
                if level.pool().is_some() { format!("{amount} bytes") } else { amount }
            }
            Self::SpillL0 => yes(l0_spills(setup)),
            Self::OnFull if options.on_full.is_empty() => "give up".into(),
            Self::OnFull => chain(&options.on_full).replace(',', ", "),
            Self::Victims => options.victims.to_string(),
            Self::Fit => options.fit.to_string(),
            Self::Hoist => yes(options.hoist),
            Self::Prefetch if options.prefetch == 0 => "no".into(),
            Self::Prefetch => format!("up to {}", counted(u64::from(options.prefetch), "operation")),
            Self::Order => options.order.to_string(),
            Self::PostponeLimit => options.postpone_limit.to_string(),
            Self::Window => problem.machine.window.map_or("no limit".into(), |window| window.to_string()),
            Self::Workers => workers(setup).map_or(String::new(), |count| count.to_string()),
            Self::Buckets => rules(setup).map_or(String::new(), |rules| rules.buckets.to_string()),
            Self::MaxAge => match rules(setup).and_then(|rules| rules.max_age) {
                None => "kept for ever".into(),
                Some(age) => format!("{} {}", grouped(age), if in_micros(problem) { "µs" } else { "cycles" }),
            },
            Self::LightTasks => yes(options.light_tasks),
            Self::Deadlock => if options.avoid_deadlock { "avoid" } else { "detect" }.into(),
            Self::BytesPerCycle => transfer.bytes_per_cycle.to_string(),
            Self::Overhead => format!("{} cycles", grouped(transfer.overhead)),
            Self::Search => match setup.search.as_ref().map(|wanted| wanted.budget) {
                None => "off".into(),
                Some(Budget::Evaluations(count)) => format!("{} evaluations", grouped(count)),
                Some(Budget::Seconds(seconds)) => format!("{seconds} s"),
            },
        }
    }

    /// Whether a value can be typed.
    pub fn takes_text(self) -> bool {
        !matches!(
            self,
            Self::SpillL0
                | Self::LightTasks
                | Self::Deadlock
                | Self::OnFull
                | Self::Order
                | Self::Victims
                | Self::Fit
                | Self::Hoist
        )
    }

    /// Turns it to the next or previous value; whether there is one.
    pub fn turn(self, setup: &mut Setup, dir: Dir, original: &Setup) -> bool {
        let before = self.value(setup);
        let up = dir == Dir::Forward;
        let has_schedule = setup.problem.graph.schedule().is_some();
        let Setup { problem, options, search } = setup;
        let machine = &mut problem.machine;
        match self {
            Self::Capacity(level) => {
                let capacity = &mut machine.levels[level.at()].capacity;
                *capacity = stepped(*capacity, up).max(1);
            }
            Self::SpillL0 => {
                let may = !machine.levels.iter().any(|level| level.is_l0() && level.spill);
                machine.levels.iter_mut().filter(|level| level.is_l0()).for_each(|level| level.spill = may);
            }
            Self::OnFull => {
                let chains: Vec<Vec<Fallback>> = CHAINS.iter().map(|chain| chain.to_vec()).collect();
                options.on_full = next_of(&chains, &options.on_full, up);
            }
            Self::Order => {
                use Order::{CriticalPath, Given, MemoryAware, Program, Topological};
                let all = [Given, Program, Topological, CriticalPath, MemoryAware];
                options.order = next_of(&all[usize::from(!has_schedule)..], &options.order, up);
            }
            Self::Victims => options.victims = next_of(&VictimRule::ALL, &options.victims, up),
            Self::Fit => options.fit = next_of(&Fit::ALL, &options.fit, up),
            Self::Hoist => options.hoist = !options.hoist,
            Self::Prefetch => options.prefetch = next_of(&DISTANCES, &options.prefetch, up),
            Self::PostponeLimit => options.postpone_limit = one_on(u64::from(options.postpone_limit), up, 0) as u32,
            Self::Window => {
                machine.window = turned_window(machine.window, up, original.problem.machine.window.is_none());
            }
            Self::Workers => {
                if let Some(unit) = machine.units.iter_mut().find(|unit| unit.name.raw() == WORKER) {
                    unit.count = if up { unit.count.saturating_add(1) } else { unit.count.saturating_sub(1).max(1) };
                }
            }
            Self::Buckets => {
                let all = [Buckets::tlsf(), Buckets::PowersOfTwo, Buckets::default(), Buckets::Exact];
                change_rules(setup, |rules| rules.buckets = next_of(&all, &rules.buckets, up));
            }
            Self::MaxAge => change_rules(setup, |rules| {
                rules.max_age = match rules.max_age {
                    None => (!up).then_some(1 << 20),
                    Some(0) if !up => Some(0),
                    Some(age) if up && age >= 1 << 20 => None,
                    Some(age) => Some(if up { (age * 2).max(1) } else { age / 2 }),
                }
            }),
            Self::LightTasks => options.light_tasks = !options.light_tasks,
            Self::Deadlock => options.avoid_deadlock = !options.avoid_deadlock,
            Self::BytesPerCycle => machine.transfer.bytes_per_cycle *= if up { 2.0 } else { 0.5 },
            Self::Overhead => machine.transfer.overhead = stepped(machine.transfer.overhead, up),
            Self::Search => {
                let now = search.as_ref().map_or(0, |wanted| match wanted.budget {
                    Budget::Evaluations(count) => count,
                    Budget::Seconds(_) => u64::MAX,
                });
                *search = searching(search.take(), next_of(&EVALUATIONS, &now, up));
            }
        }
        self.value(setup) != before
    }

    /// Sets it to what was typed.
    ///
    /// # Errors
    /// What can be typed.
    pub fn set(self, setup: &mut Setup, text: &str) -> Result<(), String> {
        let text = text.trim();
        let machine = &mut setup.problem.machine;
        match self {
            Self::Capacity(level) => machine.levels[level.at()].capacity = parse_bytes(text)?,
            Self::PostponeLimit => setup.options.postpone_limit = number(text, 0, u64::from(u32::MAX))? as u32,
            Self::Prefetch => setup.options.prefetch = number(text, 0, u64::from(u32::MAX))? as u32,
            Self::Window => machine.window = Some(number(text, 1, u64::from(u32::MAX))? as u32),
            Self::Workers => {
                let count = number(text, 1, u64::from(u8::MAX))? as u8;
                if let Some(unit) = machine.units.iter_mut().find(|unit| unit.name.raw() == WORKER) {
                    unit.count = count;
                }
            }
            Self::Buckets => {
                let buckets: Buckets = text.parse()?;
                change_rules(setup, |rules| rules.buckets = buckets.clone());
            }
            Self::MaxAge => {
                let age = number(text, 0, MAX_NUMBER)?;
                change_rules(setup, |rules| rules.max_age = Some(age));
            }
            Self::BytesPerCycle => {
                let rate = text.parse().ok().filter(|rate: &f64| rate.is_finite() && *rate > 0.0);
                machine.transfer.bytes_per_cycle = rate.ok_or("type a number above 0, as in 0.5")?;
            }
            Self::Overhead => machine.transfer.overhead = number(text, 0, MAX_NUMBER)?,
            Self::Search => setup.search = searching(setup.search.take(), number(text, 0, MAX_NUMBER)?),
            _ => return Err("← and → change this".into()),
        }
        Ok(())
    }
}

fn workers(setup: &Setup) -> Option<u8> {
    setup.problem.machine.units.iter().find(|unit| unit.name.raw() == WORKER).map(|unit| unit.count)
}

fn rules(setup: &Setup) -> Option<&PoolRules> {
    setup.problem.machine.levels.iter().find_map(|level| level.pool())
}

fn change_rules(setup: &mut Setup, change: impl Fn(&mut PoolRules)) {
    for level in &mut setup.problem.machine.levels {
        if let Manager::Pool(rules) = &mut level.manager {
            change(rules);
        }
    }
}

fn l0_spills(setup: &Setup) -> bool {
    setup.problem.machine.levels.iter().filter(|level| level.is_l0()).all(|level| level.spill)
}

/// The search for so many evaluations with the objective and seed that it had; none for none.
fn searching(before: Option<Wanted>, evaluations: u64) -> Option<Wanted> {
    let (objective, seed) = before.map_or((Objective::Traffic, 0), |wanted| (wanted.objective, wanted.seed));
    (evaluations > 0).then_some(Wanted { objective, budget: Budget::Evaluations(evaluations), seed, from: None })
}

fn number(text: &str, least: u64, most: u64) -> Result<u64, String> {
    let wrong = || format!("type a whole number from {least} to {most}");
    text.parse().ok().filter(|number| (least..=most).contains(number)).ok_or_else(wrong)
}

/// The neighbour in a list that goes round; the first where `now` is not in it.
fn next_of<T: PartialEq + Clone>(all: &[T], now: &T, up: bool) -> T {
    let at = all.iter().position(|one| one == now);
    let next = at.map_or(0, |at| (at + if up { 1 } else { all.len() - 1 }) % all.len());
    all[next].clone()
}

fn one_on(number: u64, up: bool, least: u64) -> u64 {
    if up { number.saturating_add(1).min(u64::from(u32::MAX)) } else { number.saturating_sub(1).max(least) }
}

/// No limit stands below the limit of one operation, where there was none at first: no flag takes a limit away.
fn turned_window(window: Option<u32>, up: bool, may_be_none: bool) -> Option<u32> {
    match (window, up) {
        (None, true) => Some(1),
        (None, false) => None,
        (Some(1), false) if may_be_none => None,
        (Some(limit), up) => Some(one_on(u64::from(limit), up, 1) as u32),
    }
}

/// Up or down by about an eighth, to round numbers: multiples of a power of two.
fn stepped(number: u64, up: bool) -> u64 {
    let below = if up { number } else { number.saturating_sub(1) };
    let step = 1 << (below / 8).max(1).ilog2();
    if up { (number / step + 1).saturating_mul(step).min(MAX_NUMBER) } else { below / step * step }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn capacities_step_to_round_numbers_and_back() {
        assert_eq!([stepped(4096, false), stepped(3584, false), stepped(4096, true)], [3840, 3328, 4608]);
        assert_eq!([stepped(1, false), stepped(0, true), stepped(1, true), stepped(100, true)], [0, 1, 2, 104]);
        assert_eq!(stepped(MAX_NUMBER, true), MAX_NUMBER);
        for start in [1u64, 7, 100, 4096, 1 << 40] {
            assert!(stepped(start, true) > start && stepped(start, false) < start);
        }
    }

    #[test]
    fn a_window_can_only_be_taken_away_where_there_was_none() {
        assert_eq!(turned_window(Some(1), false, true), None);
        assert_eq!(turned_window(Some(1), false, false), Some(1));
        assert_eq!(turned_window(None, true, true), Some(1));
    }
}
