//! A graph's places and edges: what each node needs in room, and where the layout puts it.

use std::collections::HashMap;

use crate::describe::shape_text;
use crate::layout::{Item, NODE_HEIGHT, layout};
use crate::protocol::{GraphEdge, GraphNode, StageGraph};

/// Places the nodes, however many there are.
pub fn place(graph: &mut StageGraph) {
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
            width: width(
                node.symbol.chars().count(),
                // What failed has no shape: those that came stand there.
                if is_failed(node) {
                    node.formula.chars().count()
                } else {
                    shape_text(&node.shape).len()
                },
                node.name.as_ref().map_or(0, |name| name.chars().count()),
            ),
            height: NODE_HEIGHT,
        })
        .collect();
    let placed = layout(&items);
    for (node, [x, y]) in graph.nodes.iter_mut().zip(&placed.centres) {
        (node.x, node.y) = (*x, *y);
    }
    graph.edges = edges(&graph.nodes, &placed.edges);
    (graph.width, graph.height) = (placed.width, placed.height);
}

#[cfg(any(test, feature = "python"))]
fn is_failed(node: &GraphNode) -> bool {
    node.kind == crate::protocol::NodeKind::Failed
}

#[cfg(not(any(test, feature = "python")))]
fn is_failed(_: &GraphNode) -> bool {
    false
}

/// How wide a node is, from the number of letters in it, of its shape below and of its name above.
fn width(symbol: usize, shape: usize, name: usize) -> f32 {
    let letters = symbol.max(shape * 2 / 3).max(name * 3 / 4);
    (letters as f32).mul_add(9.0, 30.0).max(56.0)
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

/// The layout of a graph in plain numbers, as they travel between workers: see `layout`
/// of `glowgrad-web`. An operand that does not come before its user is left out.
pub fn layout_flat(counts: &[u32], src: &[u32], letters: &[u32]) -> Vec<f32> {
    let mut src = src.iter().map(|&s| s as usize);
    let items: Vec<Item> = counts
        .iter()
        .zip(letters.as_chunks::<3>().0)
        .enumerate()
        .map(|(i, (&n, letters))| Item {
            src: src.by_ref().take(n as usize).filter(|&s| s < i).collect(),
            width: {
                let [symbol, shape, name] = letters.map(|n| n as usize);
                width(symbol, shape, name)
            },
            height: NODE_HEIGHT,
        })
        .collect();
    let placed = layout(&items);
    let mut out = vec![placed.width, placed.height];
    out.extend(placed.centres.iter().flatten());
    for points in placed.edges.iter().flatten() {
        out.push(points.len() as f32);
        out.extend(points.iter().flatten());
    }
    out
}
