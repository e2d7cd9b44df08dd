//! A step of training that runs again by itself.
//!
//! While a step runs, its tasks are noted ([`Engine::capture`]). Two steps in a row that do the same differ
//! in the memory they use alone, and comparing them shows which results of a step the next one begins with
//! ([`Replay::of`]). Then the tasks of the second run again on memory that stays ([`BufferAssignment`]): nothing calls the
//! learner's code, makes a node or schedules anything.

mod buffer_assignment;
mod capture;
mod slices;

use std::collections::{HashMap, HashSet};
use std::rc::{Rc, Weak};

use smallvec::smallvec;

pub use capture::Captured;
pub use slices::drawn_slice;

use crate::backend::{Buffer, Recording, Task, WeakBuffer};
use crate::device::Device;
use crate::dtype::DType;
use crate::graph::{Engine, StorageHandle};
use crate::kernel::{Input, Instr, Kernel, Routine, Work};
use crate::node::Span;
use crate::trace::Purpose;
use crate::view::View;
use crate::{Error, Result};

use buffer_assignment::BufferAssignment;
use capture::{Drawn, Noted, Origin};

const OTHER_VALUES: &str = "it uses other values than in the step before; a step must use the same tensors each time, or those that the step before made: give others as a batch";

/// A step's tasks, ready to run again: each run takes up where the last one ended.
pub struct Replay {
    engine: Engine,
    device: Device,
    /// What a step hands to the next one, put where that reads it.
    carried: Again,
    /// And back: what the last whole step made is the value again after an error.
    back: Vec<Task>,
    step: Again,
    written: Vec<Weak<dyn StorageHandle>>,
    drawn: Vec<Drawn>,
}

/// Tasks that run again and again.
struct Again {
    tasks: Vec<Task>,
    recording: Option<Box<dyn Recording>>,
}

impl Again {
    fn new(engine: &Engine, device: Device, tasks: Vec<Task>) -> Again {
        let recording = match tasks.is_empty() {
            true => None,
            false => engine.backend(device).record(&tasks),
        };
        Again { tasks, recording }
    }

    fn run(&self, engine: &Engine, device: Device) -> Result<()> {
        let ran = match &self.recording {
            Some(recording) => recording.run(),
            None => engine.backend(device).submit(&self.tasks),
        };
        ran.map_err(|(_, error)| error)
    }
}

impl Replay {
    /// What two steps in a row have in common, if they did the same.
    ///
    /// # Errors
    /// What they differ in, with the line.
    pub fn of(engine: &Engine, before: &Captured, step: &Captured) -> Result<Replay> {
        let pairs = Pairs::of(before, step)?;
        if !step.keeps_as(before) {
            return Err(Error::runtime(
                "train: a step keeps what earlier ones made, more of it in each step or for several steps, such as a list that grows; keep what the last step made, and take the losses from what train() gives",
            ));
        }
        let Some(last) = step.tasks.last() else {
            return Err(Error::runtime(
                "train: the step computes nothing on a device; its loss must follow from what it reads",
            ));
        };
        let device = last.outputs[0].on();
        if let Some(noted) = step.tasks.iter().find(|n| n.outputs[0].on() != device) {
            return Err(noted.error(
                "it runs on another device than the rest of the step; move its inputs with .to(device)",
            ));
        }
        let copies = Copies::of(engine, &pairs, before, step)?;
        let is_here = |Copy { from, to, .. }: &Copy| from.on() == device && to.on() == device;
        if !copies.all.iter().all(is_here) {
            return Err(Error::runtime(
                "train: a step keeps what it made on another device than the rest of it; move it with .to(device)",
            ));
        }
        let assignment = BufferAssignment::of(engine, step, &copies)?;
        let back = copies.all.iter();
        let back = back.map(|one| {
            copy(
                assignment.buffer(&one.to),
                assignment.buffer(&one.from),
                one.dtype,
            )
        });
        let back = back.collect();
        let carried = copies.tasks(engine, &assignment)?;
        let tasks = step
            .tasks
            .iter()
            .map(|noted| assignment.task(noted))
            .collect();
        Ok(Replay {
            carried: Again::new(engine, device, carried),
            back,
            step: Again::new(engine, device, tasks),
            engine: engine.clone(),
            device,
            written: step.written.clone(),
            drawn: step.drawn.clone(),
        })
    }

    /// Runs the step once more, at once or by the next read; `fill` gives what it reads other values.
    ///
    /// # Errors
    /// What the device met, and those of `fill`.
    pub fn run(&self, fill: impl FnOnce() -> Result<()>) -> Result<()> {
        // Stop comes before these copies or after them: between two, some memory would be a step ahead of the rest.
        crate::interrupt::paused(|| self.carried.run(&self.engine, self.device))?;
        self.run_step(fill).inspect_err(|_| {
            // Stop ends the step, not its undoing.
            let undo = || self.engine.backend(self.device).submit(&self.back);
            let _ = crate::interrupt::paused(undo);
        })?;
        for storage in self.written.iter().filter_map(Weak::upgrade) {
            storage.count_write();
        }
        self.engine.backend(self.device).flush()
    }

    fn run_step(&self, fill: impl FnOnce() -> Result<()>) -> Result<()> {
        fill()?;
        for Drawn { draw, dtype, into } in &self.drawn {
            let n = into.0.bytes() / dtype.size();
            let bytes = self.engine.generator().draw(*draw, n, *dtype)?;
            self.engine.backend(into.0.on()).upload(&into.0, &bytes)?;
        }
        self.step.run(&self.engine, self.device)
    }

    /// How many tasks a run has.
    pub fn n_tasks(&self) -> usize {
        self.carried.tasks.len() + self.step.tasks.len()
    }
}

/// Which memory of a step is which of the step before, and what a step reads of what was there before it.
#[derive(Default)]
struct Pairs<'a> {
    /// By the number of the earlier one.
    now: HashMap<u64, WeakBuffer>,
    /// By the number of the later one.
    before: HashMap<u64, u64>,
    outer: Vec<(&'a WeakBuffer, &'a WeakBuffer, &'a Noted)>,
}

impl<'a> Pairs<'a> {
    fn of(before: &'a Captured, step: &'a Captured) -> Result<Pairs<'a>> {
        let mut pairs = Pairs::default();
        let mut seen: HashSet<u64> = HashSet::new();
        for (old, new) in before.tasks.iter().zip(&step.tasks) {
            if let Some(what) = difference(&old.work, &new.work) {
                return Err(new.error(&what));
            }
            if !old.ends().zip(new.ends()).all(|(a, b)| pairs.pair(a, b)) {
                return Err(new.error(OTHER_VALUES));
            }
            for (a, b) in old.inputs.iter().zip(&new.inputs) {
                if seen.insert(b.id()) {
                    pairs.outer.push((a, b, new));
                }
            }
            seen.extend(new.outputs.iter().map(WeakBuffer::id));
        }
        let draws = before.drawn.iter().zip(&step.drawn);
        if before.drawn.len() != step.drawn.len() || !draws.into_iter().all(|(a, b)| a.is_like(b)) {
            return Err(Error::runtime(
                "train: the step before drew other random numbers; a step must draw as many each time",
            ));
        }
        let (n_before, n) = (before.tasks.len(), step.tasks.len());
        if n_before != n {
            return Err(Error::runtime(format!(
                "train: a step ran {n} kernels, and the one before it {n_before}; a step must do the same each time: take what changes out of it"
            )));
        }
        Ok(pairs)
    }

    /// Takes two for the same, unless either is another's already.
    fn pair(&mut self, before: &WeakBuffer, now: &WeakBuffer) -> bool {
        match (self.now.get(&before.id()), self.before.get(&now.id())) {
            (None, None) => {
                self.now.insert(before.id(), now.clone());
                self.before.insert(now.id(), before.id());
                true
            }
            (Some(known), Some(_)) => known.id() == now.id(),
            _ => false,
        }
    }
}

/// What two pieces of work differ in.
fn difference(before: &Work, now: &Work) -> Option<String> {
    let something = || {
        Some("the step before computed something else here; a step must do the same each time: take what changes out of it, or give it as a batch".to_owned())
    };
    let (a, b) = match (before, now) {
        (Work::Kernel(a), Work::Kernel(b)) => (a, b),
        (
            Work::Routine(Routine::WithEpilogue {
                routine,
                epilogue: a,
            }),
            Work::Routine(Routine::WithEpilogue {
                routine: other,
                epilogue: b,
            }),
        ) if routine == other => (a, b),
        (Work::Routine(a), Work::Routine(b)) if a == b => return None,
        _ => return something(),
    };
    if !a.is_same_structure(b) {
        return something();
    }
    let (a, b) = a.args.iter().zip(&b.args).find(|(a, b)| !a.is_same(**b))?;
    Some(format!(
        "a number changes from step to step ({} and then {}), and would stay as it is when the step runs again; keep it in a tensor",
        a.as_f64(),
        b.as_f64()
    ))
}

/// What a step hands to the next one.
#[derive(Default)]
struct Copies {
    all: Vec<Copy>,
    /// Memory of which nothing else knows.
    own: Vec<Buffer>,
}

/// From where a value lies to where the next step has it.
struct Copy {
    from: WeakBuffer,
    to: WeakBuffer,
    dtype: DType,
}

impl Copies {
    fn of(engine: &Engine, pairs: &Pairs, before: &Captured, step: &Captured) -> Result<Copies> {
        let origins = step.origins();
        let mut copies = Copies::default();
        // What is held of the step before becomes what this step made in its place.
        for (origin, held) in step.stale.iter().flatten() {
            let now = origins.values().find(|(own, _)| own == origin);
            let Some((_, now)) = now else {
                continue;
            };
            copies.push(now, &held.0.downgrade(), before, step);
        }
        for &(old, new, noted) in &pairs.outer {
            if old.id() == new.id() || copies.all.iter().any(|one| one.to.id() == new.id()) {
                continue;
            }
            // What the step before had too, as something else: what that is now comes in its place.
            if let Some(now) = pairs.now.get(&new.id()) {
                if now.id() != new.id() {
                    copies.push(now, new, before, step);
                }
                continue;
            }
            // What was held of a step before that one comes from what is held of that one now.
            let mut stale = before.stale.iter().flatten();
            if let Some((origin, _)) = stale.find(|(_, held)| held.0.id() == new.id())
                && let mut stale = step.stale.iter().flatten()
                && let Some((_, now)) = stale.find(|(own, _)| own == origin)
            {
                copies.push(&now.0.downgrade(), new, before, step);
                continue;
            }
            let filled = |captured: &Captured, memory: &WeakBuffer| {
                let mut all = captured.filled.iter();
                all.position(|filled| filled.memory.0.id() == memory.id())
            };
            // What the host filled in the step before comes from what it fills now.
            if let Some(i) = filled(before, new)
                && let Some(now) = step.filled.get(i)
            {
                copies.push(&now.memory.0.downgrade(), new, before, step);
                continue;
            }
            let Some(i) = filled(step, new).filter(|i| filled(before, old) == Some(*i)) else {
                return Err(noted.error(OTHER_VALUES));
            };
            let mut drawn = step.drawn.iter();
            if i < step.n_batch || drawn.any(|drawn| drawn.into.0.id() == new.id()) {
                continue;
            }
            let bytes = &step.filled[i].bytes;
            if before.filled[i].bytes != *bytes {
                return Err(noted.error(
                    "it reads numbers that are made anew in each step, and would be the same ones when the step runs again; give them as a batch, or draw random ones where they are used (device=…), without a generator of their own",
                ));
            }
            if matches!(origins.get(&new.id()), Some((Origin::Task(..), _))) {
                let dtype = new.made_for();
                let kept = allocate(engine, new.on(), dtype, bytes.len())?;
                engine.backend(new.on()).upload(&kept, bytes)?;
                copies.all.push(Copy {
                    from: kept.downgrade(),
                    to: new.clone(),
                    dtype,
                });
                copies.own.push(kept);
            }
        }
        Ok(copies)
    }

    fn push(&mut self, from: &WeakBuffer, to: &WeakBuffer, before: &Captured, step: &Captured) {
        let dtype = dtype_of(from, step).or_else(|| dtype_of(to, before));
        self.all.push(Copy {
            from: from.clone(),
            to: to.clone(),
            dtype: dtype.unwrap_or(to.made_for()),
        });
    }

    /// As tasks, all of them at once: what one copy overwrites and another one reads is put aside first.
    fn tasks(&self, engine: &Engine, assignment: &BufferAssignment) -> Result<Vec<Task>> {
        let overwritten: HashSet<u64> = self.all.iter().map(|one| one.to.id()).collect();
        let (mut aside, mut moves) = (Vec::new(), Vec::new());
        for Copy { from, to, dtype } in &self.all {
            let (memory, to) = (assignment.buffer(from), assignment.buffer(to));
            if overwritten.contains(&from.id()) {
                let other = allocate(engine, from.on(), *dtype, from.bytes())?;
                aside.push(copy(memory, &other, *dtype));
                moves.push(copy(&other, to, *dtype));
            } else {
                moves.push(copy(memory, to, *dtype));
            }
        }
        aside.append(&mut moves);
        Ok(aside)
    }
}

/// Memory of a step that runs again.
fn allocate(engine: &Engine, on: Device, dtype: DType, bytes: usize) -> Result<Buffer> {
    engine.allocate(on, bytes, dtype, || Purpose {
        node: engine.next_node_id(),
        op: "train",
        shape: smallvec![bytes / dtype.size()],
        dtype,
        span: Span::default(),
    })
}

/// What the elements of memory are after a step: what wrote them last says so.
fn dtype_of(buffer: &WeakBuffer, step: &Captured) -> Option<DType> {
    let mut tasks = step.tasks.iter().rev();
    tasks.find_map(|noted| {
        let mut outputs = noted.outputs.iter();
        let output = outputs.position(|output| output.id() == buffer.id())?;
        Some(noted.work.output_dtype(output))
    })
}

/// The same elements elsewhere.
fn copy(from: &Buffer, to: &Buffer, dtype: DType) -> Task {
    let shape = smallvec![from.bytes() / dtype.size()];
    let kernel = Kernel {
        inputs: vec![Input {
            view: View::contiguous(&shape),
            dtype,
        }],
        shape,
        args: Vec::new(),
        fixed: Vec::new(),
        code: vec![Instr::Load { input: 0 }],
        dtypes: vec![dtype],
        outputs: vec![0],
        reduce: None,
    };
    Task::Kernel {
        kernel: Rc::new(kernel),
        inputs: vec![from.clone()],
        outputs: vec![to.clone()],
    }
}
