//! `layer_norm`: each row moved to mean 0 and variance 1.

use crate::graph::GraphValue;
use crate::op::ParamKind::{Float, Ints, Tensor};
use crate::op::{Attr, Kind, Meta, Op, Out, SAVE_A, SAVE_B, SAVE_C, Vjp, optional, param, samples};
use crate::ops::shared::wide;
use crate::ops::{BASE, expect_float, fused};
use crate::{Error, shape};

/// The ops of this family.
pub static OPS: &[&Op] = &[&LAYER_NORM];

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
