//! What was asked of the device since a checkpoint, so that a lost device loses no value.
//!
//! Every task and every value that came from the host is noted, in order. When the device goes, the values
//! of the checkpoint are taken up again and the notes are gone through once more, on a new device or on
//! this processor. A checkpoint copies the values that are only on the device into a buffer that is sent
//! along with the step and read when it has arrived, so no step waits for it; then what came before it is
//! forgotten.
//!
//! Invariant: a buffer's value is the one it began with, after the notes that write it.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::{Rc, Weak};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use glowgrad_cpu::Host;
use glowgrad_tensor::{DType, Result};

use crate::buffer::{GpuBuffer, Latest, Value, from_words};
use crate::commands::Command;
use crate::device::Gpu;
use crate::dispatch::BoundTask;

/// Notes after which a checkpoint is made.
const MANY_NOTES: usize = 2048;

/// Bytes of the host that notes may hold before a checkpoint is made.
const MANY_BYTES: usize = 64 << 20;

/// Something that gave a buffer its value.
pub(crate) enum Note {
    /// The host did.
    Given(Rc<GpuBuffer>, Value),
    /// A task did.
    Ran(Rc<BoundTask>),
}

impl Note {
    fn buffers(&self) -> impl Iterator<Item = &Rc<GpuBuffer>> {
        let (given, task) = match self {
            Note::Given(buffer, _) => (Some(buffer), None),
            Note::Ran(task) => (None, Some(task)),
        };
        let ran = task
            .into_iter()
            .flat_map(|task| task.inputs.iter().chain(&task.outputs));
        given.into_iter().chain(ran)
    }
}

/// Bytes of a checkpoint that travel in one buffer, unless one value has more.
const STAGING_BYTES: u64 = 32 << 20;

/// A value on its way to the host.
struct Copied {
    buffer: Weak<GpuBuffer>,
    dtype: DType,
    /// Which buffer it travels in, and where there.
    staging: usize,
    offset: u64,
    bytes: u64,
}

struct Checkpoint {
    /// How many notes it makes superfluous.
    n_notes: usize,
    known: Vec<(Weak<GpuBuffer>, Value)>,
    copied: Vec<Copied>,
    stagings: Vec<wgpu::Buffer>,
    /// Whether the copies were sent and their arrival is awaited.
    is_sent: bool,
    arrivals: Arc<Arrivals>,
}

/// How many buffers have arrived, and whether one never will.
#[derive(Default)]
struct Arrivals {
    n: AtomicUsize,
    failed: AtomicBool,
}

#[derive(Default)]
pub(crate) struct Journal {
    notes: RefCell<Vec<Note>>,
    live: RefCell<Vec<Weak<GpuBuffer>>>,
    checkpoint: RefCell<Option<Checkpoint>>,
}

impl Journal {
    /// A buffer that a tensor has got.
    pub(crate) fn follow(&self, buffer: &Rc<GpuBuffer>) {
        let mut live = self.live.borrow_mut();
        if live.len() == live.capacity() {
            live.retain(|buffer| buffer.strong_count() > 0);
        }
        live.push(Rc::downgrade(buffer));
    }

    pub(crate) fn note(&self, note: Note) {
        self.notes.borrow_mut().push(note);
    }

    fn is_long(&self) -> bool {
        let notes = self.notes.borrow();
        let given = |note: &Note| match note {
            Note::Given(_, value) => value.host.bytes().len(),
            Note::Ran(_) => 0,
        };
        notes.len() >= MANY_NOTES || notes.iter().map(given).sum::<usize>() >= MANY_BYTES
    }

    fn living(&self) -> Vec<Rc<GpuBuffer>> {
        let mut live = self.live.borrow_mut();
        live.retain(|buffer| buffer.upgrade().is_some_and(|buffer| buffer.is_alive()));
        live.iter().filter_map(Weak::upgrade).collect()
    }

    /// Begins a checkpoint if it is time for one: its copies join what is sent next.
    pub(crate) fn begin(&self, gpu: &Gpu) -> Vec<Command> {
        if self.checkpoint.borrow().is_some() || !self.is_long() {
            return Vec::new();
        }
        let (mut known, mut copied, mut sources) = (Vec::new(), Vec::new(), Vec::new());
        // The bytes of each buffer that travels.
        let mut ends: Vec<u64> = Vec::new();
        for buffer in self.living() {
            match buffer.latest() {
                Latest::Known(value) => known.push((Rc::downgrade(&buffer), value)),
                Latest::OnDevice(words, dtype) => {
                    let bytes = buffer.device_bytes(dtype);
                    if ends.last().is_none_or(|end| end + bytes > STAGING_BYTES) {
                        ends.push(0);
                    }
                    let staging = ends.len() - 1;
                    copied.push(Copied {
                        buffer: Rc::downgrade(&buffer),
                        dtype,
                        staging,
                        offset: ends[staging],
                        bytes,
                    });
                    sources.push(words);
                    // What is read of a mapped buffer begins at a multiple of 8.
                    ends[staging] += bytes.next_multiple_of(8);
                }
                Latest::Nothing => {}
            }
        }
        let stagings: Vec<wgpu::Buffer> = ends.iter().map(|&end| gpu.staging(end.max(4))).collect();
        let travels = sources.into_iter().zip(&copied);
        let commands = travels
            .filter(|(_, copy)| copy.bytes > 0)
            .map(|(from, copy)| Command::Copy {
                from,
                to: stagings[copy.staging].clone(),
                at: copy.offset,
                bytes: copy.bytes,
            })
            .collect();
        *self.checkpoint.borrow_mut() = Some(Checkpoint {
            n_notes: self.notes.borrow().len(),
            known,
            copied,
            is_sent: stagings.is_empty(),
            arrivals: Arc::default(),
            stagings,
        });
        commands
    }

    /// What was encoded has been sent.
    pub(crate) fn sent(&self) {
        let mut checkpoint = self.checkpoint.borrow_mut();
        let Some(checkpoint) = checkpoint.as_mut().filter(|c| !c.is_sent) else {
            return;
        };
        checkpoint.is_sent = true;
        for staging in &checkpoint.stagings {
            let arrivals = checkpoint.arrivals.clone();
            staging.map_async(wgpu::MapMode::Read, .., move |result| match result {
                Ok(()) => {
                    arrivals.n.fetch_add(1, Ordering::Relaxed);
                }
                Err(_) => arrivals.failed.store(true, Ordering::Relaxed),
            });
        }
    }

    /// Takes a checkpoint up that has arrived.
    pub(crate) fn settle(&self) -> Result<()> {
        let mut pending = self.checkpoint.borrow_mut();
        let Some(checkpoint) = pending.take() else {
            return Ok(());
        };
        let arrivals = &checkpoint.arrivals;
        if arrivals.failed.load(Ordering::Relaxed) {
            return Ok(());
        }
        if arrivals.n.load(Ordering::Relaxed) == checkpoint.stagings.len() {
            return self.take_up(checkpoint);
        }
        *pending = Some(checkpoint);
        Ok(())
    }

    fn take_up(&self, checkpoint: Checkpoint) -> Result<()> {
        let mut values = Vec::new();
        for copy in &checkpoint.copied {
            let Some(buffer) = copy.buffer.upgrade() else {
                continue;
            };
            let mut host = Host::new(buffer.bytes())?;
            if copy.bytes > 0 {
                let range = copy.offset..copy.offset + copy.bytes;
                let Ok(words) = checkpoint.stagings[copy.staging].get_mapped_range(range) else {
                    return Ok(());
                };
                from_words(&words, copy.dtype, host.bytes_mut());
            }
            let value = Value {
                host: Rc::new(host),
                dtype: copy.dtype,
            };
            values.push((buffer, value));
        }
        let known = checkpoint.known.into_iter();
        values.extend(known.filter_map(|(buffer, value)| Some((buffer.upgrade()?, value))));
        for (buffer, value) in values {
            buffer.start_with(value);
        }
        self.notes.borrow_mut().drain(..checkpoint.n_notes);
        Ok(())
    }

    /// Goes through the notes again with values as they were at the checkpoint; what was on the device is
    /// gone. Returns how many tasks ran.
    pub(crate) fn replay(&self, run: impl Fn(&BoundTask) -> Result<()>) -> Result<usize> {
        // One that had not arrived is lost too.
        self.checkpoint.borrow_mut().take();
        let notes = self.notes.borrow();
        let mut last: HashMap<*const GpuBuffer, usize> = HashMap::new();
        for (i, note) in notes.iter().enumerate() {
            for buffer in note.buffers() {
                if last.insert(Rc::as_ptr(buffer), i).is_none() {
                    buffer.rewind();
                }
            }
        }
        for buffer in self.living() {
            if !last.contains_key(&Rc::as_ptr(&buffer)) {
                buffer.rewind();
            }
        }
        let mut n_tasks = 0;
        for (i, note) in notes.iter().enumerate() {
            match note {
                Note::Given(buffer, value) => buffer.set_host(value.clone()),
                Note::Ran(task) => {
                    run(task)?;
                    n_tasks += 1;
                }
            }
            for buffer in note.buffers() {
                if last.get(&Rc::as_ptr(buffer)) == Some(&i) && !buffer.is_alive() {
                    buffer.clear();
                }
            }
        }
        Ok(n_tasks)
    }
}
