//! What a plan is made of, to be changed and planned again; and how far that has come.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use super::{Extras, Searched, Session, Wanted};
use crate::engine::remedies;
use crate::engine::search::{Improvement, Listener, Progress};
use crate::model::{Event, Fault, Options, Problem, Remedy, Sink, Step};
use crate::trace::Recorder;

/// Graph, machine and policy of a plan.
#[derive(Clone, Debug)]
pub struct Setup {
    /// Graph and machine.
    pub problem: Problem,
    /// How to plan.
    pub options: Options,
    /// The search for a better plan, where one is wanted.
    pub search: Option<Wanted>,
}

impl Session {
    /// What this plan was made of.
    pub fn setup(&self) -> Setup {
        Setup {
            problem: self.trace.problem.clone(),
            options: self.options.clone(),
            search: self.searched.as_ref().map(|searched| searched.wanted.clone()),
        }
    }
}

impl Setup {
    /// Plans it, with everything that the screen shows. `meter` tells others how far it has come, and may be told by them
    /// to stop a search; `better` gets what a search has found so far, now and then.
    ///
    /// # Errors
    /// As for [`Session::plan`] and [`Session::search_meanwhile`], and where what was planned is broken.
    pub fn plan(self, meter: &Meter, better: &mut dyn FnMut(Session)) -> Result<Session, Fault> {
        let extras = Extras::for_screen(self.problem.graph.node_count());
        let prepare = |session: &Session| session.trace.prepare();
        let (session, ()) = match self.search.clone() {
            None => Session::plan_metered(self.problem, self.options, extras, Some(meter), prepare)?,
            Some(wanted) => {
                let mut follower = Follower::new(&self, wanted.clone(), meter, better);
                let (problem, options) = (self.problem.clone(), self.options.clone());
                Session::search_meanwhile(problem, options, extras, &wanted, &mut follower, prepare)?
            }
        };
        session.broken().map_or(Ok(session), |what| Err(fault_of_ours(what)))
    }

    /// Plans it, with something to do while the plan is being checked; `listener` follows the search, where there is one.
    ///
    /// # Errors
    /// As for [`Session::plan_meanwhile`] and [`Session::search_meanwhile`].
    pub fn make<T>(
        self,
        extras: Extras,
        listener: &mut dyn Listener,
        meanwhile: impl FnOnce(&Session) -> T,
    ) -> Result<(Session, T), Fault> {
        let Self { problem, options, search } = self;
        match search {
            None => Session::plan_meanwhile(problem, options, extras, meanwhile),
            Some(wanted) => Session::search_meanwhile(problem, options, extras, &wanted, listener, meanwhile),
        }
    }

    /// Changes what `remedy` says.
    pub fn apply(&mut self, remedy: &Remedy) {
        remedies::apply(&mut self.problem, &mut self.options, remedy);
    }
}

fn fault_of_ours(what: String) -> Fault {
    Fault { what, advice: "this is a fault of spillscope: please report it".into(), at: crate::model::Entry::Whole }
}

/// Where nobody wants the plan any more.
pub(super) fn broken_off() -> Fault {
    Fault { what: "planning was broken off".into(), advice: String::new(), at: crate::model::Entry::Whole }
}

/// How far planning has come, read by one thread while another plans.
#[derive(Debug, Default)]
pub struct Meter {
    /// Thousandths of what is to be done; unsettled where a search has no end in sight.
    thousandths: AtomicU32,
    /// Whether nobody wants the result any more.
    stopped: AtomicBool,
}

impl Meter {
    /// The share that is done, in thousandths.
    pub fn thousandths(&self) -> u32 {
        self.thousandths.load(Ordering::Relaxed)
    }

    /// Says that nobody wants the result any more: planning breaks off, a search ends with what it has.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    /// Whether nobody wants the result any more.
    pub(super) fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    fn set(&self, done: f64) {
        #[expect(clippy::cast_sign_loss, reason = "held to 0..=1")]
        self.thousandths.store((done.clamp(0.0, 1.0) * 1000.0) as u32, Ordering::Relaxed);
    }

    /// Takes news of a search; whether it should go on.
    fn hear(&self, news: Progress) -> bool {
        self.set(news.done);
        !self.is_stopped()
    }
}

/// Follows a search for somebody who looks on: what is better is shown soon, but not so often that showing it would take
/// the time from the search.
struct Follower<'a> {
    setup: &'a Setup,
    wanted: Wanted,
    meter: &'a Meter,
    better: &'a mut dyn FnMut(Session),
    started: Instant,
    /// When the next plan is shown at the earliest.
    next: Instant,
    /// Found, and not shown yet.
    waiting: Option<Vec<Improvement>>,
}

/// Showing takes at most about this share of the time of a search.
const SHOWN_SHARE: u32 = 10;

/// No two plans are shown sooner after each other than this.
const PAUSE: Duration = Duration::from_millis(500);

impl<'a> Follower<'a> {
    fn new(setup: &'a Setup, wanted: Wanted, meter: &'a Meter, better: &'a mut dyn FnMut(Session)) -> Self {
        let started = Instant::now();
        Self { setup, wanted, meter, better, started, next: started + PAUSE, waiting: None }
    }

    fn show(&mut self, evaluations: u64) {
        let Some(history) = self.waiting.take() else { return };
        let begun = Instant::now();
        let searched = Searched { wanted: self.wanted.clone(), evaluations, history };
        let seconds = self.started.elapsed().as_secs_f64();
        if let Some(session) = Session::of_search(&self.setup.problem, &self.setup.options, searched, seconds) {
            (self.better)(session);
        }
        self.next = Instant::now() + (begun.elapsed() * SHOWN_SHARE).max(PAUSE);
    }
}

impl Listener for Follower<'_> {
    fn progress(&mut self, news: Progress) -> bool {
        if self.waiting.is_some() && Instant::now() >= self.next {
            self.show(news.evaluations);
        }
        self.meter.hear(news)
    }

    fn better(&mut self, history: &[Improvement]) {
        self.waiting = Some(history.to_vec());
    }
}

/// A recorder that tells how many of the nodes are planned, and hears whether anybody still wants the plan.
pub(super) struct Metered<'a> {
    recorder: &'a mut Recorder,
    meter: &'a Meter,
    nodes: usize,
    steps: usize,
    stopped: bool,
}

/// Steps between two messages.
const PULSE: usize = 4096;

impl<'a> Metered<'a> {
    pub(super) fn new(recorder: &'a mut Recorder, meter: &'a Meter, nodes: usize) -> Self {
        Self { recorder, meter, nodes, steps: 0, stopped: meter.is_stopped() }
    }
}

impl Sink for Metered<'_> {
    const ON: bool = true;

    #[inline]
    fn record(&mut self, event: Event) {
        self.recorder.record(event);
    }

    #[inline]
    fn end_step(&mut self, step: Step) {
        self.recorder.end_step(step);
        self.steps += usize::from(matches!(step, Step::Node(_)));
        if self.steps.is_multiple_of(PULSE) {
            self.meter.set(self.steps as f64 / self.nodes.max(1) as f64);
            self.stopped = self.meter.is_stopped();
        }
    }

    #[inline]
    fn is_wanted(&self) -> bool {
        !self.stopped
    }
}
