//! Losses of two tensors of one shape, element by element: robust ones, of probabilities, of counts.
//!
//! Where PyTorch has a kernel with a gradient of its own, that gradient is written here too; where
//! it composes (`kl_div`, `poisson_nll_loss`), so do we, and edge cases come out the same.

use smallvec::smallvec;

use crate::graph::GraphValue;
use crate::graph::Operand;
use crate::node::NodeRef;
use crate::op::ParamKind::{Bool, Float, Tensor, Word};
use crate::op::{
    Attr, Attrs, Backprop, Grads, Kind, Meta, Op, Out, Param, Promote, SAVE_A, SAVE_B, SAVE_C,
    SAVE_D, Vjp, example, optional, param, samples,
};
use crate::op::{PythonFace, face};
use crate::ops::loss::{REDUCTIONS, reduce, reduced, spread};
use crate::ops::{BASE, expect_float};
use crate::shape;
use crate::{Error, Result};

/// The ops of this family.
pub static OPS: &[&Op] = &[
    &SMOOTH_L1_LOSS,
    &HUBER_LOSS,
    &BINARY_CROSS_ENTROPY,
    &BCE_WITH_LOGITS_WEIGHTED,
    &KL_DIV,
    &SOFT_MARGIN_LOSS,
    &POISSON_NLL_LOSS,
];

const INPUT: Param = param("input", Tensor);
const TARGET: Param = param("target", Tensor);

/// A loss of two tensors that broadcast; the reduction is its first attribute.
const PAIR: Op = Op {
    params: &[INPUT, TARGET, REDUCTIONS],
    promote: Promote::Common,
    infer: |op, src, attrs| infer_pair(op, src, attrs, 0),
    saves: [SAVE_A | SAVE_B; 3],
    method: false,
    out: Out::None,
    ..BASE
};

fn infer_pair(op: &Op, src: &[NodeRef], attrs: &Attrs, reduction: usize) -> Result<Meta> {
    expect_float(op, &src[0])?;
    let meta = crate::ops::broadcast_all(op, src, attrs)?;
    Ok(reduced(meta, attrs[reduction].as_str()))
}

/// A difference cut off at a bound either way (attribute 0) and scaled (attribute 1): the slope of a
/// loss that is squared near 0 and absolute far from it.
static CUT: Op = Op {
    name: "cut",
    kind: Kind::Composite(|c| {
        let (x, bound) = (&c.src[0], c.attr(0).as_float());
        let far = x.abs().ge(&x.number(bound));
        Ok(far.select(&(x.sign() * bound), x) * c.attr(1).as_float())
    }),
    vjp: Vjp::Rule(|b| {
        let (x, bound) = (&b.src[0], b.attr(0).as_float());
        // A product, not a choice: a slope of 0 keeps the sign of the gradient, as in PyTorch.
        let near = x.abs().lt(&x.number(bound)).to(x.dtype());
        crate::ops::grad1(&b.gy * near * b.attr(1).as_float())
    }),
    method: false,
    ..BASE
};

/// The gradients of a loss of `a − b` that is squared up to a bound: each operand's from its own
/// side, so that zeros have PyTorch's signs.
fn cut_grads(b: &Backprop, bound: f64, scale: f64) -> Grads {
    let (x, t) = (&b.src[0], &b.src[1]);
    if bound == 0.0 {
        // PyTorch's is the absolute difference then.
        let off = x - t;
        let grad = spread(&b.gy, off.shape(), b.attr(0).as_str()) * off.sign();
        return smallvec![Some(grad.clone()), b.needs(1).then(|| -grad)];
    }
    let side = |off: GraphValue| {
        let slope = off.call(&CUT, &[], smallvec![Attr::Float(bound), Attr::Float(scale)]);
        spread(&b.gy, slope.shape(), b.attr(0).as_str()) * slope
    };
    smallvec![
        b.needs(0).then(|| side(x - t)),
        b.needs(1).then(|| side(t - x))
    ]
}

/// The number that a test or a caller gave as attribute 1.
fn number(attrs: &Attrs) -> f64 {
    attrs[1].as_float()
}

/// ½ (a − b)² / β near 0, |a − b| − ½ β elsewhere (Girshick 2015).
pub static SMOOTH_L1_LOSS: Op = Op {
    name: "smooth_l1_loss",
    grad_fn: "SmoothL1LossBackward0",
    symbol: "smooth l1",
    formula: "y = mean ½ (a − b)² / beta where |a − b| < beta, |a − b| − ½ beta elsewhere",
    rules: &[
        "{gy} · (({a} − {b}) / beta, at most 1 either way) / n",
        "−{gy} · (({a} − {b}) / beta, at most 1 either way) / n",
    ],
    doc: "Squared differences where they are small, absolute ones where they are large.",
    params: &[
        INPUT,
        TARGET,
        REDUCTIONS,
        optional("beta", Float, Attr::Float(1.0)),
    ],
    infer: |op, src, attrs| {
        if number(attrs) < 0.0 {
            return Err(Error::runtime(format!(
                "smooth_l1_loss does not support negative values for beta, got {}",
                number(attrs)
            )));
        }
        infer_pair(op, src, attrs, 0)
    },
    kind: Kind::Composite(|c| {
        let beta = number(&c.node.attrs);
        let off = (&c.src[0] - &c.src[1]).abs();
        let losses = if beta == 0.0 {
            off
        } else {
            let near = off.lt(&off.number(beta));
            near.select(&(&off * &off * 0.5 / beta), &(&off - 0.5 * beta))
        };
        Ok(reduce(losses, c.attr(0).as_str()))
    }),
    vjp: Vjp::Rule(|b| {
        let beta = number(&b.node.attrs);
        Ok(cut_grads(b, beta, 1.0 / beta))
    }),
    samples: samples(&[
        "[2,3] [2,3]",
        "[2,3] [3] reduction='none' beta=0.5",
        "[4] [4] reduction='sum' beta=2.0",
    ]),
    example: example("F.smooth_l1_loss(torch.tensor([0.5, 3.0]), torch.zeros(2))"),
    ..PAIR
};

/// ½ (a − b)² near 0, δ (|a − b| − ½ δ) elsewhere (Huber 1964).
pub static HUBER_LOSS: Op = Op {
    name: "huber_loss",
    grad_fn: "HuberLossBackward0",
    symbol: "huber",
    formula: "y = mean ½ (a − b)² where |a − b| ≤ delta, delta (|a − b| − ½ delta) elsewhere",
    rules: &[
        "{gy} · ({a} − {b}, at most delta either way) / n",
        "−{gy} · ({a} − {b}, at most delta either way) / n",
    ],
    doc: "Squared differences up to delta, absolute ones beyond.",
    params: &[
        INPUT,
        TARGET,
        REDUCTIONS,
        optional("delta", Float, Attr::Float(1.0)),
    ],
    infer: |op, src, attrs| {
        // NaN is not positive either.
        if !matches!(
            number(attrs).partial_cmp(&0.0),
            Some(std::cmp::Ordering::Greater)
        ) {
            return Err(Error::runtime(format!(
                "huber_loss does not support non-positive values for delta, got {}",
                number(attrs)
            )));
        }
        infer_pair(op, src, attrs, 0)
    },
    kind: Kind::Composite(|c| {
        let delta = number(&c.node.attrs);
        let off = (&c.src[0] - &c.src[1]).abs();
        let near = off.le(&off.number(delta));
        let losses = near.select(&(&off * &off * 0.5), &((&off - 0.5 * delta) * delta));
        Ok(reduce(losses, c.attr(0).as_str()))
    }),
    vjp: Vjp::Rule(|b| Ok(cut_grads(b, number(&b.node.attrs), 1.0))),
    samples: samples(&[
        "[2,3] [2,3]",
        "[2,3] [3] reduction='none' delta=0.5",
        "[4] [4] reduction='sum' delta=2.0",
    ]),
    example: example("F.huber_loss(torch.tensor([0.5, 3.0]), torch.zeros(2))"),
    ..PAIR
};

fn infer_same(op: &Op, src: &[NodeRef], attrs: &Attrs) -> Result<Meta> {
    expect_float(op, &src[0])?;
    if src[0].shape != src[1].shape {
        return Err(Error::value(format!(
            "{}: Using a target size (torch.Size({})) that is different to the input size (torch.Size({})) is deprecated. Please ensure they have the same size.",
            op.name,
            shape::show(&src[1].shape),
            shape::show(&src[0].shape)
        )));
    }
    for weight in &src[2..] {
        if shape::broadcast(op.name, &src[0].shape, &weight.shape)? != src[0].shape {
            return Err(Error::runtime(format!(
                "{}: weight of shape {} does not broadcast to the input's {}",
                op.name,
                shape::show(&weight.shape),
                shape::show(&src[0].shape)
            )));
        }
    }
    let meta = Meta {
        shape: src[0].shape.clone(),
        dtype: src[0].dtype,
    };
    Ok(reduced(meta, attrs[0].as_str()))
}

/// A logarithm that stops at −100, so that a loss stays finite.
fn bounded_log(log: GraphValue) -> GraphValue {
    let least = log.number(-100.0);
    log.lt(&least).select(&least, &log)
}

/// Refuses what is no probability, as PyTorch does on a CPU: numbers on another device are not read, nor
/// those that a step makes while it is captured.
fn check_probabilities(src: &[Operand]) -> Result<()> {
    let shape = src[0].shape();
    for (tensor, word) in src.iter().zip(["input", "target"]) {
        let on_cpu = tensor
            .engine()
            .device_kind(tensor.device())
            .starts_with("cpu");
        // Other shapes and dtypes are refused as such.
        if !on_cpu || !tensor.dtype().is_float() || tensor.shape() != shape {
            return Ok(());
        }
        let numbers = tensor.to_check()?.into_iter().map(crate::Scalar::as_f64);
        if let Some(x) = numbers.into_iter().find(|x| !(0.0..=1.0).contains(x)) {
            return Err(Error::runtime(format!(
                "binary_cross_entropy: all elements of {word} should be between 0 and 1, got {x}; take the sigmoid first, or binary_cross_entropy_with_logits"
            )));
        }
    }
    Ok(())
}

/// −[b ln a + (1 − b) ln (1 − a)]
pub static BINARY_CROSS_ENTROPY: Op = Op {
    name: "binary_cross_entropy",
    // The weights.
    constants: 4,
    grad_fn: "BinaryCrossEntropyBackward0",
    symbol: "bce",
    formula: "y = mean −c · (b · ln a + (1 − b) · ln(1 − a))",
    rules: &[
        "{gy} · ({a} − {b}) / ({a} · (1 − {a})) / n",
        "{gy} · (ln(1 − {a}) − ln {a}) / n",
    ],
    doc: "The cross-entropy of yes-or-no targets, from probabilities; logarithms stop at −100.",
    params: &[
        INPUT,
        TARGET,
        optional("weight", Tensor, Attr::None),
        REDUCTIONS,
    ],
    infer: infer_same,
    prepare: Some(|_, src, _| check_probabilities(src)),
    kind: Kind::Composite(|c| {
        let (x, t) = (&c.src[0], &c.src[1]);
        let no = bounded_log((-x).log1p());
        let losses = (t - 1.0) * no - t * bounded_log(x.log());
        let losses = match c.src.get(2) {
            Some(weight) => losses * weight,
            None => losses,
        };
        Ok(reduce(losses, c.attr(0).as_str()))
    }),
    vjp: Vjp::Rule(|b| {
        let (x, t) = (&b.src[0], &b.src[1]);
        let mut gy = spread(&b.gy, x.shape(), b.attr(0).as_str());
        if let Some(weight) = b.src.get(2) {
            gy = gy * weight;
        }
        let input = || {
            let both = (1.0 - x) * x;
            let least = both.number(1e-12);
            let both = both.lt(&least).select(&least, &both);
            &gy * (x - t) / both
        };
        let target = || &gy * -(x.log() - (1.0 - x).log());
        Ok(smallvec![
            b.needs(0).then(input),
            b.needs(1).then(target),
            None
        ])
    }),
    saves: [SAVE_A | SAVE_B | SAVE_C; 3],
    domain: (0.1, 0.9),
    samples: samples(&[
        "[2,3] [2,3]",
        "[2,3] [2,3] [3]@0.5..2 reduction='none'",
        "[4] [4] reduction='sum'",
    ]),
    example: example("F.binary_cross_entropy(torch.tensor([0.9, 0.2]), torch.tensor([1.0, 0.0]))"),
    ..PAIR
};

/// Binary cross-entropy of scores, with weights of elements and of the positive targets.
pub static BCE_WITH_LOGITS_WEIGHTED: Op = Op {
    name: "binary_cross_entropy_with_logits_weighted",
    python: face(&PythonFace {
        part_of: "binary_cross_entropy_with_logits",
        ..PythonFace::PLAIN
    }),
    constants: 4 | 8,
    grad_fn: "BinaryCrossEntropyWithLogitsBackward0",
    symbol: "bce",
    formula: "y = mean −c · (pos_weight · b · ln σ(a) + (1 − b) · ln(1 − σ(a)))",
    rules: &["{gy} · {c} · slope / n", "{gy} · {c} · slope / n"],
    doc: "binary_cross_entropy_with_logits with weights; F chooses it where any are given.",
    params: &[
        INPUT,
        TARGET,
        param("weight", Tensor),
        param("pos_weight", Tensor),
        REDUCTIONS,
    ],
    infer: infer_same,
    kind: Kind::Composite(|c| {
        let (x, t) = (&c.src[0], &c.src[1]);
        let log_weight = (&c.src[3] - 1.0) * t + 1.0;
        // ln(1 + e^−x), which overflows nowhere.
        let soft = (-x.abs()).exp().log1p() + (-x).maximum(&x.number(0.0));
        let losses = ((1.0 - t) * x + log_weight * soft) * &c.src[2];
        Ok(reduce(losses, c.attr(0).as_str()))
    }),
    vjp: Vjp::Lowered,
    saves: [SAVE_A | SAVE_B | SAVE_C | SAVE_D; 3],
    samples: samples(&[
        "[2,3] [2,3] [3]@0.5..2 [3]@0.5..2",
        "[2,3] [2,3] []@0.5..2 [2,3]@0.5..2 reduction='none'",
    ]),
    example: example(
        "F.binary_cross_entropy_with_logits(torch.zeros(2), torch.ones(2), pos_weight=torch.tensor([2.0, 1.0]))",
    ),
    ..PAIR
};

/// b (ln b − a): how far b is from the distribution whose logarithm is a (Kullback & Leibler 1951).
pub static KL_DIV: Op = Op {
    name: "kl_div",
    grad_fn: "MeanBackward0",
    grad_fn_for: |node| {
        Some(match (node.attrs[0].as_str(), node.attrs[1].as_bool()) {
            ("sum", _) => "SumBackward0",
            ("none", false) => "SubBackward0",
            ("none", true) => "MulBackward0",
            ("batchmean", _) => "DivBackward0",
            _ => "MeanBackward0",
        })
    },
    symbol: "kl",
    formula: "y = mean b · (ln b − a)",
    rules: &["−{gy} · {b} / n", "{gy} · (ln {b} + 1 − {a}) / n"],
    doc: "How far the target distribution is from that whose logarithms are the input.",
    params: &[
        INPUT,
        TARGET,
        optional(
            "reduction",
            Word(&["mean", "sum", "none", "batchmean"]),
            Attr::Str("mean"),
        ),
        optional("log_target", Bool, Attr::Bool(false)),
    ],
    kind: Kind::Composite(|c| {
        let (x, t) = (&c.src[0], &c.src[1]);
        let losses = match c.attr(1).as_bool() {
            true => t.exp() * (t - x),
            false => {
                let zero = t.number(0.0);
                t.eq(&zero).select(&zero, &(t * t.log())) - t * x
            }
        };
        Ok(kl_reduce(losses, &c.src[0], c.attr(0).as_str()))
    }),
    vjp: Vjp::Rule(|b| {
        let (x, t) = (&b.src[0], &b.src[1]);
        let shape = shape::broadcast(b.node.op.name, x.shape(), t.shape())?;
        let gy = match b.attr(0).as_str() {
            "batchmean" => (&b.gy / batch(x)).expand(&shape),
            reduction => spread(&b.gy, &shape, reduction),
        };
        if b.attr(1).as_bool() {
            let share = &gy * t.exp();
            let target = || &share * (t - x) + &share;
            return Ok(smallvec![
                b.needs(0).then(|| -&share),
                b.needs(1).then(target)
            ]);
        }
        let target = || {
            let zero = t.number(0.0);
            // 0 · ln 0 is 0, but its slope is not: t / t is NaN there, as in PyTorch.
            &gy * t.eq(&zero).select(&zero, &t.log()) + &gy * t / t - &gy * x
        };
        Ok(smallvec![
            b.needs(0).then(|| -(&gy * t)),
            b.needs(1).then(target)
        ])
    }),
    samples: samples(&[
        "[2,3] [2,3]@0.1..1",
        "[2,3] [2,3]@0.1..1 reduction='batchmean'",
        "[2,3] [3]@-2..0 reduction='none' log_target=true",
        "[2,3] [2,3]@-2..0 reduction='sum' log_target=true",
    ]),
    example: example(
        "F.kl_div(torch.tensor([0.5, 0.5]).log(), torch.tensor([0.9, 0.1]), reduction=\"sum\")",
    ),
    saves: [SAVE_B, SAVE_A | SAVE_B, 0],
    ..PAIR
};

/// How many samples an input holds.
fn batch(x: &GraphValue) -> f64 {
    x.shape().first().map_or(1.0, |&n| n as f64)
}

fn kl_reduce(losses: GraphValue, x: &GraphValue, reduction: &str) -> GraphValue {
    match reduction {
        "batchmean" => reduce(losses, "sum") / batch(x),
        reduction => reduce(losses, reduction),
    }
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

/// eᵃ − b a: counts that follow a Poisson distribution.
pub static POISSON_NLL_LOSS: Op = Op {
    name: "poisson_nll_loss",
    grad_fn: "MeanBackward0",
    grad_fn_for: |node| {
        Some(match (node.attrs[3].as_str(), node.attrs[1].as_bool()) {
            ("sum", _) => "SumBackward0",
            ("none", true) => "AddBackward0",
            ("none", false) => "SubBackward0",
            _ => "MeanBackward0",
        })
    },
    symbol: "poisson",
    formula: "y = mean e^a − b · a",
    rules: &["{gy} · (e^{a} − {b}) / n", "−{gy} · {a} / n"],
    doc: "The negative log-likelihood of counts, from the logarithms of how many are expected.",
    params: &[
        INPUT,
        TARGET,
        optional("log_input", Bool, Attr::Bool(true)),
        optional("full", Bool, Attr::Bool(false)),
        optional("eps", Float, Attr::Float(1e-8)),
        REDUCTIONS,
    ],
    infer: |op, src, attrs| infer_pair(op, src, attrs, 3),
    kind: Kind::Composite(|c| {
        let (x, t) = (&c.src[0], &c.src[1]);
        let mut losses = match c.attr(0).as_bool() {
            true => x.exp() - t * x,
            false => x - t * (x + c.attr(2).as_float()).log(),
        };
        if c.attr(1).as_bool() {
            // Stirling's approximation of ln b!
            let stirling = t * t.log() - t + 0.5 * (t * (2.0 * std::f64::consts::PI)).log();
            let few = t.le(&t.number(1.0));
            losses = losses + few.select(&t.number(0.0), &stirling);
        }
        Ok(reduce(losses, c.attr(3).as_str()))
    }),
    vjp: Vjp::Lowered,
    samples: samples(&[
        "[2,3] [2,3]@0..3",
        "[4]@0.5..2 [4]@0..3 log_input=false reduction='none'",
        "[4] [4]@1.5..3 full=true reduction='sum'",
    ]),
    example: example("F.poisson_nll_loss(torch.tensor([0.0, 1.0]), torch.tensor([1.0, 2.0]))"),
    saves: [SAVE_B, SAVE_A, 0],
    reads: SAVE_A | SAVE_B,
    ..PAIR
};
