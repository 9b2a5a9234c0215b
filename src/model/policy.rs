//! The parts of a policy that can be chosen: who leaves a full level, and where a buffer goes.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::ids::{BufIx, SpillIx};
use super::name::clean;

/// A victim that somebody else than the rule picks, for one decision: what would have come of it is then a plan like
/// any other. [`VictimRule::CheapestRun`] weighs neighbours together and heeds no pick.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PickedVictim {
    /// The decision: the one that makes this spill. Those before it are made by the rule.
    pub spill: SpillIx,
    /// Who goes first, if it may leave and, where one victim is to do, opens a large enough hole.
    pub victim: BufIx,
}

/// Which resident buffer is best to spill. Ties go to the lowest id.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum VictimRule {
    /// Steps to its FREE × size, largest first (seed 002): the classic one.
    #[default]
    #[serde(rename = "life-size")]
    LifeTimesSize,
    /// Steps to its next use, farthest first (Belady 1966; optimal for equal sizes and costs).
    #[serde(rename = "farthest")]
    FarthestNextUse,
    /// Steps to its next use × size ÷ what moving it costs, largest first.
    DistanceSizeCost,
    /// Neighbours whose leaving opens the hole: those for which the sum of cost ÷ steps to the next use is smallest.
    CheapestRun,
    /// Size, largest first.
    Largest,
    /// Size, smallest first.
    Smallest,
    /// Steps since its last use, longest first.
    #[serde(rename = "lru")]
    LeastRecentlyUsed,
}

impl VictimRule {
    /// All rules, the classic one first.
    pub const ALL: [Self; 7] = [
        Self::LifeTimesSize,
        Self::FarthestNextUse,
        Self::DistanceSizeCost,
        Self::CheapestRun,
        Self::Largest,
        Self::Smallest,
        Self::LeastRecentlyUsed,
    ];

    /// The name in flags and files.
    pub fn name(self) -> &'static str {
        match self {
            Self::LifeTimesSize => "life-size",
            Self::FarthestNextUse => "farthest",
            Self::DistanceSizeCost => "distance-size-cost",
            Self::CheapestRun => "cheapest-run",
            Self::Largest => "largest",
            Self::Smallest => "smallest",
            Self::LeastRecentlyUsed => "lru",
        }
    }

    /// Whether it looks at the next uses of buffers.
    pub fn looks_ahead(self) -> bool {
        matches!(self, Self::FarthestNextUse | Self::DistanceSizeCost | Self::CheapestRun)
    }
}

/// Where a buffer goes among the holes of an arena that hold it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fit {
    /// To the start of the smallest hole; ties go to the lowest address (seed 002): the classic one.
    #[default]
    Best,
    /// To the start of the hole with the lowest address.
    First,
    /// To the start of the first hole from where the last placement in the level ended, then from address 0 on.
    Next,
    /// To the stretch of a hole that keeps its first user waiting least for whoever held it before; then as `best`.
    Window,
}

impl Fit {
    /// All fits, the classic one first.
    pub const ALL: [Self; 4] = [Self::Best, Self::First, Self::Next, Self::Window];

    /// The name in flags and files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Best => "best",
            Self::First => "first",
            Self::Next => "next",
            Self::Window => "window",
        }
    }
}

impl fmt::Display for VictimRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl fmt::Display for Fit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for VictimRule {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        named("victim rule", &Self::ALL, Self::name, text)
    }
}

impl FromStr for Fit {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        named("fit", &Self::ALL, Self::name, text)
    }
}

/// The one of `all` whose name is `text`.
fn named<T: Copy>(what: &str, all: &[T], name: impl Fn(T) -> &'static str, text: &str) -> Result<T, String> {
    all.iter().copied().find(|&one| name(one) == text).ok_or_else(|| {
        let names: Vec<&str> = all.iter().map(|&one| name(one)).collect();
        format!("unknown {what} '{}': use one of {}", clean(text), names.join(", "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for rule in VictimRule::ALL {
            assert_eq!(rule.to_string().parse(), Ok(rule));
            assert_eq!(serde_json::to_value(rule).unwrap(), rule.name());
        }
        for fit in Fit::ALL {
            assert_eq!(fit.to_string().parse(), Ok(fit));
            assert_eq!(serde_json::to_value(fit).unwrap(), fit.name());
        }
        let error = "best\u{1b}".parse::<Fit>().unwrap_err();
        assert!(error.ends_with("use one of best, first, next, window") && !error.contains('\u{1b}'), "{error}");
    }
}
