//! Which memory each value of a step has when the step runs again.
//!
//! What something holds stays where it is: parameters, what an optimizer remembers, the batch, the loss. A value that is
//! gone when the step ends has memory from the task that writes it to the last one that uses it, and the next value of
//! its size has that memory then.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

use super::capture::{Captured, Noted};
use super::{Copies, Copy, OTHER_VALUES, allocate};
use crate::backend::{Buffer, Task, WeakBuffer};
use crate::device::Device;
use crate::dtype::DType;
use crate::graph::Engine;
use crate::{Error, Result};

/// Memory by the number of the buffer that a step had.
pub(super) struct BufferAssignment(HashMap<u64, Buffer>);

impl BufferAssignment {
    /// Of a step that begins with these copies.
    pub(super) fn of(
        engine: &Engine,
        step: &Captured,
        copies: &Copies,
    ) -> Result<BufferAssignment> {
        let mut assignment = BufferAssignment(HashMap::new());
        for one in &copies.all {
            let from = one.from.upgrade().ok_or_else(|| {
                Error::runtime("train: a step keeps what the one before it did not keep; keep the same in each")
            })?;
            assignment.0.insert(one.from.id(), from);
        }
        for Copy { to, .. } in &copies.all {
            if let Entry::Vacant(place) = assignment.0.entry(to.id()) {
                place.insert(or_new(engine, to, to.upgrade())?);
            }
        }
        let mut last_use = HashMap::new();
        for (i, noted) in step.tasks.iter().enumerate() {
            last_use.extend(noted.ends().map(|memory| (memory.id(), i)));
        }
        let mut passing = HashSet::new();
        let mut free: HashMap<Size, Vec<Buffer>> = HashMap::new();
        for (i, noted) in step.tasks.iter().enumerate() {
            for input in &noted.inputs {
                if let Entry::Vacant(place) = assignment.0.entry(input.id()) {
                    place.insert(input.upgrade().ok_or_else(|| noted.error(OTHER_VALUES))?);
                }
            }
            for output in &noted.outputs {
                if let Entry::Vacant(place) = assignment.0.entry(output.id()) {
                    let mut buffer = output.upgrade();
                    if buffer.is_none() {
                        passing.insert(output.id());
                        buffer = free.get_mut(&size(output)).and_then(Vec::pop);
                    }
                    place.insert(or_new(engine, output, buffer)?);
                }
            }
            for memory in noted.ends() {
                if last_use.get(&memory.id()) == Some(&i) && passing.remove(&memory.id()) {
                    let list = free.entry(size(memory)).or_default();
                    list.push(assignment.buffer(memory).clone());
                }
            }
        }
        Ok(assignment)
    }

    /// The memory of a buffer of the step, or of its copies.
    pub(super) fn buffer(&self, memory: &WeakBuffer) -> &Buffer {
        &self.0[&memory.id()]
    }

    /// A task of the step.
    pub(super) fn task(&self, noted: &Noted) -> Task {
        let buffers = |all: &[WeakBuffer]| all.iter().map(|one| self.buffer(one).clone()).collect();
        Task::new(
            noted.work.clone(),
            buffers(&noted.inputs),
            buffers(&noted.outputs),
        )
    }
}

fn or_new(engine: &Engine, memory: &WeakBuffer, buffer: Option<Buffer>) -> Result<Buffer> {
    let new = || allocate(engine, memory.on(), memory.made_for(), memory.bytes());
    buffer.map_or_else(new, Ok)
}

/// Values of one size can have the same memory, one after another.
type Size = (usize, DType, Device);

fn size(memory: &WeakBuffer) -> Size {
    (memory.bytes(), memory.made_for(), memory.on())
}
