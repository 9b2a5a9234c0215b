//! Lifetimes cut out of a full rectangle, so that the smallest capacity is known: its height.

use spillscope::model::{Lifetime, Name, Packing, SplitMix64};

/// A rectangle: times `[left, right)`, addresses `[bottom, top)`.
#[derive(Clone, Copy)]
struct Piece {
    left: u64,
    right: u64,
    bottom: u64,
    top: u64,
}

/// How rectangles are cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cuts {
    /// Each cut runs from edge to edge of the piece that it cuts.
    Guillotine,
    /// Every other cut makes a pinwheel of five pieces, which no sequence of cuts from edge to edge does.
    Pinwheel,
}

/// A rectangle of `width` × `height` cut into at least `count` buffers (a few more with pinwheels), in random order.
/// The larger of some random pieces is cut each time, so that sizes vary, but not wildly.
pub fn cut(count: usize, width: u64, height: u64, cuts: Cuts, seed: u64) -> Packing {
    let mut rng = SplitMix64::new(seed);
    let mut pieces = vec![Piece { left: 0, right: width, bottom: 0, top: height }];
    let mut failures = 0;
    while pieces.len() < count && failures < 1000 {
        let at = (0..3).map(|_| rng.index(pieces.len())).max_by_key(|&at| area(pieces[at])).unwrap_or(0);
        let piece = pieces[at];
        let parts = if cuts == Cuts::Pinwheel && rng.chance(0.5) { pinwheel(piece, &mut rng) } else { None };
        let Some(parts) = parts.or_else(|| halves(piece, (width, height), &mut rng)) else {
            failures += 1;
            continue;
        };
        failures = 0;
        pieces.swap_remove(at);
        pieces.extend(parts);
    }
    for at in (1..pieces.len()).rev() {
        pieces.swap(at, rng.index(at + 1));
    }
    Packing { buffers: pieces.into_iter().enumerate().map(|(at, piece)| lifetime(at, piece)).collect() }
}

fn area(piece: Piece) -> u128 {
    u128::from(piece.right - piece.left) * u128::from(piece.top - piece.bottom)
}

/// A place to cut `[from, to)`, not too near its ends; `None` where it is too short.
fn place(from: u64, to: u64, rng: &mut SplitMix64) -> Option<u64> {
    let length = to - from;
    (length >= 2).then(|| (from + length / 5 + rng.below((length - 2 * (length / 5)).max(1))).clamp(from + 1, to - 1))
}

fn halves(piece: Piece, whole: (u64, u64), rng: &mut SplitMix64) -> Option<Vec<Piece>> {
    let (wide, high) = (piece.right - piece.left, piece.top - piece.bottom);
    // Compared with the whole, the longer side is likelier to be cut.
    let (across, along) = (wide as f64 / whole.0 as f64, high as f64 / whole.1 as f64);
    if rng.chance(across / (across + along)) {
        let x = place(piece.left, piece.right, rng)?;
        Some(vec![Piece { right: x, ..piece }, Piece { left: x, ..piece }])
    } else {
        let y = place(piece.bottom, piece.top, rng)?;
        Some(vec![Piece { top: y, ..piece }, Piece { bottom: y, ..piece }])
    }
}

fn pinwheel(piece: Piece, rng: &mut SplitMix64) -> Option<Vec<Piece>> {
    let Piece { left, right, bottom, top } = piece;
    let (x, y) = (place(left, right, rng)?, place(bottom, top, rng)?);
    let (x2, y2) = (place(x, right, rng)?, place(y, top, rng)?);
    Some(vec![
        Piece { left, right: x2, bottom, top: y },
        Piece { left: x2, right, bottom, top: y2 },
        Piece { left: x, right, bottom: y2, top },
        Piece { left, right: x, bottom: y, top },
        Piece { left: x, right: x2, bottom: y, top: y2 },
    ])
}

fn lifetime(at: usize, piece: Piece) -> Lifetime {
    Lifetime {
        name: Name::new(format!("b{at}")),
        lower: piece.left,
        upper: piece.right,
        size: piece.top - piece.bottom,
        alignment: 1,
        fixed: None,
        hint: None,
        gaps: Vec::new(),
    }
}
