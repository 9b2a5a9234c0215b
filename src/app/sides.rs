//! Where two plans stand side by side, or on a narrow screen one over the other, with what differs below.

use ratatui::layout::Rect;

use super::layout::stack;
use super::pane::{Class, Layout, Pane};

/// Where everything of a comparison stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SidesLayout {
    /// What each plan is called, and where it stands; over the first line of the side where the screen is narrow.
    pub heads: [Rect; 2],
    /// The panes of either plan.
    pub sides: [Layout; 2],
    /// Figures and buffers, with their frame (on a narrow screen the line above them).
    pub panel: Rect,
    /// One line: where they part over the whole plan.
    pub strip: Rect,
    /// What the two do where one stands.
    pub here: Rect,
    /// Why one is better.
    pub sentence: Rect,
    /// The figures.
    pub figures: Rect,
    /// The rows of the list of buffers; its heading stands above.
    pub list: Rect,
}

impl Default for SidesLayout {
    fn default() -> Self {
        layout((0, 0), 0, false)
    }
}

/// The columns of the figures, where they stand beside the list.
const FIGURES: u16 = 46;

/// Works out where everything stands on a screen of that size, with so many lines of levels, and the reasons in place of the
/// maps where `why`.
pub fn layout(size: (u16, u16), levels: usize, why: bool) -> SidesLayout {
    let (width, height) = size;
    let class = Class::of(size);
    let row = |y: u16| Rect { x: 0, y, width, height: 1 };
    let empty =
        Layout { class, title: row(0), caption: Rect::ZERO, panes: Vec::new(), tabs: Vec::new(), footer: Rect::ZERO };
    let mut out = SidesLayout {
        heads: [Rect::ZERO; 2],
        sides: [empty.clone(), empty],
        panel: Rect::ZERO,
        strip: Rect::ZERO,
        here: Rect::ZERO,
        sentence: Rect::ZERO,
        figures: Rect::ZERO,
        list: Rect::ZERO,
    };
    if class == Class::Tiny {
        out.sides.iter_mut().for_each(|side| side.title.height = height.min(1));
        return out;
    }
    out.sides.iter_mut().for_each(|side| side.footer = row(height - 1));
    let body = Rect { x: 0, y: 1, width, height: height - 2 };
    if class == Class::Narrow {
        narrow(&mut out, body, why);
    } else {
        wide(&mut out, body, levels, why);
    }
    out
}

fn wide(out: &mut SidesLayout, body: Rect, levels: usize, why: bool) {
    let frames = Rect { y: body.y + 1, height: body.height - 1, ..body };
    let rows = frames.height - 5; // five lines are shared
    let panel = (rows * 3 / 10).clamp(7, 16);
    let most = u16::try_from(levels + 1).unwrap_or(u16::MAX);
    let levels = (rows.saturating_sub(8) / 6).clamp(1, most.max(1));
    let step = (rows / 4).max(4);
    let map = rows - panel - levels - step;
    let half = body.width / 2;
    let columns = [(0, half + 1), (half, body.width - half)];
    for (side, (x, width)) in columns.into_iter().enumerate() {
        out.heads[side] = Rect { x, y: body.y, width, height: 1 };
        let area = Rect { x, width, ..frames };
        out.sides[side].panes = if why {
            let at = stack(area, &[levels, map + step + 1, panel]);
            vec![(Pane::Levels, at[0]), (Pane::Step, at[1])]
        } else {
            let at = stack(area, &[levels, map, step, panel]);
            vec![(Pane::Levels, at[0]), (Pane::Map, at[1]), (Pane::Step, at[2])]
        };
    }
    let bottom = frames.bottom() - panel - 2;
    out.panel = Rect { y: bottom, height: panel + 2, ..frames };
    let inner = Rect { x: body.x + 1, y: bottom + 1, width: body.width - 2, height: panel };
    fill(out, inner);
}

/// Each side has a line with its name, then its words, then as much of its map as there is room for.
fn narrow(out: &mut SidesLayout, body: Rect, why: bool) {
    let panel = (body.height / 3).max(4);
    let each = (body.height - panel) / 2;
    for side in 0..2u16 {
        let area = Rect { y: body.y + side * each, height: each, ..body };
        let map = if why || each < 6 { 0 } else { each / 2 };
        let words = Rect { height: each - map, ..area };
        let panes = &mut out.sides[usize::from(side)].panes;
        panes.push((Pane::Step, words));
        if map > 0 {
            panes.push((Pane::Map, Rect { y: words.bottom(), height: map, ..area }));
        }
        out.heads[usize::from(side)] = Rect { height: 1, ..area };
    }
    let top = body.y + 2 * each;
    out.panel = Rect { y: top, height: body.bottom() - top, ..body };
    fill(out, Rect { y: top + 1, height: body.bottom() - top - 1, ..body });
}

/// What stands in the panel, most telling first.
fn fill(out: &mut SidesLayout, inner: Rect) {
    let line =
        |y: u16, height: u16| Rect { y: inner.y + y, height: height.min(inner.height.saturating_sub(y)), ..inner };
    let sentence = if inner.height >= 9 { 2 } else { 1 };
    // The buffers say more than where the differences lie.
    let strip = u16::from(inner.height >= 6);
    out.strip = line(0, strip);
    out.here = line(strip, 1);
    out.sentence = line(strip + 1, sentence);
    let rest = line(strip + 1 + sentence, inner.height.saturating_sub(strip + 1 + sentence));
    let beside = inner.width >= 76;
    let figures = if beside { FIGURES.min(inner.width / 2) } else { 0 };
    out.figures = Rect { width: figures, ..rest };
    // A line above the list says what its columns are.
    out.list = Rect {
        x: rest.x + figures + u16::from(beside),
        y: rest.y + 1.min(rest.height),
        width: rest.width - figures - u16::from(beside),
        height: rest.height.saturating_sub(1),
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_sides_and_the_panel_stand_on_the_screen_and_apart() {
        for width in 0..=210 {
            for height in 0..=70 {
                for (levels, why) in [(1, false), (7, false), (7, true)] {
                    let found = layout((width, height), levels, why);
                    let screen = Rect { x: 0, y: 0, width, height };
                    let [a, b] = &found.sides;
                    let contents =
                        |side: &Layout| side.panes.iter().map(|(pane, _)| side.content(*pane)).collect::<Vec<_>>();
                    let mut all: Vec<Rect> = contents(a).into_iter().chain(contents(b)).collect();
                    assert!(all.iter().all(|rect| !rect.is_empty()), "{width}x{height}: {found:?}");
                    all.extend([found.strip, found.here, found.sentence, found.figures, found.list]);
                    for (at, rect) in all.iter().enumerate().filter(|(_, rect)| !rect.is_empty()) {
                        assert_eq!(rect.intersection(screen), *rect, "{width}x{height}");
                        assert!(all[..at].iter().all(|other| other.intersection(*rect).is_empty()), "{width}x{height}");
                    }
                }
            }
        }
    }

    #[test]
    fn every_usual_size_has_room_for_the_list() {
        for size in [(200, 60), (130, 40), (100, 30), (80, 24), (60, 20)] {
            let found = layout(size, 7, false);
            assert!(
                found.list.height >= 2 && !found.sentence.is_empty() && !found.here.is_empty(),
                "{size:?}: {found:?}"
            );
            assert!(found.sides.iter().all(|side| side.rect(Pane::Map).is_some()), "{size:?}");
        }
    }
}
