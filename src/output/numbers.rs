//! Numbers for people. Amounts are grouped (`20 417`); ids, steps and addresses never are, so that they can be
//! searched for as they stand in the files.

/// `20417` as `20 417`. The separator is a plain space, so that the text is the same on every terminal.
pub fn grouped(amount: u64) -> String {
    let digits = amount.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

/// `part` of `whole` in whole per cent. Rounded down, and never to nothing: `100%` means full and `0%` means
/// empty.
pub fn percent(part: u64, whole: u64) -> String {
    if whole == 0 {
        return "-".into();
    }
    match u128::from(part) * 100 / u128::from(whole) {
        0 if part > 0 => "<1%".into(),
        share => format!("{share}%"),
    }
}

/// How far `value` lies above a lower `bound`: `proven optimal`, `within 23%` (rounded up), `3.1 times it`.
pub fn above_bound(value: u64, bound: u64) -> String {
    if value <= bound {
        return "proven optimal".into();
    }
    if bound == 0 {
        return format!("{} above", grouped(value));
    }
    if value / bound >= 2 {
        return format!("{:.1} times it", value as f64 / bound as f64);
    }
    let share = (u128::from(value - bound) * 100).div_ceil(u128::from(bound));
    format!("within {share}%")
}

/// `1 step`, `2 steps`: for words that take an s.
pub fn counted(amount: u64, word: &str) -> String {
    format!("{} {word}{}", grouped(amount), if amount == 1 { "" } else { "s" })
}

/// `1st`, `2nd`, `11th`, `23rd`.
pub fn ordinal(count: u64) -> String {
    let ending = match (count % 10, count % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    format!("{}{ending}", grouped(count))
}

/// `once`, `twice`, `3 times`.
pub fn times(count: u64) -> String {
    match count {
        1 => "once".into(),
        2 => "twice".into(),
        _ => format!("{} times", grouped(count)),
    }
}

/// Cycles `[start, end)` as `20 417–20 929`.
pub fn cycles(start: u64, end: u64) -> String {
    format!("{}–{}", grouped(start), grouped(end))
}

/// A duration: `850 µs`, `12.3 ms`, `4.56 s`.
pub fn seconds(seconds: f64) -> String {
    match seconds {
        s if s < 0.001 => format!("{:.0} µs", s * 1e6),
        s if s < 1.0 => format!("{:.1} ms", s * 1e3),
        s => format!("{s:.2} s"),
    }
}

/// Bytes in at most seven columns: `640 B`, `4.1 kB`, `25.2 MB`, `537 MB`, `1.6 GB`. The prefixes are those of the SI: a
/// kB is 1000 bytes.
pub fn bytes(amount: u64) -> String {
    const UNITS: [&str; 6] = ["kB", "MB", "GB", "TB", "PB", "EB"];
    if amount < 1000 {
        return format!("{amount} B");
    }
    let mut value = amount as f64 / 1000.0;
    let mut unit = 0;
    // What would be rounded to four digits is told in the next unit.
    while value >= 999.5 && unit + 1 < UNITS.len() {
        (value, unit) = (value / 1000.0, unit + 1);
    }
    if value < 99.95 { format!("{value:.1} {}", UNITS[unit]) } else { format!("{value:.0} {}", UNITS[unit]) }
}

/// Microseconds in at most seven columns: `850 µs`, `1.23 ms`, `12.3 ms`, `214 ms`, `4.56 s`.
pub fn micros(amount: u64) -> String {
    match amount {
        0..1_000 => format!("{amount} µs"),
        1_000..9_995 => format!("{:.2} ms", amount as f64 / 1e3),
        9_995..99_950 => format!("{:.1} ms", amount as f64 / 1e3),
        99_950..999_500 => format!("{:.0} ms", amount as f64 / 1e3),
        999_500..99_995_000 => format!("{:.2} s", amount as f64 / 1e6),
        _ => format!("{} s", grouped(amount / 1_000_000)),
    }
}

/// `b1`, `b1 and b2`, `b1, b2 and b3`; beyond `limit` entries the rest is counted: `b1, b2 and 7 more`.
pub fn listed(entries: impl ExactSizeIterator<Item = String>, limit: usize) -> String {
    let total = entries.len();
    let shown = if total > limit { limit.max(1) } else { total };
    let mut parts: Vec<String> = entries.take(shown).collect();
    if shown < total {
        parts.push(format!("{} more", grouped((total - shown) as u64)));
    }
    match parts.pop() {
        Some(last) if parts.is_empty() => last,
        Some(last) => format!("{} and {last}", parts.join(", ")),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinals_end_as_they_are_spoken() {
        let said = [1, 2, 3, 4, 11, 12, 13, 21, 102, 111, 1003].map(ordinal);
        assert_eq!(said, ["1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "102nd", "111th", "1 003rd"]);
    }

    #[test]
    fn digits_are_grouped_by_three_from_the_right() {
        for (amount, text) in [(0, "0"), (999, "999"), (1000, "1 000"), (20_417, "20 417"), (1_234_567, "1 234 567")] {
            assert_eq!(grouped(amount), text);
        }
        assert_eq!(grouped(u64::MAX), "18 446 744 073 709 551 615");
    }

    #[test]
    fn a_share_is_full_or_empty_only_when_it_is() {
        for (part, whole, text) in [(0, 9, "0%"), (1, 1000, "<1%"), (999, 1000, "99%"), (9, 9, "100%"), (3, 0, "-")] {
            assert_eq!(percent(part, whole), text);
        }
        assert_eq!(percent(u64::MAX, u64::MAX), "100%");
    }

    #[test]
    fn distance_to_a_bound_is_rounded_up_and_zero_bounds_do_not_divide() {
        assert_eq!(above_bound(100, 100), "proven optimal");
        assert_eq!(above_bound(1001, 1000), "within 1%");
        assert_eq!(above_bound(3100, 1000), "3.1 times it");
        assert_eq!(above_bound(5, 0), "5 above");
    }

    #[test]
    fn bytes_fit_seven_columns_and_keep_their_unit_by_the_larger() {
        let amounts = [0, 640, 999, 1000, 4096, 25_165_824, 512 << 20, 1_717_986_918, 16 << 30];
        let texts = ["0 B", "640 B", "999 B", "1.0 kB", "4.1 kB", "25.2 MB", "537 MB", "1.7 GB", "17.2 GB"];
        assert_eq!(amounts.map(bytes), texts);
        assert_eq!([99_949, 99_950, 999_499, 999_500].map(bytes), ["99.9 kB", "100 kB", "999 kB", "1.0 MB"]);
        assert_eq!(bytes(u64::MAX), "18.4 EB");
        assert!((0..64).flat_map(|bit| [(1u64 << bit) - 1, 1 << bit]).all(|amount| bytes(amount).len() <= 7));
    }

    #[test]
    fn microseconds_keep_three_digits() {
        let amounts = [0, 850, 999, 1000, 1234, 9994, 9995, 12_345, 99_949, 99_950, 214_000, 999_499, 999_500];
        let texts = [
            "0 µs", "850 µs", "999 µs", "1.00 ms", "1.23 ms", "9.99 ms", "10.0 ms", "12.3 ms", "99.9 ms", "100 ms",
            "214 ms", "999 ms", "1.00 s",
        ];
        assert_eq!(amounts.map(micros), texts);
        assert_eq!([4_560_000, 99_994_999, 100_000_000].map(micros), ["4.56 s", "99.99 s", "100 s"]);
    }

    #[test]
    fn lists_name_what_they_leave_out() {
        let list = |count: usize| listed((0..count).map(|n| format!("b{}", n + 1)), 3);
        let texts: Vec<String> = (0..=5).map(list).collect();
        assert_eq!(texts, ["", "b1", "b1 and b2", "b1, b2 and b3", "b1, b2, b3 and 1 more", "b1, b2, b3 and 2 more"]);
    }

    #[test]
    fn words_agree_with_their_number() {
        assert_eq!((counted(1, "step"), counted(1200, "step")), ("1 step".into(), "1 200 steps".into()));
        assert_eq!([1, 2, 3].map(times), ["once", "twice", "3 times"]);
        assert_eq!([0.000_85, 0.0123, 4.56].map(seconds), ["850 µs", "12.3 ms", "4.56 s"]);
        assert_eq!(cycles(20_417, 20_929), "20 417–20 929");
    }
}
