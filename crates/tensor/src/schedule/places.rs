//! Where a plan's values lie, and for how long.
//!
//! A [`Place`] has its memory from the task that writes it to the last one that reads it, unless
//! somebody keeps the node: then the memory becomes the node's value. Who keeps what is found by
//! counting: a node all of whose references are the plan's own, or those of nodes that let go of
//! their sources once the plan has run, is gone afterwards, and so is the need for its value.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use smallvec::SmallVec;

use super::Plan;
use crate::Result;
use crate::backend::{Buffer, Task};
use crate::device::Device;
use crate::dtype::DType;
use crate::engine::Engine;
use crate::kernel::Work;
use crate::node::NodeRef;
use crate::op::Kind;
use crate::trace::{NodeId, Purpose};
use crate::view::View;

/// Memory that is there, or will be while its task and those after it run.
#[derive(Clone)]
pub(super) struct Place(Rc<Promise>);

pub(super) struct Promise {
    bytes: usize,
    dtype: DType,
    /// The buffer's number, if it was there from the start.
    there: Option<u64>,
    buffer: RefCell<Option<Buffer>>,
}

impl Place {
    /// Memory that holds a value already.
    pub(super) fn there(buffer: Buffer, dtype: DType) -> Place {
        Place(Rc::new(Promise {
            bytes: buffer.bytes(),
            dtype,
            there: Some(buffer.id()),
            buffer: RefCell::new(Some(buffer)),
        }))
    }

    /// Memory for so many elements to come.
    pub(super) fn promised(n: usize, dtype: DType) -> Place {
        Place(Rc::new(Promise {
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
    pub(super) fn is(&self, other: &Place) -> bool {
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
pub(super) struct Job {
    pub(super) work: Work,
    pub(super) inputs: Vec<Place>,
    pub(super) output: Place,
}

impl Job {
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
            let place = &self.inputs[i];
            let uses = self.inputs.iter().filter(|other| other.is(place)).count();
            uses == 1
                && place.bytes() == self.output.bytes()
                && kernel.inputs[i].view == whole
                && ends_here(i)
        };
        (0..self.inputs.len()).find(|&i| same(i))
    }
}

/// When memory is read for the last time, and which memory goes then.
struct Ends {
    last_use: HashMap<Key, usize>,
    /// Nodes that will be gone and whose values are there.
    owners: HashMap<Key, Vec<NodeRef>>,
    passing: HashSet<Key>,
    /// The places of each key.
    places: HashMap<Key, Vec<Place>>,
}

impl Ends {
    fn new(plan: &Plan, passing: &Passing) -> Ends {
        let mut last_use: HashMap<Key, usize> = HashMap::new();
        let mut all: HashMap<Key, Vec<Place>> = HashMap::new();
        for (i, job) in plan.jobs.iter().enumerate() {
            for place in job.inputs.iter().chain([&job.output]) {
                last_use.insert(place.key(), i);
                let list = all.entry(place.key()).or_default();
                if !list.iter().any(|other| Rc::ptr_eq(&other.0, &place.0)) {
                    list.push(place.clone());
                }
            }
        }
        let stored: HashSet<Key> = plan
            .order
            .iter()
            .filter_map(|node| plan.places.get(&node.id).map(Place::key))
            .collect();
        // A copy is no node's value: should a job fail, it is made again from what it was made of.
        for job in plan.jobs.iter().rev() {
            let output = job.output.key();
            if stored.contains(&output) {
                continue;
            }
            let until = last_use.get(&output).copied().unwrap_or(0);
            for place in &job.inputs {
                let at = last_use.entry(place.key()).or_insert(0);
                *at = until.max(*at);
            }
        }
        let places = plan.places.iter();
        let mut keys: HashSet<Key> = places
            .filter(|(id, _)| passing.nodes.contains(id))
            .map(|(_, place)| place.key())
            .collect();
        let mut owners: HashMap<Key, Vec<NodeRef>> = HashMap::new();
        for node in &passing.values {
            if let Some(buffer) = node.value() {
                let key = Key::There(buffer.id());
                keys.insert(key);
                owners.entry(key).or_default().push(node.clone());
            }
        }
        Ends {
            last_use,
            owners,
            passing: keys,
            places: all,
        }
    }

    fn at(&self, key: Key, job: usize) -> bool {
        self.passing.contains(&key) && self.last_use.get(&key) == Some(&job)
    }

    /// Whether nobody but those who are done with it holds a buffer; the caller holds it once.
    fn is_sole(&self, key: Key, buffer: &Buffer) -> bool {
        let owners = self.owners.get(&key).map_or(0, Vec::len);
        let places = self.places.get(&key).into_iter().flatten();
        let held = places.filter(|place| place.buffer().is_some()).count();
        buffer.n_holders() == owners + held + 1
    }

    /// Lets go of memory.
    fn end(&self, key: Key) {
        for place in self.places.get(&key).into_iter().flatten() {
            place.end();
        }
        for owner in self.owners.get(&key).into_iter().flatten() {
            owner.value.borrow_mut().take();
        }
    }
}

impl Engine {
    /// Runs the jobs in order. Memory that nobody needs any more goes back at once, or takes the
    /// result of the job that reads it last. After an error what was computed is still there, and
    /// so is what the rest needs.
    pub(super) fn run_jobs(
        &self,
        plan: &Plan,
        passing: &Passing,
    ) -> Result<(), (usize, crate::Error)> {
        let ends = (!passing.is_empty()).then(|| Ends::new(plan, passing));
        let goes_at = |key: Key, i: usize| ends.as_ref().filter(|ends| ends.at(key, i));
        let mut devices: SmallVec<[Device; 2]> = SmallVec::new();
        let mut brought = Brought::default();
        for (i, job) in plan.jobs.iter().enumerate() {
            let device = stored_by(plan, i).device;
            let inputs: Vec<Buffer> = job.inputs.iter().filter_map(Place::buffer).collect();
            let ends_here = |at: usize| {
                let key = job.inputs[at].key();
                inputs[at].on() == device
                    && goes_at(key, i).is_some_and(|ends| ends.is_sole(key, &inputs[at]))
            };
            let (dtype, bytes) = (job.output.0.dtype, job.output.bytes());
            let replaced = job.replaceable(ends_here);
            let output = match replaced {
                Some(input) => inputs[input].clone(),
                None => self
                    .allocate(device, bytes, dtype, || purpose(plan, i))
                    .map_err(|error| (i, error))?,
            };
            let inputs = inputs
                .into_iter()
                .zip(&job.inputs)
                .map(|(input, place)| {
                    let dtype = place.0.dtype;
                    brought.on(device, input, |input| {
                        self.bring(input, dtype, device, || purpose(plan, i))
                    })
                })
                .collect::<Result<Vec<Buffer>>>()
                .map_err(|error| (i, error))?;
            let task = job.task(inputs, output.clone());
            let start = plan.notes.clock(self);
            if !devices.contains(&device) {
                devices.push(device);
            }
            let submitted = self.backend(device).submit(std::slice::from_ref(&task));
            if let Err((_, error)) = submitted {
                // A kernel that was stopped has written over a part of the input whose memory it took.
                if let (Some(input), Some(ends)) = (replaced, &ends) {
                    ends.end(job.inputs[input].key());
                }
                return Err((i, error));
            }
            plan.notes.ran(i, self, start);
            #[cfg(feature = "full")]
            self.note_task(&task, stored_by(plan, i));
            brought.forget(&output);
            drop(task);
            for place in &job.inputs {
                if let Some(ends) = goes_at(place.key(), i) {
                    ends.end(place.key());
                }
            }
            if goes_at(job.output.key(), i).is_none() {
                job.output.fill(output);
            }
        }
        let last = plan.jobs.len().saturating_sub(1);
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
        if node.has_value() || node.number.is_some() || plan.places.contains_key(&node.id) {
            return None;
        }
        let (base, view) = self.base(&node)?;
        let whole = view == View::contiguous(&node.shape) && view.numel() == base.numel();
        let there = base.has_value() || plan.places.contains_key(&base.id);
        (whole && there).then_some((node, base.id))
    }

    /// Nodes with a place that will be gone when the plan has run. `roots` are the plan's own
    /// references; `walked` are nodes of which the caller holds one reference more that it is about
    /// to drop, after their sources.
    pub(super) fn passing(&self, plan: &Plan, roots: &[NodeRef], walked: &[NodeRef]) -> Passing {
        let (count, settled) = self.count(plan, roots, walked);
        // Who stays needs the memory that it takes over.
        let kept: HashSet<NodeId> = settled
            .iter()
            .filter(|(node, _)| !count.gone.contains(*node))
            .map(|(_, base)| *base)
            .collect();
        let Count {
            mut gone,
            mut values,
            ..
        } = count;
        gone.retain(|id| plan.places.contains_key(id) && !kept.contains(id));
        values.retain(|node| !kept.contains(&node.id));
        Passing {
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
    ) -> (Count, HashMap<NodeId, NodeId>) {
        let mut count = Count::default();
        let lists = plan.nodes.iter().flatten();
        for node in plan.order.iter().chain(lists).chain(roots).chain(walked) {
            count.drop_one(node);
        }
        for node in &plan.order {
            if plan.places.contains_key(&node.id) && self.lets_go(node) {
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
                || plan.places.contains_key(&node.id)
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

/// The node whose value a job stores: it computes at least that one.
pub(super) fn stored_by(plan: &Plan, job: usize) -> &NodeRef {
    &plan.nodes[job][plan.nodes[job].len() - 1]
}

/// What the result of a job is for.
fn purpose(plan: &Plan, job: usize) -> Purpose {
    let node = stored_by(plan, job);
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
pub(super) struct Passing {
    /// Nodes that the plan computes.
    nodes: HashSet<NodeId>,
    /// Nodes whose values were there before.
    values: Vec<NodeRef>,
}

impl Passing {
    fn is_empty(&self) -> bool {
        self.nodes.is_empty() && self.values.is_empty()
    }
}

/// References that are about to go, node by node.
#[derive(Default)]
pub(crate) struct Count {
    dropped: HashMap<NodeId, usize>,
    sources_dropped: HashSet<NodeId>,
    gone: HashSet<NodeId>,
    values: Vec<NodeRef>,
}

impl Count {
    /// The nodes with a value that no reference is left to.
    #[cfg(feature = "full")]
    pub(crate) fn into_values(self) -> Vec<NodeRef> {
        self.values
    }

    /// Whether no reference to a node is left.
    #[cfg(feature = "full")]
    pub(super) fn is_gone(&self, node: &NodeRef) -> bool {
        self.gone.contains(&node.id)
    }

    /// A node has its value: of its sources it needs those that a walk back will read. The others go, and
    /// what they alone hold in the same way, up to what is stored.
    #[cfg(feature = "full")]
    pub(super) fn drop_unsaved(&mut self, end: &NodeRef, stored: &HashSet<NodeId>) {
        use crate::op::SAVE_Y;

        let mut stack = vec![end.clone()];
        while let Some(node) = stack.pop() {
            let saves = match node.needs_grad && !node.released.get() {
                true => node.op.kept(),
                false => 0,
            };
            // A value that a walk back will read is made of all the sources.
            let is_read = saves & SAVE_Y != 0 && node.id != end.id;
            if is_read || !self.sources_dropped.insert(node.id) {
                continue;
            }
            let sources = node.src.borrow();
            let is_saved = |i: usize| crate::autograd::has_operand(saves, i);
            let unsaved = sources.iter().enumerate().filter(|(i, _)| !is_saved(*i));
            let lowered = node.lowered.borrow();
            for source in unsaved.map(|(_, source)| source).chain(lowered.iter()) {
                let dropped = self.dropped.entry(source.id).or_insert(0);
                *dropped += 1;
                if *dropped == Rc::strong_count(&source.0)
                    && self.gone.insert(source.id)
                    && !stored.contains(&source.id)
                {
                    stack.push(source.clone());
                }
            }
        }
    }

    pub(crate) fn drop_one(&mut self, node: &NodeRef) {
        let mut stack = vec![node.clone()];
        while let Some(node) = stack.pop() {
            let dropped = self.dropped.entry(node.id).or_insert(0);
            *dropped += 1;
            // This loop holds one reference itself.
            if *dropped + 1 < Rc::strong_count(&node.0) || !self.gone.insert(node.id) {
                continue;
            }
            if node.has_value() {
                self.values.push(node.clone());
            }
            if self.sources_dropped.insert(node.id) {
                stack.extend(node.src.borrow().iter().cloned());
            }
            stack.extend(node.lowered.borrow().clone());
        }
    }

    pub(crate) fn drop_sources(&mut self, node: &NodeRef) {
        if self.sources_dropped.insert(node.id) {
            for source in node.src.borrow().iter() {
                self.drop_one(source);
            }
        }
    }
}
