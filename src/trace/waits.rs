//! Who waited for memory, from which event to which: a table of the record's waits, so that neither a queue nor an idle
//! lane needs to read the log.

use std::collections::HashMap;

use crate::model::{Event, LevelIx, NodeIx};

/// One wait of one operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wait {
    /// The operation.
    pub node: NodeIx,
    /// The level without room.
    pub level: LevelIx,
    /// Units needed.
    pub need: u64,
    /// Units that were to be had; where they are enough, they were kept back for others.
    pub room: u64,
    /// The position of the event with which it began.
    pub began: u32,
    /// The position of the event that ended it; `u32::MAX` where it never did.
    pub ended: u32,
    /// The cycles `[since, until)` that it took; `None` where it never ended.
    pub cycles: Option<(u64, u64)>,
}

/// All waits of a record.
#[derive(Clone, Debug, Default)]
pub struct Waits {
    /// By node, then by beginning, once [`Waits::finish`] has sorted them.
    entries: Vec<Wait>,
    /// Positions at which waits ended, ascending.
    ends: Vec<u32>,
    /// Positions at which waits began, ascending.
    begins: Vec<u32>,
    /// The cycles in which anything waited, as half-open spans that do not touch.
    spans: Vec<(u64, u64)>,
    /// Which entry is the open wait of an operation. Only until [`Waits::finish`].
    open: HashMap<NodeIx, usize>,
}

impl Waits {
    /// Takes the event at `position`; positions ascend.
    pub(super) fn enter(&mut self, position: u32, event: &Event) {
        match *event {
            // Looked at again and still without room: the wait goes on.
            Event::WaitsForMemory { node, .. } if self.open.contains_key(&node) => {}
            Event::WaitsForMemory { node, level, need, room } => {
                self.open.insert(node, self.entries.len());
                self.begins.push(position);
                let began = position;
                self.entries.push(Wait { node, level, need, room, began, ended: u32::MAX, cycles: None });
            }
            Event::Woken { node, since, at, .. } => self.end(node, position, Some((since, at))),
            Event::Dispatched { node, .. } => self.end(node, position, None),
            _ => {}
        }
    }

    fn end(&mut self, node: NodeIx, position: u32, cycles: Option<(u64, u64)>) {
        let Some(at) = self.open.remove(&node) else { return };
        (self.entries[at].ended, self.entries[at].cycles) = (position, cycles);
        self.ends.push(position);
    }

    /// Sorts what was entered.
    pub(super) fn finish(&mut self) {
        self.open = HashMap::new();
        self.entries.sort_unstable_by_key(|wait| (wait.node, wait.began));
        let mut spans: Vec<(u64, u64)> = self.entries.iter().filter_map(|wait| wait.cycles).collect();
        spans.sort_unstable();
        for (since, until) in spans {
            match self.spans.last_mut() {
                Some(last) if last.1 >= since => last.1 = last.1.max(until),
                _ => self.spans.push((since, until)),
            }
        }
    }

    /// How many waits there were.
    pub fn count(&self) -> usize {
        self.entries.len()
    }

    /// How many operations wait at `position`.
    pub fn open_at(&self, position: usize) -> usize {
        let before = |positions: &[u32]| positions.partition_point(|&at| (at as usize) < position);
        before(&self.begins) - before(&self.ends)
    }

    /// Those that nothing ended, by node.
    pub fn never_ended(&self) -> impl Iterator<Item = &Wait> {
        self.entries.iter().filter(|wait| wait.ended == u32::MAX)
    }

    /// The wait in which `node` is at `position`.
    pub fn of(&self, node: NodeIx, position: usize) -> Option<&Wait> {
        self.latest(node, position).filter(|wait| wait.ended as usize >= position)
    }

    /// The last wait of `node` that began before `position`.
    pub fn latest(&self, node: NodeIx, position: usize) -> Option<&Wait> {
        let after = self.entries.partition_point(|wait| (wait.node, wait.began as usize) < (node, position));
        self.entries[..after].last().filter(|wait| wait.node == node)
    }

    /// Whether anything waited in all of the cycles `[from, to)`.
    pub fn throughout(&self, from: u64, to: u64) -> bool {
        let after = self.spans.partition_point(|&(since, _)| since <= from);
        self.spans[..after].last().is_some_and(|&(_, until)| until >= to)
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        self.entries.capacity() * size_of::<Wait>()
            + (self.ends.capacity() + self.begins.capacity()) * 4
            + self.spans.capacity() * 16
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waits(events: &[Event]) -> Waits {
        let mut waits = Waits::default();
        events.iter().enumerate().for_each(|(at, event)| waits.enter(at as u32, event));
        waits.finish();
        waits
    }

    fn begins(node: u32, need: u64) -> Event {
        Event::WaitsForMemory { node: NodeIx(node), level: LevelIx(0), need, room: 1 }
    }

    fn woken(node: u32, since: u64, at: u64) -> Event {
        Event::Woken { node: NodeIx(node), level: LevelIx(0), since, at }
    }

    #[test]
    fn a_wait_lasts_from_its_first_event_to_the_waking() {
        let waits = waits(&[begins(7, 30), begins(7, 40), begins(3, 5), woken(7, 10, 25), begins(7, 50)]);
        let need = |node, position| waits.of(NodeIx(node), position).map(|wait| wait.need);
        assert_eq!([0, 1, 3, 4, 5].map(|position| need(7, position)), [None, Some(30), Some(30), None, Some(50)]);
        assert_eq!([2, 3, 5].map(|position| need(3, position)), [None, Some(5), Some(5)]);
        assert_eq!((need(4, 5), need(8, 5)), (None, None), "an operation that never waits");
        assert_eq!([0, 1, 2, 3, 4, 5].map(|position| waits.open_at(position)), [0, 1, 1, 2, 1, 2]);
        assert_eq!(waits.latest(NodeIx(7), 4).unwrap().cycles, Some((10, 25)));
        assert_eq!(waits.count(), 3);
        let open: Vec<(u32, u64)> = waits.never_ended().map(|wait| (wait.node.0, wait.need)).collect();
        assert_eq!(open, [(3, 5), (7, 50)]);
    }

    #[test]
    fn a_start_ends_a_wait_that_nobody_woke() {
        let start = Event::Dispatched { node: NodeIx(2), ready: 1, won: crate::model::Won::Alone, at: 9 };
        let waits = waits(&[begins(2, 8), start]);
        assert_eq!(waits.of(NodeIx(2), 2), None);
        assert_eq!(waits.latest(NodeIx(2), 2).map(|wait| (wait.ended, wait.cycles)), Some((1, None)));
    }

    #[test]
    fn spans_join_and_are_half_open() {
        let events = [begins(1, 1), begins(2, 1), begins(3, 1), woken(1, 10, 20), woken(2, 15, 30), woken(3, 40, 50)];
        let waits = waits(&events);
        let asked = [(10, 30), (9, 11), (29, 30), (30, 31), (29, 31), (40, 50), (25, 45)];
        let told = asked.map(|(from, to)| waits.throughout(from, to));
        assert_eq!(told, [true, false, true, false, false, true, false]);
    }
}
