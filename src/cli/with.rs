//! Planning flags that are the value of another flag: of `--with` and `--against`.

use clap::Parser;
use clap::error::ErrorKind;

use super::planning::Flags;
use crate::error::Error;
use crate::model::clean;

/// Planning flags alone.
#[derive(Parser, Clone)]
#[command(name = "flags", no_binary_name = true, disable_help_flag = true)]
struct Row {
    #[command(flatten)]
    planning: Flags,
}

/// `base` with those flags in place of its own that `text`, the value of `option`, names.
pub(super) fn updated(base: &Flags, option: &str, text: &str) -> Result<Flags, Error> {
    let shown = clean(text);
    let words =
        words(text).ok_or_else(|| Error::input(format!("{option} \"{shown}\": a quote is never closed"), ""))?;
    let mut row = Row { planning: base.clone() };
    row.try_update_from(words).map_err(|error| {
        let told = error.to_string();
        let told = told.lines().next().unwrap_or_default().trim_start_matches("error: ");
        let advice = match error.kind() {
            ErrorKind::UnknownArgument => "`spillscope plan --help` lists the planning flags",
            _ => "",
        };
        Error::input(format!("{option} \"{shown}\": {}", clean(told)), advice)
    })?;
    Ok(row.planning)
}

/// `text` cut at blanks, as a shell does it: what stands in quotes of either kind is kept together. `None` where a quote
/// is never closed.
fn words(text: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote: Option<char> = None;
    for c in text.chars() {
        match quote {
            Some(open) if c == open => quote = None,
            None if c == '\'' || c == '"' => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            None if c.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    quote.is_none().then_some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_cut_as_a_shell_cuts_them() {
        let cut = |text: &str| words(text).map(|words| words.join("|"));
        assert_eq!(cut("  --order  memory-aware ").as_deref(), Some("--order|memory-aware"));
        assert_eq!(cut("--profile 'my file.json'").as_deref(), Some("--profile|my file.json"));
        assert_eq!(cut("a\"b 'c\"d ''").as_deref(), Some("ab 'cd|"));
        assert_eq!(cut("").as_deref(), Some(""));
        assert_eq!(cut("--order 'x"), None);
    }
}
