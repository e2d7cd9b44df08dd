//! From a job to what the device is asked: a generated shader for a kernel, those of `routines.rs` for a routine.

use glowgrad_tensor::kernel::Work;

use crate::dispatch::{Dispatch, Job, Prepared};
use crate::routines;

/// How a job runs on the device; otherwise why it cannot.
pub(crate) fn prepare(dispatch: &Dispatch, job: &Job) -> Result<Prepared, String> {
    dispatch.lacks_memory(job)?;
    let steps = match &job.work {
        Work::Kernel(kernel) => vec![dispatch.run_kernel(kernel, job)?],
        Work::Routine(routine) => routines::steps(dispatch, routine, job)?,
    };
    let dtype = job.work.dtype();
    Ok(Prepared { steps, dtype })
}
