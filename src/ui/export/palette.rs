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
    fg: hex(0xd8_de_e9),
    bg: hex(0x14_17_1c),
    named: [
        hex(0x2e_34_40),
        hex(0xe0_6c_75),
        hex(0x8f_bf_6f),
        hex(0xd9_b2_5f),
        hex(0x6a_a9_f4),
        hex(0xc9_8b_db),
        hex(0x56_b6_c2),
        hex(0xb8_c0_cc),
        hex(0x7d_87_96),
        hex(0xff_8a_8a),
        hex(0xb0_e0_8a),
        hex(0xff_d9_7a),
        hex(0x9c_c8_ff),
        hex(0xe6_b3_f5),
        hex(0x8b_e0_ea),
        hex(0xff_ff_ff),
    ],
};

/// A light one, to the same contrast.
pub(super) const LIGHT: Palette = Palette {
    fg: hex(0x1f_23_28),
    bg: hex(0xff_ff_ff),
    named: [
        hex(0x1f_23_28),
        hex(0xb3_1d_28),
        hex(0x1a_74_32),
        hex(0x8a_5a_00),
        hex(0x08_58_c4),
        hex(0x8a_3a_b9),
        hex(0x0b_6e_80),
        hex(0x57_60_6a),
        hex(0x6a_73_7d),
        hex(0xd1_24_2f),
        hex(0x1a_7f_37),
        hex(0x9a_67_00),
        hex(0x09_69_da),
        hex(0xa0_40_cf),
        hex(0x1b_7c_83),
        hex(0xff_ff_ff),
    ],
};

const fn hex(value: u32) -> Rgb {
    [(value >> 16) as u8, (value >> 8) as u8, value as u8]
}

impl Palette {
    /// The background of the whole picture.
    pub(super) fn background(&self) -> Rgb {
        self.bg
    }

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
