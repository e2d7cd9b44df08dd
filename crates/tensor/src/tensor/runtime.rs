//! The engine's [`Runtime`]: the scheduler computes its nodes, and tensors wrap them.

use super::{Storage, Tensor, handles};
use crate::backend::Backend;
use crate::graph::{Engine, NodeRef, Operand, Runtime, StorageHandle, TensorHandle, Unwritable};
use crate::op::{Attrs, MultiOutputOp, Op};
use crate::view::View;
use crate::{Result, schedule};

struct Tensors;

impl Runtime for Tensors {
    fn realize(&self, engine: &Engine, roots: &[NodeRef], walked: &[NodeRef]) -> Result<()> {
        schedule::realize(engine, roots, walked)
    }

    fn tensor(&self, engine: &Engine, node: NodeRef) -> Operand {
        Operand::new(Tensor::from_node(engine, node))
    }

    fn apply(
        &self,
        engine: &Engine,
        op: &'static Op,
        operands: &[Operand],
        attrs: Attrs,
    ) -> Result<Operand> {
        let tensors: Vec<Tensor> = operands.iter().map(Tensor::of).collect();
        Tensor::apply(engine, op, &tensors, attrs).map(Operand::new)
    }
}

impl Engine {
    /// An engine on a backend, without a clock.
    pub fn new(backend: Box<dyn Backend>) -> Engine {
        Engine::with_clock(backend, None)
    }

    /// An engine that times its kernels with a clock of nanoseconds.
    pub fn with_clock(backend: Box<dyn Backend>, clock: Option<fn() -> u64>) -> Engine {
        Engine::with_runtime(backend, clock, Box::new(Tensors))
    }
}

impl TensorHandle for Tensor {
    fn engine(&self) -> &Engine {
        Tensor::engine(self)
    }

    fn node(&self) -> NodeRef {
        Tensor::node(self)
    }

    fn view(&self) -> View {
        Tensor::view(self)
    }

    fn storage_len(&self) -> usize {
        Tensor::storage_len(self)
    }

    #[cfg(feature = "full")]
    fn whole_storage(&self) -> Result<Operand> {
        Tensor::whole_storage(self).map(Operand::new)
    }

    fn forbid_writes(&self, reason: Unwritable) {
        Tensor::forbid_writes(self, reason);
    }

    fn replace_value(&self, value: NodeRef) -> Result<()> {
        Tensor::replace_value(self, value)
    }
}

impl StorageHandle for Storage {
    fn current(&self) -> NodeRef {
        self.current.borrow().clone()
    }

    fn count_write(&self) {
        Storage::count_write(self, None);
    }
}

impl Tensor {
    /// The tensor behind an operand.
    pub(crate) fn of(operand: &Operand) -> Tensor {
        match operand.downcast::<Tensor>() {
            Some(tensor) => tensor.clone(),
            None => Tensor::from_node(operand.engine(), operand.node()),
        }
    }

    /// Calls what gives several tensors.
    ///
    /// # Errors
    /// What the call says of shapes, dtypes and arguments.
    pub fn apply_multi(
        engine: &Engine,
        op: &'static MultiOutputOp,
        operands: &[Tensor],
        attrs: &Attrs,
    ) -> Result<Vec<Tensor>> {
        let operands = handles(operands);
        // What it makes (places, constants) is where its operands are.
        let results = engine.on_device(engine.device_of_all(&operands), || {
            engine.in_name_of(op.name, || (op.call)(engine, &operands, attrs))
        })?;
        Ok(results.iter().map(Tensor::of).collect())
    }
}
