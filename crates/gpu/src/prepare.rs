//! From a task to what the device is asked: a generated shader for a kernel, those of `routines.rs` for a routine.

use glowgrad_cpu::Refusal;
use glowgrad_tensor::kernel::Work;

use crate::dispatch::{BoundTask, Dispatch, Prepared};
use crate::routines;

/// How a task runs on the device; otherwise why it cannot.
pub(crate) fn prepare(dispatch: &Dispatch, task: &BoundTask) -> Result<Prepared, Refusal> {
    dispatch.lacks_memory(task)?;
    let items = match &task.work {
        Work::Kernel(kernel) => vec![dispatch.run_kernel(kernel, task)?],
        Work::Routine(routine) => routines::exec_items(dispatch, routine, task)?,
    };
    Ok(Prepared { items })
}
