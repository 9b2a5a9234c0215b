//! The memory behind a block of a pool.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use super::stamp::Stamp;
use crate::model::BufIx;

/// Memory that one thread writes and many read, held by whoever needs it. Its words are atomic, so that even a block that
/// was given away too early makes a mix of words that readers notice, and nothing worse.
#[derive(Debug)]
pub struct Block {
    /// Made by the first that writes, on its own thread: fresh pages cost time, which is the operation's.
    words: OnceLock<Box<[AtomicU64]>>,
    len: usize,
    /// As the pool counts it. Told to readers at once when it goes up.
    generation: AtomicU64,
}

/// The system gave no memory for a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfMemory {
    /// The bytes of its block.
    pub bytes: u64,
}

/// A buffer in its block, for one operation.
#[derive(Clone, Debug)]
pub struct View {
    /// The buffer.
    pub buf: BufIx,
    /// The memory.
    pub block: Arc<Block>,
    /// Words that the buffer has of the block.
    pub len: usize,
    /// What its producer writes, in this generation of the block.
    pub stamp: Stamp,
    /// Whether its producer is to zero it first.
    pub must_zero: bool,
}

impl View {
    /// The words of the buffer; none where the system has no memory for them.
    pub fn words(&self) -> &[AtomicU64] {
        let all = self.block.words().unwrap_or_default();
        &all[..self.len.min(all.len())]
    }
}

impl Block {
    /// A block of that many bytes, rounded up to whole words; no memory is taken yet.
    pub fn new(bytes: u64, generation: u64) -> Self {
        Self { words: OnceLock::new(), len: words_of(bytes), generation: AtomicU64::new(generation) }
    }

    /// All of its words, zero at first.
    ///
    /// # Errors
    /// Where it has none yet and the system gives none.
    pub fn words(&self) -> Result<&[AtomicU64], OutOfMemory> {
        if let Some(words) = self.words.get() {
            return Ok(words);
        }
        let mut fresh = Vec::new();
        fresh.try_reserve_exact(self.len).map_err(|_| OutOfMemory { bytes: 8 * self.len as u64 })?;
        fresh.resize_with(self.len, AtomicU64::default);
        Ok(self.words.get_or_init(|| fresh.into_boxed_slice()))
    }

    /// How often the block has been released.
    pub fn generation(&self) -> u64 {
        self.generation.load(Ordering::Acquire)
    }

    /// The pool has released it.
    pub fn set_generation(&self, generation: u64) {
        self.generation.store(generation, Ordering::Release);
    }
}

/// Words of 8 bytes that hold so many bytes.
pub fn words_of(bytes: u64) -> usize {
    usize::try_from(bytes.div_ceil(8)).unwrap_or(usize::MAX)
}
