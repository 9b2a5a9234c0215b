//! The addresses of one level during an exact evaluation: who holds each stretch, and since when it is free.

/// Nobody holds the stretch.
pub(super) const FREE: u32 = u32::MAX;

/// Addresses `[start, end)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stretch {
    pub(super) start: u64,
    pub(super) end: u64,
    /// The cycle at which the last holder left.
    pub(super) since: u64,
    /// The buffer, or [`FREE`].
    pub(super) holder: u32,
}

/// All stretches of a level, ascending and without gaps. A buffer holds one of them.
#[derive(Clone, Debug)]
pub(super) struct Addresses {
    capacity: u64,
    pub(super) stretches: Vec<Stretch>,
}

/// Where a buffer may go.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Window {
    /// Its first address.
    pub(super) start: u64,
    /// The stretches that it touches: positions `[first, end)`.
    pub(super) first: usize,
    pub(super) end: usize,
    score: f64,
}

/// What taking a stretch costs: `worth` of whoever holds it (infinite where it may not leave), and the cycles that what
/// fills the buffer must wait for the addresses.
#[derive(Clone, Copy, Debug)]
pub(super) struct Price {
    pub(super) worth: f64,
    pub(super) late: u64,
}

/// How windows are compared, beside the worth of those who must leave.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Fit {
    /// What each cycle is worth that what fills the buffer waits for its addresses.
    pub time: f64,
    /// What each unit of a hole is worth that is left over beside the buffer.
    pub snug: f64,
    /// By how much more than the best the window may be worth that a layout names.
    pub trust: f64,
}

impl Addresses {
    pub(super) fn new(capacity: u64) -> Self {
        let mut addresses = Self { capacity, stretches: Vec::new() };
        addresses.clear();
        addresses
    }

    pub(super) fn clear(&mut self) {
        self.stretches.clear();
        if self.capacity > 0 {
            self.stretches.push(Stretch { start: 0, end: self.capacity, since: 0, holder: FREE });
        }
    }

    /// The best window for `size` units: of those that begin or end where a stretch does, the one with the lowest sum
    /// of worths and penalties; the lowest address on a tie. `None` where each touches a buffer that may not leave.
    /// `prices` are those of the stretches, one by one.
    pub(super) fn best(&self, size: u64, fit: Fit, prices: &[Price]) -> Option<Window> {
        let mut best: Option<Window> = None;
        for at in 0..self.stretches.len() {
            self.upward(at, size, fit, prices, &mut best);
            self.downward(at, size, fit, prices, &mut best);
        }
        best
    }

    /// The same, but the window from `wanted` on where that is worth at most `fit.trust` more.
    pub(super) fn best_near(&self, wanted: Option<u64>, size: u64, fit: Fit, prices: &[Price]) -> Option<Window> {
        let wanted = wanted.filter(|_| fit.trust > 0.0).and_then(|start| self.window(start, size, fit, prices));
        let best = if wanted.is_some() && fit.trust == f64::INFINITY { None } else { self.best(size, fit, prices) };
        match (wanted, best) {
            (Some(wanted), Some(best)) if wanted.score > best.score + fit.trust => Some(best),
            (wanted, best) => wanted.or(best),
        }
    }

    /// The window of `size` units from `start` on. `None` where it touches a buffer that may not leave.
    fn window(&self, start: u64, size: u64, fit: Fit, prices: &[Price]) -> Option<Window> {
        let stop = start.checked_add(size).filter(|&stop| stop <= self.capacity)?;
        let first = self.stretches.partition_point(|stretch| stretch.end <= start);
        let end = self.stretches.partition_point(|stretch| stretch.start < stop);
        let mut sum = Sum::default();
        prices[first..end].iter().for_each(|price| {
            sum.add(price, fit);
        });
        let score = sum.score(fit) + fit.snug * self.left_over(first, end, start, stop) as f64;
        (score < f64::INFINITY).then_some(Window { start, first, end, score })
    }

    /// The window that begins with stretch `first`.
    fn upward(&self, first: usize, size: u64, fit: Fit, prices: &[Price], best: &mut Option<Window>) {
        let start = self.stretches[first].start;
        let Some(stop) = start.checked_add(size).filter(|&stop| stop <= self.capacity) else { return };
        let limit = best.map_or(f64::INFINITY, |best| best.score);
        let mut sum = Sum::default();
        let mut end = first;
        while end < self.stretches.len() && self.stretches[end].start < stop {
            if sum.add(&prices[end], fit) >= limit {
                return;
            }
            end += 1;
        }
        self.offer(Window { start, first, end, score: sum.score(fit) }, size, fit, best);
    }

    /// The window that ends with stretch `last`.
    fn downward(&self, last: usize, size: u64, fit: Fit, prices: &[Price], best: &mut Option<Window>) {
        let Some(start) = self.stretches[last].end.checked_sub(size) else { return };
        if self.stretches[last].start == start {
            return; // looked at upward
        }
        let limit = best.map_or(f64::INFINITY, |best| best.score);
        let mut sum = Sum::default();
        let mut first = last + 1;
        while first > 0 && self.stretches[first - 1].end > start {
            first -= 1;
            if sum.add(&prices[first], fit) >= limit {
                return;
            }
        }
        self.offer(Window { start, first, end: last + 1, score: sum.score(fit) }, size, fit, best);
    }

    fn offer(&self, mut window: Window, size: u64, fit: Fit, best: &mut Option<Window>) {
        let stop = window.start + size;
        window.score += fit.snug * self.left_over(window.first, window.end, window.start, stop) as f64;
        if best.is_none_or(|best| window.score < best.score) && window.score < f64::INFINITY {
            *best = Some(window);
        }
    }

    /// Free units right beside `[start, stop)`, which touches the stretches `[first, end)`.
    fn left_over(&self, first: usize, end: usize, start: u64, stop: u64) -> u64 {
        let free = |stretch: &&Stretch| stretch.holder == FREE;
        let (lowest, highest) = (&self.stretches[first], &self.stretches[end - 1]);
        // Whoever holds the rest of an outer stretch leaves, so the rest is left over too.
        let low = self.stretches[..first].iter().rev().take_while(free).last().map_or(lowest.start, |at| at.start);
        let high = self.stretches[end..].iter().take_while(free).last().map_or(highest.end, |at| at.end);
        (start - low) + (high - stop)
    }

    /// Gives `[start, start + size)`, which is free, to `buf`. Returns the cycle from which all of it is free.
    pub(super) fn take(&mut self, start: u64, size: u64, buf: u32) -> u64 {
        let stop = start + size;
        let first = self.split(start);
        let end = self.split(stop);
        let since = self.stretches[first..end].iter().map(|stretch| stretch.since).max().unwrap_or(0);
        // A holder's stretch needs no history: what waits for its addresses waits for it.
        self.stretches[first] = Stretch { start, end: stop, since, holder: buf };
        self.stretches.drain(first + 1..end);
        since
    }

    /// Takes the addresses from `start` on back from their holder, who left at `cycle`.
    pub(super) fn give(&mut self, start: u64, cycle: u64) {
        let mut at = self.stretches.partition_point(|stretch| stretch.start < start);
        let since = self.stretches[at].since.max(cycle);
        (self.stretches[at].since, self.stretches[at].holder) = (since, FREE);
        let joins = |a: &Stretch, b: &Stretch| a.holder == FREE && b.holder == FREE && a.since == b.since;
        if self.stretches.get(at + 1).is_some_and(|next| joins(&self.stretches[at], next)) {
            self.stretches[at].end = self.stretches[at + 1].end;
            self.stretches.remove(at + 1);
        }
        if at > 0 && joins(&self.stretches[at - 1], &self.stretches[at]) {
            at -= 1;
            self.stretches[at].end = self.stretches[at + 1].end;
            self.stretches.remove(at + 1);
        }
    }

    /// Makes a stretch begin at `at` and returns its position; one past the last for the end of the level.
    fn split(&mut self, at: u64) -> usize {
        let place = self.stretches.partition_point(|stretch| stretch.start < at);
        if place > 0 && self.stretches[place - 1].end > at {
            let mut upper = self.stretches[place - 1];
            upper.start = at;
            self.stretches[place - 1].end = at;
            self.stretches.insert(place, upper);
        }
        place
    }
}

/// The price of a window in the making.
#[derive(Default)]
struct Sum {
    worth: f64,
    late: u64,
}

impl Sum {
    /// Adds a stretch and returns the score so far.
    fn add(&mut self, price: &Price, fit: Fit) -> f64 {
        self.worth += price.worth;
        self.late = self.late.max(price.late);
        self.score(fit)
    }

    fn score(&self, fit: Fit) -> f64 {
        self.worth + fit.time * self.late as f64
    }
}
