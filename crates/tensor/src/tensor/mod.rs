//! What a user holds: a storage, a view of it, and a place on the tape.
//!
//! A `Storage` is the current node of some memory and a version. In-place writes are
//! functionalised: a write makes a new node, bumps the version and rebinds the storage; views of it
//! derive their node again when they are next read. So aliasing is as in PyTorch, while nodes stay
//! immutable.

mod bits;
mod create;
mod display;
mod draws;
mod gradient;
mod history;
mod in_place;
mod indexing;
mod memory;
mod methods;
mod own_tape;
mod runtime;
mod saved;
#[cfg(feature = "codegen")]
mod shader;

use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};

use smallvec::{SmallVec, smallvec};

use crate::alu::Value;
use crate::device::Device;
use crate::dtype::{DType, Scalar};
use crate::graph::{
    Engine, GradSlot, GraphValue, NodeParts, NodeRef, Operand, Unwritable, stands_before,
};
use crate::op::{Attrs, Kind, Op, SAVE_Y, has_operand};
use crate::ops;
use crate::shape::{self, Shape};
use crate::view::{Strides, View};
use crate::{Error, Result};

pub use gradient::{CustomVjp, TensorHook};
pub use history::GradFunction;
pub use indexing::Index;
use own_tape::OwnTape;
pub(crate) use own_tape::Written;

/// Some memory, as the tensors that share it see it.
pub(crate) struct Storage {
    pub(crate) current: RefCell<NodeRef>,
    /// How often it was written in place, as PyTorch counts: `x._version`. Writes through `x.data` do not
    /// count.
    pub(crate) version: Rc<Cell<u32>>,
    /// How often it was written, through `x.data` too: tensors derive their node again when this grows.
    pub(crate) writes: Rc<Cell<u64>>,
    /// Whether it was made in inference mode.
    pub(crate) inference: bool,
    /// Whose bytes it shows, if it has no memory of its own.
    bits: Option<bits::Bits>,
}

/// A tensor that may have gone.
pub(crate) struct WeakTensor(Weak<TensorInner>);

impl WeakTensor {
    /// The tensor, if someone still holds it.
    pub(crate) fn upgrade(&self) -> Option<Tensor> {
        self.0.upgrade().map(Tensor)
    }
}

/// A tensor.
#[derive(Clone)]
pub struct Tensor(Rc<TensorInner>);

struct TensorInner {
    engine: Engine,
    storage: Rc<Storage>,
    /// How the storage's row-major elements are seen; none for the whole of it.
    view: Option<View>,
    /// The place on the tape of a detached tensor, which its views share; none where it is the storage's.
    tape: Option<Rc<OwnTape>>,
    /// The node of a view, and the number of writes it was derived at.
    derived: RefCell<Option<(u64, NodeRef)>>,
    /// A leaf's slot, when the leaf is a view of another tensor's storage.
    slot: RefCell<Option<Rc<GradSlot>>>,
    /// Why nothing may be written here while the tape is on.
    unwritable: RefCell<Option<Unwritable>>,
}

impl std::fmt::Debug for Tensor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.node().fmt(f)
    }
}

impl Tensor {
    /// A tensor with a storage of its own.
    pub fn from_node(engine: &Engine, node: NodeRef) -> Tensor {
        let storage = Rc::new(Storage {
            current: RefCell::new(node),
            version: Rc::default(),
            writes: Rc::default(),
            inference: engine.inference_mode(),
            bits: None,
        });
        Tensor::on(engine, storage, None, None, None)
    }

    fn on(
        engine: &Engine,
        storage: Rc<Storage>,
        view: Option<View>,
        tape: Option<Rc<OwnTape>>,
        node: Option<NodeRef>,
    ) -> Tensor {
        let derived = RefCell::new(node.map(|node| (storage.writes.get(), node)));
        Tensor(Rc::new(TensorInner {
            engine: engine.clone(),
            storage,
            view,
            tape,
            derived,
            slot: RefCell::default(),
            unwritable: RefCell::default(),
        }))
    }

    /// Forbids writes here while the tape is on.
    pub(crate) fn forbid_writes(&self, reason: Unwritable) {
        *self.0.unwritable.borrow_mut() = Some(reason);
    }

    /// Row-major numbers in a shape.
    ///
    /// # Errors
    /// When the count does not fill the shape, or memory is short.
    pub fn from_scalars(
        engine: &Engine,
        values: &[Scalar],
        shape: &[usize],
        dtype: DType,
    ) -> Result<Tensor> {
        shape::check_bytes("tensor", shape, dtype)?;
        let mut bytes = Vec::with_capacity(values.len() * dtype.size());
        for &value in values {
            Value::from_scalar(value, dtype).write(dtype, &mut bytes);
        }
        Ok(Tensor::from_node(
            engine,
            engine.leaf_bytes(&bytes, shape, dtype)?,
        ))
    }

    /// Row-major float32 numbers in a shape.
    ///
    /// # Errors
    /// As [`Tensor::from_scalars`].
    pub fn from_f32(engine: &Engine, values: &[f32], shape: &[usize]) -> Result<Tensor> {
        let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        Ok(Tensor::from_node(
            engine,
            engine.leaf_bytes(&bytes, shape, DType::F32)?,
        ))
    }

    /// Row-major float64 numbers in a shape.
    ///
    /// # Errors
    /// As [`Tensor::from_scalars`].
    pub fn from_f64(engine: &Engine, values: &[f64], shape: &[usize]) -> Result<Tensor> {
        let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        Ok(Tensor::from_node(
            engine,
            engine.leaf_bytes(&bytes, shape, DType::F64)?,
        ))
    }

    /// Row-major integers in a shape.
    ///
    /// # Errors
    /// As [`Tensor::from_scalars`].
    pub fn from_i64(engine: &Engine, values: &[i64], shape: &[usize]) -> Result<Tensor> {
        let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        Ok(Tensor::from_node(
            engine,
            engine.leaf_bytes(&bytes, shape, DType::I64)?,
        ))
    }

    /// One number everywhere.
    ///
    /// # Errors
    /// When the shape is too large.
    pub fn full(engine: &Engine, shape: &[usize], value: Scalar, dtype: DType) -> Result<Tensor> {
        shape::check_bytes("full", shape, dtype)?;
        value.check_fits_or_half("full", dtype)?;
        let number = GraphValue::new(engine, engine.number(value, dtype));
        let filled = engine.internal_scope(|| {
            number
                .expand(shape)
                .call(&ops::convert::CLONE, &[], Attrs::new())
        });
        let node = engine.settle(filled)?.into_node();
        // A leaf of the learner's, whose value is a fill that runs when it is read.
        let leaf = engine.alias(&ops::LEAF, smallvec![node], false, NodeParts::default());
        Ok(Tensor::from_node(engine, leaf))
    }

    /// A Python number as a 0-d operand that is weak in promotion.
    pub fn number(engine: &Engine, value: Scalar) -> Tensor {
        Tensor::from_node(engine, engine.python_number(value))
    }

    /// Its engine.
    pub fn engine(&self) -> &Engine {
        &self.0.engine
    }

    /// The node that it stands for now.
    pub fn node(&self) -> NodeRef {
        let inner = &*self.0;
        if inner.view.is_none() && inner.tape.is_none() {
            return inner.storage.now(&inner.engine);
        }
        let writes = inner.storage.writes.get();
        if let Some((at, node)) = &*inner.derived.borrow()
            && *at == writes
        {
            return node.clone();
        }
        let node = self.derive(&self.view());
        *inner.derived.borrow_mut() = Some((writes, node.clone()));
        node
    }

    /// The node that its gradients belong to: that of the tensor before it was written behind the tape's
    /// back (`x.detach().add_(1)`).
    pub(crate) fn tape_node(&self) -> NodeRef {
        stands_before(self.node())
    }

    /// A view's node after its storage was written.
    fn derive(&self, view: &View) -> NodeRef {
        let engine = self.engine();
        let recorded = self.recorded();
        let on_tape = recorded.is_some();
        let base = recorded.unwrap_or_else(|| self.0.storage.now(engine));
        let grad = engine.set_grad_enabled(on_tape);
        let node = if *view == View::contiguous(&base.shape) && on_tape == base.needs_grad {
            base
        } else {
            engine.internal_scope(|| GraphValue::new(engine, base).through(view).into_node())
        };
        engine.set_grad_enabled(grad);
        match &*self.0.slot.borrow() {
            Some(slot) => engine.alias(
                &ops::LEAF,
                smallvec![node],
                true,
                NodeParts {
                    slot: Some(slot.clone()),
                    ..NodeParts::default()
                },
            ),
            None => node,
        }
    }

    /// The node in formulas.
    pub fn var(&self) -> GraphValue {
        GraphValue::new(self.engine(), self.node())
    }

    /// Sizes.
    pub fn shape(&self) -> Shape {
        match &self.0.view {
            Some(view) => view.shape.clone(),
            None => self.0.storage.current.borrow().shape.clone(),
        }
    }

    /// The number of elements.
    pub fn numel(&self) -> usize {
        shape::numel(&self.shape())
    }

    /// Element type.
    pub fn dtype(&self) -> DType {
        self.0.storage.current.borrow().dtype
    }

    /// Where it is.
    pub fn device(&self) -> Device {
        self.0.storage.current.borrow().device
    }

    /// How it sees its storage.
    pub fn view(&self) -> View {
        self.0
            .view
            .clone()
            .unwrap_or_else(|| View::contiguous(&self.shape()))
    }

    /// Steps in elements from one index to the next.
    pub fn strides(&self) -> Strides {
        self.view().strides
    }

    /// How often its storage was written in place; of `x.data`, through it.
    pub fn version(&self) -> u32 {
        self.version_counter().get()
    }

    pub(crate) fn downgrade(&self) -> WeakTensor {
        WeakTensor(Rc::downgrade(&self.0))
    }

    /// Whether it was made in inference mode: then it has no version and no gradient.
    pub fn is_inference(&self) -> bool {
        self.0.storage.inference
    }

    /// A number that tensors sharing a storage share.
    pub fn storage_id(&self) -> usize {
        Rc::as_ptr(self.0.storage.root()) as usize
    }

    /// The number of bytes of its storage, which its views share.
    pub fn storage_bytes(&self) -> usize {
        let root = self.0.storage.root().current.borrow();
        root.numel() * root.dtype.size()
    }

    /// The node that its storage stands for now: all of its elements, row-major.
    pub fn storage_node(&self) -> NodeRef {
        self.0.storage.current.borrow().clone()
    }

    /// The number of elements of its storage.
    pub(crate) fn storage_len(&self) -> usize {
        self.0.storage.current.borrow().numel()
    }

    /// All of its storage, row-major, with this tensor's place on the tape.
    ///
    /// # Errors
    /// For a leaf that is part of a storage and wants a gradient: the whole has no way to it.
    #[cfg(feature = "full")]
    pub(crate) fn whole_storage(&self) -> Result<Tensor> {
        let storage = &self.0.storage;
        let now = || storage.now(self.engine());
        let base = self.recorded().unwrap_or_else(now);
        let node = self.node();
        if node.needs_grad && node.is_leaf() && base.id != node.id {
            return Err(Error::not_implemented(
                "as_strided: a leaf that is a view of another tensor's storage is not supported; clone() it before requires_grad_()",
            ));
        }
        let tape = self.0.tape.clone();
        let shares = tape.is_none();
        let whole = Tensor::on(self.engine(), storage.clone(), None, tape, None);
        Ok(if shares && base.needs_grad && !node.needs_grad {
            whole.detach()
        } else {
            whole
        })
    }

    /// Whether both are the same handle.
    pub fn is(&self, other: &Tensor) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }

    /// The same storage, off the tape.
    pub fn detach(&self) -> Tensor {
        self.on_own_tape(OwnTape::default())
    }

    /// The same storage, off the tape, with a version of its own: what is written here, no gradient rule
    /// notices. `x.data`.
    pub fn data(&self) -> Tensor {
        self.on_own_tape(OwnTape::with_version())
    }

    fn on_own_tape(&self, tape: OwnTape) -> Tensor {
        let engine = self.engine();
        let node = engine.internal_scope(|| {
            self.var()
                .call(&ops::convert::DETACH, &[], Attrs::new())
                .into_node()
        });
        Tensor::on(
            engine,
            self.0.storage.clone(),
            Some(self.view()),
            Some(Rc::new(tape)),
            Some(node),
        )
    }

    /// Applies an op of the registry. Movement shares the storage of its operand.
    ///
    /// # Errors
    /// What the op says of shapes, dtypes and arguments.
    pub fn apply(
        engine: &Engine,
        op: &'static Op,
        operands: &[Tensor],
        attrs: Attrs,
    ) -> Result<Tensor> {
        if let Some(prepare) = op.prepare {
            let mut attrs = attrs;
            return prepared(engine, prepare, op, operands, &mut attrs)
                .and_then(|operands| {
                    Tensor::apply_prepared(engine, op, &operands, attrs)
                        .map_err(|error| error.of_op(op.name))
                })
                .map_err(|error| Tensor::refused(engine, op, operands, error));
        }
        Tensor::apply_prepared(engine, op, operands, attrs)
            .map_err(|error| Tensor::refused(engine, op, operands, error.of_op(op.name)))
    }

    /// Notes which op refused which operands, for the picture.
    #[cfg(feature = "explain")]
    pub(super) fn refused(
        engine: &Engine,
        op: &'static Op,
        operands: &[Tensor],
        error: Error,
    ) -> Error {
        let src = || operands.iter().map(Tensor::node).collect();
        engine.note_failure(op, src, error)
    }

    #[cfg(not(feature = "explain"))]
    pub(super) fn refused(_: &Engine, _: &'static Op, _: &[Tensor], error: Error) -> Error {
        error
    }

    fn apply_prepared(
        engine: &Engine,
        op: &'static Op,
        operands: &[Tensor],
        attrs: Attrs,
    ) -> Result<Tensor> {
        let src: SmallVec<[NodeRef; 3]> = operands.iter().map(Tensor::node).collect();
        ops::check::check_indices(op, || handles(operands), &attrs)?;
        let node = engine.apply(op, &src, attrs)?;
        let saved = node.saved();
        for (i, operand) in operands.iter().enumerate() {
            if has_operand(saved, i) {
                saved::save_operand(&node, i, operand)?;
            }
        }
        engine.pend(&node)?;
        if ops::linalg::may_refuse(&node) {
            engine.realize(std::slice::from_ref(&node))?;
        }
        // What is a view follows from the tensor's strides; the node may well read a copy of the
        // same elements. `flip` never shares, as in PyTorch.
        if let Kind::Movement(movement) = op.kind
            && !std::ptr::eq(op, &ops::flip::FLIP)
            && let Some(view) = movement(&operands[0].view(), &node)
        {
            let storage = operands[0].0.storage.clone();
            let is_cut = operands[0].requires_grad() && !node.needs_grad;
            let tape = match is_cut {
                true => Some(Rc::default()),
                false => operands[0].0.tape.clone(),
            };
            let made_off_tape = !engine.grad_enabled() && operands[0].requires_grad();
            let result = Tensor::on(engine, storage, Some(view), tape, Some(node));
            if made_off_tape && !std::ptr::eq(op, &ops::convert::DETACH) {
                result.forbid_writes(Unwritable::MadeOffTape);
            }
            return Ok(result);
        }
        let result = Tensor::from_node(engine, node.clone());
        if saved & SAVE_Y != 0 {
            saved::save_result(&node, &result);
        }
        Ok(result)
    }

    /// Computes it now.
    ///
    /// # Errors
    /// What running the graph says.
    pub fn realize(&self) -> Result<()> {
        self.engine().realize(&[self.node()])
    }

    /// Its bytes, row-major and little-endian.
    ///
    /// # Errors
    /// What running the graph says.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        self.engine().read(&self.node())
    }

    /// Its elements, row-major.
    ///
    /// # Errors
    /// What running the graph says.
    pub fn to_scalars(&self) -> Result<Vec<Scalar>> {
        self.engine().scalars(&self.node())
    }

    /// Its elements as float64, row-major.
    ///
    /// # Errors
    /// What running the graph says.
    pub fn to_f64(&self) -> Result<Vec<f64>> {
        Ok(self.to_scalars()?.into_iter().map(Scalar::as_f64).collect())
    }

    /// Its only element.
    ///
    /// # Errors
    /// When it has more or fewer than one.
    pub fn item(&self) -> Result<Scalar> {
        if self.numel() != 1 {
            return Err(Error::runtime(format!(
                "a Tensor with {} elements cannot be converted to Scalar",
                self.numel()
            )));
        }
        self.to_scalars()?
            .first()
            .copied()
            .ok_or_else(|| Error::runtime("item: no element"))
    }
}

/// Tensors as ops see them.
pub(crate) fn handles(tensors: &[Tensor]) -> Vec<Operand> {
    tensors.iter().cloned().map(Operand::new).collect()
}

/// Operands completed by the op: see [`Op::prepare`].
fn prepared(
    engine: &Engine,
    prepare: crate::op::Prepare,
    op: &'static Op,
    operands: &[Tensor],
    attrs: &mut Attrs,
) -> Result<Vec<Tensor>> {
    let mut operands = handles(operands);
    // What it makes (positions, constants) is no call of the learner's, and is where its operands are.
    engine.on_device(engine.device_of_all(&operands), || {
        engine.internal_scope(|| prepare(op, &mut operands, attrs))
    })?;
    Ok(operands.iter().map(Tensor::of).collect())
}
