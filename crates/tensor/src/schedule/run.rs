//! A plan on the devices: its items run in order, and nodes take their values.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::memory_plan::{BufferSlot, Key, LiveRanges};
use super::plan::Plan;
#[cfg(feature = "full")]
use super::plan::is_elementwise;
use super::provenance::Provenance;
use crate::backend::Buffer;
use crate::device::Device;
use crate::graph::{Engine, NodeRef};
use crate::op::{Kind, Vjp};
use crate::ops;
use crate::trace::{Event, Purpose};
use crate::view::View;
use crate::{Error, Result};

/// Runs a plan: each of its stored nodes gets its value.
pub(super) fn run(engine: &Engine, mut plan: Plan) -> Result<()> {
    let ran = Run { engine }.items(&mut plan);
    plan.dead.values.clear();
    for node in plan.computed() {
        if let Some(buffer) = plan.slots.get(&node.id).and_then(BufferSlot::buffer) {
            *node.value.borrow_mut() = Some(buffer);
        }
        // What a backward pass may read is cheaper inlined once more than stored for it.
        #[cfg(feature = "full")]
        if !plan.slots.contains_key(&node.id) && is_elementwise(node) && !node.needs_grad {
            node.was_inlined.set(true);
        }
    }
    ran?;
    // Aliases and composites take their values before the nodes behind them let go.
    let run = Run { engine };
    for node in plan.computed() {
        let sources = node.src();
        sources.iter().for_each(|source| run.settle_alias(source));
    }
    for root in &plan.roots {
        run.settle_alias(&plan.nodes[root]);
    }
    for node in plan.computed() {
        if plan.slots.contains_key(&node.id) {
            engine.release_sources(node);
        }
    }
    Ok(())
}

struct Run<'a> {
    engine: &'a Engine,
}

impl Run<'_> {
    /// Runs the items and records them.
    fn items(&self, plan: &mut Plan) -> Result<()> {
        if plan.items.is_empty() {
            return Ok(());
        }
        let trace = self.engine.trace();
        if trace.is_recording() {
            Provenance::record(self.engine, plan, trace.n_kernels());
            for item in &plan.items {
                let kernel = trace.next_kernel();
                let bytes = item.slots().map(BufferSlot::bytes).sum();
                trace.record(|| Event::Scheduled {
                    kernel,
                    name: item.name(),
                    nodes: item.nodes.clone(),
                    bytes,
                });
            }
        }
        let clock = self.engine.0.recorder.clock;
        let start = clock.map(|clock| clock());
        let result = self.each(plan);
        let nanos = clock
            .zip(start)
            .map_or(0, |(clock, start)| clock().saturating_sub(start));
        trace.record(|| Event::Ran {
            kernels: plan.items.len() as u32,
            nanos,
        });
        result.map_err(|(item, error)| self.explain(plan.stored_by(item), error))
    }

    /// Says which index was out of range, as the learner gave it.
    fn explain(&self, node: &NodeRef, error: Error) -> Error {
        let is_index = error.kind == crate::ErrorKind::Index;
        if !is_index
            || !std::ptr::eq(node.op, &ops::primitives::GATHER_ROWS)
            || node.attrs.len() < 2
        {
            return error;
        }
        let (src, size) = (node.src(), node.attrs[0].as_int());
        let rows = src[0].shape[0] as i64;
        let Ok(bytes) = self.engine.read(&src[1]) else {
            return error;
        };
        let flat = bytes
            .as_chunks::<8>()
            .0
            .iter()
            .map(|b| i64::from_le_bytes(*b));
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

    /// Runs the items in order. Memory after its last reader goes back at once, or takes the
    /// result of the item that reads it last. After an error what was computed is still there, and
    /// so is what the rest needs.
    fn each(&self, plan: &Plan) -> Result<(), (usize, Error)> {
        let ends = (!plan.dead.is_empty()).then(|| LiveRanges::new(plan));
        let goes_at = |key: Key, i: usize| ends.as_ref().filter(|ends| ends.ends_at(key, i));
        let mut devices: SmallVec<[Device; 2]> = SmallVec::new();
        let mut brought = Brought::default();
        for (i, item) in plan.items.iter().enumerate() {
            let device = plan.stored_by(i).device;
            let ends_here = |at: usize| {
                let slot = &item.inputs[at];
                slot.on() == Some(device)
                    && goes_at(slot.key(), i).is_some_and(|ends| ends.is_sole(slot))
            };
            let replaced = item.replaceable(ends_here);
            let inputs: Vec<Buffer> = item.inputs.iter().filter_map(BufferSlot::buffer).collect();
            let mut outputs = Vec::with_capacity(item.outputs.len());
            for ((slot, node), replaced) in item.outputs.iter().zip(item.stored()).zip(replaced) {
                outputs.push(match replaced {
                    Some(input) => inputs[usize::from(input)].clone(),
                    None => {
                        let purpose = || purpose(&plan.nodes[node]);
                        self.engine
                            .allocate(device, slot.bytes(), slot.dtype(), purpose)
                            .map_err(|error| (i, error))?
                    }
                });
            }
            let inputs = inputs
                .into_iter()
                .zip(&item.inputs)
                .map(|(input, slot)| {
                    let dtype = slot.dtype();
                    brought.on(device, input, |input| {
                        let purpose = || purpose(plan.stored_by(i));
                        self.engine.bring(input, dtype, device, purpose)
                    })
                })
                .collect::<Result<Vec<Buffer>>>()
                .map_err(|error| (i, error))?;
            let task = item.task(inputs, outputs.clone());
            let start = plan.provenance.clock(self.engine);
            if !devices.contains(&device) {
                devices.push(device);
            }
            let submitted = self
                .engine
                .backend(device)
                .submit(std::slice::from_ref(&task));
            if let Err((_, error)) = submitted {
                // A kernel that was stopped has written over a part of the inputs whose memory it took.
                if let Some(ends) = &ends {
                    let taken = replaced.into_iter().flatten();
                    taken.for_each(|input| ends.end(item.inputs[usize::from(input)].key()));
                }
                return Err((i, error));
            }
            plan.provenance.ran(i, self.engine, start);
            #[cfg(feature = "full")]
            self.engine
                .observe(|observer| observer.ran(&task, plan.stored_by(i)));
            outputs.iter().for_each(|output| brought.forget(output));
            drop(task);
            for slot in &item.inputs {
                if let Some(ends) = goes_at(slot.key(), i) {
                    ends.end(slot.key());
                }
            }
            for (slot, output) in item.outputs.iter().zip(outputs) {
                if goes_at(slot.key(), i).is_none() {
                    slot.fill(output);
                }
            }
        }
        let last = plan.items.len().saturating_sub(1);
        devices
            .iter()
            .try_for_each(|&device| self.engine.backend(device).flush())
            .map_err(|error| (last, error))
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
        let Some((base, view)) = self.engine.base(node) else {
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
        if self.engine.releases_settled(node) {
            drop(std::mem::take(&mut *node.src.borrow_mut()));
        }
    }
}

/// What tasks read on another device than theirs, by its buffer and where it was brought.
#[derive(Default)]
struct Brought(FxHashMap<(u64, Device), Buffer>);

impl Brought {
    /// A buffer on a device, brought there once.
    fn on(
        &mut self,
        device: Device,
        buffer: Buffer,
        bring: impl FnOnce(&Buffer) -> Result<Buffer>,
    ) -> Result<Buffer> {
        if buffer.on() == device {
            return Ok(buffer);
        }
        let key = (buffer.id(), device);
        if let Some(copy) = self.0.get(&key) {
            return Ok(copy.clone());
        }
        let copy = bring(&buffer)?;
        self.0.insert(key, copy.clone());
        Ok(copy)
    }

    /// Forgets the copies of a buffer that has got another value.
    fn forget(&mut self, buffer: &Buffer) {
        self.0.retain(|(id, _), _| *id != buffer.id());
    }
}

/// What memory for a node's value is for.
fn purpose(node: &NodeRef) -> Purpose {
    Purpose {
        node: node.id,
        op: node.op.name,
        shape: node.shape.clone(),
        dtype: node.dtype,
        span: node.span,
    }
}
