//! The processor as a device that has every layer as one kernel, or none: then it computes formulas alone.

use std::any::Any;
use std::cell::Cell;
use std::rc::Rc;

use glowgrad::backend::{Backend, Buffer, PendingRead, Task};
use glowgrad::fused_op::Family;
use glowgrad::kernel::Routine;
use glowgrad::{CpuBackend, DType, Engine, Error, Result};

pub struct Layered {
    cpu: CpuBackend,
    supports_fused_op: bool,
    layers: Rc<Cell<usize>>,
}

/// An engine on it, and how many layers it has run.
pub fn layered() -> (Engine, Rc<Cell<usize>>) {
    let layers = Rc::new(Cell::new(0));
    let device = Layered {
        cpu: CpuBackend::new(),
        supports_fused_op: true,
        layers: layers.clone(),
    };
    (Engine::new(Box::new(device)), layers)
}

/// An engine that computes every composite by its formula: what other devices are held to.
pub fn formulas() -> Engine {
    Engine::new(Box::new(Layered {
        cpu: CpuBackend::new(),
        supports_fused_op: false,
        layers: Rc::default(),
    }))
}

impl Backend for Layered {
    fn name(&self) -> String {
        "layered".to_owned()
    }

    fn allocate(&self, bytes: usize, dtype: DType) -> Result<Box<dyn Any>> {
        self.cpu.allocate(bytes, dtype)
    }

    fn upload(&self, buffer: &Buffer, bytes: &[u8]) -> Result<()> {
        self.cpu.upload(buffer, bytes)
    }

    fn submit(&self, tasks: &[Task]) -> Result<(), (usize, Error)> {
        let is_layer = |task: &&Task| match task {
            Task::Routine { routine, .. } => matches!(routine, Routine::FusedOp(_)),
            Task::Kernel { .. } => false,
        };
        let n = tasks.iter().filter(is_layer).count();
        self.layers.set(self.layers.get() + n);
        self.cpu.submit(tasks)
    }

    fn begin_read(&self, buffer: &Buffer) -> Result<Box<dyn PendingRead>> {
        self.cpu.begin_read(buffer)
    }

    fn supports_fused_op(&self, _: Family) -> bool {
        self.supports_fused_op
    }

    fn splits_long_sums(&self) -> bool {
        self.supports_fused_op
    }
}
