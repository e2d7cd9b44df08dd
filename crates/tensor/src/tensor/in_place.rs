//! Writing in place: a write makes a new node and binds the storage to it.
//!
//! The invariant: a node never changes. What a write changes is which node a [`Storage`] stands for,
//! and its version, by which views and saved tensors notice.

use std::rc::Rc;

use smallvec::{SmallVec, smallvec};

use super::{Tensor, handles, saved};
use crate::dtype::{DType, Scalar};
use crate::graph::{
    Engine, GraphValue, NodeParts, NodeRef, StorageHandle, Unwritable, is_written_behind,
};
use crate::op::{Attrs, Infinities, Kind, Op, SAVE_Y, has_operand};
use crate::ops;
use crate::shape;
use crate::trace::Event;
use crate::view::View;
use crate::{Error, Result};

impl Tensor {
    /// The memory that it shares with its views, as the engine sees it.
    #[cfg(feature = "full")]
    pub(crate) fn storage_handle(&self) -> Rc<dyn StorageHandle> {
        self.0.storage.clone()
    }

    /// Applies an op and writes the result here: `x.add_(y)`.
    ///
    /// # Errors
    /// What the op says, and what [`Tensor::assign`] says.
    pub fn apply_in_place(&self, op: &'static Op, others: &[Tensor], attrs: Attrs) -> Result<()> {
        self.check_writable()?;
        let mut operands = vec![self.clone()];
        operands.extend_from_slice(others);
        self.write_op(op, operands.clone(), attrs)
            .map_err(|error| Tensor::refused(self.engine(), op, &operands, error))
    }

    fn write_op(&self, op: &'static Op, mut operands: Vec<Tensor>, attrs: Attrs) -> Result<()> {
        let engine = self.engine();
        let mut attrs = attrs;
        if let Some(prepare) = op.prepare {
            operands = super::prepared(engine, prepare, op, &operands, &mut attrs)?;
        }
        ops::check::check_indices(op, || handles(&operands), &attrs)?;
        let others = &operands[1..];
        let src: SmallVec<[NodeRef; 3]> = operands.iter().map(Tensor::node).collect();
        let node = engine.internal_scope(|| engine.apply(op, &src, attrs))?;
        if node.shape != self.shape() {
            return Err(Error::runtime(format!(
                "{}_: output with shape {} doesn't match the broadcast shape {}",
                op.name,
                shape::show(&self.shape()),
                shape::show(&node.shape)
            )));
        }
        if node.dtype.is_float() && !self.dtype().is_float()
            || node.dtype != DType::Bool && self.dtype() == DType::Bool
        {
            return Err(Error::runtime(format!(
                "result type {} can't be cast to the desired output type {}",
                node.dtype.scalar_name(),
                self.dtype().scalar_name()
            )));
        }
        let saved = node.saved();
        for (i, operand) in others.iter().enumerate() {
            if has_operand(saved, i + 1) {
                saved::save_operand(&node, i + 1, operand)?;
            }
        }
        let written = engine.internal_scope(|| {
            let written = engine.cast(&node, self.dtype())?;
            engine.to_device(&written, self.device())
        })?;
        self.replace_value(written)?;
        if saved & SAVE_Y != 0 {
            saved::save_result(&node, self);
        }
        Ok(())
    }

    /// Writes a value here, broadcast and cast: `x.copy_(value)`, `x[…] = value`.
    ///
    /// # Errors
    /// When the shapes do not fit, or this is a leaf that requires grad while the tape is on.
    pub fn assign(&self, value: &Tensor) -> Result<()> {
        let op = if value.node().number.is_some() {
            &FILL
        } else {
            &COPY
        };
        self.write_value(op, value)
    }

    /// Writes one number everywhere, cast: `x.fill_(value)`; the value's shape is `[]`.
    ///
    /// # Errors
    /// When the value has dimensions, or this is a leaf that requires grad while the tape is on.
    pub fn fill(&self, value: &Tensor) -> Result<()> {
        let shape = value.shape();
        if !shape.is_empty() {
            return Err(Error::runtime(format!(
                "fill_ only supports 0-dimension value tensor but got shape {}; use copy_",
                shape::show(&shape)
            )));
        }
        self.write_value(&FILL, value)
    }

    /// Writes zeros: `x.zero_()`.
    ///
    /// # Errors
    /// When this is a leaf that requires grad while the tape is on.
    pub fn zero(&self) -> Result<()> {
        let engine = self.engine();
        let zero = engine.python_number(Scalar::Int(0));
        self.write_value(&ZERO, &Tensor::from_node(engine, zero))
    }

    fn write_value(&self, op: &'static Op, value: &Tensor) -> Result<()> {
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
        // A number is spread out where it is written.
        let device = engine.set_device(self.device());
        let value = engine.internal_scope(|| {
            let one = match value.node().number {
                Some(number) => GraphValue::new(engine, engine.number(number, value.dtype())),
                None => value.var(),
            };
            let one = one.to(self.dtype()).to_device(self.device());
            let value = one.expand(&shape);
            let old = self.node();
            let is_whole = (self.0.view.as_ref()).is_none_or(|view| {
                *view == View::contiguous(&self.0.storage.current.borrow().shape)
            });
            // What is written over stays on the tape, where its gradient is zero; a part does by
            // the write to its base.
            let on_tape = engine.grad_enabled() && (old.needs_grad || value.node().needs_grad);
            match (is_whole, on_tape) {
                (true, true) => {
                    let written = if std::ptr::eq(op, &COPY) {
                        &value
                    } else {
                        &one
                    };
                    GraphValue::new(engine, old).call(op, &[written], Attrs::new())
                }
                (true, false) => value.call(&ops::convert::CLONE, &[], Attrs::new()),
                // The write to the base copies.
                (false, _) => value,
            }
        });
        engine.set_device(device);
        let value = engine.settle(value)?;
        self.replace_value(value.into_node())
    }

    fn check_writable(&self) -> Result<()> {
        let engine = self.engine();
        let recorded = self.recorded();
        let base_needs_grad = recorded.is_some() || self.0.storage.current.borrow().needs_grad;
        if let Some(reason) = &*self.0.unwritable.borrow()
            && engine.grad_enabled()
            && base_needs_grad
        {
            return Err(Error::runtime(match reason {
                Unwritable::Piece(function, output) => format!(
                    "Output {output} of {function} is a view and is being modified inplace. This view is the output of a function that returns multiple views. Such functions do not allow the output views to be modified inplace. You should replace the inplace operation by an out-of-place one."
                ),
                Unwritable::MadeOffTape => "A view was created in no_grad mode and is being modified inplace with grad mode enabled. Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify your code by moving both the view and the inplace either both inside the no_grad block (if you don't want the inplace to be tracked) or both outside (if you want the inplace to be tracked).".to_owned(),
            }));
        }
        if self.is_inference() && !engine.inference_mode() {
            return Err(Error::runtime(
                "Inplace update to inference tensor outside InferenceMode is not allowed. You can make a clone to get a normal tensor before doing inplace update. See https://github.com/pytorch/rfcs/pull/17 for more details.",
            ));
        }
        let node = self.node();
        if engine.grad_enabled() && node.is_leaf() && node.needs_grad {
            return Err(Error::runtime(
                "a leaf Variable that requires grad is being used in an in-place operation.",
            ));
        }
        let of_leaf = recorded.is_some_and(|base| base.is_leaf());
        if engine.grad_enabled() && self.0.view.is_some() && of_leaf {
            return Err(Error::runtime(
                "a view of a leaf Variable that requires grad is being used in an in-place operation.",
            ));
        }
        let overlaps = self.0.view.as_ref().is_some_and(|v| {
            v.shape
                .iter()
                .zip(&v.strides)
                .any(|(&n, &s)| n > 1 && s == 0)
        });
        if overlaps {
            return Err(Error::runtime(
                "unsupported operation: more than one element of the written-to tensor refers to a single memory location. Please clone() the tensor before performing the operation.",
            ));
        }
        Ok(())
    }

    /// Binds the storage to a new value of this tensor; shape and dtype are this tensor's.
    pub(crate) fn replace_value(&self, value: NodeRef) -> Result<()> {
        let engine = self.engine();
        let inner = &*self.0;
        let base = inner.storage.now(engine);
        let value = engine.internal_scope(|| engine.to_device(&value, base.device))?;
        let has_tape = engine.grad_enabled() && inner.storage.bits.is_none();
        // What this tensor's own place on the tape records; the storage's other tensors see the value.
        let mut own = None;
        if let Some(tape) = inner.tape.as_ref().filter(|_| has_tape) {
            let recorded = self.recorded();
            if recorded.is_some() || value.needs_grad {
                let node = self.placed(recorded.unwrap_or_else(|| base.clone()), &value, true)?;
                own = Some((tape, node));
            }
        }
        let on_tape = engine.grad_enabled() && inner.tape.is_none();
        let mut next = match &own {
            Some((_, node)) => {
                let cut = || {
                    GraphValue::new(engine, node.clone()).call(
                        &ops::convert::DETACH,
                        &[],
                        Attrs::new(),
                    )
                };
                engine.settle(engine.internal_scope(cut))?.into_node()
            }
            None => self.placed(base.clone(), &value, on_tape)?,
        };
        if let Some(bits) = &inner.storage.bits {
            return self.write_root(bits, next);
        }
        if !on_tape && base.needs_grad {
            next = engine.rewritten(&base, next);
        }
        if let Some(slot) = base.slot().filter(|slot| slot.retains())
            && !is_written_behind(&next)
        {
            slot.hand_retention(next.slot.get_or_init(Rc::default));
        }
        engine.trace().record(|| Event::Write {
            node: base.id,
            value: next.id,
        });
        inner.storage.count_write(inner.tape.as_deref());
        engine.pend(&next)?;
        let old = inner.storage.current.replace(next);
        drop(old);
        if let Some((tape, node)) = own {
            tape.set(Some(node), inner.storage.writes.get());
        }
        let storage: Rc<dyn StorageHandle> = inner.storage.clone();
        engine.written(&storage);
        Ok(())
    }

    /// The whole storage with a value in this tensor's place.
    fn placed(&self, base: NodeRef, value: &NodeRef, on_tape: bool) -> Result<NodeRef> {
        let whole = View::contiguous(&base.shape);
        let Some(view) = self.0.view.as_ref().filter(|view| **view != whole) else {
            return Ok(value.clone());
        };
        let engine = self.engine();
        let grad = engine.set_grad_enabled(on_tape);
        let written = engine.internal_scope(|| {
            let value = GraphValue::new(engine, value.clone());
            GraphValue::new(engine, base)
                .write_at(view, &value)
                .into_node()
        });
        engine.set_grad_enabled(grad);
        engine.settle(written)
    }
}

/// A value written over another: `x.copy_(value)`.
static COPY: Op = Op {
    name: "copy_",
    grad_fn: "CopyBackwards",
    symbol: "=",
    formula: "y = b",
    rules: &["0", "{gy}"],
    doc: "A value written over another.",
    kind: Kind::Composite(|c| Ok(c.src[1].call(&ops::convert::CLONE, &[], Attrs::new()))),
    vjp: crate::op::Vjp::Rule(|b| {
        Ok(smallvec![
            b.needs(0).then(|| b.gy.zeros_like()),
            b.needs(1).then(|| b.gy.clone())
        ])
    }),
    infinities: Infinities::Chooses,
    ..ops::BASE
};

/// One number written over all of a tensor: `x.fill_(value)`.
static FILL: Op = Op {
    name: "fill_",
    grad_fn: "FillBackward3",
    grad_fn_for: |node| node.src()[1].number.map(|_| "FillBackward2"),
    rules: &["0", "sum({gy})"],
    doc: "One number written over all of a tensor.",
    kind: Kind::Composite(|c| {
        let value = c.src[1].expand(&c.node.shape);
        Ok(value.call(&ops::convert::CLONE, &[], Attrs::new()))
    }),
    vjp: crate::op::Vjp::Rule(|b| {
        Ok(smallvec![
            b.needs(0).then(|| b.gy.zeros_like()),
            b.needs(1).then(|| b.gy.sum_to(&[]))
        ])
    }),
    ..COPY
};

/// Zeros written over a tensor: `x.zero_()`.
static ZERO: Op = Op {
    name: "zero_",
    grad_fn: "ZeroBackward0",
    grad_fn_for: ops::BASE.grad_fn_for,
    formula: "y = 0",
    doc: "Zeros written over a tensor.",
    ..FILL
};

impl Engine {
    /// A leaf in the place of another leaf, with another wish for a gradient. On the stage it takes
    /// the other's place.
    pub(super) fn relabel(
        &self,
        node: &NodeRef,
        needs_grad: bool,
        mut parts: NodeParts,
    ) -> NodeRef {
        parts.value = node.value();
        parts.number = None;
        let leaf = if parts.value.is_some() && !matches!(node.op.kind, Kind::Movement(_)) {
            let (shape, dtype) = (node.shape.clone(), node.dtype);
            self.internal_scope(|| {
                self.node(
                    &ops::LEAF,
                    smallvec![],
                    Attrs::new(),
                    shape,
                    dtype,
                    needs_grad,
                    parts,
                )
            })
        } else {
            parts.value = None;
            self.alias(&ops::LEAF, smallvec![node.clone()], needs_grad, parts)
        };
        self.remake(node, &leaf);
        leaf
    }
}
