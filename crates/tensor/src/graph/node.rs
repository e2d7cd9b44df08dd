//! Nodes of the lazy graph: `{op, src, attrs, shape, dtype, span, scope}`.
//!
//! A node is immutable but for what becomes known later (its value, its lowering, its view) and what is
//! let go (its sources, once no backward pass and no picture reads them). Sources are always older than their
//! users, so numbers order the graph. Dropping a long chain is iterative.

use std::cell::{Cell, OnceCell, RefCell};
use std::ops::Deref;
use std::rc::Rc;

use smallvec::SmallVec;

use super::{Engine, GradSlot, Operand};
use crate::backend::Buffer;
use crate::device::Device;
use crate::dtype::{DType, Rank, Scalar};
use crate::op::{Attrs, Kind, Op, Vjp};
use crate::shape::{self, Shape};
use crate::trace::NodeId;
pub use crate::trace::Span;
use crate::view::View;
use crate::{Error, Result};

/// A counted reference to a node.
#[derive(Clone)]
pub struct NodeRef(pub(crate) Rc<Node>);

/// The sources of a node.
pub type Sources = SmallVec<[NodeRef; 3]>;

/// The gradient of a user's own function.
pub trait CustomRule {
    /// What `grad_fn` prints: `SquareBackward`.
    fn name(&self) -> &str;

    /// Gradients for the inputs, in order; none where there is none.
    ///
    /// # Errors
    /// What the function raises.
    fn backward(&self, gradient: Operand) -> Result<Vec<Option<Operand>>>;
}

/// A tensor that a gradient rule reads, as it was when the rule's node was made.
pub trait Saved {
    /// Which operand it is; none for the result.
    fn operand(&self) -> Option<usize>;

    /// Whether nothing has written it in place since.
    fn is_current(&self) -> bool;

    /// The value that is there now, if a write that the tape does not see has put another one there.
    fn now(&self, engine: &Engine) -> Option<NodeRef>;

    /// What `backward()` raises where it was written over.
    fn error(&self, node: &Node) -> Error;
}

/// A node of the graph.
pub struct Node {
    /// Its number.
    pub id: NodeId,
    /// What it computes.
    pub op: &'static Op,
    /// With which arguments.
    pub attrs: Attrs,
    /// Sizes of the result.
    pub shape: Shape,
    /// Element type of the result.
    pub dtype: DType,
    /// Where the result is to be.
    pub device: Device,
    /// The line that made it.
    pub span: Span,
    /// The module it was made in.
    pub scope: Option<Rc<str>>,
    /// Whether a gradient flows through it.
    pub needs_grad: bool,
    /// The number it holds, if it is a constant.
    pub number: Option<Scalar>,
    /// Whether it stands for a Python number, which is weak in promotion.
    pub is_python_number: bool,
    pub(crate) src: RefCell<Sources>,
    pub(crate) value: RefCell<Option<Buffer>>,
    pub(crate) lowered: RefCell<Option<NodeRef>>,
    /// Of a movement: the view over what it moves, once it was asked for; none where strides allow none.
    pub(crate) moved: OnceCell<Option<Box<View>>>,
    /// Where the gradient goes: of a leaf, or of a node whose gradient is retained.
    pub(crate) slot: OnceCell<Rc<GradSlot>>,
    /// Versions of what the gradient rule reads, as they were.
    pub(crate) versions: RefCell<SmallVec<[Box<dyn Saved>; 1]>>,
    /// Whether `backward()` has let go of what the rule reads.
    pub(crate) released: Cell<bool>,
    /// Whether a plan has computed it as a part of a kernel, which kept no value of it.
    #[cfg(feature = "full")]
    pub(crate) was_inlined: Cell<bool>,
    /// Whether a step that is kept has it, so that a picture may read its sources.
    pub(crate) is_kept: Cell<bool>,
    pub(crate) custom: Option<Rc<dyn CustomRule>>,
    /// PyTorch's name for its gradient rule, settled while its sources are there.
    pub(crate) grad_name: &'static str,
}

impl Deref for NodeRef {
    type Target = Node;

    fn deref(&self) -> &Node {
        &self.0
    }
}

impl std::fmt::Debug for NodeRef {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}#{} {:?}", self.op.name, self.id, &self.shape[..])
    }
}

impl Node {
    /// Its sources, in operand order; empty once they were let go.
    pub fn src(&self) -> Sources {
        self.src.borrow().clone()
    }

    /// The number of elements.
    pub fn numel(&self) -> usize {
        shape::numel(&self.shape)
    }

    /// Its bytes, if it was computed.
    pub fn value(&self) -> Option<Buffer> {
        self.value.borrow().clone()
    }

    /// Whether its own bytes are there.
    pub fn has_value(&self) -> bool {
        self.value.borrow().is_some()
    }

    /// How strongly it speaks in promotion.
    pub(crate) fn rank(&self) -> Rank {
        match () {
            () if self.is_python_number => Rank::Scalar,
            () if self.shape.is_empty() => Rank::ZeroDim,
            () => Rank::Tensor,
        }
    }

    /// Whether it is a leaf in PyTorch's sense: made by the user, or outside the tape.
    pub fn is_leaf(&self) -> bool {
        let made = matches!(self.op.kind, Kind::Leaf) && matches!(self.op.vjp, Vjp::None(_));
        !self.needs_grad || made && self.custom.is_none()
    }

    /// PyTorch's name of its backward function: `AddBackward0`.
    pub fn grad_fn(&self) -> Option<&str> {
        if !self.needs_grad || self.is_leaf() {
            return None;
        }
        Some(self.custom.as_ref().map_or(self.grad_name, |c| c.name()))
    }

    /// The number under which a backward pass gathers its gradients: all nodes of a leaf that was written in
    /// place have the number of its first one.
    pub fn gradient_id(&self) -> NodeId {
        match self.slot() {
            Some(slot) if self.is_leaf() => slot.first().unwrap_or(self.id),
            _ => self.id,
        }
    }

    /// What PyTorch saves of this call, as bits of [`Op::saves`]: for those operands alone that want
    /// gradients.
    pub(crate) fn saved(&self) -> u8 {
        if !self.needs_grad {
            return 0;
        }
        let src = self.src.borrow();
        let is_constant = |i: usize| i < 8 && self.op.constants & (1 << i) != 0;
        let wanting = src.iter().enumerate();
        let wanting = wanting.filter(|(i, operand)| operand.needs_grad && !is_constant(*i));
        wanting.fold(0, |saved, (i, _)| saved | self.op.saves[i.min(2)])
    }

    /// Where its gradient goes, if it is a parameter or retains it.
    pub fn slot(&self) -> Option<&Rc<GradSlot>> {
        self.slot.get()
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        let mut stack: Vec<NodeRef> = std::mem::take(self.src.get_mut()).into_vec();
        stack.extend(self.lowered.get_mut().take());
        while let Some(NodeRef(node)) = stack.pop() {
            if let Some(mut node) = Rc::into_inner(node) {
                stack.extend(std::mem::take(node.src.get_mut()));
                stack.extend(node.lowered.get_mut().take());
            }
        }
    }
}
