//! A number for each buffer, from which the screen makes its letter: buffers that are alive together have different
//! ones wherever the alphabet allows.

use crate::model::{BufIx, Event, Leaving, LevelIx, Placing, Problem};

/// How many different letters there are.
pub const LETTERS: usize = 47;

/// Gives out letters while a record is gone through.
#[derive(Clone, Debug, Default)]
pub(super) struct Letters {
    /// By buffer.
    of: Vec<u8>,
    /// By level, by letter: how many buffers that have it are between their ALLOC and their FREE.
    taken: Vec<[u32; LETTERS]>,
    /// The same over all levels.
    taken_anywhere: Vec<u32>,
}

impl Letters {
    /// Buffers that are never placed keep the letter of their place in the alphabet.
    pub(super) fn new(problem: &Problem) -> Self {
        Self {
            of: (0..problem.graph.buffers().len()).map(|buf| (buf % LETTERS) as u8).collect(),
            taken: vec![[0; LETTERS]; problem.level_count()],
            taken_anywhere: vec![0; LETTERS],
        }
    }

    /// Enters an event; they come in order.
    pub(super) fn enter(&mut self, event: &Event) {
        match *event {
            Event::Placed { buf, how: Placing::Alloc, level, .. } => {
                let letter = self.choose(buf, level);
                self.of[buf.at()] = letter as u8;
                self.taken[level.at()][letter] += 1;
                self.taken_anywhere[letter] += 1;
            }
            Event::Left { buf, how: Leaving::Free, level, .. } => {
                let letter = usize::from(self.of[buf.at()]);
                for taken in [&mut self.taken[level.at()][letter], &mut self.taken_anywhere[letter]] {
                    *taken = taken.saturating_sub(1);
                }
            }
            _ => {}
        }
    }

    /// The first letter from the buffer's own on that no live buffer has, else none of its level, else its own.
    fn choose(&self, buf: BufIx, level: LevelIx) -> usize {
        let own = buf.at() % LETTERS;
        let round = || (0..LETTERS).map(|by| (own + by) % LETTERS);
        let free = round().find(|&letter| self.taken_anywhere[letter] == 0);
        free.or_else(|| round().find(|&letter| self.taken[level.at()][letter] == 0)).unwrap_or(own)
    }

    /// The letters by buffer.
    pub(super) fn finish(self) -> Vec<u8> {
        self.of
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::model::{GraphBuilder, Machine, Name};

    fn problem(buffers: u64) -> Problem {
        let mut graph = GraphBuilder::new(Name::new("letters"));
        let level = graph.intern("L1").expect("a symbol");
        (0..buffers).for_each(|buf| graph.alloc(buf, buf, 1, level));
        Problem::new(Arc::new(graph.build().expect("sound")), Machine::npu()).expect("it has L1")
    }

    fn placed(buf: u32) -> Event {
        Event::Placed { buf: BufIx(buf), how: Placing::Alloc, level: LevelIx(0), offset: 0, at: 0 }
    }

    fn freed(buf: u32) -> Event {
        Event::Left { buf: BufIx(buf), how: Leaving::Free, level: LevelIx(0), offset: 0, at: 0 }
    }

    #[test]
    fn buffers_alive_together_differ_as_long_as_there_are_letters() {
        let mut letters = Letters::new(&problem(150));
        [placed(0), placed(47), placed(94), placed(1)].iter().for_each(|event| letters.enter(event));
        assert_eq!([0, 47, 94, 1].map(|buf| letters.of[buf]), [0, 1, 2, 3], "the next free one");
        [freed(0), placed(141)].iter().for_each(|event| letters.enter(event));
        assert_eq!(letters.of[141], 0, "a letter that was given back is its own again");
    }

    #[test]
    fn beyond_the_alphabet_each_falls_back_to_its_own() {
        let mut letters = Letters::new(&problem(150));
        (0..150).for_each(|buf| letters.enter(&placed(buf)));
        let of = letters.finish();
        assert_eq!((of[46], of[47], of[149]), (46, 0, 8));
    }
}
