//! Losses of distributions and counts: `kl_div`, `poisson_nll_loss`.
//!
//! PyTorch composes them of other ops, and so do we: edge cases come out the same.

use smallvec::smallvec;

use crate::graph::GraphValue;
use crate::op::ParamKind::{Bool, Float, Word};
use crate::op::{Attr, Kind, Op, SAVE_A, SAVE_B, Vjp, example, optional, samples};
use crate::ops::loss::{INPUT, PAIR, REDUCTIONS, TARGET, infer_pair, reduce, spread};
use crate::shape;

/// The ops of this family.
pub static OPS: &[&Op] = &[&KL_DIV, &POISSON_NLL_LOSS];

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
