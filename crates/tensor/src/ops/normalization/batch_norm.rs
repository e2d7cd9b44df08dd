//! `batch_norm`. Running statistics are the caller's: `batch_norm` takes those of the batch, `batch_norm_eval` those given.

use smallvec::smallvec;

use crate::graph::GraphValue;
use crate::op::ParamKind::{Float, Tensor};
use crate::op::{
    Attr, Attrs, Grads, Kind, Op, Out, PythonFace, SAVE_A, SAVE_B, SAVE_C, SAVE_D, Vjp, example,
    face, optional, param, samples,
};
use crate::ops::BASE;
use crate::ops::normalization::{
    Normalization, OWN_STATISTICS, affine_grads, channels_only, infer_channels, lower_norm,
    norm_vjp, scaled,
};
use crate::ops::shared::wide;
use crate::{Error, shape};

/// The ops of this family.
pub static OPS: &[&Op] = &[&BATCH_NORM, &BATCH_NORM_EVAL];

/// Each channel over the batch.
fn each_channel(shape: &[usize], attrs: &Attrs) -> Normalization {
    let others = (0..shape.len()).filter(|&d| d != 1).collect();
    Normalization {
        kept: true,
        ..Normalization::of_channels(shape, others, attrs)
    }
}

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
    kind: Kind::Composite(|c| lower_norm(c, each_channel)),
    vjp: Vjp::Rule(|b| norm_vjp(b, each_channel)),
    samples: samples(&["[4,2] [2] [2]", "[2,3,2,2] [3]@0.5..2", "[3,2,2]T eps=0.5"]),
    example: example("F.batch_norm(torch.tensor([[1.0], [3.0]]), None, None, training=True)"),
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
