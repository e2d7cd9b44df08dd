//! A graph's places and edges: what each node needs in room, and where the layout puts it.

use std::collections::HashMap;

use glowgrad::shape;
use glowgrad_layout::{Item, Room, layout_in_view};

use crate::drawing::{
    ADVANCE, EMPHASIS, LABEL_SIZE, LEAF_RADIUS, LONGEST_INSIDE, PILL_HALF_HEIGHT, PILL_PADDING,
    SYMBOL_SIZE,
};
use crate::protocol::{Direction, Flow, GraphEdge, GraphNode, NodeKind, StageGraph};

/// What the name above a node and the shape below it reach beyond it.
const LABEL_ABOVE: f32 = 20.0;
const LABEL_BELOW: f32 = 20.0;
/// Between a node and the labels beside it.
const LABEL_GAP: f32 = 9.0;

/// Places the nodes, however many there are.
pub fn place(graph: &mut StageGraph, flow: Flow) {
    let index: HashMap<u32, usize> = graph
        .nodes
        .iter()
        .enumerate()
        .map(|(i, n)| (n.id, i))
        .collect();
    let items: Vec<Item> = graph
        .nodes
        .iter()
        .map(|node| Item {
            src: node
                .src
                .iter()
                .filter_map(|s| index.get(s).copied())
                .collect(),
            room: room(node, flow.direction),
        })
        .collect();
    let placed = layout_in_view(&items, flow);
    for (node, [x, y]) in graph.nodes.iter_mut().zip(&placed.centres) {
        (node.x, node.y) = (*x, *y);
    }
    graph.edges = edges(&graph.nodes, &placed.edges);
    (graph.width, graph.height) = (placed.width, placed.height);
    graph.flow = flow;
}

/// Half the width and height of a node, without its labels.
pub fn half_size(node: &GraphNode) -> [f32; 2] {
    match node.kind {
        NodeKind::Input => [LEAF_RADIUS, LEAF_RADIUS],
        NodeKind::Parameter => [LEAF_RADIUS + EMPHASIS, LEAF_RADIUS],
        // An op, also one that failed.
        _ => {
            let is_loss = node.kind == NodeKind::Loss;
            let height = PILL_HALF_HEIGHT + if is_loss { EMPHASIS } else { 0.0 };
            let width = text_width(&node.symbol, SYMBOL_SIZE) / 2.0 + PILL_PADDING;
            [width.max(height), height]
        }
    }
}

/// The name that is written inside a node.
pub fn name_inside(node: &GraphNode) -> Option<&str> {
    let is_leaf = matches!(node.kind, NodeKind::Input | NodeKind::Parameter);
    let name = node.name.as_deref().filter(|_| is_leaf)?;
    (name.chars().count() <= LONGEST_INSIDE).then_some(name)
}

/// How wide a text is.
pub fn text_width(text: &str, size: f32) -> f32 {
    text.chars().count() as f32 * size * ADVANCE
}

/// The room of a node with its name and shape: above and below it, or beside it where the graph runs down.
fn room(node: &GraphNode, direction: Direction) -> Room {
    let [half_width, half_height] = half_size(node);
    let name = node.name.as_deref().filter(|_| name_inside(node).is_none());
    let label = |text: &str| text_width(text, LABEL_SIZE);
    let widest = label(name.unwrap_or("")).max(label(&below(node)));
    match direction {
        Direction::Across => Room {
            along: (2.0 * half_width).max(widest),
            before: half_height + name.map_or(0.0, |_| LABEL_ABOVE),
            after: half_height + LABEL_BELOW,
        },
        Direction::Down => Room {
            along: 2.0 * half_height,
            before: half_width,
            after: half_width + LABEL_GAP + widest,
        },
    }
}

/// What is written below a node: its shape, or the shapes that came to a call that failed.
fn below(node: &GraphNode) -> String {
    if is_failed(node) {
        return node.formula.clone();
    }
    shape::show(&node.shape)
}

#[cfg(any(test, feature = "python"))]
fn is_failed(node: &GraphNode) -> bool {
    node.kind == crate::protocol::NodeKind::Failed
}

#[cfg(not(any(test, feature = "python")))]
fn is_failed(_: &GraphNode) -> bool {
    false
}

/// What each node reads, with the way points of each operand.
pub(crate) fn edges<'a>(
    nodes: &[GraphNode],
    points: impl IntoIterator<Item = &'a Vec<Vec<[f32; 2]>>>,
) -> Vec<GraphEdge> {
    let of_node = |(node, operands): (&GraphNode, &'a Vec<Vec<[f32; 2]>>)| {
        let to = node.id;
        let edge = move |(operand, &from): (usize, &u32)| GraphEdge {
            from,
            to,
            operand: operand as u32,
            points: operands.get(operand).cloned().unwrap_or_default(),
        };
        node.src.iter().enumerate().map(edge).collect::<Vec<_>>()
    };
    nodes.iter().zip(points).flat_map(of_node).collect()
}
