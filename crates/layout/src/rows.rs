//! Layers broken into rows, as the words of a text into lines, and the way of edges from row to row.
//!
//! Rows are about equally long and break where few edges pass. An edge that goes on in the next row leaves its
//! row at the end, runs back between the two, and enters the next at its beginning; edges nest, so that none of
//! them cross on the way.

use super::{Chains, Item, Layout, Slot};

/// What a break costs beside the squares of the rows' lengths, which are 1 for a row that is full: more than
/// dividing a row saves.
const BREAK_COST: f32 = 1.5;
/// The same for each edge beyond the first that passes a break.
const CROSSING_COST: f32 = 0.25;
/// Space between a row and the first edge that runs back under it, and between the last and the next row.
const GUTTER: f32 = 14.0;
/// Space between edges that run back, and the most that all of a row take together.
const TRACK: f32 = 9.0;
const MOST_TRACKS: f32 = 72.0;
/// How far such an edge goes on beyond the end of its row.
const OVERRUN: f32 = 10.0;

/// What three edges from row to row need at either end.
const ENDS: f32 = 2.0 * OVERRUN + 2.0 * TRACK;

/// The row of each layer, for a room of `length` along the direction; 0 has all layers in one.
pub(super) fn break_layers(
    slots: &[Slot],
    filled: &[Vec<usize>],
    length: f32,
    gap: f32,
) -> Vec<usize> {
    let n = filled.len();
    let lengths = lengths(slots, filled);
    let whole: f32 = lengths.iter().sum::<f32>() + gap * n.saturating_sub(1) as f32;
    if length <= 0.0 || whole <= length {
        return vec![0; n];
    }
    let length = length - 2.0 * ENDS;
    // The least cost of the layers before each, and where the last of their rows begins.
    let mut costs = vec![0.0f32; n + 1];
    let mut begins = vec![0; n + 1];
    for end in 1..=n {
        let mut row = -gap;
        costs[end] = f32::INFINITY;
        for begin in (0..end).rev() {
            row += lengths[begin] + gap;
            // One layer may be longer than the room.
            if row > length && begin + 1 < end {
                break;
            }
            let part = row / length;
            let cost = costs[begin] + part * part + break_cost(slots, filled, begin);
            if cost < costs[end] {
                (costs[end], begins[end]) = (cost, begin);
            }
        }
    }
    let mut starts = vec![false; n];
    let mut end = n;
    while end > 0 {
        end = begins[end];
        starts[end] = true;
    }
    let mut row = 0;
    let number = |(at, starts): (usize, bool)| {
        row += usize::from(starts && at > 0);
        row
    };
    starts.into_iter().enumerate().map(number).collect()
}

/// What a row costs that begins with this layer.
fn break_cost(slots: &[Slot], filled: &[Vec<usize>], layer: usize) -> f32 {
    let Some(last) = layer.checked_sub(1) else {
        return 0.0;
    };
    let passing: usize = filled[last].iter().map(|&s| slots[s].after.len()).sum();
    BREAK_COST + CROSSING_COST * passing.saturating_sub(1) as f32
}

/// How long each layer is along the direction.
fn lengths(slots: &[Slot], filled: &[Vec<usize>]) -> Vec<f32> {
    let longest = |layer: &Vec<usize>| {
        let rooms = layer.iter().map(|&s| slots[s].room.along);
        rooms.fold(0.0, f32::max)
    };
    filled.iter().map(longest).collect()
}

/// The places of slots in their rows, which stand one under another.
pub(super) struct Stacked<'a> {
    row_of: &'a [usize],
    /// Along the direction, of each layer; across it, of each slot.
    along: Vec<f32>,
    across: Vec<f32>,
    /// The edges that leave each row for the next, by the slot they leave from, in the order of the slots.
    leaving: Vec<Vec<usize>>,
    /// Space between edges that run back.
    track: f32,
    /// Where each row ends: along the direction, and across it.
    ends: Vec<[f32; 2]>,
    width: f32,
    height: f32,
}

/// Stacks the rows of a graph.
pub(super) fn stack<'a>(
    slots: &[Slot],
    filled: &[Vec<usize>],
    row_of: &'a [usize],
    across: &[f32],
    gap: f32,
) -> Stacked<'a> {
    let n_rows = row_of.last().map_or(0, |row| row + 1);
    let goes_on = |s: &usize| {
        let row = row_of[slots[*s].layer];
        slots[*s]
            .after
            .iter()
            .any(|&o| row_of[slots[o].layer] > row)
    };
    let mut leaving: Vec<Vec<usize>> = vec![Vec::new(); n_rows];
    let (mut tops, mut bottoms) = (vec![f32::INFINITY; n_rows], vec![f32::NEG_INFINITY; n_rows]);
    for (layer, &row) in filled.iter().zip(row_of) {
        leaving[row].extend(layer.iter().copied().filter(goes_on));
        for &s in layer {
            tops[row] = tops[row].min(across[s] - slots[s].room.before);
            bottoms[row] = bottoms[row].max(across[s] + slots[s].room.after);
        }
    }
    // Edges that run back need room before every row.
    let most = leaving.iter().map(Vec::len).max().unwrap_or(0);
    let track = TRACK.min(MOST_TRACKS / most.max(1) as f32);
    let margin = match most {
        0 => 0.0,
        n => 2.0 * OVERRUN + track * (n - 1) as f32,
    };
    let mut ends: Vec<[f32; 2]> = Vec::with_capacity(n_rows);
    let mut shifts = Vec::with_capacity(n_rows);
    let mut top = 0.0;
    for row in 0..n_rows {
        shifts.push(top - tops[row]);
        let bottom = top + bottoms[row] - tops[row];
        ends.push([0.0, bottom]);
        top = bottom + 2.0 * GUTTER + track * leaving[row].len() as f32;
    }
    let mut along = Vec::with_capacity(filled.len());
    for (length, &row) in lengths(slots, filled).into_iter().zip(row_of) {
        let end = &mut ends[row][0];
        let begin = if *end == 0.0 { margin } else { *end + gap };
        along.push(begin + length / 2.0);
        *end = begin + length;
    }
    let longest = ends.iter().map(|[along, _]| *along).fold(0.0, f32::max);
    let shifted = |(slot, across): (&Slot, &f32)| across + shifts[row_of[slot.layer]];
    Stacked {
        row_of,
        along,
        across: slots.iter().zip(across).map(shifted).collect(),
        leaving,
        track,
        width: longest + margin,
        height: ends.last().map_or(0.0, |[_, bottom]| *bottom),
        ends,
    }
}

impl Stacked<'_> {
    /// The layout of the items, which are the first slots.
    pub(super) fn route(&self, items: &[Item], slots: &[Slot], chains: &Chains) -> Layout {
        let of_item = |(to, operands): (usize, &Vec<Vec<usize>>)| {
            let ways = items[to].src.iter().zip(operands);
            ways.map(|(&from, chain)| self.way(slots, from, to, chain))
                .collect()
        };
        Layout {
            centres: (0..items.len()).map(|s| self.point(slots, s)).collect(),
            edges: chains.iter().enumerate().map(of_item).collect(),
            width: self.width,
            height: self.height,
        }
    }

    /// The way points of an edge: those of its chain, and where it changes rows.
    fn way(&self, slots: &[Slot], from: usize, to: usize, chain: &[usize]) -> Vec<[f32; 2]> {
        let mut points = Vec::with_capacity(chain.len());
        let mut last = from;
        for &at in chain.iter().chain([&to]) {
            // An edge without way points runs straight, behind the nodes.
            if slots[last].layer + 1 == slots[at].layer {
                self.route_back(slots, last, at, &mut points);
            }
            if at != to {
                points.push(self.point(slots, at));
            }
            last = at;
        }
        points
    }

    /// The points at which an edge runs back to the next row, if its next slot is there.
    fn route_back(&self, slots: &[Slot], from: usize, to: usize, points: &mut Vec<[f32; 2]>) {
        let (row, next) = (self.row_of[slots[from].layer], self.row_of[slots[to].layer]);
        let Some(track) = self.leaving[row].iter().position(|s| *s == from) else {
            return;
        };
        if row == next {
            return;
        }
        // The first of a row is outermost at its end and innermost at the next one's beginning.
        let outer = (self.leaving[row].len() - 1 - track) as f32;
        let [end, bottom] = self.ends[row];
        let right = end + OVERRUN + self.track * outer;
        let between = bottom + GUTTER + self.track * outer;
        let left = self.track * outer;
        points.extend([
            [right, self.across[from]],
            [right, between],
            [left, between],
            [left, self.across[to]],
        ]);
    }

    fn point(&self, slots: &[Slot], slot: usize) -> [f32; 2] {
        [self.along[slots[slot].layer], self.across[slot]]
    }
}
