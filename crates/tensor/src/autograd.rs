//! The walk back: gradients as nodes of the same graph.
//!
//! Sources are older than their users, so a heap on node numbers visits every node after all of
//! its users, without recursion and without a sort (PyTorch orders its queue the same way, by
//! sequence number). A rule's gradients are summed back to its operands' shapes here.

use std::cell::{Cell, RefCell};
use std::collections::{BinaryHeap, HashMap, HashSet};
use std::rc::Rc;

use smallvec::SmallVec;

use crate::engine::Engine;
use crate::node::NodeRef;
use crate::op::{Backprop, Grads, Vjp};
use crate::shape;
use crate::tensor::Tensor;
use crate::trace::{Event, NodeId};
use crate::var::Var;
use crate::{Error, Result};

/// Where a gradient ends up: a leaf's `.grad`.
#[derive(Default)]
pub struct GradSlot {
    grad: RefCell<Option<Tensor>>,
    name: RefCell<Option<Rc<str>>>,
    /// Whether the gradient of a result of an op is kept too.
    pub(crate) retains: Cell<bool>,
    hooks: RefCell<Vec<(u64, Hook)>>,
    next_hook: Cell<u64>,
}

/// Sees a gradient as it arrives; what it returns takes the gradient's place.
pub type Hook = Rc<dyn Fn(&Tensor) -> Result<Option<Tensor>>>;

impl GradSlot {
    /// The gradient so far.
    pub fn grad(&self) -> Option<Tensor> {
        self.grad.borrow().clone()
    }

    /// Replaces the gradient.
    pub fn set(&self, grad: Option<Tensor>) {
        let old = self.grad.replace(grad);
        drop(old);
    }

    /// Adds a hook; returns its number.
    pub fn add_hook(&self, hook: Hook) -> u64 {
        let number = self.next_hook.get();
        self.next_hook.set(number + 1);
        self.hooks.borrow_mut().push((number, hook));
        number
    }

    /// Removes a hook; one that is gone already stays gone.
    pub fn remove_hook(&self, number: u64) {
        self.hooks.borrow_mut().retain(|(n, _)| *n != number);
    }

    /// What the session calls the leaf.
    pub fn name(&self) -> Option<Rc<str>> {
        self.name.borrow().clone()
    }

    /// Names the leaf.
    pub fn set_name(&self, name: &str) {
        *self.name.borrow_mut() = Some(name.into());
    }
}

/// The gradient of a user's own function.
pub trait CustomVjp {
    /// What `grad_fn` prints: `SquareBackward`.
    fn name(&self) -> &str;

    /// Gradients for the inputs, in order; none where there is none.
    fn backward(&self, gradient: Tensor) -> Result<Vec<Option<Tensor>>>;
}

/// How a walk back behaves.
#[derive(Debug, Clone, Copy, Default)]
pub struct WalkOptions {
    /// Keep what the rules read, for another walk.
    pub retain_graph: bool,
    /// Put the gradients on the tape, for second derivatives.
    pub create_graph: bool,
}

/// A walk's result for the nodes it was asked about.
type Captured = HashMap<NodeId, Var>;

impl Engine {
    /// Walks back from roots with their gradients. Leaves' slots are filled, unless `targets` names
    /// the nodes whose gradients are wanted instead.
    pub(crate) fn walk(
        &self,
        roots: Vec<(NodeRef, Var)>,
        targets: Option<&HashSet<NodeId>>,
        options: WalkOptions,
    ) -> Result<Captured> {
        let grad_mode = self.set_grad_enabled(options.create_graph);
        let result = self.inside(|| self.walk_inside(roots, targets, options));
        self.set_grad_enabled(grad_mode);
        result
    }

    fn walk_inside(
        &self,
        roots: Vec<(NodeRef, Var)>,
        targets: Option<&HashSet<NodeId>>,
        options: WalkOptions,
    ) -> Result<Captured> {
        let trace = self.trace().clone();
        let mut queue = Queue::default();
        let mut captured = Captured::new();
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
            self.keep_gradient(gradient.node());
            queue.add(self, &root, gradient);
        }
        while let Some((node, gy)) = queue.pop() {
            let gy = self.hooked(&node, gy)?;
            if targets.is_some_and(|t| t.contains(&node.id)) {
                captured.insert(node.id, gy.clone());
            }
            let keeps = |slot: &&Rc<GradSlot>| node.is_leaf() || slot.retains.get();
            if let Some(slot) = node.slot().filter(keeps)
                && targets.is_none()
            {
                filled.push(self.deposit(&node, slot, &gy, options.create_graph)?);
            }
            if node.is_leaf() || useful.as_ref().is_some_and(|u| !u.contains(&node.id)) {
                continue;
            }
            self.check_saved(&node)?;
            let src = node.src();
            let grads = self.rule(&node, &gy)?;
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
                    self.keep_gradient(grad.node());
                    queue.add(self, source, grad);
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
        self.realize_after(&wanted, &visited)?;
        drop(wanted);
        if !options.retain_graph {
            for node in std::mem::take(&mut visited) {
                self.release(&node);
            }
        }
        for root in &ends {
            trace.record(|| Event::BackwardEnd { root: root.id });
        }
        if trace.is_recording() {
            let mut step = self.0.step.borrow_mut();
            step.walked = true;
            step.roots.extend(ends);
        }
        Ok(captured)
    }

    /// A gradient after the hooks of its tensor.
    fn hooked(&self, node: &NodeRef, gy: Var) -> Result<Var> {
        let Some(slot) = node.slot() else {
            return Ok(gy);
        };
        let hooks: Vec<Hook> = slot
            .hooks
            .borrow()
            .iter()
            .map(|(_, hook)| hook.clone())
            .collect();
        let mut gy = gy;
        for hook in hooks {
            let seen = Tensor::from_node(self, gy.node().clone());
            let Some(instead) = hook(&seen)? else {
                continue;
            };
            if instead.shape()[..] != gy.shape()[..] {
                return Err(Error::runtime(format!(
                    "hook: the gradient it returned has shape {}, expected {}",
                    shape::show(&instead.shape()),
                    shape::show(gy.shape())
                )));
            }
            gy = instead.var().to(node.dtype);
        }
        Ok(gy)
    }

    /// Runs a node's rule and fits the gradients to the operands.
    fn rule(&self, node: &NodeRef, gy: &Var) -> Result<Grads> {
        self.check_saved(node)?;
        let src = node.src();
        let b = Backprop {
            node,
            src: src.iter().map(|s| Var::new(self, s.clone())).collect(),
            y: Var::new(self, node.clone()),
            gy: gy.clone(),
        };
        let span = self.replace_span(node.span);
        let rule = |b: &Backprop| match (&node.custom, node.op.vjp) {
            (Some(custom), _) => self.custom_rule(node, custom.as_ref(), &b.gy),
            (None, Vjp::Rule(rule)) => rule(b),
            (None, Vjp::Lowered) => self.lowered_rule(node, b),
            (None, Vjp::None(reason)) => Err(Error::runtime(format!(
                "{} is not differentiable: {reason}",
                node.op.name
            ))),
        };
        let wrapper = self.0.wrapper.borrow().clone();
        let grads = match wrapper {
            Some(wrapper) => wrapper(&b, &rule),
            None => rule(&b),
        };
        self.replace_span(span);
        let mut grads = self.settle(grads?)?;
        grads.resize(src.len(), None);
        for (grad, source) in grads.iter_mut().zip(&src) {
            *grad = grad.take().filter(|_| source.needs_grad).map(|g| {
                let g = if g.shape() == &source.shape {
                    g
                } else {
                    g.sum_to(&source.shape)
                };
                g.to(source.dtype)
            });
        }
        self.settle(grads)
    }

    /// A composite's gradient through the ops it is written in.
    fn lowered_rule(&self, node: &NodeRef, b: &Backprop) -> Result<Grads> {
        let lowered = self.lower(node)?;
        let ends: HashMap<NodeId, usize> = node
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
        queue.add(self, &lowered, b.gy.clone());
        while let Some((inner, gy)) = queue.pop() {
            if let Some(&i) = ends.get(&inner.id) {
                grads[i] = Some(gy);
                continue;
            }
            let parts = self.rule(&inner, &gy)?;
            for (source, part) in inner.src().iter().zip(parts) {
                if let Some(part) = part {
                    queue.add(self, source, part);
                }
            }
        }
        Ok(grads)
    }

    fn custom_rule(&self, node: &NodeRef, custom: &dyn CustomVjp, gy: &Var) -> Result<Grads> {
        let src = node.src();
        let inputs = &src[..src.len() - 1];
        let gradient = Tensor::from_node(self, gy.node().clone());
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
            if input.needs_grad && shape::broadcast("backward", &grad.shape, &input.shape).is_err()
            {
                return Err(Error::runtime(format!(
                    "Function {} returned an invalid gradient at index {i} - got {} but expected shape compatible with {}",
                    custom.name(),
                    shape::show(&grad.shape),
                    shape::show(&input.shape)
                )));
            }
            let grad = Var::new(self, grad);
            let fits = grad.shape().len() >= input.shape.len();
            out.push(Some(if fits {
                grad
            } else {
                grad.expand(&input.shape)
            }));
        }
        Ok(out)
    }

    /// Raises if what the rule reads was let go or written over.
    fn check_saved(&self, node: &NodeRef) -> Result<()> {
        if node.released.get() && (node.op.saves != 0 || node.custom.is_some()) {
            return Err(walked_before());
        }
        for (version, expected) in node.versions.borrow().iter() {
            if version.get() != *expected {
                return Err(Error::runtime(format!(
                    "one of the variables needed for gradient computation has been modified by an inplace operation: {} saved a tensor at version {expected}, it is at version {} now (line {}). Write it out of place, such as x = x + 1, or clone it before.",
                    node.grad_fn().unwrap_or(node.op.name),
                    version.get(),
                    node.span.line
                )));
            }
        }
        Ok(())
    }

    /// As [`Engine::deposit`], after the walk.
    pub(crate) fn deposit_outside(
        &self,
        node: &NodeRef,
        slot: &Rc<GradSlot>,
        gy: &Var,
        options: WalkOptions,
    ) -> Result<()> {
        let grad = self.set_grad_enabled(options.create_graph);
        let held = self.inside(|| self.deposit(node, slot, gy, options.create_graph));
        self.set_grad_enabled(grad);
        self.realize(&[held?])
    }

    /// Adds a gradient to a leaf's slot; returns the node it holds now.
    fn deposit(
        &self,
        node: &NodeRef,
        slot: &Rc<GradSlot>,
        gy: &Var,
        create_graph: bool,
    ) -> Result<NodeRef> {
        let before = slot.grad();
        let accumulated = before.is_some();
        let held = match before {
            None => {
                slot.set(Some(Tensor::from_node(self, gy.node().clone())));
                gy.node().clone()
            }
            Some(before) => {
                let sum = self.settle(Var::new(self, before.node()) + gy)?;
                if create_graph {
                    slot.set(Some(Tensor::from_node(self, sum.node().clone())));
                } else {
                    before.replace_value(sum.node().clone())?;
                }
                self.keep_gradient(sum.node());
                sum.into_node()
            }
        };
        self.trace().record(|| Event::Grad {
            node: node.id,
            gradient: held.id,
            accumulated,
        });
        Ok(held)
    }
}

fn walked_before() -> Error {
    Error::runtime(
        "Trying to backward through the graph a second time (or directly access saved tensors after they have already been freed). Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). Specify retain_graph=True if you need to backward through the graph a second time or if you need to access saved tensors after calling backward.",
    )
}

/// The nodes through which gradients reach the targets, the targets not included unless they lead
/// to others; and whether the way is cut somewhere by a walk before.
fn leading_to<'a>(
    roots: impl Iterator<Item = &'a NodeRef>,
    targets: &HashSet<NodeId>,
) -> (HashSet<NodeId>, bool) {
    let mut found: HashMap<NodeId, NodeRef> = HashMap::new();
    let mut stack: Vec<NodeRef> = roots.cloned().collect();
    while let Some(node) = stack.pop() {
        if found.insert(node.id, node.clone()).is_none() {
            stack.extend(node.src().into_iter().filter(|s| s.needs_grad));
        }
    }
    // Sources are older than their users.
    let mut nodes: Vec<NodeRef> = found.into_values().collect();
    nodes.sort_unstable_by_key(|node| node.id);
    let mut leading = HashSet::new();
    let mut cut = false;
    for node in nodes {
        cut |= node.released.get() && !node.is_leaf() && node.src.borrow().is_empty();
        if node
            .src()
            .iter()
            .any(|s| targets.contains(&s.id) || leading.contains(&s.id))
        {
            leading.insert(node.id);
        }
    }
    (leading, cut)
}

/// Gradients that wait for their node's turn.
#[derive(Default)]
struct Queue {
    heap: BinaryHeap<NodeId>,
    waiting: HashMap<NodeId, (NodeRef, Var)>,
    silent: bool,
}

impl Queue {
    fn add(&mut self, engine: &Engine, node: &NodeRef, gradient: Var) {
        match self.waiting.get_mut(&node.id) {
            None => {
                self.heap.push(node.id);
                self.waiting.insert(node.id, (node.clone(), gradient));
            }
            Some((_, sum)) => {
                let added = gradient.node().id;
                *sum = &*sum + &gradient;
                if !self.silent {
                    let sum = sum.node();
                    engine.keep_gradient(sum);
                    engine.trace().record(|| Event::Accumulate {
                        node: node.id,
                        added,
                        sum: sum.id,
                    });
                }
            }
        }
    }

    fn pop(&mut self) -> Option<(NodeRef, Var)> {
        self.waiting.remove(&self.heap.pop()?)
    }
}

/// Whether the gradient rule of an op reads an operand, given which operands want gradients:
/// products read each operand for the other's gradient.
pub(crate) fn reads_operand(node: &NodeRef, i: usize) -> bool {
    let op = node.op;
    if op.saves & (1 << i) == 0 || i > 2 {
        return false;
    }
    let crosswise = std::ptr::eq(op, &crate::ops::binary::MUL)
        || std::ptr::eq(op, &crate::ops::linear::MATMUL)
        || std::ptr::eq(op, &crate::ops::linear::LINEAR);
    let src = node.src.borrow();
    !crosswise || src.get(1 - i.min(1)).is_some_and(|other| other.needs_grad)
}

/// Remembers the version of what a rule reads.
pub(crate) fn save_version(node: &NodeRef, version: &Rc<Cell<u32>>) {
    node.versions
        .borrow_mut()
        .push((version.clone(), version.get()));
}
