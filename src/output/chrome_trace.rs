//! A plan in the Trace Event Format (JSON), which <https://ui.perfetto.dev> and `chrome://tracing` open.
//!
//! | in the file | what it is |
//! |---|---|
//! | a thread for each lane of a unit, its slices (`X`) | operations, SPILL_OUTs and SPILL_INs; one of a backed buffer may take no time |
//! | a thread for each level, its instants (`i`) | ALLOC and FREE, ALLOCs that were put off, operations that wait for memory |
//! | a counter for each level (`C`) | units in use, over cycles |
//! | a flow for each spill (`s`, `f`) | from its SPILL_OUT to its SPILL_IN |
//! | a global instant | the end without a plan |
//!
//! One cycle is one microsecond, the format's unit. `args` has the step, the ids of node and buffers, and why: the sentence
//! and the reasons that the visualizer shows. Names are cleaned ([`clean`]), since all of
//! it is to be read. It is written as it goes: nothing is held but the changes of the levels.
//!
//! Source: "Trace Event Format", Google, 2016, sections on duration, instant, counter, flow and metadata events. The flows'
//! halves are bound to the slice around them (`"bp":"e"`), at whose start they stand, right behind it in the file. Slices
//! that take no time stand behind the longer one of their lane that begins at the same moment, if there is one: importers
//! take them for parts of it wherever they stand, and a half that followed one would be bound to the other.

use std::io::{self, Write};

use super::effect::Effect;
use super::explain::explain;
use super::labels::{buffer_label, node_label, step_label, unit_lane};
use super::line::Line;
use super::usage::by_cycle;
use crate::model::{BufIx, Event, Graph, LevelIx, NodeKind, Step, UnitIx, clean, step_id};
use crate::session::Session;
use crate::trace::Trace;

/// The one process of the file.
const PROCESS: u64 = 1;

/// Writes the plan of `session`, finished or not. `repeat` is the command that gives it again.
///
/// # Errors
/// Where `out` fails.
pub fn write_chrome_trace(out: &mut dyn Write, session: &Session, repeat: &str) -> io::Result<()> {
    let waiting = vec![Waiting::default(); session.trace.lanes().len()];
    let mut writer = Writer { out, line: Line::default(), trace: &session.trace, is_first: true, held: None, waiting };
    writer.head(session, repeat)?;
    writer.threads()?;
    writer.counters()?;
    (0..session.trace.step_count()).try_for_each(|step| writer.step(step))?;
    (0..writer.waiting.len()).try_for_each(|lane| writer.release(lane))?;
    writer.out.write_all(b"\n]}\n")
}

struct Writer<'a, 'o> {
    out: &'o mut dyn Write,
    line: Line,
    trace: &'a Trace,
    is_first: bool,
    /// Where events go while they are to wait.
    held: Option<Vec<u8>>,
    /// By lane.
    waiting: Vec<Waiting>,
}

/// Slices of a lane that take no time, written down, while the next one of the lane may begin at the same moment.
#[derive(Clone, Default)]
struct Waiting {
    at: u64,
    events: Vec<u8>,
}

impl Writer<'_, '_> {
    fn head(&mut self, session: &Session, repeat: &str) -> io::Result<()> {
        let problem = &self.trace.problem;
        let line = &mut self.line;
        line.text("{\"displayTimeUnit\":\"ms\",\"otherData\":{\"clock\":\"1 cycle = 1 us\",\"graph\":");
        line.quoted(&problem.graph.name.to_string());
        line.text(",\"machine\":").quoted(&problem.machine.name.to_string());
        for (name, figure) in [
            ("steps", session.figures.steps),
            ("spills", session.figures.spills),
            ("extra_traffic", session.figures.extra_traffic),
            ("makespan", session.figures.makespan),
        ] {
            line.text(",\"").text(name).text("\":").number(figure);
        }
        line.text(",\"repeat\":").quoted(repeat);
        line.text(",\"version\":").quoted(env!("CARGO_PKG_VERSION"));
        line.text("},\"traceEvents\":[").flush(self.out)
    }

    /// Begins an event of kind `kind` on `thread`; whoever calls ends it.
    fn event(&mut self, kind: &str, thread: u64, name: &str) -> &mut Line {
        self.line.text(if self.is_first { "\n" } else { ",\n" });
        self.is_first = false;
        self.line.text("{\"ph\":\"").text(kind).text("\",\"pid\":").number(PROCESS);
        self.line.text(",\"tid\":").number(thread).text(",\"name\":").quoted(name)
    }

    fn end(&mut self) -> io::Result<()> {
        self.line.text("}");
        match &mut self.held {
            Some(held) => self.line.flush(held),
            None => self.line.flush(self.out),
        }
    }

    /// Writes what waits on `lane`.
    fn release(&mut self, lane: usize) -> io::Result<()> {
        let waiting = std::mem::take(&mut self.waiting[lane].events);
        self.out.write_all(&waiting)
    }

    /// The names of process and threads, lanes before levels.
    fn threads(&mut self) -> io::Result<()> {
        let problem = &self.trace.problem;
        let name = problem.graph.name.to_string();
        self.event("M", 0, "process_name").text(",\"args\":{\"name\":").quoted(&name).text("}");
        self.end()?;
        let lanes = self.trace.lanes().iter().map(|lane| unit_lane(problem, lane.unit, lane.lane));
        let levels = problem.machine.levels.iter().map(|level| format!("{} memory", level.name));
        for (at, name) in (1..).zip(lanes.chain(levels)) {
            self.event("M", at, "thread_name").text(",\"args\":{\"name\":").quoted(&name).text("}");
            self.end()?;
            self.event("M", at, "thread_sort_index").text(",\"args\":{\"sort_index\":").number(at).text("}");
            self.end()?;
        }
        Ok(())
    }

    fn counters(&mut self) -> io::Result<()> {
        let levels = &self.trace.problem.machine.levels;
        for (points, level) in by_cycle(self.trace).iter().zip(levels) {
            let name = level.name.to_string();
            for &(at, used) in points {
                self.event("C", 0, &name).text(",\"ts\":").number(at);
                self.line.text(",\"args\":{\"used\":").number(used).text("}");
                self.end()?;
            }
        }
        Ok(())
    }

    fn step(&mut self, n: usize) -> io::Result<()> {
        let trace = self.trace;
        let effect = Effect::of(trace.run(n));
        self.asides(n, &effect)?;
        let Some(step) = trace.step(n) else { return Ok(()) };
        let label = label(trace, step);
        if let Some((unit, lane)) = effect.unit {
            return self.slice(n, step, self.lane(unit, lane), effect.time, &label);
        }
        let Some((_, level, _)) = effect.moved else { return Ok(()) };
        self.instant(&label, self.thread_of_level(level), effect.at, 't');
        self.args(n, step)
    }

    /// The work of step `n` on `lane`, with its half of a flow.
    fn slice(&mut self, n: usize, step: Step, lane: usize, (start, end): (u64, u64), label: &str) -> io::Result<()> {
        if self.waiting[lane].at != start {
            self.release(lane)?;
        }
        let is_moment = start == end;
        self.held = is_moment.then(|| std::mem::take(&mut self.waiting[lane].events));
        let thread = 1 + lane as u64;
        let category = if matches!(step, Step::Node(_)) { "op" } else { "spill" };
        self.event("X", thread, label).text(",\"cat\":\"").text(category).text("\",\"ts\":").number(start);
        self.line.text(",\"dur\":").number(end.saturating_sub(start));
        self.args(n, step)?;
        self.flow(step, thread, start)?;
        match self.held.take() {
            Some(events) => self.waiting[lane] = Waiting { at: start, events },
            None => self.release(lane)?,
        }
        Ok(())
    }

    /// One half of a spill's flow, at the slice that was written last. A spill that never comes back has none.
    fn flow(&mut self, step: Step, thread: u64, at: u64) -> io::Result<()> {
        let (spill, kind) = match step {
            Step::Node(_) => return Ok(()),
            Step::Out(spill) => (spill, "s"),
            Step::Back(spill) => (spill, "f"),
        };
        if self.trace.spill_steps(spill).is_none_or(|halves| halves.back == u32::MAX) {
            return Ok(());
        }
        self.event(kind, thread, "spill").text(",\"cat\":\"spill\",\"id\":").number(u64::from(spill.0));
        self.line.text(",\"bp\":\"e\",\"ts\":").number(at);
        self.end()
    }

    /// What was decided beside the step itself, at the moment at which it begins.
    fn asides(&mut self, n: usize, effect: &Effect) -> io::Result<()> {
        let trace = self.trace;
        let graph = &*trace.problem.graph;
        let at = if effect.unit.is_some() || effect.moved.is_some() { effect.time.0 } else { trace.clock(n) };
        for event in trace.run(n) {
            let (name, level) = match *event {
                Event::Postponed { buf, .. } => {
                    (format!("ALLOC {} put off", buffer_label(graph, buf)), trace.problem.level_of(buf))
                }
                Event::WaitsForMemory { node, level, .. } => {
                    (format!("{} waits for memory", node_label(graph, node)), level)
                }
                Event::Failed { buf, node } => {
                    let (node, buf) = (node_label(graph, node), buffer_label(graph, buf));
                    self.instant(&format!("no plan: {node} finds no room for {buf}"), 0, at, 'g');
                    self.why(n, |line| _ = line)?;
                    continue;
                }
                _ => continue,
            };
            self.instant(&name, self.thread_of_level(level), at, 't');
            self.line.text(",\"args\":{\"step\":").number(n as u64).text("}");
            self.end()?;
        }
        Ok(())
    }

    fn instant(&mut self, name: &str, thread: u64, at: u64, scope: char) {
        self.event("i", thread, name)
            .text(",\"ts\":")
            .number(at)
            .text(",\"s\":\"")
            .text(scope.encode_utf8(&mut [0; 4]));
        self.line.text("\"");
    }

    /// Ends the event of step `n` with what it was about.
    fn args(&mut self, n: usize, step: Step) -> io::Result<()> {
        let trace = self.trace;
        let graph = &*trace.problem.graph;
        self.why(n, |line| {
            line.text(",\"id\":").number(step_id(graph, step));
            if let Step::Node(node) = step {
                line.text(",\"node\":").quoted(&node_label(graph, node));
            }
            line.text(",\"buffers\":[");
            buffers_of(trace, step, |at, buf| {
                line.text(if at == 0 { "" } else { "," }).quoted(&buffer_label(graph, buf));
            });
            line.text("]");
        })
    }

    /// Ends an event with arguments: step `n`, what `more` adds, and why.
    fn why(&mut self, n: usize, more: impl FnOnce(&mut Line)) -> io::Result<()> {
        let told = explain(self.trace, n);
        self.line.text(",\"args\":{\"step\":").number(n as u64);
        more(&mut self.line);
        self.line.text(",\"why\":").quoted(&told.sentence);
        for (name, lines) in [("did", &told.did), ("reasons", &told.why)].into_iter().filter(|(_, l)| !l.is_empty()) {
            self.line.text(",\"").text(name).text("\":").quoted(&lines.join("; "));
        }
        self.line.text("}");
        self.end()
    }

    /// The place of a lane among those of the trace; its thread is one more.
    fn lane(&self, unit: UnitIx, lane: u8) -> usize {
        let at = self.trace.lanes().iter().position(|known| (known.unit, known.lane) == (unit, lane));
        at.unwrap_or(0)
    }

    fn thread_of_level(&self, level: LevelIx) -> u64 {
        1 + (self.trace.lanes().len() + level.at()) as u64
    }
}

/// What a slice is called: operations by their kind, so that all of one kind have one colour; where nodes are told apart by
/// name, by that.
fn label(trace: &Trace, step: Step) -> String {
    let graph = &*trace.problem.graph;
    match step {
        Step::Node(node) if graph.node(node).kind.is_op() && !graph.by_name() => clean(graph.op_name(node)).into(),
        step => step_label(trace, step),
    }
}

/// The buffers that a step is about.
fn buffers_of(trace: &Trace, step: Step, mut each: impl FnMut(usize, BufIx)) {
    let graph: &Graph = &trace.problem.graph;
    match step {
        Step::Node(node) => match &graph.node(node).kind {
            NodeKind::Alloc(buf) | NodeKind::Free(buf) => each(0, *buf),
            NodeKind::Op(op) => graph.operands(op).iter().enumerate().for_each(|(at, &buf)| each(at, buf)),
        },
        Step::Out(spill) | Step::Back(spill) => {
            trace.plan.spills.get(spill.at()).into_iter().for_each(|spill| each(0, spill.buf));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::testing::{Kind, session};
    use serde_json::Value;

    fn events(kind: Kind) -> Vec<Value> {
        let mut text = Vec::new();
        write_chrome_trace(&mut text, &session(kind), "spillscope plan").unwrap();
        let json: Value = serde_json::from_slice(&text).unwrap();
        assert_eq!(json["otherData"]["clock"], "1 cycle = 1 us");
        json["traceEvents"].as_array().unwrap().clone()
    }

    fn of<'a>(events: &'a [Value], kind: &str) -> Vec<&'a Value> {
        events.iter().filter(|event| event["ph"] == kind).collect()
    }

    #[test]
    fn a_spill_is_two_slices_with_a_flow_between_and_says_why() {
        let events = events(Kind::Spilled);
        let slices = of(&events, "X");
        // What takes no time waits for longer ones of its lane, so it may stand behind what comes later.
        let mut spilled: Vec<&&Value> = slices.iter().filter(|slice| slice["cat"] == "spill").collect();
        spilled.sort_by_key(|slice| slice["ts"].as_u64());
        let names: Vec<&Value> = spilled.iter().map(|slice| &slice["name"]).collect();
        assert_eq!(names, ["SPILL_OUT b1", "SPILL_IN b1"]);
        let out = slices.iter().find(|slice| slice["name"] == "SPILL_OUT b1").unwrap();
        assert!(out["args"]["why"].as_str().is_some_and(|why| why.contains("b1 gives up its place")), "{out}");
        assert_eq!(out["args"]["buffers"], serde_json::json!(["b1"]));
        let (from, to) = (of(&events, "s"), of(&events, "f"));
        assert_eq!((from.len(), to.len(), &from[0]["id"]), (1, 1, &to[0]["id"]));
        assert_eq!((&from[0]["ts"], &from[0]["tid"]), (&out["ts"], &out["tid"]));
    }

    #[test]
    fn what_was_put_off_and_what_failed_are_instants() {
        let put_off = events(Kind::Postponed);
        assert!(of(&put_off, "i").iter().any(|instant| instant["name"] == "ALLOC b2 put off"));
        let failed = events(Kind::Failed);
        let last = of(&failed, "i").into_iter().find(|instant| instant["s"] == "g").unwrap();
        assert_eq!(last["name"], "no plan: 2 ALLOC b2 finds no room for b2");
        assert!(last["args"]["why"].is_string());
    }

    #[test]
    fn an_empty_plan_has_threads_for_its_levels_alone() {
        let events = events(Kind::Empty);
        assert!(events.iter().all(|event| event["ph"] == "M"), "{events:?}");
    }
}
