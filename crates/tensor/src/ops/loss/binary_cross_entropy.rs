//! The cross-entropy of yes-or-no targets: `binary_cross_entropy`, `binary_cross_entropy_with_logits`.

use smallvec::smallvec;

use crate::graph::{GraphValue, Operand};
use crate::node::NodeRef;
use crate::op::ParamKind::Tensor;
use crate::op::{
    Attr, Attrs, Counts, Kind, Meta, Op, PythonFace, SAVE_A, SAVE_B, SAVE_C, SAVE_D, Vjp, example,
    face, optional, param, samples,
};
use crate::ops::expect_float;
use crate::ops::loss::{INPUT, PAIR, REDUCTIONS, TARGET, average, reduce, reduced};
use crate::ops::shared::on;
use crate::{Error, Result, shape};

/// The ops of this family.
pub static OPS: &[&Op] = &[
    &BINARY_CROSS_ENTROPY,
    &BCE_WITH_LOGITS,
    &BCE_WITH_LOGITS_WEIGHTED,
];

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

/// `−[b ln a + (1 − b) ln (1 − a)]`
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
        let gy = b.gy.expand(x.shape());
        let whole = |gradient: GraphValue| {
            let gradient = match b.src.get(2) {
                Some(weight) => gradient * weight,
                None => gradient,
            };
            average(gradient, b.attr(0).as_str())
        };
        let input = || {
            let both = (1.0 - x) * x;
            let least = both.number(1e-12);
            let both = both.lt(&least).select(&least, &both);
            whole(&gy * (x - t) / both)
        };
        let target = || {
            let logit = x.call(&crate::ops::normal::LOGIT, &[], smallvec![Attr::None]);
            whole(-logit * &gy)
        };
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

/// `−[b ln σ(a) + (1 − b) ln (1 − σ(a))]`
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
        let losses = (1.0 - t) * x - on(x, &crate::ops::sigmoid::LOGSIGMOID);
        Ok(reduce(losses, c.attr(0).as_str()))
    }),
    vjp: Vjp::Rule(|b| {
        let (x, t, reduction) = (&b.src[0], &b.src[1], b.attr(0).as_str());
        let gy = b.gy.expand(x.shape());
        Ok(smallvec![
            b.needs(0)
                .then(|| average((x.sigmoid() - t) * &gy, reduction)),
            b.needs(1).then(|| average(-(&gy * x), reduction)),
        ])
    }),
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
    functional: false,
    ..PAIR
};
