//! A training step that a device keeps, beside the same tasks submitted each time: to the bit.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashSet};
use std::rc::Rc;

use glowgrad::backend::{Backend, Buffer, PendingRead, Task};
use glowgrad::fused_op::Family;
use glowgrad::kernel::{Kernel, Routine};
use glowgrad::{DType, Engine, Error, Result};

/// How often a step runs.
const RUNS: usize = 5;

/// What a device is asked for a step.
#[derive(Default)]
pub struct RecordedStep {
    /// What it runs, in order.
    pub tasks: Vec<Task>,
    /// What is filled before.
    pub filled: Vec<(Buffer, Vec<u8>)>,
}

/// A backend that notes what it is asked.
struct Watched {
    backend: Rc<dyn Backend>,
    step: Rc<RefCell<RecordedStep>>,
}

impl Backend for Watched {
    fn name(&self) -> String {
        self.backend.name()
    }

    fn allocate(&self, bytes: usize, dtype: DType) -> Result<Box<dyn Any>> {
        self.backend.allocate(bytes, dtype)
    }

    fn pooled(&self) -> Option<Rc<Cell<usize>>> {
        self.backend.pooled()
    }

    fn upload(&self, buffer: &Buffer, bytes: &[u8]) -> Result<()> {
        let filled = (buffer.clone(), bytes.to_vec());
        self.step.borrow_mut().filled.push(filled);
        self.backend.upload(buffer, bytes)
    }

    fn submit(&self, tasks: &[Task]) -> Result<(), (usize, Error)> {
        self.step.borrow_mut().tasks.extend_from_slice(tasks);
        self.backend.submit(tasks)
    }

    fn flush(&self) -> Result<()> {
        self.backend.flush()
    }

    fn begin_read(&self, buffer: &Buffer) -> Result<Box<dyn PendingRead>> {
        self.backend.begin_read(buffer)
    }

    fn supports_fused_op(&self, family: Family) -> bool {
        self.backend.supports_fused_op(family)
    }

    fn splits_long_sums(&self) -> bool {
        self.backend.splits_long_sums()
    }

    fn max_outputs(&self) -> usize {
        self.backend.max_outputs()
    }

    fn takes_epilogue(&self, routine: &Routine, epilogue: &Kernel) -> bool {
        self.backend.takes_epilogue(routine, epilogue)
    }
}

impl RecordedStep {
    /// Of work that is done twice, the second time.
    ///
    /// # Errors
    /// What computing says.
    pub fn of(
        backend: &Rc<dyn Backend>,
        make: impl FnOnce(&Engine) -> Result<Box<dyn Fn() -> Result<()>>>,
    ) -> Result<RecordedStep> {
        let step = Rc::new(RefCell::new(RecordedStep::default()));
        let engine = Engine::new(Box::new(Watched {
            backend: backend.clone(),
            step: step.clone(),
        }));
        let work = make(&engine)?;
        work()?;
        step.take();
        work()?;
        Ok(step.take())
    }

    /// Fills what is filled before it runs.
    ///
    /// # Errors
    /// What the device says.
    pub fn fill(&self, backend: &dyn Backend) -> Result<()> {
        let mut filled = self.filled.iter();
        filled.try_for_each(|(buffer, bytes)| backend.upload(buffer, bytes))
    }
}

/// A buffer's bytes.
///
/// # Errors
/// What the device says.
pub fn read(backend: &dyn Backend, buffer: &Buffer) -> Result<Vec<u8>> {
    let mut reading = backend.begin_read(buffer)?;
    loop {
        if let Some(bytes) = reading.poll() {
            return bytes;
        }
    }
}

/// What a step reads and writes.
struct Buffers {
    all: Vec<Buffer>,
    /// Floats that it is given and does not write, by their places in `all`.
    given: Vec<usize>,
}

/// Whether a task reads its i-th input as floats, to compute with them.
fn reads_floats(task: &Task, i: usize) -> bool {
    match task {
        Task::Kernel { kernel, .. } => kernel.inputs[i].dtype.is_float(),
        Task::Routine { routine, .. } => {
            matches!(routine, Routine::MatMul { dtype, .. } if dtype.is_float())
        }
    }
}

fn buffers(step: &RecordedStep) -> Buffers {
    let mut all = BTreeMap::new();
    let (mut floats, mut written) = (HashSet::new(), HashSet::new());
    for task in &step.tasks {
        let (inputs, outputs) = task.ends();
        for (i, input) in inputs.iter().enumerate() {
            all.insert(input.id(), input.clone());
            if reads_floats(task, i) {
                floats.insert(input.id());
            }
        }
        for output in outputs {
            all.insert(output.id(), output.clone());
            written.insert(output.id());
        }
    }
    written.extend(step.filled.iter().map(|(buffer, _)| buffer.id()));
    let is_given = |id: &u64| floats.contains(id) && !written.contains(id);
    let given = all.keys().enumerate().filter(|(_, id)| is_given(id));
    Buffers {
        given: given.map(|(i, _)| i).collect(),
        all: all.into_values().collect(),
    }
}

/// Runs a step some times from the same state, with other numbers each time; all bytes afterwards.
fn repeated(
    backend: &dyn Backend,
    step: &RecordedStep,
    buffers: &Buffers,
    state: &[Vec<u8>],
    run: &dyn Fn() -> Result<(), (usize, Error)>,
) -> Result<Vec<Vec<u8>>> {
    for time in 0..RUNS {
        for &i in &buffers.given {
            let mut bytes = state[i].clone();
            let by = (8 * time).min(bytes.len());
            bytes.rotate_left(by);
            backend.upload(&buffers.all[i], &bytes)?;
        }
        step.fill(backend)?;
        run().map_err(|(_, error)| error)?;
    }
    let read = |buffer| read(backend, buffer);
    buffers.all.iter().map(read).collect()
}

/// Whether a step that a device keeps does what it does when it is submitted; none if it keeps none.
///
/// # Errors
/// What differs, or what computing says.
pub fn compare(backend: &dyn Backend, step: &RecordedStep) -> Result<Option<()>, String> {
    let words = |error: Error| format!("raised {error}");
    let buffers = buffers(step);
    let state = buffers.all.iter().map(|buffer| read(backend, buffer));
    let state: Vec<Vec<u8>> = state.collect::<Result<_>>().map_err(words)?;
    let submit = || backend.submit(&step.tasks);
    let submitted = repeated(backend, step, &buffers, &state, &submit).map_err(words)?;
    if submitted == state || buffers.given.is_empty() {
        return Err("the step computes nothing from what it is given".to_owned());
    }
    for (buffer, bytes) in buffers.all.iter().zip(&state) {
        backend.upload(buffer, bytes).map_err(words)?;
    }
    let Some(recording) = backend.record(&step.tasks) else {
        return Ok(None);
    };
    let recorded = repeated(backend, step, &buffers, &state, &|| recording.run()).map_err(words)?;
    let differs = |i: &usize| recorded[*i] != submitted[*i];
    match (0..recorded.len()).filter(differs).count() {
        0 => Ok(Some(())),
        n => Err(format!(
            "{n} of {} buffers differ after {RUNS} runs from those of submitted tasks",
            recorded.len()
        )),
    }
}
