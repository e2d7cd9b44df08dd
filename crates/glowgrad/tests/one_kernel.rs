//! What a layer in one kernel means (`Layer::compute`) against the formula that stands everywhere else.
#![cfg(not(target_arch = "wasm32"))]

mod suite;

use std::any::Any;

use glowgrad::backend::{Backend, Buffer, PendingRead, Task};
use glowgrad::{CpuBackend, DType, Engine, Error, Result};

/// The processor as a device that has every layer as one kernel.
struct Layered(CpuBackend);

impl Backend for Layered {
    fn name(&self) -> String {
        "layered".to_owned()
    }

    fn allocate(&self, bytes: usize, dtype: DType) -> Result<Box<dyn Any>> {
        self.0.allocate(bytes, dtype)
    }

    fn upload(&self, buffer: &Buffer, bytes: &[u8]) -> Result<()> {
        self.0.upload(buffer, bytes)
    }

    fn submit(&self, tasks: &[Task]) -> Result<(), (usize, Error)> {
        self.0.submit(tasks)
    }

    fn begin_read(&self, buffer: &Buffer) -> Result<Box<dyn PendingRead>> {
        self.0.begin_read(buffer)
    }

    fn has_layers(&self) -> bool {
        true
    }
}

fn layered() -> Engine {
    Engine::new(Box::new(Layered(CpuBackend::new())))
}

#[test]
fn layers_mean_what_their_formulas_do() {
    let failures = suite::layers::failures(&layered());
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn a_gradient_through_a_layer_has_a_gradient() {
    assert_eq!(suite::layers::second_order(&layered()), Ok(()));
}
