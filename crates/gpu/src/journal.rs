//! What was asked of the device since a checkpoint, so that a lost device loses no value.
//!
//! Every job and every value that came from the host is noted, in order. When the device goes, the values
//! of the checkpoint are taken up again and the notes are gone through once more, on a new device or on
//! this processor. A checkpoint copies the values that are only on the device into a buffer that is sent
//! along with the step and read when it has arrived, so no step waits for it; then what came before it is
//! forgotten.
//!
//! Invariant: a memory's value is the one it began with, after the notes that write it.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::{Rc, Weak};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use glowgrad_cpu::Host;
use glowgrad_tensor::{DType, Result};

use crate::commands::Command;
use crate::device::Gpu;
use crate::dispatch::Job;
use crate::memory::{Latest, Memory, Value, from_words};

/// Notes after which a checkpoint is made.
const MANY_NOTES: usize = 2048;

/// Bytes of the host that notes may hold before a checkpoint is made.
const MANY_BYTES: usize = 64 << 20;

/// Something that gave a memory its value.
pub(crate) enum Note {
    /// The host did.
    Given(Rc<Memory>, Value),
    /// A job did.
    Ran(Rc<Job>),
}

impl Note {
    fn memories(&self) -> impl Iterator<Item = &Rc<Memory>> {
        let (given, job) = match self {
            Note::Given(memory, _) => (Some(memory), None),
            Note::Ran(job) => (None, Some(job)),
        };
        let ran = job
            .into_iter()
            .flat_map(|job| job.inputs.iter().chain([&job.output]));
        given.into_iter().chain(ran)
    }
}

/// Bytes of a checkpoint that travel in one buffer, unless one value has more.
const STAGING_BYTES: u64 = 32 << 20;

/// A value on its way to the host.
struct Copied {
    memory: Weak<Memory>,
    dtype: DType,
    /// Which buffer it travels in, and where there.
    staging: usize,
    offset: u64,
    bytes: u64,
}

struct Checkpoint {
    /// How many notes it makes superfluous.
    n_notes: usize,
    known: Vec<(Weak<Memory>, Value)>,
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
    live: RefCell<Vec<Weak<Memory>>>,
    checkpoint: RefCell<Option<Checkpoint>>,
}

impl Journal {
    /// A memory that a tensor has got.
    pub(crate) fn follow(&self, memory: &Rc<Memory>) {
        let mut live = self.live.borrow_mut();
        if live.len() == live.capacity() {
            live.retain(|memory| memory.strong_count() > 0);
        }
        live.push(Rc::downgrade(memory));
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

    fn living(&self) -> Vec<Rc<Memory>> {
        let mut live = self.live.borrow_mut();
        live.retain(|memory| memory.upgrade().is_some_and(|memory| memory.is_alive()));
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
        for memory in self.living() {
            match memory.latest() {
                Latest::Known(value) => known.push((Rc::downgrade(&memory), value)),
                Latest::OnDevice(buffer, dtype) => {
                    let bytes = memory.device_bytes(dtype);
                    if ends.last().is_none_or(|end| end + bytes > STAGING_BYTES) {
                        ends.push(0);
                    }
                    let staging = ends.len() - 1;
                    copied.push(Copied {
                        memory: Rc::downgrade(&memory),
                        dtype,
                        staging,
                        offset: ends[staging],
                        bytes,
                    });
                    sources.push(buffer);
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
            let Some(memory) = copy.memory.upgrade() else {
                continue;
            };
            let mut host = Host::new(memory.bytes())?;
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
            values.push((memory, value));
        }
        let known = checkpoint.known.into_iter();
        values.extend(known.filter_map(|(memory, value)| Some((memory.upgrade()?, value))));
        for (memory, value) in values {
            memory.start_with(value);
        }
        self.notes.borrow_mut().drain(..checkpoint.n_notes);
        Ok(())
    }

    /// Goes through the notes again with values as they were at the checkpoint; what was on the device is
    /// gone. Returns how many jobs ran.
    pub(crate) fn replay(&self, run: impl Fn(&Job) -> Result<()>) -> Result<usize> {
        // One that had not arrived is lost too.
        self.checkpoint.borrow_mut().take();
        let notes = self.notes.borrow();
        let mut last: HashMap<*const Memory, usize> = HashMap::new();
        for (i, note) in notes.iter().enumerate() {
            for memory in note.memories() {
                if last.insert(Rc::as_ptr(memory), i).is_none() {
                    memory.rewind();
                }
            }
        }
        for memory in self.living() {
            if !last.contains_key(&Rc::as_ptr(&memory)) {
                memory.rewind();
            }
        }
        let mut n_jobs = 0;
        for (i, note) in notes.iter().enumerate() {
            match note {
                Note::Given(memory, value) => memory.set_host(value.clone()),
                Note::Ran(job) => {
                    run(job)?;
                    n_jobs += 1;
                }
            }
            for memory in note.memories() {
                if last.get(&Rc::as_ptr(memory)) == Some(&i) && !memory.is_alive() {
                    memory.clear();
                }
            }
        }
        Ok(n_jobs)
    }
}
