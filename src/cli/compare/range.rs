//! The range of `--sweep`.

use crate::compare::{Kind, MOST_VALUES, Range, Setting, USUAL_VALUES, evenly, stepped};
use crate::error::Error;
use crate::input::parse_bytes;
use crate::model::{LevelIx, Problem, clean};

/// `SETTING=A..B`, `SETTING=A..B/N` or `SETTING=A..B..STEP`, for a setting that `problem` has.
pub(super) fn parse(text: &str, problem: &Problem) -> Result<Range, Error> {
    let wrong = |what: String| Error::input(format!("--sweep {}: {what}", clean(text)), "as in window=1..16");
    let (name, values) = text.split_once('=').ok_or_else(|| wrong("expected SETTING=A..B".into()))?;
    let setting = setting(name.trim(), problem)?;
    let values = self::values(values.trim()).map_err(wrong)?;
    if setting == Setting::Window && values.last().is_some_and(|&last| u32::try_from(last).is_err()) {
        return Err(wrong("a window is at most 4294967295".into()));
    }
    Ok(Range { setting, values })
}

fn setting(name: &str, problem: &Problem) -> Result<Setting, Error> {
    if let Some(name) = name.strip_prefix("capacity.") {
        let levels = &problem.machine.levels;
        if let Some(at) = levels.iter().position(|level| level.name.raw() == name) {
            return Ok(Setting::Capacity(LevelIx::new(at)));
        }
        let known: Vec<String> = levels.iter().map(|level| level.name.to_string()).collect();
        let what = format!("--sweep names level {}, which the machine does not have", clean(name));
        return Err(Error::input(what, format!("its levels are {}", known.join(", "))));
    }
    match name {
        "window" => Ok(Setting::Window),
        "max-pool-bytes" if Kind::of(problem) == Kind::Pools => Ok(Setting::PoolBytes),
        "max-pool-bytes" => {
            let what = "--sweep max-pool-bytes is for pools, and no buffer of this graph lives in one";
            Err(Error::input(what, "sweep a capacity, as in capacity.L1=2048..8192"))
        }
        _ => {
            let what = format!("--sweep does not know the setting '{}'", clean(name));
            Err(Error::input(what, "use window, max-pool-bytes or capacity.LEVEL"))
        }
    }
}

fn values(text: &str) -> Result<Vec<u64>, String> {
    let (first, rest) = text.split_once("..").ok_or("expected a range A..B")?;
    let first = parse_bytes(first.trim())?;
    let ordered = |last: u64| {
        if first <= last { Ok(last) } else { Err(format!("the range runs backwards, from {first} to {last}")) }
    };
    if let Some((last, step)) = rest.split_once("..") {
        let (last, step) = (ordered(parse_bytes(last.trim())?)?, parse_bytes(step.trim())?);
        let count = (last - first) / step + 1;
        if count > MOST_VALUES as u64 {
            return Err(format!("steps of {step} make {count} values, and {MOST_VALUES} are the most"));
        }
        return Ok(stepped(first, last, step));
    }
    let (last, count) = match rest.split_once('/') {
        None => (rest, USUAL_VALUES),
        Some((last, count)) => {
            let count = count.trim().parse().ok().filter(|count| (2..=MOST_VALUES).contains(count));
            (last, count.ok_or_else(|| format!("behind / stands how many values, from 2 to {MOST_VALUES}"))?)
        }
    };
    Ok(evenly(first, ordered(parse_bytes(last.trim())?)?, count))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_include_both_ends() {
        for (text, expected) in [
            ("1..4", vec![1, 2, 3, 4]),
            (" 2 .. 4 ", vec![2, 3, 4]),
            ("7..7", vec![7]),
            ("10..20/3", vec![10, 15, 20]),
            ("1..9..4", vec![1, 5, 9]),
            ("1..8..4", vec![1, 5]),
            ("1KiB..3KiB..1KiB", vec![1024, 2048, 3072]),
        ] {
            assert_eq!(values(text), Ok(expected), "{text}");
        }
        assert_eq!(values("1..1600").unwrap().len(), USUAL_VALUES);
    }

    #[test]
    fn what_is_no_range_is_refused_with_what_would_be() {
        for (text, told) in [
            ("", "A..B"),
            ("5", "A..B"),
            ("0..5", "from 1 to 2^63-1"),
            ("-1..5", "from 1 to 2^63-1"),
            ("1..", "from 1 to 2^63-1"),
            ("1..9223372036854775808", "from 1 to 2^63-1"),
            ("5..4", "backwards, from 5 to 4"),
            ("1..9/1", "from 2 to 1000"),
            ("1..9/1001", "from 2 to 1000"),
            ("1..9/x", "from 2 to 1000"),
            ("1..9..0", "from 1 to 2^63-1"),
            ("1..9223372036854775807..1", "1000 are the most"),
        ] {
            let error = values(text).unwrap_err();
            assert!(error.contains(told), "{text}: {error}");
        }
    }
}
