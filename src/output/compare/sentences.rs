//! What each idea was worth, in sentences for somebody who sees the table for the first time.

use super::scale::Scale;
use crate::compare::{Comparison, Kind, Measured, Setting};
use crate::output::numbers::counted;

/// Two to four sentences; none where the rows that they speak of have no plan.
pub(super) fn sentences(compared: &Comparison) -> Vec<String> {
    match compared.kind() {
        Kind::Pools => pools(compared),
        Kind::Arenas => arenas(compared),
    }
}

fn pools(compared: &Comparison) -> Vec<String> {
    let of = |name: &str| compared.measured(name);
    let mut sentences = Vec::new();
    if let (Some(before), Some(now)) = (of("naive"), of("refcount")) {
        sentences.push(format!("Giving memory back once it is dead: {}.", against(before, now)));
    }
    if let (Some(before), Some(now)) = (of("refcount"), of("pool")) {
        let spared = counted(now.pool.hits, "request");
        sentences.push(format!("Keeping freed blocks for the next {spared} that fit: {}.", against(before, now)));
    }
    if let (Some(before), Some(now), Some(window)) = (of("pool"), of("pool+window"), chosen(compared, Setting::Window))
    {
        let at_once = counted(window, "operation");
        sentences.push(format!("A window of {at_once} on top of the pool: {}.", against(before, now)));
    }
    if let (Some(before), Some(now)) = (of("pool"), of("pool+critical-path")) {
        let whole = of("refcount")
            .map_or_else(String::new, |base| format!(" All together against refcount: {}.", against(base, now)));
        let cap = chosen(compared, Setting::PoolBytes)
            .map_or_else(String::new, |cap| format!(" under a cap of {}", Scale::bytes(cap).words(cap)));
        sentences.push(format!("Critical operations first{cap}: {}.{whole}", against(before, now)));
    }
    if let (Some(before), Some(now)) = (of("pool+critical-path"), of("pool+search")) {
        let whole =
            of("refcount").map_or_else(String::new, |base| format!(" Against refcount: {}.", against(base, now)));
        sentences.push(format!("A search over what is urgent, under the same cap: {}.{whole}", against(before, now)));
    }
    sentences
}

/// The value that a sweep of that setting chose.
fn chosen(compared: &Comparison, setting: Setting) -> Option<u64> {
    let mut sweeps = compared.rows.iter().filter_map(|row| row.tuning.as_ref());
    let sweep = sweeps.find(|sweep| sweep.setting == setting)?;
    Some(sweep.points.get(sweep.knee?)?.value)
}

/// The change of peak and time: `the peak is 63% lower, the time 2% longer`.
fn against(before: &Measured, now: &Measured) -> String {
    if before.pool.peak_held == now.pool.peak_held && before.figures.makespan == now.figures.makespan {
        return "peak and time are the same".into();
    }
    let peak = change(before.pool.peak_held, now.pool.peak_held, ["lower", "higher"]);
    let time = change(before.figures.makespan, now.figures.makespan, ["shorter", "longer"]);
    format!("the peak is {peak}, the time {time}")
}

fn arenas(compared: &Comparison) -> Vec<String> {
    let planned =
        || compared.rows.iter().filter_map(|row| row.outcome.measured().map(|measured| (&row.strategy.name, measured)));
    let (Some((by_traffic, least)), Some((by_time, fastest)), Some(base)) = (
        planned().min_by_key(|(_, measured)| (measured.figures.extra_traffic, measured.figures.makespan)),
        planned().min_by_key(|(_, measured)| (measured.figures.makespan, measured.figures.extra_traffic)),
        compared.baseline(),
    ) else {
        return Vec::new();
    };
    let name = compared.kind().baseline();
    let against = |now: &Measured| {
        let traffic = change(base.figures.extra_traffic, now.figures.extra_traffic, ["lower", "higher"]);
        let time = change(base.figures.makespan, now.figures.makespan, ["shorter", "longer"]);
        format!("against {name} the traffic is {traffic}, the time {time}")
    };
    let mut sentences = Vec::new();
    if by_traffic == name && by_time == name {
        sentences.push(format!("None of the others moves less or ends sooner than {name}."));
    } else if by_traffic == by_time {
        sentences.push(format!("{by_traffic} moves least and ends first: {}.", against(least)));
    } else {
        sentences.push(format!("{by_traffic} moves least: {}.", against(least)));
        sentences.push(format!("{by_time} ends first: {}.", against(fastest)));
    }
    let failed = compared.rows.len() - planned().count();
    if failed > 0 {
        let rows = counted(failed as u64, "row");
        sentences.push(format!("{rows} without a plan: there the policy may not do what it would take."));
    }
    sentences
}

/// How `now` differs from `before`, in whole per cent: `63% lower`, `the same`; beyond twice as much `3.1 times as much`.
fn change(before: u64, now: u64, [less, more]: [&str; 2]) -> String {
    if before == now {
        return "the same".into();
    }
    if before == 0 {
        return format!("{more} than nothing");
    }
    let (before, now) = (before as f64, now as f64);
    let percent = ((now - before) / before * 100.0).abs();
    let word = if now < before { less } else { more };
    match percent {
        percent if percent < 0.5 => format!("less than 1% {word}"),
        _ if now >= 3.0 * before => format!("{:.1} times as much", now / before),
        // All of it is only gone where nothing is left.
        percent if word == less && now > 0.0 => format!("{:.0}% {word}", percent.min(99.0)),
        percent => format!("{percent:.0}% {word}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_told_in_whole_per_cent() {
        let told = |before, now| change(before, now, ["lower", "higher"]);
        assert_eq!(told(1000, 370), "63% lower");
        assert_eq!(told(1000, 1120), "12% higher");
        assert_eq!(told(1000, 1000), "the same");
        assert_eq!(told(1000, 999), "less than 1% lower");
        assert_eq!(told(1000, 1), "99% lower", "not all of it");
        assert_eq!(told(1000, 0), "100% lower");
        assert_eq!(told(1000, 3100), "3.1 times as much");
        assert_eq!(told(0, 5), "higher than nothing");
        assert_eq!(told(0, 0), "the same");
    }
}
