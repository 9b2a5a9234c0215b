//! The plans that one has made of a graph, and those that are being made: changed, planned again, taken back.

use std::sync::Arc;
use std::time::Duration;

use super::command::Effect;
use super::request::{Reply, Request, Work};
use super::what_if::NOTHING_TO_PLAN;
use super::{App, Where};
use crate::model::Remedy;
use crate::output::command_line::Origin;
use crate::output::diagnosis::remedy_flag;
use crate::output::numbers::grouped;
use crate::session::{Meter, Session, Setup};

/// Plans are kept for undo up to so many events together; the first and the one at hand always.
const MOST_EVENTS: usize = 16_000_000;

/// For so long a plan may be on its way before the screen says so: most come sooner, and would make it flicker.
const SAY_AFTER: Duration = Duration::from_millis(150);

/// How often the screen looks how far a plan on its way has come.
pub(super) const LOOK_EVERY: Duration = Duration::from_millis(100);

/// A plan with what it changed of the one before.
#[derive(Clone, Debug)]
pub struct Version {
    /// The plan.
    pub session: Arc<Session>,
    /// What was changed, in words; of the first plan nothing.
    pub change: String,
    /// Where it comes from, where a command line gives it.
    pub origin: Option<Origin>,
}

/// The plans so far, and which of them is on the screen.
#[derive(Clone, Debug)]
pub struct Plans {
    versions: Vec<Version>,
    at: usize,
    /// The plan that is being made.
    asked: Option<Asked>,
    /// Of the latest request.
    number: u64,
}

/// A plan on its way.
#[derive(Clone, Debug)]
pub struct Asked {
    /// What it is made of.
    pub setup: Setup,
    /// What that changes of the plan on the screen, in words.
    pub change: String,
    /// What it is for.
    aim: Aim,
    meter: Arc<Meter>,
    waited: Duration,
    /// Whether a plan of it is on the screen already: the best so far of a search that goes on.
    shown: bool,
}

/// What a plan is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Aim {
    /// To take the place of the one on the screen.
    Show,
    /// To be compared with it.
    Compare,
}

impl Asked {
    /// How far it has come, in words, once it takes so long that one wonders.
    pub fn news(&self) -> Option<String> {
        let done = match self.meter.thousandths() {
            0 => String::new(),
            thousandths => format!(", {} %", thousandths / 10),
        };
        let seconds = self.waited.as_secs_f64();
        let text = if self.shown {
            format!("searching on{done}, {seconds:.1} s; this is the best so far (u: let it be)")
        } else if self.aim == Aim::Compare {
            format!("comparing with {}{done}, {seconds:.1} s … (Esc: let it be)", self.change)
        } else {
            format!("planning with {}{done}, {seconds:.1} s …", self.change)
        };
        (self.waited >= SAY_AFTER).then_some(text)
    }
}

impl Plans {
    pub(super) fn new(session: Arc<Session>) -> Self {
        let first = Version { session, change: String::new(), origin: None };
        Self { versions: vec![first], at: 0, asked: None, number: 0 }
    }

    /// The plan on the screen.
    pub fn current(&self) -> &Version {
        &self.versions[self.at]
    }

    pub(super) fn current_mut(&mut self) -> &mut Version {
        &mut self.versions[self.at]
    }

    /// Makes `version` the one on the screen: where it is at hand, else by entering it behind the one that is.
    pub(super) fn turn_to(&mut self, version: Version) {
        let known = self.versions.iter().position(|one| Arc::ptr_eq(&one.session, &version.session));
        self.at = known.unwrap_or_else(|| {
            self.versions.insert(self.at + 1, version);
            self.at + 1
        });
    }

    /// All plans, the first as it was opened.
    pub fn versions(&self) -> &[Version] {
        &self.versions
    }

    /// Which of them is on the screen.
    pub fn at(&self) -> usize {
        self.at
    }

    /// The plan as it was opened.
    pub fn first(&self) -> &Arc<Session> {
        &self.versions[0].session
    }

    /// The plan on its way.
    pub fn asked(&self) -> Option<&Asked> {
        self.asked.as_ref()
    }

    /// A new plan takes the place of those that were taken back.
    fn push(&mut self, version: Version) {
        self.versions.truncate(self.at + 1);
        self.versions.push(version);
        self.at += 1;
        let events = |versions: &[Version]| versions.iter().map(|one| one.session.trace.event_count()).sum::<usize>();
        while self.at > 1 && events(&self.versions) > MOST_EVENTS {
            self.versions.remove(1);
            self.at -= 1;
        }
    }

    /// A better plan takes the place of the one at hand.
    fn put(&mut self, version: Version) {
        self.versions[self.at] = version;
    }

    /// Numbers requests behind those of `before`, whose replies may still come.
    pub(super) fn number_behind(&mut self, before: &Self) {
        self.number = self.number.max(before.number);
    }

    pub(super) fn wait(&mut self, passed: Duration) {
        if let Some(asked) = &mut self.asked {
            asked.waited += passed;
        }
    }
}

impl App {
    /// What is planned now: of the plan on its way, else of the one on the screen.
    pub fn setup(&self) -> Setup {
        self.plans.asked.as_ref().map_or_else(|| self.session.setup(), |asked| asked.setup.clone())
    }

    /// Asks for the plan of `setup`, which changes `change` of the one on the screen. That one stays until the new one
    /// has come; a plan that was on its way is wanted no more.
    pub fn what_if(&mut self, setup: Setup, change: String) -> Effect {
        self.ask(setup, change, Aim::Show)
    }

    pub(super) fn ask(&mut self, setup: Setup, change: String, aim: Aim) -> Effect {
        if self.session.packed.is_some() {
            self.say(NOTHING_TO_PLAN);
            return Effect::Redraw;
        }
        let leader = (aim == Aim::Compare).then(|| Arc::clone(&self.session));
        let work = Work::Plan { setup: Box::new(setup.clone()), leader };
        self.ask_for(work, setup, change, aim)
    }

    /// Asks how a plan that is there differs from the one on the screen.
    pub(super) fn ask_difference(&mut self, rival: Version) -> Effect {
        let change = if rival.change.is_empty() { "the plan as it was".to_owned() } else { rival.change.clone() };
        let work = Work::Compare { rival: Box::new(rival), leader: Arc::clone(&self.session) };
        self.ask_for(work, self.session.setup(), change, Aim::Compare)
    }

    fn ask_for(&mut self, work: Work, setup: Setup, change: String, aim: Aim) -> Effect {
        self.give_up();
        self.plans.number += 1;
        let meter = Arc::new(Meter::default());
        let request = Request { number: self.plans.number, work, meter: Arc::clone(&meter) };
        self.plans.asked = Some(Asked { setup, change, aim, meter, waited: Duration::ZERO, shown: false });
        Effect::Replan(Box::new(request))
    }

    /// Drops what is on its way and not on the screen in any part; whether there was something.
    pub(super) fn break_off(&mut self) -> bool {
        let Some(asked) = self.plans.asked.as_ref().filter(|asked| !asked.shown) else { return false };
        let what = if asked.aim == Aim::Compare { "the comparison" } else { "the plan" };
        self.say(format!("{what} on its way is dropped"));
        self.give_up()
    }

    /// Asks for the plan that a remedy gives.
    pub fn try_remedy(&mut self, remedy: &Remedy) -> Effect {
        let mut setup = self.session.setup();
        setup.apply(remedy);
        let change = remedy_flag(&self.trace().problem, remedy);
        self.what_if(setup, change)
    }

    /// Begins anew with this plan. What is still on its way has its number, and no later one has that again.
    pub(super) fn begin_anew(&mut self, session: &Arc<Session>) {
        self.give_up();
        let number = self.plans.number;
        self.plans = Plans { number, ..Plans::new(Arc::clone(session)) };
    }

    /// Drops the plan on its way; whether there was one.
    fn give_up(&mut self) -> bool {
        let asked = self.plans.asked.take();
        asked.as_ref().inspect(|asked| asked.meter.stop()).is_some()
    }

    /// Takes what another thread has planned. What is no longer wanted is dropped.
    pub fn arrived(&mut self, reply: Reply) -> Effect {
        if reply.number != self.plans.number {
            return Effect::None;
        }
        let Some(asked) = self.plans.asked.take() else { return Effect::None };
        if asked.aim == Aim::Compare && !reply.last {
            // Only what a search ends with is compared, or each better plan would move the person.
            self.plans.asked = Some(asked);
            return Effect::None;
        }
        match reply.result {
            Err(why) => self.say(format!("with {} it cannot be planned: {why}", asked.change)),
            Ok(session) if asked.aim == Aim::Compare => {
                let named =
                    || Version { session, change: asked.change.clone(), origin: self.plans.current().origin.clone() };
                let rival = reply.rival.map_or_else(named, |rival| *rival);
                // Another plan may have come to the screen since.
                match reply.beside.filter(|beside| Arc::ptr_eq(&beside.leader, &self.session)) {
                    Some(beside) => self.compare_with(rival, beside.difference),
                    None => return self.ask_difference(rival),
                }
            }
            Ok(session) => {
                self.swap(Arc::clone(&session));
                let origin = self.plans.current().origin.clone();
                let version = Version { session, change: asked.change.clone(), origin };
                if asked.shown {
                    self.plans.put(version);
                } else {
                    self.plans.push(version);
                }
                let before = Arc::clone(&self.plans.versions[self.plans.at - 1].session);
                self.say(format!("{}: {}  (u takes it back)", asked.change, outcome(&before, &self.session)));
            }
        }
        if !reply.last {
            self.plans.asked = Some(Asked { shown: true, ..asked });
        }
        self.refresh();
        Effect::Redraw
    }

    /// Back to the plan before.
    pub(super) fn undo(&mut self) {
        let shown = self.plans.asked.as_ref().is_some_and(|asked| asked.shown);
        if self.give_up() {
            let ended = "the search has ended; this is the best plan by then (u again takes it back)";
            return self.say(if shown { ended } else { "the plan on its way is dropped" });
        }
        let Some(at) = self.plans.at.checked_sub(1) else {
            return self.say("this is the plan as it was opened; c changes it");
        };
        let change = std::mem::take(&mut self.plans.versions[at + 1].change);
        self.say(format!("taken back: {change}  (U brings it again)"));
        self.plans.versions[at + 1].change = change;
        self.show_version(at);
    }

    /// Forward to the plan that was taken back.
    pub(super) fn redo(&mut self) {
        let at = self.plans.at + 1;
        match self.plans.versions.get(at) {
            None => self.say("nothing was taken back"),
            Some(version) => {
                self.say(format!("again: {}", version.change));
                self.show_version(at);
            }
        }
    }

    /// Puts these behind the plan at hand, and the last of them on the screen.
    pub(super) fn show_versions(&mut self, versions: Vec<Version>) {
        self.give_up();
        versions.into_iter().for_each(|version| self.plans.push(version));
        self.show_version(self.plans.at);
    }

    fn show_version(&mut self, at: usize) {
        let notice = self.notice.take();
        self.plans.at = at;
        self.swap(Arc::clone(&self.plans.versions[at].session));
        self.notice = notice;
    }

    /// Shows `session`, which is of the same graph, at the same node: where the plan has it no more, since it ended
    /// before, at the failure. Bookmarks and places to go back to move to where their nodes are.
    pub(super) fn swap(&mut self, session: Arc<Session>) {
        let before = Arc::clone(&self.session);
        let (was, is) = (&before.trace, &session.trace);
        let moved = |step: usize| super::replace::same_node(was, is, step);
        let failed_at = before.diagnosis.as_ref().filter(|_| was.failing_step() == Some(self.step));
        let here = match failed_at.and_then(|found| found.node) {
            Some(node) => is.step_of(node),
            None => moved(self.step),
        };
        self.bookmarks = self.bookmarks.iter().filter_map(|(&name, &step)| Some((name, moved(step)?))).collect();
        self.past = self.past.iter().filter_map(|&step| moved(step)).collect();
        self.take_over(session);
        match here {
            Some(step) => self.go(step),
            None => self.open_at(Where::Failure),
        }
    }
}

/// What came of it, against the plan before.
fn outcome(before: &Session, now: &Session) -> String {
    let (was, is) = (&before.figures, &now.figures);
    let change =
        |name: &str, was: u64, is: u64| (was != is).then(|| format!("{name} {} → {}", grouped(was), grouped(is)));
    match (before.diagnosis.is_some(), now.diagnosis.is_some()) {
        (true, true) => "there is still no plan".into(),
        (false, true) => "no plan any more".into(),
        (true, false) => format!("there is a plan, {} spills", grouped(is.spills)),
        (false, false) => {
            let parts = [
                change("spills", was.spills, is.spills),
                change("extra traffic", was.extra_traffic, is.extra_traffic),
                change("makespan", was.makespan, is.makespan),
            ];
            let parts: Vec<String> = parts.into_iter().flatten().collect();
            if parts.is_empty() { "figures as before".into() } else { parts.join(", ") }
        }
    }
}
