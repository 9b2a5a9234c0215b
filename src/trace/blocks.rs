//! The blocks of the pools: from when until when each is there, in use or idle.

use crate::model::{BlockFate, Event, LevelIx, Problem};

/// One block of a pool: it is there after each of the steps `[from, to)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockLife {
    /// Where it starts; no two blocks of a pool ever share that.
    pub offset: u64,
    /// Its units.
    pub size: u64,
    /// The step that made it.
    pub from: u32,
    /// The step that dropped it; `u32::MAX` where none does.
    pub to: u32,
}

/// The blocks of every level, in the order in which they were made, which is that of their offsets.
#[derive(Clone, Debug, Default)]
pub(super) struct Blocks {
    by_level: Vec<Vec<BlockLife>>,
}

impl Blocks {
    pub(super) fn new(problem: &Problem) -> Self {
        Self { by_level: vec![Vec::new(); problem.level_count()] }
    }

    /// Enters an event of `step`; steps come in ascending order.
    pub(super) fn enter(&mut self, step: u32, event: &Event) {
        let Event::Block { level, fate, offset, size } = *event else { return };
        // Main memory, a pool too, is no level that is looked at.
        let Some(blocks) = self.by_level.get_mut(level.at()) else { return };
        match fate {
            BlockFate::Fresh => blocks.push(BlockLife { offset, size, from: step, to: u32::MAX }),
            BlockFate::OverCap | BlockFate::Aged => {
                if let Ok(at) = blocks.binary_search_by_key(&offset, |block| block.offset) {
                    blocks[at].to = step;
                }
            }
            BlockFate::Reused | BlockFate::Idle => {}
        }
    }

    pub(super) fn finish(&mut self) {
        self.by_level.iter_mut().for_each(Vec::shrink_to_fit);
    }

    pub(super) fn of(&self, level: LevelIx) -> &[BlockLife] {
        &self.by_level[level.at()]
    }

    pub(super) fn bytes(&self) -> usize {
        self.by_level.iter().map(Vec::capacity).sum::<usize>() * size_of::<BlockLife>()
    }
}
