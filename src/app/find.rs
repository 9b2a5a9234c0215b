//! Search and filter, by what the model knows: ids, kinds, names. Both read a line that the person typed.

use crate::model::{BufIx, Event, Graph, Leaving, LevelIx, NodeIx, NodeKind, Placing, Problem, Step};
use crate::trace::{Mark, Trace, buf_of, node_of};

/// What a search looks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    /// As typed.
    pub text: String,
    lower: String,
    node: Option<NodeIx>,
    buf: Option<BufIx>,
    /// By symbol: whether the kind of operation contains the text.
    kinds: Vec<bool>,
}

impl Query {
    /// Reads `42` (a node), `b42` (a buffer) or part of a kind or name, case aside.
    pub fn new(text: &str, graph: &Graph) -> Self {
        let text = text.trim();
        let lower = text.to_lowercase();
        let kinds = graph.symbols().iter().map(|name| name.raw().to_lowercase().contains(&lower)).collect();
        Self {
            node: text.parse().ok().and_then(|id| graph.find_node(id)),
            buf: buffer_named(text, graph),
            text: text.to_owned(),
            lower,
            kinds,
        }
    }

    /// The buffer that it names, if it names one.
    pub fn buf(&self) -> Option<BufIx> {
        self.buf
    }

    /// Whether step `n` is what is looked for.
    pub fn matches_step(&self, trace: &Trace, n: usize) -> bool {
        let graph = &trace.problem.graph;
        match trace.step(n) {
            None => false,
            Some(Step::Node(node)) => self.matches_node(graph, node),
            Some(Step::Out(spill)) => self.matches_spill(graph, "spill_out", trace.plan.spills[spill.at()].buf),
            Some(Step::Back(spill)) => self.matches_spill(graph, "spill_in", trace.plan.spills[spill.at()].buf),
        }
    }

    fn matches_spill(&self, graph: &Graph, kind: &str, buf: BufIx) -> bool {
        if self.node.is_some() {
            return false;
        }
        self.matches_buf(graph, buf) || (self.buf.is_none() && kind.contains(&self.lower))
    }

    /// Whether `node` is, or works on, what is looked for.
    pub fn matches_node(&self, graph: &Graph, node: NodeIx) -> bool {
        if let Some(wanted) = self.node {
            return wanted == node;
        }
        let entry = graph.node(node);
        let named = || entry.name.as_ref().is_some_and(|name| self.in_name(name.raw()));
        match entry.kind {
            NodeKind::Alloc(buf) | NodeKind::Free(buf) => {
                let kind = if matches!(entry.kind, NodeKind::Alloc(_)) { "alloc" } else { "free" };
                self.matches_buf(graph, buf) || (self.buf.is_none() && (kind.contains(&self.lower) || named()))
            }
            NodeKind::Op(op) => match self.buf {
                Some(buf) => graph.sorted_operands(&op).binary_search(&buf).is_ok(),
                None => self.kinds[op.op.at()] || named(),
            },
        }
    }

    /// Whether `buf` is what is looked for.
    pub fn matches_buf(&self, graph: &Graph, buf: BufIx) -> bool {
        match (self.buf, self.node) {
            (Some(wanted), _) => wanted == buf,
            (None, Some(_)) => false,
            (None, None) => graph.buffer_name(buf).is_some_and(|name| self.in_name(name.raw())),
        }
    }

    fn in_name(&self, name: &str) -> bool {
        name.to_lowercase().contains(&self.lower)
    }
}

/// `b42`, where the graph has a buffer 42.
fn buffer_named(text: &str, graph: &Graph) -> Option<BufIx> {
    text.strip_prefix(['b', 'B'])?.parse().ok().and_then(|id| graph.find_buffer(id))
}

/// What the log shows: the events that every word of the line fits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// As typed; empty for everything.
    pub text: String,
    terms: Vec<Term>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Term {
    Mark(Mark),
    Kind(Kind),
    Level(LevelIx),
    Text(Box<Query>),
}

/// Kinds of event that have no mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Ready,
    Ran,
    Alloc,
    Free,
    /// The scheduler let an operation start.
    Start,
    /// What became of a pool's block.
    Block,
    Decision,
}

impl Filter {
    /// Reads words: a kind (`spill`, `reload`, `postpone`, `full`, `fail`, `wait`, `start`, `block`, `alloc`, `free`,
    /// `run`, `ready`, `decision`), a level, a buffer (`b42`), else text as in a search.
    pub fn new(text: &str, problem: &Problem) -> Self {
        let terms = text.split_whitespace().map(|word| Term::new(word, problem)).collect();
        Self { text: text.split_whitespace().collect::<Vec<_>>().join(" "), terms }
    }

    /// Whether everything is shown.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// Whether an event is shown.
    pub fn shows(&self, trace: &Trace, event: &Event) -> bool {
        self.terms.iter().all(|term| term.fits(trace, event))
    }

    /// Positions among which all shown ones are, ascending, where an index has them; else any position may be.
    pub fn candidates<'t>(&self, trace: &'t Trace) -> Option<&'t [u32]> {
        let marks = self.terms.iter().find_map(|term| match term {
            Term::Mark(mark) => Some(trace.marks(*mark)),
            _ => None,
        });
        marks.or_else(|| {
            self.terms.iter().find_map(|term| match term {
                Term::Text(query) => query.buf.map(|buf| trace.touches(buf)),
                _ => None,
            })
        })
    }
}

impl Term {
    fn new(word: &str, problem: &Problem) -> Self {
        let lower = word.to_lowercase();
        match lower.as_str() {
            "spill" | "s" => Self::Mark(Mark::Spill),
            "reload" | "r" => Self::Mark(Mark::Reload),
            "postpone" | "p" => Self::Mark(Mark::Postpone),
            "full" | "w" => Self::Mark(Mark::Full),
            "wait" => Self::Mark(Mark::Wait),
            "start" => Self::Kind(Kind::Start),
            "block" => Self::Kind(Kind::Block),
            "fail" | "failure" | "f" => Self::Mark(Mark::Failure),
            "alloc" => Self::Kind(Kind::Alloc),
            "free" => Self::Kind(Kind::Free),
            "run" => Self::Kind(Kind::Ran),
            "ready" => Self::Kind(Kind::Ready),
            "decision" => Self::Kind(Kind::Decision),
            _ => {
                let level = problem.machine.levels.iter().position(|level| level.name.raw().to_lowercase() == lower);
                level.map_or_else(
                    || Self::Text(Box::new(Query::new(word, &problem.graph))),
                    |at| Self::Level(LevelIx::new(at)),
                )
            }
        }
    }

    fn fits(&self, trace: &Trace, event: &Event) -> bool {
        let graph = &trace.problem.graph;
        match self {
            Self::Mark(mark) => Mark::of(event) == Some(*mark),
            Self::Kind(kind) => Kind::of(event) == *kind,
            Self::Level(level) => buf_of(trace, event).is_some_and(|buf| trace.problem.level_of(buf) == *level),
            Self::Text(query) => {
                buf_of(trace, event).is_some_and(|buf| query.matches_buf(graph, buf))
                    || node_of(event).is_some_and(|node| query.matches_node(graph, node))
            }
        }
    }
}

impl Kind {
    fn of(event: &Event) -> Self {
        match event {
            Event::Ready { .. } => Self::Ready,
            Event::Ran { .. } | Event::MovedOut { .. } | Event::MovedBack { .. } => Self::Ran,
            Event::Placed { how: Placing::Alloc, .. } => Self::Alloc,
            Event::Left { how: Leaving::Free, .. } => Self::Free,
            Event::Dispatched { .. } => Self::Start,
            Event::Block { .. } => Self::Block,
            _ => Self::Decision,
        }
    }
}
