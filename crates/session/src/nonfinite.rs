//! Where a step's numbers first went wrong: the first NaN and the first infinity, of values and of gradients.
//!
//! The trace is read in order, so that what is found first had only finite numbers before it. A value's infinities
//! are no fault where they are meant, which `meant` decides; a NaN always is one. Of gradients a finding is named
//! only where nothing that the rule read explains it: it is then the way back that made it.
//!
//! Invariant: numbers are read and none is computed by other rules than the engine's; at most [`MOST_READ`] elements
//! are read again, and beyond them a finding has no element. Its sentence is written in `words`.

mod meant;
mod words;

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use glowgrad::node::NodeRef;
use glowgrad::op::{Attr, Op};

use crate::describe::operands;
use crate::protocol::{
    Finding, GraphNode, NodeKind, NonFinite, NonFiniteKind, Preview, StageGraph, TraceEvent,
};

/// Elements that are read for one graph, beside those of its previews.
const MOST_READ: usize = 1 << 25;

/// The numbers of a value, and the node behind it where the engine has one.
pub(crate) trait Numbers {
    /// A value's first elements in row-major order.
    fn read(&self, id: u32) -> Option<Vec<f64>>;
    /// The node of a value.
    fn node(&self, id: u32) -> Option<NodeRef>;
    /// The op that a value is of, where it is one of the registry or of the graph's own.
    fn op(&self, id: u32) -> Option<&'static Op> {
        self.node(id).map(|node| node.op)
    }
}

/// What a node reads: a value of the graph, or a number that the learner wrote.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Operand {
    Value(u32),
    Number(f64),
}

/// What is wrong with the numbers of a graph; none where all of them are finite.
pub(crate) fn find(graph: &StageGraph, numbers: &dyn Numbers) -> Option<NonFinite> {
    if graph.previews.iter().all(|each| each.non_finite == 0) {
        return None;
    }
    let mut finder = Finder {
        graph,
        numbers,
        budget: Cell::new(MOST_READ),
        read: RefCell::default(),
        previews: graph.previews.iter().map(|each| (each.id, each)).collect(),
        nodes: graph.nodes.iter().map(|each| (each.id, each)).collect(),
        users: HashMap::new(),
        found: NonFinite::default(),
    };
    for node in &graph.nodes {
        for source in &node.src {
            finder.users.entry(*source).or_default().push(node.id);
        }
    }
    finder.walk();
    Some(finder.found)
}

/// How many values are kept at a time.
const MOST_KEPT: usize = 6;

pub(super) struct Finder<'a> {
    graph: &'a StageGraph,
    numbers: &'a dyn Numbers,
    budget: Cell<usize>,
    /// What was read last.
    read: RefCell<Vec<(u32, Rc<Vec<f64>>)>>,
    previews: HashMap<u32, &'a Preview>,
    nodes: HashMap<u32, &'a GraphNode>,
    users: HashMap<u32, Vec<u32>>,
    found: NonFinite,
}

/// Which of a value's numbers a finding is about.
pub(super) fn is_of(kind: NonFiniteKind, x: f64) -> bool {
    match kind {
        NonFiniteKind::Nan => x.is_nan(),
        NonFiniteKind::Inf => x == f64::INFINITY,
        NonFiniteKind::MinusInf => x == f64::NEG_INFINITY,
    }
}

pub(super) fn kind_of(x: f64) -> NonFiniteKind {
    match x {
        x if x.is_nan() => NonFiniteKind::Nan,
        x if x > 0.0 => NonFiniteKind::Inf,
        _ => NonFiniteKind::MinusInf,
    }
}

impl Finder<'_> {
    fn walk(&mut self) {
        let graph = self.graph;
        for (at, event) in graph.events.iter().enumerate() {
            match event {
                TraceEvent::Made { node } => self.made(at, *node),
                TraceEvent::Backward { root, gradient } => self.began(at, *root, *gradient),
                TraceEvent::Vjp {
                    node,
                    gradient,
                    grads,
                } => self.rule(at, *node, *gradient, grads),
                TraceEvent::Accumulate { node, added, sum } => {
                    self.accumulated(at, *node, *added, *sum);
                }
                TraceEvent::Grad { .. }
                | TraceEvent::BackwardEnd { .. }
                | TraceEvent::Write { .. } => {}
            }
        }
    }

    fn made(&mut self, at: usize, id: u32) {
        let Some(&node) = self.nodes.get(&id) else {
            return;
        };
        if self.has(false, true) || !self.is_broken(id) {
            return;
        }
        if self.has_nan(id) {
            let place = self.place(id, f64::is_nan);
            let (text, made) = self.forward(node, NonFiniteKind::Nan, place);
            self.add(NonFiniteKind::Nan, false, node, at, place, (text, made));
            // An infinity beside it is a fault of its own: behind the NaN none is looked for.
            if !self.has(false, false) && self.values(id).is_some() {
                self.infinity(at, node);
            }
            return;
        }
        if !self.has(false, false) && !self.infinity(at, node) {
            self.found.meant.push(id);
        }
    }

    /// Takes the first infinity of a node's values that is not meant; whether there is one.
    fn infinity(&mut self, at: usize, node: &GraphNode) -> bool {
        let id = node.id;
        // A single number on which backward() is called measures something: an infinity there is no mask.
        let is_loss = node.kind == NodeKind::Loss && node.shape.iter().product::<usize>() == 1;
        let place = match self.values(id) {
            Some(values) if is_loss => values.iter().position(|x| x.is_infinite()),
            Some(values) => self.first_made(node, &values),
            // The numbers are out of reach: what came in decides.
            None => (!self.may_carry(node)).then_some(0),
        };
        match place {
            Some(place) if is_loss || !self.is_absorbed(node) => {
                let read = self.values(id);
                let number = read.as_ref().and_then(|values| values.get(place)).copied();
                let number = number.unwrap_or(f64::INFINITY);
                let kind = kind_of(number);
                let place = read.is_some().then_some(place);
                let (text, made) = self.forward(node, kind, place);
                self.add(kind, false, node, at, place, (text, made));
                true
            }
            _ => false,
        }
    }

    fn began(&mut self, at: usize, root: u32, gradient: u32) {
        let Some(&node) = self.nodes.get(&root) else {
            return;
        };
        if let Some(kind) = self.kind(gradient)
            && !self.has(true, kind == NonFiniteKind::Nan)
        {
            let place = self.place(gradient, |x| is_of(kind, x));
            let text = format!(
                "backward() began with {} at {}",
                words::kind(kind),
                words::title(node)
            );
            self.add(kind, true, node, at, place, (text, Vec::new()));
        }
    }

    fn rule(&mut self, at: usize, id: u32, gradient: u32, grads: &[Option<u32>]) {
        let Some(&node) = self.nodes.get(&id) else {
            return;
        };
        for (operand, grad) in grads.iter().enumerate() {
            let Some(grad) = *grad else { continue };
            let Some(kind) = self.kind(grad) else {
                continue;
            };
            let is_nan = kind == NonFiniteKind::Nan;
            if self.has(true, true) || self.has(true, is_nan) {
                continue;
            }
            let explained = if is_nan {
                let read = std::iter::once(&gradient).chain(&node.src);
                read.chain([&id]).any(|&value| self.has_nan(value))
            } else {
                let unmeant =
                    |value: &u32| self.is_broken(*value) && !self.found.meant.contains(value);
                unmeant(&gradient) || node.src.iter().any(unmeant)
            };
            if !explained {
                let place = self.place(grad, |x| is_of(kind, x));
                let told = self.backward(node, kind, operand, gradient, grad, place);
                self.add(kind, true, node, at, place, told);
            }
        }
    }

    fn accumulated(&mut self, at: usize, id: u32, added: u32, sum: u32) {
        let (Some(&node), Some(kind)) = (self.nodes.get(&id), self.kind(sum)) else {
            return;
        };
        let is_nan = kind == NonFiniteKind::Nan;
        let explained = match is_nan {
            true => self.has_nan(added),
            false => self.is_broken(added),
        };
        if explained || self.has(true, true) || self.has(true, is_nan) {
            return;
        }
        let place = self.place(sum, |x| is_of(kind, x));
        let text = format!(
            "adding gradients of {}: {} {}",
            words::title(node),
            words::element(place.map(|place| words::index(place, self.shape(sum)))),
            words::kind(kind),
        );
        let made = vec![self.ingredient("added", "", added, place)];
        self.add(kind, true, node, at, place, (text, made));
    }

    /// Whether a NaN was found, or an infinity.
    fn has(&self, backward: bool, nan: bool) -> bool {
        let is_it =
            |each: &Finding| each.backward == backward && (each.kind == NonFiniteKind::Nan) == nan;
        self.found.findings.iter().any(is_it)
    }

    fn add(
        &mut self,
        kind: NonFiniteKind,
        backward: bool,
        node: &GraphNode,
        at: usize,
        place: Option<usize>,
        (text, made): words::Told,
    ) {
        let TraceEvent::Vjp { grads, .. } = &self.graph.events[at] else {
            let shape = match &self.graph.events[at] {
                TraceEvent::Accumulate { sum, .. } => self.shape(*sum),
                _ => &node.shape[..],
            };
            let element = place.map(|place| words::index(place, shape));
            return self.push(kind, backward, node, at, element, (text, made));
        };
        let broken = grads
            .iter()
            .flatten()
            .find(|id| self.kind(**id) == Some(kind));
        let shape = broken.map_or(&node.shape[..], |id| self.shape(*id));
        let element = place.map(|place| words::index(place, shape));
        self.push(kind, backward, node, at, element, (text, made));
    }

    fn push(
        &mut self,
        kind: NonFiniteKind,
        backward: bool,
        node: &GraphNode,
        at: usize,
        element: Option<Vec<usize>>,
        (text, made): words::Told,
    ) {
        self.found.findings.push(Finding {
            kind,
            backward,
            node: node.id,
            event: at as u32,
            element,
            text,
            made,
        });
    }

    pub(super) fn is_broken(&self, id: u32) -> bool {
        self.previews
            .get(&id)
            .is_some_and(|each| each.non_finite > 0)
    }

    /// Of a preview that holds NaN, the least and the largest are NaN.
    pub(super) fn has_nan(&self, id: u32) -> bool {
        self.is_broken(id) && self.previews[&id].min.is_nan()
    }

    /// What a broken value holds; NaN where it holds both.
    fn kind(&self, id: u32) -> Option<NonFiniteKind> {
        let preview = self.previews.get(&id).filter(|each| each.non_finite > 0)?;
        Some(match () {
            () if preview.min.is_nan() => NonFiniteKind::Nan,
            () if preview.max == f64::INFINITY => NonFiniteKind::Inf,
            () => NonFiniteKind::MinusInf,
        })
    }

    pub(super) fn shape(&self, id: u32) -> &[usize] {
        self.previews.get(&id).map_or(&[], |each| &each.shape)
    }

    /// The place of the first element for which something holds.
    fn place(&self, id: u32, holds: impl Fn(f64) -> bool) -> Option<usize> {
        self.values(id)?.iter().position(|x| holds(*x))
    }

    /// A value's elements; none where they cannot be read, or enough was read.
    pub(super) fn values(&self, id: u32) -> Option<Rc<Vec<f64>>> {
        let known = self.read.borrow();
        if let Some((_, values)) = known.iter().find(|(known, _)| *known == id) {
            return Some(values.clone());
        }
        drop(known);
        let preview = self.previews.get(&id)?;
        let n = preview.shape.iter().product::<usize>();
        let values = if preview.values.len() >= n {
            preview.values.clone()
        } else {
            let left = self
                .budget
                .get()
                .checked_sub(n.min(crate::stage::MOST_READ))?;
            self.budget.set(left);
            self.numbers.read(id)?
        };
        let values = Rc::new(values);
        let mut known = self.read.borrow_mut();
        if known.len() >= MOST_KEPT {
            known.remove(0);
        }
        known.push((id, values.clone()));
        Some(values)
    }

    /// What a node reads, numbers included, in order.
    pub(super) fn operands(&self, node: &GraphNode) -> Vec<Operand> {
        let plain = || node.src.iter().map(|id| Operand::Value(*id)).collect();
        let Some(of) = self.numbers.node(node.id) else {
            return plain();
        };
        let mut values = node.src.iter();
        if operands(&of).len() != node.src.len() {
            return plain();
        }
        let sources = of.src();
        let numbers = sources.iter().filter(|source| source.number.is_some());
        let take = node.src.len() + numbers.count();
        let read = sources.iter().take(take).map(|source| match source.number {
            Some(number) => Some(Operand::Number(number.as_f64())),
            None => values.next().map(|id| Operand::Value(*id)),
        });
        read.flatten().collect()
    }

    /// Numbers among a node's options.
    pub(super) fn has_infinite_option(&self, node: &GraphNode) -> bool {
        let infinite = |attr: &Attr| matches!(attr, Attr::Float(x) if x.is_infinite());
        let of = self.numbers.node(node.id);
        of.is_some_and(|of| of.attrs.iter().any(infinite))
    }
}

/// The place in a value of `shape` that element `flat` of `out` reads, by broadcasting.
pub(super) fn broadcast_place(flat: usize, out: &[usize], shape: &[usize]) -> usize {
    let (mut rest, mut place, mut stride) = (flat, 0, 1);
    let skipped = out.len().saturating_sub(shape.len());
    for dim in (0..out.len()).rev() {
        let position = rest % out[dim].max(1);
        rest /= out[dim].max(1);
        let Some(&own) = dim.checked_sub(skipped).and_then(|at| shape.get(at)) else {
            continue;
        };
        if own != 1 {
            place += position * stride;
        }
        stride *= own;
    }
    place
}
