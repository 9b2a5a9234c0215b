//! The idle blocks of a pool by how long they have been idle.

use crate::model::BlockId;

/// A queue of blocks that any block can leave from the middle of, in constant time and without allocating once each
/// block has been in it. Times never fall from the oldest to the newest.
#[derive(Clone, Debug, Default)]
pub(super) struct IdleQueue {
    /// By block; meaningful only for those in the queue.
    links: Vec<Link>,
    oldest: Option<BlockId>,
    newest: Option<BlockId>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Link {
    since: u64,
    older: Option<BlockId>,
    newer: Option<BlockId>,
}

impl IdleQueue {
    /// Enters `block`, which is not in the queue, as the newest. A time before that of the newest one counts as that:
    /// threads read their clocks before they come to the pool, and may come in another order.
    pub(super) fn push(&mut self, block: BlockId, now: u64) {
        if self.links.len() <= block.at() {
            self.links.resize(block.at() + 1, Link::default());
        }
        let older = self.newest.replace(block);
        let since = older.map_or(now, |older| now.max(self.links[older.at()].since));
        self.links[block.at()] = Link { since, older, newer: None };
        match older {
            Some(older) => self.links[older.at()].newer = Some(block),
            None => self.oldest = Some(block),
        }
    }

    /// Takes `block`, which is in the queue, out of it.
    pub(super) fn remove(&mut self, block: BlockId) {
        let Link { older, newer, .. } = self.links[block.at()];
        match older {
            Some(older) => self.links[older.at()].newer = newer,
            None => self.oldest = newer,
        }
        match newer {
            Some(newer) => self.links[newer.at()].older = older,
            None => self.newest = older,
        }
    }

    /// The block that has been idle longest, and since when.
    pub(super) fn oldest(&self) -> Option<(BlockId, u64)> {
        self.oldest.map(|block| (block, self.links[block.at()].since))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drain(mut queue: IdleQueue) -> Vec<(u32, u64)> {
        let mut seen = Vec::new();
        while let Some((block, since)) = queue.oldest() {
            queue.remove(block);
            seen.push((block.0, since));
        }
        assert_eq!(queue.newest, None);
        seen
    }

    #[test]
    fn blocks_leave_from_both_ends_and_the_middle() {
        let mut queue = IdleQueue::default();
        for block in 0..5 {
            queue.push(BlockId(block), u64::from(block));
        }
        for block in [2, 0, 4] {
            queue.remove(BlockId(block));
        }
        queue.push(BlockId(2), 9);
        assert_eq!(drain(queue), [(1, 1), (3, 3), (2, 9)]);
    }

    #[test]
    fn a_clock_that_runs_back_is_held() {
        let mut queue = IdleQueue::default();
        for (block, now) in [(0, 5), (1, 3), (2, 7)] {
            queue.push(BlockId(block), now);
        }
        assert_eq!(drain(queue), [(0, 5), (1, 5), (2, 7)]);
    }
}
