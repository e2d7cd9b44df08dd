//! A user's tensor as ops see it.
//!
//! Most rules of an op read nodes alone. What checks the values of indices, reads strides, or gives several
//! results works on the tensors that a user passed, because views and saved versions belong to them.

use std::any::Any;
use std::rc::Rc;

use super::{Engine, GraphValue, NodeRef};
use crate::Result;
use crate::device::Device;
use crate::dtype::{DType, Scalar};
use crate::op::{Attrs, Op};
use crate::shape::Shape;
use crate::view::View;

/// A view that the tape could not follow a write through.
#[derive(Debug, Clone)]
pub enum Unwritable {
    /// One of several results of a call, with the name of its `grad_fn`.
    Piece(&'static str, usize),
    /// Made off the tape of something on it.
    MadeOffTape,
}

/// What a tensor shows of itself to the layers below it.
pub trait TensorHandle: Any {
    /// Its engine.
    fn engine(&self) -> &Engine;
    /// The node that it stands for now.
    fn node(&self) -> NodeRef;
    /// How it sees its storage.
    fn view(&self) -> View;
    /// The number of elements of its storage.
    fn storage_len(&self) -> usize;
    /// All of its storage, row-major, with its place on the tape. The landing page asks for none.
    ///
    /// # Errors
    /// For a leaf that is part of a storage and wants a gradient.
    #[cfg(feature = "full")]
    fn whole_storage(&self) -> Result<Operand>;
    /// Forbids writes here while the tape is on.
    fn forbid_writes(&self, reason: Unwritable);
    /// Binds its storage to a new value; shape and dtype are its own.
    ///
    /// # Errors
    /// What moving the value to its device says.
    fn replace_value(&self, value: NodeRef) -> Result<()>;
}

/// A tensor that an op is called with, or gives.
#[derive(Clone)]
pub struct Operand(Rc<dyn TensorHandle>);

impl Operand {
    /// Of a tensor.
    pub fn new(tensor: impl TensorHandle) -> Operand {
        Operand(Rc::new(tensor))
    }

    /// A tensor with a storage of its own.
    pub fn from_node(engine: &Engine, node: NodeRef) -> Operand {
        engine.runtime().tensor(engine, node)
    }

    /// Applies an op as a user's call does: indices are checked, views share storage, versions are saved.
    ///
    /// # Errors
    /// What the op says of shapes, dtypes and arguments.
    pub fn apply(
        engine: &Engine,
        op: &'static Op,
        operands: &[Operand],
        attrs: Attrs,
    ) -> Result<Operand> {
        engine.runtime().apply(engine, op, operands, attrs)
    }

    /// The tensor, if it is one of this type.
    pub fn downcast<T: TensorHandle>(&self) -> Option<&T> {
        let any: &dyn Any = &*self.0;
        any.downcast_ref()
    }

    /// Its engine.
    pub fn engine(&self) -> &Engine {
        self.0.engine()
    }

    /// The node that it stands for now.
    pub fn node(&self) -> NodeRef {
        self.0.node()
    }

    /// The node in formulas.
    pub(crate) fn var(&self) -> GraphValue {
        GraphValue::new(self.engine(), self.node())
    }

    /// Sizes.
    pub(crate) fn shape(&self) -> Shape {
        self.node().shape.clone()
    }

    /// The number of elements.
    pub(crate) fn numel(&self) -> usize {
        self.node().numel()
    }

    /// Element type.
    pub(crate) fn dtype(&self) -> DType {
        self.node().dtype
    }

    /// Where it is.
    pub(crate) fn device(&self) -> Device {
        self.node().device
    }

    /// How it sees its storage.
    pub(crate) fn view(&self) -> View {
        self.0.view()
    }

    /// The number of elements of its storage.
    pub(crate) fn storage_len(&self) -> usize {
        self.0.storage_len()
    }

    /// All of its storage, row-major, with its place on the tape.
    #[cfg(feature = "full")]
    pub(crate) fn whole_storage(&self) -> Result<Operand> {
        self.0.whole_storage()
    }

    /// Forbids writes here while the tape is on.
    pub(crate) fn forbid_writes(&self, reason: Unwritable) {
        self.0.forbid_writes(reason);
    }

    /// Binds its storage to a new value.
    pub(crate) fn replace_value(&self, value: NodeRef) -> Result<()> {
        self.0.replace_value(value)
    }

    /// Its elements, row-major.
    pub(crate) fn to_scalars(&self) -> Result<Vec<Scalar>> {
        self.engine().scalars(&self.node())
    }

    /// Its elements for a check of indices; none if a step that is captured makes them, which cannot wait:
    /// what follows indices checks them again.
    pub(crate) fn to_check(&self) -> Result<Vec<Scalar>> {
        let (engine, node) = (self.engine(), self.node());
        #[cfg(feature = "full")]
        if engine.is_observed(&node) {
            return Ok(Vec::new());
        }
        Ok(Scalar::of_bytes(&engine.bytes(&node)?, node.dtype))
    }
}
