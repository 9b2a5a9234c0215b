//! What other threads do for the screen: plans, and how two plans differ. Over large graphs both take longer than a key may.

use std::sync::Arc;

use super::App;
use super::command::Effect;
use super::plans::Version;
use crate::compare::Difference;
use crate::session::{Meter, Session, Setup};

/// Work for another thread.
#[derive(Clone, Debug)]
pub struct Request {
    pub(super) number: u64,
    pub(super) work: Work,
    pub(super) meter: Arc<Meter>,
}

/// What is to be done.
#[derive(Clone, Debug)]
pub(super) enum Work {
    /// A plan is to be made, and compared with `leader` where there is one.
    Plan { setup: Box<Setup>, leader: Option<Arc<Session>> },
    /// A plan that is there is to be compared with `leader`.
    Compare { rival: Box<Version>, leader: Arc<Session> },
}

/// How another plan differs from `leader`.
#[derive(Clone, Debug)]
pub(super) struct Beside {
    pub leader: Arc<Session>,
    pub difference: Arc<Difference>,
}

/// What was asked for, or why it is not to be had; or what a search has found so far.
#[derive(Clone, Debug)]
pub struct Reply {
    pub(super) number: u64,
    pub(super) result: Result<Arc<Session>, String>,
    /// Where that was asked for, how it differs from the plan on the screen.
    pub(super) beside: Option<Beside>,
    /// The plan that was there already, with its name.
    pub(super) rival: Option<Box<Version>>,
    /// Whether nothing more comes.
    pub(super) last: bool,
}

// One request has one number.
impl PartialEq for Request {
    fn eq(&self, other: &Self) -> bool {
        self.number == other.number
    }
}

impl Eq for Request {}

impl Request {
    /// Plans or compares. May take long; what a search finds on the way is sent as it comes.
    pub fn carry_out(self, send: &mut dyn FnMut(Reply)) -> Reply {
        let Self { number, work, meter } = self;
        let reply = |result| Reply { number, result, beside: None, rival: None, last: true };
        match work {
            Work::Compare { rival, leader } => {
                rival.session.trace.prepare(); // one that was only named has not been walked yet
                let beside = Some(Beside::new(leader, &rival.session));
                Reply { beside, rival: Some(rival.clone()), ..reply(Ok(rival.session)) }
            }
            Work::Plan { setup, leader } => {
                let mut better = |session| send(Reply { last: false, ..reply(Ok(Arc::new(session))) });
                let planned = setup.plan(&meter, &mut better);
                let result = planned.map(Arc::new).map_err(|fault| format!("{}: {}", fault.what, fault.advice));
                let beside = leader.zip(result.as_ref().ok()).map(|(leader, rival)| Beside::new(leader, rival));
                Reply { beside, ..reply(result) }
            }
        }
    }
}

impl Beside {
    fn new(leader: Arc<Session>, rival: &Session) -> Self {
        let difference = Arc::new(Difference::new(&leader.trace, &rival.trace));
        Self { leader, difference }
    }
}

/// Carries out at once what `effect` asks other threads for: for frames without a terminal. What else it asks for stays.
pub fn settle(app: &mut App, effect: Effect) -> Effect {
    match effect {
        Effect::Replan(request) => {
            let reply = request.carry_out(&mut |_| {});
            // It may have to be asked again, against the plan that has come to the screen since.
            let effect = app.arrived(reply);
            settle(app, effect)
        }
        other => other,
    }
}
