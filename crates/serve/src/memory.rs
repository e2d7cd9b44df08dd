//! A device whose engine may hold so many bytes and no more.
//!
//! Invariant: what the limit refuses, and what the device itself has no memory for, is noted, so that the server tells a
//! request that is too large from one that is wrong without reading an error's text. Bytes that the device keeps for
//! reuse count too, for they are this process's as well.

use std::any::Any;
use std::cell::{Cell, OnceCell};
use std::rc::Rc;

use glowgrad::backend::{Buffer, PendingRead, Recording, Task};
use glowgrad::fused_op::Family;
use glowgrad::kernel::{Kernel, Routine};
use glowgrad::{Backend, DType, Engine, Error, Result, Trace};

/// A device with a limit.
struct Limited {
    device: Box<dyn Backend>,
    most: usize,
    watch: Watch,
}

/// What is known of an engine's memory while it runs.
#[derive(Clone, Default)]
pub(crate) struct Watch(Rc<Noted>);

#[derive(Default)]
struct Noted {
    trace: OnceCell<Trace>,
    short: Cell<bool>,
}

impl Watch {
    /// Whether memory was refused since the last question.
    pub(crate) fn was_short(&self) -> bool {
        self.0.short.take()
    }
}

/// An engine on a device, with a limit of bytes.
pub(crate) fn engine(device: Box<dyn Backend>, most: Option<usize>) -> (Engine, Watch) {
    let watch = Watch::default();
    let engine = Engine::new(Box::new(Limited {
        device,
        most: most.unwrap_or(usize::MAX),
        watch: watch.clone(),
    }));
    // Nothing else sets it.
    let _ = watch.0.trace.set(engine.trace().clone());
    (engine, watch)
}

impl Backend for Limited {
    fn name(&self) -> String {
        self.device.name()
    }

    fn allocate(&self, bytes: usize, dtype: DType) -> Result<Box<dyn Any>> {
        let held = (self.watch.0.trace.get()).map_or(0, |trace| trace.memory().live);
        if held.saturating_add(bytes) > self.most {
            self.watch.0.short.set(true);
            return Err(Error::runtime(format!(
                "out of memory: {bytes} bytes were asked for while {held} are in use, and the limit is {} bytes; send fewer rows at once, or raise --engine-memory",
                self.most
            )));
        }
        let given = self.device.allocate(bytes, dtype);
        given.inspect_err(|_| self.watch.0.short.set(true))
    }

    fn pooled(&self) -> Option<Rc<Cell<usize>>> {
        self.device.pooled()
    }

    fn upload(&self, buffer: &Buffer, bytes: &[u8]) -> Result<()> {
        self.device.upload(buffer, bytes)
    }

    fn submit(&self, tasks: &[Task]) -> Result<(), (usize, Error)> {
        self.device.submit(tasks)
    }

    fn flush(&self) -> Result<()> {
        self.device.flush()
    }

    fn record(&self, tasks: &[Task]) -> Option<Box<dyn Recording>> {
        self.device.record(tasks)
    }

    fn begin_read(&self, buffer: &Buffer) -> Result<Box<dyn PendingRead>> {
        self.device.begin_read(buffer)
    }

    fn source(&self, routine: &Routine, n_inputs: usize, n_output: usize) -> Option<String> {
        self.device.source(routine, n_inputs, n_output)
    }

    fn supports_fused_op(&self, family: Family) -> bool {
        self.device.supports_fused_op(family)
    }

    fn splits_long_sums(&self) -> bool {
        self.device.splits_long_sums()
    }

    fn max_outputs(&self) -> usize {
        self.device.max_outputs()
    }

    fn takes_epilogue(&self, routine: &Routine, epilogue: &Kernel) -> bool {
        self.device.takes_epilogue(routine, epilogue)
    }

    fn set_strict(&self, on: bool) {
        self.device.set_strict(on);
    }

    fn news(&self) -> Vec<String> {
        self.device.news()
    }
}

#[cfg(test)]
mod tests {
    use glowgrad::{CpuBackend, Tensor};

    use super::*;

    #[test]
    fn what_is_above_the_limit_is_refused_and_noted() {
        let (engine, watch) = engine(Box::new(CpuBackend::new()), Some(4096));
        let small = Tensor::from_f32(&engine, &[1.0; 512], &[512]).unwrap();
        assert!(!watch.was_short());
        let error = Tensor::from_f32(&engine, &[1.0; 1024], &[1024])
            .err()
            .unwrap();
        assert!(error.message.contains("2048 are in use"), "{error}");
        assert!(watch.was_short() && !watch.was_short());
        drop(small);
        assert!(Tensor::from_f32(&engine, &[1.0; 1024], &[1024]).is_ok());
    }
}
