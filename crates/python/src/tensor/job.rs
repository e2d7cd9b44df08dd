//! What `lab.train` is made of: steps that are noted while Python runs them, and run again without it.

use std::cell::RefCell;
use std::rc::Rc;

use glowgrad::node::NodeRef;
use glowgrad::replay::{Captured, Replay};
use glowgrad::{Engine, Tensor};
use rustpython_vm::builtins::PyStrRef;
use rustpython_vm::{PyObjectRef, PyPayload, PyResult, VirtualMachine, pyclass};

use super::{OrRaise, expect_tensor, wrap};
use crate::runtime::Runtime;
use crate::tick;

/// How much of a tick's time a step takes at least.
const TICKS_A_STEP: u32 = 64;

/// One training job.
#[pyclass(name = "Job", module = "_glowgrad")]
#[derive(PyPayload)]
pub(crate) struct Job {
    engine: Engine,
    batch: Vec<NodeRef>,
    last: RefCell<Option<Captured>>,
    replay: RefCell<Option<Rc<Replay>>>,
}

impl std::fmt::Debug for Job {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let n_tasks = self.replay.borrow().as_ref().map(|replay| replay.n_tasks());
        f.debug_struct("Job").field("n_tasks", &n_tasks).finish()
    }
}

/// A job whose batches lie on a device in memory of their own, of which this is the first.
pub(super) fn job(batch: Vec<PyObjectRef>, device: PyStrRef, vm: &VirtualMachine) -> PyResult {
    let engine = Runtime::current().engine.clone();
    let device = super::device::find(vm, &device.as_wtf8().to_string_lossy())?;
    let hold = |tensor: &PyObjectRef| {
        let tensor = expect_tensor(vm, tensor, "train(): a batch")?;
        engine.hold(&tensor, device).or_raise(vm)
    };
    let batch = batch.iter().map(hold).collect::<PyResult<Vec<NodeRef>>>()?;
    let job = Job {
        engine,
        batch,
        last: RefCell::default(),
        replay: RefCell::default(),
    };
    Ok(job.into_pyobject(vm))
}

#[pyclass]
impl Job {
    /// The tensors of the batch, new ones on the same memory: a step may write on them.
    #[pymethod]
    fn batch(&self, vm: &VirtualMachine) -> PyResult {
        let tensor = |node: &NodeRef| wrap(vm, Tensor::from_node(&self.engine, node.clone()));
        let batch = self.batch.iter().map(tensor).collect::<PyResult<_>>()?;
        Ok(vm.ctx.new_tuple(batch).into())
    }

    /// Takes another batch up.
    #[pymethod]
    fn fill(&self, batch: Vec<PyObjectRef>, vm: &VirtualMachine) -> PyResult<()> {
        for (held, tensor) in self.batch.iter().zip(&batch) {
            let tensor = expect_tensor(vm, tensor, "train(): a batch")?;
            self.engine.fill(held, &tensor).or_raise(vm)?;
        }
        Ok(())
    }

    /// Calls a step. None if it did what the one before did, so that it can run again by itself; otherwise
    /// what was different, empty for the first one.
    #[pymethod]
    fn capture(&self, step: PyObjectRef, vm: &VirtualMachine) -> PyResult<Option<String>> {
        let (result, captured) = self.engine.capture(|| step.call((), vm)).or_raise(vm)?;
        result?;
        let before = self.last.replace(Some(captured));
        let (Some(before), Some(captured)) = (before, &*self.last.borrow()) else {
            return Ok(Some(String::new()));
        };
        match Replay::of(&self.engine, &before, captured) {
            Ok(replay) => *self.replay.borrow_mut() = Some(Rc::new(replay)),
            Err(error) => return Ok(Some(error.message)),
        }
        Ok(None)
    }

    /// Runs the step so many times more.
    #[pymethod]
    fn run(&self, n: usize, vm: &VirtualMachine) -> PyResult<()> {
        self.last.take();
        let replay = self.replay.borrow().clone();
        let replay = replay.ok_or_else(|| vm.new_runtime_error("train: no step was captured"))?;
        for _ in 0..n {
            replay.run().or_raise(vm)?;
            tick::age(TICKS_A_STEP);
            tick::tick(vm)?;
        }
        Ok(())
    }
}

/// Whether a step is being noted.
pub(super) fn is_capturing() -> bool {
    Runtime::current().engine.is_capturing()
}
