//! Where the nodes of a graph stand: layers from left to right, few crossings, straight edges.
//!
//! The method is Sugiyama's (Sugiyama, Tagawa & Toda 1981): layers by longest path, dummies where
//! an edge passes a layer, barycentre sweeps for the order. Heights within a layer are the least-
//! squares fit to the neighbours' that keeps the order and the gaps, by pooling adjacent violators.
//! Written here, because the page needs the way points of edges and operands in their order, which
//! the layout crates do not give. Everything is iterative and in bounded rounds, fewer for large graphs.

mod crossings;

use crossings::crossings;

use crate::drawing::{COORDINATE_ROUNDS, STRAIGHTNESS};

/// How high a node is with what is written around it.
pub const NODE_HEIGHT: f32 = 48.0;
/// Space between layers and between neighbours of a layer.
const LAYER_GAP: f32 = 56.0;
const NODE_GAP: f32 = 30.0;
/// Rounds of sweeping; more gain nothing on graphs a person reads.
const ORDER_ROUNDS: usize = 12;
/// Most way points; where there would be more, the longest edges go without and run behind nodes.
const MOST_POINTS: usize = 20_000;
/// The same for the points that are told, where edges share them.
const MOST_TOLD: usize = 100_000;
/// Slots beyond which fewer rounds have to do.
const READABLE: usize = 1_500;

/// A node to place.
#[derive(Debug, Clone, PartialEq)]
pub struct Item {
    /// Indices of the items it reads, in operand order; all smaller than its own.
    pub src: Vec<usize>,
    pub width: f32,
    pub height: f32,
}

/// Where everything stands.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Layout {
    /// Centres, one an item.
    pub centres: Vec<[f32; 2]>,
    /// Way points of each item's operands, between the two nodes.
    pub edges: Vec<Vec<Vec<[f32; 2]>>>,
    pub width: f32,
    pub height: f32,
}

struct Slot {
    /// The item; none for the way point of a passing edge.
    item: Option<usize>,
    layer: usize,
    height: f32,
    before: Vec<usize>,
    after: Vec<usize>,
}

/// Places items.
pub fn layout(items: &[Item]) -> Layout {
    if items.is_empty() {
        return Layout::default();
    }
    let layers = assign_layers(items);
    let (slots, chains) = connect(items, &layers);
    let n_layers = layers.iter().max().map_or(0, |l| l + 1);
    let mut rows: Vec<Vec<usize>> = vec![Vec::new(); n_layers];
    for at in initial_order(items, &slots, &chains) {
        rows[slots[at].layer].push(at);
    }
    sweep(&slots, &mut rows);
    let heights = place(&slots, &rows);

    let widths: Vec<f32> = rows
        .iter()
        .map(|row| {
            row.iter()
                .filter_map(|&s| slots[s].item)
                .map(|i| items[i].width)
                .fold(0.0, f32::max)
        })
        .collect();
    let mut x = 0.0;
    let centres_x: Vec<f32> = widths
        .iter()
        .map(|w| {
            let centre = x + w / 2.0;
            x += w + LAYER_GAP;
            centre
        })
        .collect();
    let top = slots
        .iter()
        .zip(&heights)
        .map(|(s, y)| y - s.height / 2.0)
        .fold(f32::INFINITY, f32::min);
    let bottom = slots
        .iter()
        .zip(&heights)
        .map(|(s, y)| y + s.height / 2.0)
        .fold(f32::NEG_INFINITY, f32::max);
    let point = |slot: usize| [centres_x[slots[slot].layer], heights[slot] - top];
    Layout {
        centres: (0..items.len()).map(point).collect(),
        edges: chains
            .iter()
            .map(|operands| {
                operands
                    .iter()
                    .map(|chain| chain.iter().map(|&s| point(s)).collect())
                    .collect()
            })
            .collect(),
        width: x - LAYER_GAP,
        height: bottom - top,
    }
}

/// Longest path from the sources. A source stands just before its first reader, and so does what is
/// made from one alone, such as a weight's transpose.
fn assign_layers(items: &[Item]) -> Vec<usize> {
    let mut layers = vec![0usize; items.len()];
    let mut is_late = vec![false; items.len()];
    for (i, item) in items.iter().enumerate() {
        layers[i] = item.src.iter().map(|&s| layers[s] + 1).max().unwrap_or(0);
        is_late[i] = match item.src[..] {
            [] => true,
            [s] => is_late[s],
            _ => false,
        };
    }
    let mut first_reader = vec![usize::MAX; items.len()];
    for (i, item) in items.iter().enumerate().rev() {
        if is_late[i] && first_reader[i] != usize::MAX {
            layers[i] = first_reader[i] - 1;
        }
        for &s in &item.src {
            first_reader[s] = first_reader[s].min(layers[i]);
        }
    }
    layers
}

type Chains = Vec<Vec<Vec<usize>>>;

/// Slots for items (same numbers) and for the way points of edges that pass layers.
fn connect(items: &[Item], layers: &[usize]) -> (Vec<Slot>, Chains) {
    let mut slots: Vec<Slot> = items
        .iter()
        .zip(layers)
        .enumerate()
        .map(|(i, (item, &layer))| Slot {
            item: Some(i),
            layer,
            height: item.height,
            before: vec![],
            after: vec![],
        })
        .collect();
    let (longest, shares) = longest_chain(items, layers);
    // The way points that lead away from each item, by layer.
    let mut trunks: Vec<Vec<usize>> = vec![Vec::new(); items.len()];
    let mut chains: Chains = Vec::with_capacity(items.len());
    for (i, item) in items.iter().enumerate() {
        let mut operands = Vec::with_capacity(item.src.len());
        for &s in &item.src {
            let mut chain = Vec::new();
            let mut last = s;
            let passed = layers[i] - layers[s] - 1;
            if passed > longest {
                operands.push(chain);
                continue;
            }
            if shares {
                chain.extend(trunks[s].iter().take(passed));
                last = chain.last().copied().unwrap_or(s);
            }
            for layer in layers[s] + 1 + chain.len()..layers[i] {
                let at = slots.len();
                slots.push(Slot {
                    item: None,
                    layer,
                    height: 12.0,
                    before: vec![last],
                    after: vec![],
                });
                slots[last].after.push(at);
                chain.push(at);
                last = at;
            }
            if shares && chain.len() > trunks[s].len() {
                trunks[s].clone_from(&chain);
            }
            slots[last].after.push(i);
            slots[i].before.push(last);
            operands.push(chain);
        }
        chains.push(operands);
    }
    (slots, chains)
}

/// The most layers that an edge may pass for way points to stay within their bounds, and whether
/// the edges of a source share theirs: in a large graph one line leads to all who read it.
fn longest_chain(items: &[Item], layers: &[usize]) -> (usize, bool) {
    let n_layers = layers.iter().max().map_or(0, |l| l + 1);
    let edges = || {
        let of = |(i, item): (usize, &Item)| {
            item.src
                .iter()
                .map(|&s| (s, layers[i] - layers[s] - 1))
                .collect::<Vec<_>>()
        };
        items.iter().enumerate().flat_map(of)
    };
    let mut longest = n_layers;
    let total = |longest: usize| {
        edges()
            .map(|(_, n)| n)
            .filter(|&n| n <= longest)
            .sum::<usize>()
    };
    if total(longest) <= READABLE {
        return (longest, false);
    }
    let shared = |longest: usize| {
        let mut most = vec![0; items.len()];
        for (s, n) in edges().filter(|&(_, n)| n <= longest) {
            most[s] = n.max(most[s]);
        }
        most.iter().sum::<usize>()
    };
    while shared(longest) > MOST_POINTS || total(longest) > MOST_TOLD {
        longest = longest * 3 / 4;
    }
    (longest, true)
}

/// The rounds that a graph of this many slots can have.
fn rounds(full: usize, n_slots: usize) -> usize {
    (full * READABLE / n_slots.max(READABLE)).max(4)
}

/// Depth first from the last items through their operands, so that the first operand stands above
/// the second.
fn initial_order(items: &[Item], slots: &[Slot], chains: &Chains) -> Vec<usize> {
    let mut seen = vec![false; slots.len()];
    let mut order = Vec::with_capacity(slots.len());
    for end in (0..items.len()).rev() {
        let mut stack = vec![end];
        while let Some(at) = stack.pop() {
            if std::mem::replace(&mut seen[at], true) {
                continue;
            }
            order.push(at);
            if let Some(item) = slots[at].item {
                for (operand, &s) in items[item].src.iter().enumerate().rev() {
                    stack.push(s);
                    stack.extend(chains[item][operand].iter().copied());
                }
            }
        }
    }
    order
}

/// Barycentre sweeps to and fro; keeps the order with the fewest crossings.
fn sweep(slots: &[Slot], rows: &mut Vec<Vec<usize>>) {
    let mut position = vec![0.0f32; slots.len()];
    let number = |rows: &[Vec<usize>], position: &mut [f32]| {
        for row in rows {
            for (i, &s) in row.iter().enumerate() {
                position[s] = i as f32;
            }
        }
    };
    number(rows, &mut position);
    let mut best = (crossings(slots, rows, &position), rows.clone());
    for round in 0..rounds(ORDER_ROUNDS, slots.len()) {
        let forward = round % 2 == 1;
        let n = rows.len();
        for step in 1..n {
            let r = if forward { step } else { n - 1 - step };
            let mean = |s: usize| {
                let side = if forward {
                    &slots[s].before
                } else {
                    &slots[s].after
                };
                match side.len() {
                    0 => position[s],
                    k => side.iter().map(|&o| position[o]).sum::<f32>() / k as f32,
                }
            };
            let mut keyed: Vec<(f32, usize)> = rows[r].iter().map(|&s| (mean(s), s)).collect();
            keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
            rows[r] = keyed.into_iter().map(|(_, s)| s).collect();
            for (i, &s) in rows[r].iter().enumerate() {
                position[s] = i as f32;
            }
        }
        let crossed = crossings(slots, rows, &position);
        if crossed < best.0 {
            best = (crossed, rows.clone());
        }
    }
    *rows = best.1;
}

/// Heights that follow the neighbours and keep order and gaps.
fn place(slots: &[Slot], rows: &[Vec<usize>]) -> Vec<f32> {
    let mut y = vec![0.0f32; slots.len()];
    for row in rows {
        let wanted: Vec<f32> = vec![0.0; row.len()];
        spread(slots, row, &wanted, &vec![1.0; row.len()], &mut y);
    }
    for round in 0..rounds(COORDINATE_ROUNDS, slots.len()) {
        let forward = round % 2 == 0;
        let n = rows.len();
        for step in 0..n {
            let row = &rows[if forward { step } else { n - 1 - step }];
            let mut wanted = Vec::with_capacity(row.len());
            let mut weights = Vec::with_capacity(row.len());
            for &s in row {
                let (mut sum, mut weight) = (0.0, 0.0);
                for &o in slots[s].before.iter().chain(&slots[s].after) {
                    let pull = if slots[s].item.is_none() || slots[o].item.is_none() {
                        STRAIGHTNESS
                    } else {
                        1.0
                    };
                    sum += y[o] * pull;
                    weight += pull;
                }
                wanted.push(if weight > 0.0 { sum / weight } else { y[s] });
                weights.push(if weight > 0.0 { weight } else { 0.01 });
            }
            spread(slots, row, &wanted, &weights, &mut y);
        }
    }
    y
}

/// The heights nearest to those wanted that keep order and gaps (pool adjacent violators).
fn spread(slots: &[Slot], row: &[usize], wanted: &[f32], weights: &[f32], y: &mut [f32]) {
    let mut offsets = Vec::with_capacity(row.len());
    let mut offset = 0.0;
    for (i, &s) in row.iter().enumerate() {
        if i > 0 {
            offset += (slots[row[i - 1]].height + slots[s].height) / 2.0 + NODE_GAP;
        }
        offsets.push(offset);
    }
    // Blocks of (weighted mean, weight, length).
    let mut blocks: Vec<(f32, f32, usize)> = Vec::new();
    for i in 0..row.len() {
        let mut block = (wanted[i] - offsets[i], weights[i], 1);
        while let Some(&(mean, weight, len)) = blocks.last() {
            if mean <= block.0 {
                break;
            }
            blocks.pop();
            let total = weight + block.1;
            block = (
                (mean * weight + block.0 * block.1) / total,
                total,
                len + block.2,
            );
        }
        blocks.push(block);
    }
    let mut at = 0;
    for (mean, _, len) in blocks {
        for i in at..at + len {
            y[row[i]] = mean + offsets[i];
        }
        at += len;
    }
}
