//! What `lab.train` is made of: a training step that is captured while Python runs it, and replayed without Python.

use std::cell::RefCell;
use std::rc::Rc;

use glowgrad::node::NodeRef;
use glowgrad::replay::{Captured, Replay};
use glowgrad::{Device, Engine, Tensor};
use rustpython_vm::builtins::PyStrRef;
use rustpython_vm::{Py, PyObjectRef, PyPayload, PyResult, VirtualMachine, pyclass};

use super::{OrRaise, expect_tensor, wrap};
use crate::runtime::Runtime;
use crate::tick;

/// How much of a tick's time a step takes at least.
const TICKS_A_STEP: u32 = 64;

/// A training step that is captured, and then replayed.
#[pyclass(name = "CapturedStep", module = "_glowgrad")]
#[derive(PyPayload)]
pub(crate) struct CapturedStep {
    engine: Engine,
    device: Device,
    batch: RefCell<Vec<NodeRef>>,
    last: RefCell<Option<Captured>>,
    replay: RefCell<Option<Rc<Replay>>>,
    stopped: RefCell<Option<String>>,
}

impl std::fmt::Debug for CapturedStep {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let n_tasks = self.replay.borrow().as_ref().map(|replay| replay.n_tasks());
        f.debug_struct("CapturedStep")
            .field("n_tasks", &n_tasks)
            .finish()
    }
}

/// A step whose batches lie on a device.
pub(super) fn captured_step(device: PyStrRef, vm: &VirtualMachine) -> PyResult {
    let step = CapturedStep {
        engine: Runtime::current().engine.clone(),
        device: super::device::find(vm, &device.as_wtf8().to_string_lossy())?,
        batch: RefCell::default(),
        last: RefCell::default(),
        replay: RefCell::default(),
        stopped: RefCell::default(),
    };
    Ok(step.into_pyobject(vm))
}

fn tensors(batch: &[PyObjectRef], vm: &VirtualMachine) -> PyResult<Vec<Tensor>> {
    let tensor = |tensor: &PyObjectRef| expect_tensor(vm, tensor, "train(): a batch");
    batch.iter().map(tensor).collect()
}

#[pyclass]
impl CapturedStep {
    /// Calls a step with a batch. None if it did what the one before did, so that it can run again by
    /// itself; otherwise what was different, empty for the first one.
    #[pymethod]
    fn capture(
        zelf: &Py<Self>,
        step: PyObjectRef,
        batch: Vec<PyObjectRef>,
        vm: &VirtualMachine,
    ) -> PyResult<Option<String>> {
        let batch = tensors(&batch, vm)?;
        let before = zelf.last.take();
        let call = |held: &[NodeRef]| -> PyResult {
            // New tensors on the memory of the batch: a step may write on them.
            let tensor = |node: &NodeRef| wrap(vm, Tensor::from_node(&zelf.engine, node.clone()));
            let batch: Vec<PyObjectRef> = held.iter().map(tensor).collect::<PyResult<_>>()?;
            step.call(batch, vm)
        };
        let captured = zelf
            .engine
            .capture(before.as_ref(), &batch, zelf.device, |held| {
                call(held).map(drop)
            });
        let (result, held, captured) = captured.or_raise(vm)?;
        result?;
        zelf.batch.replace(held);
        if let Some(why) = captured.stopped() {
            zelf.stopped.replace(Some(why.to_owned()));
            return Ok(Some(why.to_owned()));
        }
        let difference = match &before {
            None => Some(String::new()),
            Some(before) => match Replay::of(&zelf.engine, before, &captured) {
                Ok(replay) => {
                    *zelf.replay.borrow_mut() = Some(Rc::new(replay));
                    None
                }
                Err(error) => Some(error.message),
            },
        };
        zelf.last.replace(difference.is_some().then_some(captured));
        Ok(difference)
    }

    /// Why no step can run again by itself, where the last one did what cannot.
    #[pymethod]
    fn stopped(zelf: &Py<Self>) -> Option<String> {
        zelf.stopped.borrow().clone()
    }

    /// Runs the step so many times more, on another batch if one is given.
    #[pymethod]
    fn run(
        zelf: &Py<Self>,
        n: usize,
        batch: Vec<PyObjectRef>,
        vm: &VirtualMachine,
    ) -> PyResult<()> {
        let replay = zelf.replay.borrow().clone();
        let replay = replay.ok_or_else(|| vm.new_runtime_error("train: no step was captured"))?;
        let batch = tensors(&batch, vm)?;
        let held = zelf.batch.borrow().clone();
        let fill = || {
            let mut pairs = held.iter().zip(&batch);
            pairs.try_for_each(|(held, tensor)| zelf.engine.fill(held, tensor))
        };
        for _ in 0..n {
            replay.run(fill).or_raise(vm)?;
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

/// From here on the step is not noted, because something in it cannot run again: why.
pub(super) fn stop_capturing(why: PyStrRef) {
    let engine = Runtime::current().engine.clone();
    engine.stop_capturing(&why.as_wtf8().to_string_lossy());
}

/// A number on the device and in the dtype of a tensor, which `feed` gives other values while a step runs again.
pub(super) fn fed_number(
    number: f64,
    like: PyObjectRef,
    dtype: PyObjectRef,
    vm: &VirtualMachine,
) -> PyResult {
    let engine = Runtime::current().engine.clone();
    let like = expect_tensor(vm, &like, "fed_number")?;
    let dtype = super::dtype::from_object(vm, &dtype)?;
    let node = engine.fed_number(number, dtype, like.node().device);
    let node = node.or_raise(vm)?;
    wrap(vm, Tensor::from_node(&engine, node))
}

/// Gives a number of `fed_number` another value.
pub(super) fn feed(tensor: PyObjectRef, number: f64, vm: &VirtualMachine) -> PyResult<()> {
    let engine = Runtime::current().engine.clone();
    let tensor = expect_tensor(vm, &tensor, "feed")?;
    engine.feed(&tensor.node(), number).or_raise(vm)
}

/// Tells of steps that ran without Python, by their losses.
pub(super) fn replayed(losses: Vec<f64>) {
    Runtime::current().host.replayed(&losses);
}

/// How many steps may run without Python before one that is to be seen, after so many that were not told of.
pub(super) fn n_unseen(waiting: u32) -> u32 {
    Runtime::current().host.n_unseen(waiting)
}
