//! Where the nodes of a graph stand: layers along the graph's direction, few crossings, straight edges.
//!
//! The method is Sugiyama's (Sugiyama, Tagawa & Toda 1981): layers by longest path, dummies where
//! an edge passes a layer, barycentre sweeps for the order ([`order`]). Places within a layer are the least-
//! squares fit to the neighbours' that keeps the order and the gaps, by pooling adjacent violators
//! ([`coordinates`]). Layers that need more than the room along the direction break into rows, as the words of
//! a text do ([`rows`]). Written here, because the page needs the way points of edges and operands in their
//! order, which the layout crates do not give. Everything is iterative and in bounded rounds, fewer for large
//! graphs.

pub mod asked;
mod coordinates;
mod crossings;
mod flow;
mod order;
mod rows;

pub use flow::{Direction, Flow};

/// Space between layers: names and norms are written in it where the graph runs across.
const GAP_ACROSS: f32 = 56.0;
const GAP_DOWN: f32 = 44.0;
/// What a passing edge takes across the direction.
const EDGE_ROOM: f32 = 6.0;
/// Most way points; where there would be more, the longest edges go without and run behind nodes.
const MOST_POINTS: usize = 20_000;
/// The same for the points that are told, where edges share them.
const MOST_TOLD: usize = 100_000;
/// Way points beyond which the edges of a source share theirs.
const MOST_ALONE: usize = 200;
/// What is made by as many joins stands just before its first reader: a product and a sum with a bias.
const LATE_JOINS: usize = 2;
/// Slots beyond which fewer rounds have to do.
const READABLE: usize = 1_500;
/// Rows that stand higher than so many times their length are made longer, until they are about so many times as high: seen
/// whole, the graph would be a thin strip. Of a graph that runs down the rows are columns.
const HIGHEST: f32 = 12.0;
const HIGH: f32 = 2.0;

/// A node to place.
#[derive(Debug, Clone, PartialEq)]
pub struct Item {
    /// Indices of the items it reads, in operand order; all smaller than its own.
    pub src: Vec<usize>,
    pub room: Room,
}

/// The room of a node with its labels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Room {
    /// Along the direction, with the centre in the middle.
    pub along: f32,
    /// Across it, from the centre towards the first operands: up, or to the left.
    pub before: f32,
    /// Across it the other way.
    pub after: f32,
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
    layer: usize,
    room: Room,
    /// Whether it is the way point of a passing edge.
    passes: bool,
    before: Vec<usize>,
    after: Vec<usize>,
}

/// Places items.
pub fn layout(items: &[Item], flow: Flow) -> Layout {
    if items.is_empty() {
        return Layout::default();
    }
    let layers = assign_layers(items);
    let (slots, chains) = connect(items, &layers);
    let n_layers = layers.iter().max().map_or(0, |l| l + 1);
    let mut filled: Vec<Vec<usize>> = vec![Vec::new(); n_layers];
    for at in order::initial_order(items, &slots, &chains) {
        filled[slots[at].layer].push(at);
    }
    order::sweep(&slots, &mut filled);
    let gap = match flow.direction {
        Direction::Across => GAP_ACROSS,
        Direction::Down => GAP_DOWN,
    };
    let row_of = rows::break_layers(&slots, &filled, flow.row, gap);
    let across = coordinates::across(&slots, &filled, &row_of);
    let mut placed =
        rows::stack(&slots, &filled, &row_of, &across, gap).route(items, &slots, &chains);
    if flow.direction == Direction::Down {
        placed.transpose();
    }
    placed
}

/// The layout of a graph that is looked at, in rows of the length that is wanted, or in longer ones where there are many.
pub fn layout_in_view(items: &[Item], flow: Flow) -> Layout {
    let placed = layout(items, flow);
    let (along, across) = match flow.direction {
        Direction::Across => (placed.width, placed.height),
        Direction::Down => (placed.height, placed.width),
    };
    let high = across / along.max(1.0);
    if flow.row <= 0.0 || high <= HIGHEST {
        return placed;
    }
    let row = flow.row * (high / HIGH).sqrt();
    layout(items, Flow { row, ..flow })
}

impl Layout {
    /// Makes a layout that runs to the right run downwards.
    fn transpose(&mut self) {
        let points = self.edges.iter_mut().flatten().flatten();
        for [x, y] in self.centres.iter_mut().chain(points) {
            std::mem::swap(x, y);
        }
        std::mem::swap(&mut self.width, &mut self.height);
    }
}

/// Longest path from the sources. A source stands just before its first reader, and so does what is
/// made from sources by few joins, such as a weight's transpose, or the product of a turn's own input in a loop: the
/// turns of an unrolled loop would begin in one layer otherwise, and cross all others on their way.
fn assign_layers(items: &[Item]) -> Vec<usize> {
    let mut layers = vec![0usize; items.len()];
    // How many joins lead to each, at most.
    let mut joins = vec![0usize; items.len()];
    for (i, item) in items.iter().enumerate() {
        layers[i] = item.src.iter().map(|&s| layers[s] + 1).max().unwrap_or(0);
        let before = item.src.iter().map(|&s| joins[s]).max().unwrap_or(0);
        joins[i] = before + usize::from(item.src.len() > 1);
    }
    let mut first_reader = vec![usize::MAX; items.len()];
    for (i, item) in items.iter().enumerate().rev() {
        if joins[i] <= LATE_JOINS && first_reader[i] != usize::MAX {
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
        .map(|(item, &layer)| Slot {
            layer,
            room: item.room,
            passes: false,
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
                    layer,
                    room: Room {
                        along: 0.0,
                        before: EDGE_ROOM,
                        after: EDGE_ROOM,
                    },
                    passes: true,
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
    if total(longest) <= MOST_ALONE {
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
