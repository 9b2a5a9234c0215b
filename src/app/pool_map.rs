//! The map of a pool. Its addresses are virtual and without bound, so the map shows blocks: all that the pool has at any
//! of the visible steps, in the order of their addresses, which is that of their making, side by side over the columns.

use std::ops::Range;

use super::map::{Axis, Cell, Wanted};
use crate::model::{BlockFate, Event, LevelIx};
use crate::trace::{BlockLife, Cursor, Stay, Trace};

/// At most this many blocks are laid out: those around the one that the step is about.
const MOST_BLOCKS: usize = 4096;

/// The blocks that a map shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shown {
    /// How many.
    pub blocks: usize,
    /// Their units.
    pub units: u64,
    /// How many the pool has beyond those.
    pub hidden: usize,
}

/// A block of the map with what is in it now.
#[derive(Clone, Copy, Debug)]
struct Block {
    offset: u64,
    size: u64,
    now: Cell,
    /// What the row at hand shows of it: `now`, or what its step did.
    shown: Cell,
}

/// The rows of these steps, over that many columns.
pub(super) fn rows(
    trace: &Trace,
    walker: &mut Cursor,
    wanted: &Wanted,
    steps: Range<usize>,
    columns: usize,
) -> (Vec<Vec<Cell>>, Axis, Shown) {
    if steps.is_empty() {
        return (Vec::new(), Axis::Blocks(Vec::new()), Shown::default());
    }
    let level = wanted.level;
    trace.seek(walker, trace.run_range(steps.start).start);
    let mut blocks = standing(trace, walker, wanted);
    let hidden = walker.state().level(level).blocks.len() - blocks.len();
    blocks.extend(coming(trace, level, &steps));
    let spans = layout(&blocks, columns);
    let mut rows = Vec::new();
    for step in steps {
        let run = trace.run_range(step);
        let done = if step == wanted.step { wanted.position.clamp(run.start, run.end) } else { run.end };
        blocks.iter_mut().for_each(|block| block.shown = block.now);
        trace.events()[run.start..done].iter().for_each(|event| apply(&mut blocks, level, event));
        rows.push(cells(&blocks, &spans, columns));
        trace.events()[done..run.end].iter().for_each(|event| apply(&mut blocks, level, event));
    }
    (rows, axis(&blocks, spans), shown(&blocks, hidden))
}

/// These blocks, and those that these stays were in where they are not told of, over that many columns.
pub(super) fn blocks_of(trace: &Trace, stays: &[Stay], lives: &[BlockLife], columns: usize) -> (Axis, Shown) {
    let block = |offset, size| Block { offset, size, now: Cell::Free, shown: Cell::Free };
    let of_stays = stays.iter().map(|stay| block(stay.offset, trace.problem.space_of(stay.buf)));
    let mut blocks: Vec<Block> = lives.iter().map(|life| block(life.offset, life.size)).chain(of_stays).collect();
    blocks.sort_unstable_by_key(|block| (block.offset, std::cmp::Reverse(block.size)));
    blocks.dedup_by_key(|block| block.offset);
    let spans = layout(&blocks, columns);
    (axis(&blocks, spans), shown(&blocks, 0))
}

fn axis(blocks: &[Block], spans: Vec<(usize, usize)>) -> Axis {
    Axis::Blocks(blocks.iter().zip(spans).map(|(block, (from, to))| (block.offset, from..to)).collect())
}

fn shown(blocks: &[Block], hidden: usize) -> Shown {
    let units = blocks.iter().fold(0u64, |sum, block| sum.saturating_add(block.size));
    Shown { blocks: blocks.len(), units, hidden }
}

/// The blocks that are there before the first row.
fn standing(trace: &Trace, walker: &Cursor, wanted: &Wanted) -> Vec<Block> {
    let state = walker.state().level(wanted.level);
    let focus = trace.run(wanted.step).iter().find_map(|event| match *event {
        Event::Placed { offset, level, .. } | Event::Left { offset, level, .. } if level == wanted.level => {
            Some(offset)
        }
        _ => None,
    });
    let focus = focus.unwrap_or(u64::MAX);
    let half = MOST_BLOCKS / 2;
    let mut near: Vec<(u64, u64)> =
        state.blocks.range(..focus).rev().take(half).map(|(&at, &size)| (at, size)).collect();
    near.reverse();
    near.extend(state.blocks.range(focus..).take(half).map(|(&at, &size)| (at, size)));
    let block = |(offset, size)| {
        let now = state.by_address.get(&offset).map_or(Cell::Idle, |&buf| Cell::Held(buf));
        Block { offset, size, now, shown: now }
    };
    near.into_iter().map(block).collect()
}

/// The blocks that are made at the visible steps. Each has a higher address than all before it.
fn coming(trace: &Trace, wanted: LevelIx, steps: &Range<usize>) -> Vec<Block> {
    let events = &trace.events()[trace.run_range(steps.start).start..trace.end_of(steps.end - 1)];
    let fresh = events.iter().filter_map(|event| match *event {
        Event::Block { level, fate: BlockFate::Fresh, offset, size } if level == wanted => {
            Some(Block { offset, size, now: Cell::Free, shown: Cell::Free })
        }
        _ => None,
    });
    fresh.take(MOST_BLOCKS).collect()
}

fn apply(blocks: &mut [Block], wanted: LevelIx, event: &Event) {
    let (Event::Placed { level, offset, .. } | Event::Left { level, offset, .. } | Event::Block { level, offset, .. }) =
        *event
    else {
        return;
    };
    let Ok(at) = blocks.binary_search_by_key(&offset, |block| block.offset) else { return };
    if level != wanted {
        return;
    }
    let block = &mut blocks[at];
    (block.now, block.shown) = match *event {
        Event::Placed { buf, .. } => (Cell::Held(buf), Cell::Placed(buf)),
        Event::Left { buf, how, .. } => (Cell::Idle, Cell::Left(buf, how)),
        Event::Block { fate: BlockFate::OverCap | BlockFate::Aged, .. } => (Cell::Free, Cell::Dropped),
        _ => (block.now, block.shown),
    };
}

/// The columns `[from, to)` of each block. With room for all of them each has one, and what is left is shared by size;
/// without, they lie by size alone and several may share one.
fn layout(blocks: &[Block], columns: usize) -> Vec<(usize, usize)> {
    let total: u128 = blocks.iter().map(|block| u128::from(block.size)).sum::<u128>().max(1);
    let own = usize::from(blocks.len() <= columns);
    let shared = (columns - own * blocks.len()) as u128;
    let share = |before: u128| ((shared * before + total / 2) / total) as usize;
    let mut before = 0u128;
    let mut spans = Vec::with_capacity(blocks.len());
    for (at, block) in blocks.iter().enumerate() {
        let start = own * at + share(before);
        before += u128::from(block.size);
        let end = own * (at + 1) + share(before);
        spans.push((start.min(columns.saturating_sub(1)), end.max(start + 1).min(columns)));
    }
    spans
}

/// What each column shows. Of blocks that share one, what the step changed wins, then what the pool has, then the
/// largest.
fn cells(blocks: &[Block], spans: &[(usize, usize)], columns: usize) -> Vec<Cell> {
    let mut cells = vec![Cell::Free; columns];
    let mut weights = vec![(false, false, 0u64); columns];
    for (block, &(from, to)) in blocks.iter().zip(spans) {
        let weight = (block.shown != block.now, block.shown != Cell::Free, block.size);
        for column in from..to {
            if weight > weights[column] {
                (cells[column], weights[column]) = (block.shown, weight);
            }
        }
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{BufIx, Leaving};

    fn block(offset: u64, size: u64, now: Cell) -> Block {
        Block { offset, size, now, shown: now }
    }

    fn blocks(sizes: &[u64]) -> Vec<Block> {
        let offsets = sizes.iter().scan(0, |at, size| Some(std::mem::replace(at, *at + size)));
        offsets.zip(sizes).map(|(offset, &size)| block(offset, size, Cell::Idle)).collect()
    }

    #[test]
    fn blocks_fill_the_columns_without_gaps_and_each_is_seen_where_there_is_room() {
        assert_eq!(layout(&blocks(&[1, 98, 1]), 13), [(0, 1), (1, 12), (12, 13)]);
        for (sizes, columns) in [(&[5, 5, 5][..], 3), (&[1 << 40, 1, 1], 20), (&[7], 9), (&[3, 9, 27, 81], 60)] {
            let spans = layout(&blocks(sizes), columns);
            assert_eq!((spans[0].0, spans[spans.len() - 1].1), (0, columns));
            assert!(spans.windows(2).all(|pair| pair[0].1 == pair[1].0), "{spans:?}");
            assert!(spans.iter().all(|(from, to)| from < to), "{spans:?}");
        }
    }

    #[test]
    fn more_blocks_than_columns_share_them_inside_the_map() {
        let many: Vec<u64> = (1..200).collect();
        for columns in [1, 7, 50] {
            let spans = layout(&blocks(&many), columns);
            assert!(spans.iter().all(|&(from, to)| from < to && to <= columns), "{columns}: {spans:?}");
        }
        assert!(layout(&[], 10).is_empty());
        assert_eq!(layout(&blocks(&[1, 2]), 0), [(0, 0), (0, 0)]);
    }

    #[test]
    fn what_the_step_did_is_seen_among_larger_blocks() {
        let mut blocks = blocks(&[90, 1, 90]);
        let level = LevelIx(0);
        let left = Event::Left { buf: BufIx(4), how: Leaving::Free, level, offset: 90, at: 0 };
        blocks[1].now = Cell::Held(BufIx(4));
        apply(&mut blocks, level, &left);
        let shown = cells(&blocks, &[(0, 2), (1, 2), (1, 2)], 2);
        assert_eq!(shown, [Cell::Idle, Cell::Left(BufIx(4), Leaving::Free)]);
        let drop = Event::Block { level, fate: BlockFate::OverCap, offset: 0, size: 90 };
        apply(&mut blocks, level, &drop);
        assert_eq!((blocks[0].now, blocks[0].shown), (Cell::Free, Cell::Dropped));
        let gone = [block(0, 90, Cell::Free), block(90, 1, Cell::Idle)];
        assert_eq!(cells(&gone, &[(0, 1), (0, 1)], 1), [Cell::Idle], "what is there hides what is not");
        apply(&mut blocks, LevelIx(1), &left);
        assert_eq!(blocks[1].now, Cell::Idle, "another level's");
    }
}
