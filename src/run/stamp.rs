//! What a producer writes into its buffer and every consumer looks for. Each word tells the producer, the holding and
//! its own place, so that a buffer that was given away too early, or mixed up, is caught in the act.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::model::NodeIx;

/// Who wrote a buffer, and in which holding of its block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// The operation that wrote it; of a graph input, its ALLOC.
    pub node: NodeIx,
    /// How often the block had been released before; its lower 32 bits are written.
    pub generation: u64,
}

/// 2^64 ÷ the golden ratio: successive words differ in all bytes.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// What a reader met in place of the stamp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Foreign {
    /// The first word that is not the stamp's.
    pub word: usize,
    /// The stamp that this word is of, where it is one.
    pub of: Option<Stamp>,
}

impl Stamp {
    /// Writes every word. Relaxed: nobody may read until the scheduler has heard that the writer is done.
    pub fn write(self, words: &[AtomicU64]) {
        let mut expected = self.key();
        for word in words {
            word.store(expected, Ordering::Relaxed);
            expected = expected.wrapping_add(STEP);
        }
    }

    /// Reads the words until one is not as this stamp has it.
    pub fn find_foreign(self, words: &[AtomicU64]) -> Option<Foreign> {
        let mut expected = self.key();
        for (at, word) in words.iter().enumerate() {
            let found = word.load(Ordering::Relaxed);
            if found != expected {
                return Some(Foreign { word: at, of: Self::of(found.wrapping_sub((at as u64).wrapping_mul(STEP))) });
            }
            expected = expected.wrapping_add(STEP);
        }
        None
    }

    /// The first word. Never 0, which is what fresh memory holds.
    fn key(self) -> u64 {
        (u64::from(self.node.0) + 1) << 32 | (self.generation & u64::from(u32::MAX))
    }

    fn of(key: u64) -> Option<Self> {
        let node = (key >> 32).checked_sub(1)?;
        Some(Self { node: NodeIx(u32::try_from(node).ok()?), generation: key & u64::from(u32::MAX) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory(words: usize) -> Vec<AtomicU64> {
        (0..words).map(|_| AtomicU64::new(0)).collect()
    }

    #[test]
    fn a_reader_finds_its_stamp_and_tells_another_by_name() {
        let words = memory(100);
        let (mine, other) = (Stamp { node: NodeIx(7), generation: 3 }, Stamp { node: NodeIx(9), generation: 4 });
        mine.write(&words);
        assert_eq!(mine.find_foreign(&words), None);
        assert_eq!(other.find_foreign(&words), Some(Foreign { word: 0, of: Some(mine) }));
        other.write(&words[..60]);
        assert_eq!(mine.find_foreign(&words), Some(Foreign { word: 0, of: Some(other) }));
        other.write(&words);
        mine.write(&words[..60]);
        assert_eq!(mine.find_foreign(&words), Some(Foreign { word: 60, of: Some(other) }), "the last words count too");
    }

    #[test]
    fn memory_that_nobody_wrote_has_no_stamp() {
        let first = Stamp { node: NodeIx(0), generation: 0 };
        assert_eq!(first.find_foreign(&memory(1)), Some(Foreign { word: 0, of: None }));
    }

    #[test]
    fn the_same_producer_in_a_later_holding_is_another_stamp() {
        let words = memory(1);
        let stamp = |generation| Stamp { node: NodeIx(u32::MAX - 1), generation };
        stamp(1).write(&words);
        assert_eq!(stamp(2).find_foreign(&words), Some(Foreign { word: 0, of: Some(stamp(1)) }));
    }
}
