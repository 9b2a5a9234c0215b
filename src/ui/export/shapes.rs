//! Blocks and box lines as rectangles. Fonts leave gaps between them at most line heights; rectangles do not, so
//! bars and frames look as they do in a terminal.

/// A cell's width in the picture's units; eight, so that each eighth block is whole.
pub(super) const CELL_WIDTH: u16 = 8;
/// A cell's height, for the same reason twice eight.
pub(super) const CELL_HEIGHT: u16 = 16;

/// A filled rectangle within a cell, in the picture's units from the cell's top left corner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    pub x: u16,
    pub y: u16,
    pub width: u16,
    pub height: u16,
    /// How much it covers what is behind it.
    pub percent: u8,
}

const fn piece(x: u16, y: u16, width: u16, height: u16) -> Piece {
    Piece { x, y, width, height, percent: 100 }
}

/// The rectangles that draw `symbol`, or none where a font must draw it.
pub(super) fn shape(symbol: &str) -> Option<Vec<Piece>> {
    let mut chars = symbol.chars();
    let (only, None) = (chars.next()?, chars.next()) else { return None };
    match only {
        '\u{2500}'..='\u{257f}' => lines(only),
        '\u{2580}'..='\u{259f}' => Some(block(only)),
        _ => None,
    }
}

/// Block Elements (Unicode chart U+2580).
fn block(symbol: char) -> Vec<Piece> {
    const HALF_WIDTH: u16 = CELL_WIDTH / 2;
    const HALF_HEIGHT: u16 = CELL_HEIGHT / 2;
    let eighths = |from: char| (symbol as u32 - from as u32) as u16 + 1;
    let shade = |percent| vec![Piece { percent, ..piece(0, 0, CELL_WIDTH, CELL_HEIGHT) }];
    match symbol {
        '▀' => vec![piece(0, 0, CELL_WIDTH, HALF_HEIGHT)],
        '▁'..='█' => {
            let height = eighths('▁') * CELL_HEIGHT / 8;
            vec![piece(0, CELL_HEIGHT - height, CELL_WIDTH, height)]
        }
        '▉'..='▏' => vec![piece(0, 0, (8 - eighths('▉')) * CELL_WIDTH / 8, CELL_HEIGHT)],
        '▐' => vec![piece(HALF_WIDTH, 0, HALF_WIDTH, CELL_HEIGHT)],
        '░' => shade(25),
        '▒' => shade(50),
        '▓' => shade(75),
        '▔' => vec![piece(0, 0, CELL_WIDTH, CELL_HEIGHT / 8)],
        '▕' => vec![piece(CELL_WIDTH * 7 / 8, 0, CELL_WIDTH / 8, CELL_HEIGHT)],
        _ => {
            let corners = [(0, 0), (HALF_WIDTH, 0), (0, HALF_HEIGHT), (HALF_WIDTH, HALF_HEIGHT)];
            let filled = quadrants(symbol);
            let of = |i: usize| piece(corners[i].0, corners[i].1, HALF_WIDTH, HALF_HEIGHT);
            (0..4).filter(|&i| filled[i]).map(of).collect()
        }
    }
}

/// Which quarters are filled: upper left, upper right, lower left, lower right.
fn quadrants(symbol: char) -> [bool; 4] {
    let marks = match symbol {
        '▖' => "..#.",
        '▗' => "...#",
        '▘' => "#...",
        '▙' => "#.##",
        '▚' => "#..#",
        '▛' => "###.",
        '▜' => "##.#",
        '▝' => ".#..",
        '▞' => ".##.",
        _ => ".###",
    };
    let mut filled = marks.chars().map(|mark| mark == '#');
    std::array::from_fn(|_| filled.next().unwrap_or(false))
}

/// The arms of a box line from the centre: up, right, down, left; 0 none, 1 light, 2 heavy. Rounded corners are
/// drawn square.
const ARMS: [(char, [u16; 4]); 34] = [
    ('─', [0, 1, 0, 1]),
    ('━', [0, 2, 0, 2]),
    ('│', [1, 0, 1, 0]),
    ('┃', [2, 0, 2, 0]),
    ('┌', [0, 1, 1, 0]),
    ('╭', [0, 1, 1, 0]),
    ('┏', [0, 2, 2, 0]),
    ('┐', [0, 0, 1, 1]),
    ('╮', [0, 0, 1, 1]),
    ('┓', [0, 0, 2, 2]),
    ('└', [1, 1, 0, 0]),
    ('╰', [1, 1, 0, 0]),
    ('┗', [2, 2, 0, 0]),
    ('┘', [1, 0, 0, 1]),
    ('╯', [1, 0, 0, 1]),
    ('┛', [2, 0, 0, 2]),
    ('├', [1, 1, 1, 0]),
    ('┝', [1, 2, 1, 0]),
    ('┠', [2, 1, 2, 0]),
    ('┣', [2, 2, 2, 0]),
    ('┤', [1, 0, 1, 1]),
    ('┥', [1, 0, 1, 2]),
    ('┨', [2, 0, 2, 1]),
    ('┫', [2, 0, 2, 2]),
    ('┬', [0, 1, 1, 1]),
    ('┳', [0, 2, 2, 2]),
    ('┴', [1, 1, 0, 1]),
    ('┻', [2, 2, 0, 2]),
    ('┼', [1, 1, 1, 1]),
    ('╋', [2, 2, 2, 2]),
    ('╴', [0, 0, 0, 1]),
    ('╵', [1, 0, 0, 0]),
    ('╶', [0, 1, 0, 0]),
    ('╷', [0, 0, 1, 0]),
];

fn lines(symbol: char) -> Option<Vec<Piece>> {
    let (_, arms) = ARMS.iter().find(|(known, _)| *known == symbol)?;
    let [up, right, down, left] = *arms;
    let (vertical, horizontal) = (up.max(down), right.max(left));
    // A light line is one unit thick and a heavy one three, about the same centre.
    let thick = |weight: u16| if weight == 2 { 3 } else { 1 };
    let (x, y) = (CELL_WIDTH / 2 - thick(vertical) / 2, CELL_HEIGHT / 2 - thick(horizontal) / 2);
    let mut pieces = Vec::new();
    if horizontal > 0 {
        let start = if left > 0 { 0 } else { x };
        let end = if right > 0 { CELL_WIDTH } else { x + thick(vertical) };
        pieces.push(piece(start, y, end - start, thick(horizontal)));
    }
    if vertical > 0 {
        let start = if up > 0 { 0 } else { y };
        let end = if down > 0 { CELL_HEIGHT } else { y + thick(horizontal) };
        pieces.push(piece(x, start, thick(vertical), end - start));
    }
    Some(pieces)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eighths_grow_from_the_bottom_and_from_the_left() {
        assert_eq!(shape("▁"), Some(vec![piece(0, 14, 8, 2)]));
        assert_eq!(shape("█"), Some(vec![piece(0, 0, 8, 16)]));
        assert_eq!(shape("▏"), Some(vec![piece(0, 0, 1, 16)]));
        assert_eq!(shape("▉"), Some(vec![piece(0, 0, 7, 16)]));
    }

    #[test]
    fn lines_of_neighbours_meet() {
        // Horizontally at the edges, and at the centre row and column.
        assert_eq!(shape("┌"), Some(vec![piece(4, 8, 4, 1), piece(4, 8, 1, 8)]));
        assert_eq!(shape("─"), Some(vec![piece(0, 8, 8, 1)]));
        assert_eq!(shape("│"), Some(vec![piece(4, 0, 1, 16)]));
        assert_eq!(shape("┘"), Some(vec![piece(0, 8, 5, 1), piece(4, 0, 1, 9)]));
    }

    #[test]
    fn every_block_and_line_stays_in_its_cell() {
        for symbol in ('\u{2500}'..='\u{259f}').map(String::from) {
            for piece in shape(&symbol).unwrap_or_default() {
                assert!(piece.width > 0 && piece.height > 0, "{symbol}");
                assert!(piece.x + piece.width <= CELL_WIDTH && piece.y + piece.height <= CELL_HEIGHT, "{symbol}");
            }
        }
        assert_eq!(shape("a"), None);
        assert_eq!(shape("═"), None);
    }
}
