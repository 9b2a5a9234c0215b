//! Decimal milliseconds, exactly: 0.1 ms are 100 µs, which a binary fraction does not say.

use crate::model::MAX_NUMBER;

/// Digits of a number below 2^63.
const MOST_DIGITS: i64 = 19;

/// Whole microseconds of `millis`, a JSON number, rounded up. `None` where it is none, is negative, or has 2^63
/// microseconds or more.
pub(super) fn micros(millis: &str) -> Option<u64> {
    let (mantissa, exponent) = millis.split_once(['e', 'E']).unwrap_or((millis, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !is_digits(whole) || !is_digits(fraction) {
        return None;
    }
    let digits = [whole, fraction].concat();
    let leading_zeros = digits.bytes().take_while(|&byte| byte == b'0').count();
    let digits = &digits[leading_zeros..];
    if digits.is_empty() {
        return Some(0);
    }
    // How many of the digits stand before the point, in microseconds.
    let signed = |length: usize| i64::try_from(length).ok();
    let point = exponent_of(exponent)?.checked_add(signed(whole.len())? - signed(leading_zeros)? + 3)?;
    if point > MOST_DIGITS {
        return None;
    }
    let point = usize::try_from(point).unwrap_or(0);
    let (kept, rest) = digits.split_at(point.min(digits.len()));
    let scale = 10u64.checked_pow(u32::try_from(point - kept.len()).ok()?)?;
    let kept: u64 = if kept.is_empty() { 0 } else { kept.parse().ok()? };
    let more = u64::from(rest.bytes().any(|byte| byte != b'0'));
    kept.checked_mul(scale)?.checked_add(more).filter(|&micros| micros <= MAX_NUMBER)
}

/// An exponent; one of more digits than matter is held at ten million million, so that sums with it cannot overflow.
fn exponent_of(text: &str) -> Option<i64> {
    const LARGEST: i64 = 10_000_000_000_000;
    let (sign, digits) = match text.as_bytes().first()? {
        b'-' => (-1, &text[1..]),
        b'+' => (1, &text[1..]),
        _ => (1, text),
    };
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    Some(sign * digits.parse().unwrap_or(LARGEST).min(LARGEST))
}

#[cfg(test)]
mod tests {
    use super::micros;

    #[test]
    fn decimals_are_exact_and_round_up() {
        for (millis, expected) in [
            ("0", 0),
            ("0.000", 0),
            ("0e999999999999999999999", 0),
            ("1", 1000),
            ("0.1", 100),
            ("0.3", 300),
            ("2.675", 2675),
            ("1.0005", 1001),
            ("1.00000000000000000000000000000000001", 1001),
            ("0.0000001", 1),
            ("1e-999999999999999999999", 1),
            ("1e3", 1_000_000),
            ("1.5E+2", 150_000),
            ("0.00015e4", 1500),
            ("123e-2", 1230),
            ("9223372036854775.807", 9_223_372_036_854_775_807),
            ("9007199254740.993", 9_007_199_254_740_993),
        ] {
            assert_eq!(micros(millis), Some(expected), "{millis}");
        }
    }

    #[test]
    fn what_is_negative_too_large_or_no_number_is_refused() {
        for millis in [
            "-1",
            "-0",
            "9223372036854775.808",
            "9223372036854775.8070001",
            "1e30",
            "1e99999999999999999999",
            "\"1\"",
            "true",
            "[]",
            "",
            ".5",
            "1e",
            "1e+",
            "1 ",
        ] {
            assert_eq!(micros(millis), None, "{millis}");
        }
    }
}
