//! From nodes to kernels: what is fused with what, and in which order it runs.
//!
//! Movement is free: a node that moves is its base seen through a view. An elementwise node is
//! inlined into its only consumer; a reduction takes its elementwise producers along, and a routine,
//! where its device can, the elementwise kernel after it. Everything else is computed into a buffer
//! of its own. A kernel keeps within [`MAX_INSTRS`] and
//! [`MAX_INPUTS`], so that chains of any length split into kernels of a bounded size.

mod emit;
#[cfg(feature = "full")]
mod epilogue;
mod memory_plan;
pub(crate) mod provenance;
mod routines;

use std::collections::{HashMap, HashSet};

use smallvec::{SmallVec, smallvec};

use crate::graph::{Engine, NodeRef, Reason, gone};
use crate::op::{Kind, Vjp};
use crate::ops;
use crate::trace::{Event, NodeId};
use crate::view::View;
use crate::{Error, Result};

use memory_plan::{BufferSlot, DeadAfter, ScheduleItem};
use provenance::Provenance;

/// Most instructions of one kernel.
pub(crate) const MAX_INSTRS: usize = 256;

/// Most buffers that one kernel reads: WebGPU guarantees eight storage buffers.
pub(crate) const MAX_INPUTS: usize = 7;

fn is_elementwise(node: &NodeRef) -> bool {
    matches!(node.op.kind, Kind::Elementwise(_)) || node.number.is_some()
}

/// The work of one `realize`.
pub(crate) struct Plan {
    /// What computes, sources before users.
    order: Vec<NodeRef>,
    /// What gets a buffer.
    stored: HashSet<NodeId>,
    slots: HashMap<NodeId, BufferSlot>,
    done: HashSet<NodeId>,
    items: Vec<ScheduleItem>,
    /// The stored node and all nodes of each item.
    nodes: Vec<Vec<NodeRef>>,
    provenance: Provenance,
}

impl Plan {
    /// Gives a node a buffer, for a reason.
    fn store(&mut self, node: NodeId, reason: Reason) {
        self.stored.insert(node);
        self.provenance.why(node, reason);
    }
}

/// Computes nodes: each gets its value, and so do the nodes that others need. A walk back has passed `walked`:
/// the caller holds one reference to each, and releases it and drops that reference next.
pub(crate) fn realize(engine: &Engine, roots: &[NodeRef], walked: &[NodeRef]) -> Result<()> {
    engine.realize_after(roots, walked)
}

impl Engine {
    fn realize_after(&self, roots: &[NodeRef], walked: &[NodeRef]) -> Result<()> {
        let mut roots: SmallVec<[NodeRef; 8]> = SmallVec::from(roots);
        let n_asked = roots.len();
        self.trim_if_due();
        roots.extend(self.take_written());
        let mut plan = self.plan(&roots, n_asked)?;
        for i in 0..plan.order.len() {
            let node = plan.order[i].clone();
            if plan.stored.contains(&node.id) {
                self.build(&mut plan, &node)?;
            }
        }
        #[cfg(feature = "full")]
        if plan.items.len() > 1 {
            self.join_epilogues(&mut plan, &roots, walked);
        }
        // One item ends before anything could go early.
        let passing = match plan.items.len() {
            0 | 1 => DeadAfter::default(),
            _ => self.passing(&plan, &roots, walked),
        };
        let ran = self.run(&mut plan, &passing);
        drop(passing);
        for node in &plan.order {
            if let Some(buffer) = plan.slots.get(&node.id).and_then(BufferSlot::buffer) {
                *node.value.borrow_mut() = Some(buffer);
            }
        }
        ran?;
        // Aliases and composites take their values before the nodes behind them let go.
        for node in &plan.order {
            node.src()
                .iter()
                .for_each(|source| self.settle_alias(source));
        }
        for root in &roots {
            self.settle_alias(root);
        }
        for node in &plan.order {
            if plan.slots.contains_key(&node.id) {
                self.release_sources(node);
            }
        }
        Ok(())
    }

    /// Gives an alias or a composite its value, so that what it was written in can go.
    fn settle_alias(&self, node: &NodeRef) {
        let mut node = node.clone();
        while matches!(node.op.kind, Kind::Movement(_)) && !node.has_value() {
            let Some(next) = node.src().first().cloned() else {
                return;
            };
            node = next;
        }
        let node = &node;
        if node.has_value() || node.number.is_some() {
            return;
        }
        let Some((base, view)) = self.base(node) else {
            return;
        };
        let whole = view == View::contiguous(&node.shape) && view.numel() == base.numel();
        let Some(buffer) = base.value().filter(|_| whole) else {
            return;
        };
        *node.value.borrow_mut() = Some(buffer);
        if !(node.needs_grad && matches!(node.op.vjp, Vjp::Lowered)) {
            drop(node.lowered.borrow_mut().take());
        }
        if self.lets_go_settled(node) {
            drop(std::mem::take(&mut *node.src.borrow_mut()));
        }
    }

    /// Whether an alias or composite drops its sources once it has its value.
    fn lets_go_settled(&self, node: &NodeRef) -> bool {
        let alias = std::ptr::eq(node.op, &ops::LEAF) && !self.0.retain_sources.get();
        alias || self.releases_sources(node)
    }

    /// Collects what must be computed and decides what is stored.
    fn plan(&self, roots: &[NodeRef], n_asked: usize) -> Result<Plan> {
        let mut plan = Plan {
            order: Vec::new(),
            stored: HashSet::new(),
            slots: HashMap::new(),
            done: HashSet::new(),
            items: Vec::new(),
            nodes: Vec::new(),
            provenance: Provenance::new(self),
        };
        let mut users: HashMap<NodeId, SmallVec<[NodeId; 2]>> = HashMap::new();
        let mut seen: HashSet<NodeId> = HashSet::new();
        let mut stack: Vec<(NodeRef, bool)> = Vec::new();
        // In the order given: a walk back names the gradients as it met them, the last layer's first,
        // so that what they are made from need not wait for the others.
        for (i, root) in roots.iter().enumerate().rev() {
            let base = self.resolve(root)?.base;
            if base.has_value() {
                continue;
            }
            let reason = match i < n_asked {
                true => Reason::Asked,
                false => Reason::Written,
            };
            plan.store(base.id, reason);
            stack.push((base, false));
        }
        while let Some((node, ready)) = stack.pop() {
            if ready {
                plan.order.push(node);
                continue;
            }
            if !seen.insert(node.id) {
                continue;
            }
            stack.push((node.clone(), true));
            let sources = node.src();
            if sources.is_empty() && node.number.is_none() && !node.has_value() {
                return Err(gone(&node));
            }
            for source in &sources {
                let base = self.resolve(source)?.base;
                if base.has_value() {
                    continue;
                }
                let list = users.entry(base.id).or_default();
                if !list.contains(&node.id) {
                    list.push(node.id);
                }
                if matches!(node.op.kind, Kind::Routine(_)) {
                    plan.store(base.id, Reason::ReadByRoutine);
                }
                if node.device != base.device && base.number.is_none() {
                    plan.store(base.id, Reason::OtherDevice);
                }
                stack.push((base, false));
            }
        }
        let fusion = self.0.fusion.get();
        let order = std::mem::take(&mut plan.order);
        for node in &order {
            if node.number.is_some() {
                continue;
            }
            let readers = users.get(&node.id).map_or(0, SmallVec::len);
            if let Kind::Reduce(_) = node.op.kind {
                plan.store(node.id, Reason::Reduction);
            } else if !is_elementwise(node) {
                plan.store(node.id, Reason::Routine);
            }
            if readers > 1 {
                plan.store(node.id, Reason::Shared);
                plan.provenance.readers(node.id, readers);
            }
            if std::ptr::eq(node.op, &ops::convert::TO_DEVICE) {
                plan.store(node.id, Reason::OtherDevice);
            }
            if !fusion {
                plan.store(node.id, Reason::FusionOff);
            }
        }
        plan.order = order;
        self.bound(&mut plan)?;
        Ok(plan)
    }

    /// Stores producers where a kernel would grow beyond its bounds.
    fn bound(&self, plan: &mut Plan) -> Result<()> {
        let mut sizes: HashMap<NodeId, (usize, usize)> = HashMap::new();
        for i in 0..plan.order.len() {
            let node = plan.order[i].clone();
            let own = match node.op.kind {
                Kind::Elementwise(_) => 10 + node.attrs.len(),
                _ => 1,
            };
            let (mut instrs, mut inputs) = (own, 0);
            let mut parts: SmallVec<[(NodeId, usize, usize); 3]> = smallvec![];
            for source in node.src() {
                let base = self.resolve(&source)?.base;
                if base.number.is_some() {
                    instrs += 1;
                    continue;
                }
                match sizes.get(&base.id) {
                    Some(&(n, k)) if !plan.stored.contains(&base.id) => {
                        parts.push((base.id, n, k));
                        instrs += n;
                        inputs += k;
                    }
                    _ => {
                        instrs += 1;
                        inputs += 1;
                    }
                }
            }
            parts.sort_by_key(|&(_, n, k)| std::cmp::Reverse((k, n)));
            for (id, n, k) in parts {
                if instrs <= MAX_INSTRS && inputs <= MAX_INPUTS {
                    break;
                }
                let full = inputs > MAX_INPUTS;
                plan.store(id, if full { Reason::Buffers } else { Reason::Size });
                instrs = instrs - n + 1;
                inputs = inputs - k + 1;
            }
            sizes.insert(node.id, (instrs, inputs));
        }
        Ok(())
    }

    /// Runs the items and records them.
    fn run(&self, plan: &mut Plan, passing: &DeadAfter) -> Result<()> {
        if plan.items.is_empty() {
            return Ok(());
        }
        let trace = &self.0.trace;
        if trace.is_recording() {
            Provenance::record(self, plan, trace.n_kernels());
            for (item, nodes) in plan.items.iter().zip(&plan.nodes) {
                let kernel = trace.next_kernel();
                let slots = item.inputs.iter().chain([&item.output]);
                let bytes = slots.map(BufferSlot::bytes).sum();
                trace.record(|| Event::Scheduled {
                    kernel,
                    name: item.name(),
                    nodes: nodes.iter().map(|n| n.id).collect(),
                    bytes,
                });
            }
        }
        let start = self.0.clock.map(|clock| clock());
        let result = self.run_jobs(plan, passing);
        let nanos = self
            .0
            .clock
            .zip(start)
            .map_or(0, |(clock, start)| clock().saturating_sub(start));
        trace.record(|| Event::Ran {
            kernels: plan.items.len() as u32,
            nanos,
        });
        result.map_err(
            |(item, error)| match plan.nodes.get(item).and_then(|n| n.last()) {
                Some(node) => self.explain(node, error),
                None => error,
            },
        )
    }

    /// Says which index was out of range, as the learner gave it.
    fn explain(&self, node: &NodeRef, error: Error) -> Error {
        let is_index = error.kind == crate::ErrorKind::Index;
        if !is_index || !std::ptr::eq(node.op, &ops::place::TAKE) || node.attrs.len() < 2 {
            return error;
        }
        let (src, size) = (node.src(), node.attrs[0].as_int());
        let rows = src[0].shape[0] as i64;
        let Ok(bytes) = self.read(&src[1]) else {
            return error;
        };
        let flat = bytes
            .chunks_exact(8)
            .filter_map(|b| b.try_into().ok().map(i64::from_le_bytes));
        match flat.into_iter().find(|i| !(0..rows).contains(i)) {
            Some(i) => {
                let wrapped = node.attrs[1].as_bool();
                let index = if i >= rows {
                    i - rows
                } else if wrapped {
                    i - size
                } else {
                    i
                };
                Error::index(format!(
                    "index {index} is out of bounds for dimension with size {size}"
                ))
            }
            None => error,
        }
    }
}
