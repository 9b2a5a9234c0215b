//! How many colours the terminal says it has.

use crate::app::ColorDepth;

/// Terminals that show 24-bit colour and name themselves in TERM, which unlike COLORTERM survives SSH.
const TRUE_COLOR_TERMS: [&str; 6] = ["alacritty", "foot", "ghostty", "kitty", "wezterm", "-direct"];

/// The depth by the environment, which `lookup` reads: NO_COLOR (<https://no-color.org>: any value but the empty one),
/// then COLORTERM, then TERM.
pub fn detect_color(lookup: impl Fn(&str) -> Option<String>) -> ColorDepth {
    let get = |name| lookup(name).unwrap_or_default();
    if !get("NO_COLOR").is_empty() {
        return ColorDepth::None;
    }
    let term = get("TERM");
    // GNU screen passes its outer terminal's COLORTERM on but shows no 24-bit colour; tmux, also TERM=screen, does.
    let gnu_screen = term.starts_with("screen") && get("TERM_PROGRAM") != "tmux";
    let colorterm = get("COLORTERM").to_lowercase();
    let says_true = ["truecolor", "24bit"].contains(&colorterm.as_str());
    if !gnu_screen && (says_true || TRUE_COLOR_TERMS.iter().any(|name| term.contains(name))) {
        ColorDepth::True
    } else if term.contains("256color") || (gnu_screen && says_true) {
        ColorDepth::Ansi256
    } else {
        ColorDepth::Ansi16
    }
}

/// The same by this process's environment.
pub fn detect_color_of_process() -> ColorDepth {
    detect_color(|name| std::env::var_os(name).map(|value| value.to_string_lossy().into_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn detect(variables: &[(&str, &str)]) -> ColorDepth {
        detect_color(|name| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned()))
    }

    #[test]
    fn no_color_wins_unless_empty() {
        assert_eq!(detect(&[("NO_COLOR", "1"), ("COLORTERM", "truecolor")]), ColorDepth::None);
        assert_eq!(detect(&[("NO_COLOR", "0")]), ColorDepth::None);
        assert_eq!(detect(&[("NO_COLOR", ""), ("COLORTERM", "truecolor")]), ColorDepth::True);
    }

    #[test]
    fn depth_by_colorterm_then_by_term() {
        let cases = [
            (ColorDepth::True, [("COLORTERM", "24bit"), ("TERM", "xterm")]),
            (ColorDepth::True, [("COLORTERM", ""), ("TERM", "xterm-kitty")]),
            (ColorDepth::True, [("COLORTERM", ""), ("TERM", "xterm-direct")]),
            (ColorDepth::Ansi256, [("COLORTERM", "yes"), ("TERM", "tmux-256color")]),
            (ColorDepth::Ansi16, [("COLORTERM", ""), ("TERM", "linux")]),
            (ColorDepth::Ansi16, [("COLORTERM", ""), ("TERM", "dumb")]),
        ];
        for (depth, variables) in cases {
            assert_eq!(detect(&variables), depth, "{variables:?}");
        }
        assert_eq!(detect(&[]), ColorDepth::Ansi16);
    }

    #[test]
    fn gnu_screen_does_not_show_what_its_outer_terminal_says() {
        let outer = [("COLORTERM", "truecolor"), ("TERM", "screen")];
        assert_eq!(detect(&outer), ColorDepth::Ansi256);
        assert_eq!(detect(&[outer[0], outer[1], ("TERM_PROGRAM", "tmux")]), ColorDepth::True);
    }
}
