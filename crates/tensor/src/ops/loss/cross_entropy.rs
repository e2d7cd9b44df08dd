//! Losses of class scores: `nll_loss`, and `cross_entropy` with classes or with probabilities as targets.

use smallvec::{SmallVec, smallvec};

use crate::dtype::{DType, Scalar};
use crate::graph::GraphValue;
use crate::node::NodeRef;
use crate::op::ParamKind::{Float, Int, Tensor};
use crate::op::{
    Attr, Attrs, Call, Counts, Infinities, Kind, Meta, Op, Param, PythonFace, SAVE_A, SAVE_B,
    SAVE_C, Vjp, example, face, optional, param, samples,
};
use crate::ops::distances::COMPOSED;
use crate::ops::formula::{all_dims, dropped};
use crate::ops::loss::{REDUCTIONS, reduced};
use crate::ops::shared::{is_wide, narrow, rounded, wide};
use crate::ops::{BASE, expect_float, grad1};
use crate::shape::{self, Shape};
use crate::{Error, Result};

/// The ops of this family.
pub static OPS: &[&Op] = &[&NLL_LOSS, &CROSS_ENTROPY, &SOFT_CROSS_ENTROPY];

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

/// Losses `−x[target]` of each sample, reduced.
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

/// Softmax of scores, in the dtype that arithmetic is done in: of 16-bit floats the exponential of `log_softmax` as it
/// is kept, rounded, for the gradient.
fn probabilities(scores: &GraphValue, class_dim: usize) -> GraphValue {
    let attrs = smallvec![Attr::Int(class_dim as i64)];
    match is_wide(scores.dtype()) {
        true => scores.call(&crate::ops::softmax::SOFTMAX, &[], attrs),
        false => wide(&scores.call(&crate::ops::softmax::LOG_SOFTMAX, &[], attrs)).exp(),
    }
}

/// `−x[target]`
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
    functional: true,
    infinities: Infinities::MasksMinus,
    ..BASE
};

/// `ln Σ eˣ − x[target]`: log-softmax and negative log-likelihood in one.
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
        let log_probs = wide(&c.src[0].call(
            &crate::ops::softmax::LOG_SOFTMAX,
            &[],
            smallvec![Attr::Int(dim)],
        ));
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
        let probs = probabilities(&b.src[0], class_dim);
        let hot = one_hot(&counted.safe, x)?;
        let smoothing = call.smoothing();
        if smoothing == 0.0 {
            let gy = rounded(&(gy * &counted.weight), b.gy.dtype()).unsqueeze(class_dim);
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
    functional: true,
    infinities: Infinities::MasksMinus,
    ..BASE
};

/// −Σ b · ln softmax(a): cross-entropy with probabilities of classes as targets.
pub static SOFT_CROSS_ENTROPY: Op = Op {
    name: "soft_cross_entropy",
    python: face(&PythonFace {
        part_of: "cross_entropy",
        ..PythonFace::PLAIN
    }),
    // The class weights.
    constants: 4,
    grad_fn: "DivBackward1",
    grad_fn_for: |node| (node.attrs[0].as_str() != "mean").then_some("NegBackward0"),
    symbol: "cross entropy",
    formula: "y = mean −Σ b · ln softmax(a)",
    rules: &[
        "{gy} · (softmax({a}) · Σ {b} − {b}) / n",
        "−{gy} · ln softmax({a}) / n",
    ],
    doc: "cross_entropy with probabilities of classes as targets; F chooses it for targets of floats.",
    params: &[
        param("input", Tensor),
        param("target", Tensor),
        optional("weight", Tensor, Attr::None),
        REDUCTIONS,
        optional("label_smoothing", Float, Attr::Float(0.0)),
    ],
    infer: infer_soft,
    kind: Kind::Composite(soft_cross_entropy),
    samples: samples(&[
        "[3,4] [3,4]@0..1",
        "[2,3,2] [2,3,2]@0..1 [3]@0.5..2 reduction='sum' label_smoothing=0.2",
        "[3] [3]@0..1 reduction='none'",
    ]),
    example: example("F.cross_entropy(torch.tensor([[1.0, 2.0]]), torch.tensor([[0.25, 0.75]]))"),
    functional: false,
    infinities: Infinities::MasksMinus,
    ..COMPOSED
};

fn infer_soft(op: &Op, src: &[NodeRef], attrs: &Attrs) -> Result<Meta> {
    let (x, t) = (&src[0], &src[1]);
    expect_float(op, x)?;
    let smoothing = attrs[1].as_float();
    if !(0.0..=1.0).contains(&smoothing) {
        return Err(Error::runtime(format!(
            "label_smoothing must be between 0.0 and 1.0. Got: {smoothing}"
        )));
    }
    if x.shape.is_empty() || x.shape != t.shape {
        return Err(Error::runtime(format!(
            "cross_entropy: targets of probabilities need the input's shape {}, got {}; targets of class numbers need dtype int64",
            shape::show(&x.shape),
            shape::show(&t.shape)
        )));
    }
    let class_dim = usize::from(x.shape.len() > 1);
    if let Some(weight) = src.get(2).filter(|w| w.shape[..] != [x.shape[class_dim]]) {
        return Err(Error::runtime(format!(
            "cross_entropy: weight tensor should be defined either for all {} classes or no classes but got weight tensor of shape: {}",
            x.shape[class_dim],
            shape::show(&weight.shape)
        )));
    }
    let meta = Meta {
        shape: dropped(&x.shape, &[class_dim]),
        dtype: x.dtype,
    };
    Ok(reduced(meta, attrs[0].as_str()))
}

fn soft_cross_entropy(c: &Call) -> Result<GraphValue> {
    let x = &c.src[0];
    let class_dim = usize::from(x.shape().len() > 1);
    let classes = x.shape()[class_dim] as f64;
    let smoothing = c.attr(1).as_float();
    let mut target = c.src[1].clone();
    if smoothing > 0.0 {
        target = target * (1.0 - smoothing) + smoothing / classes;
    }
    let logs = x.call(
        &crate::ops::softmax::LOG_SOFTMAX,
        &[],
        smallvec![Attr::Int(class_dim as i64)],
    );
    let mut each = logs * target;
    if let Some(weight) = c.src.get(2) {
        each = each * class_weights(x, Some(weight));
    }
    let losses = -each.sum(&[class_dim], false);
    let dims: SmallVec<[usize; 6]> = (0..losses.shape().len()).collect();
    Ok(match c.attr(0).as_str() {
        "none" => losses,
        "sum" => losses.sum(&dims, false),
        _ => losses.sum(&dims, false) / (shape::numel(x.shape()) as f64 / classes),
    })
}
