//! How long kinds of operation take: running means that `run` keeps and that stand in where a graph leaves a duration
//! out (seed 000, section 5.3).

use std::collections::BTreeMap;

use serde::Serialize;

use super::json;
use super::json_object::Object;
use super::source::Source;
use crate::error::Error;
use crate::model::MAX_NUMBER;

const WANTED: &str = "a profile: an object with `version` and `op_types`, and optionally `smoothing`";

/// The version of the file that is read and written.
const VERSION: u64 = 1;

/// The weight of the newest run where nothing else is said.
pub const DEFAULT_SMOOTHING: f64 = 0.2;

/// Mean durations by kind of operation.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Profile {
    version: u64,
    /// The weight of the newest run in the mean, above 0 and at most 1.
    pub smoothing: f64,
    op_types: BTreeMap<String, Mean>,
}

/// The running mean of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Mean {
    /// Microseconds.
    pub mean_us: f64,
    /// How many runs went into it.
    pub runs: u64,
}

impl Default for Profile {
    fn default() -> Self {
        Self { version: VERSION, smoothing: DEFAULT_SMOOTHING, op_types: BTreeMap::new() }
    }
}

impl Profile {
    /// The mean of that kind, where it has run.
    pub fn mean(&self, op_type: &str) -> Option<Mean> {
        self.op_types.get(op_type).copied()
    }

    /// The mean of that kind in whole microseconds, rounded up; held at 2^63 − 1.
    pub fn micros(&self, op_type: &str) -> Option<u64> {
        // A cast from a float saturates.
        #[expect(clippy::cast_sign_loss, reason = "means are 0 or more")]
        self.mean(op_type).map(|mean| (mean.mean_us.ceil() as u64).min(MAX_NUMBER))
    }

    /// How many kinds it knows.
    pub fn len(&self) -> usize {
        self.op_types.len()
    }

    /// Whether it knows none.
    pub fn is_empty(&self) -> bool {
        self.op_types.is_empty()
    }

    /// Takes in that an operation of that kind took so many microseconds. The first run of a kind is its mean; each
    /// later one moves the mean by `smoothing` of the way towards it.
    pub fn observe(&mut self, op_type: &str, micros: f64, smoothing: f64) {
        let micros = if micros.is_finite() { micros.max(0.0) } else { return };
        let mean = self.op_types.entry(op_type.to_owned()).or_default();
        let weight = if mean.runs == 0 { 1.0 } else { smoothing.clamp(0.0, 1.0) };
        mean.mean_us += weight * (micros - mean.mean_us);
        mean.runs = mean.runs.saturating_add(1);
    }

    /// The profile as a file; [`read_profile`] reads it back.
    pub fn to_json(&self) -> String {
        // Texts and finite numbers: there is nothing in it that JSON could refuse.
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }
}

/// Reads a profile. Unknown fields are left out.
///
/// # Errors
/// Where the text is not JSON, or a field is missing or is not what it must be, with the place.
pub fn read_profile(source: &Source) -> Result<Profile, Error> {
    json::check_object(source, WANTED)?;
    let top = Object::new(source, "the profile", json::Value::root(&source.text))?;
    if top.whole("version", 0, MAX_NUMBER, None)? != VERSION {
        return Err(top.bad("version", &VERSION.to_string()));
    }
    let smoothing = top.real("smoothing", Some(DEFAULT_SMOOTHING))?;
    if !(smoothing > 0.0 && smoothing <= 1.0) {
        return Err(top.bad("smoothing", "a number above 0, at most 1"));
    }
    let kinds = top.get("op_types").ok_or_else(|| top.missing("op_types", "an object with a mean for each kind"))?;
    let kinds = Object::new(source, "`op_types`", kinds)?;
    let mean = |(kind, value): &(String, json::Value)| Ok((kind.clone(), read_mean(source, kind, *value)?));
    Ok(Profile { version: VERSION, smoothing, op_types: kinds.members.iter().map(mean).collect::<Result<_, Error>>()? })
}

fn read_mean(source: &Source, kind: &str, value: json::Value) -> Result<Mean, Error> {
    let mean = Object::new(source, format!("the mean of '{}'", super::source::quoted(kind)), value)?;
    let mean_us = mean.real("mean_us", None)?;
    if !(0.0..=MAX_NUMBER as f64).contains(&mean_us) {
        return Err(mean.bad("mean_us", "microseconds, a number from 0 to 2^63"));
    }
    Ok(Mean { mean_us, runs: mean.whole("runs", 1, MAX_NUMBER, Some(1))? })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Profile, Error> {
        read_profile(&Source::from_text("p.json", text.replace('\'', "\"")))
    }

    #[test]
    fn the_first_run_is_the_mean_and_later_ones_move_it() {
        let mut profile = Profile::default();
        profile.observe("conv", 1000.0, 0.25);
        assert_eq!(profile.mean("conv"), Some(Mean { mean_us: 1000.0, runs: 1 }));
        profile.observe("conv", 2000.0, 0.25);
        assert_eq!(profile.mean("conv"), Some(Mean { mean_us: 1250.0, runs: 2 }));
        profile.observe("conv", f64::NAN, 0.25);
        assert_eq!(profile.mean("conv").map(|mean| mean.runs), Some(2), "what is no duration is left out");
        assert_eq!(profile.micros("relu"), None);
    }

    #[test]
    fn a_mean_settles_at_what_is_observed() {
        let mut profile = Profile::default();
        profile.observe("conv", 9000.0, 0.2);
        (0..60).for_each(|_| profile.observe("conv", 500.5, 0.2));
        assert_eq!(profile.micros("conv"), Some(501), "rounded up");
    }

    #[test]
    fn what_is_written_reads_back() {
        let mut profile = Profile { smoothing: 0.1, ..Profile::default() };
        profile.observe("co\"nv\n权", 0.1 + 0.2, 0.1);
        profile.observe("", 1e15, 0.1);
        assert_eq!(read_profile(&Source::from_text("p.json", profile.to_json())).unwrap(), profile);
    }

    #[test]
    fn faults_are_in_plain_words() {
        for (text, words) in [
            ("", "the file is empty"),
            ("[]", "an object at the top, found []"),
            ("{'op_types': {}}", "the profile: `version` is missing"),
            ("{'version': 2, 'op_types': {}}", "`version` must be 1, found 2"),
            ("{'version': 1}", "`op_types` is missing"),
            ("{'version': 1, 'op_types': []}", "`op_types` must be an object, found []"),
            (
                "{'version': 1, 'smoothing': 0, 'op_types': {}}",
                "`smoothing` must be a number above 0, at most 1, found 0",
            ),
            ("{'version': 1, 'smoothing': 1.5, 'op_types': {}}", "found 1.5"),
            ("{'version': 1, 'op_types': {'a': 3}}", "the mean of 'a' must be an object, found 3"),
            ("{'version': 1, 'op_types': {'a': {}}}", "the mean of 'a': `mean_us` is missing"),
            ("{'version': 1, 'op_types': {'a': {'mean_us': -1}}}", "a number from 0 to 2^63, found -1"),
            ("{'version': 1, 'op_types': {'a': {'mean_us': 1, 'runs': 0}}}", "`runs` must be a whole number from 1"),
            ("{'version': 1, 'op_types': {'a': {'mean_us': 1}, 'a': {'mean_us': 1}}}", "`a` stands twice"),
        ] {
            let error = read(text).expect_err(text);
            assert!(error.what.contains(words), "{text}: {}", error.what);
        }
    }
}
