//! Terminal colours as red, green and blue, and the nearest of a smaller palette.

use ratatui::style::Color;

/// Red, green, blue.
pub(super) type Rgb = [u8; 3];

/// The sixteen in the order of their numbers.
pub(super) const NAMED: [Color; 16] = [
    Color::Black,
    Color::Red,
    Color::Green,
    Color::Yellow,
    Color::Blue,
    Color::Magenta,
    Color::Cyan,
    Color::Gray,
    Color::DarkGray,
    Color::LightRed,
    Color::LightGreen,
    Color::LightYellow,
    Color::LightBlue,
    Color::LightMagenta,
    Color::LightCyan,
    Color::White,
];

/// The six values of a channel in the 256-colour cube (xterm).
const CUBE: [u8; 6] = [0, 95, 135, 175, 215, 255];

/// What each of the sixteen stands for when a richer colour looks for its nearest: the VGA values, and the
/// Okabe–Ito palette by name. By distance alone its green would turn cyan and its purple grey.
const ANCHORS: [(Rgb, Color); 23] = [
    ([0, 0, 0], Color::Black),
    ([170, 0, 0], Color::Red),
    ([0, 170, 0], Color::Green),
    ([170, 85, 0], Color::Yellow),
    ([0, 0, 170], Color::Blue),
    ([170, 0, 170], Color::Magenta),
    ([0, 170, 170], Color::Cyan),
    ([170, 170, 170], Color::Gray),
    ([85, 85, 85], Color::DarkGray),
    ([255, 85, 85], Color::LightRed),
    ([85, 255, 85], Color::LightGreen),
    ([255, 255, 85], Color::LightYellow),
    ([85, 85, 255], Color::LightBlue),
    ([255, 85, 255], Color::LightMagenta),
    ([85, 255, 255], Color::LightCyan),
    ([255, 255, 255], Color::White),
    ([230, 159, 0], Color::Yellow),
    ([86, 180, 233], Color::Cyan),
    ([0, 158, 115], Color::Green),
    ([240, 228, 66], Color::LightYellow),
    ([0, 114, 178], Color::Blue),
    ([213, 94, 0], Color::Red),
    ([204, 121, 167], Color::Magenta),
];

/// A colour of the 256 palette from 16 on: the cube, then the ramp of greys.
pub(super) fn indexed(index: u8) -> Rgb {
    match index {
        232.. => [8 + 10 * (index - 232); 3],
        16.. => {
            let n = usize::from(index - 16);
            [CUBE[n / 36], CUBE[n / 6 % 6], CUBE[n % 6]]
        }
        // The sixteen are the terminal's own; these are the usual ones.
        _ => ANCHORS[usize::from(index)].0,
    }
}

/// The nearest of the 240 fixed colours of the 256 palette.
pub(super) fn to_256(rgb: Rgb) -> Color {
    let step = |channel: u8| (0..6).min_by_key(|&i: &u8| CUBE[usize::from(i)].abs_diff(channel)).unwrap_or(0);
    let cube = 16 + 36 * step(rgb[0]) + 6 * step(rgb[1]) + step(rgb[2]);
    let mean = rgb.iter().map(|&channel| u16::from(channel)).sum::<u16>() / 3;
    let grey = 232 + (mean.saturating_sub(3) / 10).min(23) as u8;
    Color::Indexed(if distance(rgb, indexed(grey)) < distance(rgb, indexed(cube)) { grey } else { cube })
}

/// The nearest of the sixteen.
pub(super) fn to_16(rgb: Rgb) -> Color {
    ANCHORS.iter().min_by_key(|(anchor, _)| distance(rgb, *anchor)).map_or(Color::Reset, |(_, color)| *color)
}

/// The square of the distance, by which nearness is judged.
fn distance(a: Rgb, b: Rgb) -> u32 {
    a.iter().zip(b).map(|(&x, y)| u32::from(x.abs_diff(y)).pow(2)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fixed_colours_of_the_256_are_their_own_nearest() {
        for index in 16..=255 {
            let Color::Indexed(nearest) = to_256(indexed(index)) else { panic!("not of the 256") };
            assert_eq!(indexed(nearest), indexed(index), "{index}");
        }
    }

    #[test]
    fn every_colour_is_near_in_the_256() {
        // No channel's value is further than half the widest gap of the cube (95 / 2) from a step.
        for rgb in [[0, 0, 0], [255, 255, 255], [47, 48, 200], [120, 121, 119], [1, 254, 128]] {
            let Color::Indexed(index) = to_256(rgb) else { panic!("not of the 256") };
            assert!(distance(rgb, indexed(index)) <= 3 * 48 * 48, "{rgb:?} → {index}");
        }
    }

    #[test]
    fn the_okabe_ito_palette_stays_apart_in_sixteen() {
        let palette = &ANCHORS[16..];
        let mapped: Vec<Color> = palette.iter().map(|(rgb, _)| to_16(*rgb)).collect();
        for (i, color) in mapped.iter().enumerate() {
            assert!(!mapped[..i].contains(color), "{color:?} twice");
            assert!(!matches!(color, Color::Black | Color::Gray | Color::DarkGray | Color::White));
        }
    }
}
