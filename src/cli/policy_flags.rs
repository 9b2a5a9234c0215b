//! The flags that choose the parts of a policy.

use std::str::FromStr;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use crate::error::Error;
use crate::model::{Fit, Options, Problem, VictimRule};
use crate::output::labels;

/// Who leaves, where a buffer goes, and what moves to earlier steps.
#[derive(clap::Args, Clone, Debug, Default)]
#[group(id = "policy-flags")]
pub struct PolicyFlags {
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

impl PolicyFlags {
    /// A flag of these, if one is given.
    pub fn first_given(&self) -> Option<&'static str> {
        let flags = [("--victims", self.victims.is_some()), ("--fit", self.fit.is_some()), ("--hoist", self.hoist)];
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
        options.victims = self.victims.unwrap_or(options.victims);
        options.fit = self.fit.unwrap_or(options.fit);
        options.hoist = self.hoist;
        options.prefetch = self.prefetch.unwrap_or(options.prefetch);
        Ok(())
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
