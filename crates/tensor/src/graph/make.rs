//! Making nodes: promotion, shape and dtype, whether the tape sees it, and what a composite is
//! written in.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use smallvec::{SmallVec, smallvec};

use super::{Engine, GraphValue, NodeParts, NodeRef, Side, primitive};
use crate::alu::Value;
use crate::device::Device;
use crate::dtype::{self, DType, Rank, Scalar};
use crate::node::{Node, Span};
use crate::op::{Attrs, Kind, Op, Promote, Vjp};
use crate::shape::{self, Shape};
use crate::{Error, Result};

impl Engine {
    pub(crate) fn apply_or_poison(
        &self,
        op: &'static Op,
        src: &[NodeRef],
        attrs: Attrs,
    ) -> NodeRef {
        self.apply(op, src, attrs).unwrap_or_else(|error| {
            self.poison(error);
            self.number(Scalar::Float(f64::NAN), DType::F32)
        })
    }

    /// Applies an op: promotes, infers, makes the node.
    pub fn apply(&self, op: &'static Op, src: &[NodeRef], attrs: Attrs) -> Result<NodeRef> {
        if src.is_empty() {
            if op.n_operands().is_none() {
                (op.check)(op, src)?;
            }
            return Err(Error::value(format!(
                "{}: expected a non-empty list of tensors, got none",
                op.name
            )));
        }
        if std::ptr::eq(op, &primitive::CONTIGUOUS) && self.is_row_major(&src[0]) {
            return Ok(src[0].clone());
        }
        if self.0.position.depth.get() == 0 {
            self.check_devices(op, src)?;
        }
        let (op, attrs) = (op.variant)(op, attrs);
        (op.check)(op, src)?;
        let mut src: SmallVec<[NodeRef; 3]> = SmallVec::from(src);
        self.promote(op, &mut src)?;
        let meta = (op.infer)(op, &src, &attrs)?;
        // Operands that the op calls constants are cut from the tape on purpose.
        let is_constant = |i: usize| i < 8 && op.constants & (1 << i) != 0;
        let mut operands = src.iter().enumerate();
        let on_tape = self.grad_enabled() && operands.any(|(i, s)| s.needs_grad && !is_constant(i));
        let needs_grad = on_tape && meta.dtype.is_float() && op.is_differentiable();
        // Inside a rule it would cut the tape in silence: then it is a mistake of ours.
        if on_tape
            && meta.dtype.is_float()
            && let Vjp::None(reason) = op.vjp
            && !std::ptr::eq(op, &primitive::DETACH)
        {
            return Err(Error::runtime(format!(
                "{} is not differentiable: {reason}; call it on x.detach() or under torch.no_grad()",
                op.name
            )));
        }
        let src = if matches!(op.kind, Kind::Movement(_)) {
            self.viewable(op, &src, &attrs, &meta.shape)
        } else {
            src
        };
        let node = self.node(
            op,
            src,
            attrs,
            meta.shape,
            meta.dtype,
            needs_grad,
            NodeParts::default(),
        );
        if self.is_eager() {
            self.realize(std::slice::from_ref(&node))?;
        }
        Ok(node)
    }

    /// Whether what is made now is run at once.
    pub(crate) fn is_eager(&self) -> bool {
        self.0.modes.eager.get() && self.0.position.depth.get() == 0
    }

    /// Casts the operands to the dtype in which the op wants them to meet.
    fn promote(&self, op: &'static Op, src: &mut SmallVec<[NodeRef; 3]>) -> Result<()> {
        let from = match op.promote {
            Promote::Keep => return Ok(()),
            Promote::Common | Promote::Float => 0,
            Promote::Rest => 1,
        };
        if src[from..]
            .iter()
            .all(|s| s.dtype == src[from].dtype && s.rank() == Rank::Tensor)
            && (op.promote != Promote::Float || src[from].dtype.is_float())
        {
            return Ok(());
        }
        let mut dtype = dtype::promote(src[from..].iter().map(|s| (s.dtype, s.rank())))?;
        if op.promote == Promote::Float && !dtype.is_float() {
            dtype = DType::F32;
        }
        for operand in &mut src[from..] {
            *operand = self.cast(operand, dtype)?;
        }
        Ok(())
    }

    /// A node in another dtype; numbers are made anew.
    pub(crate) fn cast(&self, node: &NodeRef, dtype: DType) -> Result<NodeRef> {
        match node.number {
            _ if node.dtype == dtype => Ok(node.clone()),
            // A Python float has all its digits; a number of a dtype has that dtype's.
            Some(number) if node.is_python_number => Ok(self.number(number, dtype)),
            Some(number) => Ok(self.number(Value::from_scalar(number, node.dtype).scalar(), dtype)),
            None => {
                let attrs = smallvec![crate::op::Attr::DType(dtype)];
                self.internal_scope(|| {
                    self.apply(&primitive::TO, std::slice::from_ref(node), attrs)
                })
            }
        }
    }

    /// A movement's source, copied row-major first if its strides do not allow the movement.
    fn viewable(
        &self,
        op: &'static Op,
        src: &SmallVec<[NodeRef; 3]>,
        attrs: &Attrs,
        shape: &Shape,
    ) -> SmallVec<[NodeRef; 3]> {
        let Kind::Movement(movement) = op.kind else {
            return src.clone();
        };
        let Some(view) = self.static_view(&src[0]) else {
            return src.clone();
        };
        let mut probe = self.blank(op, shape.clone(), src[0].dtype);
        probe.attrs = attrs.clone();
        if movement(&view, &probe).is_some() {
            return src.clone();
        }
        let copy = self.internal_scope(|| self.apply(&primitive::CONTIGUOUS, src, Attrs::new()));
        copy.map_or_else(|_| src.clone(), |copy| smallvec![copy])
    }

    /// Whether a node is the whole of its base in row-major order, so that a copy would be the same
    /// bytes. What is behind a node never moves, so this is settled once.
    fn is_row_major(&self, node: &NodeRef) -> bool {
        let mut base = node.clone();
        while matches!(base.op.kind, Kind::Movement(_)) && !base.has_value() {
            let Some(next) = base.src().first().cloned() else {
                return false;
            };
            base = next;
        }
        base.number.is_none()
            && self.static_view(node).is_some_and(|v| {
                v == crate::View::contiguous(&node.shape) && v.numel() == base.numel()
            })
    }

    /// The view of a node over what it moves, whether computed or not.
    pub(crate) fn static_view(&self, node: &NodeRef) -> Option<crate::View> {
        let mut chain: SmallVec<[NodeRef; 4]> = smallvec![];
        let mut at = node.clone();
        let mut view = loop {
            if at.has_value() || !matches!(at.op.kind, Kind::Movement(_)) {
                break Some(crate::View::contiguous(&at.shape));
            }
            // A chain of views asks each of its nodes once.
            if let Some(known) = at.moved.get() {
                break known.as_deref().cloned();
            }
            let Some(next) = at.src.borrow().first().cloned() else {
                break Some(crate::View::contiguous(&at.shape));
            };
            chain.push(at);
            at = next;
        };
        for step in chain.iter().rev() {
            let Kind::Movement(movement) = step.op.kind else {
                continue;
            };
            view = view.and_then(|view| movement(&view, step));
            let _ = step.moved.set(view.clone().map(Box::new));
        }
        view
    }

    fn blank(&self, op: &'static Op, shape: Shape, dtype: DType) -> Node {
        Node {
            id: 0,
            op,
            attrs: Attrs::new(),
            shape,
            dtype,
            device: Device::FIRST,
            span: Span::default(),
            scope: None,
            needs_grad: false,
            number: None,
            is_python_number: false,
            src: RefCell::default(),
            value: RefCell::default(),
            lowered: RefCell::default(),
            moved: std::cell::OnceCell::new(),
            slot: std::cell::OnceCell::new(),
            versions: RefCell::default(),
            released: Cell::new(false),
            #[cfg(feature = "full")]
            was_inlined: Cell::new(false),
            is_kept: Cell::new(false),
            custom: None,
            grad_name: op.grad_fn,
        }
    }

    #[allow(clippy::too_many_arguments, reason = "the one place that makes nodes")]
    pub(crate) fn node(
        &self,
        op: &'static Op,
        src: SmallVec<[NodeRef; 3]>,
        attrs: Attrs,
        shape: Shape,
        dtype: DType,
        needs_grad: bool,
        parts: NodeParts,
    ) -> NodeRef {
        let id = self.0.next_id.get();
        self.0.next_id.set(id + 1);
        let is_number = parts.number.is_some();
        let mut node = self.blank(op, shape, dtype);
        node.id = id;
        node.attrs = attrs;
        node.device = match (&parts.value, parts.device) {
            (Some(buffer), _) => buffer.on(),
            (None, Some(device)) => device,
            (None, None) => self.device_of(&src),
        };
        node.span = self.0.position.span.get();
        node.scope = self.0.position.scopes.borrow().last().cloned();
        node.needs_grad = needs_grad;
        node.number = parts.number;
        node.is_python_number = parts.is_python_number;
        node.src = RefCell::new(src);
        node.value = RefCell::new(parts.value);
        node.custom = parts.custom;
        if needs_grad {
            node.grad_name = (op.grad_fn_for)(&node).unwrap_or(op.grad_fn);
        }
        if let Some(slot) = parts.slot {
            slot.join(id);
            let _ = node.slot.set(slot);
        }
        let node = NodeRef(Rc::new(node));
        if self.0.position.depth.get() == 0 && !is_number {
            self.made(&node);
        }
        node
    }

    /// A number of a fixed dtype.
    pub fn number(&self, value: Scalar, dtype: DType) -> NodeRef {
        self.constant(value, dtype, false)
    }

    /// A Python number: weak in promotion.
    pub fn python_number(&self, value: Scalar) -> NodeRef {
        self.constant(value, value.dtype(), true)
    }

    fn constant(&self, value: Scalar, dtype: DType, is_python_number: bool) -> NodeRef {
        let parts = NodeParts {
            number: Some(value),
            is_python_number,
            ..NodeParts::default()
        };
        self.node(
            &primitive::NUMBER,
            smallvec![],
            Attrs::new(),
            Shape::new(),
            dtype,
            false,
            parts,
        )
    }

    /// The lowering of a composite: what it is written in.
    pub(crate) fn lower(&self, node: &NodeRef) -> Result<NodeRef> {
        if let Some(lowered) = node.lowered.borrow().as_ref() {
            return Ok(lowered.clone());
        }
        let Kind::Composite(body) = node.op.kind else {
            return Ok(node.clone());
        };
        let through = matches!(node.op.vjp, Vjp::Lowered) && node.needs_grad;
        let written = self.write(node, body, through)?;
        self.stands_for(&written, node);
        *node.lowered.borrow_mut() = Some(written.clone());
        Ok(written)
    }

    /// What a composite is written in, anew and off the tape: in ops that every device has, though the node's own device
    /// may compute the whole as one kernel. Nothing of it is kept. None if the node is no composite.
    ///
    /// # Errors
    /// When its sources were let go.
    #[cfg(feature = "full")]
    pub fn written_in(&self, node: &NodeRef) -> Result<Option<NodeRef>> {
        let Kind::Composite(body) = node.op.kind else {
            return Ok(None);
        };
        let layers = self.0.modes.layers.replace(false);
        let written = self.write(node, body, false);
        self.0.modes.layers.set(layers);
        written.map(Some)
    }

    /// Runs the body of a composite, on the tape or off it.
    fn write(
        &self,
        node: &NodeRef,
        body: fn(&crate::op::Call) -> Result<GraphValue>,
        on_tape: bool,
    ) -> Result<NodeRef> {
        if node.src.borrow().is_empty() {
            // Nothing asks for it again: a plan that has just run took its value.
            return Err(Error::runtime(format!(
                "{}: the values it was made from were let go; run the lines that made them again",
                node.op.name
            )));
        }
        let grad = self.set_grad_enabled(on_tape);
        let span = self.0.position.span.replace(node.span);
        let device = self.set_device(node.device);
        let write = || {
            let src = node
                .src()
                .into_iter()
                .map(|s| GraphValue::new(self, s))
                .collect();
            let value = body(&crate::op::Call { node, src })?;
            let value = self.settle(value)?;
            // What others build views on must be computed row-major, the whole of its buffer.
            self.settle(value.contiguous())
        };
        let written = self.internal_scope(|| self.owned(node, Side::Forward, write));
        self.set_device(device);
        self.0.position.span.set(span);
        self.set_grad_enabled(grad);
        let written = written?.into_node();
        if written.shape != node.shape || written.dtype != node.dtype {
            return Err(Error::runtime(format!(
                "{}: internal error: lowered to {} {}, expected {} {}; please report this",
                node.op.name,
                shape::show(&written.shape),
                written.dtype,
                shape::show(&node.shape),
                node.dtype
            )));
        }
        Ok(written)
    }
}
