//! Gaps of a buffer in one cell, in minimalloc's notation: `lower-upper`, with a window as `lower-upper@from:to`, several
//! between blanks. The ends are as those of the lifetimes: half-open, or inclusive where their column is named `end`.

use super::super::csv_table::whole;
use super::super::source::quoted;
use crate::model::{Gap, Lifetime};

/// The advice where a gap is not as it must be.
pub(super) const SHAPE: &str = "gaps are lower-upper, or lower-upper@from:to where from:to of the buffer is still \
                                needed, with blanks between them";

/// The gaps in `cell`, ascending.
///
/// # Errors
/// What is wrong with one of them.
pub(super) fn read(cell: &str, buffer: &Lifetime, inclusive: bool) -> Result<Vec<Gap>, String> {
    let gaps = cell.split_whitespace().map(|text| gap(text, buffer, inclusive));
    let mut gaps = gaps.collect::<Result<Vec<Gap>, String>>()?;
    gaps.sort_by_key(|gap| gap.lower);
    match gaps.windows(2).find(|pair| pair[1].lower < pair[0].upper) {
        None => Ok(gaps),
        Some(pair) => Err(format!(
            "the gaps [{},{}) and [{},{}) overlap",
            pair[0].lower, pair[0].upper, pair[1].lower, pair[1].upper
        )),
    }
}

fn gap(text: &str, buffer: &Lifetime, inclusive: bool) -> Result<Gap, String> {
    let wrong = || format!("{} is no gap", quoted(text));
    let (times, window) = text.split_once('@').map_or((text, None), |(times, window)| (times, Some(window)));
    let (lower, last) = pair(times, '-').ok_or_else(wrong)?;
    let upper = last.saturating_add(u64::from(inclusive));
    if lower >= upper || lower < buffer.lower || upper > buffer.upper {
        let (from, to) = (buffer.lower, buffer.upper);
        return Err(format!("the gap {} must lie inside the lifetime [{from},{to}) and not be empty", quoted(text)));
    }
    let window = window.map(|window| pair(window, ':').ok_or_else(wrong)).transpose()?;
    if window.is_some_and(|(from, to)| from >= to || to > buffer.size) {
        let size = buffer.size;
        return Err(format!("the window of {} must lie inside the buffer, [0,{size}), and not be empty", quoted(text)));
    }
    Ok(Gap { lower, upper, window })
}

fn pair(text: &str, between: char) -> Option<(u64, u64)> {
    let (first, second) = text.split_once(between)?;
    Some((whole(first)?, whole(second)?))
}
