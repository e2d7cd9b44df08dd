//! Normalisation: parts of a tensor moved to mean 0 and variance 1, or scaled to size 1.
//!
//! Norms over channels and groups are one formula over different parts; the formula and its gradient are written once
//! ([`Normalization`]). Statistics of float16 and bfloat16 are taken in float32 and kept in 16 bits, as in PyTorch: gradients
//! read them as they are kept, and so does the result of a batch norm.

pub mod batch_norm;
pub mod group_norm;
pub mod layer_norm;

use smallvec::{SmallVec, smallvec};

use crate::dtype::DType;
use crate::graph::GraphValue;
use crate::node::NodeRef;
use crate::op::ParamKind::{Float, Tensor};
use crate::op::{
    Attr, Attrs, Backprop, Call, Grads, Meta, Op, Out, SAVE_A, SAVE_B, optional, param,
};
use crate::ops::formula::count;
use crate::ops::shared::{is_wide, rounded, wide};
use crate::ops::{BASE, expect_float};
use crate::shape::{self, Shape};
use crate::{Error, Result};

/// Which elements are normalised together.
pub(in crate::ops) struct Normalization {
    /// The input's shape in which they are whole dimensions.
    apart: Shape,
    dims: SmallVec<[usize; 6]>,
    /// The shape of weight and bias beside the input.
    affine: Shape,
    eps: f64,
    /// Whether the result too is computed from statistics as they are kept.
    kept: bool,
}

/// A dimension of channels beside the input's others.
pub(in crate::ops) fn channels_only(shape: &[usize]) -> Shape {
    let mut only = Shape::from_elem(1, shape.len());
    only[1] = shape[1];
    only
}

impl Normalization {
    /// Over these dimensions of `x`, all of them whole.
    pub(in crate::ops) fn along(
        x: &GraphValue,
        dims: SmallVec<[usize; 6]>,
        eps: f64,
    ) -> Normalization {
        Normalization {
            apart: x.shape().clone(),
            dims,
            affine: Shape::new(),
            eps,
            kept: false,
        }
    }

    /// Over these dimensions of an input with channels; the last attribute is eps.
    fn of_channels(shape: &[usize], dims: SmallVec<[usize; 6]>, attrs: &Attrs) -> Normalization {
        Normalization {
            apart: Shape::from_slice(shape),
            dims,
            affine: channels_only(shape),
            eps: attrs.last().map_or(0.0, Attr::as_float),
            kept: false,
        }
    }

    /// The gradient for x, from that of the normalised input and what [`Normalization::normalised`] gave.
    pub(in crate::ops) fn gradient(
        &self,
        gy: &GraphValue,
        normal: &GraphValue,
        scale: &GraphValue,
    ) -> GraphValue {
        let shape = gy.shape();
        let gy = gy.reshape(&self.apart);
        let n = count(&self.apart, &self.dims);
        let mean = gy.sum(&self.dims, true) / n;
        let along = (&gy * normal).sum(&self.dims, true) / n;
        let gx = (gy - mean - normal * along) * scale;
        gx.reshape(shape)
    }

    /// The normalised input, in the shape apart, and 1 / √(variance + eps), by statistics that are kept in a dtype.
    pub(in crate::ops) fn normalised(
        &self,
        x: &GraphValue,
        dtype: DType,
    ) -> (GraphValue, GraphValue) {
        let x = x.reshape(&self.apart);
        let n = count(&self.apart, &self.dims);
        let mean = x.sum(&self.dims, true) / n;
        let off = &x - &mean;
        let variance = (&off * &off).sum(&self.dims, true) / n;
        let scale = 1.0 / (variance + self.eps).sqrt();
        if is_wide(dtype) {
            return (off * &scale, scale);
        }
        let scale = rounded(&scale, dtype);
        ((x - rounded(&mean, dtype)) * &scale, scale)
    }
}

/// Which elements an op normalises together, from its input's shape and its attributes.
type Together = fn(&[usize], &Attrs) -> Normalization;

/// The dtype that statistics are kept in: that of the weight where there is one, which may be wider than the input's.
fn kept_in(src: &[GraphValue]) -> DType {
    src.get(1).unwrap_or(&src[0]).dtype()
}

fn lower_norm(c: &Call, together: Together) -> Result<GraphValue> {
    let x = wide(&c.src[0]);
    let norm = together(x.shape(), &c.node.attrs);
    let dtype = if norm.kept {
        kept_in(&c.src)
    } else {
        x.dtype()
    };
    let y = norm.normalised(&x, dtype).0.reshape(x.shape());
    Ok(scaled(y, &c.src[1..], &norm.affine).to(c.node.dtype))
}

/// Times the weight, plus the bias, where there are any.
pub(in crate::ops) fn scaled(
    mut y: GraphValue,
    affine: &[GraphValue],
    shape: &Shape,
) -> GraphValue {
    if let Some(weight) = affine.first() {
        y = y * wide(weight).reshape(shape);
    }
    if let Some(bias) = affine.get(1) {
        y = y + wide(bias).reshape(shape);
    }
    y
}

fn norm_vjp(b: &Backprop, together: Together) -> Result<Grads> {
    let (x, gy) = (wide(&b.src[0]), wide(&b.gy));
    let norm = together(x.shape(), &b.node.attrs);
    let (normal, scale) = norm.normalised(&x, kept_in(&b.src));
    let mut grads: Grads = smallvec![None];
    if b.needs(0) {
        let weighted = match b.src.get(1) {
            Some(weight) => &gy * wide(weight).reshape(&norm.affine),
            None => gy.clone(),
        };
        grads[0] = Some(norm.gradient(&weighted, &normal, &scale));
    }
    affine_grads(b, 1, &gy, &normal.reshape(x.shape()), &mut grads);
    Ok(grads)
}

/// The gradients of a weight, operand `i`, and of a bias.
pub(in crate::ops) fn affine_grads(
    b: &Backprop,
    i: usize,
    gy: &GraphValue,
    normal: &GraphValue,
    grads: &mut Grads,
) {
    let others: SmallVec<[usize; 6]> = (0..gy.shape().len()).filter(|&d| d != 1).collect();
    if b.src.len() > i {
        let weight = || (gy * normal).sum(&others, false);
        grads.push(b.needs(i).then(weight));
    }
    if b.src.len() > i + 1 {
        grads.push(b.needs(i + 1).then(|| gy.sum(&others, false)));
    }
}

/// Checks what all of the family ask: floats, channels, a number for each of them.
pub(in crate::ops) fn infer_channels(op: &Op, src: &[NodeRef]) -> Result<Meta> {
    let x = &src[0];
    expect_float(op, x)?;
    if x.shape.len() < 2 {
        return Err(Error::runtime(format!(
            "{}: expected an input of at least 2 dimensions [N, C, …], got shape {}",
            op.name,
            shape::show(&x.shape)
        )));
    }
    for (other, param) in src[1..]
        .iter()
        .zip(op.params.iter().filter(|p| p.kind == Tensor).skip(1))
    {
        if other.shape[..] != x.shape[1..2] {
            return Err(Error::runtime(format!(
                "{}: expected {} to be a vector of size equal to the number of channels in input, but got {} of shape {} and input of shape {}",
                op.name,
                param.name,
                param.name,
                shape::show(&other.shape),
                shape::show(&x.shape)
            )));
        }
        crate::ops::expect_float(op, other)?;
    }
    Ok(Meta {
        shape: x.shape.clone(),
        dtype: x.dtype,
    })
}

/// What normalises with the statistics of its input; each op says which elements belong together.
pub(in crate::ops) const OWN_STATISTICS: Op = Op {
    symbol: "norm",
    rules: &[
        "{gy}, without its mean and its part along y, / √(var + eps)",
        "Σ {gy} · normalised {a}",
        "Σ {gy}",
    ],
    params: &[
        param("input", Tensor),
        optional("weight", Tensor, Attr::None),
        optional("bias", Tensor, Attr::None),
        optional("eps", Float, Attr::Float(1e-5)),
    ],
    saves: [SAVE_A | SAVE_B; 3],
    method: false,
    out: Out::None,
    functional: true,
    ..BASE
};
