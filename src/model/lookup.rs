//! From a file's ids to dense indices.

use std::collections::HashMap;

/// A table where the ids are nearly dense, a hash map where not.
pub(super) enum Lookup {
    Dense(Vec<u32>),
    Sparse(HashMap<u64, u32>),
}

impl Lookup {
    /// Of ids that come in ascending order; the k-th gets index k.
    pub fn new(ids: impl ExactSizeIterator<Item = u64> + Clone) -> Self {
        let count = ids.len();
        let largest = ids.clone().last().unwrap_or(0);
        if largest < 4 * count as u64 + 64 {
            let mut table = vec![u32::MAX; largest as usize + 1];
            ids.enumerate().for_each(|(index, id)| table[id as usize] = index as u32);
            Self::Dense(table)
        } else {
            Self::Sparse(ids.enumerate().map(|(index, id)| (id, index as u32)).collect())
        }
    }

    pub fn find(&self, id: u64) -> Option<u32> {
        match self {
            Self::Dense(table) => {
                let index = *table.get(usize::try_from(id).ok()?)?;
                (index != u32::MAX).then_some(index)
            }
            Self::Sparse(map) => map.get(&id).copied(),
        }
    }
}
