//! From the engine's step to the picture's data: [`StageGraph`].
//!
//! The graph on stage is what led to the tensors on which `backward()` was called, or, before any
//! was, to the results that the last cell made. The caller turns recording off, so that the trace stays
//! that of the learner's run. Which values are shown, `values` decides: nothing here computes or fails.

#[cfg(feature = "python")]
mod failed;

use std::collections::{HashMap, HashSet};

use glowgrad::autograd::GradSlot;
#[cfg(feature = "python")]
use glowgrad::graph::failure::Failure;
use glowgrad::node::NodeRef;
use glowgrad::op::Kind;
use glowgrad::trace::{Event, NodeId};
use glowgrad::{Engine, Result, Scalar, Tensor};

#[cfg(feature = "python")]
use crate::call_site::{NumberedCallSite, numbered};
use crate::describe::{describe, op_name, operands};
use crate::place::{edges, place};
use crate::protocol::{Flow, GraphNode, NodeKind, Preview, Saved, StageGraph, TraceEvent};

/// Most nodes of a graph on stage; the oldest beyond it are left out, and counted.
const MAX_NODES: usize = 12_000;
/// Most nodes that are looked at to count those left out.
const MAX_COUNTED: usize = 20 * MAX_NODES;
/// Most nodes that are placed here; of larger graphs the page places what it has unfolded.
const MAX_PLACED: usize = 2_500;
/// Elements of a preview, and of all previews together: where there are many, each holds fewer.
const PREVIEW_LEN: usize = 64;
const LEAST_PREVIEW_LEN: usize = 4;
const PREVIEWS_LEN: usize = 64 * 1_500;
/// Elements that norm and extremes are taken of; those of a larger tensor are of its first ones. A view
/// may stand for any number of elements without a byte of its own.
pub(crate) const MOST_READ: usize = 1 << 22;
/// Elements of an inspected tensor.
pub(crate) const INSPECT_LEN: usize = 65_536;

/// What a stage graph was made from.
pub(crate) struct Staged {
    pub(crate) graph: StageGraph,
    /// Nodes and gradients by the graph's ids.
    pub(crate) values: Vec<NodeRef>,
}

impl StageGraph {
    /// How many of its nodes have values: all but one that failed, which is the last.
    pub(crate) fn n_with_values(&self) -> usize {
        #[cfg(feature = "python")]
        if self.failure.is_some() {
            return self.nodes.len() - 1;
        }
        self.nodes.len()
    }
}

/// How names and lines are known.
pub(crate) struct Context<'a> {
    /// Variables and parameters that hold tensors.
    pub(crate) names: &'a [(String, Tensor)],
    /// The name of a span's cell.
    pub(crate) cell_name: &'a dyn Fn(u32) -> Option<String>,
    /// The first node that the running cell made.
    pub(crate) since: NodeId,
    /// How the graph is laid out.
    pub(crate) flow: Flow,
    /// Names of tensors that no variable holds any more, by where the code makes them.
    #[cfg(feature = "python")]
    pub(crate) known: Option<&'a HashMap<NumberedCallSite, String>>,
    /// The op's call that ended the cell, and why it was refused.
    #[cfg(feature = "python")]
    pub(crate) failed: Option<(&'a Failure, &'a str)>,
}

/// A step as its picture reads it.
pub(crate) struct Recorded<'a> {
    /// Which one of the session, counted from 1.
    pub(crate) number: u32,
    /// Its first call.
    pub(crate) first: NodeId,
    pub(crate) made: &'a [NodeRef],
    /// How many calls the command made before those, which are kept no more.
    pub(crate) n_left: usize,
    pub(crate) gradients: &'a [NodeRef],
    pub(crate) roots: &'a [NodeRef],
    pub(crate) events: &'a [Event],
}

/// Looks at the engine's step.
pub(crate) fn with_current<T>(engine: &Engine, look: impl FnOnce(&Recorded<'_>) -> T) -> T {
    let (number, first, made, n_left, gradients, roots) = engine.with_step(|step| {
        (
            step.number,
            step.first,
            step.made.clone(),
            step.n_left.get(),
            step.gradients.clone(),
            step.roots.clone(),
        )
    });
    look(&Recorded {
        number,
        first,
        made: &made,
        n_left,
        gradients: &gradients,
        roots: &roots,
        events: &engine.trace().events(),
    })
}

/// A step as a picture's data, without its numbers; none when there is nothing to draw.
pub(crate) fn stage(step: &Recorded<'_>, context: &Context<'_>) -> Option<Staged> {
    let roots = step.roots;
    let ends = if roots.is_empty() {
        sinks(step.made, context.since.max(step.first))
    } else {
        roots.to_vec()
    };
    #[cfg(feature = "python")]
    let ends = failed::ends(ends, step.made, context);
    let (nodes, cut) = ancestors(&ends);
    let begins_in_the_middle = step.n_left > 0
        && nodes
            .iter()
            .any(|node| is_cut(node, context.since.max(step.first)));
    let left = if begins_in_the_middle { step.n_left } else { 0 };
    #[cfg(feature = "python")]
    let is_failed = context.failed.is_some();
    #[cfg(not(feature = "python"))]
    let is_failed = false;
    if nodes.iter().all(|n| operands(n).is_empty()) && !is_failed {
        return None;
    }
    let mut ids: HashMap<NodeId, u32> = HashMap::new();
    let mut values: Vec<NodeRef> = Vec::new();
    for node in &nodes {
        ids.insert(node.id, values.len() as u32);
        values.push(node.clone());
    }
    for gradient in step.gradients {
        if let std::collections::hash_map::Entry::Vacant(entry) = ids.entry(gradient.id) {
            entry.insert(values.len() as u32);
            values.push(gradient.clone());
        }
    }
    let events = events(step.events, &nodes, &ids);
    let root_ids: HashSet<NodeId> = roots.iter().map(|r| r.id).collect();
    let mut graph = StageGraph {
        step: step.number,
        nodes: nodes
            .iter()
            .map(|n| graph_node(n, &ids, &root_ids, context))
            .collect(),
        events,
        dropped: cut + left as u32,
        ..StageGraph::default()
    };
    #[cfg(feature = "python")]
    if let Some(known) = context.known {
        let unnamed = numbered(&nodes).zip(&mut graph.nodes);
        for ((place, _), node) in unnamed.filter(|(_, node)| node.name.is_none()) {
            node.name = known.get(&place).cloned();
        }
    }
    #[cfg(feature = "python")]
    failed::add(&mut graph, &ids, values.len() as u32, context);
    if graph.nodes.len() <= MAX_PLACED {
        place(&mut graph, context.flow);
    } else {
        graph.edges = edges(&graph.nodes, std::iter::repeat(&Vec::new()));
    }
    Some(Staged { graph, values })
}

/// Whether a node is a call of a step that began with node `first`, and what it read is kept no more.
fn is_cut(node: &NodeRef, first: NodeId) -> bool {
    node.id >= first && !matches!(node.op.kind, Kind::Leaf) && node.src().is_empty()
}

/// Results of the running cell that nothing else reads.
fn sinks(made: &[NodeRef], since: NodeId) -> Vec<NodeRef> {
    let read: HashSet<NodeId> = made.iter().flat_map(operands).map(|n| n.id).collect();
    made.iter()
        .filter(|n| n.id >= since && !read.contains(&n.id) && !operands(n).is_empty())
        .cloned()
        .collect()
}

/// Everything that led to some nodes, oldest first; at most [`MAX_NODES`], the newest. And how many
/// were left out, as far as they are counted.
fn ancestors(ends: &[NodeRef]) -> (Vec<NodeRef>, u32) {
    let mut found: HashMap<NodeId, NodeRef> = HashMap::new();
    let mut stack: Vec<NodeRef> = ends.to_vec();
    while let Some(node) = stack.pop() {
        if found.contains_key(&node.id) || found.len() >= MAX_COUNTED {
            continue;
        }
        stack.extend(operands(&node));
        found.insert(node.id, node);
    }
    let mut nodes: Vec<NodeRef> = found.into_values().collect();
    nodes.sort_by_key(|n| n.id);
    let cut = nodes.len().saturating_sub(MAX_NODES);
    (nodes.split_off(cut), cut as u32)
}

/// The events of the drawn nodes. A node made in an earlier step enters just before its first use.
fn events(trace: &[Event], nodes: &[NodeRef], ids: &HashMap<NodeId, u32>) -> Vec<TraceEvent> {
    let drawn: HashMap<NodeId, &NodeRef> = nodes.iter().map(|n| (n.id, n)).collect();
    let mut made: HashSet<NodeId> = HashSet::new();
    let mut out = Vec::new();
    let id = |node: &NodeId| ids.get(node).copied();
    for event in trace {
        match event {
            Event::Made { node } => {
                if let Some(node) = drawn.get(node) {
                    enter(node, &drawn, &mut made, ids, &mut out);
                }
            }
            Event::Backward { root, gradient } => {
                nodes.iter().for_each(|n| {
                    if n.id <= *root {
                        enter(n, &drawn, &mut made, ids, &mut out);
                    }
                });
                if let (Some(root), Some(gradient)) = (id(root), id(gradient)) {
                    out.push(TraceEvent::Backward { root, gradient });
                }
            }
            Event::Vjp {
                node,
                gradient,
                grads,
            } => {
                let Some(drawn) = drawn.get(node) else {
                    continue;
                };
                let src = drawn.src();
                let grads = grads
                    .iter()
                    .zip(src.iter())
                    .filter(|(_, s)| s.number.is_none())
                    .take(operands(drawn).len())
                    .map(|(g, _)| g.as_ref().and_then(id))
                    .collect();
                if let (Some(node), Some(gradient)) = (id(node), id(gradient)) {
                    out.push(TraceEvent::Vjp {
                        node,
                        gradient,
                        grads,
                    });
                }
            }
            Event::Accumulate { node, added, sum } => {
                if let (true, Some(node), Some(added), Some(sum)) =
                    (drawn.contains_key(node), id(node), id(added), id(sum))
                {
                    out.push(TraceEvent::Accumulate { node, added, sum });
                }
            }
            Event::Grad {
                node,
                gradient,
                accumulated,
            } => {
                if let (true, Some(node), Some(gradient)) =
                    (drawn.contains_key(node), id(node), id(gradient))
                {
                    out.push(TraceEvent::Grad {
                        node,
                        gradient,
                        accumulated: *accumulated,
                    });
                }
            }
            Event::BackwardEnd { root } => {
                if let Some(root) = id(root) {
                    out.push(TraceEvent::BackwardEnd { root });
                }
            }
            Event::Write { .. }
            | Event::Scheduled { .. }
            | Event::Ran { .. }
            | Event::Allocated { .. }
            | Event::Freed { .. } => {}
        }
    }
    for node in nodes {
        enter(node, &drawn, &mut made, ids, &mut out);
    }
    out
}

/// Adds that a node was made, after its operands.
fn enter(
    node: &NodeRef,
    drawn: &HashMap<NodeId, &NodeRef>,
    made: &mut HashSet<NodeId>,
    ids: &HashMap<NodeId, u32>,
    out: &mut Vec<TraceEvent>,
) {
    let mut stack = vec![(node.clone(), false)];
    while let Some((node, ready)) = stack.pop() {
        if made.contains(&node.id) || !drawn.contains_key(&node.id) {
            continue;
        }
        if ready {
            made.insert(node.id);
            out.push(TraceEvent::Made {
                node: ids[&node.id],
            });
        } else {
            stack.push((node.clone(), true));
            stack.extend(operands(&node).into_iter().rev().map(|n| (n, false)));
        }
    }
}

fn graph_node(
    node: &NodeRef,
    ids: &HashMap<NodeId, u32>,
    roots: &HashSet<NodeId>,
    context: &Context<'_>,
) -> GraphNode {
    let is_leaf = operands(node).is_empty();
    let kind = match () {
        () if roots.contains(&node.id) => NodeKind::Loss,
        () if is_leaf && node.needs_grad => NodeKind::Parameter,
        () if is_leaf => NodeKind::Input,
        () => NodeKind::Op,
    };
    let about = if is_leaf {
        Default::default()
    } else {
        describe(node)
    };
    GraphNode {
        id: ids[&node.id],
        kind,
        op: if is_leaf { "leaf" } else { op_name(node.op) }.to_owned(),
        symbol: about.symbol,
        name: name_of(node, context.names),
        grad_fn: node.grad_fn().map(|name| format!("<{name}>")),
        src: operands(node)
            .iter()
            .filter_map(|s| ids.get(&s.id).copied())
            .collect(),
        shape: node.shape.to_vec(),
        dtype: node.dtype.name().to_owned(),
        requires_grad: node.needs_grad,
        cell: (context.cell_name)(node.span.cell),
        line: (node.span.line > 0).then_some(node.span.line),
        scope: node.scope.as_deref().map(str::to_owned),
        formula: about.formula,
        rules: about.rules,
        elementwise: about.elementwise,
        saved: about
            .saved
            .into_iter()
            .filter_map(|(name, value)| {
                Some(Saved {
                    name,
                    value: *ids.get(&value.id)?,
                })
            })
            .collect(),
        x: 0.0,
        y: 0.0,
    }
}

/// The variable that holds a node: the same leaf (a write gives it a new node), or the same node.
pub(crate) fn name_of(node: &NodeRef, names: &[(String, Tensor)]) -> Option<String> {
    let slot: Option<&std::rc::Rc<GradSlot>> = node.slot();
    let held = |tensor: &Tensor| {
        let held = tensor.node();
        held.id == node.id
            || slot.is_some_and(|slot| {
                held.slot()
                    .is_some_and(|other| std::rc::Rc::ptr_eq(slot, other))
            })
    };
    let mut found = names
        .iter()
        .filter(|(_, tensor)| held(tensor))
        .map(|(name, _)| name);
    let first = found.next()?;
    // A loop over the parameters leaves a variable that holds the last of them.
    let path = (!first.contains('.'))
        .then(|| found.find(|name| name.contains('.')))
        .flatten();
    Some(path.unwrap_or(first).clone())
}

/// Elements of each preview of a picture with so many values.
pub(crate) fn preview_len(n_values: usize) -> usize {
    (PREVIEWS_LEN / n_values.max(1)).clamp(LEAST_PREVIEW_LEN, PREVIEW_LEN)
}

/// A value's numbers.
pub(crate) fn preview(engine: &Engine, id: u32, node: &NodeRef, len: usize) -> Result<Preview> {
    let values = Scalar::of_bytes(&engine.read_first(node, MOST_READ)?, node.dtype);
    let (mut squares, mut sum, mut non_finite) = (0.0, 0.0, 0);
    let (mut min, mut max) = (f64::NAN, f64::NAN);
    for (i, x) in values.iter().map(|v| v.as_f64()).enumerate() {
        squares += x * x;
        sum += x;
        non_finite += u32::from(!x.is_finite());
        // NaN stays: a picture must not hide one behind a comparison.
        if i == 0 || x.is_nan() || x < min {
            min = x;
        }
        if i == 0 || x.is_nan() || x > max {
            max = x;
        }
    }
    Ok(Preview {
        id,
        shape: node.shape.to_vec(),
        dtype: node.dtype.name().to_owned(),
        norm: squares.sqrt(),
        min,
        max,
        mean: sum / values.len() as f64,
        read: values.len(),
        non_finite,
        values: values.iter().take(len).map(|v| v.as_f64()).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_a_large_value_say_of_how_many_elements_they_are() -> Result<()> {
        let engine = glowgrad::cpu();
        let small = Tensor::from_f32(&engine, &[3.0, 4.0], &[2])?;
        let shown = preview(&engine, 0, &small.node(), 64)?;
        assert_eq!((shown.norm, shown.read), (5.0, 2));
        let large = Tensor::from_f32(&engine, &[1.0], &[1])?.expand(&[MOST_READ as i64 + 1])?;
        let shown = preview(&engine, 0, &large.node(), 64)?;
        assert_eq!((shown.norm, shown.read), (2048.0, MOST_READ));
        Ok(())
    }

    #[test]
    fn a_parameter_is_named_by_its_path_and_not_by_a_loop_variable() -> Result<()> {
        let engine = glowgrad::cpu();
        let bias = Tensor::from_f32(&engine, &[0.5], &[1])?;
        bias.set_requires_grad(true)?;
        let names = |all: &[&str]| -> Vec<(String, Tensor)> {
            all.iter()
                .map(|name| ((*name).to_owned(), bias.clone()))
                .collect()
        };
        let named = |all: &[&str]| name_of(&bias.node(), &names(all));
        assert_eq!(
            named(&["parameter", "model.2.bias"]).as_deref(),
            Some("model.2.bias")
        );
        assert_eq!(
            named(&["model.2.bias", "parameter"]).as_deref(),
            Some("model.2.bias")
        );
        assert_eq!(named(&["b", "same"]).as_deref(), Some("b"));
        assert_eq!(named(&[]), None);
        Ok(())
    }
}
