//! Normalisation: parts of a tensor moved to mean 0 and variance 1, or scaled to size 1.
//!
//! All of it is one formula over different parts; the formula and its gradient are written once
//! ([`Norm`]). Statistics of float16 and bfloat16 are taken in float32, as in PyTorch. Running
//! statistics are the caller's: `batch_norm` takes those of the batch, `batch_norm_eval` those given.

use smallvec::{SmallVec, smallvec};

use crate::dtype::DType;
use crate::graph::GraphValue;
use crate::node::NodeRef;
use crate::op::ParamKind::{Float, Int, Ints, Tensor};
use crate::op::{
    Attr, Attrs, Backprop, Call, Grads, Kind, Meta, Op, Out, SAVE_A, SAVE_B, SAVE_C, SAVE_D, Vjp,
    example, optional, param, samples,
};
use crate::op::{PythonFace, face};
use crate::ops::formula::count;
use crate::ops::{BASE, expect_float};
use crate::shape::{self, Shape};
use crate::{Error, Result};

/// The ops of this family.
pub static OPS: &[&Op] = &[
    &BATCH_NORM,
    &BATCH_NORM_EVAL,
    &INSTANCE_NORM,
    &GROUP_NORM,
    &RMS_NORM,
];

/// Which elements are normalised together.
pub(in crate::ops) struct Norm {
    /// The input's shape in which they are whole dimensions.
    apart: Shape,
    dims: SmallVec<[usize; 6]>,
    /// The shape of weight and bias beside the input.
    affine: Shape,
    eps: f64,
}

/// A dimension of channels beside the input's others.
fn channels_only(shape: &[usize]) -> Shape {
    let mut only = Shape::from_elem(1, shape.len());
    only[1] = shape[1];
    only
}

impl Norm {
    /// Over these dimensions of `x`, all of them whole.
    pub(in crate::ops) fn along(x: &GraphValue, dims: SmallVec<[usize; 6]>, eps: f64) -> Norm {
        Norm {
            apart: x.shape().clone(),
            dims,
            affine: Shape::new(),
            eps,
        }
    }

    fn of(op: &Op, x: &GraphValue, attrs: &Attrs) -> Norm {
        let shape = x.shape();
        let eps = attrs.last().map_or(0.0, Attr::as_float);
        let whole = |dims: SmallVec<[usize; 6]>| Norm {
            apart: shape.clone(),
            dims,
            affine: channels_only(shape),
            eps,
        };
        match () {
            () if std::ptr::eq(op, &BATCH_NORM) => {
                whole((0..shape.len()).filter(|&d| d != 1).collect())
            }
            () if std::ptr::eq(op, &INSTANCE_NORM) => whole((2..shape.len()).collect()),
            () => {
                let groups = attrs[0].as_int().max(1) as usize;
                let each = shape::numel(&shape[1..]) / groups;
                Norm {
                    apart: smallvec![shape[0], groups, each],
                    dims: smallvec![2],
                    affine: channels_only(shape),
                    eps,
                }
            }
        }
    }

    /// The gradient for x, from that of the normalised input and what [`Norm::normalised`] gave.
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

    /// The normalised input, in the shape apart, and 1 / √(variance + eps).
    pub(in crate::ops) fn normalised(&self, x: &GraphValue) -> (GraphValue, GraphValue) {
        let x = x.reshape(&self.apart);
        let n = count(&self.apart, &self.dims);
        let off = &x - x.sum(&self.dims, true) / n;
        let variance = (&off * &off).sum(&self.dims, true) / n;
        let scale = 1.0 / (variance + self.eps).sqrt();
        (off * &scale, scale)
    }
}

/// A value in the dtype that arithmetic on it is done in.
fn wide(x: &GraphValue) -> GraphValue {
    x.to(x.dtype().compute())
}

fn lower_norm(c: &Call) -> Result<GraphValue> {
    let x = wide(&c.src[0]);
    let norm = Norm::of(c.node.op, &x, &c.node.attrs);
    let y = norm.normalised(&x).0.reshape(x.shape());
    Ok(scaled(y, &c.src[1..], &norm.affine).to(c.node.dtype))
}

/// Times the weight, plus the bias, where there are any.
fn scaled(mut y: GraphValue, affine: &[GraphValue], shape: &Shape) -> GraphValue {
    if let Some(weight) = affine.first() {
        y = y * wide(weight).reshape(shape);
    }
    if let Some(bias) = affine.get(1) {
        y = y + wide(bias).reshape(shape);
    }
    y
}

fn norm_vjp(b: &Backprop) -> Result<Grads> {
    let (x, gy) = (wide(&b.src[0]), wide(&b.gy));
    let norm = Norm::of(b.node.op, &x, &b.node.attrs);
    let (normal, scale) = norm.normalised(&x);
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
fn affine_grads(b: &Backprop, i: usize, gy: &GraphValue, normal: &GraphValue, grads: &mut Grads) {
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
fn infer_channels(op: &Op, src: &[NodeRef]) -> Result<Meta> {
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

/// What normalises with the statistics of its input.
const OWN_STATISTICS: Op = Op {
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
    kind: Kind::Composite(lower_norm),
    vjp: Vjp::Rule(norm_vjp),
    saves: [SAVE_A | SAVE_B; 3],
    method: false,
    out: Out::None,
    ..BASE
};

/// (x − mean) / √(var + eps) · weight + bias over a batch (Ioffe & Szegedy 2015).
pub static BATCH_NORM: Op = Op {
    name: "batch_norm",
    python: face(&PythonFace {
        signature: "(input, running_mean, running_var, weight=None, bias=None, training=False, momentum=0.1, eps=1e-05)",
        ..PythonFace::PLAIN
    }),
    grad_fn: "NativeBatchNormBackward0",
    formula: "y = (a − mean) / √(var + eps) · b + c, of each channel over the batch",
    doc: "Each channel moved to mean 0 and variance 1 over the batch, then scaled and shifted.",
    infer: |op, src, _| {
        let meta = infer_channels(op, src)?;
        let each = shape::numel(&meta.shape) / meta.shape[1].max(1);
        if each == 1 {
            return Err(Error::value(format!(
                "Expected more than 1 value per channel when training, got input size torch.Size({}); use a larger batch, or .eval()",
                shape::show(&meta.shape)
            )));
        }
        Ok(meta)
    },
    samples: samples(&["[4,2] [2] [2]", "[2,3,2,2] [3]@0.5..2", "[3,2,2]T eps=0.5"]),
    example: example("F.batch_norm(torch.tensor([[1.0], [3.0]]), None, None, training=True)"),
    ..OWN_STATISTICS
};

/// As `batch_norm`, with statistics of its own for each sample (Ulyanov et al. 2016).
pub static INSTANCE_NORM: Op = Op {
    name: "instance_norm",
    python: face(&PythonFace {
        signature: "(input, running_mean=None, running_var=None, weight=None, bias=None, use_input_stats=True, momentum=0.1, eps=1e-05)",
        ..PythonFace::PLAIN
    }),
    grad_fn: "ViewBackward0",
    formula: "y = (a − mean) / √(var + eps) · b + c, of each channel of each sample",
    doc: "Each channel of each sample moved to mean 0 and variance 1, then scaled and shifted.",
    infer: |op, src, _| {
        let meta = infer_channels(op, src)?;
        if shape::numel(&meta.shape[2..]) == 1 {
            return Err(Error::value(format!(
                "Expected more than 1 spatial element when training, got input size torch.Size({})",
                shape::show(&meta.shape)
            )));
        }
        Ok(meta)
    },
    samples: samples(&[
        "[2,2,3] [2] [2]",
        "[1,3,2,2] [3]@0.5..2",
        "[2,2,3]T eps=0.5",
    ]),
    example: example("F.instance_norm(torch.tensor([[[1.0, 3.0]]]))"),
    // PyTorch repeats the weight for each row of the batch.
    saves: [SAVE_A; 3],
    reads: SAVE_B,
    ..OWN_STATISTICS
};

/// As `layer_norm`, over groups of channels (Wu & He 2018).
pub static GROUP_NORM: Op = Op {
    name: "group_norm",
    grad_fn: "NativeGroupNormBackward0",
    formula: "y = (a − mean) / √(var + eps) · b + c, of each group of channels",
    doc: "Groups of each sample's channels moved to mean 0 and variance 1, then scaled and shifted.",
    params: &[
        param("input", Tensor),
        param("num_groups", Int),
        optional("weight", Tensor, Attr::None),
        optional("bias", Tensor, Attr::None),
        optional("eps", Float, Attr::Float(1e-5)),
    ],
    infer: |op, src, attrs| {
        let meta = infer_channels(op, src)?;
        let groups = attrs[0].as_int();
        if groups < 1 || !(meta.shape[1] as u64).is_multiple_of(groups as u64) {
            return Err(Error::runtime(format!(
                "Expected number of channels in input to be divisible by num_groups, but got input of shape {} and num_groups={groups}",
                shape::show(&meta.shape)
            )));
        }
        Ok(meta)
    },
    samples: samples(&[
        "[2,4,2] 2 [4] [4]",
        "[1,3,2,2] 1 [3]@0.5..2",
        "[2,6] 2 eps=0.5",
    ]),
    example: example("F.group_norm(torch.tensor([[[1.0, 3.0], [2.0, 6.0]]]), 2)"),
    ..OWN_STATISTICS
};

/// With statistics that were gathered before.
pub static BATCH_NORM_EVAL: Op = Op {
    name: "batch_norm_eval",
    python: face(&PythonFace {
        part_of: "batch_norm",
        ..PythonFace::PLAIN
    }),
    grad_fn: "NativeBatchNormBackward0",
    symbol: "norm",
    formula: "y = (a − b) / √(c + eps) · weight + bias",
    rules: &["{gy} · weight / √({c} + eps)", "", ""],
    doc: "Each channel moved and scaled by statistics that were gathered before.",
    params: &[
        param("input", Tensor),
        param("running_mean", Tensor),
        param("running_var", Tensor),
        optional("weight", Tensor, Attr::None),
        optional("bias", Tensor, Attr::None),
        optional("eps", Float, Attr::Float(1e-5)),
    ],
    infer: |op, src, _| infer_channels(op, src),
    kind: Kind::Composite(|c| {
        let x = wide(&c.src[0]);
        let (off, scale) = by_running(&x, &c.src[1], &c.src[2], c.attr(0));
        let affine = channels_only(x.shape());
        Ok(scaled(off * scale, &c.src[3..], &affine).to(c.node.dtype))
    }),
    vjp: Vjp::Rule(|b| {
        let (x, gy) = (wide(&b.src[0]), wide(&b.gy));
        let (off, scale) = by_running(&x, &b.src[1], &b.src[2], b.attr(0));
        let affine = channels_only(x.shape());
        let input = || match b.src.get(3) {
            Some(weight) => &gy * (wide(weight).reshape(&affine) * &scale),
            None => &gy * &scale,
        };
        let mut grads: Grads = smallvec![b.needs(0).then(input), None, None];
        affine_grads(b, 3, &gy, &(off * &scale), &mut grads);
        Ok(grads)
    }),
    // The statistics.
    constants: 2 | 4,
    saves: [SAVE_A | SAVE_B | SAVE_C | SAVE_D; 3],
    samples: samples(&[
        "[3,2] [2] [2]@0.5..2 [2] [2]",
        "[2,3,2] [3] [3]@0.5..2 eps=0.1",
        "[2,2,1,2] [2] [2]@0.5..2 [2]@0.5..2",
    ]),
    example: example("F.batch_norm(torch.tensor([[1.0], [3.0]]), torch.zeros(1), torch.ones(1))"),
    method: false,
    out: Out::None,
    ..BASE
};

/// Distances from a running mean, and 1 / √(running variance + eps).
fn by_running(
    x: &GraphValue,
    mean: &GraphValue,
    variance: &GraphValue,
    eps: &Attr,
) -> (GraphValue, GraphValue) {
    let beside = channels_only(x.shape());
    let off = x - wide(mean).to(x.dtype()).reshape(&beside);
    let variance = wide(variance).to(x.dtype()).reshape(&beside);
    (off, 1.0 / (variance + eps.as_float()).sqrt())
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
