//! Losses that hold scores or distances to a margin: `margin_ranking_loss`, `hinge_embedding_loss`,
//! `cosine_embedding_loss`, `triplet_margin_loss`, `multi_margin_loss`, `soft_margin_loss`.
//!
//! All are written in other ops, and all but the last are differentiated through them, as PyTorch does. Where PyTorch
//! clamps, an element right at the bound has no gradient (`at_least_zero`).

use smallvec::smallvec;

use crate::dtype::DType;
use crate::graph::GraphValue;
use crate::op::ParamKind::{Bool, Float, Int, Tensor};
use crate::op::{
    Attr, Attrs, Kind, Meta, Op, Promote, SAVE_A, SAVE_B, SAVE_C, Vjp, example, optional, param,
    samples,
};
use crate::ops::cross_entropy::one_hot;
use crate::ops::distances::{COMPOSED, distance};
use crate::ops::expect_float;
use crate::ops::formula::dropped;
use crate::ops::loss::{PAIR, REDUCTIONS, reduce, reduced, reduction_name, reduction_of, spread};
use crate::shape::{self, Shape};
use crate::{Error, Result};

/// The ops of this family.
pub static OPS: &[&Op] = &[
    &COSINE_EMBEDDING_LOSS,
    &TRIPLET_MARGIN_LOSS,
    &MARGIN_RANKING_LOSS,
    &HINGE_EMBEDDING_LOSS,
    &MULTI_MARGIN_LOSS,
    &SOFT_MARGIN_LOSS,
];

/// The larger of this and 0; the gradient does not pass at 0 itself, nor at NaN.
fn at_least_zero(x: &GraphValue) -> GraphValue {
    let zero = x.number(0.0);
    let flat = crate::ops::shared::on(x, &crate::ops::convert::DETACH);
    let low = x.le(&zero).select(&zero, &flat);
    x.gt(&zero).select(x, &low)
}

/// 1 − cos for pairs that belong together, cos above a margin for those that do not.
pub static COSINE_EMBEDDING_LOSS: Op = Op {
    name: "cosine_embedding_loss",
    grad_fn: "MeanBackward0",
    grad_fn_for: |node| Some(reduction_name(reduction_of(node), "AddBackward0")),
    symbol: "cosine",
    formula: "y = mean 1 − cos(a, b) where c is 1, max(0, cos(a, b) − margin) where c is −1",
    rules: &["as that of the cosine", "as that of the cosine", ""],
    doc: "How far pairs are from pointing the same way (target 1) or different ways (target -1).",
    params: &[
        param("input1", Tensor),
        param("input2", Tensor),
        param("target", Tensor),
        optional("margin", Float, Attr::Float(0.0)),
        REDUCTIONS,
    ],
    constants: 4,
    infer: |op, src, attrs| {
        expect_float(op, &src[0])?;
        let (a, b, t) = (&src[0].shape, &src[1].shape, &src[2].shape);
        let fits = a.len() == b.len() && (a.len() == 1 || a.len() == 2) && t.len() + 1 == a.len();
        if !fits {
            return Err(Error::runtime(format!(
                "cosine_embedding_loss: 0D target tensor expects 1D inputs and 1D target 2D inputs, but found inputs of sizes {} and {} and target of {}",
                shape::show(a),
                shape::show(b),
                shape::show(t)
            )));
        }
        let shape = shape::broadcast(op.name, a, b)?;
        let shape = shape::broadcast(op.name, &dropped(&shape, &[a.len() - 1]), t)?;
        Ok(reduced(
            Meta {
                shape,
                dtype: src[0].dtype,
            },
            attrs[1].as_str(),
        ))
    },
    kind: Kind::Composite(|c| {
        let (a, b, t) = (&c.src[0], &c.src[1], &c.src[2]);
        let dims = [a.shape().len() - 1];
        let size = |x: &GraphValue| (x * x).sum(&dims, false) + 1e-12;
        let cosine = (a * b).sum(&dims, false) / (size(a) * size(b)).sqrt();
        let zero = cosine.number(0.0);
        let together = t.eq(&t.number(1.0)).select(&(1.0 - &cosine), &zero);
        let far = at_least_zero(&(&cosine - c.attr(0).as_float()));
        let apart = t.eq(&t.number(-1.0)).select(&far, &zero);
        Ok(reduce(together + apart, c.attr(1).as_str()))
    }),
    samples: samples(&[
        "[3,2] [3,2] [3]@1..1",
        "[3,2] [3,2] [3]@-1..-1 margin=-0.9 reduction='none'",
    ]),
    example: example(
        "F.cosine_embedding_loss(torch.eye(2), torch.ones(2, 2), torch.tensor([1.0, -1.0]))",
    ),
    saves: [SAVE_A | SAVE_B; 3],
    reads: SAVE_C,
    ..COMPOSED
};

/// max(0, |a − p| − |a − n| + margin) (Schroff et al. 2015).
pub static TRIPLET_MARGIN_LOSS: Op = Op {
    name: "triplet_margin_loss",
    grad_fn: "MeanBackward0",
    grad_fn_for: |node| Some(reduction_name(reduction_of(node), "ClampMinBackward0")),
    symbol: "triplet",
    formula: "y = mean max(0, |a − b| − |a − c| + margin)",
    rules: &[
        "as those of the distances",
        "as that of |a − b|",
        "as that of −|a − c|",
    ],
    doc: "How far an anchor is from being nearer to its positive than to its negative by a margin.",
    params: &[
        param("anchor", Tensor),
        param("positive", Tensor),
        param("negative", Tensor),
        optional("margin", Float, Attr::Float(1.0)),
        optional("p", Float, Attr::Float(2.0)),
        optional("eps", Float, Attr::Float(1e-6)),
        optional("swap", Bool, Attr::Bool(false)),
        REDUCTIONS,
    ],
    infer: |op, src, attrs| {
        expect_float(op, &src[0])?;
        let dims = src[0].shape.len();
        if dims == 0 || src.iter().any(|s| s.shape.len() != dims) {
            return Err(Error::runtime(format!(
                "The anchor, positive, and negative tensors are expected to have the same number of dimensions, at least 1, but got: anchor {}, positive {}, and negative {}",
                shape::show(&src[0].shape),
                shape::show(&src[1].shape),
                shape::show(&src[2].shape)
            )));
        }
        let meta = crate::ops::broadcast_all(op, src, attrs)?;
        Ok(reduced(
            Meta {
                shape: dropped(&meta.shape, &[dims - 1]),
                ..meta
            },
            attrs[4].as_str(),
        ))
    },
    kind: Kind::Composite(|c| {
        let (anchor, positive, negative) = (&c.src[0], &c.src[1], &c.src[2]);
        let (p, eps) = (c.attr(1).as_float(), c.attr(2).as_float());
        let near = distance(anchor, positive, p, eps)?;
        let mut far = distance(anchor, negative, p, eps)?;
        if c.attr(3).as_bool() {
            let other = distance(positive, negative, p, eps)?;
            far = far.call(&crate::ops::maximum::MINIMUM, &[&other], Attrs::new());
        }
        let losses = at_least_zero(&(near - far + c.attr(0).as_float()));
        let shape = Shape::from_slice(&losses.shape()[..losses.shape().len() - 1]);
        Ok(reduce(losses.reshape(&shape), c.attr(4).as_str()))
    }),
    samples: samples(&[
        "[3,2] [3,2] [3,2] margin=5",
        "[2,3] [2,3] [2,3] margin=8 p=1 reduction='none'",
        "[2,3] [2,3] [2,3] margin=6 swap=true reduction='sum'",
    ]),
    example: example(
        "F.triplet_margin_loss(torch.zeros(1, 2), torch.ones(1, 2), torch.ones(1, 2) * 2)",
    ),
    saves: [0; 3],
    reads: SAVE_A | SAVE_B | SAVE_C,
    ..COMPOSED
};

/// max(0, −c (a − b) + margin)
pub static MARGIN_RANKING_LOSS: Op = Op {
    name: "margin_ranking_loss",
    grad_fn: "MeanBackward0",
    grad_fn_for: |node| Some(reduction_name(reduction_of(node), "ClampMinBackward0")),
    symbol: "ranking",
    formula: "y = mean max(0, −c · (a − b) + margin)",
    rules: &[
        "−{gy} · {c} / n where positive",
        "{gy} · {c} / n where positive",
        "",
    ],
    doc: "How far pairs are from the order that targets 1 and -1 ask for, by a margin.",
    params: &[
        param("input1", Tensor),
        param("input2", Tensor),
        param("target", Tensor),
        optional("margin", Float, Attr::Float(0.0)),
        REDUCTIONS,
    ],
    infer: |op, src, attrs| {
        expect_float(op, &src[0])?;
        if src[0].shape.len() != src[1].shape.len() || src[2].shape.len() != src[0].shape.len() {
            return Err(Error::runtime(format!(
                "margin_ranking_loss : All input tensors should have same dimension but got sizes: input1: {}, input2: {}, target: {}",
                shape::show(&src[0].shape),
                shape::show(&src[1].shape),
                shape::show(&src[2].shape)
            )));
        }
        let meta = crate::ops::broadcast_all(op, src, attrs)?;
        Ok(reduced(meta, attrs[1].as_str()))
    },
    kind: Kind::Composite(|c| {
        let off = -(&c.src[2] * (&c.src[0] - &c.src[1]));
        let losses = at_least_zero(&(off + c.attr(0).as_float()));
        Ok(reduce(losses, c.attr(1).as_str()))
    }),
    samples: samples(&[
        "[4] [4] [4]@1..1",
        "[2,1] [2,3] [1,1]@-1..-1 margin=0.7 reduction='none'",
    ]),
    example: example(
        "F.margin_ranking_loss(torch.ones(2), torch.zeros(2), torch.tensor([1.0, -1.0]))",
    ),
    saves: [0; 3],
    reads: SAVE_A | SAVE_B | SAVE_C,
    ..COMPOSED
};

/// a where the target is 1, max(0, margin − a) where it is −1.
pub static HINGE_EMBEDDING_LOSS: Op = Op {
    name: "hinge_embedding_loss",
    grad_fn: "MeanBackward0",
    grad_fn_for: |node| Some(reduction_name(reduction_of(node), "AddBackward0")),
    symbol: "hinge",
    formula: "y = mean a where b is 1, max(0, margin − a) where b is −1",
    rules: &[
        "{gy} / n where {b} is 1, −{gy} / n where it is −1 and {a} < margin",
        "",
    ],
    doc: "Distances of pairs that belong together (target 1), and what others lack to a margin.",
    params: &[
        param("input", Tensor),
        param("target", Tensor),
        optional("margin", Float, Attr::Float(1.0)),
        REDUCTIONS,
    ],
    constants: 2,
    infer: |op, src, attrs| {
        expect_float(op, &src[0])?;
        let meta = crate::ops::broadcast_all(op, src, attrs)?;
        Ok(reduced(meta, attrs[1].as_str()))
    },
    kind: Kind::Composite(|c| {
        let (x, t) = (&c.src[0], &c.src[1]);
        let zero = x.number(0.0);
        let lacking = at_least_zero(&(x.number(c.attr(0).as_float()) - x));
        let apart = t.eq(&t.number(1.0)).select(&zero, &lacking);
        let together = t.eq(&t.number(-1.0)).select(&zero, x);
        Ok(reduce(apart + together, c.attr(1).as_str()))
    }),
    samples: samples(&[
        "[4] [4]@1..1",
        "[2,3] [2,3]@-1..-1 margin=2.5 reduction='none'",
    ]),
    example: example("F.hinge_embedding_loss(torch.tensor([0.5, 0.2]), torch.tensor([1.0, -1.0]))"),
    saves: [0; 3],
    reads: SAVE_A | SAVE_B,
    ..COMPOSED
};

/// `Σ max(0, margin − a[b] + a[i])ᵖ / C` over the other classes.
pub static MULTI_MARGIN_LOSS: Op = Op {
    name: "multi_margin_loss",
    grad_fn: "MultiMarginLossBackward0",
    symbol: "margin",
    formula: "y = mean Σ max(0, margin − a[b] + a[i])^p / C",
    rules: &["{gy} / C / n for each class within the margin; their sum, negative, at the target's"],
    doc: "How far each right class is from beating every other by a margin.",
    params: &[
        param("input", Tensor),
        param("target", Tensor),
        optional("p", Int, Attr::Int(1)),
        optional("margin", Float, Attr::Float(1.0)),
        optional("weight", Tensor, Attr::None),
        REDUCTIONS,
    ],
    promote: Promote::Keep,
    constants: 4,
    infer: |op, src, attrs| {
        let (x, t) = (&src[0], &src[1]);
        expect_float(op, x)?;
        if t.dtype != DType::I64 {
            return Err(Error::runtime(format!(
                "{}: expected scalar type Long but found {}: targets are class numbers; convert them with .long()",
                op.name,
                t.dtype.scalar_name()
            )));
        }
        if !matches!(attrs[0].as_int(), 1 | 2) {
            return Err(Error::runtime(format!(
                "multi_margin_loss: only p == 1 and p == 2 supported, got {}",
                attrs[0].as_int()
            )));
        }
        let (rows, classes) = match x.shape[..] {
            [] => (1, 1),
            [classes] => (1, classes),
            [rows, classes] => (rows, classes),
            _ => (0, 0),
        };
        if classes == 0 {
            return Err(Error::runtime(format!(
                "multi_margin_loss: Expected non-empty vector or matrix with optional 0-dim batch size, but got: {}",
                shape::show(&x.shape)
            )));
        }
        if t.shape.len() > 1 || t.numel() != rows {
            return Err(Error::runtime(format!(
                "multi_margin_loss: target tensor should be 1-D with size equal to the number of input samples (batch size). Expected target size [{rows}], but got {}. Input has shape {}.",
                shape::show(&t.shape),
                shape::show(&x.shape)
            )));
        }
        if let Some(weight) = src.get(2).filter(|w| w.shape[..] != [classes]) {
            return Err(Error::runtime(format!(
                "multi_margin_loss: inconsistent weight size, expected [{classes}] but got {}",
                shape::show(&weight.shape)
            )));
        }
        let meta = Meta {
            shape: t.shape.clone(),
            dtype: x.dtype,
        };
        Ok(reduced(meta, attrs[2].as_str()))
    },
    kind: Kind::Composite(|c| {
        let margins = margins(&c.src, &c.node.attrs)?;
        let mut each = match c.attr(0).as_int() {
            2 => &margins.within * &margins.within,
            _ => margins.within,
        };
        if let Some(weight) = margins.weight {
            each = each * weight;
        }
        let classes = each.shape()[1] as f64;
        let losses = (each.sum(&[1], false) / classes).reshape(c.src[1].shape());
        Ok(reduce(losses, c.attr(2).as_str()))
    }),
    vjp: Vjp::Rule(|b| {
        let margins = margins(&b.src, &b.node.attrs)?;
        let within = &margins.within;
        let zero = within.number(0.0);
        let mut slope = match b.attr(0).as_int() {
            2 => within * 2.0,
            _ => within.gt(&zero).select(&within.number(1.0), &zero),
        };
        if let Some(weight) = margins.weight {
            slope = slope * weight;
        }
        let (rows, classes) = (slope.shape()[0], slope.shape()[1]);
        slope = slope / classes as f64;
        // Subtracted from 0, so that nothing leaves a positive zero.
        let right = 0.0 - slope.sum(&[1], true);
        let gy = spread(&b.gy, b.src[1].shape(), b.attr(2).as_str()).reshape(&[rows, 1]);
        let gx = margins.right.select(&right, &slope) * gy;
        crate::ops::grad1(gx.reshape(b.src[0].shape()))
    }),
    samples: samples(&[
        "[3,4] [3]<4",
        "[3,4] [3]<4 p=2 margin=0.5 reduction='none'",
        "[3,4] [3]<4 1 1.0 [4]@0.5..2 reduction='sum'",
    ]),
    example: example("F.multi_margin_loss(torch.tensor([[0.1, 0.2, 0.4]]), torch.tensor([2]))"),
    ..COMPOSED
};

/// How far each class lies within the margin of the right one, a row for each target; 0 for the right
/// one itself.
struct Margins {
    within: GraphValue,
    right: GraphValue,
    /// The weight of each sample's class, beside the classes.
    weight: Option<GraphValue>,
}

fn margins(src: &[GraphValue], attrs: &Attrs) -> Result<Margins> {
    // A row of scores for each target.
    let rows = src[1].node().numel();
    let classes = src[0].shape().last().copied().unwrap_or(1);
    let (x, t) = (&src[0].reshape(&[rows, classes]), &src[1].reshape(&[rows]));
    let score = x.call(
        &crate::ops::gather::GATHER,
        &[&t.unsqueeze(1)],
        smallvec![Attr::Int(1)],
    );
    let right = one_hot(t, x)?;
    let lacking = x.number(attrs[1].as_float()) - &score + x;
    let zero = x.number(0.0);
    let within = right.select(&zero, &lacking.gt(&zero).select(&lacking, &zero));
    let weight = src.get(2).map(|weight| {
        let flat = t.reshape(&[t.node().numel()]);
        weight
            .call(
                &crate::ops::index_select::INDEX_SELECT,
                &[&flat],
                smallvec![Attr::Int(0)],
            )
            .reshape(score.shape())
    });
    Ok(Margins {
        within,
        right,
        weight,
    })
}

/// ln(1 + e^−b·a)
pub static SOFT_MARGIN_LOSS: Op = Op {
    name: "soft_margin_loss",
    grad_fn: "SoftMarginLossBackward0",
    symbol: "soft margin",
    formula: "y = mean ln(1 + e^(−b · a))",
    rules: &[
        "−{gy} · {b} · σ(−{b} · {a}) / n",
        "−{gy} · {a} · σ(−{b} · {a}) / n",
    ],
    doc: "How far scores lie on the wrong side of targets 1 and −1, smoothly.",
    kind: Kind::Composite(|c| {
        let losses = (-(&c.src[0] * &c.src[1])).exp().log1p();
        Ok(reduce(losses, c.attr(0).as_str()))
    }),
    vjp: Vjp::Lowered,
    samples: samples(&["[2,3] [2,3]", "[4] [4] reduction='none'"]),
    example: example("F.soft_margin_loss(torch.tensor([2.0, -1.0]), torch.tensor([1.0, 1.0]))"),
    ..PAIR
};
