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
