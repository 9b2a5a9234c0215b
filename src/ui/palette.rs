//! The colours of each theme. The hues are Okabe and Ito's, which the colour-blind tell apart; each theme has them as
//! bright or as dark as its ground needs.

use ratatui::style::Color;

use crate::app::Theme;

/// Colours of one theme.
pub(super) struct Palette {
    pub text: Color,
    pub ground: Color,
    pub dim: Color,
    pub accent: Color,
    pub spill: Color,
    pub reload: Color,
    pub postpone: Color,
    pub wait: Color,
    /// Ink and ground.
    pub failure: (Color, Color),
    /// Grounds of buffers, without the hue that spills have, and the ink that reads on each.
    pub buffers: [(Color, Color); 6],
}

const fn rgb(hex: u32) -> Color {
    Color::Rgb((hex >> 16) as u8, (hex >> 8 & 0xff) as u8, (hex & 0xff) as u8)
}

const BLACK: Color = rgb(0);
const WHITE: Color = rgb(0x00ff_ffff);

/// Okabe and Ito's own colours: orange, sky blue, bluish green, yellow, blue, reddish purple.
const BUFFERS: [(Color, Color); 6] = [
    (rgb(0x00e6_9f00), BLACK),
    (rgb(0x0056_b4e9), BLACK),
    (rgb(0x0000_9e73), BLACK),
    (rgb(0x00f0_e442), BLACK),
    (rgb(0x0000_72b2), WHITE),
    (rgb(0x00cc_79a7), BLACK),
];

const DARK: Palette = Palette {
    text: rgb(0x00dd_dddd),
    ground: rgb(0x0011_1111),
    dim: rgb(0x0088_8f98),
    accent: rgb(0x0056_b4e9),
    spill: rgb(0x00e8_7022),
    reload: rgb(0x0000_b483),
    postpone: rgb(0x00f0_e442),
    wait: rgb(0x00cc_79a7),
    failure: (WHITE, rgb(0x00b0_0020)),
    buffers: BUFFERS,
};

/// The same hues, dark enough for white.
const LIGHT: Palette = Palette {
    text: rgb(0x0022_2222),
    ground: WHITE,
    dim: rgb(0x0066_6b72),
    accent: rgb(0x0000_5a9c),
    spill: rgb(0x00a8_4700),
    reload: rgb(0x0000_6b4e),
    postpone: rgb(0x0071_6200),
    wait: rgb(0x008f_3f6f),
    failure: (WHITE, rgb(0x00b0_0020)),
    buffers: BUFFERS,
};

/// Bright on black; greens, blues and purples further from their ink than Okabe and Ito's.
const HIGH_CONTRAST: Palette = Palette {
    text: WHITE,
    ground: BLACK,
    dim: rgb(0x00b8_bec6),
    accent: rgb(0x006c_c5ff),
    spill: rgb(0x00ff_9a52),
    reload: rgb(0x002f_d8a6),
    postpone: rgb(0x00f0_e442),
    wait: rgb(0x00f2_a7d2),
    failure: (WHITE, rgb(0x009a_0018)),
    buffers: [
        (rgb(0x00e6_9f00), BLACK),
        (rgb(0x0056_b4e9), BLACK),
        (rgb(0x001f_bf91), BLACK),
        (rgb(0x00f0_e442), BLACK),
        (rgb(0x0000_5a8e), WHITE),
        (rgb(0x00e3_9cc6), BLACK),
    ],
};

/// The terminal's own.
const TERMINAL: Palette = Palette {
    text: Color::Reset,
    ground: Color::Reset,
    dim: Color::Reset,
    accent: Color::Cyan,
    spill: Color::LightRed,
    reload: Color::Green,
    postpone: Color::Yellow,
    wait: Color::Magenta,
    failure: (Color::White, Color::Red),
    buffers: BUFFERS,
};

/// The palette of a theme.
pub(super) fn of(theme: Theme) -> &'static Palette {
    match theme {
        Theme::Terminal => &TERMINAL,
        Theme::Dark => &DARK,
        Theme::Light => &LIGHT,
        Theme::HighContrast => &HIGH_CONTRAST,
    }
}
