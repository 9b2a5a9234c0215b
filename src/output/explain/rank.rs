//! The ranking of possible victims: what each rule looks at, as columns and in words.

use super::RankRow;
use crate::model::VictimRule;
use crate::output::numbers::{counted, grouped};

/// A column of the ranking.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    /// What stands before it.
    pub before: &'static str,
    /// Its title.
    pub title: &'static str,
    /// A row's entry.
    pub cell: fn(&RankRow) -> String,
}

const SIZE: Column = Column { before: "  ", title: "size", cell: |row| grouped(row.size) };
const SCORE: Column = Column { before: "  ", title: "score", cell: |row| score_number(row.rule, row.score) };

/// The columns by which `rule` compares, behind the name of the buffer.
pub fn columns(rule: VictimRule) -> Vec<Column> {
    let steps = |title| Column { before: "  ", title, cell: |row: &RankRow| grouped(u64::from(row.steps)) };
    let moved = Column { before: "  ", title: "moves", cell: |row| grouped(row.cost) };
    match rule {
        VictimRule::LifeTimesSize => vec![steps("life"), Column { before: " × ", ..SIZE }, SCORE],
        VictimRule::FarthestNextUse => vec![steps("needed in"), SIZE],
        VictimRule::DistanceSizeCost => {
            vec![steps("needed in"), Column { before: " × ", ..SIZE }, Column { before: " ÷ ", ..moved }, SCORE]
        }
        VictimRule::CheapestRun => vec![moved, Column { before: " ÷ ", ..steps("needed in") }, SCORE],
        VictimRule::Largest | VictimRule::Smallest => vec![SIZE],
        VictimRule::LeastRecentlyUsed => vec![steps("unused for"), SIZE],
    }
}

/// What the columns of `rule` mean, in brackets; empty where the titles say it all.
pub fn columns_note(rule: VictimRule) -> &'static str {
    match rule {
        VictimRule::LifeTimesSize => "(life: steps to its FREE)",
        VictimRule::FarthestNextUse => "(steps; the farthest first)",
        VictimRule::DistanceSizeCost => "(steps × units ÷ units moved)",
        VictimRule::CheapestRun => "(units moved ÷ steps)",
        VictimRule::Largest => "(the largest first)",
        VictimRule::Smallest => "(the smallest first)",
        VictimRule::LeastRecentlyUsed => "(steps since its last use)",
    }
}

/// How a row's score comes about: `307 steps to its FREE × 256 units = 78 592`.
pub(super) fn score_text(row: &RankRow) -> String {
    let steps = counted(u64::from(row.steps), "step");
    let size = counted(row.size, "unit");
    let score = score_number(row.rule, row.score);
    match row.rule {
        VictimRule::LifeTimesSize => format!("{steps} to its FREE × {size} = {score}"),
        VictimRule::FarthestNextUse => match row.next_use {
            Some(place) => format!("next use at {}, in {steps}", grouped(u64::from(place))),
            None => format!("not needed before the end, in {steps}"),
        },
        VictimRule::DistanceSizeCost => {
            format!("{steps} to its next use × {size} ÷ {} to move = {score}", grouped(row.cost))
        }
        VictimRule::CheapestRun => format!("{} to move ÷ {steps} to its next use = {score}", grouped(row.cost)),
        VictimRule::Largest | VictimRule::Smallest => size,
        VictimRule::LeastRecentlyUsed => format!("unused for {steps}"),
    }
}

/// A score as the rule counts it: quotients come in thousandths.
fn score_number(rule: VictimRule, score: u64) -> String {
    let whole = grouped(score / 1000);
    match rule {
        VictimRule::DistanceSizeCost => format!("{whole}.{}", score % 1000 / 100),
        VictimRule::CheapestRun => format!("{whole}.{:03}", score % 1000),
        _ => grouped(score),
    }
}
