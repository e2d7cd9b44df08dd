//! Losses. `reduction` is one of `mean`, `sum`, `none`.

pub mod distances;
pub mod loss_margins;
pub mod loss_pairs;

use smallvec::{SmallVec, smallvec};

use crate::dtype::DType;
use crate::graph::GraphValue;
use crate::node::NodeRef;
use crate::op::Counts;
use crate::op::ParamKind::{Float, Int, Tensor, Word};
use crate::op::{
    Attr, Attrs, Kind, Meta, Op, Out, Param, SAVE_A, SAVE_B, SAVE_C, Vjp, example, optional, param,
    samples,
};
use crate::op::{PythonFace, face};
use crate::ops::formula::all_dims;
use crate::ops::shared::{narrow, wide};
use crate::ops::{BASE, expect_float, grad1};
use crate::shape::{self, Shape};
use crate::{Error, Result, Scalar};

/// The ops of this family.
pub static OPS: &[&Op] = &[
    &MSE_LOSS,
    &L1_LOSS,
    &NLL_LOSS,
    &CROSS_ENTROPY,
    &BCE_WITH_LOGITS,
];

pub(in crate::ops) const REDUCTIONS: Param = optional(
    "reduction",
    Word(&["mean", "sum", "none"]),
    Attr::Str("mean"),
);

static PAIR_PARAMS: &[Param] = &[param("input", Tensor), param("target", Tensor), REDUCTIONS];

/// A loss of two tensors that broadcast.
const PAIR: Op = Op {
    params: PAIR_PARAMS,
    promote: crate::op::Promote::Common,
    infer: |op, src, attrs| {
        expect_float(op, &src[0])?;
        let meta = crate::ops::broadcast_all(op, src, attrs)?;
        Ok(reduced(meta, attrs[0].as_str()))
    },
    saves: [SAVE_A | SAVE_B; 3],
    samples: samples(&[
        "[2,3] [2,3] reduction='mean'",
        "[2,3] [2,3] reduction='sum'",
        "[2,3] [2,3] reduction='none'",
    ]),
    method: false,
    out: Out::None,
    ..BASE
};

pub(in crate::ops) fn reduced(meta: Meta, reduction: &str) -> Meta {
    if reduction == "none" {
        meta
    } else {
        Meta {
            shape: Shape::new(),
            ..meta
        }
    }
}

/// Applies a reduction to losses of elements.
pub(in crate::ops) fn reduce(losses: GraphValue, reduction: &str) -> GraphValue {
    let dims = all_dims(losses.shape());
    match reduction {
        "none" => losses,
        "sum" => losses.sum(&dims, false),
        _ => {
            let n = losses.node().numel() as f64;
            losses.sum(&dims, false) / n
        }
    }
}

/// The gradient of each element's loss, for a gradient of the reduced loss.
pub(in crate::ops) fn spread(gy: &GraphValue, shape: &[usize], reduction: &str) -> GraphValue {
    match reduction {
        "none" => gy.clone(),
        "sum" => gy.expand(shape),
        _ => (gy / shape::numel(shape) as f64).expand(shape),
    }
}

/// (a − b)²
pub static MSE_LOSS: Op = Op {
    name: "mse_loss",
    counts: Counts::Reduced,
    grad_fn: "MseLossBackward0",
    symbol: "mse",
    formula: "y = mean (a − b)²",
    rules: &["{gy} · 2 · ({a} − {b}) / n", "{gy} · 2 · ({b} − {a}) / n"],
    doc: "The mean squared difference.",
    kind: Kind::Composite(|c| {
        let off = &c.src[0] - &c.src[1];
        Ok(reduce(&off * &off, c.attr(0).as_str()))
    }),
    vjp: Vjp::Rule(|b| {
        let off = &b.src[0] - &b.src[1];
        let gy = spread(&b.gy, off.shape(), b.attr(0).as_str());
        let grad = || &gy * (&off * 2.0);
        let other = || &gy * ((&b.src[1] - &b.src[0]) * 2.0);
        Ok(smallvec![b.needs(0).then(grad), b.needs(1).then(other)])
    }),
    ..PAIR
};

/// |a − b|
pub static L1_LOSS: Op = Op {
    name: "l1_loss",
    counts: Counts::Reduced,
    grad_fn: "MeanBackward0",
    symbol: "l1",
    formula: "y = mean |a − b|",
    rules: &["{gy} · sign({a} − {b}) / n", "{gy} · sign({b} − {a}) / n"],
    doc: "The mean absolute difference.",
    kind: Kind::Composite(|c| Ok(reduce((&c.src[0] - &c.src[1]).abs(), c.attr(0).as_str()))),
    vjp: Vjp::Rule(|b| {
        let off = &b.src[0] - &b.src[1];
        let grad = spread(&b.gy, off.shape(), b.attr(0).as_str()) * off.sign();
        Ok(smallvec![Some(grad.clone()), b.needs(1).then(|| -grad)])
    }),
    saves: [0; 3],
    reads: SAVE_A | SAVE_B,
    ..PAIR
};

/// −[b ln σ(a) + (1 − b) ln (1 − σ(a))]
pub static BCE_WITH_LOGITS: Op = Op {
    name: "binary_cross_entropy_with_logits",
    python: face(&PythonFace {
        signature: "(input, target, weight=None, reduction='mean', pos_weight=None)",
        ..PythonFace::PLAIN
    }),
    counts: Counts::Reduced,
    grad_fn: "BinaryCrossEntropyWithLogitsBackward0",
    symbol: "bce",
    formula: "y = mean −(b · ln σ(a) + (1 − b) · ln(1 − σ(a)))",
    rules: &["{gy} · (σ({a}) − {b}) / n", "−{gy} · {a} / n"],
    doc: "The cross-entropy of yes-or-no targets, from numbers before the sigmoid.",
    infer: |op, src, attrs| {
        expect_float(op, &src[0])?;
        if src[0].shape != src[1].shape {
            return Err(Error::value(format!(
                "Target size ({}) must be the same as input size ({})",
                shape::show(&src[1].shape),
                shape::show(&src[0].shape)
            )));
        }
        let meta = Meta {
            shape: src[0].shape.clone(),
            dtype: src[0].dtype,
        };
        Ok(reduced(meta, attrs[0].as_str()))
    },
    kind: Kind::Composite(|c| {
        let (x, t) = (&c.src[0], &c.src[1]);
        let zero = x.number(0.0);
        // max(x, 0) − x t + ln(1 + e^−|x|) overflows nowhere.
        let losses = x.maximum(&zero) - x * t + (-x.abs()).exp().log1p();
        Ok(reduce(losses, c.attr(0).as_str()))
    }),
    vjp: Vjp::Rule(|b| {
        let (x, t) = (&b.src[0], &b.src[1]);
        let gy = spread(&b.gy, x.shape(), b.attr(0).as_str());
        Ok(smallvec![
            b.needs(0).then(|| &gy * (x.sigmoid() - t)),
            b.needs(1).then(|| -(&gy * x)),
        ])
    }),
    ..PAIR
};

static CLASS_PARAMS: &[Param] = &[
    param("input", Tensor),
    param("target", Tensor),
    optional("weight", Tensor, Attr::None),
    REDUCTIONS,
    optional("ignore_index", Int, Attr::Int(-100)),
];

/// Shapes of class scores and class indices: `[C]` with `[]`, `[N, C, …]` with `[N, …]`.
fn infer_classes(op: &Op, src: &[NodeRef], attrs: &Attrs) -> Result<Meta> {
    let (x, target) = (&src[0], &src[1]);
    expect_float(op, x)?;
    if target.dtype != DType::I64 {
        return Err(Error::runtime(format!(
            "{}: expected scalar type Long but found {}: targets are class numbers; convert them with .long()",
            op.name,
            target.dtype.scalar_name()
        )));
    }
    let n_dims = x.shape.len();
    let class_dim = usize::from(n_dims > 1);
    let mut expected = x.shape.clone();
    if n_dims == 0 {
        return Err(Error::value(format!(
            "{}: expected 1 or more dimensions (got 0)",
            op.name
        )));
    }
    expected.remove(class_dim);
    if expected != target.shape {
        // PyTorch's kernel of classes refuses with one kind, its image version with the other.
        let kind = if n_dims == 2 && target.shape.len() > 1 {
            crate::ErrorKind::Runtime
        } else {
            crate::ErrorKind::Value
        };
        return Err(Error::new(
            kind,
            format!(
                "{}: input of shape {} needs targets of shape {}, got {}; the classes are dimension {class_dim} of the input",
                op.name,
                shape::show(&x.shape),
                shape::show(&expected),
                shape::show(&target.shape)
            ),
        ));
    }
    let classes = x.shape[class_dim];
    if let Some(weight) = src.get(2)
        && (weight.shape[..] != [classes] || weight.dtype != x.dtype)
    {
        return Err(Error::runtime(format!(
            "{}: weight tensor should be defined either for all {classes} classes or no classes, in the input's dtype {}, but got shape {} and dtype {}",
            op.name,
            x.dtype,
            shape::show(&weight.shape),
            weight.dtype
        )));
    }
    Ok(reduced(
        Meta {
            shape: expected,
            dtype: x.dtype,
        },
        attrs[0].as_str(),
    ))
}

/// How much each target counts, in the dtype of the scores: its class's weight, or 1; 0 where it is
/// ignored.
struct Counted {
    weight: GraphValue,
    /// The targets, the ignored ones replaced by class 0.
    safe: GraphValue,
    ignored: GraphValue,
}

fn counted(
    target: &GraphValue,
    scores: &GraphValue,
    class_weight: Option<&GraphValue>,
    ignore: i64,
) -> Counted {
    let engine = target.engine();
    let ignored = target.eq(&GraphValue::new(
        engine,
        engine.number(Scalar::Int(ignore), DType::I64),
    ));
    let zero = GraphValue::new(engine, engine.number(Scalar::Int(0), DType::I64));
    let safe = ignored.select(&zero, target);
    let weight = match class_weight {
        Some(weight) => {
            let flat = safe.reshape(&[safe.node().numel()]);
            weight
                .call(
                    &crate::ops::index_select::INDEX_SELECT,
                    &[&flat],
                    smallvec![Attr::Int(0)],
                )
                .reshape(target.shape())
        }
        None => scores.number(1.0),
    };
    Counted {
        weight: ignored.select(&scores.number(0.0), &weight),
        safe,
        ignored,
    }
}

/// Scores, targets and class weights, the numbers among them in the dtype that arithmetic is done in.
fn widened(src: &[GraphValue]) -> SmallVec<[GraphValue; 3]> {
    src.iter().map(wide).collect()
}

/// What a class loss is called with.
struct ClassCall<'a> {
    target: &'a GraphValue,
    class_weight: Option<&'a GraphValue>,
    attrs: &'a Attrs,
}

impl<'a> ClassCall<'a> {
    fn new(src: &'a [GraphValue], attrs: &'a Attrs) -> ClassCall<'a> {
        ClassCall {
            target: &src[1],
            class_weight: src.get(2),
            attrs,
        }
    }

    fn counted(&self, scores: &GraphValue) -> Counted {
        counted(
            self.target,
            scores,
            self.class_weight,
            self.attrs[1].as_int(),
        )
    }

    /// How much of each target is spread over all classes.
    fn smoothing(&self) -> f64 {
        self.attrs.get(2).map_or(0.0, Attr::as_float)
    }
}

/// The class weights in the shape of scores, or 1.
pub(in crate::ops) fn class_weights(
    scores: &GraphValue,
    weight: Option<&GraphValue>,
) -> GraphValue {
    let Some(weight) = weight else {
        return scores.number(1.0);
    };
    let mut shape = Shape::from_elem(1, scores.shape().len());
    let class_dim = usize::from(shape.len() > 1);
    shape[class_dim] = weight.shape()[0];
    weight.reshape(&shape)
}

/// Losses −x[target] of each sample, reduced.
fn pick_negative(log_probs: &GraphValue, call: &ClassCall) -> GraphValue {
    let class_dim = usize::from(log_probs.shape().len() > 1);
    let target = call.target;
    let Counted {
        weight,
        safe,
        ignored,
    } = call.counted(log_probs);
    let picked = log_probs
        .call(
            &crate::ops::gather::GATHER,
            &[&safe.unsqueeze(class_dim)],
            smallvec![Attr::Int(class_dim as i64)],
        )
        .reshape(target.shape());
    // An ignored target has no loss, whatever the score of class 0 is.
    let zero = log_probs.number(0.0);
    let mut losses = ignored.select(&zero, &-(picked * &weight));
    let smoothing = call.smoothing();
    if smoothing != 0.0 {
        let classes = log_probs.shape()[class_dim] as f64;
        let all =
            -(log_probs * class_weights(log_probs, call.class_weight)).sum(&[class_dim], false);
        losses = losses * (1.0 - smoothing) + ignored.select(&zero, &all) * (smoothing / classes);
    }
    let dims = all_dims(target.shape());
    match call.attrs[0].as_str() {
        "none" => losses,
        "sum" => losses.sum(&dims, false),
        _ => losses.sum(&dims, false) / weight.expand(target.shape()).sum(&dims, false),
    }
}

/// The gradient of each sample's loss, before its own weight.
fn sample_grad(gy: &GraphValue, call: &ClassCall, counted: &Counted) -> GraphValue {
    let shape = call.target.shape();
    let gy = match call.attrs[0].as_str() {
        "mean" => (gy / counted.weight.expand(shape).sum(&all_dims(shape), false)).expand(shape),
        _ => gy.expand(shape),
    };
    // Not a product: where all are ignored, the mean's gradient is infinite.
    counted.ignored.select(&gy.number(0.0), &gy)
}

/// 1 at each target's class, in the shape of the scores.
pub(in crate::ops) fn one_hot(target: &GraphValue, like: &GraphValue) -> Result<GraphValue> {
    let n_dims = like.shape().len();
    let class_dim = usize::from(n_dims > 1);
    let mut shape = Shape::from_elem(1, n_dims);
    shape[class_dim] = like.shape()[class_dim];
    let classes = GraphValue::new(
        like.engine(),
        like.engine().arange(like.shape()[class_dim])?,
    )
    .reshape(&shape);
    Ok(target.unsqueeze(class_dim).eq(&classes))
}

/// −x[target]
pub static NLL_LOSS: Op = Op {
    name: "nll_loss",
    counts: Counts::Targets,
    // The class weights.
    constants: 4,
    grad_fn: "NllLossBackward0",
    symbol: "nll",
    formula: "y = mean −a[b]",
    rules: &["−{gy} / n at each target's class, 0 elsewhere"],
    doc: "The negative log-likelihood of the right classes, from log-probabilities.",
    params: CLASS_PARAMS,
    infer: infer_classes,
    kind: Kind::Composite(|c| {
        let src = widened(&c.src);
        let losses = pick_negative(&src[0], &ClassCall::new(&src, &c.node.attrs));
        Ok(losses.to(c.node.dtype))
    }),
    vjp: Vjp::Rule(|b| {
        let src = widened(&b.src);
        let x = &src[0];
        let class_dim = usize::from(x.shape().len() > 1);
        let call = ClassCall::new(&src, &b.node.attrs);
        let gy = wide(&b.gy);
        let counted = call.counted(&gy);
        let gy = sample_grad(&gy, &call, &counted) * &counted.weight;
        let hot = one_hot(&counted.safe, x)?;
        let grad = hot.select(&(0.0 - &gy).unsqueeze(class_dim), &gy.number(0.0));
        grad1(narrow(b, &grad))
    }),
    saves: [SAVE_A | SAVE_B | SAVE_C; 3],
    example: example("F.nll_loss(torch.tensor([[-0.2, -1.7, -3.0]]), torch.tensor([0]))"),
    samples: samples(&[
        "[4,3,2] [4,2]<3 [3]@0.5..1.5 ignore_index=2",
        "[4,3,2] [4,2]<3 ignore_index=2 reduction='sum'",
        "[4,3,2] [4,2]<3 [3]@0.5..1.5 ignore_index=2 reduction='none'",
    ]),
    method: false,
    ..BASE
};

/// ln Σ eˣ − x[target]: log-softmax and negative log-likelihood in one.
pub static CROSS_ENTROPY: Op = Op {
    name: "cross_entropy",
    counts: Counts::Targets,
    // The class weights.
    constants: 4,
    grad_fn: "NllLossBackward0",
    // PyTorch adds the smoothed part to the loss.
    grad_fn_for: |node| {
        let smoothing = node.attrs.get(2).map_or(0.0, Attr::as_float);
        (smoothing > 0.0).then_some("AddBackward0")
    },
    symbol: "cross entropy",
    formula: "y = mean −ln softmax(a)[b]",
    rules: &["{gy} · (softmax({a}) − one-hot({b})) / n"],
    doc: "How surprised the scores are by the right classes: softmax and negative log-likelihood in one.",
    params: &[
        param("input", Tensor),
        param("target", Tensor),
        optional("weight", Tensor, Attr::None),
        REDUCTIONS,
        optional("ignore_index", Int, Attr::Int(-100)),
        optional("label_smoothing", Float, Attr::Float(0.0)),
    ],
    infer: |op, src, attrs| {
        let smoothing = attrs.get(2).map_or(0.0, Attr::as_float);
        if !(0.0..=1.0).contains(&smoothing) {
            return Err(Error::runtime(format!(
                "label_smoothing must be between 0.0 and 1.0. Got: {smoothing}"
            )));
        }
        infer_classes(op, src, attrs)
    },
    kind: Kind::Composite(|c| {
        let src = widened(&c.src);
        let dim = i64::from(src[0].shape().len() > 1);
        let log_probs = src[0].call(
            &crate::ops::softmax::LOG_SOFTMAX,
            &[],
            smallvec![Attr::Int(dim)],
        );
        let losses = pick_negative(&log_probs, &ClassCall::new(&src, &c.node.attrs));
        Ok(losses.to(c.node.dtype))
    }),
    vjp: Vjp::Rule(|b| {
        let src = widened(&b.src);
        let x = &src[0];
        let class_dim = usize::from(x.shape().len() > 1);
        let call = ClassCall::new(&src, &b.node.attrs);
        let gy = wide(&b.gy);
        let counted = call.counted(&gy);
        let gy = sample_grad(&gy, &call, &counted);
        let probs = x.call(
            &crate::ops::softmax::SOFTMAX,
            &[],
            smallvec![Attr::Int(class_dim as i64)],
        );
        let hot = one_hot(&counted.safe, x)?;
        let smoothing = call.smoothing();
        if smoothing == 0.0 {
            let gy = (gy * &counted.weight).unsqueeze(class_dim);
            let grad = hot.select(&-&gy, &gy.number(0.0)) + probs * gy;
            return grad1(narrow(b, &grad));
        }
        // The targets as weights of the classes: their sum times softmax, minus the weights.
        let zero = gy.number(0.0);
        let at_target = hot.select(
            &(&counted
                .weight
                .expand(call.target.shape())
                .unsqueeze(class_dim)
                * (1.0 - smoothing)),
            &zero,
        );
        let spread =
            class_weights(x, call.class_weight) * (smoothing / x.shape()[class_dim] as f64);
        let spread = counted.ignored.unsqueeze(class_dim).select(&zero, &spread);
        let goal = at_target + spread;
        let off = probs * goal.sum(&[class_dim], true) - &goal;
        grad1(narrow(b, &(off * gy.unsqueeze(class_dim))))
    }),
    saves: [SAVE_B | SAVE_C; 3],
    reads: SAVE_A,
    example: example("F.cross_entropy(torch.tensor([[2.0, 0.5, -1.0]]), torch.tensor([0]))"),
    samples: samples(&[
        "[4,3,2] [4,2]<3 [3]@0.5..1.5 ignore_index=2",
        "[4,3,2] [4,2]<3 ignore_index=2 label_smoothing=0.1 reduction='sum'",
        "[4,3,2] [4,2]<3 [3]@0.5..1.5 ignore_index=2 label_smoothing=0.2 reduction='none'",
    ]),
    method: false,
    ..BASE
};
