//! Pinned nodes, followed through every step of a run: a loop in one cell sends the graph of its last
//! step only, but each step's norms of what is pinned.
//!
//! A node is found again by its leaf's `.grad` slot, or else by cell, line, op, module and order. Where
//! nothing is pinned a step costs nothing; else the norms of a few tensors.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use glowgrad::autograd::GradSlot;
use glowgrad::node::NodeRef;
use glowgrad::trace::{Event as Traced, NodeId};
use glowgrad::{Engine, Result};

use super::Emit;
use crate::call_site::{CallSite, call_site};
use crate::describe::operands;
use crate::protocol::{Event, ProbePoint};
use crate::stage::preview;

/// Most nodes followed at once.
pub(crate) const MAX_PINS: usize = 16;
/// Steps that are sent together.
const BATCH: usize = 32;

/// What a node is in every step.
pub(super) struct Pin {
    slot: Option<Rc<GradSlot>>,
    call_site: CallSite,
    /// Which of the step's nodes with that call site.
    order: usize,
}

/// The pinned nodes of a session, and what waits to be sent of them.
#[derive(Default)]
pub(crate) struct Probes {
    pins: RefCell<Vec<Option<Pin>>>,
    waiting: RefCell<Vec<ProbePoint>>,
    steps: Cell<usize>,
}

impl Probes {
    /// Follows these nodes instead of those before; what is none of a step has no points.
    pub(crate) fn pin(&self, pins: Vec<Option<Pin>>) {
        *self.pins.borrow_mut() = pins;
    }

    /// Takes the norms of the step whose `backward()` has just ended.
    pub(crate) fn backward_ended(&self, engine: &Engine) -> Result<()> {
        if self.pins.borrow().is_empty() {
            return Ok(());
        }
        let recording = engine.trace().set_recording(false);
        let taken = self.take(engine);
        engine.trace().set_recording(recording);
        taken
    }

    fn take(&self, engine: &Engine) -> Result<()> {
        let (number, made, gradients) =
            engine.with_step(|step| (step.number, step.made.clone(), step.gradients.clone()));
        let made = nodes_of(&made);
        let events = engine.trace().events();
        for (index, pin) in self.pins.borrow().iter().enumerate() {
            let Some(node) = pin.as_ref().and_then(|pin| pin.find(&made)) else {
                continue;
            };
            let gradient = arrived(&events, node.id)
                .and_then(|id| gradients.iter().find(|gradient| gradient.id == id));
            let norm = |node: &NodeRef| preview(engine, 0, node, 0).map(|shown| shown.norm);
            self.waiting.borrow_mut().push(ProbePoint {
                pin: index as u32,
                step: number,
                value: norm(node)?,
                gradient: gradient.map(norm).transpose()?,
            });
        }
        self.steps.set(self.steps.get() + 1);
        Ok(())
    }

    /// Sends what waits, in batches while a command runs and the rest at its end.
    pub(crate) fn send(&self, id: u32, emit: &Emit, ended: bool) {
        if self.waiting.borrow().is_empty() || (!ended && self.steps.get() < BATCH) {
            return;
        }
        self.steps.set(0);
        let points = self.waiting.take();
        emit(Event::ProbePoints { id, points });
    }
}

impl Pin {
    /// A node among those of its step: see [`nodes_of`].
    pub(super) fn of(node: &NodeRef, made: &[NodeRef]) -> Pin {
        let wanted = call_site(node);
        let before = made.iter().filter(|other| other.id < node.id);
        let order = before.filter(|other| call_site(other) == wanted).count();
        Pin {
            slot: node.slot().cloned(),
            call_site: wanted,
            order,
        }
    }

    pub(super) fn find<'a>(&self, made: &'a [NodeRef]) -> Option<&'a NodeRef> {
        let same_slot = |node: &&NodeRef| {
            let slots = self.slot.as_ref().zip(node.slot());
            slots.is_some_and(|(mine, other)| Rc::ptr_eq(mine, other))
        };
        // A model that is made anew has new leaves, in the same place of the code.
        made.iter().find(same_slot).or_else(|| {
            made.iter()
                .filter(|node| call_site(node) == self.call_site)
                .nth(self.order)
        })
    }
}

/// The step's calls and the leaves they read, oldest first: a leaf made in an earlier step is read anew.
pub(super) fn nodes_of(made: &[NodeRef]) -> Vec<NodeRef> {
    let mut nodes = made.to_vec();
    let leaves: Vec<NodeRef> = nodes.iter().flat_map(operands).collect();
    nodes.extend(leaves);
    nodes.sort_by_key(|node| node.id);
    nodes.dedup_by_key(|node| node.id);
    nodes
}

/// The gradient that rests at a node when the walk has ended.
pub(super) fn arrived(events: &[Traced], node: NodeId) -> Option<NodeId> {
    events.iter().rev().find_map(|event| match event {
        Traced::Grad {
            node: at, gradient, ..
        }
        | Traced::Vjp {
            node: at, gradient, ..
        } if *at == node => Some(*gradient),
        _ => None,
    })
}
