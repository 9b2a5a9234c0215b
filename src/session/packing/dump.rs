//! A dump of XLA: which of its values share memory in place, and its allocations packed again.

use std::collections::BTreeMap;

use super::super::Session;
use super::scene::{Scene, Seen, Tenant, Times};
use super::solve::{Asked, Outcome, solve};
use crate::check::packing::check_packing;
use crate::engine::pack::{self, Effort, MaxLive, Smallest};
use crate::input::{Allocation, Dump, Role, Value};
use crate::model::{Fault, Gap, Lifetime, Name, Packed, Packing};

/// A dump, and what becomes of it where its allocations are packed again.
#[derive(Clone, Debug)]
pub struct DumpPacked {
    /// The allocations, in the order of the dump.
    pub allocations: Vec<PackedAllocation>,
    /// The multiple that every address is kept to: the largest power of two, at most 256, that all addresses of the dump are
    /// multiples of.
    pub alignment: u64,
    /// The moment at which most is alive over all allocations, and how much that is, memory that values share in place
    /// counted once.
    pub peak: MaxLive,
    /// Who is alive then: allocation, value (as indices) and bytes, the largest first.
    pub holders: Vec<(usize, usize, u64)>,
    /// Seconds that packing took.
    pub seconds: f64,
}

/// An allocation, packed again.
#[derive(Clone, Debug, Default)]
pub struct PackedAllocation {
    /// The end of its highest value: what the dump's offsets add up to.
    pub height: u64,
    /// The same with our addresses; 0 where none of its values has a lifetime.
    pub packed: u64,
    /// No packing is lower than this.
    pub bound: u64,
    /// Whether none can be lower than `packed`.
    pub proven: bool,
    /// How many values take over memory of another in place.
    pub in_place: usize,
    /// Pairs of values that hold an address at the same time though neither takes over from the other; the first is told.
    pub clashes: usize,
    /// Our address for each value that has a lifetime.
    pub offsets: Vec<Option<u64>>,
    /// When each value is alive, half-open, without the tick in which another takes over its memory.
    lives: Vec<Option<(u64, u64)>>,
}

/// Packs every allocation again, with `effort` for all of them together, the temporaries first.
///
/// # Errors
/// Where the checker refuses what was packed: a fault of ours.
pub fn pack_dump(dump: &Dump, effort: &Effort) -> Result<DumpPacked, String> {
    let started = std::time::Instant::now();
    let alignment = alignment(dump);
    let mut order: Vec<usize> = (0..dump.allocations.len()).collect();
    order.sort_by_key(|&at| (dump.allocations[at].role != Role::Temporary, at));
    let mut allocations = vec![PackedAllocation::default(); order.len()];
    for at in order {
        let left = effort.seconds.map(|seconds| (seconds - started.elapsed().as_secs_f64()).max(0.0));
        allocations[at] = pack(&dump.allocations[at], alignment, &Effort { seconds: left, ..effort.clone() })?;
    }
    let peak = peak(dump, &allocations);
    let holders = holders(dump, &allocations, peak.at);
    Ok(DumpPacked { allocations, alignment, peak, holders, seconds: started.elapsed().as_secs_f64() })
}

/// The largest power of two, at most 256, that divides every address.
fn alignment(dump: &Dump) -> u64 {
    let offsets = dump.allocations.iter().flat_map(|allocation| &allocation.values).map(|value| value.offset);
    1 << offsets.fold(8, |bits, offset| bits.min(offset.trailing_zeros()))
}

fn pack(allocation: &Allocation, alignment: u64, effort: &Effort) -> Result<PackedAllocation, String> {
    let values = &allocation.values;
    let height = values.iter().map(|value| value.offset + value.size).max().unwrap_or(0);
    let sharing = Sharing::of(values);
    let mut packed = PackedAllocation {
        height,
        in_place: sharing.in_place,
        clashes: sharing.clashes,
        offsets: vec![None; values.len()],
        lives: sharing.lives.clone(),
        ..PackedAllocation::default()
    };
    let groups = sharing.groups(values);
    if groups.is_empty() {
        return Ok(packed);
    }
    let packing = Packing { buffers: groups.iter().map(|group| group.lifetime(values, alignment)).collect() };
    let theirs = Packed::new(&packing, groups.iter().map(|group| group.offset).collect());
    let ours = best(&packing, theirs, packed.clashes, effort)?;
    let bound = pack::max_live(&packing).bytes.max(ours.1.min(ours.0.height));
    (packed.packed, packed.bound, packed.proven) = (ours.0.height, bound, ours.0.height <= bound);
    for (group, &offset) in groups.iter().zip(&ours.0.offsets) {
        for &(member, within) in &group.members {
            packed.offsets[member] = Some(offset + within);
        }
    }
    Ok(packed)
}

/// The lower one of the dump's packing and ours, and a bound.
fn best(packing: &Packing, theirs: Packed, clashes: usize, effort: &Effort) -> Result<(Packed, u64), String> {
    let live = pack::max_live(packing).bytes;
    let holds = clashes == 0 && check_packing(packing, None, &theirs.offsets).is_empty();
    if holds && theirs.height <= live {
        return Ok((theirs, live));
    }
    let solved = solve(packing, &Asked { capacity: None, effort: effort.clone() })?;
    let Outcome::Smallest(Smallest { packed, bound, .. }) = solved.outcome else {
        return Err("the packer says of values without fixed addresses that they fit nowhere".into());
    };
    Ok((if holds && theirs.height <= packed.height { theirs } else { packed }, bound))
}

/// Which values of an allocation share memory in place: the one is made by the instruction that reads the other last, and
/// takes over addresses of it. With inclusive ends both then hold them in one tick, which is no fault.
struct Sharing {
    /// When each is alive, without the tick in which its memory is taken over.
    lives: Vec<Option<(u64, u64)>>,
    /// For each value another of its group; itself for the last.
    parent: Vec<usize>,
    in_place: usize,
    clashes: usize,
}

impl Sharing {
    fn of(values: &[Value]) -> Self {
        let lives: Vec<_> = values.iter().map(|value| value.live).collect();
        let mut sharing = Self { lives, parent: (0..values.len()).collect(), in_place: 0, clashes: 0 };
        let mut order: Vec<usize> = (0..values.len()).filter(|&at| values[at].live.is_some()).collect();
        order.sort_by_key(|&at| (values[at].live, at));
        let mut alive: Vec<usize> = Vec::new();
        for &later in &order {
            let Some((born, _)) = values[later].live else { continue };
            alive.retain(|&at| values[at].live.is_some_and(|(_, upper)| upper > born));
            let mut takes_over = false;
            for &earlier in &alive {
                if !overlap(&values[earlier], &values[later]) {
                    continue;
                }
                if is_taken_over(values[earlier].live, values[later].live) {
                    takes_over = true;
                    sharing.lives[earlier] = values[earlier].live.map(|(lower, upper)| (lower, upper - 1));
                    sharing.join(earlier, later);
                } else {
                    sharing.clashes += 1;
                }
            }
            sharing.in_place += usize::from(takes_over);
            alive.push(later);
        }
        sharing
    }

    fn root(&self, mut at: usize) -> usize {
        while self.parent[at] != at {
            at = self.parent[at];
        }
        at
    }

    fn join(&mut self, one: usize, other: usize) {
        let (one, other) = (self.root(one), self.root(other));
        self.parent[one.max(other)] = one.min(other);
    }

    /// The values that must keep their places to each other, together.
    fn groups(&self, values: &[Value]) -> Vec<Group> {
        let mut groups: BTreeMap<usize, Group> = BTreeMap::new();
        for at in (0..values.len()).filter(|&at| values[at].live.is_some()) {
            let group = groups.entry(self.root(at)).or_default();
            group.members.push((at, values[at].offset));
        }
        let mut groups: Vec<Group> = groups.into_values().collect();
        for group in &mut groups {
            group.offset = group.members.iter().map(|&(_, offset)| offset).min().unwrap_or(0);
            group.members.iter_mut().for_each(|(_, offset)| *offset -= group.offset);
        }
        groups
    }
}

fn overlap(one: &Value, other: &Value) -> bool {
    one.offset < other.offset + other.size && other.offset < one.offset + one.size
}

/// Whether the later one begins in the last tick of the earlier, which began before.
fn is_taken_over(earlier: Option<(u64, u64)>, later: Option<(u64, u64)>) -> bool {
    matches!((earlier, later), (Some((lower, upper)), Some((born, _))) if lower < born && born + 1 == upper)
}

/// Values that share memory in place.
#[derive(Default)]
struct Group {
    /// Values, each with where it lies within the group.
    members: Vec<(usize, u64)>,
    /// Where the group lies in the dump.
    offset: u64,
}

impl Group {
    /// All of them as one buffer, which at each time needs what those alive then span. The dump's own addresses are so among
    /// those that are possible.
    fn lifetime(&self, values: &[Value], alignment: u64) -> Lifetime {
        let lives =
            || self.members.iter().filter_map(|&(at, within)| Some((values[at].live?, within, values[at].size)));
        let size = lives().map(|(_, within, size)| within + size).max().unwrap_or(1);
        let mut moments: Vec<u64> = lives().flat_map(|((lower, upper), ..)| [lower, upper]).collect();
        moments.sort_unstable();
        moments.dedup();
        let mut gaps: Vec<Gap> = Vec::new();
        for pair in moments.windows(2) {
            let alive = lives().filter(|((lower, upper), ..)| *lower <= pair[0] && pair[0] < *upper);
            let spans = alive.map(|(_, within, size)| (within, within + size));
            let window = spans.reduce(|one, other| (one.0.min(other.0), one.1.max(other.1)));
            if window != Some((0, size)) {
                gaps.push(Gap { lower: pair[0], upper: pair[1], window });
            }
        }
        let name = self.members.first().map_or(Name::from(""), |&(at, _)| values[at].name.clone());
        let (lower, upper) = (moments.first().copied().unwrap_or(0), moments.last().copied().unwrap_or(0));
        Lifetime { name, lower, upper, size, alignment, fixed: None, hint: None, gaps }
    }
}

/// The fullest moment over all allocations.
fn peak(dump: &Dump, allocations: &[PackedAllocation]) -> MaxLive {
    let mut change: BTreeMap<u64, (u64, u64)> = BTreeMap::new();
    for (allocation, packed) in dump.allocations.iter().zip(allocations) {
        for (value, live) in allocation.values.iter().zip(&packed.lives) {
            if let Some((lower, upper)) = *live {
                change.entry(lower).or_default().0 += value.size;
                change.entry(upper).or_default().1 += value.size;
            }
        }
    }
    let (mut alive, mut peak) = (0, MaxLive::default());
    for (&at, &(born, gone)) in &change {
        alive = alive + born - gone;
        if alive > peak.bytes {
            peak = MaxLive { bytes: alive, at };
        }
    }
    peak
}

fn holders(dump: &Dump, allocations: &[PackedAllocation], time: u64) -> Vec<(usize, usize, u64)> {
    let mut holders = Vec::new();
    for (at, (allocation, packed)) in dump.allocations.iter().zip(allocations).enumerate() {
        for (value, live) in packed.lives.iter().enumerate() {
            if live.is_some_and(|(lower, upper)| lower <= time && time < upper) {
                holders.push((at, value, allocation.values[value].size));
            }
        }
    }
    holders.sort_by_key(|&(at, value, size)| (std::cmp::Reverse(size), at, value));
    holders
}

impl DumpPacked {
    /// What the values of the dump take in all: the allocations as XLA made them, those with lifetimes.
    pub fn sizes(&self, dump: &Dump) -> (u64, u64) {
        let live = dump.allocations.iter().zip(&self.allocations).filter(|(_, packed)| packed.packed > 0);
        live.fold((0, 0), |(theirs, ours), (allocation, packed)| (theirs + allocation.size, ours + packed.packed))
    }

    /// The dump as XLA laid it out.
    ///
    /// # Errors
    /// Where the values are too many for a graph.
    pub fn see_theirs(&self, dump: &Dump, verdict: String) -> Result<Session, Fault> {
        let seen = Seen { maker: "as XLA has it".into(), verdict, core: Vec::new(), peak: 0 };
        Session::of_scene(&self.scene(dump, false), seen, true)
    }

    /// The dump packed again.
    ///
    /// # Errors
    /// As [`Self::see_theirs`].
    pub fn see_ours(&self, dump: &Dump, verdict: String) -> Result<Session, Fault> {
        let seen = Seen { maker: "packed by spillscope".into(), verdict, core: Vec::new(), peak: 0 };
        Session::of_scene(&self.scene(dump, true), seen, false)
    }

    fn scene(&self, dump: &Dump, ours: bool) -> Scene {
        let mut levels = Vec::new();
        let mut tenants = Vec::new();
        for at in shown(dump, &self.allocations) {
            let (allocation, packed) = (&dump.allocations[at], &self.allocations[at]);
            let name = format!("{} {}", allocation.role.word(), allocation.number);
            let level = levels.len();
            levels.push((Name::from(name.as_str()), allocation.size.max(packed.packed)));
            for (index, value) in allocation.values.iter().enumerate() {
                let Some((lower, upper)) = packed.lives[index] else { continue };
                let offset = if ours { packed.offsets[index] } else { Some(value.offset) };
                let name = Name::new(format!("{} {}", value.name.raw(), short(value.shape.raw())));
                tenants.push(Tenant { name, level, lower, upper, size: value.size, offset });
            }
        }
        Scene {
            name: dump.name.clone(),
            machine: "XLA".into(),
            levels,
            tenants,
            times: Times::Program(dump.instructions.clone()),
            ignored_fields: dump.skipped_lines,
        }
    }
}

/// The allocations with lifetimes: temporaries first, then what else values take turns in, then the rest, each the
/// largest first.
fn shown(dump: &Dump, packed: &[PackedAllocation]) -> Vec<usize> {
    let mut shown: Vec<usize> = (0..packed.len()).filter(|&at| packed[at].packed > 0).collect();
    shown.sort_by_key(|&at| {
        let allocation = &dump.allocations[at];
        let turns = allocation.values.len() > 1;
        (allocation.role != Role::Temporary, !turns, allocation.role, std::cmp::Reverse(allocation.size), at)
    });
    shown
}

/// A shape without its layout: `f32[64,512]` of `f32[64,512]{1,0}`.
fn short(shape: &str) -> &str {
    shape.split('{').next().unwrap_or(shape)
}

#[cfg(test)]
mod tests;
