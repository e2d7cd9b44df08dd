//! Norms of each sample by itself: `instance_norm`, `group_norm`.

use smallvec::smallvec;

use crate::op::ParamKind::{Float, Int, Tensor};
use crate::op::{
    Attr, Attrs, Kind, Op, PythonFace, SAVE_A, SAVE_B, Vjp, example, face, optional, param, samples,
};
use crate::ops::normalization::{
    Normalization, OWN_STATISTICS, infer_channels, lower_norm, norm_vjp,
};
use crate::{Error, shape};

/// The ops of this family.
pub static OPS: &[&Op] = &[&INSTANCE_NORM, &GROUP_NORM];

/// Each channel of each sample.
fn each_channel(shape: &[usize], attrs: &Attrs) -> Normalization {
    Normalization {
        kept: true,
        ..Normalization::of_channels(shape, (2..shape.len()).collect(), attrs)
    }
}

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
    kind: Kind::Composite(|c| lower_norm(c, each_channel)),
    vjp: Vjp::Rule(|b| norm_vjp(b, each_channel)),
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

/// Each group of channels of each sample; attribute 0 is the number of groups.
fn each_group(shape: &[usize], attrs: &Attrs) -> Normalization {
    let groups = attrs[0].as_int().max(1) as usize;
    let each = shape::numel(&shape[1..]) / groups;
    Normalization {
        apart: smallvec![shape[0], groups, each],
        ..Normalization::of_channels(shape, smallvec![2], attrs)
    }
}

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
    kind: Kind::Composite(|c| lower_norm(c, each_group)),
    vjp: Vjp::Rule(|b| norm_vjp(b, each_group)),
    samples: samples(&[
        "[2,4,2] 2 [4] [4]",
        "[1,3,2,2] 1 [3]@0.5..2",
        "[2,6] 2 eps=0.5",
    ]),
    example: example("F.group_norm(torch.tensor([[[1.0, 3.0], [2.0, 6.0]]]), 2)"),
    ..OWN_STATISTICS
};
