//! What the pictures of a plan have in common: colours, scales, and the few elements that they are made of. Light ground,
//! so that they can be printed.

use std::io::{self, Write};

use super::numbers::grouped;
use crate::model::BufIx;

/// Grounds of buffers, and the ink that reads on each: Okabe and Ito's, as on the screen.
pub(super) const BUFFERS: [(&str, &str); 6] = [
    ("#e69f00", "#000000"),
    ("#56b4e9", "#000000"),
    ("#009e73", "#000000"),
    ("#f0e442", "#000000"),
    ("#0072b2", "#ffffff"),
    ("#cc79a7", "#000000"),
];

/// Inks on the white ground, each 4.5:1 or more: text, context, and what happened.
pub(super) const TEXT: &str = "#222222";
pub(super) const DIM: &str = "#666b72";
pub(super) const SPILL: &str = "#a84700";
pub(super) const RELOAD: &str = "#006b4e";
pub(super) const FAILURE: &str = "#b00020";

/// Pixels of the whole picture from left to right, and what is left free beside the plot.
pub(super) const WIDTH: f64 = 1280.0;
pub(super) const LEFT: f64 = 88.0;
pub(super) const RIGHT: f64 = 24.0;
/// Pixels of the plot.
pub(super) const PLOT: f64 = WIDTH - LEFT - RIGHT;

/// What runs from left to right.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Axis {
    /// Steps of the plan.
    #[default]
    Steps,
    /// Cycles.
    Cycles,
}

impl Axis {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Steps => "steps",
            Self::Cycles => "cycles",
        }
    }
}

/// The colours of a buffer, the same as on the screen: neighbouring indices, which live together, differ.
pub(super) fn colors(buf: BufIx) -> (&'static str, &'static str) {
    BUFFERS[(buf.at() + buf.at() / BUFFERS.len() * 2) % BUFFERS.len()]
}

/// Numbers `[0, end)` as pixels from `from` on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    pub from: f64,
    pub pixels: f64,
    pub end: u64,
}

impl Scale {
    pub fn at(self, number: u64) -> f64 {
        self.from + self.pixels * (number.min(self.end) as f64 / self.end.max(1) as f64)
    }

    /// Round numbers to write beside it, at most some ten.
    pub fn ticks(self) -> impl Iterator<Item = u64> {
        let mut step = 1u64;
        for factor in [2, 5, 10].into_iter().cycle() {
            if self.end / step <= 10 {
                break;
            }
            // 1, 2, 5, 10, 20, …: from 2 to 5 it is not a whole factor.
            let power = 10u64.pow(step.ilog10());
            step = if factor == 10 { power.saturating_mul(10) } else { power * factor };
        }
        (0..=self.end / step).map(move |tick| tick * step)
    }
}

/// A picture that is being written.
pub(super) struct Picture<'o> {
    out: &'o mut dyn Write,
}

impl<'o> Picture<'o> {
    /// Begins one of that height; `description` is what a reader of screens hears.
    pub fn open(out: &'o mut dyn Write, height: f64, title: &str, description: &str) -> io::Result<Self> {
        writeln!(
            out,
            r#"<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}" font-family="ui-monospace, Menlo, Consolas, monospace" font-size="12">"#
        )?;
        writeln!(out, "<title>{}</title>\n<desc>{}</desc>", escape(title), escape(description))?;
        writeln!(out, r##"<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>"##)?;
        Ok(Self { out })
    }

    pub fn close(self) -> io::Result<()> {
        writeln!(self.out, "</svg>")
    }

    /// Text whose `anchor` (start, middle, end) stands at (x, y).
    pub fn text(&mut self, (x, y): (f64, f64), anchor: &str, ink: &str, text: &str) -> io::Result<()> {
        writeln!(self.out, r#"<text x="{x:.1}" y="{y:.1}" text-anchor="{anchor}" fill="{ink}">{}</text>"#, escape(text))
    }

    /// A rectangle with its corner at (x, y); `more` are further attributes, `title` is shown where the pointer rests.
    pub fn rect(&mut self, (x, y): (f64, f64), (w, h): (f64, f64), more: &str, title: &str) -> io::Result<()> {
        write!(self.out, r#"<rect x="{x:.2}" y="{y:.2}" width="{w:.2}" height="{h:.2}" {more}"#)?;
        if title.is_empty() {
            writeln!(self.out, "/>")
        } else {
            writeln!(self.out, "><title>{}</title></rect>", escape(title))
        }
    }

    /// A straight line.
    pub fn line(&mut self, (x1, y1): (f64, f64), (x2, y2): (f64, f64), more: &str) -> io::Result<()> {
        writeln!(self.out, r#"<line x1="{x1:.2}" y1="{y1:.2}" x2="{x2:.2}" y2="{y2:.2}" {more}/>"#)
    }

    /// The area below points that go from left to right, down to `ground`.
    pub fn area(&mut self, points: &[(f64, f64)], ground: f64, more: &str) -> io::Result<()> {
        let (Some(first), Some(last)) = (points.first(), points.last()) else { return Ok(()) };
        write!(self.out, r#"<path d="M{:.2} {ground:.2}"#, first.0)?;
        points.iter().try_for_each(|(x, y)| write!(self.out, "L{x:.2} {y:.2}"))?;
        writeln!(self.out, r#"L{:.2} {ground:.2}Z" {more}/>"#, last.0)
    }

    /// Ticks and numbers below the plot, and what they count.
    pub fn time_axis(&mut self, scale: Scale, y: f64, axis: Axis) -> io::Result<()> {
        let ink = format!(r#"stroke="{DIM}""#);
        self.line((LEFT, y), (LEFT + PLOT, y), &ink)?;
        for tick in scale.ticks() {
            let x = scale.at(tick);
            self.line((x, y), (x, y + 4.0), &ink)?;
            self.text((x, y + 17.0), "middle", DIM, &grouped(tick))?;
        }
        self.text((LEFT - 8.0, y + 17.0), "end", DIM, axis.name())
    }

    /// A stroke for each column of the plot in which something happened, with how often as its title.
    pub fn marks(&mut self, counts: &[u32], y: f64, ink: &str, word: &str) -> io::Result<()> {
        let width = PLOT / counts.len().max(1) as f64;
        for (column, &count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
            let title = super::numbers::counted(u64::from(count), word);
            let x = LEFT + width * column as f64;
            self.rect((x, y), (width.max(1.0), 6.0), &format!(r#"fill="{ink}""#), &title)?;
        }
        Ok(())
    }
}

/// Text for XML content and attributes. Control characters have no place in XML 1.0 at all.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            control if control.is_control() => out.push('\u{fffd}'),
            plain => out.push(plain),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_few() {
        for end in [0, 1, 9, 10, 11, 99, 233, 4096, 1_000_000, u64::MAX / 2] {
            let ticks: Vec<u64> = Scale { from: 0.0, pixels: 100.0, end }.ticks().collect();
            assert!((1..=11).contains(&ticks.len()), "{end}: {ticks:?}");
            assert!(ticks.len() > 3 || end < 10, "{end}: {ticks:?}");
            let digits =
                ticks.get(1).map_or_else(String::new, |step| step.to_string().trim_end_matches('0').to_owned());
            assert!(["", "1", "2", "5"].contains(&digits.as_str()), "{end}: {ticks:?}");
        }
    }

    #[test]
    fn a_scale_goes_from_its_start_to_its_end() {
        let scale = Scale { from: 10.0, pixels: 100.0, end: 50 };
        for (number, pixels) in [(0, 10.0), (25, 60.0), (50, 110.0), (99, 110.0)] {
            assert!((scale.at(number) - pixels).abs() < 1e-9, "{number}");
        }
        assert!(Scale { end: 0, ..scale }.at(7).is_finite());
    }
}
