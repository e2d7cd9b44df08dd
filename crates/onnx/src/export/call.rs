//! What a row of the registry gets: a node of the graph, its sources as values of the model, and the writer.

use std::ops::{Deref, DerefMut};

use glowgrad::graph_text::alias;
use glowgrad::node::{NodeRef, Sources};
use glowgrad::op::Attr;
use glowgrad::ops::expand::{BROADCAST_TO, EXPAND};
use glowgrad::{DType, Result, Scalar, shape};

use super::writer::{Id, Writer};

/// A value of the graph, in the model.
#[derive(Clone)]
pub(super) enum Value {
    /// It is there.
    Named(Id),
    /// It depends on no input and no weight: it is written as a constant where something reads it.
    Constant(NodeRef),
}

/// What became of a node of the graph.
pub(super) enum Outcome {
    /// It is written, and this is its value.
    Done(Id),
    /// It is not written as it is: what it is made of is.
    Lower,
    /// It cannot be written; why.
    Refused(String),
}

/// What a row gives.
pub(super) type Result1 = Result<Outcome>;

/// A value, or one of the other outcomes.
impl From<Id> for Outcome {
    fn from(id: Id) -> Outcome {
        Outcome::Done(id)
    }
}

/// A node of the graph that is being written.
pub(super) struct Call<'a> {
    pub(super) node: &'a NodeRef,
    pub(super) src: &'a Sources,
    pub(super) values: &'a [Value],
    pub(super) writer: &'a mut Writer,
}

impl Deref for Call<'_> {
    type Target = Writer;

    fn deref(&self) -> &Writer {
        self.writer
    }
}

impl DerefMut for Call<'_> {
    fn deref_mut(&mut self) -> &mut Writer {
        self.writer
    }
}

impl Call<'_> {
    /// Source `i`.
    pub(super) fn x(&mut self, i: usize) -> Result<Id> {
        self.writer.of(&self.values[i])
    }

    /// Source `i` in a type.
    pub(super) fn x_as(&mut self, i: usize, dtype: DType) -> Result<Id> {
        if let Value::Constant(node) = &self.values[i]
            && let Some(number) = node.number
        {
            return Ok(self.writer.number(number, dtype));
        }
        let x = self.x(i)?;
        Ok(self.writer.cast(x, dtype))
    }

    /// Attribute `i`; none where there is none of that number.
    pub(super) fn attr(&self, i: usize) -> &Attr {
        self.node.attrs.get(i).unwrap_or(&Attr::None)
    }

    /// The sizes of source `i`.
    pub(super) fn shape(&self, i: usize) -> &[usize] {
        &self.src[i].shape
    }

    /// Whether source `i` depends on an input or a weight.
    pub(super) fn varies(&self, i: usize) -> bool {
        matches!(self.values.get(i), Some(Value::Named(_)))
    }

    /// The dimension in attribute `i`, of source 0.
    pub(super) fn dim(&self, i: usize) -> Result<usize> {
        shape::dim(
            self.node.op.name,
            self.attr(i).as_int(),
            self.shape(0).len(),
        )
    }

    /// The dimensions in attribute `i`, of source 0; all if it names none.
    pub(super) fn dims(&self, i: usize) -> Result<Vec<i64>> {
        let dims = shape::dims(
            self.node.op.name,
            self.attr(i).as_ints(),
            self.shape(0).len(),
        )?;
        Ok(dims.iter().map(|&d| d as i64).collect())
    }

    /// Whether a number is the same as an attribute of ONNX, which is a float32: what is computed in narrower types
    /// does not tell them apart.
    pub(super) fn fits(&self, numbers: &[f64]) -> bool {
        let same = |x: &f64| f64::from(*x as f32) == *x || x.is_nan();
        self.node.dtype != DType::F64 || numbers.iter().all(same)
    }

    /// Runs `write` on source 0 in the type in which a row computes, and brings the result back.
    pub(super) fn through(
        &mut self,
        wide: DType,
        write: impl FnOnce(&mut Self, Id) -> Result<Id>,
    ) -> Result1 {
        let x = self.x_as(0, wide)?;
        let y = write(self, x)?;
        let to = self.node.dtype;
        Ok(self.cast(y, to).into())
    }
}

impl Writer {
    /// A value, written if it was not.
    ///
    /// # Errors
    /// When a constant cannot be computed.
    pub(super) fn of(&mut self, value: &Value) -> Result<Id> {
        match value {
            Value::Named(id) => Ok(*id),
            Value::Constant(node) => self.constant(node),
        }
    }

    /// The value of a node that depends on no input. A value that is stretched is written as it was before, and
    /// stretched by a node.
    fn constant(&mut self, node: &NodeRef) -> Result<Id> {
        let mut node = node.clone();
        while let Some(same) = alias(&node) {
            node = same;
        }
        if let Some(number) = node.number {
            return Ok(self.number(number, node.dtype));
        }
        if (std::ptr::eq(node.op, &EXPAND) || std::ptr::eq(node.op, &BROADCAST_TO))
            && let Some(small) = node.src().first()
            && small.numel() < node.numel()
        {
            let small = self.constant(small)?;
            return Ok(self.expand(small, &node.shape));
        }
        let bytes = self.engine.read(&node)?;
        Ok(self.bytes(node.dtype, &node.shape, bytes))
    }

    /// A value stretched to a shape that it broadcasts to.
    pub(super) fn expand(&mut self, x: Id, shape: &[usize]) -> Id {
        let shape = self.ints(&sizes(shape));
        let dtype = self.dtype(x);
        self.make("Expand").on(&[x, shape]).one(dtype)
    }

    /// A value in another shape.
    pub(super) fn reshape(&mut self, x: Id, shape: &[usize]) -> Id {
        let zeros = i64::from(shape.contains(&0));
        let shape = self.ints(&sizes(shape));
        let dtype = self.dtype(x);
        let reshape = self.make("Reshape").on(&[x, shape]);
        // Without it a 0 stands for the size of the input.
        match zeros {
            0 => reshape.one(dtype),
            _ => reshape.int("allowzero", 1).one(dtype),
        }
    }

    /// A value as a row of all of its elements.
    pub(super) fn flat(&mut self, x: Id) -> Id {
        let shape = self.ints(&[-1]);
        let dtype = self.dtype(x);
        self.make("Reshape").on(&[x, shape]).one(dtype)
    }

    /// Dimensions in another order.
    pub(super) fn transpose(&mut self, x: Id, order: &[i64]) -> Id {
        let dtype = self.dtype(x);
        if order.iter().enumerate().all(|(i, &d)| i as i64 == d) {
            return x;
        }
        self.make("Transpose")
            .on(&[x])
            .ints("perm", order)
            .one(dtype)
    }

    /// Dimensions of size 1 put in, as they are counted in the result.
    pub(super) fn unsqueeze(&mut self, x: Id, axes: &[i64]) -> Id {
        let dtype = self.dtype(x);
        let axes = self.ints(axes);
        self.make("Unsqueeze").on(&[x, axes]).one(dtype)
    }

    /// Dimensions of size 1 taken away.
    pub(super) fn squeeze(&mut self, x: Id, axes: &[i64]) -> Id {
        let dtype = self.dtype(x);
        let axes = self.ints(axes);
        self.make("Squeeze").on(&[x, axes]).one(dtype)
    }

    /// Rows, or slices along an axis, by index.
    pub(super) fn gather(&mut self, x: Id, index: Id, axis: i64) -> Id {
        let dtype = self.dtype(x);
        self.make("Gather")
            .on(&[x, index])
            .int("axis", axis)
            .one(dtype)
    }

    /// An op of two operands of one type, whose result has it.
    pub(super) fn pair(&mut self, op: &'static str, a: Id, b: Id) -> Id {
        let dtype = self.dtype(a);
        self.make(op).on(&[a, b]).one(dtype)
    }

    /// An op of one operand, whose result has its type.
    pub(super) fn unary(&mut self, op: &'static str, x: Id) -> Id {
        let dtype = self.dtype(x);
        self.make(op).on(&[x]).one(dtype)
    }
}

/// Sizes as ONNX has them.
pub(super) fn sizes(shape: &[usize]) -> Vec<i64> {
    shape.iter().map(|&n| n as i64).collect()
}

/// The number that an attribute is, if it is one.
pub(super) fn scalar(attr: &Attr) -> Option<Scalar> {
    glowgrad::op::attr_scalar(attr)
}
