//! The op that ended a cell, as the last node of its picture.
//!
//! Invariant: the node has no value, so its id is beyond all values, and nothing reads it.

use std::collections::HashMap;

use glowgrad::node::NodeRef;
use glowgrad::op::Op;
use glowgrad::shape;
use glowgrad::trace::NodeId;

use super::{Context, sinks};
use crate::describe::op_name;
use crate::protocol::{GraphNode, NodeKind, StageGraph, TraceEvent};

/// What the picture of a cell leads to where an op's call ended it: what the cell made, and the operands.
pub(super) fn ends(
    mut ends: Vec<NodeRef>,
    made: &[NodeRef],
    context: &Context<'_>,
) -> Vec<NodeRef> {
    if let Some((failure, _)) = context.failed {
        ends.extend(sinks(made, context.since));
        ends.extend(failure.src.iter().filter(|s| s.number.is_none()).cloned());
    }
    ends
}

/// Adds the op's call, as the last thing that happened.
pub(super) fn add(
    graph: &mut StageGraph,
    ids: &HashMap<NodeId, u32>,
    id: u32,
    context: &Context<'_>,
) {
    let Some((failure, why)) = context.failed else {
        return;
    };
    let tensors = || failure.src.iter().filter(|s| s.number.is_none());
    let symbol = symbol_of(failure.op);
    let shapes: Vec<String> = tensors().map(|s| shape::show(&s.shape)).collect();
    let is_sign = !symbol.chars().any(char::is_alphanumeric);
    let formula = match &shapes[..] {
        [a, b] if is_sign => [a, symbol, b].join(" "),
        _ => [symbol, "(", &shapes.join(", "), ")"].concat(),
    };
    graph.nodes.push(GraphNode {
        id,
        kind: NodeKind::Failed,
        op: op_name(failure.op).to_owned(),
        symbol: symbol.to_owned(),
        name: failure.scope.as_deref().map(str::to_owned),
        grad_fn: None,
        src: tensors().filter_map(|s| ids.get(&s.id).copied()).collect(),
        shape: Vec::new(),
        dtype: String::new(),
        requires_grad: false,
        cell: (context.cell_name)(failure.span.cell),
        line: (failure.span.line > 0).then_some(failure.span.line),
        // In a folded module it would not be seen.
        scope: None,
        formula,
        rules: Vec::new(),
        elementwise: false,
        saved: Vec::new(),
        x: 0.0,
        y: 0.0,
    });
    graph.events.push(TraceEvent::Made { node: id });
    graph.failure = Some(why.to_owned());
}

fn symbol_of(op: &'static Op) -> &'static str {
    match op.symbol {
        "" => op_name(op),
        symbol => symbol,
    }
}
