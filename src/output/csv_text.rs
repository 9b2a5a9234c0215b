//! Text from outside as a field of a CSV file that somebody may open in a spreadsheet.

use std::borrow::Cow;

use crate::model::clean;

/// `text`, cleaned for terminals. Where it begins with `=`, `+`, `-` or `@`, which a spreadsheet takes for a formula, or
/// with a quote `'`, it gets one more quote in front: such a field is text to a spreadsheet, and whoever takes the first
/// quote away from each that begins with one has the names back. (Tab and carriage return, which OWASP's list of dangerous
/// beginnings has too, are gone by the cleaning.)
pub(super) fn text_field(text: &str) -> Cow<'_, str> {
    let text = clean(text);
    if text.starts_with(['=', '+', '-', '@', '\'']) { format!("'{text}").into() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_field_is_a_formula_and_each_can_be_told_back() {
        for name in ["=1+2", "+a", "-1", "@x", "'quoted", "plain", "", "a=b"] {
            let field = text_field(name);
            assert!(!field.starts_with(['=', '+', '-', '@']), "{field}");
            assert_eq!(field.strip_prefix('\'').unwrap_or(&field), name);
        }
        assert_eq!(text_field("\t=1\r"), "\u{fffd}=1\u{fffd}");
    }
}
