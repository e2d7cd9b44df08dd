//! Where a plan's values lie, and for how long.
//!
//! A [`BufferSlot`] has its memory from the task that writes it to the last one that reads it, unless
//! the node outlives the plan: then the memory becomes the node's value. A node to which only nodes refer that
//! release their sources once the plan has run is dead afterwards, and nothing needs its value.

use std::cell::RefCell;
use std::rc::Rc;

use super::plan::{Plan, Planner};
use crate::backend::{Buffer, Task};
use crate::device::Device;
use crate::dtype::DType;
use crate::graph::{Dying, Held, NodeRef, References};
use crate::kernel::{APART, InPlace, Work};
use crate::op::Kind;
use crate::trace::NodeId;
use crate::view::View;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

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

    fn is_filled(&self) -> bool {
        self.0.buffer.borrow().is_some()
    }

    /// How many hold its memory, slots and nodes.
    fn n_holders(&self) -> usize {
        let buffer = self.0.buffer.borrow();
        buffer.as_ref().map_or(0, Buffer::n_holders)
    }

    /// The device that its memory is on, if it is there.
    pub(super) fn on(&self) -> Option<Device> {
        self.0.buffer.borrow().as_ref().map(Buffer::on)
    }

    pub(super) fn dtype(&self) -> DType {
        self.0.dtype
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

    pub(super) fn fill(&self, buffer: Buffer) {
        *self.0.buffer.borrow_mut() = Some(buffer);
    }

    pub(super) fn end(&self) {
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
    /// One for each result, in the order of the last nodes.
    pub(super) outputs: SmallVec<[BufferSlot; 1]>,
    /// The nodes that it computes, those that it stores last.
    pub(super) nodes: Vec<NodeId>,
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

    /// The memory that it reads and writes.
    pub(super) fn slots(&self) -> impl Iterator<Item = &BufferSlot> {
        self.inputs.iter().chain(&self.outputs)
    }

    /// The nodes whose values it stores, one for each output.
    pub(super) fn stored(&self) -> &[NodeId] {
        &self.nodes[self.nodes.len() - self.outputs.len()..]
    }

    /// The task on this memory.
    pub(super) fn task(&self, inputs: Vec<Buffer>, outputs: Vec<Buffer>) -> Task {
        Task::new(self.work.clone(), inputs, outputs)
    }

    /// For each result, an input that lies as it will, element for element, and is read in no other way.
    pub(super) fn replaceable(&self, ends_here: impl Fn(usize) -> bool) -> InPlace {
        let mut replaced = APART;
        let Work::Kernel(kernel) = &self.work else {
            return replaced;
        };
        if kernel.reduce.is_some() {
            return replaced;
        }
        let whole = View::contiguous(&kernel.shape);
        let lies_so = |i: usize| {
            let slot = &self.inputs[i];
            let uses = self.inputs.iter().filter(|other| other.is(slot)).count();
            uses == 1 && kernel.inputs[i].view == whole && ends_here(i)
        };
        for input in (0..self.inputs.len()).filter(|&i| lies_so(i)) {
            let bytes = self.inputs[input].bytes();
            let mut free = self.outputs.iter().zip(&mut replaced);
            let free = free.find(|(slot, taken)| taken.is_none() && slot.bytes() == bytes);
            if let Some((_, taken)) = free {
                *taken = Some(input as u8);
            }
        }
        replaced
    }
}

/// When memory is read for the last time, and which memory goes then.
pub(super) struct LiveRanges {
    last_use: FxHashMap<Key, usize>,
    /// Nodes that will be gone and whose values are there.
    owners: FxHashMap<Key, Vec<NodeRef>>,
    dead: FxHashSet<Key>,
    /// The slots of each key.
    slots: FxHashMap<Key, Vec<BufferSlot>>,
}

impl LiveRanges {
    pub(super) fn new(plan: &Plan) -> LiveRanges {
        let mut last_use: FxHashMap<Key, usize> = FxHashMap::default();
        let mut all: FxHashMap<Key, Vec<BufferSlot>> = FxHashMap::default();
        for (i, item) in plan.items.iter().enumerate() {
            for slot in item.slots() {
                last_use.insert(slot.key(), i);
                let list = all.entry(slot.key()).or_default();
                if !list.iter().any(|other| Rc::ptr_eq(&other.0, &slot.0)) {
                    list.push(slot.clone());
                }
            }
        }
        let stored: FxHashSet<Key> = plan
            .order
            .iter()
            .filter_map(|node| plan.slots.get(node).map(BufferSlot::key))
            .collect();
        // A copy is no node's value: should an item fail, it is made again from what it was made of.
        for item in plan.items.iter().rev() {
            let outputs = item.outputs.iter().map(BufferSlot::key);
            for output in outputs.filter(|output| !stored.contains(output)) {
                let until = last_use.get(&output).copied().unwrap_or(0);
                for slot in &item.inputs {
                    let at = last_use.entry(slot.key()).or_insert(0);
                    *at = until.max(*at);
                }
            }
        }
        let slots = plan.slots.iter();
        let mut keys: FxHashSet<Key> = slots
            .filter(|(id, _)| plan.dead.nodes.contains(id))
            .map(|(_, slot)| slot.key())
            .collect();
        let mut owners: FxHashMap<Key, Vec<NodeRef>> = FxHashMap::default();
        for node in &plan.dead.values {
            if let Some(buffer) = node.value() {
                let key = Key::There(buffer.id());
                keys.insert(key);
                owners.entry(key).or_default().push(node.clone());
            }
        }
        LiveRanges {
            last_use,
            owners,
            dead: keys,
            slots: all,
        }
    }

    /// The item after which memory goes; none where it stays.
    #[cfg(feature = "explain")]
    pub(super) fn until(&self, key: Key) -> Option<usize> {
        let ends = self.dead.contains(&key);
        self.last_use.get(&key).copied().filter(|_| ends)
    }

    /// Whether memory goes after an item.
    pub(super) fn ends_at(&self, key: Key, item: usize) -> bool {
        self.dead.contains(&key) && self.last_use.get(&key) == Some(&item)
    }

    /// Whether only nodes that are done with it hold the memory of a slot.
    pub(super) fn is_sole(&self, slot: &BufferSlot) -> bool {
        let key = slot.key();
        let owners = self.owners.get(&key).map_or(0, Vec::len);
        let slots = self.slots.get(&key).into_iter().flatten();
        let filled = slots.filter(|slot| slot.is_filled()).count();
        slot.n_holders() == owners + filled
    }

    /// Lets go of memory.
    pub(super) fn end(&self, key: Key) {
        for slot in self.slots.get(&key).into_iter().flatten() {
            slot.end();
        }
        for owner in self.owners.get(&key).into_iter().flatten() {
            owner.value.borrow_mut().take();
        }
    }
}

impl Planner<'_> {
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
        let (base, view) = self.engine.base(&node)?;
        let whole = view == View::contiguous(&node.shape) && view.numel() == base.numel();
        let there = base.has_value() || plan.slots.contains_key(&base.id);
        (whole && there).then_some((node, base.id))
    }

    /// Nodes with a slot that nothing needs when the plan has run.
    pub(super) fn dead_after(&self, plan: &Plan, walked: &[NodeRef], held: &Held) -> DeadAfter {
        let (dying, settled) = self.dying(plan, walked, held);
        // A node that stays needs the memory of the node whose value it takes.
        let kept: FxHashSet<NodeId> = settled
            .iter()
            .filter(|(node, _)| !dying.is_dead(**node))
            .map(|(_, base)| *base)
            .collect();
        let (mut dead, mut values) = dying.into_parts();
        dead.retain(|id| plan.slots.contains_key(id) && !kept.contains(id));
        values.retain(|node| !kept.contains(&node.id));
        DeadAfter {
            nodes: dead,
            values,
        }
    }

    /// The references that go when the plan has run, and the aliases and composites that take the value
    /// of another node.
    pub(super) fn dying<'p>(
        &self,
        plan: &'p Plan,
        walked: &[NodeRef],
        held: &Held,
    ) -> (Dying<'p>, FxHashMap<NodeId, NodeId>) {
        let mut dying = Dying::new(References::besides(&plan.nodes, held));
        // What nothing refers to but the plan.
        plan.nodes
            .values()
            .for_each(|node| dying.end_if_unheld(node));
        // The caller's references.
        walked.iter().for_each(|node| dying.lose(node));
        for node in plan.computed() {
            if plan.slots.contains_key(&node.id) && self.engine.releases_sources(node) {
                dying.lose_sources(node);
            }
        }
        // Aliases and composites take the values of what is behind them, and let go too.
        let mut settled: FxHashMap<NodeId, NodeId> = FxHashMap::default();
        let mut settle = |node: NodeRef| {
            if let Some((node, base)) = self.settles(plan, node)
                && settled.insert(node.id, base).is_none()
                && self.engine.releases_settled(&node)
            {
                dying.lose_sources(&node);
            }
        };
        plan.computed()
            .flat_map(|node| node.src())
            .for_each(&mut settle);
        let roots = plan.roots.iter().map(|id| plan.nodes[id].clone());
        roots.for_each(&mut settle);
        for node in walked {
            let has_value = node.has_value()
                || plan.slots.contains_key(&node.id)
                || settled.contains_key(&node.id);
            if has_value && self.engine.releases(node) {
                dying.lose_sources(node);
            }
        }
        (dying, settled)
    }
}

/// What will be gone when a plan has run.
#[derive(Default)]
pub(super) struct DeadAfter {
    /// Nodes that the plan computes.
    pub(super) nodes: FxHashSet<NodeId>,
    /// Nodes whose values were there before.
    pub(super) values: Vec<NodeRef>,
}

impl DeadAfter {
    pub(super) fn is_empty(&self) -> bool {
        self.nodes.is_empty() && self.values.is_empty()
    }
}
