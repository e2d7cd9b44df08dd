//! Losses of a difference: `mse_loss`, `l1_loss`, `smooth_l1_loss`, `huber_loss`.

use smallvec::smallvec;

use crate::Error;
use crate::dtype::DType;
use crate::graph::GraphValue;
use crate::op::ParamKind::Float;
use crate::op::{
    Attr, Attrs, Backprop, Counts, Grads, Kind, Op, SAVE_A, SAVE_B, Vjp, example, optional, samples,
};
use crate::ops::BASE;
use crate::ops::loss::{INPUT, PAIR, REDUCTIONS, TARGET, infer_pair, reduce, share, spread};
use crate::ops::shared::{held, narrow, wide};

/// The ops of this family.
pub static OPS: &[&Op] = &[&MSE_LOSS, &L1_LOSS, &SMOOTH_L1_LOSS, &HUBER_LOSS];

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
        let (x, t) = (&b.src[0], &b.src[1]);
        let side = |off: GraphValue| share(&(off * 2.0), &b.gy, b.attr(0).as_str());
        Ok(smallvec![
            b.needs(0).then(|| side(x - t)),
            b.needs(1).then(|| side(t - x))
        ])
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

/// A difference cut off at a bound either way (attribute 0) and divided by a number (attribute 1): the slope of a
/// loss that is squared near 0 and absolute far from it.
static CUT: Op = Op {
    name: "cut",
    kind: Kind::Composite(|c| {
        let (x, bound) = (&c.src[0], c.attr(0).as_float());
        let far = x.abs().ge(&x.number(bound));
        Ok(far.select(&(x.sign() * bound), x) / c.attr(1).as_float())
    }),
    vjp: Vjp::Rule(|b| {
        let (x, bound) = (&b.src[0], b.attr(0).as_float());
        // A product, not a choice: a slope of 0 keeps the sign of the gradient, as in PyTorch.
        let near = x.abs().lt(&x.number(bound)).to(x.dtype());
        crate::ops::grad1(&b.gy * near / b.attr(1).as_float())
    }),
    method: false,
    ..BASE
};

/// The gradients of a loss of `a − b`, of these operands, that is squared up to a bound: each operand's from its own
/// side, so that zeros have PyTorch's signs.
fn cut_grads(b: &Backprop, [x, t]: [&GraphValue; 2], bound: f64, divisor: f64) -> Grads {
    if bound == 0.0 {
        // PyTorch's is the absolute difference then.
        let off = x - t;
        let grad = spread(&b.gy, off.shape(), b.attr(0).as_str()) * off.sign();
        return smallvec![Some(grad.clone()), b.needs(1).then(|| -grad)];
    }
    let side = |off: GraphValue| {
        let attrs = smallvec![Attr::Float(bound), Attr::Float(divisor)];
        let slope = off.call(&CUT, &[], attrs);
        let gy = b.gy.to(slope.dtype());
        narrow(b, &share(&slope, &gy, b.attr(0).as_str()))
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
        // PyTorch rounds float16 after each operation, and bfloat16 once.
        let off = match c.node.dtype {
            DType::BF16 => wide(&c.src[0]) - wide(&c.src[1]),
            _ => &c.src[0] - &c.src[1],
        };
        let off = off.abs();
        let beta = held(number(&c.node.attrs), off.dtype());
        let losses = if beta == 0.0 {
            off
        } else {
            let near = off.lt(&off.number(beta));
            near.select(&(&off * 0.5 * &off / beta), &(&off - 0.5 * beta))
        };
        Ok(reduce(losses.to(c.node.dtype), c.attr(0).as_str()))
    }),
    vjp: Vjp::Rule(|b| {
        let beta = number(&b.node.attrs);
        Ok(cut_grads(
            b,
            [&wide(&b.src[0]), &wide(&b.src[1])],
            beta,
            beta,
        ))
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
        // PyTorch rounds float16 once, and bfloat16 after each operation.
        let off = match c.node.dtype {
            DType::F16 => wide(&c.src[0]) - wide(&c.src[1]),
            _ => &c.src[0] - &c.src[1],
        };
        let off = off.abs();
        let near = off.le(&off.number(delta));
        let losses = near.select(&(&off * &off * 0.5), &((&off - 0.5 * delta) * delta));
        Ok(reduce(losses.to(c.node.dtype), c.attr(0).as_str()))
    }),
    vjp: Vjp::Rule(|b| {
        let delta = held(number(&b.node.attrs), b.gy.dtype());
        Ok(cut_grads(b, [&b.src[0], &b.src[1]], delta, 1.0))
    }),
    samples: samples(&[
        "[2,3] [2,3]",
        "[2,3] [3] reduction='none' delta=0.5",
        "[4] [4] reduction='sum' delta=2.0",
    ]),
    example: example("F.huber_loss(torch.tensor([0.5, 3.0]), torch.zeros(2))"),
    ..PAIR
};
