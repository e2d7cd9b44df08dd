//! Norms of rows: `layer_norm`, `rms_norm`.

use smallvec::{SmallVec, smallvec};

use crate::dtype::DType;
use crate::fused_op::{Family, FusedOp, Norm};
use crate::graph::GraphValue;
use crate::node::Node;
use crate::op::ParamKind::{Float, Ints, Tensor};
use crate::op::{
    Attr, Attrs, Backprop, Grads, Kind, Meta, Op, Out, RoutineKind, SAVE_A, SAVE_B, SAVE_C, Vjp,
    example, optional, param, samples,
};
use crate::ops::formula::count;
use crate::ops::fused::{self, LIKE_FIRST, offered_unwalked};
use crate::ops::shared::{is_wide, narrow, wide};
use crate::ops::{BASE, expect_float, normalization};
use crate::shape::{self, Shape};
use crate::{Error, Result};

/// The ops of this family.
pub static OPS: &[&Op] = &[&LAYER_NORM, &RMS_NORM];

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
        if !is_wide(c.node.dtype) {
            let others: Vec<&GraphValue> = c.src[1..].iter().collect();
            return Ok(c.src[0].call(&HALF_LAYER_NORM, &others, c.node.attrs.clone()));
        }
        layer_norm(&c.src, &c.node.attrs)
    }),
    vjp: Vjp::Lowered,
    saves: [SAVE_A | SAVE_B | SAVE_C; 3],
    samples: samples(&["[3,4] (4) [4] [4]", "[2,2,3] (2,3) eps=0.001"]),
    method: false,
    out: Out::None,
    functional: true,
    ..BASE
};

/// Of 16-bit floats: computed in 32 bits, with a gradient that reads the statistics as PyTorch keeps them, in 16.
static HALF_LAYER_NORM: Op = Op {
    name: "half_layer_norm",
    kind: Kind::Composite(|c| {
        let src: Vec<GraphValue> = c.src.iter().map(wide).collect();
        Ok(layer_norm(&src, &c.node.attrs)?.to(c.node.dtype))
    }),
    vjp: Vjp::Rule(|b| {
        let (x, gy) = (wide(&b.src[0]), wide(&b.gy));
        let n_dims = x.shape().len();
        let first = n_dims - b.attr(0).as_ints().len();
        let norm = normalization::Normalization::along(
            &x,
            (first..n_dims).collect(),
            b.attr(1).as_float(),
        );
        let (normal, scale) = norm.normalised(&x, b.gy.dtype());
        let input = || match b.src.get(1) {
            Some(weight) => norm.gradient(&(&gy * wide(weight)), &normal, &scale),
            None => norm.gradient(&gy, &normal, &scale),
        };
        let mut grads: Grads = smallvec![b.needs(0).then(|| narrow(b, &input()))];
        let rows: Vec<usize> = (0..first).collect();
        let beside = [&gy * &normal, gy.clone()];
        for (i, gradient) in (1..b.src.len()).zip(beside) {
            let sum = || narrow(b, &gradient.sum(&rows, false));
            grads.push(b.needs(i).then(sum));
        }
        Ok(grads)
    }),
    saves: [SAVE_A | SAVE_B; 3],
    method: false,
    ..BASE
};

/// The norm of rows; operands and attributes are those of [`LAYER_NORM`].
fn layer_norm(src: &[GraphValue], attrs: &Attrs) -> Result<GraphValue> {
    let x = &src[0];
    let (n, eps) = (attrs[0].as_ints().len(), attrs[1].as_float());
    if fused::offered(x, Family::Norm) {
        return Ok(fused_layer_norm(x, &src[1..], n, eps));
    }
    let dims: SmallVec<[usize; 6]> = (x.shape().len() - n..x.shape().len()).collect();
    let size = count(x.shape(), &dims);
    let off = x - x.sum(&dims, true) / size;
    let variance = (&off * &off).sum(&dims, true) / size;
    let mut y = off / (variance + eps).sqrt();
    if let Some(weight) = src.get(1) {
        y = y * weight;
    }
    if let Some(bias) = src.get(2) {
        y = y + bias;
    }
    Ok(y)
}

/// Attributes: the dimensions of a row, from the last one on, and eps.
fn fused_norm_of(node: &Node, gradient: bool) -> FusedOp {
    let first = node.shape.len() - node.attrs[0].as_int() as usize;
    let rows = shape::numel(&node.shape[..first]);
    let affine = node.src().len() - 1 - usize::from(gradient);
    let sizes = [rows, shape::numel(&node.shape[first..])];
    let mut norm = Norm::new(sizes, node.attrs[1].as_float());
    norm.weight = affine > 0;
    norm.bias = affine > 1;
    norm.gradient = gradient;
    FusedOp::Norm(norm)
}

/// Operands: x, the weight and the bias, as many as there are.
static FUSED_LAYER_NORM: Op = Op {
    name: "layer_norm_layer",
    kind: Kind::Routine(RoutineKind::FusedOp(|node| fused_norm_of(node, false))),
    vjp: Vjp::Rule(fused_layer_norm_vjp),
    saves: [SAVE_A | SAVE_B; 3],
    ..LIKE_FIRST
};

/// Operands: the result's gradient, x and the weight, if there is one.
static LAYER_NORM_GRADIENT: Op = Op {
    name: "layer_norm_gradient",
    kind: Kind::Composite(|c| {
        let (gy, x) = (&c.src[0], &c.src[1]);
        if offered_unwalked(gy, Family::Norm) {
            let others: Vec<&GraphValue> = c.src[1..].iter().collect();
            return Ok(gy.call(&FUSED_LAYER_NORM_GRADIENT, &others, c.node.attrs.clone()));
        }
        let n_dims = x.shape().len();
        let dims = (n_dims - c.attr(0).as_int() as usize..n_dims).collect();
        let norm = normalization::Normalization::along(x, dims, c.attr(1).as_float());
        let weighted = match c.src.get(2) {
            Some(weight) => gy * weight,
            None => gy.clone(),
        };
        let (normal, scale) = norm.normalised(x, x.dtype());
        Ok(norm.gradient(&weighted, &normal, &scale))
    }),
    vjp: Vjp::Lowered,
    saves: [SAVE_A | SAVE_B | SAVE_C; 3],
    method: false,
    ..BASE
};

static FUSED_LAYER_NORM_GRADIENT: Op = Op {
    name: "layer_norm_gradient_layer",
    kind: Kind::Routine(RoutineKind::FusedOp(|node| fused_norm_of(node, true))),
    ..LIKE_FIRST
};

fn fused_layer_norm_vjp(b: &Backprop) -> Result<Grads> {
    let (x, attrs) = (&b.src[0], &b.node.attrs);
    let rows: Vec<usize> = (0..x.shape().len() - attrs[0].as_int() as usize).collect();
    let mut grads: Grads = smallvec![b.needs(0).then(|| {
        let others: Vec<&GraphValue> = std::iter::once(x).chain(b.src.get(1)).collect();
        b.gy.call(&LAYER_NORM_GRADIENT, &others, attrs.clone())
    })];
    if b.src.len() > 1 {
        let normal = || x.call(&FUSED_LAYER_NORM, &[], attrs.clone());
        grads.push(b.needs(1).then(|| (&b.gy * normal()).sum(&rows, false)));
    }
    if b.src.len() > 2 {
        grads.push(b.needs(2).then(|| b.gy.sum(&rows, false)));
    }
    Ok(grads)
}

/// A layer norm over the last `dims` dimensions; `affine` are the weight and the bias, as many as there are.
fn fused_layer_norm(x: &GraphValue, affine: &[GraphValue], dims: usize, eps: f64) -> GraphValue {
    let affine: Vec<&GraphValue> = affine.iter().collect();
    let attrs = smallvec![Attr::Int(dims as i64), Attr::Float(eps)];
    x.call(&FUSED_LAYER_NORM, &affine, attrs)
}

/// x / √(mean x² + eps) · weight (Zhang & Sennrich 2019).
pub static RMS_NORM: Op = Op {
    name: "rms_norm",
    grad_fn: "MulBackward0",
    symbol: "norm",
    formula: "y = a / √(mean a² + eps) · b",
    rules: &[
        "({gy} · {b}, without its part along {a}) / √(mean {a}² + eps)",
        "Σ {gy} · {a} / √(mean {a}² + eps)",
    ],
    doc: "Each row divided by the root of its mean square, then scaled.",
    params: &[
        param("input", Tensor),
        param("normalized_shape", Ints),
        optional("weight", Tensor, Attr::None),
        optional("eps", Float, Attr::None),
    ],
    infer: |op, src, attrs| {
        expect_float(op, &src[0])?;
        let tail: Shape = attrs[0]
            .as_ints()
            .iter()
            .map(|&n| n.max(0) as usize)
            .collect();
        if tail.is_empty() || !src[0].shape.ends_with(&tail) {
            return Err(Error::runtime(format!(
                "Given normalized_shape={:?}, expected input with shape [*, {}], but got input of size {}",
                &tail[..],
                shape::show(&tail).trim_matches(['[', ']']),
                shape::show(&src[0].shape)
            )));
        }
        if let Some(weight) = src.get(1).filter(|w| w.shape != tail) {
            return Err(Error::runtime(format!(
                "rms_norm: weight must have the normalized shape {:?}, got {}",
                &tail[..],
                shape::show(&weight.shape)
            )));
        }
        Ok(Meta {
            shape: src[0].shape.clone(),
            dtype: src[0].dtype,
        })
    },
    kind: Kind::Composite(|c| {
        let x = wide(&c.src[0]);
        let y = &x * rms_scale(&x, &c.node.attrs).0;
        let y = match c.src.get(1) {
            Some(weight) => y * wide(weight),
            None => y,
        };
        Ok(y.to(c.node.dtype))
    }),
    vjp: Vjp::Rule(|b| {
        let (x, gy) = (wide(&b.src[0]), wide(&b.gy));
        let (scale, dims) = rms_scale(&x, &b.node.attrs);
        let input = || {
            let weighted = match b.src.get(1) {
                Some(weight) => &gy * wide(weight),
                None => gy.clone(),
            };
            let n = count(x.shape(), &dims);
            let along = (&weighted * &x).sum(&dims, true) / n;
            &scale * (weighted - &x * (along * &scale * &scale))
        };
        let mut grads: Grads = smallvec![b.needs(0).then(input)];
        if b.src.len() > 1 {
            let weight = || (&gy * (&x * &scale)).sum_to(b.src[1].shape());
            grads.push(b.needs(1).then(weight));
        }
        Ok(grads)
    }),
    saves: [SAVE_A | SAVE_B, 0, 0],
    samples: samples(&[
        "[2,4] (4) [4]",
        "[2,2,3] (2,3) eps=0.1",
        "[3,4]T (4) [4]@0.5..2",
    ]),
    example: example("F.rms_norm(torch.tensor([[3.0, 4.0]]), (2,))"),
    method: false,
    out: Out::None,
    functional: true,
    ..BASE
};

/// 1 / √(mean x² + eps), and the dimensions of the mean.
fn rms_scale(x: &GraphValue, attrs: &Attrs) -> (GraphValue, SmallVec<[usize; 6]>) {
    let first = x.shape().len() - attrs[0].as_ints().len();
    let dims: SmallVec<[usize; 6]> = (first..x.shape().len()).collect();
    let eps = match (&attrs[1], x.dtype()) {
        (Attr::None, DType::F64) => f64::EPSILON,
        (Attr::None, _) => f64::from(f32::EPSILON),
        (eps, _) => eps.as_float(),
    };
    let mean = (x * x).sum(&dims, true) / count(x.shape(), &dims);
    (1.0 / (mean + eps).sqrt(), dims)
}
