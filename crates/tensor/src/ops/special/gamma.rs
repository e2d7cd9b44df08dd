//! The gamma function and its kin: `lgamma`, `digamma`, `polygamma`, `mvlgamma`, the incomplete `igamma` and `igammac`,
//! and Hurwitz's `zeta`.

use std::f64::consts::PI;

use smallvec::smallvec;

use super::{ONE, TWO, compute, no_derivative};
use crate::graph::GraphValue;
use crate::kernel::Special;
use crate::op::ParamKind::{Int, Tensor};
use crate::op::{
    Attr, Backprop, Grads, Infinities, Kind, Op, Poles, PythonFace, SAVE_A, SAVE_B, Vjp, example,
    face, param, samples,
};
use crate::ops::grad1;
use crate::ops::shared::{narrow, on, on2, wide};
use crate::{Error, Result};

/// The ops of this family.
pub static OPS: &[&Op] = &[
    &LGAMMA, &DIGAMMA, &POLYGAMMA, &MVLGAMMA, &IGAMMA, &IGAMMAC, &ZETA,
];

/// ln |Γ(x)|
pub static LGAMMA: Op = Op {
    name: "lgamma",
    grad_fn: "LgammaBackward0",
    symbol: "ln Γ",
    formula: "y = ln |Γ(a)|",
    rules: &["{gy} · ψ({a})"],
    doc: "The logarithm of the gamma function of each element, within 3 units in the last place (near its roots below 0, as near as 1 would be).",
    kind: Kind::Composite(|c| Ok(compute(c, Special::Lgamma))),
    vjp: Vjp::Rule(|b| {
        let x = wide(&b.src[0]);
        grad1(narrow(b, &(wide(&b.gy) * on(&x, &DIGAMMA))))
    }),
    saves: [SAVE_A; 3],
    domain: (0.2, 4.0),
    method: true,
    example: example("torch.lgamma(torch.tensor([0.5, 1.0, 5.0]))"),
    poles: Poles::Elsewhere,
    ..ONE
};

/// ψ(x), the derivative of lgamma.
pub static DIGAMMA: Op = Op {
    name: "digamma",
    grad_fn: "DigammaBackward0",
    symbol: "ψ",
    formula: "y = ψ(a) = Γ′(a) / Γ(a)",
    rules: &["{gy} · ψ₁({a})"],
    doc: "The derivative of the logarithm of the gamma function, within 6 units in the last place (near its roots below 0, as near as 1 would be).",
    kind: Kind::Composite(|c| Ok(compute(c, Special::Digamma))),
    vjp: Vjp::Rule(|b| {
        let slope = polygamma(&wide(&b.src[0]), 1);
        grad1(narrow(b, &(wide(&b.gy) * slope)))
    }),
    poles: Poles::Zero(0),
    example: example("torch.digamma(torch.tensor([0.5, 1.0, 5.0]))"),
    ..LGAMMA
};

fn polygamma(x: &GraphValue, n: i64) -> GraphValue {
    x.call(&POLYGAMMA, &[], smallvec![Attr::Int(n)])
}

/// The n-th derivative of digamma.
pub static POLYGAMMA: Op = Op {
    name: "polygamma",
    grad_fn: "PolygammaBackward0",
    symbol: "ψₙ",
    formula: "y = ψ⁽ⁿ⁾(a)",
    rules: &["{gy} · ψ⁽ⁿ⁺¹⁾({a})"],
    doc: "The n-th derivative of digamma of each element; n is 0 or more.",
    params: &[param("input", Tensor), param("n", Int)],
    infer: |op, src, attrs| {
        let n = attrs[0].as_int();
        if n < 0 {
            return Err(Error::runtime(
                "polygamma(n, x) does not support negative n.",
            ));
        }
        crate::ops::same_as_first(op, src, attrs)
    },
    kind: Kind::Composite(|c| {
        let n = c.attr(0).as_int();
        match n {
            0 => return Ok(compute(c, Special::Digamma)),
            1 => return Ok(compute(c, Special::Trigamma)),
            _ => {}
        }
        // (−1)^(n + 1) n! ζ(n + 1, x)
        let factor: f64 = (2..=n.min(200)).map(|k| k as f64).product();
        let sign = if n % 2 == 0 { -1.0 } else { 1.0 };
        let x = wide(&c.src[0]);
        let zeta = on2(&x.number(n as f64 + 1.0), &ZETA, &x);
        Ok((zeta * (sign * factor)).to(c.node.dtype))
    }),
    vjp: Vjp::Rule(|b| {
        let slope = polygamma(&wide(&b.src[0]), b.attr(0).as_int().saturating_add(1));
        grad1(narrow(b, &(wide(&b.gy) * slope)))
    }),
    python: face(&PythonFace {
        signature: "(n, input)",
        has_method: true,
        ..PythonFace::PLAIN
    }),
    samples: samples(&["[2,3] 1", "[4] 2", "[3] 0", "[] 3"]),
    example: example("torch.polygamma(1, torch.tensor([0.5, 1.0, 5.0]))"),
    ..LGAMMA
};

/// The multivariate lgamma.
pub static MVLGAMMA: Op = Op {
    name: "mvlgamma",
    grad_fn: "MvlgammaBackward0",
    symbol: "ln Γₚ",
    formula: "y = p (p − 1) / 4 · ln π + Σ ln Γ(a − j / 2), j from 0 to p − 1",
    rules: &["{gy} · Σ ψ({a} − j / 2)"],
    doc: "The logarithm of the multivariate gamma function of dimension p; elements are greater than (p − 1) / 2.",
    params: &[param("input", Tensor), param("p", Int)],
    infer: |op, src, attrs| {
        if attrs[0].as_int() < 1 {
            return Err(Error::runtime(
                "mvlgamma: p has to be greater than or equal to 1",
            ));
        }
        if attrs[0].as_int() > 10_000 {
            return Err(Error::runtime("mvlgamma: p is at most 10000 here"));
        }
        crate::ops::same_as_first(op, src, attrs)
    },
    kind: Kind::Composite(|c| {
        let p = c.attr(0).as_int() as f64;
        let sum = halves(&wide(&c.src[0]), c.attr(0), &LGAMMA);
        Ok((sum + p * (p - 1.0) / 4.0 * PI.ln()).to(c.node.dtype))
    }),
    vjp: Vjp::Rule(|b| {
        let slope = halves(&wide(&b.src[0]), b.attr(0), &DIGAMMA);
        grad1(narrow(b, &(wide(&b.gy) * slope)))
    }),
    domain: (1.3, 4.0),
    poles: Poles::Elsewhere,
    samples: samples(&["[2,3] 3", "[4] 1", "[] 2"]),
    example: example("torch.mvlgamma(torch.tensor([2.0, 3.0]), 2)"),
    ..LGAMMA
};

/// The sum of a function at a, a − ½, … a − (p − 1) / 2.
fn halves(x: &GraphValue, p: &Attr, function: &'static Op) -> GraphValue {
    let first = on(x, function);
    (1..p.as_int()).fold(first, |sum, j| sum + on(&(x - j as f64 / 2.0), function))
}

/// P(a, x)
pub static IGAMMA: Op = Op {
    name: "igamma",
    grad_fn: "IgammaBackward0",
    symbol: "P",
    formula: "y = ∫ t^(a − 1) e^−t dt / Γ(a), t from 0 to b",
    rules: &["", "{gy} · {b}^({a} − 1) · e^−{b} / Γ({a})"],
    doc: "The share of the gamma function's integral below the second tensor, for positive numbers; within some 100 units in the last place.",
    kind: Kind::Composite(|c| Ok(compute(c, Special::Gammainc))),
    vjp: Vjp::Rule(|b| incomplete(b, "igamma: input", 1.0)),
    saves: [SAVE_A | SAVE_B; 3],
    domain: (0.3, 4.0),
    method: true,
    samples: samples(&["[]>3 [2]", "[2,3]>3 [2,3]", "[3,1]>3 [2,1,4]"]),
    example: example("torch.igamma(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 3.0]))"),
    infinities: Infinities::MasksPlus,
    ..TWO
};

/// Q(a, x) = 1 − P(a, x)
pub static IGAMMAC: Op = Op {
    name: "igammac",
    grad_fn: "IgammacBackward0",
    symbol: "Q",
    formula: "y = ∫ t^(a − 1) e^−t dt / Γ(a), t from b on",
    rules: &["", "−{gy} · {b}^({a} − 1) · e^−{b} / Γ({a})"],
    doc: "The share of the gamma function's integral beyond the second tensor, for positive numbers; within some 100 units in the last place.",
    kind: Kind::Composite(|c| Ok(compute(c, Special::Gammaincc))),
    vjp: Vjp::Rule(|b| incomplete(b, "igammac: input", -1.0)),
    example: example("torch.igammac(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 3.0]))"),
    ..IGAMMA
};

/// The density of the gamma distribution.
fn incomplete(b: &Backprop, name: &str, sign: f64) -> Result<Grads> {
    if b.needs(0) {
        return Err(no_derivative(name));
    }
    let (a, x) = (wide(&b.src[0]), wide(&b.src[1]));
    let density = ((&a - 1.0) * x.log() - &x - on(&a, &LGAMMA)).exp();
    let gradient = narrow(b, &(wide(&b.gy) * density * sign));
    Ok(smallvec![None, Some(gradient)])
}

/// ζ(s, q)
pub static ZETA: Op = Op {
    name: "zeta",
    grad_fn: "SpecialZetaBackward0",
    symbol: "ζ",
    formula: "y = Σ 1 / ({b} + k)^a, k from 0",
    rules: &["", "−{gy} · {a} · ζ({a} + 1, {b})"],
    doc: "The zeta function of Hurwitz, within 4 units in the last place.",
    kind: Kind::Composite(|c| Ok(compute(c, Special::Zeta))),
    vjp: Vjp::Rule(|b| {
        if b.needs(0) {
            return Err(no_derivative("zeta"));
        }
        let (s, q) = (wide(&b.src[0]), wide(&b.src[1]));
        let slope = on2(&(&s + 1.0), &ZETA, &q) * &s * -1.0;
        Ok(smallvec![None, Some(narrow(b, &(wide(&b.gy) * slope)))])
    }),
    numbers: SAVE_A,
    samples: samples(&["3 [2,3]", "2 [4]", "5 []"]),
    example: example("torch.special.zeta(2.0, torch.tensor([1.0, 2.0]))"),
    method: false,
    poles: Poles::Elsewhere,
    ..IGAMMA
};
