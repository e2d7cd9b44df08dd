//! A device that says what it runs, and takes the epilogues that it is told to take.

use std::any::Any;
use std::cell::RefCell;
use std::rc::Rc;

use glowgrad::backend::{Backend, Buffer, PendingRead, Task};
use glowgrad::fused_op::Family;
use glowgrad::kernel::{Kernel, Routine};
use glowgrad::{DType, Engine, Error, Result};

/// Which epilogues a device takes.
pub type Takes = fn(&dyn Backend, &Routine, &Kernel) -> bool;

/// A device that says what it runs.
struct Watched {
    device: Rc<dyn Backend>,
    takes: Takes,
    max_outputs: usize,
    ran: Rc<RefCell<Vec<String>>>,
}

impl Backend for Watched {
    fn name(&self) -> String {
        self.device.name()
    }

    fn allocate(&self, bytes: usize, dtype: DType) -> Result<Box<dyn Any>> {
        self.device.allocate(bytes, dtype)
    }

    fn upload(&self, buffer: &Buffer, bytes: &[u8]) -> Result<()> {
        self.device.upload(buffer, bytes)
    }

    fn submit(&self, tasks: &[Task]) -> Result<(), (usize, Error)> {
        let name = |task: &Task| match task {
            Task::Kernel { kernel, .. } if kernel.reduce.is_some() => "reduce".to_owned(),
            Task::Kernel { .. } => "fused".to_owned(),
            Task::Routine { routine, .. } => match routine {
                Routine::WithEpilogue { routine, .. } => format!("{}+", routine.name()),
                routine => routine.name().to_owned(),
            },
        };
        self.ran.borrow_mut().extend(tasks.iter().map(name));
        self.device.submit(tasks)
    }

    fn flush(&self) -> Result<()> {
        self.device.flush()
    }

    fn begin_read(&self, buffer: &Buffer) -> Result<Box<dyn PendingRead>> {
        self.device.begin_read(buffer)
    }

    /// The processor computes what they mean.
    fn supports_fused_op(&self, _: Family) -> bool {
        true
    }

    fn splits_long_sums(&self) -> bool {
        true
    }

    fn max_outputs(&self) -> usize {
        self.max_outputs
    }

    fn takes_epilogue(&self, routine: &Routine, epilogue: &Kernel) -> bool {
        (self.takes)(&*self.device, routine, epilogue)
    }

    fn source(&self, routine: &Routine, n_inputs: usize, n_output: usize) -> Option<String> {
        self.device.source(routine, n_inputs, n_output)
    }

    fn set_strict(&self, on: bool) {
        self.device.set_strict(on);
    }
}

/// An engine on a device, and what the device has run since it was last asked.
pub struct Bench {
    pub engine: Engine,
    ran: Rc<RefCell<Vec<String>>>,
}

impl Bench {
    /// One that takes some epilogues, and stores one result with a kernel.
    pub fn new(device: Rc<dyn Backend>, takes: Takes) -> Bench {
        Bench::of(device, takes, 1)
    }

    /// One that takes no epilogue, and stores so many results with a kernel.
    pub fn storing(device: Rc<dyn Backend>, max_outputs: usize) -> Bench {
        Bench::of(device, |_, _, _| false, max_outputs)
    }

    fn of(device: Rc<dyn Backend>, takes: Takes, max_outputs: usize) -> Bench {
        let ran = Rc::new(RefCell::default());
        let watched = Watched {
            device,
            takes,
            max_outputs,
            ran: Rc::clone(&ran),
        };
        Bench {
            engine: Engine::new(Box::new(watched)),
            ran,
        }
    }

    /// What ran, in order.
    pub fn ran(&self) -> Vec<String> {
        self.ran.take()
    }
}
