//! Where the panes stand. Borders are shared: neighbouring rectangles overlap by the line between them.

use ratatui::layout::{Position, Rect};

use super::Shares;
use super::pane::{Class, Layout, Pane};

/// Narrower or lower than this, only a line is shown.
pub const SMALLEST: (u16, u16) = (40, 10);

/// What the layout depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Want {
    /// Columns and rows of the screen.
    pub size: (u16, u16),
    /// How many lines the levels want.
    pub levels: usize,
    /// Whether there is a failure to show.
    pub failed: bool,
    /// The pane to show where several share a place.
    pub tab: Pane,
    /// The pane that has the whole screen.
    pub enlarged: Option<Pane>,
    /// Rows that the caption of a lesson takes; 0 where there is none.
    pub caption: u16,
    /// What the person wants of it.
    pub shares: Shares,
}

impl Class {
    /// How much room a screen of that size has.
    pub fn of((width, height): (u16, u16)) -> Self {
        match (width, height) {
            (w, h) if w < SMALLEST.0 || h < SMALLEST.1 => Self::Tiny,
            (w, h) if w >= 120 && h >= 30 => Self::Full,
            (w, h) if w >= 80 && h >= 24 => Self::Tabs,
            _ => Self::Narrow,
        }
    }

    /// How much room there is for panes beside a caption of so many rows. Panes are kept lower than elsewhere, since
    /// lessons have small graphs.
    pub fn beside(size: (u16, u16), caption: u16) -> Self {
        match (Self::of(size), size.1.saturating_sub(caption + 2)) {
            (class, _) if caption == 0 => class,
            (Self::Full, 28..) => Self::Full,
            (Self::Full | Self::Tabs, 13..) => Self::Tabs,
            (Self::Tiny, _) => Self::Tiny,
            _ => Self::Narrow,
        }
    }

    /// The panes that share one place.
    pub fn tabs(self, failed: bool) -> Vec<Pane> {
        let tabs: &[Pane] = match self {
            Self::Full => &[Pane::Step, Pane::Failure, Pane::Graph],
            Self::Tabs => {
                &[Pane::Step, Pane::Failure, Pane::Ready, Pane::Units, Pane::Buffers, Pane::Events, Pane::Graph]
            }
            Self::Narrow => &[
                Pane::Step,
                Pane::Failure,
                Pane::Map,
                Pane::Ready,
                Pane::Units,
                Pane::Buffers,
                Pane::Events,
                Pane::Graph,
            ],
            Self::Tiny => &[],
        };
        tabs.iter().copied().filter(|&pane| failed || pane != Pane::Failure).collect()
    }
}

/// Works out where everything stands.
pub fn layout(want: &Want) -> Layout {
    let (width, height) = want.size;
    let class = Class::beside(want.size, want.caption);
    let row = |y: u16| Rect { x: 0, y, width, height: 1 };
    let mut out =
        Layout { class, title: row(0), caption: Rect::ZERO, panes: Vec::new(), tabs: Vec::new(), footer: Rect::ZERO };
    if class == Class::Tiny {
        out.title = Rect { x: 0, y: 0, width, height: height.min(1) };
        return out;
    }
    out.footer = row(height - 1);
    let caption = want.caption.min(height - 2);
    out.caption = Rect { x: 0, y: 1, width, height: caption };
    let body = Rect { x: 0, y: 1 + caption, width, height: height - 2 - caption };
    let tabs = class.tabs(want.failed);
    let tab = if tabs.contains(&want.tab) { want.tab } else { Pane::Step };
    if let Some(pane) = want.enlarged {
        out.panes = vec![(pane, body)];
        return out;
    }
    out.panes = match class {
        Class::Full => full(body, want, tab),
        Class::Tabs => tabbed(body, want, tab),
        _ => narrow(body, want.levels, tab),
    };
    if tabs.len() > 1 {
        out.tabs = tab_labels(&tabs, out.rect(tab).unwrap_or(body));
    }
    out
}

/// Rows of the map that a taller timeline leaves.
const LEAST_MAP: u16 = 4;

/// Rows for the levels: one each and one for the sums, within reason.
fn level_rows(levels: usize, most: u16) -> u16 {
    u16::try_from(levels + 1).unwrap_or(u16::MAX).min(most).max(2)
}

/// Rectangles one below the other with these many rows inside, sharing their lines; the last takes what is left.
pub(super) fn stack(area: Rect, inner: &[u16]) -> Vec<Rect> {
    let mut y = area.y;
    let mut out: Vec<Rect> = Vec::new();
    for (at, rows) in inner.iter().enumerate() {
        let height = if at + 1 == inner.len() { area.bottom() - y } else { rows + 2 };
        out.push(Rect { x: area.x, y, width: area.width, height });
        y += height - 1;
    }
    out
}

/// Rectangles side by side in these shares of a hundred, sharing their lines; the last takes what is left.
fn beside(area: Rect, shares: &[u16]) -> Vec<Rect> {
    let mut x = area.x;
    let mut out: Vec<Rect> = Vec::new();
    for (at, share) in shares.iter().enumerate() {
        let wanted = (u32::from(area.width) * u32::from(*share) / 100) as u16;
        let width = if at + 1 == shares.len() { area.right() - x } else { wanted };
        out.push(Rect { x, y: area.y, width, height: area.height });
        x += width - 1;
    }
    out
}

fn full(body: Rect, want: &Want, tab: Pane) -> Vec<(Pane, Rect)> {
    let rows = body.height - 5; // five lines are shared
    let levels = level_rows(want.levels, rows / 4 + 1);
    let bottom = (rows * 3 / 10).max(6);
    let timeline = want.shares.timeline_height.unwrap_or(if rows < 32 { 4 } else { 6 });
    let timeline = timeline.min(rows - levels - bottom - LEAST_MAP);
    let map = rows - levels - timeline - bottom;
    let top = levels + map + 1;
    let thirds = stack(body, &[top, bottom, timeline]);
    let top = beside(thirds[0], &[want.shares.map_width.unwrap_or(50), 0]);
    let left = stack(top[0], &[levels, map]);
    let low = beside(thirds[1], &[27, 24, 24, 25]);
    vec![
        (tab, top[1]),
        (Pane::Levels, left[0]),
        (Pane::Map, left[1]),
        (Pane::Ready, low[0]),
        (Pane::Units, low[1]),
        (Pane::Buffers, low[2]),
        (Pane::Events, low[3]),
        (Pane::Timeline, thirds[2]),
    ]
}

fn tabbed(body: Rect, want: &Want, tab: Pane) -> Vec<(Pane, Rect)> {
    let rows = body.height - 4;
    let levels = level_rows(want.levels, rows / 3);
    let timeline = want.shares.timeline_height.unwrap_or(if rows < 24 { 3 } else { 4 });
    let timeline = timeline.min(rows - levels - LEAST_MAP);
    let top = rows - timeline + 1;
    let halves = stack(body, &[top, timeline]);
    let sides = beside(halves[0], &[want.shares.map_width.unwrap_or(45), 0]);
    let left = stack(sides[0], &[levels, top - levels - 1]);
    vec![(tab, sides[1]), (Pane::Levels, left[0]), (Pane::Map, left[1]), (Pane::Timeline, halves[1])]
}

/// No frames: each pane has one line above it.
fn narrow(body: Rect, levels: usize, tab: Pane) -> Vec<(Pane, Rect)> {
    if body.height < 7 {
        return vec![(tab, body)]; // a caption has the rest
    }
    let roomy = body.height >= 16;
    let levels = 1 + if roomy { level_rows(levels, 5) } else { 1 };
    let timeline = if roomy { 4 } else { 3 };
    let at = |y: u16, height: u16| Rect { x: 0, y: body.y + y, width: body.width, height };
    vec![
        (Pane::Levels, at(0, levels)),
        (tab, at(levels, body.height - levels - timeline)),
        (Pane::Timeline, at(body.height - timeline, timeline)),
    ]
}

/// The names of the tabs on the top line of their place; where there is little room, the last are shortened first.
fn tab_labels(tabs: &[Pane], place: Rect) -> Vec<(Pane, Rect)> {
    let mut names: Vec<&str> = tabs.iter().map(|tab| tab.title()).collect();
    let width = |names: &[&str]| names.iter().map(|name| name.len() + 1).sum::<usize>() + 3;
    for shorter in [Pane::short, Pane::shortest] {
        for at in (0..tabs.len()).rev() {
            if width(&names) > usize::from(place.width) {
                names[at] = shorter(tabs[at]);
            }
        }
    }
    let mut x = place.x + 2;
    let mut out = Vec::new();
    for (&tab, name) in tabs.iter().zip(names) {
        let wide = (name.len() as u16).min(place.right().saturating_sub(x + 1));
        out.push((tab, Rect { x, y: place.y, width: wide, height: 1 }));
        x += wide + 1;
    }
    out
}

/// Where the parts of the Graph pane stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GraphAreas {
    /// The line of the node itself.
    pub node: Rect,
    /// What it depends on, with a line above.
    pub preds: Rect,
    /// What depends on it, with a line above.
    pub succs: Rect,
    /// The line between the two, where they stand side by side.
    pub line: Rect,
}

/// Narrower than this, the two sides of the Graph pane stand one above the other.
const SIDE_BY_SIDE: u16 = 56;

/// The parts of the Graph pane: the node above its two sides, or where the pane is narrow, between them.
pub fn graph_areas(area: Rect) -> GraphAreas {
    let rest = area.height.saturating_sub(1);
    if area.width >= SIDE_BY_SIDE {
        let half = area.width / 2;
        let below = |x: u16, width: u16| Rect { x, width, y: area.y + area.height - rest, height: rest };
        return GraphAreas {
            node: Rect { height: area.height.min(1), ..area },
            preds: below(area.x, half),
            line: below(area.x + half, 1),
            succs: below(area.x + half + 1, area.width - half - 1),
        };
    }
    let above = rest / 2;
    GraphAreas {
        preds: Rect { height: above, ..area },
        node: Rect { y: area.y + above, height: area.height.min(1), ..area },
        succs: Rect { y: area.y + area.height - (rest - above), height: rest - above, ..area },
        line: Rect::ZERO,
    }
}

impl Layout {
    /// Where the content of `pane` stands, without its lines; empty where the pane is not visible.
    pub fn content(&self, pane: Pane) -> Rect {
        let Some(rect) = self.rect(pane) else { return Rect::ZERO };
        match self.class {
            Class::Narrow => Rect { y: rect.y + 1, height: rect.height.saturating_sub(1), ..rect },
            _ => Rect {
                x: rect.x + 1,
                y: rect.y + 1,
                width: rect.width.saturating_sub(2),
                height: rect.height.saturating_sub(2),
            },
        }
    }

    /// The tab whose name stands at that cell.
    pub fn tab_at(&self, x: u16, y: u16) -> Option<Pane> {
        self.tabs.iter().find(|(_, rect)| rect.contains(Position { x, y })).map(|(pane, _)| *pane)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(width: u16, height: u16, failed: bool) -> Layout {
        shared(width, height, failed, Shares::default())
    }

    fn shared(width: u16, height: u16, failed: bool, shares: Shares) -> Layout {
        layout(&Want {
            size: (width, height),
            levels: 5,
            failed,
            tab: Pane::Events,
            enlarged: None,
            shares,
            caption: 0,
        })
    }

    #[test]
    fn the_map_and_the_timeline_are_as_large_as_wanted() {
        let share =
            |map_width, timeline_height| Shares { map_width: Some(map_width), timeline_height: Some(timeline_height) };
        for ((width, height), most) in [((80, 24), 8), ((130, 40), 12), ((200, 60), 12)] {
            for (wanted, rows) in [(30, 3), (70, 12)] {
                let layout = shared(width, height, false, share(wanted, rows));
                let map = layout.rect(Pane::Map).expect("it is visible");
                assert_eq!(map.width, width * wanted / 100, "{width}x{height}");
                assert_eq!(layout.content(Pane::Timeline).height, rows.min(most), "{width}x{height}");
                assert!(layout.content(Pane::Map).height >= LEAST_MAP, "{width}x{height}");
            }
        }
    }

    #[test]
    fn every_size_has_its_class() {
        assert_eq!(Class::of((120, 30)), Class::Full);
        assert_eq!(Class::of((119, 50)), Class::Tabs);
        assert_eq!(Class::of((80, 24)), Class::Tabs);
        assert_eq!(Class::of((79, 24)), Class::Narrow);
        assert_eq!(Class::of((40, 12)), Class::Narrow);
        assert_eq!(Class::of((39, 12)), Class::Tiny);
        assert_eq!(Class::of((0, 0)), Class::Tiny);
    }

    const EXTREME: Shares = Shares { map_width: Some(70), timeline_height: Some(12) };

    #[test]
    fn panes_stay_on_the_screen_and_their_contents_apart() {
        for width in 0..=210 {
            for height in 0..=70 {
                for (failed, shares) in [(false, Shares::default()), (true, Shares::default()), (false, EXTREME)] {
                    let layout = shared(width, height, failed, shares);
                    let screen = Rect { x: 0, y: 0, width, height };
                    let contents: Vec<Rect> = layout.panes.iter().map(|(pane, _)| layout.content(*pane)).collect();
                    for (i, content) in contents.iter().enumerate() {
                        assert!(content.width > 0 && content.height > 0, "{width}x{height} {:?}", layout.panes[i]);
                        assert_eq!(content.intersection(screen), *content, "{width}x{height}");
                        assert!(contents[..i].iter().all(|other| other.intersection(*content).is_empty()));
                    }
                    for (_, tab) in &layout.tabs {
                        assert_eq!(tab.intersection(screen), *tab, "{width}x{height}");
                    }
                }
            }
        }
    }

    #[test]
    fn the_full_screen_has_every_pane() {
        let layout = at(120, 30, false);
        assert_eq!(layout.panes.len(), 8);
        let tabs: Vec<Pane> = layout.tabs.iter().map(|(tab, _)| *tab).collect();
        assert_eq!(tabs, [Pane::Step, Pane::Graph], "all others stand beside it");
        assert!(layout.panes.iter().all(|(pane, _)| layout.content(*pane).height >= 4));
    }
}
