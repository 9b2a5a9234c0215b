//! The moment of a plan at which a station stops.

use std::ops::Range;

use super::super::json_object::Object;
use super::only;
use crate::error::Error;
use crate::model::MAX_NUMBER;

/// Where to stop, with its place in the file.
#[derive(Clone, Debug)]
pub struct Anchor {
    /// The moment.
    pub moment: Moment,
    /// Whether to stop at the step before it, so that it is still to come.
    pub before: bool,
    /// The bytes of the file.
    pub at: Range<usize>,
}

/// A moment of a plan.
#[derive(Clone, Debug)]
pub enum Moment {
    /// The first step.
    Start,
    /// The last.
    End,
    /// The fullest moment of the level of that name, else of all.
    Peak(Option<String>),
    /// Where planning failed.
    Failure,
    /// That step, counted from 0.
    Step(u64),
    /// The step of that node.
    Node(Reference),
    /// An event.
    Event(WantedEvent),
}

/// The `nth` event that is all of this.
#[derive(Clone, Debug)]
pub struct WantedEvent {
    /// Its kind.
    pub kind: EventKind,
    /// The buffer that it is about.
    pub buffer: Option<Reference>,
    /// The operation that it is about.
    pub node: Option<Reference>,
    /// The level of its buffer.
    pub level: Option<String>,
    /// Which of them, counted from 1.
    pub nth: u64,
}

/// A node or buffer of the graph.
#[derive(Clone, Debug)]
pub struct Reference {
    /// How the file calls it.
    pub to: Referent,
    /// The bytes of the file.
    pub at: Range<usize>,
}

/// How a file calls a node or buffer.
#[derive(Clone, Debug)]
pub enum Referent {
    /// By its id.
    Id(u64),
    /// By its name.
    Name(String),
}

/// The kinds of event to stop at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// A buffer gets its address by its ALLOC.
    Place,
    /// A buffer is freed.
    Free,
    /// A placement finds no hole.
    Full,
    /// A buffer is spilled out.
    Spill,
    /// A buffer comes back.
    Reload,
    /// An ALLOC is put off.
    Postpone,
    /// The last resort: everything goes out.
    Pack,
    /// An operation runs.
    Run,
    /// The scheduler lets a light operation pass a more urgent one.
    Light,
    /// An operation begins to wait for memory.
    Wait,
    /// An operation that waited for memory has room.
    Wake,
    /// A consumer reads a buffer of a pool, and one less is to come.
    Read,
    /// A pool takes a new block.
    Miss,
    /// A pool takes an idle block again.
    Hit,
    /// A block falls idle.
    Idle,
    /// A pool drops an idle block to stay under its cap.
    Drop,
    /// Planning fails.
    Fail,
}

impl EventKind {
    /// All of them with their names, in the order of the messages.
    pub const ALL: [(&'static str, Self); 17] = [
        ("place", Self::Place),
        ("free", Self::Free),
        ("full", Self::Full),
        ("spill", Self::Spill),
        ("reload", Self::Reload),
        ("postpone", Self::Postpone),
        ("pack", Self::Pack),
        ("run", Self::Run),
        ("light", Self::Light),
        ("wait", Self::Wait),
        ("wake", Self::Wake),
        ("read", Self::Read),
        ("miss", Self::Miss),
        ("hit", Self::Hit),
        ("idle", Self::Idle),
        ("drop", Self::Drop),
        ("fail", Self::Fail),
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, kind)| *kind == self).map_or("", |(name, _)| name)
    }
}

const WORDS: &str = "\"start\", \"end\", \"peak\", \"failure\", or an object with `step`, `node`, `peak` or `event`";

/// The anchor `at` of a station.
pub(super) fn read(station: &Object) -> Result<Anchor, Error> {
    let Some(value) = station.get("at") else { return Err(station.missing("at", WORDS)) };
    let moment = match value.raw() {
        "\"start\"" => Some(Moment::Start),
        "\"end\"" => Some(Moment::End),
        "\"peak\"" => Some(Moment::Peak(None)),
        "\"failure\"" => Some(Moment::Failure),
        _ => None,
    };
    if let Some(moment) = moment {
        return Ok(Anchor { moment, before: false, at: value.range() });
    }
    if !value.raw().starts_with('{') {
        return Err(station.bad("at", WORDS));
    }
    let anchor = Object::new(station.source, format!("the anchor of {}", station.who), value)?;
    only(&anchor, &["step", "node", "peak", "event", "buffer", "level", "nth", "before"])?;
    Ok(Anchor { moment: moment_of(&anchor)?, before: anchor.flag("before", false)?, at: value.range() })
}

fn moment_of(anchor: &Object) -> Result<Moment, Error> {
    let has = |key: &str| anchor.get(key).is_some();
    if has("event") {
        return event(anchor);
    }
    if let Some(key) = ["buffer", "level", "nth"].into_iter().find(|key| has(key)) {
        return Err(anchor.bad(key, "left out where no `event` is given"));
    }
    match (has("step"), has("node"), has("peak")) {
        (true, false, false) => Ok(Moment::Step(anchor.whole("step", 0, MAX_NUMBER, None)?)),
        (false, true, false) => reference(anchor, "node")?.map(Moment::Node).ok_or_else(|| anchor.bad("node", WORDS)),
        (false, false, true) => Ok(Moment::Peak(Some(anchor.text("peak", None)?))),
        _ => Err(anchor.missing("event", "one of `event`, `step`, `node` and `peak`")),
    }
}

fn event(anchor: &Object) -> Result<Moment, Error> {
    if let Some(key) = ["step", "peak"].into_iter().find(|key| anchor.get(key).is_some()) {
        return Err(anchor.bad(key, "left out where `event` is given"));
    }
    let name = anchor.text("event", None)?;
    let names = || EventKind::ALL.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
    let found = EventKind::ALL.iter().find(|(known, _)| *known == name);
    let (_, kind) = found.ok_or_else(|| anchor.bad("event", &format!("one of {}", names())))?;
    Ok(Moment::Event(WantedEvent {
        kind: *kind,
        buffer: reference(anchor, "buffer")?,
        node: reference(anchor, "node")?,
        level: anchor.get("level").map(|_| anchor.text("level", None)).transpose()?,
        nth: anchor.whole("nth", 1, MAX_NUMBER, Some(1))?,
    }))
}

/// A node or buffer by id or name, where it is given.
pub(super) fn reference(object: &Object, key: &str) -> Result<Option<Reference>, Error> {
    let Some(value) = object.get(key) else { return Ok(None) };
    let to = if value.raw().starts_with('"') {
        Referent::Name(object.text(key, None)?)
    } else {
        let id = value.raw().parse().ok().filter(|id| *id <= MAX_NUMBER);
        Referent::Id(id.ok_or_else(|| object.bad(key, "a name, or an id: a whole number from 0 to 2^63-1"))?)
    };
    Ok(Some(Reference { to, at: value.range() }))
}
