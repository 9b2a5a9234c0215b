//! The colours of a picture, where there is no terminal to choose them.

use ratatui::style::{Color, Modifier};

use super::cells::Look;
use crate::ui::rgb::{self, Rgb};

/// Default colours and the sixteen.
pub(super) struct Palette {
    fg: Rgb,
    bg: Rgb,
    named: [Rgb; 16],
}

/// A dark terminal. Every text colour stands 4.5:1 or more against the background.
pub(super) const DARK: Palette = Palette {
    fg: hex(0x00d8_dee9),
    bg: hex(0x0014_171c),
    named: [
        hex(0x002e_3440),
        hex(0x00e0_6c75),
        hex(0x008f_bf6f),
        hex(0x00d9_b25f),
        hex(0x006a_a9f4),
        hex(0x00c9_8bdb),
        hex(0x0056_b6c2),
        hex(0x00b8_c0cc),
        hex(0x007d_8796),
        hex(0x00ff_8a8a),
        hex(0x00b0_e08a),
        hex(0x00ff_d97a),
        hex(0x009c_c8ff),
        hex(0x00e6_b3f5),
        hex(0x008b_e0ea),
        hex(0x00ff_ffff),
    ],
};

/// A light one, to the same contrast.
pub(super) const LIGHT: Palette = Palette {
    fg: hex(0x001f_2328),
    bg: hex(0x00ff_ffff),
    named: [
        hex(0x001f_2328),
        hex(0x00b3_1d28),
        hex(0x001a_7432),
        hex(0x008a_5a00),
        hex(0x0008_58c4),
        hex(0x008a_3ab9),
        hex(0x000b_6e80),
        hex(0x0057_606a),
        hex(0x006a_737d),
        hex(0x00d1_242f),
        hex(0x001a_7f37),
        hex(0x009a_6700),
        hex(0x0009_69da),
        hex(0x00a0_40cf),
        hex(0x001b_7c83),
        hex(0x00ff_ffff),
    ],
};

const fn hex(value: u32) -> Rgb {
    [(value >> 16) as u8, (value >> 8) as u8, value as u8]
}

impl Palette {
    /// Foreground and background as they show, with reversed and dim worked in.
    pub(super) fn resolve(&self, look: Look) -> (Rgb, Rgb) {
        let (mut fg, mut bg) = (self.rgb(look.fg, self.fg), self.rgb(look.bg, self.bg));
        if look.modifier.contains(Modifier::REVERSED) {
            std::mem::swap(&mut fg, &mut bg);
        }
        if look.modifier.contains(Modifier::DIM) {
            fg = blend(fg, bg);
        }
        (fg, bg)
    }

    fn rgb(&self, color: Color, default: Rgb) -> Rgb {
        match color {
            Color::Reset => default,
            Color::Rgb(r, g, b) => [r, g, b],
            Color::Indexed(index) => self.named.get(usize::from(index)).copied().unwrap_or_else(|| rgb::indexed(index)),
            named => {
                let number = rgb::NAMED.iter().position(|&known| known == named);
                number.map_or(default, |number| self.named[number])
            }
        }
    }
}

/// Two parts of `fg` and one of `bg`.
fn blend(fg: Rgb, bg: Rgb) -> Rgb {
    std::array::from_fn(|i| ((u16::from(fg[i]) * 2 + u16::from(bg[i])) / 3) as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Relative luminance (WCAG 2.1).
    fn luminance(rgb: Rgb) -> f64 {
        let [r, g, b] = rgb.map(|channel| {
            let c = f64::from(channel) / 255.0;
            if c <= 0.040_45 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
        });
        0.2126 * r + 0.7152 * g + 0.0722 * b
    }

    fn contrast(a: Rgb, b: Rgb) -> f64 {
        let (a, b) = (luminance(a) + 0.05, luminance(b) + 0.05);
        a.max(b) / a.min(b)
    }

    #[test]
    fn text_can_be_read_in_both_palettes() {
        for palette in [DARK, LIGHT] {
            // Black and white are backgrounds in one of them, as in every terminal.
            for rgb in &palette.named[1..15] {
                assert!(contrast(*rgb, palette.bg) >= 4.5, "{rgb:?} on {:?}", palette.bg);
            }
            assert!(contrast(palette.fg, palette.bg) >= 7.0);
            let dim = Look { modifier: Modifier::DIM, ..Look::default() };
            let (fg, bg) = palette.resolve(dim);
            assert!(contrast(fg, bg) >= 4.5, "dim {fg:?}");
        }
    }

    #[test]
    fn reversed_swaps_before_dim_fades() {
        let look = Look { modifier: Modifier::REVERSED | Modifier::DIM, ..Look::default() };
        let (fg, bg) = DARK.resolve(look);
        assert_eq!(bg, DARK.fg);
        assert_eq!(fg, blend(DARK.bg, DARK.fg));
    }
}
