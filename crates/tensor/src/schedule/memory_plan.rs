//! Where a plan's values lie, and for how long.
//!
//! A [`BufferSlot`] has its memory from the task that writes it to the last one that reads it, unless
//! the node outlives the plan: then the memory becomes the node's value. References decide that: a node
//! all of whose references are the plan's own, or those of nodes that release their sources once the
//! plan has run, is dead afterwards, and nothing needs its value.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use smallvec::SmallVec;

use super::Plan;
use crate::Result;
use crate::backend::{Buffer, Task};
use crate::device::Device;
use crate::dtype::DType;
use crate::graph::{DropCount, Engine, NodeRef};
use crate::kernel::Work;
use crate::op::Kind;
use crate::trace::{NodeId, Purpose};
use crate::view::View;

/// Memory that is there, or will be while its task and those after it run.
#[derive(Clone)]
pub(super) struct BufferSlot(Rc<Promise>);

pub(super) struct Promise {
    bytes: usize,
    dtype: DType,
    /// The buffer's number, if it was there from the start.
    there: Option<u64>,
    buffer: RefCell<Option<Buffer>>,
}

impl BufferSlot {
    /// Memory that holds a value already.
    pub(super) fn there(buffer: Buffer, dtype: DType) -> BufferSlot {
        BufferSlot(Rc::new(Promise {
            bytes: buffer.bytes(),
            dtype,
            there: Some(buffer.id()),
            buffer: RefCell::new(Some(buffer)),
        }))
    }

    /// Memory for so many elements to come.
    pub(super) fn promised(n: usize, dtype: DType) -> BufferSlot {
        BufferSlot(Rc::new(Promise {
            bytes: n * dtype.size(),
            dtype,
            there: None,
            buffer: RefCell::default(),
        }))
    }

    pub(super) fn bytes(&self) -> usize {
        self.0.bytes
    }

    pub(super) fn buffer(&self) -> Option<Buffer> {
        self.0.buffer.borrow().clone()
    }

    /// Whether both are the same memory.
    pub(super) fn is(&self, other: &BufferSlot) -> bool {
        self.key() == other.key()
    }

    pub(super) fn key(&self) -> Key {
        match self.0.there {
            Some(buffer) => Key::There(buffer),
            None => Key::Promised(Rc::as_ptr(&self.0)),
        }
    }

    fn fill(&self, buffer: Buffer) {
        *self.0.buffer.borrow_mut() = Some(buffer);
    }

    fn end(&self) {
        self.0.buffer.borrow_mut().take();
    }
}

/// What tells memory apart.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Key {
    There(u64),
    Promised(*const Promise),
}

/// A task whose memory is promised.
pub(super) struct ScheduleItem {
    pub(super) work: Work,
    pub(super) inputs: Vec<BufferSlot>,
    pub(super) output: BufferSlot,
}

impl ScheduleItem {
    /// What traces call it.
    pub(super) fn name(&self) -> &'static str {
        match &self.work {
            Work::Kernel(kernel) if kernel.reduce.is_some() => "reduce",
            Work::Kernel(_) => "fused",
            Work::Routine(routine) => routine.name(),
        }
    }

    /// The task on this memory.
    fn task(&self, inputs: Vec<Buffer>, output: Buffer) -> Task {
        match &self.work {
            Work::Kernel(kernel) => Task::Kernel {
                kernel: kernel.clone(),
                inputs,
                outputs: vec![output],
            },
            Work::Routine(routine) => Task::Routine {
                routine: routine.clone(),
                inputs,
                output,
            },
        }
    }

    /// An input that lies as the result will, element for element, and is read in no other way.
    fn replaceable(&self, ends_here: impl Fn(usize) -> bool) -> Option<usize> {
        let Work::Kernel(kernel) = &self.work else {
            return None;
        };
        if kernel.reduce.is_some() {
            return None;
        }
        let whole = View::contiguous(&kernel.shape);
        let same = |i: usize| {
            let slot = &self.inputs[i];
            let uses = self.inputs.iter().filter(|other| other.is(slot)).count();
            uses == 1
                && slot.bytes() == self.output.bytes()
                && kernel.inputs[i].view == whole
                && ends_here(i)
        };
        (0..self.inputs.len()).find(|&i| same(i))
    }
}

/// When memory is read for the last time, and which memory goes then.
struct LiveRanges {
    last_use: HashMap<Key, usize>,
    /// Nodes that will be gone and whose values are there.
    owners: HashMap<Key, Vec<NodeRef>>,
    passing: HashSet<Key>,
    /// The slots of each key.
    slots: HashMap<Key, Vec<BufferSlot>>,
}

impl LiveRanges {
    fn new(plan: &Plan, passing: &DeadAfter) -> LiveRanges {
        let mut last_use: HashMap<Key, usize> = HashMap::new();
        let mut all: HashMap<Key, Vec<BufferSlot>> = HashMap::new();
        for (i, item) in plan.items.iter().enumerate() {
            for slot in item.inputs.iter().chain([&item.output]) {
                last_use.insert(slot.key(), i);
                let list = all.entry(slot.key()).or_default();
                if !list.iter().any(|other| Rc::ptr_eq(&other.0, &slot.0)) {
                    list.push(slot.clone());
                }
            }
        }
        let stored: HashSet<Key> = plan
            .order
            .iter()
            .filter_map(|node| plan.slots.get(&node.id).map(BufferSlot::key))
            .collect();
        // A copy is no node's value: should an item fail, it is made again from what it was made of.
        for item in plan.items.iter().rev() {
            let output = item.output.key();
            if stored.contains(&output) {
                continue;
            }
            let until = last_use.get(&output).copied().unwrap_or(0);
            for slot in &item.inputs {
                let at = last_use.entry(slot.key()).or_insert(0);
                *at = until.max(*at);
            }
        }
        let slots = plan.slots.iter();
        let mut keys: HashSet<Key> = slots
            .filter(|(id, _)| passing.nodes.contains(id))
            .map(|(_, slot)| slot.key())
            .collect();
        let mut owners: HashMap<Key, Vec<NodeRef>> = HashMap::new();
        for node in &passing.values {
            if let Some(buffer) = node.value() {
                let key = Key::There(buffer.id());
                keys.insert(key);
                owners.entry(key).or_default().push(node.clone());
            }
        }
        LiveRanges {
            last_use,
            owners,
            passing: keys,
            slots: all,
        }
    }

    fn at(&self, key: Key, item: usize) -> bool {
        self.passing.contains(&key) && self.last_use.get(&key) == Some(&item)
    }

    /// Whether only nodes that are done with it hold a buffer; the caller holds it once.
    fn is_sole(&self, key: Key, buffer: &Buffer) -> bool {
        let owners = self.owners.get(&key).map_or(0, Vec::len);
        let slots = self.slots.get(&key).into_iter().flatten();
        let held = slots.filter(|slot| slot.buffer().is_some()).count();
        buffer.n_holders() == owners + held + 1
    }

    /// Lets go of memory.
    fn end(&self, key: Key) {
        for slot in self.slots.get(&key).into_iter().flatten() {
            slot.end();
        }
        for owner in self.owners.get(&key).into_iter().flatten() {
            owner.value.borrow_mut().take();
        }
    }
}

impl Engine {
    /// Runs the items in order. Memory after its last reader goes back at once, or takes the
    /// result of the item that reads it last. After an error what was computed is still there, and
    /// so is what the rest needs.
    pub(super) fn run_jobs(
        &self,
        plan: &Plan,
        passing: &DeadAfter,
    ) -> Result<(), (usize, crate::Error)> {
        let ends = (!passing.is_empty()).then(|| LiveRanges::new(plan, passing));
        let goes_at = |key: Key, i: usize| ends.as_ref().filter(|ends| ends.at(key, i));
        let mut devices: SmallVec<[Device; 2]> = SmallVec::new();
        let mut brought = Brought::default();
        for (i, item) in plan.items.iter().enumerate() {
            let device = stored_by(plan, i).device;
            let inputs: Vec<Buffer> = item.inputs.iter().filter_map(BufferSlot::buffer).collect();
            let ends_here = |at: usize| {
                let key = item.inputs[at].key();
                inputs[at].on() == device
                    && goes_at(key, i).is_some_and(|ends| ends.is_sole(key, &inputs[at]))
            };
            let (dtype, bytes) = (item.output.0.dtype, item.output.bytes());
            let replaced = item.replaceable(ends_here);
            let output = match replaced {
                Some(input) => inputs[input].clone(),
                None => self
                    .allocate(device, bytes, dtype, || purpose(plan, i))
                    .map_err(|error| (i, error))?,
            };
            let inputs = inputs
                .into_iter()
                .zip(&item.inputs)
                .map(|(input, slot)| {
                    let dtype = slot.0.dtype;
                    brought.on(device, input, |input| {
                        self.bring(input, dtype, device, || purpose(plan, i))
                    })
                })
                .collect::<Result<Vec<Buffer>>>()
                .map_err(|error| (i, error))?;
            let task = item.task(inputs, output.clone());
            let start = plan.provenance.clock(self);
            if !devices.contains(&device) {
                devices.push(device);
            }
            let submitted = self.backend(device).submit(std::slice::from_ref(&task));
            if let Err((_, error)) = submitted {
                // A kernel that was stopped has written over a part of the input whose memory it took.
                if let (Some(input), Some(ends)) = (replaced, &ends) {
                    ends.end(item.inputs[input].key());
                }
                return Err((i, error));
            }
            plan.provenance.ran(i, self, start);
            #[cfg(feature = "full")]
            self.observe(|observer| observer.ran(&task, stored_by(plan, i)));
            brought.forget(&output);
            drop(task);
            for slot in &item.inputs {
                if let Some(ends) = goes_at(slot.key(), i) {
                    ends.end(slot.key());
                }
            }
            if goes_at(item.output.key(), i).is_none() {
                item.output.fill(output);
            }
        }
        let last = plan.items.len().saturating_sub(1);
        devices
            .iter()
            .try_for_each(|&device| self.backend(device).flush())
            .map_err(|error| (last, error))
    }

    /// The alias or composite that takes its value when a source is settled, and the node whose
    /// value it takes.
    fn settles(&self, plan: &Plan, mut node: NodeRef) -> Option<(NodeRef, NodeId)> {
        while matches!(node.op.kind, Kind::Movement(_)) && !node.has_value() {
            let next = node.src.borrow().first().cloned()?;
            node = next;
        }
        if node.has_value() || node.number.is_some() || plan.slots.contains_key(&node.id) {
            return None;
        }
        let (base, view) = self.base(&node)?;
        let whole = view == View::contiguous(&node.shape) && view.numel() == base.numel();
        let there = base.has_value() || plan.slots.contains_key(&base.id);
        (whole && there).then_some((node, base.id))
    }

    /// Nodes with a slot that will be gone when the plan has run. `roots` are the plan's own
    /// references; `walked` are nodes of which the caller holds one reference more that it is about
    /// to drop, after their sources.
    pub(super) fn passing(&self, plan: &Plan, roots: &[NodeRef], walked: &[NodeRef]) -> DeadAfter {
        let (count, settled) = self.count(plan, roots, walked);
        // Who stays needs the memory that it takes over.
        let kept: HashSet<NodeId> = settled
            .iter()
            .filter(|(node, _)| !count.is_gone(**node))
            .map(|(_, base)| *base)
            .collect();
        let (mut gone, mut values) = count.into_parts();
        gone.retain(|id| plan.slots.contains_key(id) && !kept.contains(id));
        values.retain(|node| !kept.contains(&node.id));
        DeadAfter {
            nodes: gone,
            values,
        }
    }

    /// The references that go when the plan has run, and the aliases and composites that take the value
    /// of another node.
    pub(super) fn count(
        &self,
        plan: &Plan,
        roots: &[NodeRef],
        walked: &[NodeRef],
    ) -> (DropCount, HashMap<NodeId, NodeId>) {
        let mut count = DropCount::default();
        let lists = plan.nodes.iter().flatten();
        for node in plan.order.iter().chain(lists).chain(roots).chain(walked) {
            count.drop_one(node);
        }
        for node in &plan.order {
            if plan.slots.contains_key(&node.id) && self.releases_sources(node) {
                count.drop_sources(node);
            }
        }
        // Aliases and composites take the values of what is behind them, and let go too.
        let sources = plan.order.iter().flat_map(|node| node.src());
        let mut settled: HashMap<NodeId, NodeId> = HashMap::new();
        for node in sources.chain(roots.iter().cloned()) {
            if let Some((node, base)) = self.settles(plan, node)
                && settled.insert(node.id, base).is_none()
                && self.lets_go_settled(&node)
            {
                count.drop_sources(&node);
            }
        }
        for node in walked {
            let has_value = node.has_value()
                || plan.slots.contains_key(&node.id)
                || settled.contains_key(&node.id);
            if has_value && self.releases(node) {
                count.drop_sources(node);
            }
        }
        (count, settled)
    }
}

/// What tasks read on another device than theirs, by its buffer and where it was brought.
#[derive(Default)]
struct Brought(HashMap<(u64, Device), Buffer>);

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

/// The node whose value an item stores: it computes at least that one.
pub(super) fn stored_by(plan: &Plan, item: usize) -> &NodeRef {
    &plan.nodes[item][plan.nodes[item].len() - 1]
}

/// What the result of an item is for.
fn purpose(plan: &Plan, item: usize) -> Purpose {
    let node = stored_by(plan, item);
    Purpose {
        node: node.id,
        op: node.op.name,
        shape: node.shape.clone(),
        dtype: node.dtype,
        span: node.span,
    }
}

/// What will be gone when a plan has run.
#[derive(Default)]
pub(super) struct DeadAfter {
    /// Nodes that the plan computes.
    nodes: HashSet<NodeId>,
    /// Nodes whose values were there before.
    values: Vec<NodeRef>,
}

impl DeadAfter {
    fn is_empty(&self) -> bool {
        self.nodes.is_empty() && self.values.is_empty()
    }
}
