//! Activations without corners, or with one at 0: the family of `elu`, `logsigmoid`, `mish`,
//! `softsign` and `prelu`. What `activation` holds came first; those made of straight lines are in
//! `hard`.

use smallvec::smallvec;

use crate::body;
use crate::graph::GraphValue;
use crate::op::ParamKind::{Float, Tensor};
use crate::op::{Attr, Kind, Op, Out, SAVE_A, SAVE_B, Vjp, example, optional, param, samples};
use crate::op::{PythonFace, face};
use crate::ops::shared::{floats_only, narrow, on, wide};
use crate::ops::{BASE, UNARY, grad1, same_as_first};
use crate::shape;
use crate::{Error, Result};

/// The ops of this family.
pub static OPS: &[&Op] = &[&LOGSIGMOID, &SELU, &CELU, &MISH, &SOFTSIGN, &PRELU];

/// The gradient of `elu` and its kin: `gy · scale` above 0, `gy · alpha · rate · e^(rate · a)` below.
/// An op of its own, so that its gradient is 0 above without a detour through the exponential.
pub(crate) static ELU_BACKWARD: Op = Op {
    name: "elu_backward",
    grad_fn: "EluBackwardBackward0",
    symbol: "elu′",
    formula: "y = a · scale where b > 0, else a · alpha · rate · e^(rate · b)",
    rules: &[
        "{gy} · scale where {b} > 0, else {gy} · alpha · rate · e^(rate · {b})",
        "0 where {b} ≥ 0, else {gy} · {a} · alpha · rate² · e^(rate · {b})",
    ],
    doc: "The gradient of elu.",
    params: &[
        param("grad_output", Tensor),
        param("input", Tensor),
        param("alpha", Float),
        param("scale", Float),
        param("rate", Float),
    ],
    infer: same_as_first,
    kind: Kind::Elementwise(body!(|gy, x, alpha, scale, rate| {
        let slope = alpha.mul(rate).mul(&x.mul(rate).exp());
        gy.mul(&x.constant(0.0).lt(x).select(scale, &slope))
    })),
    vjp: Vjp::Rule(|b| {
        let [alpha, scale, rate] = [0, 1, 2].map(|i| b.attr(i).as_float());
        let (v, gy, x) = (&b.gy, wide(&b.src[0]), wide(&b.src[1]));
        let first = || elu_gradient(v, &b.src[1], [alpha, scale, rate]);
        let second = || {
            let bend = (&x * rate).exp() * (alpha * rate * rate);
            let zero = x.number(0.0);
            // The bend belongs to what lies strictly below 0.
            narrow(b, &(wide(v) * &gy * x.ge(&zero).select(&zero, &bend)))
        };
        Ok(smallvec![b.needs(0).then(first), b.needs(1).then(second)])
    }),
    saves: [SAVE_A | SAVE_B; 3],
    method: false,
    ..BASE
};

/// `gy` times the slope of `scale · x` above 0 and `alpha · (e^(rate · x) − 1)` below.
pub(crate) fn elu_gradient(
    gy: &GraphValue,
    x: &GraphValue,
    [alpha, scale, rate]: [f64; 3],
) -> GraphValue {
    let attrs = smallvec![Attr::Float(alpha), Attr::Float(scale), Attr::Float(rate)];
    gy.call(&ELU_BACKWARD, &[x], attrs)
}

/// ln σ(x)
pub static LOGSIGMOID: Op = Op {
    name: "logsigmoid",
    grad_fn: "LogSigmoidBackward0",
    symbol: "ln σ",
    formula: "y = ln(1 / (1 + e^−a))",
    rules: &["{gy} · σ(−{a})"],
    doc: "The logarithm of each element's sigmoid, exact where that is near 0.",
    check: floats_only,
    kind: Kind::Elementwise(body!(|x| {
        let low = x.constant(0.0).min(x);
        low.sub(&x.abs().neg().exp().log1p())
    })),
    vjp: Vjp::Rule(|b| grad1(narrow(b, &(wide(&b.gy) * (-wide(&b.src[0])).sigmoid())))),
    saves: [SAVE_A; 3],
    method: false,
    ..UNARY
};

/// From Klambauer et al. 2017: with these two numbers activations keep mean 0 and variance 1.
const SELU_ALPHA: f64 = 1.673_263_242_354_377_2;
const SELU_SCALE: f64 = 1.050_700_987_355_480_5;

/// scale · x where positive, scale · alpha · (eˣ − 1) elsewhere.
pub static SELU: Op = Op {
    name: "selu",
    python: face(&PythonFace {
        of_torch: true,
        ..PythonFace::PLAIN
    }),
    grad_fn: "EluBackward0",
    symbol: "selu",
    formula: "y = 1.0507 · (a where a > 0, else 1.6733 · (e^a − 1))",
    rules: &["1.0507 · {gy} where {a} > 0, else 1.7581 · {gy} · e^{a}"],
    doc: "A scaled elu that keeps mean 0 and variance 1 from layer to layer.",
    check: floats_only,
    kind: Kind::Elementwise(body!(|x| {
        let zero = x.constant(0.0);
        let low = x.expm1().mul(&x.constant(SELU_ALPHA * SELU_SCALE));
        x.lt(&zero).select(&low, &x.mul(&x.constant(SELU_SCALE)))
    })),
    vjp: Vjp::Rule(|b| {
        let numbers = [SELU_ALPHA * SELU_SCALE, SELU_SCALE, 1.0];
        grad1(elu_gradient(&b.gy, &b.src[0], numbers))
    }),
    saves: [SAVE_A; 3],
    method: false,
    out: Out::None,
    ..UNARY
};

/// x where positive, alpha · (e^(x / alpha) − 1) elsewhere.
pub static CELU: Op = Op {
    name: "celu",
    python: face(&PythonFace {
        of_torch: true,
        ..PythonFace::PLAIN
    }),
    grad_fn: "CeluBackward0",
    symbol: "celu",
    formula: "y = a where a > 0, else alpha · (e^(a / alpha) − 1)",
    rules: &["{gy} where {a} > 0, else {gy} · e^({a} / alpha)"],
    doc: "An elu whose slope is 1 on both sides of 0, whatever alpha is.",
    params: &[
        param("input", Tensor),
        optional("alpha", Float, Attr::Float(1.0)),
    ],
    check: floats_only,
    infer: |op, src, attrs| {
        if attrs[0].as_float() == 0.0 {
            return Err(Error::runtime(
                "celu: ZeroDivisionError: alpha cannot be 0; use relu",
            ));
        }
        same_as_first(op, src, attrs)
    },
    kind: Kind::Elementwise(body!(|x, alpha| {
        let low = x.div(alpha).expm1().mul(alpha);
        x.lt(&x.constant(0.0)).select(&low, x)
    })),
    vjp: Vjp::Rule(|b| {
        let alpha = b.attr(0).as_float();
        grad1(elu_gradient(&b.gy, &b.src[0], [alpha, 1.0, 1.0 / alpha]))
    }),
    saves: [SAVE_A; 3],
    samples: samples(&["[3,4]", "[5] 0.3"]),
    method: false,
    out: Out::None,
    ..UNARY
};

/// x · tanh(ln(1 + eˣ))
pub static MISH: Op = Op {
    name: "mish",
    grad_fn: "MishBackward0",
    symbol: "mish",
    formula: "y = a · tanh(ln(1 + e^a))",
    rules: &["{gy} · (t + {a} · σ({a}) · (1 − t²)), t = tanh(ln(1 + e^{a}))"],
    doc: "Each element times the tanh of its softplus.",
    check: floats_only,
    kind: Kind::Elementwise(body!(|x| x.mul(&x.exp().log1p().tanh()))),
    vjp: Vjp::Rule(|b| {
        let x = wide(&b.src[0]);
        let softplus = x.call(
            &crate::ops::activation::SOFTPLUS,
            &[],
            smallvec![Attr::Float(1.0), Attr::Float(20.0)],
        );
        let t = softplus.tanh();
        let slope = &t + &x * x.sigmoid() * (1.0 - &t * &t);
        grad1(narrow(b, &(wide(&b.gy) * slope)))
    }),
    saves: [SAVE_A; 3],
    method: false,
    ..UNARY
};

/// x / (1 + |x|)
pub static SOFTSIGN: Op = Op {
    name: "softsign",
    grad_fn: "DivBackward0",
    symbol: "softsign",
    formula: "y = a / (1 + |a|)",
    rules: &["{gy} / (1 + |{a}|)²"],
    doc: "Squeezes every number into −1 … 1, more slowly than tanh.",
    kind: Kind::Composite(|c| {
        let x = wide(&c.src[0]);
        Ok((&x / (x.abs() + 1.0)).to(c.node.dtype))
    }),
    vjp: Vjp::Lowered,
    method: false,
    saves: [SAVE_A; 3],
    ..UNARY
};

/// x where positive, weight · x elsewhere; the weight is one number or one for each channel.
pub static PRELU: Op = Op {
    name: "prelu",
    grad_fn: "PreluKernelBackward0",
    symbol: "prelu",
    formula: "y = a where a > 0, else b · a",
    rules: &[
        "{gy} where {a} > 0, else {b} · {gy}",
        "0 where {a} > 0, else {a} · {gy}, summed over a channel",
    ],
    doc: "Each element, or a learned part of it where it is negative: one weight, or one for each channel.",
    params: &[param("input", Tensor), param("weight", Tensor)],
    check: floats_only,
    infer: |op, src, attrs| {
        let (x, weight) = (&src[0], &src[1]);
        if weight.dtype != x.dtype {
            return Err(Error::runtime(format!(
                "prelu: expected weight in the dtype of input, {}, got {}; convert one of them with .to()",
                x.dtype, weight.dtype
            )));
        }
        if weight.shape.len() > 1 {
            return Err(Error::runtime(format!(
                "prelu: expected weight to be a scalar or a 1-dimensional tensor, got shape {}",
                shape::show(&weight.shape)
            )));
        }
        if weight.numel() != 1 {
            channels(&x.shape, weight.numel())?;
        }
        same_as_first(op, src, attrs)
    },
    kind: Kind::Composite(|c| {
        let (x, weight) = (&c.src[0], &c.src[1]);
        let n = weight.node().numel();
        let mut sizes = shape::Shape::from_elem(1, x.shape().len());
        if n != 1 {
            // One dimension without elements has no channels.
            let channels = usize::from(sizes.len() > 1);
            sizes[channels] = n;
        }
        let weight = weight.reshape(&sizes);
        Ok(x.call(&PRELU_KERNEL, &[&weight], smallvec![]))
    }),
    vjp: Vjp::Lowered,
    saves: [SAVE_A | SAVE_B; 3],
    domain: (-2.0, 2.0),
    samples: samples(&["[2,3] [3]", "[2,3,2] [1]", "[4] [1]"]),
    example: example("torch.prelu(torch.tensor([-2.0, 1.0]), torch.tensor([0.25]))"),
    out: Out::None,
    ..BASE
};

fn channels(input: &[usize], weights: usize) -> Result<()> {
    let Some(&first) = input.first() else {
        return Err(Error::runtime(format!(
            "prelu: {weights} weights do not fit a tensor without dimensions; use one weight"
        )));
    };
    let n = if input.len() > 1 {
        input[1]
    } else {
        first.min(1)
    };
    if n != weights {
        return Err(Error::runtime(format!(
            "prelu: {weights} weights do not fit {n} channels of an input of shape {}; use one weight, or one for each channel (dimension 1)",
            shape::show(input)
        )));
    }
    Ok(())
}

/// `prelu` of a weight that broadcasts.
static PRELU_KERNEL: Op = Op {
    name: "prelu_kernel",
    grad_fn: "PreluKernelBackward0",
    promote: crate::op::Promote::Keep,
    infer: same_as_first,
    kind: Kind::Elementwise(body!(|x, weight| {
        x.constant(0.0).lt(x).select(x, &weight.mul(x))
    })),
    vjp: Vjp::Rule(|b| {
        let (x, weight) = (&b.src[0], &b.src[1]);
        let zero = b.gy.number(0.0);
        let positive = x.gt(&zero);
        // At 0 both slopes are those of the lower side, and do not bend any more.
        let straight = |v: &GraphValue| {
            let flat = on(v, &crate::ops::convert::DETACH);
            x.ge(&zero).select(&flat, v)
        };
        Ok(smallvec![
            b.needs(0)
                .then(|| positive.select(&b.gy, &(straight(weight) * &b.gy))),
            b.needs(1)
                .then(|| positive.select(&zero, &(straight(x) * &b.gy))),
        ])
    }),
    saves: [SAVE_A | SAVE_B; 3],
    ..PRELU
};
