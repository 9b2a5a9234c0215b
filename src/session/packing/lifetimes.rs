//! Lifetimes from a file as sessions.

use super::super::Session;
use super::scene::{Scene, Seen, Tenant, Times};
use crate::input::Lifetimes;
use crate::model::{BufIx, Fault, Lifetime, Name, Packed, Packing};

/// What the one memory of lifetimes is called.
const MEMORY: &str = "memory";
/// The same for the tensors of a model.
const ARENA: &str = "arena";

/// A buffer that is alive at some moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holder {
    /// Its index in the packing.
    pub buffer: usize,
    /// How much it needs then.
    pub size: u64,
}

/// Who is alive at `time`, the largest first.
pub fn holders_at(packing: &Packing, time: u64) -> Vec<Holder> {
    let needed = |(buffer, lifetime): (usize, &Lifetime)| {
        let (from, to) = needs(lifetime, time)?;
        Some(Holder { buffer, size: to - from })
    };
    let mut holders: Vec<Holder> = packing.buffers.iter().enumerate().filter_map(needed).collect();
    holders.sort_by_key(|holder| (std::cmp::Reverse(holder.size), holder.buffer));
    holders
}

/// What of it a buffer needs at `time`, if anything.
fn needs(buffer: &Lifetime, time: u64) -> Option<(u64, u64)> {
    if time < buffer.lower || time >= buffer.upper {
        return None;
    }
    let gap = buffer.gaps.iter().find(|gap| gap.lower <= time && time < gap.upper);
    gap.map_or(Some((0, buffer.size)), |gap| gap.window)
}

/// A packing of ours of the lifetimes in `file`, in a memory of `capacity`.
///
/// # Errors
/// Where they are too many for a graph.
pub fn see(file: &Lifetimes, packed: &Packed, capacity: u64, verdict: String) -> Result<Session, Fault> {
    let seen = Seen { maker: "packed by spillscope".into(), verdict, core: Vec::new(), peak: 0 };
    Session::of_scene(&scene(file, &packed.offsets, capacity).0, seen, false)
}

/// A packing that somebody else made, as it stands.
///
/// # Errors
/// As [`see`].
pub fn see_given(file: &Lifetimes, packed: &Packed, capacity: u64, verdict: String) -> Result<Session, Fault> {
    let seen = Seen { maker: "addresses as given".into(), verdict, core: Vec::new(), peak: 0 };
    Session::of_scene(&scene(file, &packed.offsets, capacity).0, seen, true)
}

/// The buffers of `core` alone, at the addresses that they must have, which are at odds with each other.
///
/// # Errors
/// As [`see`].
pub fn see_core(file: &Lifetimes, core: &[usize], verdict: String) -> Result<Session, Fault> {
    let buffers: Vec<Lifetime> = core.iter().map(|&buffer| file.packing.buffers[buffer].clone()).collect();
    let file = Lifetimes { packing: Packing { buffers }, ..file.clone() };
    let offsets = file.packing.buffers.iter().map(|buffer| buffer.fixed.unwrap_or(0)).collect();
    let packed = Packed::new(&file.packing, offsets);
    see_given(&file, &packed, packed.height.max(1), verdict)
}

/// Lifetimes for which there is no room in `capacity`, or none that was found. `core` are buffers that alone do not fit;
/// `best` is the lowest packing at hand, higher than the capacity.
///
/// # Errors
/// As [`see`].
pub fn see_failure(
    file: &Lifetimes,
    best: &Packed,
    capacity: u64,
    core: &[usize],
    verdict: String,
) -> Result<Session, Fault> {
    let (mut scene, first_of) = scene(file, &best.offsets, capacity);
    for tenant in &mut scene.tenants {
        tenant.offset = tenant.offset.filter(|offset| offset + tenant.size <= capacity);
    }
    let core = core.iter().filter_map(|&buffer| first_of[buffer]).map(BufIx::new).collect();
    let seen = Seen { maker: "no packing".into(), verdict, core, peak: 0 };
    Session::of_failing_scene(&scene, seen)
}

/// The lifetimes at these addresses; for each buffer of the packing also its first tenant, if it has one.
fn scene(file: &Lifetimes, offsets: &[u64], capacity: u64) -> (Scene, Vec<Option<usize>>) {
    let mut tenants = Vec::new();
    let mut first_of = Vec::new();
    for (buffer, &offset) in file.packing.buffers.iter().zip(offsets) {
        let pieces = pieces(buffer);
        first_of.push((!pieces.is_empty()).then_some(tenants.len()));
        tenants.extend(pieces.into_iter().map(|piece| Tenant {
            name: buffer.name.clone(),
            level: 0,
            lower: piece.times.0,
            upper: piece.times.1,
            size: piece.window.1 - piece.window.0,
            offset: Some(offset + piece.window.0),
        }));
    }
    let scene = Scene {
        name: file.name.clone(),
        machine: if file.model.is_some() { "TFLite" } else { "one memory" }.into(),
        levels: vec![(Name::from(if file.model.is_some() { ARENA } else { MEMORY }), capacity)],
        tenants,
        times: file.model.as_ref().map_or(Times::Abstract, |model| Times::Program(model.operators.clone())),
        ignored_fields: file.unknown_columns.len(),
    };
    (scene, first_of)
}

/// A stretch of a lifetime in which a buffer needs the same part of its memory.
pub(super) struct Piece {
    pub(super) times: (u64, u64),
    pub(super) window: (u64, u64),
}

impl Piece {
    /// Whether the two are alive together at some time.
    pub(super) fn meets(&self, other: &Self) -> bool {
        self.times.0 < other.times.1 && other.times.0 < self.times.1
    }
}

/// A lifetime without the gaps in it, in which only a window is needed or nothing.
pub(super) fn pieces(buffer: &Lifetime) -> Vec<Piece> {
    let whole = (0, buffer.size);
    let mut pieces: Vec<Piece> = Vec::new();
    let mut from = buffer.lower;
    for gap in &buffer.gaps {
        pieces.push(Piece { times: (from, gap.lower), window: whole });
        pieces.extend(gap.window.map(|window| Piece { times: (gap.lower, gap.upper), window }));
        from = gap.upper;
    }
    pieces.push(Piece { times: (from, buffer.upper), window: whole });
    pieces.retain(|piece| piece.times.0 < piece.times.1);
    pieces
}
