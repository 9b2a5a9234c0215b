//! Amounts of memory as people type them.

use crate::model::MAX_NUMBER;

/// A number of bytes, with or without a unit: `900000000`, `900MiB`, `2 GiB`.
///
/// # Errors
/// Anything but whole bytes from 1 to 2^63-1; what to type.
pub fn parse_bytes(text: &str) -> Result<u64, String> {
    let units = [("KiB", 10), ("MiB", 20), ("GiB", 30), ("", 0)];
    let parsed = units.iter().find_map(|(unit, shift)| Some((text.strip_suffix(unit)?.trim_end(), *shift)));
    let number = parsed.and_then(|(digits, shift)| digits.parse::<u64>().ok()?.checked_mul(1 << shift));
    number
        .filter(|number| (1..=MAX_NUMBER).contains(number))
        .ok_or_else(|| "use whole bytes from 1 to 2^63-1, as in 900000000, 900MiB or 2GiB".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_may_have_a_unit() {
        for (text, expected) in [
            ("1", Some(1)),
            ("7KiB", Some(7 << 10)),
            ("900 MiB", Some(900 << 20)),
            ("2GiB", Some(2 << 30)),
            ("9223372036854775807", Some(MAX_NUMBER)),
            ("0", None),
            ("0GiB", None),
            ("-1", None),
            ("1.5GiB", None),
            ("1GB", None),
            ("GiB", None),
            ("", None),
            ("9223372036854775808", None),
            ("99999999999GiB", None),
        ] {
            assert_eq!(parse_bytes(text).ok(), expected, "{text}");
        }
    }
}
