//! The flags that choose the parts of a policy.

use std::str::FromStr;

use clap::ValueEnum;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use crate::error::Error;
use crate::model::{Fallback, Fit, Options, Problem, VictimRule};
use crate::output::labels;

/// How room is made, who leaves, where a buffer goes, and what moves to earlier steps.
#[derive(clap::Args, Clone, Debug, Default, PartialEq)]
#[group(id = "policy-flags")]
pub struct PolicyFlags {
    /// What to try, in this order, where no hole is large enough [default: spill,spill-many,postpone]
    #[arg(long, value_name = "STEP,…", value_delimiter = ',', value_enum)]
    on_full: Option<Vec<FallbackFlag>>,
    /// How often one buffer's ALLOC may be postponed [default: 5]
    #[arg(long, value_name = "N")]
    postpone_limit: Option<u32>,
    /// Which buffer is best to spill [default: life-size]
    #[arg(long, value_name = "RULE", value_parser = rules())]
    victims: Option<VictimRule>,
    /// Where a buffer goes among the holes that hold it [default: best]
    #[arg(long, value_name = "FIT", value_parser = fits())]
    fit: Option<Fit>,
    /// Let every FREE come right after the last use of its buffer
    #[arg(long)]
    hoist: bool,
    /// Let buffers that are out come back up to so many operations before their turn, as far as the plan is faster so
    /// and spills and moves no more [default: 0]
    #[arg(long, value_name = "N")]
    prefetch: Option<u32>,
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum FallbackFlag {
    /// One victim whose leaving opens a large enough hole
    Spill,
    /// Victims in order until a hole is large enough
    SpillMany,
    /// Move the ALLOC behind a FREE that makes room
    Postpone,
}

impl PolicyFlags {
    /// A flag of these, if one is given.
    pub fn first_given(&self) -> Option<&'static str> {
        let flags = [
            ("--on-full", self.on_full.is_some()),
            ("--postpone-limit", self.postpone_limit.is_some()),
            ("--victims", self.victims.is_some()),
            ("--fit", self.fit.is_some()),
            ("--hoist", self.hoist),
            ("--prefetch", self.prefetch.is_some()),
        ];
        flags.into_iter().find(|(_, given)| *given).map(|(flag, _)| flag)
    }

    /// Puts into `options` what the flags say.
    ///
    /// # Errors
    /// Where a flag has no meaning for `problem`.
    pub fn apply(&self, options: &mut Options, problem: &Problem) -> Result<(), Error> {
        if self.hoist && problem.is_clocked() {
            return Err(Error::input(
                "--hoist is for machines whose levels are arenas and that have no window",
                "leave it out: here no step starts before the one that stands before it",
            ));
        }
        if let Some(chain) = &self.on_full {
            options.on_full = chain.iter().map(|step| step.fallback()).collect();
        }
        options.postpone_limit = self.postpone_limit.unwrap_or(options.postpone_limit);
        options.victims = self.victims.unwrap_or(options.victims);
        options.fit = self.fit.unwrap_or(options.fit);
        options.hoist = self.hoist;
        options.prefetch = self.prefetch.unwrap_or(options.prefetch);
        Ok(())
    }
}

impl FallbackFlag {
    fn fallback(self) -> Fallback {
        match self {
            Self::Spill => Fallback::Spill,
            Self::SpillMany => Fallback::SpillMany,
            Self::Postpone => Fallback::Postpone,
        }
    }
}

fn rules() -> impl TypedValueParser<Value = VictimRule> {
    values(VictimRule::ALL.map(|rule| PossibleValue::new(rule.name()).help(labels::victim_rule(rule))).into())
}

fn fits() -> impl TypedValueParser<Value = Fit> {
    values(Fit::ALL.map(|fit| PossibleValue::new(fit.name()).help(labels::fit(fit))).into())
}

/// One of the names, which the model reads.
fn values<T>(names: Vec<PossibleValue>) -> impl TypedValueParser<Value = T>
where
    T: FromStr<Err = String> + Clone + Send + Sync + 'static,
{
    PossibleValuesParser::new(names).try_map(|name| name.parse::<T>())
}
