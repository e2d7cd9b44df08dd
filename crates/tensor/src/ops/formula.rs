//! The operators of [`GraphValue`]: rules of composites and gradients read like formulas.

use std::ops::{Add, Div, Mul, Neg, Sub};

use smallvec::{SmallVec, smallvec};

use crate::GraphValue;
use crate::dtype::DType;
use crate::kernel::ReduceOp;
use crate::op::{Attr, Attrs, Kind, Op};
use crate::ops;
use crate::shape::Shape;

impl GraphValue {
    fn unary(&self, op: &'static Op) -> GraphValue {
        self.call(op, &[], Attrs::new())
    }

    /// Zeros of this shape and dtype.
    pub fn zeros_like(&self) -> GraphValue {
        self.number(0.0).expand(self.shape())
    }

    /// Summed over dimensions, which stay with size 1 if `keepdim`.
    pub fn sum(&self, dims: &[usize], keepdim: bool) -> GraphValue {
        self.over(&ops::sum::SUM, dims, keepdim)
    }

    /// Largest along dimensions.
    pub fn amax(&self, dims: &[usize], keepdim: bool) -> GraphValue {
        self.over(&ops::min_max::AMAX, dims, keepdim)
    }

    fn over(&self, op: &'static Op, dims: &[usize], keepdim: bool) -> GraphValue {
        if dims.is_empty() {
            return self.clone();
        }
        self.call(op, &[], smallvec![dims_attr(dims), Attr::Bool(keepdim)])
    }

    /// A reduction of the scheduler's: dimensions stay with size 1.
    pub(crate) fn reduce(&self, op: &'static Op, dims: &[usize]) -> GraphValue {
        let wide = match self.dtype() {
            DType::Bool => DType::I64,
            dtype => dtype.compute(),
        };
        if wide == self.dtype() {
            return self.call(op, &[], smallvec![dims_attr(dims)]);
        }
        // Kernels reduce in dtypes of arithmetic; what is largest among 0 and 1 is a bool again.
        let reduced = self.to(wide).reduce(op, dims);
        let is_index = matches!(op.kind, Kind::Reduce(ReduceOp::ArgMax | ReduceOp::ArgMin));
        if is_index {
            reduced
        } else {
            reduced.to(self.dtype())
        }
    }

    /// Summed back to a shape that was broadcast to this one's.
    pub fn sum_to(&self, target: &[usize]) -> GraphValue {
        if self.shape()[..] == *target {
            return self.clone();
        }
        let added = self.shape().len() - target.len();
        let dims: SmallVec<[usize; 6]> = (0..self.shape().len())
            .filter(|&d| d < added || (target[d - added] == 1 && self.shape()[d] != 1))
            .collect();
        self.sum(&dims, true).reshape(target)
    }

    /// The same elements in another shape.
    pub fn reshape(&self, shape: &[usize]) -> GraphValue {
        if self.shape()[..] == *shape {
            return self.clone();
        }
        self.call(&ops::reshape::RESHAPE, &[], smallvec![shape_attr(shape)])
    }

    /// Size-1 dimensions stretched.
    pub fn expand(&self, shape: &[usize]) -> GraphValue {
        if self.shape()[..] == *shape {
            return self.clone();
        }
        self.call(&ops::expand::EXPAND, &[], smallvec![shape_attr(shape)])
    }

    /// Dimensions in another order.
    pub fn permute(&self, order: &[usize]) -> GraphValue {
        self.call(&ops::permute::PERMUTE, &[], smallvec![dims_attr(order)])
    }

    /// The last two dimensions swapped.
    pub fn t(&self) -> GraphValue {
        let n = self.shape().len();
        let mut order: SmallVec<[usize; 6]> = (0..n).collect();
        order.swap(n - 1, n - 2);
        self.permute(&order)
    }

    /// A dimension of size 1 put in.
    pub fn unsqueeze(&self, dim: usize) -> GraphValue {
        let mut shape = self.shape().clone();
        shape.insert(dim, 1);
        self.reshape(&shape)
    }

    /// Part of a dimension.
    pub fn slice(&self, dim: usize, start: usize, len: usize, step: isize) -> GraphValue {
        let list = [dim as i64, start as i64, len as i64, step as i64];
        self.call(&ops::slice::SLICE, &[], smallvec![Attr::ints(&list)])
    }

    /// Matrix product over the last two dimensions, `[batch, m, k]` by `[batch, k, n]` or `[m, k]` by `[k, n]`.
    pub(crate) fn bmm(&self, other: &GraphValue) -> GraphValue {
        let wide = match self.dtype() {
            DType::Bool | DType::U64 => DType::I64,
            dtype => dtype.compute(),
        };
        let product = self
            .to(wide)
            .call(&ops::matmul::PRODUCT, &[&other.to(wide)], Attrs::new());
        product.to(self.dtype())
    }

    /// Matrix product as in `torch.matmul`.
    pub fn matmul(&self, other: &GraphValue) -> GraphValue {
        self.call(&ops::matmul::MATMUL, &[other], Attrs::new())
    }

    /// `self ? a : b`; this value is bool.
    pub fn select(&self, a: &GraphValue, b: &GraphValue) -> GraphValue {
        self.call(&ops::masked::WHERE, &[a, b], Attrs::new())
    }

    /// Rows `index[i]` of this `[rows, inner]` value.
    pub(crate) fn gather_rows(&self, index: &GraphValue) -> GraphValue {
        self.call(&ops::primitives::GATHER_ROWS, &[index], Attrs::new())
    }

    /// Rows of this `[n, inner]` value added up at `index` in zeros of `rows` rows.
    pub(crate) fn scatter_add_rows(&self, index: &GraphValue, rows: usize) -> GraphValue {
        let wide = match self.dtype() {
            DType::U64 => DType::I64,
            dtype => dtype.compute(),
        };
        let attrs = smallvec![Attr::Int(rows as i64)];
        let added = index.call(&ops::primitives::SCATTER_ADD_ROWS, &[&self.to(wide)], attrs);
        added.to(self.dtype())
    }
}

/// A shape as an attribute.
pub(crate) fn shape_attr(shape: &[usize]) -> Attr {
    Attr::Ints(shape.iter().map(|&n| n as i64).collect())
}

/// Dimensions as an attribute.
pub(crate) fn dims_attr(dims: &[usize]) -> Attr {
    shape_attr(dims)
}

/// Dimensions of a shape, all of them.
pub(crate) fn all_dims(shape: &[usize]) -> SmallVec<[usize; 6]> {
    (0..shape.len()).collect()
}

macro_rules! unary_methods {
    ($($name:ident $path:path, $doc:literal;)*) => {
        impl GraphValue {
            $(#[doc = $doc]
            pub fn $name(&self) -> GraphValue { self.unary(&$path) })*
        }
    };
}
unary_methods! {
    exp ops::exponential::EXP, "e to the power of each element.";
    log ops::exponential::LOG, "Natural logarithm.";
    sqrt ops::power::SQRT, "Square root.";
    sin ops::trigonometry::SIN, "Sine.";
    cos ops::trigonometry::COS, "Cosine.";
    tanh ops::trigonometry::TANH, "Hyperbolic tangent.";
    sigmoid ops::sigmoid::SIGMOID, "1 / (1 + e^-x).";
    erf ops::exponential::ERF, "Error function.";
    sign ops::sign::SIGN, "-1, 0 or 1.";
    abs ops::sign::ABS, "Distance from zero.";
    square ops::power::SQUARE, "x times x.";
    log1p ops::exponential::LOG1P, "log(1 + x), exact near 0.";
}

macro_rules! binary_methods {
    ($($name:ident $path:path, $doc:literal;)*) => {
        impl GraphValue {
            $(#[doc = $doc]
            pub fn $name(&self, other: &GraphValue) -> GraphValue { self.call(&$path, &[other], Attrs::new()) })*
        }
    };
}
binary_methods! {
    eq ops::compare::EQ, "Where both are equal.";
    lt ops::compare::LT, "Where this is less.";
    le ops::compare::LE, "Where this is less or equal.";
    gt ops::compare::GT, "Where this is greater.";
    ge ops::compare::GE, "Where this is greater or equal.";
    pow ops::power::POW, "This to the power of the other.";
    maximum ops::maximum::MAXIMUM, "The larger of both.";
}

macro_rules! operators {
    ($($trait:ident $method:ident $path:path;)*) => {$(
        impl $trait<&GraphValue> for &GraphValue {
            type Output = GraphValue;
            fn $method(self, other: &GraphValue) -> GraphValue { self.call(&$path, &[other], Attrs::new()) }
        }
        impl $trait<GraphValue> for GraphValue {
            type Output = GraphValue;
            fn $method(self, other: GraphValue) -> GraphValue { (&self).$method(&other) }
        }
        impl $trait<&GraphValue> for GraphValue {
            type Output = GraphValue;
            fn $method(self, other: &GraphValue) -> GraphValue { (&self).$method(other) }
        }
        impl $trait<GraphValue> for &GraphValue {
            type Output = GraphValue;
            fn $method(self, other: GraphValue) -> GraphValue { self.$method(&other) }
        }
        impl $trait<f64> for &GraphValue {
            type Output = GraphValue;
            fn $method(self, other: f64) -> GraphValue { let n = self.number(other); self.$method(&n) }
        }
        impl $trait<f64> for GraphValue {
            type Output = GraphValue;
            fn $method(self, other: f64) -> GraphValue { (&self).$method(other) }
        }
        impl $trait<&GraphValue> for f64 {
            type Output = GraphValue;
            fn $method(self, other: &GraphValue) -> GraphValue { other.number(self).$method(other) }
        }
        impl $trait<GraphValue> for f64 {
            type Output = GraphValue;
            fn $method(self, other: GraphValue) -> GraphValue { self.$method(&other) }
        }
    )*};
}
operators! {
    Add add ops::arithmetic::ADD;
    Sub sub ops::arithmetic::SUB;
    Mul mul ops::arithmetic::MUL;
    Div div ops::division::DIV;
}

impl Neg for &GraphValue {
    type Output = GraphValue;

    fn neg(self) -> GraphValue {
        self.unary(&ops::arithmetic::NEG)
    }
}

impl Neg for GraphValue {
    type Output = GraphValue;

    fn neg(self) -> GraphValue {
        -&self
    }
}

/// The number of elements along dimensions.
pub(crate) fn count(shape: &[usize], dims: &[usize]) -> f64 {
    dims.iter().map(|&d| shape[d] as f64).product()
}

/// A shape with some dimensions of size 1.
pub(crate) fn kept(shape: &[usize], dims: &[usize]) -> Shape {
    let mut kept = Shape::from_slice(shape);
    for &d in dims {
        kept[d] = 1;
    }
    kept
}

/// A shape without some dimensions.
pub(crate) fn dropped(shape: &[usize], dims: &[usize]) -> Shape {
    (0..shape.len())
        .filter(|d| !dims.contains(d))
        .map(|d| shape[d])
        .collect()
}
