//! What an engine says of its kernels: which ran in the current step, why, and their source.

mod timing;

use std::collections::HashMap;
use std::rc::Rc;

use crate::codegen::{self, Line, Names};
use crate::engine::Engine;
pub use crate::graph::Reason;
pub use crate::graph::record::{MAX_ITEMS, Owner, StepRecord, WatchKernel};
pub use crate::graph::scheduled::{NodeInfo, Scheduled};
use crate::kernel::Work;
use crate::trace::NodeId;

pub use timing::{Stopwatch, Timing};

impl Engine {
    /// The schedule items of the current step, in the order in which they ran.
    pub fn scheduled(&self) -> Vec<Rc<Scheduled>> {
        self.with_record(|record| record.scheduled().to_vec())
    }

    /// Looks at what the current step has scheduled.
    pub fn with_record<T>(&self, look: impl FnOnce(&StepRecord) -> T) -> T {
        look(&self.0.recorder.record.step.borrow())
    }

    /// Has `watcher` told of each item that is scheduled while the trace records; gives the one that was told before.
    pub fn watch_kernels(&self, watcher: Option<Rc<WatchKernel>>) -> Option<Rc<WatchKernel>> {
        self.0.recorder.record.watcher.replace(watcher)
    }

    /// Nanoseconds by the engine's clock, if it has one.
    pub fn now(&self) -> Option<u64> {
        self.0.recorder.clock.map(|clock| clock())
    }

    /// A schedule item in WGSL: a kernel's own, a routine's as its device runs it.
    ///
    /// # Errors
    /// Why there is none, as a sentence.
    pub fn wgsl(&self, item: &Scheduled, names: &dyn Names) -> Result<Vec<Line>, String> {
        let (Work::Routine(routine), Some(stored)) = (&item.work, item.stored()) else {
            return codegen::wgsl(item, names);
        };
        let backend = self.backend(stored.device);
        let n_output = crate::shape::numel(&stored.shape);
        match backend.source(routine, item.inputs.len(), n_output) {
            Some(source) => codegen::written(item, names, &source),
            None => codegen::wgsl(item, names),
        }
    }

    /// How many items of the current step are kept no more.
    pub fn scheduled_dropped(&self) -> usize {
        self.with_record(StepRecord::dropped)
    }

    /// The number that the next item will have.
    pub fn next_kernel(&self) -> u32 {
        self.trace().n_kernels()
    }

    /// Whether elementwise ops are fused.
    pub fn fusion(&self) -> bool {
        self.0.modes.fusion.get()
    }

    /// Whose part each node of the current step is: see [`StepRecord::owners`].
    pub fn owners(&self) -> HashMap<NodeId, Owner> {
        self.with_record(StepRecord::owners)
    }
}
