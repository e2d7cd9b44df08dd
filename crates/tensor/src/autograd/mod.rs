//! The backward pass: gradients as nodes of the same graph.
//!
//! Sources are older than their users, so a heap on node numbers visits every node after all of
//! its users, without recursion and without a sort (PyTorch orders its queue the same way, by
//! sequence number). A rule's gradients are summed back to its operands' shapes here.

mod anomaly;
mod saved;

use std::collections::BinaryHeap;
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use crate::graph::{CustomRule, Engine, GraphValue, NodeRef, Operand, Side};
use crate::op::{Backprop, Grads, Vjp};
use crate::shape;
use crate::trace::{Event, NodeId};
use crate::{Error, Result};

pub use crate::graph::{Anomaly, GradSlot};

use saved::walked_before;

/// How a backward pass behaves.
#[derive(Debug, Clone, Copy, Default)]
pub struct BackwardOptions {
    /// Keep what the rules read, for another walk.
    pub retain_graph: bool,
    /// Put the gradients on the tape, for second derivatives.
    pub create_graph: bool,
}

/// A walk's result for the nodes it was asked about.
type Captured = FxHashMap<NodeId, GraphValue>;

/// A backward pass through an engine's graph.
pub(crate) struct BackwardPass<'a> {
    engine: &'a Engine,
}

impl BackwardPass<'_> {
    /// Through this engine's graph.
    pub(crate) fn of(engine: &Engine) -> BackwardPass<'_> {
        BackwardPass { engine }
    }

    /// Walks back from roots with their gradients. Leaves' slots are filled, unless `targets` names
    /// the nodes whose gradients are wanted instead.
    pub(crate) fn run_backward(
        &self,
        roots: Vec<(NodeRef, GraphValue)>,
        targets: Option<&FxHashSet<NodeId>>,
        options: BackwardOptions,
    ) -> Result<Captured> {
        let grad_mode = self.engine.set_grad_enabled(options.create_graph);
        let result = self
            .engine
            .internal_scope(|| self.run_backward_inside(roots, targets, options));
        self.engine.set_grad_enabled(grad_mode);
        result
    }

    fn run_backward_inside(
        &self,
        roots: Vec<(NodeRef, GraphValue)>,
        targets: Option<&FxHashSet<NodeId>>,
        options: BackwardOptions,
    ) -> Result<Captured> {
        let trace = self.engine.trace().clone();
        let mut queue = Queue::default();
        let mut captured = Captured::default();
        let mut filled: Vec<NodeRef> = Vec::new();
        let mut visited: Vec<NodeRef> = Vec::new();
        let (useful, cut) = match targets {
            Some(targets) => {
                let (useful, cut) = leading_to(roots.iter().map(|(root, _)| root), targets);
                (Some(useful), cut)
            }
            None => (None, false),
        };
        let ends: Vec<NodeRef> = roots.iter().map(|(root, _)| root.clone()).collect();
        for (root, gradient) in roots {
            trace.record(|| Event::Backward {
                root: root.id,
                gradient: gradient.node().id,
            });
            self.engine.keep_gradient(gradient.node());
            queue.add(self.engine, &root, gradient);
        }
        while let Some((node, gy)) = queue.pop() {
            let gy = self.hooked(&node, gy)?;
            if targets.is_some_and(|t| t.contains(&node.gradient_id())) {
                captured.insert(node.gradient_id(), gy.clone());
            }
            // A gradient that is retained is kept by `autograd.grad` too; leaves' are not.
            let keeps = |slot: &&Rc<GradSlot>| match node.is_leaf() {
                true => targets.is_none(),
                false => slot.retains.get(),
            };
            if let Some(slot) = node.slot().filter(keeps) {
                filled.push(self.deposit(&node, slot, &gy, options.create_graph)?);
                if node.is_leaf() {
                    slot.run_after_hooks()?;
                }
            }
            if node.is_leaf() || useful.as_ref().is_some_and(|u| !u.contains(&node.id)) {
                continue;
            }
            self.check_saved(&node)?;
            let src = node.src();
            let grads = self
                .engine
                .owned(&node, Side::Backward, || self.rule(&node, &gy))?;
            self.check_anomaly(&node, &grads)?;
            visited.push(node.clone());
            trace.record(|| Event::Vjp {
                node: node.id,
                gradient: gy.node().id,
                grads: grads
                    .iter()
                    .map(|g| g.as_ref().map(|g| g.node().id))
                    .collect(),
            });
            for (source, grad) in src.iter().zip(grads) {
                if let Some(grad) = grad {
                    self.engine.keep_gradient(grad.node());
                    queue.add(self.engine, source, grad);
                }
            }
        }
        if cut && targets.is_some_and(|t| t.iter().any(|id| !captured.contains_key(id))) {
            return Err(walked_before());
        }
        if !options.retain_graph {
            visited.iter().for_each(|node| node.released.set(true));
        }
        let mut wanted: Vec<NodeRef> = ends.clone();
        wanted.extend(filled);
        wanted.extend(captured.values().map(|v| v.node().clone()));
        self.engine
            .runtime()
            .realize(self.engine, &wanted, &visited)?;
        drop(wanted);
        if !options.retain_graph {
            for node in std::mem::take(&mut visited) {
                self.engine.release(&node);
            }
        }
        for root in &ends {
            trace.record(|| Event::BackwardEnd { root: root.id });
        }
        self.engine.backward_ended(ends);
        Ok(captured)
    }

    /// A gradient after the hooks of its tensor.
    fn hooked(&self, node: &NodeRef, gy: GraphValue) -> Result<GraphValue> {
        let Some(slot) = node.slot() else {
            return Ok(gy);
        };
        let mut gy = gy;
        for hook in slot.hooks() {
            let seen = Operand::from_node(self.engine, gy.node().clone());
            let Some(instead) = hook(&seen)? else {
                continue;
            };
            if instead.shape()[..] != gy.shape()[..] {
                return Err(Error::runtime(format!(
                    "hook has changed the size of value (was {} got {}); return a gradient of the same shape, or None",
                    shape::show(gy.shape()),
                    shape::show(&instead.shape())
                )));
            }
            if instead.dtype() != gy.dtype() {
                return Err(Error::runtime(format!(
                    "hook has changed the type of value (was {} got {}); convert what it returns with .to()",
                    gy.dtype().tensor_type(),
                    instead.dtype().tensor_type()
                )));
            }
            gy = instead.var();
        }
        Ok(gy)
    }

    /// Runs a node's rule and fits the gradients to the operands.
    fn rule(&self, node: &NodeRef, gy: &GraphValue) -> Result<Grads> {
        self.check_saved(node)?;
        let src = node.src();
        let b = Backprop {
            node,
            src: (src.iter().enumerate())
                .map(|(i, s)| GraphValue::new(self.engine, self.saved_now(node, Some(i), s)))
                .collect(),
            y: GraphValue::new(self.engine, self.saved_now(node, None, node)),
            gy: gy.clone(),
        };
        let span = self.engine.replace_span(node.span);
        let device = self.engine.set_device(node.device);
        let rule = |b: &Backprop| match (&node.custom, node.op.vjp) {
            (Some(custom), _) => self.custom_rule(node, custom.as_ref(), &b.gy),
            (None, Vjp::Rule(rule)) => rule(b),
            (None, Vjp::Lowered) => self.lowered_rule(node, b),
            (None, Vjp::None(reason)) => Err(Error::runtime(format!(
                "{} is not differentiable: {reason}",
                node.op.name
            ))),
        };
        let wrapper = self.engine.0.wrapper.borrow().clone();
        let grads = match wrapper {
            Some(wrapper) => wrapper(&b, &rule),
            None => rule(&b),
        };
        self.engine.set_device(device);
        self.engine.replace_span(span);
        let mut grads = self.engine.settle(grads?)?;
        grads.resize(src.len(), None);
        for (grad, source) in grads.iter_mut().zip(&src) {
            *grad = grad.take().filter(|_| source.needs_grad).map(|g| {
                let g = if g.shape() == &source.shape {
                    g
                } else {
                    g.sum_to(&source.shape)
                };
                g.to(source.dtype).to_device(source.device)
            });
        }
        self.engine.settle(grads)
    }

    /// A composite's gradient through the ops it is written in.
    fn lowered_rule(&self, node: &NodeRef, b: &Backprop) -> Result<Grads> {
        let lowered = self.engine.lower(node)?;
        let ends: FxHashMap<NodeId, usize> = node
            .src()
            .iter()
            .enumerate()
            .map(|(i, s)| (s.id, i))
            .collect();
        let mut queue = Queue {
            silent: true,
            ..Queue::default()
        };
        let mut grads: Grads = SmallVec::from_elem(None, ends.len().max(node.src().len()));
        if !lowered.needs_grad {
            // No way leads back from what it is written in, and its sources may have been let go.
            return Ok(grads);
        }
        queue.add(self.engine, &lowered, b.gy.clone());
        while let Some((inner, gy)) = queue.pop() {
            if let Some(&i) = ends.get(&inner.id) {
                grads[i] = Some(gy);
                continue;
            }
            let parts = self.rule(&inner, &gy)?;
            for (source, part) in inner.src().iter().zip(parts) {
                if let Some(part) = part {
                    queue.add(self.engine, source, part);
                }
            }
        }
        Ok(grads)
    }

    fn custom_rule(
        &self,
        node: &NodeRef,
        custom: &dyn CustomRule,
        gy: &GraphValue,
    ) -> Result<Grads> {
        let src = node.src();
        let inputs = &src[..src.len() - 1];
        let gradient = Operand::from_node(self.engine, gy.node().clone());
        let grads = custom.backward(gradient)?;
        if grads.len() != inputs.len() {
            return Err(Error::runtime(format!(
                "function {} returned an incorrect number of gradients (expected {}, got {})",
                custom.name(),
                inputs.len(),
                grads.len()
            )));
        }
        let mut out = Grads::new();
        for (i, (grad, input)) in grads.into_iter().zip(inputs).enumerate() {
            let Some(grad) = grad else {
                out.push(None);
                continue;
            };
            let grad = grad.node();
            // A gradient of the stretched input is summed later, as in PyTorch; a smaller one is a
            // mistake.
            let met = shape::broadcast("backward", &grad.shape, &input.shape);
            if input.needs_grad && met.ok().as_deref() != Some(&grad.shape[..]) {
                return Err(Error::runtime(format!(
                    "Function {} returned an invalid gradient at index {i} - got {} but expected shape compatible with {}",
                    custom.name(),
                    shape::show(&grad.shape),
                    shape::show(&input.shape)
                )));
            }
            out.push(Some(GraphValue::new(self.engine, grad)));
        }
        Ok(out)
    }

    /// As [`Engine::deposit`], after the walk.
    pub(crate) fn deposit_outside(
        &self,
        node: &NodeRef,
        slot: &Rc<GradSlot>,
        gy: &GraphValue,
        options: BackwardOptions,
    ) -> Result<()> {
        let grad = self.engine.set_grad_enabled(options.create_graph);
        let held = self
            .engine
            .internal_scope(|| self.deposit(node, slot, gy, options.create_graph));
        self.engine.set_grad_enabled(grad);
        self.engine.realize(&[held?])?;
        slot.run_after_hooks()
    }

    /// Adds a gradient to a leaf's slot; returns the node it holds now.
    fn deposit(
        &self,
        node: &NodeRef,
        slot: &Rc<GradSlot>,
        gy: &GraphValue,
        create_graph: bool,
    ) -> Result<NodeRef> {
        let before = slot.held();
        let accumulated = before.is_some();
        let held = match before {
            None => {
                slot.hold(Some(Operand::from_node(self.engine, gy.node().clone())));
                gy.node().clone()
            }
            Some(before) => {
                let sum = self.engine.owned(node, Side::Backward, || {
                    GraphValue::new(self.engine, before.node()) + gy
                });
                let sum = self.engine.settle(sum)?;
                if create_graph {
                    slot.hold(Some(Operand::from_node(self.engine, sum.node().clone())));
                } else {
                    before.replace_value(sum.node().clone())?;
                }
                self.engine.keep_gradient(sum.node());
                sum.into_node()
            }
        };
        self.engine.trace().record(|| Event::Grad {
            node: node.id,
            gradient: held.id,
            accumulated,
        });
        Ok(held)
    }
}

/// The nodes through which gradients reach the targets, the targets not included unless they lead
/// to others; and whether the way is cut somewhere by a walk before.
fn leading_to<'a>(
    roots: impl Iterator<Item = &'a NodeRef>,
    targets: &FxHashSet<NodeId>,
) -> (FxHashSet<NodeId>, bool) {
    let mut found: FxHashMap<NodeId, NodeRef> = FxHashMap::default();
    let mut stack: Vec<NodeRef> = roots.cloned().collect();
    while let Some(node) = stack.pop() {
        if found.insert(node.id, node.clone()).is_none() {
            stack.extend(node.src().into_iter().filter(|s| s.needs_grad));
        }
    }
    // Sources are older than their users.
    let mut nodes: Vec<NodeRef> = found.into_values().collect();
    nodes.sort_unstable_by_key(|node| node.id);
    let mut leading = FxHashSet::default();
    let mut cut = false;
    for node in nodes {
        cut |= node.released.get() && !node.is_leaf() && node.src.borrow().is_empty();
        if node
            .src()
            .iter()
            .any(|s| targets.contains(&s.gradient_id()) || leading.contains(&s.id))
        {
            leading.insert(node.id);
        }
    }
    (leading, cut)
}

/// Gradients that wait for their node's turn, by [`crate::node::Node::gradient_id`]: what reads any of a leaf's nodes is younger
/// than the first.
#[derive(Default)]
struct Queue {
    heap: BinaryHeap<NodeId>,
    waiting: FxHashMap<NodeId, (NodeRef, GraphValue)>,
    silent: bool,
}

impl Queue {
    fn add(&mut self, engine: &Engine, node: &NodeRef, gradient: GraphValue) {
        let place = match self.silent {
            true => node.id,
            false => node.gradient_id(),
        };
        match self.waiting.get_mut(&place) {
            None => {
                self.heap.push(place);
                self.waiting.insert(place, (node.clone(), gradient));
            }
            Some((at, sum)) => {
                // Of a leaf that was written meanwhile, the node that it has now.
                if at.id < node.id {
                    *at = node.clone();
                }
                let added = gradient.node().id;
                *sum = engine.owned(node, Side::Backward, || &*sum + &gradient);
                if !self.silent {
                    let sum = sum.node();
                    engine.keep_gradient(sum);
                    engine.trace().record(|| Event::Accumulate {
                        node: at.id,
                        added,
                        sum: sum.id,
                    });
                }
            }
        }
    }

    fn pop(&mut self) -> Option<(NodeRef, GraphValue)> {
        self.waiting.remove(&self.heap.pop()?)
    }
}
