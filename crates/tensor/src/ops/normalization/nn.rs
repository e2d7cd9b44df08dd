//! Softmax and normalisation.

use smallvec::smallvec;

use crate::graph::GraphValue;
use crate::op::ParamKind::{Float, Int, Ints, Tensor};
use crate::op::{
    Attr, Kind, Meta, Op, Out, SAVE_A, SAVE_B, SAVE_C, SAVE_Y, Vjp, optional, param, samples,
};
use crate::ops::reduce::{REDUCE_MAX, REDUCE_SUM};
use crate::ops::shared::{narrow, wide};
use crate::ops::{BASE, dim_of, expect_float, fused, grad1};
use crate::shape;
use crate::{Error, Result};

/// The ops of this family.
pub static OPS: &[&Op] = &[&SOFTMAX, &LOG_SOFTMAX, &LAYER_NORM];

const ALONG: Op = Op {
    params: &[param("input", Tensor), param("dim", Int)],
    infer: |op, src, attrs| {
        expect_float(op, &src[0])?;
        dim_of(op, &src[0].shape, &attrs[0])?;
        Ok(Meta {
            shape: src[0].shape.clone(),
            dtype: src[0].dtype,
        })
    },
    ..BASE
};

/// The dimension as a list; empty for a 0-d tensor.
fn along(op: &Op, x: &GraphValue, attr: &Attr) -> Result<smallvec::SmallVec<[usize; 6]>> {
    let dim = dim_of(op, x.shape(), attr)?;
    Ok(if x.shape().is_empty() {
        smallvec![]
    } else {
        smallvec![dim]
    })
}

/// The gradient of a softmax along a dimension (none of a 0-d tensor), from the result's and the result.
pub(in crate::ops) fn softmax_gradient(
    gy: &GraphValue,
    y: &GraphValue,
    dims: &[usize],
) -> GraphValue {
    if let [dim] = *dims
        && fused::offered_unwalked(gy)
    {
        return fused::softmax_gradient(gy, y, dim, false);
    }
    let weighted = gy * y;
    let total = weighted.sum(dims, true);
    weighted - y * total
}

/// eˣ / Σ eˣ
pub static SOFTMAX: Op = Op {
    name: "softmax",
    grad_fn: "SoftmaxBackward0",
    symbol: "softmax",
    formula: "y = e^a / Σ e^a",
    rules: &["({gy} − Σ {gy} · {y}) · {y}"],
    doc: "Exponentials that sum to 1 along a dimension.",
    kind: Kind::Composite(|c| {
        let x = wide(&c.src[0]);
        let dims = along(c.node.op, &x, c.attr(0))?;
        if let [dim] = dims[..]
            && fused::offered_unwalked(&x)
        {
            return Ok(fused::softmax(&x, dim, false).to(c.node.dtype));
        }
        let e = (&x - x.reduce(&REDUCE_MAX, &dims)).exp();
        Ok((&e / e.reduce(&REDUCE_SUM, &dims)).to(c.node.dtype))
    }),
    vjp: Vjp::Rule(|b| {
        let dims = along(b.node.op, &b.y, b.attr(0))?;
        let (y, gy) = (wide(&b.y), wide(&b.gy));
        grad1(narrow(b, &softmax_gradient(&gy, &y, &dims)))
    }),
    saves: [SAVE_Y; 3],
    samples: samples(&["[2,5] 1", "[3,2,2] 0"]),
    ..ALONG
};

/// x − ln Σ eˣ
pub static LOG_SOFTMAX: Op = Op {
    name: "log_softmax",
    grad_fn: "LogSoftmaxBackward0",
    symbol: "log softmax",
    formula: "y = a − ln Σ e^a",
    rules: &["{gy} − e^{y} · Σ {gy}"],
    doc: "The logarithm of softmax, safe from overflow.",
    kind: Kind::Composite(|c| {
        let x = wide(&c.src[0]);
        let dims = along(c.node.op, &x, c.attr(0))?;
        if let [dim] = dims[..]
            && fused::offered_unwalked(&x)
        {
            return Ok(fused::softmax(&x, dim, true).to(c.node.dtype));
        }
        let shifted = &x - x.reduce(&REDUCE_MAX, &dims);
        let total = shifted.exp().reduce(&REDUCE_SUM, &dims);
        Ok((shifted - total.log()).to(c.node.dtype))
    }),
    vjp: Vjp::Rule(|b| {
        let dims = along(b.node.op, &b.y, b.attr(0))?;
        let (y, gy) = (wide(&b.y), wide(&b.gy));
        if let [dim] = dims[..]
            && fused::offered_unwalked(&gy)
        {
            let gradient = fused::softmax_gradient(&gy, &y, dim, true);
            return grad1(narrow(b, &gradient));
        }
        let total = gy.sum(&dims, true);
        grad1(narrow(b, &(gy - y.exp() * total)))
    }),
    saves: [SAVE_Y; 3],
    samples: samples(&["[2,5] 1", "[3,2,2] 0"]),
    ..ALONG
};

/// (x − mean) / √(var + eps) · weight + bias (Ba, Kiros & Hinton 2016).
pub static LAYER_NORM: Op = Op {
    name: "layer_norm",
    grad_fn: "NativeLayerNormBackward0",
    symbol: "norm",
    formula: "y = (a − mean) / √(var + eps) · b + c",
    rules: &[
        "{gy}, without its mean and its part along y, / √(var + eps)",
        "Σ {gy} · normalised {a}",
        "Σ {gy}",
    ],
    doc: "Each row moved to mean 0 and variance 1, then scaled and shifted.",
    params: &[
        param("input", Tensor),
        param("normalized_shape", Ints),
        optional("weight", Tensor, Attr::None),
        optional("bias", Tensor, Attr::None),
        optional("eps", Float, Attr::Float(1e-5)),
    ],
    infer: |op, src, attrs| {
        expect_float(op, &src[0])?;
        let tail: Vec<usize> = attrs[0]
            .as_ints()
            .iter()
            // No dimension is as large as what a negative size becomes.
            .map(|&n| usize::try_from(n).unwrap_or(usize::MAX))
            .collect();
        if tail.is_empty() || !src[0].shape.ends_with(&tail) {
            return Err(Error::runtime(format!(
                "Given normalized_shape={tail:?}, expected input with shape [*, {}], but got input of size {}",
                tail.iter()
                    .map(ToString::to_string)
                    .collect::<Vec<_>>()
                    .join(", "),
                shape::show(&src[0].shape)
            )));
        }
        if let Some(other) = src[1..].iter().find(|s| s.shape[..] != tail[..]) {
            return Err(Error::runtime(format!(
                "layer_norm: weight and bias must have the normalized shape {tail:?}, got {}",
                shape::show(&other.shape)
            )));
        }
        if let Some(other) = src[1..].iter().find(|s| s.dtype != src[0].dtype) {
            return Err(Error::runtime(format!(
                "layer_norm: expected scalar type {} but found {}: weight and bias must have the input's dtype",
                src[0].dtype.scalar_name(),
                other.dtype.scalar_name()
            )));
        }
        Ok(Meta {
            shape: src[0].shape.clone(),
            dtype: src[0].dtype,
        })
    },
    kind: Kind::Composite(|c| {
        let x = &wide(&c.src[0]);
        let n = c.attr(0).as_ints().len();
        if fused::offered(x) {
            let affine: Vec<GraphValue> = c.src[1..].iter().map(wide).collect();
            let y = fused::layer_norm(x, &affine, n, c.attr(1).as_float());
            return Ok(y.to(c.node.dtype));
        }
        let dims: smallvec::SmallVec<[usize; 6]> = (x.shape().len() - n..x.shape().len()).collect();
        let size = crate::ops::formula::count(x.shape(), &dims);
        let off = x - x.sum(&dims, true) / size;
        let variance = (&off * &off).sum(&dims, true) / size;
        let mut y = off / (variance + c.attr(1).as_float()).sqrt();
        if let Some(weight) = c.src.get(1) {
            y = y * wide(weight);
        }
        if let Some(bias) = c.src.get(2) {
            y = y + wide(bias);
        }
        Ok(y.to(c.node.dtype))
    }),
    vjp: Vjp::Lowered,
    saves: [SAVE_A | SAVE_B | SAVE_C; 3],
    samples: samples(&["[3,4] (4) [4] [4]", "[2,2,3] (2,3) eps=0.001"]),
    method: false,
    out: Out::None,
    ..BASE
};
