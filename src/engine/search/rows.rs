//! Lists of numbers, one row behind the other in one piece of memory.

/// Row `i` is a slice of `u32`.
#[derive(Clone, Debug, Default)]
pub(super) struct Rows {
    starts: Vec<u32>,
    entries: Vec<u32>,
}

impl Rows {
    /// No row yet; see [`Rows::push`].
    pub(super) fn new() -> Self {
        Self { starts: vec![0], entries: Vec::new() }
    }

    /// Sorts `(row, entry)` pairs into `rows` rows; within a row they keep their order.
    pub(super) fn from_pairs(rows: usize, pairs: &[(u32, u32)]) -> Self {
        let mut starts = vec![0u32; rows + 1];
        pairs.iter().for_each(|&(row, _)| starts[row as usize + 1] += 1);
        for row in 0..rows {
            starts[row + 1] += starts[row];
        }
        let mut next = starts.clone();
        let mut entries = vec![0; pairs.len()];
        for &(row, entry) in pairs {
            entries[next[row as usize] as usize] = entry;
            next[row as usize] += 1;
        }
        Self { starts, entries }
    }

    /// The same with each row sorted and free of doubles.
    pub(super) fn from_set(rows: usize, mut pairs: Vec<(u32, u32)>) -> Self {
        pairs.sort_unstable();
        pairs.dedup();
        Self::from_pairs(rows, &pairs)
    }

    /// Adds a row.
    pub(super) fn push(&mut self, row: impl IntoIterator<Item = u32>) {
        self.entries.extend(row);
        self.starts.push(self.entries.len() as u32);
    }

    #[inline]
    pub(super) fn of(&self, row: u32) -> &[u32] {
        &self.entries[self.starts[row as usize] as usize..self.starts[row as usize + 1] as usize]
    }

    pub(super) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Entries of all rows.
    pub(super) fn total(&self) -> usize {
        self.entries.len()
    }
}
