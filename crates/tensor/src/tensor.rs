//! What a user holds: a storage, a view of it, and a place on the tape.
//!
//! A [`Storage`] is the current node of some memory and a version. In-place writes are
//! functionalised: a write makes a new node, bumps the version and rebinds the storage; views of it
//! derive their node again when they are next read. So aliasing is as in PyTorch, while nodes stay
//! immutable.

use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::rc::Rc;

use smallvec::{SmallVec, smallvec};

use crate::autograd::{self, CustomVjp, GradSlot, WalkOptions};
use crate::dtype::{DType, Scalar};
use crate::engine::{Engine, NodeParts};
use crate::node::NodeRef;
use crate::op::{Attrs, Kind, Op, SAVE_Y};
use crate::ops;
use crate::shape::{self, Shape};
use crate::trace::{Event, NodeId};
use crate::var::Var;
use crate::view::{Strides, View};
use crate::{Error, Result};

/// Some memory, as the tensors that share it see it.
pub(crate) struct Storage {
    pub(crate) current: RefCell<NodeRef>,
    pub(crate) version: Rc<Cell<u32>>,
}

/// A tensor.
#[derive(Clone)]
pub struct Tensor(Rc<TensorInner>);

struct TensorInner {
    engine: Engine,
    storage: Rc<Storage>,
    /// How the storage's row-major elements are seen; none for the whole of it.
    view: Option<View>,
    /// Whether it is off the tape whatever the storage holds.
    detached: bool,
    /// The node of a view, and the version it was derived from.
    derived: RefCell<Option<(u32, NodeRef)>>,
    /// A leaf's slot, when the leaf is a view of another tensor's storage.
    slot: RefCell<Option<Rc<GradSlot>>>,
}

impl std::fmt::Debug for Tensor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.node().fmt(f)
    }
}

impl Tensor {
    /// A tensor with a storage of its own.
    pub fn from_node(engine: &Engine, node: NodeRef) -> Tensor {
        let storage = Rc::new(Storage { current: RefCell::new(node), version: Rc::default() });
        Tensor::on(engine, storage, None, false, None)
    }

    fn on(
        engine: &Engine,
        storage: Rc<Storage>,
        view: Option<View>,
        detached: bool,
        node: Option<NodeRef>,
    ) -> Tensor {
        let derived = RefCell::new(node.map(|node| (storage.version.get(), node)));
        Tensor(Rc::new(TensorInner {
            engine: engine.clone(),
            storage,
            view,
            detached,
            derived,
            slot: RefCell::default(),
        }))
    }

    /// Row-major numbers in a shape.
    ///
    /// # Errors
    /// When the count does not fill the shape, or memory is short.
    pub fn from_scalars(engine: &Engine, values: &[Scalar], shape: &[usize], dtype: DType) -> Result<Tensor> {
        shape::check_size("tensor", shape)?;
        let mut bytes = Vec::with_capacity(values.len() * dtype.size());
        for &value in values {
            match dtype {
                DType::Bool => bytes.push(u8::from(value.as_f64() != 0.0)),
                DType::I64 => bytes.extend(value.as_i64().to_le_bytes()),
                DType::F32 => bytes.extend(
                    match value {
                        Scalar::Int(i) => i as f32,
                        other => other.as_f64() as f32,
                    }
                    .to_le_bytes(),
                ),
                DType::F64 => bytes.extend(value.as_f64().to_le_bytes()),
            }
        }
        Ok(Tensor::from_node(engine, engine.leaf_bytes(&bytes, shape, dtype)?))
    }

    /// Row-major float32 numbers in a shape.
    ///
    /// # Errors
    /// As [`Tensor::from_scalars`].
    pub fn from_f32(engine: &Engine, values: &[f32], shape: &[usize]) -> Result<Tensor> {
        let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        Ok(Tensor::from_node(engine, engine.leaf_bytes(&bytes, shape, DType::F32)?))
    }

    /// Row-major float64 numbers in a shape.
    ///
    /// # Errors
    /// As [`Tensor::from_scalars`].
    pub fn from_f64(engine: &Engine, values: &[f64], shape: &[usize]) -> Result<Tensor> {
        let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        Ok(Tensor::from_node(engine, engine.leaf_bytes(&bytes, shape, DType::F64)?))
    }

    /// Row-major integers in a shape.
    ///
    /// # Errors
    /// As [`Tensor::from_scalars`].
    pub fn from_i64(engine: &Engine, values: &[i64], shape: &[usize]) -> Result<Tensor> {
        let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        Ok(Tensor::from_node(engine, engine.leaf_bytes(&bytes, shape, DType::I64)?))
    }

    /// One number everywhere.
    ///
    /// # Errors
    /// When the shape is too large.
    pub fn full(engine: &Engine, shape: &[usize], value: Scalar, dtype: DType) -> Result<Tensor> {
        shape::check_size("full", shape)?;
        let number = Var::new(engine, engine.number(value, dtype));
        let filled = engine.inside(|| number.expand(shape).call(&ops::convert::CLONE, &[], Attrs::new()));
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
        let Some(view) = &inner.view else {
            return inner.storage.current.borrow().clone();
        };
        let version = inner.storage.version.get();
        if let Some((at, node)) = &*inner.derived.borrow() && *at == version {
            return node.clone();
        }
        let node = self.derive(view);
        *inner.derived.borrow_mut() = Some((version, node.clone()));
        node
    }

    /// A view's node after its storage was written.
    fn derive(&self, view: &View) -> NodeRef {
        let engine = self.engine();
        let base = self.0.storage.current.borrow().clone();
        let on_tape = base.needs_grad && !self.0.detached;
        let grad = engine.set_grad_enabled(on_tape);
        let node = if *view == View::contiguous(&base.shape) && on_tape == base.needs_grad {
            base
        } else {
            engine.inside(|| Var::new(engine, base).through(view).into_node())
        };
        engine.set_grad_enabled(grad);
        match &*self.0.slot.borrow() {
            Some(slot) => engine.alias(
                &ops::LEAF,
                smallvec![node],
                true,
                NodeParts { slot: Some(slot.clone()), ..NodeParts::default() },
            ),
            None => node,
        }
    }

    /// The node in formulas.
    pub fn var(&self) -> Var {
        Var::new(self.engine(), self.node())
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

    /// How it sees its storage.
    pub fn view(&self) -> View {
        self.0.view.clone().unwrap_or_else(|| View::contiguous(&self.shape()))
    }

    /// Steps in elements from one index to the next.
    pub fn strides(&self) -> Strides {
        self.view().strides
    }

    /// How often its storage was written in place.
    pub fn version(&self) -> u32 {
        self.0.storage.version.get()
    }

    /// A number that tensors sharing a storage share.
    pub fn storage_id(&self) -> usize {
        Rc::as_ptr(&self.0.storage) as usize
    }

    /// Whether both are the same handle.
    pub fn is(&self, other: &Tensor) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }

    /// Whether a gradient flows through it.
    pub fn requires_grad(&self) -> bool {
        self.node().needs_grad
    }

    /// Whether it is a leaf: made by the user, or off the tape.
    pub fn is_leaf(&self) -> bool {
        self.node().is_leaf()
    }

    /// PyTorch's name of its backward function.
    pub fn grad_fn(&self) -> Option<String> {
        self.node().grad_fn().map(str::to_owned)
    }

    /// Its gradient so far.
    pub fn grad(&self) -> Option<Tensor> {
        self.node().slot().and_then(|slot| slot.grad())
    }

    /// The slot its gradient goes to.
    pub fn slot(&self) -> Option<Rc<GradSlot>> {
        self.node().slot().cloned()
    }

    /// Replaces its gradient.
    ///
    /// # Errors
    /// When it wants none, or the shapes differ.
    pub fn set_grad(&self, grad: Option<Tensor>) -> Result<()> {
        if let Some(grad) = &grad && (grad.shape() != self.shape() || grad.dtype() != self.dtype()) {
            return Err(Error::runtime(format!(
                "assigned grad has data of a different size or type: got {} {}, expected {} {}",
                shape::show(&grad.shape()),
                grad.dtype(),
                shape::show(&self.shape()),
                self.dtype()
            )));
        }
        match self.node().slot() {
            Some(slot) => slot.set(grad),
            None if grad.is_none() => {}
            None => {
                return Err(Error::runtime("grad can be set only on a leaf that requires grad; call requires_grad_() first"));
            }
        }
        Ok(())
    }

    /// Makes it a leaf that wants a gradient, or one that does not.
    ///
    /// # Errors
    /// For integers, and for results of ops.
    pub fn set_requires_grad(&self, on: bool) -> Result<()> {
        let node = self.node();
        if on && !node.dtype.is_float() {
            return Err(Error::runtime(format!(
                "only Tensors of floating point dtype can require gradients, got {}",
                node.dtype
            )));
        }
        if node.needs_grad == on {
            return Ok(());
        }
        if !node.is_leaf() {
            return Err(Error::runtime(
                "you can only change requires_grad flags of leaf variables. If you want to use a computed variable in a subgraph that doesn't require differentiation use var_no_grad = var.detach().",
            ));
        }
        let engine = self.engine();
        let slot = on.then(Rc::<GradSlot>::default);
        let parts = NodeParts { slot: slot.clone(), ..NodeParts::default() };
        let leaf = engine.relabel(&node, on, parts);
        if self.0.view.is_some() {
            *self.0.slot.borrow_mut() = slot;
            *self.0.derived.borrow_mut() = Some((self.version(), leaf));
        } else {
            *self.0.storage.current.borrow_mut() = leaf;
        }
        Ok(())
    }

    /// Keeps the gradient of a result of an op too.
    ///
    /// # Errors
    /// When it wants no gradient.
    pub fn retain_grad(&self) -> Result<()> {
        let node = self.node();
        if !node.needs_grad {
            return Err(Error::runtime("can't retain_grad on Tensor that has requires_grad=False"));
        }
        node.slot.get_or_init(Rc::default).retains.set(true);
        Ok(())
    }

    /// Calls a function with the gradient whenever one arrives here; what it returns takes the
    /// gradient's place. [`GradSlot::remove_hook`] of [`Tensor::slot`] takes it away again.
    ///
    /// # Errors
    /// When no gradient can arrive.
    pub fn register_hook(&self, hook: autograd::Hook) -> Result<u64> {
        let node = self.node();
        if !node.needs_grad {
            return Err(Error::runtime("cannot register a hook on a tensor that doesn't require gradient"));
        }
        Ok(node.slot.get_or_init(Rc::default).add_hook(hook))
    }

    /// The same storage, off the tape.
    pub fn detach(&self) -> Tensor {
        let engine = self.engine();
        let node = engine.inside(|| self.var().call(&ops::convert::DETACH, &[], Attrs::new()).into_node());
        Tensor::on(engine, self.0.storage.clone(), Some(self.view()), true, Some(node))
    }

    /// Applies an op of the registry. Movement shares the storage of its operand.
    ///
    /// # Errors
    /// What the op says of shapes, dtypes and arguments.
    pub fn apply(engine: &Engine, op: &'static Op, operands: &[Tensor], attrs: Attrs) -> Result<Tensor> {
        let src: SmallVec<[NodeRef; 3]> = operands.iter().map(Tensor::node).collect();
        let attrs = if std::ptr::eq(op, &ops::index::ONE_HOT) { ops::index::one_hot_attrs(&operands[0], &attrs)? } else { attrs };
        ops::index::check_indices(op, operands, &attrs)?;
        let node = engine.apply(op, &src, attrs)?;
        for (i, operand) in operands.iter().enumerate() {
            if node.needs_grad && autograd::reads_operand(&node, i) {
                autograd::save_version(&node, &operand.0.storage.version);
            }
        }
        engine.pend(&node)?;
        // What is a view follows from the tensor's strides; the node may well read a copy of the
        // same elements. `flip` never shares, as in PyTorch.
        if let Kind::Movement(movement) = op.kind
            && !std::ptr::eq(op, &ops::movement::FLIP)
            && let Some(view) = movement(&operands[0].view(), &node)
        {
            let storage = operands[0].0.storage.clone();
            let detached = operands[0].0.detached || operands[0].requires_grad() && !node.needs_grad;
            return Ok(Tensor::on(engine, storage, Some(view), detached, Some(node)));
        }
        let result = Tensor::from_node(engine, node.clone());
        if node.needs_grad && op.saves & SAVE_Y != 0 {
            autograd::save_version(&node, &result.0.storage.version);
        }
        Ok(result)
    }

    /// Applies an op and writes the result here: `x.add_(y)`.
    ///
    /// # Errors
    /// What the op says, and what [`Tensor::assign`] says.
    pub fn apply_in_place(&self, op: &'static Op, others: &[Tensor], attrs: Attrs) -> Result<()> {
        self.check_writable()?;
        let mut operands = vec![self.clone()];
        operands.extend_from_slice(others);
        let src: SmallVec<[NodeRef; 3]> = operands.iter().map(Tensor::node).collect();
        let engine = self.engine();
        let node = engine.inside(|| engine.apply(op, &src, attrs))?;
        if node.shape != self.shape() {
            return Err(Error::runtime(format!(
                "{}_: output with shape {} doesn't match the broadcast shape {}",
                op.name,
                shape::show(&self.shape()),
                shape::show(&node.shape)
            )));
        }
        if node.dtype.is_float() && !self.dtype().is_float() || node.dtype != DType::Bool && self.dtype() == DType::Bool {
            return Err(Error::runtime(format!(
                "result type {} can't be cast to the desired output type {}",
                node.dtype.scalar_name(),
                self.dtype().scalar_name()
            )));
        }
        for (i, operand) in others.iter().enumerate() {
            if node.needs_grad && autograd::reads_operand(&node, i + 1) {
                autograd::save_version(&node, &operand.0.storage.version);
            }
        }
        let node = engine.inside(|| engine.cast(&node, self.dtype()))?;
        self.replace_value(node)
    }

    /// Writes a value here, broadcast and cast: `x.copy_(value)`, `x[…] = value`.
    ///
    /// # Errors
    /// When the shapes do not fit, or this is a leaf that requires grad while the tape is on.
    pub fn assign(&self, value: &Tensor) -> Result<()> {
        self.check_writable()?;
        let engine = self.engine();
        let shape = self.shape();
        let fits = shape::broadcast("copy_", &value.shape(), &shape).is_ok_and(|s| s == shape);
        if !fits {
            return Err(Error::runtime(format!(
                "The expanded size of the tensor ({}) must match the existing size ({})",
                shape::show(&shape),
                shape::show(&value.shape())
            )));
        }
        let value = engine.inside(|| {
            let value = value.var().to(self.dtype()).expand(&shape);
            value.call(&ops::convert::CLONE, &[], Attrs::new())
        });
        let value = engine.settle(value)?;
        self.replace_value(value.into_node())
    }

    fn check_writable(&self) -> Result<()> {
        let engine = self.engine();
        let overlaps = self.0.view.as_ref().is_some_and(|v| v.shape.iter().zip(&v.strides).any(|(&n, &s)| n > 1 && s == 0));
        if overlaps {
            return Err(Error::runtime(
                "unsupported operation: more than one element of the written-to tensor refers to a single memory location. Please clone() the tensor before performing the operation.",
            ));
        }
        let node = self.node();
        if engine.grad_enabled() && node.is_leaf() && node.needs_grad {
            return Err(Error::runtime(
                "a leaf Variable that requires grad is being used in an in-place operation.",
            ));
        }
        if !engine.grad_enabled() || self.0.detached {
            return Ok(());
        }
        let base = self.0.storage.current.borrow().clone();
        if self.0.view.is_some() && base.is_leaf() && base.needs_grad {
            return Err(Error::runtime(
                "a view of a leaf Variable that requires grad is being used in an in-place operation.",
            ));
        }
        Ok(())
    }

    /// Binds the storage to a new value of this tensor; shape and dtype are this tensor's.
    pub(crate) fn replace_value(&self, value: NodeRef) -> Result<()> {
        let engine = self.engine();
        let inner = &*self.0;
        let base = inner.storage.current.borrow().clone();
        let off_tape = !engine.grad_enabled() || inner.detached;
        // A detached tensor may join the tape by a write; the storage's other tensors do not.
        let own = (off_tape && engine.grad_enabled() && value.needs_grad).then(|| value.clone());
        let whole = View::contiguous(&base.shape);
        let mut next = match &inner.view {
            Some(view) if *view != whole => {
                let grad = engine.set_grad_enabled(!off_tape);
                let written = engine.inside(|| {
                    let base = Var::new(engine, base.clone());
                    base.write_at(view, &Var::new(engine, value)).into_node()
                });
                engine.set_grad_enabled(grad);
                engine.settle(written)?
            }
            _ if own.is_some() => {
                let cut = engine.inside(|| Var::new(engine, value).call(&ops::convert::DETACH, &[], Attrs::new()));
                engine.settle(cut)?.into_node()
            }
            _ => value,
        };
        if off_tape && base.needs_grad {
            next = match base.slot() {
                Some(slot) if base.is_leaf() => {
                    let parts = NodeParts { slot: Some(slot.clone()), ..NodeParts::default() };
                    engine.alias(&ops::LEAF, smallvec![next], true, parts)
                }
                _ => engine.alias(&DATA, smallvec![base.clone(), next], true, NodeParts::default()),
            };
        }
        engine.trace().record(|| Event::Write { node: base.id, value: next.id });
        inner.storage.version.set(inner.storage.version.get() + 1);
        engine.pend(&next)?;
        let old = inner.storage.current.replace(next);
        drop(old);
        if let Some(own) = own {
            *inner.derived.borrow_mut() = Some((inner.storage.version.get(), own));
        }
        engine.written(&inner.storage);
        Ok(())
    }

    /// The result of a user's own function, with its gradient. `value` was computed off the tape.
    ///
    /// # Errors
    /// When memory is short.
    pub fn custom(engine: &Engine, inputs: &[Tensor], value: &Tensor, vjp: Rc<dyn CustomVjp>) -> Result<Tensor> {
        let needs_grad = engine.grad_enabled() && inputs.iter().any(Tensor::requires_grad);
        if !needs_grad {
            return Ok(value.clone());
        }
        let mut src: SmallVec<[NodeRef; 3]> = inputs.iter().map(Tensor::node).collect();
        src.push(value.detach().node());
        let parts = NodeParts { custom: Some(vjp), ..NodeParts::default() };
        Ok(Tensor::from_node(engine, engine.alias_made(&ops::CUSTOM, src, true, parts)))
    }

    /// Walks back from here, filling the `.grad` of leaves. `gradient` may be left out for a
    /// tensor of one element.
    ///
    /// # Errors
    /// When nothing here wants a gradient, when the gradient does not fit, and what the rules say.
    pub fn backward(&self, gradient: Option<&Tensor>, options: WalkOptions) -> Result<()> {
        let (root, gradient) = self.seed(gradient)?;
        self.engine().walk(vec![(root, gradient)], None, options)?;
        Ok(())
    }

    fn seed(&self, gradient: Option<&Tensor>) -> Result<(NodeRef, Var)> {
        let node = self.node();
        if !node.needs_grad {
            return Err(Error::runtime("element 0 of tensors does not require grad and does not have a grad_fn"));
        }
        let gradient = match gradient {
            Some(gradient) if gradient.shape() == node.shape => gradient.var().to(node.dtype),
            Some(gradient) => {
                return Err(Error::runtime(format!(
                    "Mismatch in shape: grad_output[0] has a shape of {} and output[0] has a shape of {}.",
                    shape::show(&gradient.shape()),
                    shape::show(&node.shape)
                )));
            }
            None if node.numel() == 1 => {
                let engine = self.engine();
                engine.inside(|| Var::new(engine, engine.number(Scalar::Float(1.0), node.dtype)).expand(&node.shape))
            }
            None => {
                return Err(Error::runtime(format!(
                    "grad can be implicitly created only for scalar outputs, but this tensor has shape {}; call .sum() or .mean() first, or pass a gradient",
                    shape::show(&node.shape)
                )));
            }
        };
        Ok((node, gradient))
    }

    /// As [`Tensor::backward`], filling the `.grad` of these tensors only.
    ///
    /// # Errors
    /// As [`Tensor::backward`].
    pub fn backward_to(&self, gradient: Option<&Tensor>, inputs: &[Tensor], options: WalkOptions) -> Result<()> {
        let engine = self.engine();
        let (root, gradient) = self.seed(gradient)?;
        let targets: HashSet<NodeId> = inputs.iter().map(|t| t.node().id).collect();
        let captured = engine.walk(vec![(root, gradient)], Some(&targets), options)?;
        for input in inputs {
            let node = input.node();
            let Some(gy) = captured.get(&node.id) else { continue };
            let slot = node.slot.get_or_init(Rc::default);
            engine.deposit_outside(&node, slot, gy, options)?;
        }
        Ok(())
    }

    /// Gradients of outputs with respect to inputs, without touching `.grad`: `autograd.grad`.
    ///
    /// # Errors
    /// As [`Tensor::backward`]; an input that was not used gives none.
    pub fn grad_of(
        outputs: &[Tensor],
        inputs: &[Tensor],
        gradients: &[Option<Tensor>],
        options: WalkOptions,
    ) -> Result<Vec<Option<Tensor>>> {
        let Some(first) = outputs.first() else {
            return Err(Error::value("grad requires non-empty outputs."));
        };
        let engine = first.engine();
        let mut roots = Vec::new();
        for (i, output) in outputs.iter().enumerate() {
            roots.push(output.seed(gradients.get(i).and_then(Option::as_ref))?);
        }
        let ids: Vec<NodeId> = inputs.iter().map(|t| t.node().id).collect();
        if inputs.iter().any(|t| !t.requires_grad()) {
            return Err(Error::runtime("One of the differentiated Tensors does not require grad"));
        }
        let targets: HashSet<NodeId> = ids.iter().copied().collect();
        let captured = engine.walk(roots, Some(&targets), options)?;
        Ok(ids
            .iter()
            .map(|id| captured.get(id).map(|v| Tensor::from_node(engine, v.node().clone())))
            .collect())
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
        Ok(scalars(&self.to_bytes()?, self.dtype()))
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
        self.to_scalars()?.first().copied().ok_or_else(|| Error::runtime("item: no element"))
    }
}

/// Little-endian elements as numbers.
pub fn scalars(bytes: &[u8], dtype: DType) -> Vec<Scalar> {
    fn each<const N: usize>(bytes: &[u8], read: impl Fn([u8; N]) -> Scalar) -> Vec<Scalar> {
        bytes.as_chunks::<N>().0.iter().map(|b| read(*b)).collect()
    }
    match dtype {
        DType::Bool => bytes.iter().map(|&b| Scalar::Bool(b != 0)).collect(),
        DType::I64 => each(bytes, |b| Scalar::Int(i64::from_le_bytes(b))),
        DType::F32 => each(bytes, |b| Scalar::Float(f64::from(f32::from_le_bytes(b)))),
        DType::F64 => each(bytes, |b| Scalar::Float(f64::from_le_bytes(b))),
    }
}

/// A value written behind the tape's back (`x.detach().add_(1)`): the gradient goes on to the old
/// node as if nothing had happened.
static DATA: Op = Op {
    name: "data",
    grad_fn: "",
    // The function is still the one that made the tensor.
    grad_fn_for: |node| node.src.borrow().first().map(|made| made.grad_name),
    vjp: crate::op::Vjp::Rule(|b| ops::grad1(b.gy.clone())),
    ..ops::BASE
};

impl Engine {
    /// An alias of its last source: a leaf, or a value with another place on the tape.
    pub(crate) fn alias(
        &self,
        op: &'static Op,
        src: SmallVec<[NodeRef; 3]>,
        needs_grad: bool,
        parts: NodeParts,
    ) -> NodeRef {
        self.inside(|| self.alias_made(op, src, needs_grad, parts))
    }

    /// As [`Engine::alias`], as a call of the learner's.
    pub(crate) fn alias_made(
        &self,
        op: &'static Op,
        mut src: SmallVec<[NodeRef; 3]>,
        needs_grad: bool,
        parts: NodeParts,
    ) -> NodeRef {
        let last = src.len() - 1;
        let row_major = self.static_view(&src[last]).is_some_and(|v| v == View::contiguous(&src[last].shape));
        if !row_major {
            let value = Var::new(self, src[last].clone());
            let grad = self.set_grad_enabled(false);
            src[last] = self.inside(|| value.contiguous().into_node());
            self.set_grad_enabled(grad);
        }
        let (shape, dtype) = (src[last].shape.clone(), src[last].dtype);
        self.node(op, src, Attrs::new(), shape, dtype, needs_grad, parts)
    }

    /// A leaf in the place of another leaf, with another wish for a gradient. On the stage it takes
    /// the other's place.
    fn relabel(&self, node: &NodeRef, needs_grad: bool, mut parts: NodeParts) -> NodeRef {
        parts.value = node.value();
        parts.number = None;
        let leaf = if parts.value.is_some() && !matches!(node.op.kind, Kind::Movement(_)) {
            let (shape, dtype) = (node.shape.clone(), node.dtype);
            self.inside(|| self.node(&ops::LEAF, smallvec![], Attrs::new(), shape, dtype, needs_grad, parts))
        } else {
            parts.value = None;
            self.alias(&ops::LEAF, smallvec![node.clone()], needs_grad, parts)
        };
        self.remake(node, &leaf);
        leaf
    }
}
