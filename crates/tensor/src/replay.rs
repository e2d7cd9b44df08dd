//! A step of training that runs again by itself.
//!
//! While a step runs, its tasks are noted ([`Engine::capture`]). Two steps in a row that do the same differ
//! in the memory they use alone, and comparing them shows which results of a step the next one begins with
//! ([`Replay::of`]). Then the tasks of the second run again on the memory they have: nobody calls the
//! learner's code, makes a node or schedules anything.

use std::collections::{HashMap, HashSet};
use std::rc::{Rc, Weak};

use smallvec::smallvec;

use crate::backend::{Buffer, Recording, Task};
use crate::device::Device;
use crate::dtype::DType;
use crate::engine::Engine;
use crate::kernel::{Input, Instr, Kernel, Routine, Work};
use crate::node::{NodeRef, Span};
use crate::random::Draw;
use crate::shape;
use crate::tensor::{Storage, Tensor};
use crate::trace::Purpose;
use crate::view::View;
use crate::{Error, Result};

/// What a step did.
#[derive(Default)]
pub struct Captured {
    tasks: Vec<Noted>,
    /// What it wrote in place.
    written: Vec<Weak<Storage>>,
    drawn: Vec<Drawn>,
}

/// Random numbers of a step, drawn anew for the next one.
#[derive(Clone)]
struct Drawn {
    draw: Draw,
    dtype: DType,
    into: Buffer,
}

impl Drawn {
    fn is_like(&self, other: &Drawn) -> bool {
        self.draw == other.draw
            && self.dtype == other.dtype
            && self.into.bytes() == other.into.bytes()
    }
}

/// A task that has run. It keeps the memory, but is not counted among those who use it: the plans of later
/// steps are the same with it and without.
struct Noted {
    task: Task,
    /// What it computes.
    op: &'static str,
    span: Span,
}

impl Noted {
    fn new(task: &Task, op: &'static str, span: Span) -> Noted {
        let task = task.clone();
        buffers(&task).for_each(Buffer::watch);
        Noted { task, op, span }
    }

    /// An error that names the line.
    fn error(&self, what: &str) -> Error {
        Error::runtime(format!(
            "train: {}{what}",
            match self.span.line {
                0 => format!("{}: ", self.op),
                line => format!("line {line}, {}: ", self.op),
            }
        ))
    }
}

impl Drop for Noted {
    fn drop(&mut self) {
        buffers(&self.task).for_each(Buffer::unwatch);
    }
}

fn buffers(task: &Task) -> impl Iterator<Item = &Buffer> {
    let (inputs, output) = task.ends();
    inputs.iter().chain([output])
}

impl Captured {
    fn outputs(&self) -> HashSet<u64> {
        let ends = self.tasks.iter().map(|noted| noted.task.ends().1.id());
        ends.collect()
    }
}

impl Engine {
    /// Runs something and notes what the devices were asked meanwhile. All that waits runs before, and all
    /// that waits then runs at its end.
    ///
    /// # Errors
    /// Inside another capture.
    pub fn capture<T>(&self, run: impl FnOnce() -> T) -> Result<(T, Captured)> {
        if self.is_capturing() {
            return Err(Error::runtime(
                "train: a step cannot train; call train() outside of it",
            ));
        }
        self.run_held();
        *self.0.capture.borrow_mut() = Some(Captured::default());
        let result = run();
        self.run_held();
        let captured = self.0.capture.take().unwrap_or_default();
        Ok((result, captured))
    }

    /// Notes a task that has run for a node.
    pub(crate) fn note_task(&self, task: &Task, node: &NodeRef) {
        if let Some(capture) = &mut *self.0.capture.borrow_mut() {
            capture
                .tasks
                .push(Noted::new(task, node.op.name, node.span));
        }
    }

    /// Notes a write in place.
    pub(crate) fn note_written(&self, storage: &Rc<Storage>) {
        if let Some(capture) = &mut *self.0.capture.borrow_mut() {
            capture.written.push(Rc::downgrade(storage));
        }
    }

    /// Whether what runs is noted, to run again later.
    pub fn is_capturing(&self) -> bool {
        self.0.capture.borrow().is_some()
    }

    /// Notes that a tensor was just drawn from the engine's own generator: it is drawn anew whenever what
    /// is noted now runs again.
    pub fn drew(&self, tensor: &Tensor, draw: Draw) {
        if let (Some(capture), Some(into)) =
            (&mut *self.0.capture.borrow_mut(), tensor.node().value())
        {
            let dtype = tensor.dtype();
            capture.drawn.push(Drawn { draw, dtype, into });
        }
    }

    /// A leaf on a device with a tensor's value, to be given further ones by [`Engine::fill`].
    ///
    /// # Errors
    /// Memory is short, or the value cannot be computed.
    pub fn hold(&self, value: &Tensor, device: Device) -> Result<NodeRef> {
        let node = value.node();
        let bytes = self.read(&node)?;
        self.on_device(device, || self.leaf_bytes(&bytes, &node.shape, node.dtype))
    }

    /// Gives a leaf of [`Engine::hold`] another value at once: what runs again reads that one.
    ///
    /// # Errors
    /// Another shape or dtype; the value cannot be computed.
    pub fn fill(&self, held: &NodeRef, value: &Tensor) -> Result<()> {
        let node = value.node();
        let memory = held.value();
        let (Some(memory), true) = (memory, held.shape == node.shape && held.dtype == node.dtype)
        else {
            return Err(Error::runtime(format!(
                "train: expected a batch of shape {} and {}, got {} and {}",
                shape::show(&held.shape),
                held.dtype,
                shape::show(&node.shape),
                node.dtype
            )));
        };
        let source = self.whole(&node)?;
        let backend = self.backend(memory.on());
        if source.on() != memory.on() {
            return backend.upload(&memory, &self.read_buffer(&source)?);
        }
        let task = copy(&source, &memory, held.dtype);
        backend.submit(&[task]).map_err(|(_, error)| error)
    }
}

/// A step's tasks, ready to run again: each run takes up where the last one ended.
pub struct Replay {
    engine: Engine,
    device: Device,
    tasks: Vec<Task>,
    recording: Option<Box<dyn Recording>>,
    written: Vec<Weak<Storage>>,
    drawn: Vec<Drawn>,
}

impl Replay {
    /// What two steps in a row have in common, if they did the same.
    ///
    /// # Errors
    /// What they differ in, with the line.
    pub fn of(engine: &Engine, before: &Captured, step: &Captured) -> Result<Replay> {
        let pairs = Pairs::of(before, step)?;
        let Some(last) = step.tasks.last() else {
            return Err(Error::runtime("train: the step computes nothing"));
        };
        let device = last.task.ends().1.on();
        if let Some(noted) = step.tasks.iter().find(|n| n.task.ends().1.on() != device) {
            return Err(noted.error(
                "it runs on another device than the rest of the step; move its inputs with .to(device)",
            ));
        }
        let tasks = Copies::of(engine, &pairs, before, step)?.tasks(engine, device)?;
        let again = step.tasks.iter().map(|noted| noted.task.clone());
        let tasks: Vec<Task> = tasks.into_iter().chain(again).collect();
        Ok(Replay {
            recording: engine.backend(device).record(&tasks),
            engine: engine.clone(),
            device,
            tasks,
            written: step.written.clone(),
            drawn: step.drawn.clone(),
        })
    }

    /// Runs the step once more, at once or by the next read.
    ///
    /// # Errors
    /// What the device met.
    pub fn run(&self) -> Result<()> {
        for Drawn { draw, dtype, into } in &self.drawn {
            let n = into.bytes() / dtype.size();
            let bytes = self.engine.generator().draw(*draw, n, *dtype)?;
            self.engine.backend(into.on()).upload(into, &bytes)?;
        }
        let backend = self.engine.backend(self.device);
        let ran = match &self.recording {
            Some(recording) => recording.run(),
            None => backend.submit(&self.tasks),
        };
        ran.map_err(|(_, error)| error)?;
        for storage in self.written.iter().filter_map(Weak::upgrade) {
            storage.version.set(storage.version.get() + 1);
        }
        backend.flush()
    }

    /// How many tasks a run has.
    pub fn n_tasks(&self) -> usize {
        self.tasks.len()
    }
}

/// Which memory of a step is which of the step before, and what a step reads of what was there before it.
#[derive(Default)]
struct Pairs<'a> {
    /// By the number of the earlier one.
    now: HashMap<u64, Buffer>,
    /// By the number of the later one.
    before: HashMap<u64, u64>,
    outer: Vec<(&'a Buffer, &'a Buffer, &'a Noted)>,
}

impl<'a> Pairs<'a> {
    fn of(before: &'a Captured, step: &'a Captured) -> Result<Pairs<'a>> {
        let mut pairs = Pairs::default();
        let mut seen: HashSet<u64> = HashSet::new();
        for (old, new) in before.tasks.iter().zip(&step.tasks) {
            if let Some(what) = difference(&old.task.work(), &new.task.work()) {
                return Err(new.error(&what));
            }
            let ((old_inputs, old_output), (inputs, output)) = (old.task.ends(), new.task.ends());
            let ends = old_inputs.iter().zip(inputs);
            if !ends
                .chain([(old_output, output)])
                .all(|(a, b)| pairs.pair(a, b))
            {
                return Err(new.error("it uses other values than in the step before"));
            }
            for (a, b) in old_inputs.iter().zip(inputs) {
                if seen.insert(b.id()) {
                    pairs.outer.push((a, b, new));
                }
            }
            seen.insert(output.id());
        }
        let draws = before.drawn.iter().zip(&step.drawn);
        if before.drawn.len() != step.drawn.len() || !draws.into_iter().all(|(a, b)| a.is_like(b)) {
            return Err(Error::runtime(
                "train: the step before drew other random numbers; draw the same ones in each step",
            ));
        }
        let (n_before, n) = (before.tasks.len(), step.tasks.len());
        if n_before != n {
            return Err(Error::runtime(format!(
                "train: a step ran {n} kernels, and the one before it {n_before}"
            )));
        }
        Ok(pairs)
    }

    /// Takes two for the same, unless either is another's already.
    fn pair(&mut self, before: &Buffer, now: &Buffer) -> bool {
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
    let something = || Some("the step before computed something else here".to_owned());
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

/// What must lie elsewhere before a step can run again.
#[derive(Default)]
struct Copies(Vec<(Buffer, Buffer, DType)>);

impl Copies {
    fn of(engine: &Engine, pairs: &Pairs, before: &Captured, step: &Captured) -> Result<Copies> {
        let written = step.outputs();
        let mut copies = Copies::default();
        for &(old, new, noted) in &pairs.outer {
            if old.id() == new.id() {
                continue;
            }
            // What the step before had too, as something else: what that is now comes in its place.
            if let Some(next) = pairs.now.get(&new.id()) {
                if next.id() != new.id() {
                    let dtype = dtype_of(next, step).or_else(|| dtype_of(new, before));
                    let dtype = dtype.unwrap_or(new.made_for());
                    copies.0.push((next.clone(), new.clone(), dtype));
                }
                continue;
            }
            if step.drawn.iter().any(|drawn| drawn.into.id() == new.id()) {
                continue;
            }
            let bytes = engine.read_buffer(new)?;
            if engine.read_buffer(old)? != bytes {
                return Err(noted.error(
                    "it reads numbers that are made anew in each step, and would be the same ones when the step runs again; give them as a batch, or draw random ones where they are used (device=…), without a generator of their own",
                ));
            }
            if written.contains(&new.id()) {
                let dtype = new.made_for();
                let kept = allocate(engine, new, dtype, bytes.len())?;
                engine.backend(new.on()).upload(&kept, &bytes)?;
                copies.0.push((kept, new.clone(), dtype));
            }
        }
        Ok(copies)
    }

    /// As tasks, all of them at once: what one copy overwrites and another one reads is put aside first.
    fn tasks(self, engine: &Engine, device: Device) -> Result<Vec<Task>> {
        let overwritten: HashSet<u64> = self.0.iter().map(|(_, to, _)| to.id()).collect();
        let (mut aside, mut moves) = (Vec::new(), Vec::new());
        for (from, to, dtype) in &self.0 {
            debug_assert_eq!(to.on(), device);
            if overwritten.contains(&from.id()) {
                let other = allocate(engine, from, *dtype, from.bytes())?;
                aside.push(copy(from, &other, *dtype));
                moves.push(copy(&other, to, *dtype));
            } else {
                moves.push(copy(from, to, *dtype));
            }
        }
        aside.append(&mut moves);
        Ok(aside)
    }
}

/// Memory beside another.
fn allocate(engine: &Engine, beside: &Buffer, dtype: DType, bytes: usize) -> Result<Buffer> {
    engine.allocate(beside.on(), bytes, dtype, || Purpose {
        node: engine.next_node_id(),
        op: "train",
        shape: smallvec![bytes / dtype.size()],
        dtype,
        span: Span::default(),
    })
}

/// What the elements of memory are after a step: what wrote them last says so.
fn dtype_of(buffer: &Buffer, step: &Captured) -> Option<DType> {
    let mut tasks = step.tasks.iter().rev().map(|noted| &noted.task);
    let last = tasks.find(|task| task.ends().1.id() == buffer.id())?;
    Some(last.work().dtype())
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
