//! The Rust face of the ops: `x.mul(&y)?`, `x.softmax(-1)?`. Each is the registry's op of its name.

use smallvec::smallvec;

use crate::device::Device;
use crate::op::{Attr, Attrs, Op};
use crate::ops::{
    arithmetic, compare, convert, cross_entropy, division, einsum, expand, exponential, index,
    linear, masked, matmul, min_max, permute, power, relu, reshape, sigmoid, slice, softmax, sum,
    tensordot, trigonometry,
};
use crate::{DType, Engine, Error, Result, Shape, Tensor};

impl Tensor {
    fn call(&self, op: &'static Op, others: &[&Tensor], attrs: Attrs) -> Result<Tensor> {
        let mut operands = vec![self.clone()];
        operands.extend(others.iter().map(|t| (*t).clone()));
        Tensor::apply(self.engine(), op, &operands, attrs)
    }

    /// The sum of all elements.
    ///
    /// # Errors
    /// None for a valid tensor.
    pub fn sum(&self) -> Result<Tensor> {
        self.call(&sum::SUM, &[], smallvec![Attr::None, Attr::Bool(false)])
    }

    /// The sum along dimensions.
    ///
    /// # Errors
    /// When a dimension is out of range.
    pub fn sum_dim(&self, dim: &[i64], keepdim: bool) -> Result<Tensor> {
        self.call(
            &sum::SUM,
            &[],
            smallvec![Attr::ints(dim), Attr::Bool(keepdim)],
        )
    }

    /// The mean of all elements.
    ///
    /// # Errors
    /// For integers.
    pub fn mean(&self) -> Result<Tensor> {
        self.call(&sum::MEAN, &[], smallvec![Attr::None, Attr::Bool(false)])
    }

    /// The index of the largest element along a dimension.
    ///
    /// # Errors
    /// When the dimension is out of range or empty.
    pub fn argmax(&self, dim: i64) -> Result<Tensor> {
        self.call(
            &min_max::ARGMAX,
            &[],
            smallvec![Attr::Int(dim), Attr::Bool(false)],
        )
    }

    /// The largest elements along a dimension, and where they are.
    ///
    /// # Errors
    /// When the dimension is out of range or empty.
    pub fn max_dim(&self, dim: i64, keepdim: bool) -> Result<(Tensor, Tensor)> {
        let attrs: Attrs = smallvec![Attr::Int(dim), Attr::Bool(keepdim)];
        Ok((
            self.call(&min_max::MAX_DIM_VALUES, &[], attrs.clone())?,
            self.call(&min_max::ARGMAX, &[], attrs)?,
        ))
    }

    /// The smallest elements along a dimension, and where they are.
    ///
    /// # Errors
    /// When the dimension is out of range or empty.
    pub fn min_dim(&self, dim: i64, keepdim: bool) -> Result<(Tensor, Tensor)> {
        let attrs: Attrs = smallvec![Attr::Int(dim), Attr::Bool(keepdim)];
        Ok((
            self.call(&min_max::MIN_DIM_VALUES, &[], attrs.clone())?,
            self.call(&min_max::ARGMIN, &[], attrs)?,
        ))
    }

    /// Parts of a dimension, one for each size: views.
    ///
    /// # Errors
    /// When the sizes do not add up to the dimension.
    pub fn split(&self, sizes: &[usize], dim: i64) -> Result<Vec<Tensor>> {
        let shape = self.shape();
        let at = crate::shape::dim("split", dim, shape.len())?;
        let n = shape.get(at).copied().unwrap_or(0);
        if shape.is_empty() || sizes.iter().sum::<usize>() != n {
            return Err(Error::runtime(format!(
                "split: sizes {sizes:?} do not add up to dimension {at} of shape {}",
                crate::shape::show(&shape)
            )));
        }
        let mut start = 0;
        sizes
            .iter()
            .map(|&size| {
                let attrs = smallvec![
                    Attr::Int(at as i64),
                    Attr::Int(start as i64),
                    Attr::Int(size as i64)
                ];
                start += size;
                self.call(&slice::NARROW, &[], attrs)
            })
            .collect()
    }

    /// Exponentials that sum to 1 along a dimension.
    ///
    /// # Errors
    /// When the dimension is out of range.
    pub fn softmax(&self, dim: i64) -> Result<Tensor> {
        self.call(&softmax::SOFTMAX, &[], smallvec![Attr::Int(dim)])
    }

    /// Each element to the power of a number.
    ///
    /// # Errors
    /// For integers to a negative power.
    pub fn pow_scalar(&self, exponent: f64) -> Result<Tensor> {
        self.call(&power::POW_SCALAR, &[], smallvec![Attr::Float(exponent)])
    }

    /// The same elements in another shape; one size may be −1.
    ///
    /// # Errors
    /// When the sizes do not fit.
    pub fn reshape(&self, shape: &[i64]) -> Result<Tensor> {
        self.call(&reshape::RESHAPE, &[], smallvec![Attr::ints(shape)])
    }

    /// As [`Tensor::reshape`], but never a copy.
    ///
    /// # Errors
    /// When the strides do not allow a view.
    pub fn view_as(&self, shape: &[i64]) -> Result<Tensor> {
        let sizes = crate::shape::infer_size("view", shape, self.numel())?;
        if self.view().reshape(&sizes).is_none() {
            return Err(Error::runtime(
                "view size is not compatible with input tensor's size and stride (at least one dimension spans across two contiguous subspaces). Use .reshape(...) instead.",
            ));
        }
        self.reshape(shape)
    }

    /// Two dimensions swapped.
    ///
    /// # Errors
    /// When a dimension is out of range.
    pub fn transpose(&self, a: i64, b: i64) -> Result<Tensor> {
        self.call(
            &permute::TRANSPOSE,
            &[],
            smallvec![Attr::Int(a), Attr::Int(b)],
        )
    }

    /// All dimensions in reverse order: `x.T`.
    ///
    /// # Errors
    /// None for a valid tensor.
    pub fn reversed(&self) -> Result<Tensor> {
        let order: Vec<i64> = (0..self.shape().len() as i64).rev().collect();
        self.call(&permute::PERMUTE, &[], smallvec![Attr::ints(&order)])
    }

    /// Size-1 dimensions stretched.
    ///
    /// # Errors
    /// When the sizes do not fit.
    pub fn expand(&self, shape: &[i64]) -> Result<Tensor> {
        self.call(&expand::EXPAND, &[], smallvec![Attr::ints(shape)])
    }

    /// One index of a dimension, which goes.
    ///
    /// # Errors
    /// When it is out of range.
    pub fn select(&self, dim: i64, index: i64) -> Result<Tensor> {
        self.call(
            &slice::SELECT,
            &[],
            smallvec![Attr::Int(dim), Attr::Int(index)],
        )
    }

    /// A dimension of size 1 put in.
    ///
    /// # Errors
    /// When the dimension is out of range.
    pub fn unsqueeze(&self, dim: i64) -> Result<Tensor> {
        self.call(&reshape::UNSQUEEZE, &[], smallvec![Attr::Int(dim)])
    }

    /// In another dtype; the tensor itself if it has it already.
    ///
    /// # Errors
    /// None for a valid tensor.
    pub fn to(&self, dtype: DType) -> Result<Tensor> {
        if self.dtype() == dtype {
            return Ok(self.clone());
        }
        self.call(&convert::TO, &[], smallvec![Attr::DType(dtype)])
    }

    /// On another device; the tensor itself if it is there.
    ///
    /// # Errors
    /// None for a valid tensor: the copy is made when a value is asked for.
    pub fn to_device(&self, device: Device) -> Result<Tensor> {
        let node = self.node();
        if node.device == device {
            return Ok(self.clone());
        }
        let there = self.engine().to_device(&node, device)?;
        Ok(Tensor::from_node(self.engine(), there))
    }

    /// Row-major; the tensor itself if it is.
    ///
    /// # Errors
    /// None for a valid tensor.
    pub fn contiguous(&self) -> Result<Tensor> {
        if self.view().is_contiguous() {
            return Ok(self.clone());
        }
        self.call(&convert::CLONE, &[], Attrs::new())
    }

    /// x Wᵀ + b
    ///
    /// # Errors
    /// When the shapes do not fit.
    pub fn linear(&self, weight: &Tensor, bias: Option<&Tensor>) -> Result<Tensor> {
        match bias {
            Some(bias) => self.call(&linear::LINEAR, &[weight, bias], Attrs::new()),
            None => self.call(&linear::LINEAR, &[weight], Attrs::new()),
        }
    }

    /// Mean cross-entropy of class scores and class numbers.
    ///
    /// # Errors
    /// When shapes or dtypes do not fit.
    pub fn cross_entropy(&self, target: &Tensor) -> Result<Tensor> {
        self.call(
            &cross_entropy::CROSS_ENTROPY,
            &[target],
            smallvec![Attr::Str("mean"), Attr::Int(-100)],
        )
    }

    /// This where the condition holds, the other elsewhere.
    ///
    /// # Errors
    /// When shapes do not fit or the condition is not bool.
    pub fn where_(&self, condition: &Tensor, other: &Tensor) -> Result<Tensor> {
        condition.call(&masked::WHERE, &[self, other], Attrs::new())
    }

    /// Elements or slices chosen by integer tensors over the leading dimensions.
    ///
    /// # Errors
    /// When an index is out of range, or there are too many.
    pub fn index(&self, indices: &[&Tensor]) -> Result<Tensor> {
        self.call(&index::INDEX, indices, Attrs::new())
    }
}

macro_rules! methods {
    ($($name:ident $op:path, $doc:literal;)*) => {
        impl Tensor {
            $(#[doc = $doc]
            ///
            /// # Errors
            /// When shapes or dtypes do not fit.
            pub fn $name(&self) -> Result<Tensor> { self.call(&$op, &[], Attrs::new()) })*
        }
    };
}
methods! {
    neg arithmetic::NEG, "The negative of each element.";
    exp exponential::EXP, "e to the power of each element.";
    log exponential::LOG, "The natural logarithm of each element.";
    tanh trigonometry::TANH, "The hyperbolic tangent of each element.";
    relu relu::RELU, "Each element, or 0 where it is negative.";
    sigmoid sigmoid::SIGMOID, "1 / (1 + e^−x).";
    clone_data convert::CLONE, "A copy with a storage of its own.";
}

macro_rules! pair_methods {
    ($($name:ident $op:path, $doc:literal;)*) => {
        impl Tensor {
            $(#[doc = $doc]
            ///
            /// # Errors
            /// When shapes or dtypes do not fit.
            pub fn $name(&self, other: &Tensor) -> Result<Tensor> { self.call(&$op, &[other], Attrs::new()) })*
        }
    };
}
pair_methods! {
    add arithmetic::ADD, "The sum, element by element.";
    sub arithmetic::SUB, "The difference, element by element.";
    mul arithmetic::MUL, "The product, element by element.";
    div division::DIV, "The quotient, element by element.";
    matmul matmul::MATMUL, "The matrix product.";
    eq compare::EQ, "Where both are equal.";
}

impl Tensor {
    /// Products of the operands' elements, summed over the letters that the result does not name.
    ///
    /// # Errors
    /// When the equation cannot be read or does not fit the operands; the message names the letter
    /// and its sizes.
    pub fn einsum(engine: &Engine, equation: &str, operands: &[Tensor]) -> Result<Tensor> {
        let shapes: Vec<Shape> = operands.iter().map(Tensor::shape).collect();
        let attrs = einsum::einsum_attrs(equation, &shapes)?;
        Tensor::apply(engine, &einsum::EINSUM, operands, attrs)
    }

    /// Sums of products along the last `dims` dimensions of this and the first of the other.
    ///
    /// # Errors
    /// When there are fewer dimensions, or sizes or dtypes differ.
    pub fn tensordot(&self, other: &Tensor, dims: i64) -> Result<Tensor> {
        let (m, n) = (self.shape().len() as i64, other.shape().len() as i64);
        if dims < 0 {
            return Err(Error::runtime(format!(
                "tensordot expects dims >= 0, but got dims={dims}"
            )));
        }
        if dims > m || dims > n {
            return Err(Error::runtime(format!(
                "tensordot expects dims < ndim_a or ndim_b, but got dims={dims}"
            )));
        }
        let left: Vec<i64> = (m - dims..m).collect();
        let right: Vec<i64> = (0..dims).collect();
        self.tensordot_along(other, &left, &right)
    }

    /// Sums of products along these dimensions of this and of the other, pair by pair.
    ///
    /// # Errors
    /// When dimensions are out of range or named twice, or sizes or dtypes differ.
    pub fn tensordot_along(&self, other: &Tensor, left: &[i64], right: &[i64]) -> Result<Tensor> {
        Tensor::apply(
            self.engine(),
            &tensordot::TENSORDOT,
            &[self.clone(), other.clone()],
            smallvec![Attr::ints(left), Attr::ints(right)],
        )
    }
}
