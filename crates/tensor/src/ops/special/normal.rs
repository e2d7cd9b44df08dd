//! The normal distribution and the error function inverted and scaled, entropies, `logit` and `sinc`.

use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_SQRT_PI, PI};

use smallvec::smallvec;

use super::{ONE, TWO, compute};
use crate::body;
use crate::kernel::Special;
use crate::op::ParamKind::{Float, Tensor};
use crate::op::{
    Attr, Infinities, Kind, Op, Poles, SAVE_A, SAVE_B, SAVE_Y, Vjp, example, optional, param,
    samples,
};
use crate::ops::grad1;
use crate::ops::shared::{narrow, on, on2, wide};

/// The ops of this family.
pub static OPS: &[&Op] = &[
    &ERFINV, &ERFCX, &NDTR, &LOG_NDTR, &NDTRI, &LOGIT, &SINC, &ENTR, &XLOG1PY,
];

/// √π / 2
const HALF_ROOT_PI: f64 = 1.0 / FRAC_2_SQRT_PI;

/// The inverse of erf.
pub static ERFINV: Op = Op {
    name: "erfinv",
    grad_fn: "ErfinvBackward0",
    symbol: "erf⁻¹",
    formula: "y with erf y = a",
    rules: &["{gy} · √π/2 · exp({y}²)"],
    doc: "The number whose error function is each element, from −1 to 1; within 2 units in the last place.",
    kind: Kind::Composite(|c| Ok(compute(c, Special::Erfinv))),
    vjp: Vjp::Rule(|b| {
        let y = on(&wide(&b.src[0]), &ERFINV);
        let slope = (&y * &y).exp() * HALF_ROOT_PI;
        grad1(narrow(b, &(wide(&b.gy) * slope)))
    }),
    saves: [SAVE_A; 3],
    domain: (-0.9, 0.9),
    method: true,
    poles: Poles::Elsewhere,
    example: example("torch.erfinv(torch.tensor([-0.5, 0.0, 0.9]))"),
    ..ONE
};

/// e^(x²) erfc x
pub static ERFCX: Op = Op {
    name: "erfcx",
    grad_fn: "SpecialErfcxBackward0",
    symbol: "erfcx",
    formula: "y = exp(a²) · (1 − erf a)",
    rules: &["{gy} · (2 {a} {y} − 2/√π)"],
    doc: "The complement of the error function without its decay, within 5 units in the last place.",
    kind: Kind::Composite(|c| Ok(compute(c, Special::Erfcx))),
    vjp: Vjp::Rule(|b| {
        let slope = wide(&b.src[0]) * wide(&b.y) * 2.0 - FRAC_2_SQRT_PI;
        grad1(narrow(b, &(wide(&b.gy) * slope)))
    }),
    saves: [SAVE_A | SAVE_Y; 3],
    infinities: Infinities::MasksPlus,
    example: example("torch.special.erfcx(torch.tensor([-1.0, 0.0, 10.0]))"),
    ..ONE
};

/// The cumulative distribution of the normal distribution.
pub static NDTR: Op = Op {
    name: "ndtr",
    grad_fn: "MulBackward1",
    symbol: "Φ",
    formula: "y = (1 + erf(a / √2)) / 2",
    rules: &["{gy} · exp(−{a}²/2) / √(2π)"],
    doc: "The share of a standard normal distribution below each element, within 4 units in the last place.",
    kind: Kind::Composite(|c| Ok(compute(c, Special::Ndtr))),
    vjp: Vjp::Rule(|b| {
        let x = wide(&b.src[0]);
        let density = (&x * &x * -0.5).exp() * (FRAC_2_SQRT_PI * FRAC_1_SQRT_2 / 2.0);
        grad1(narrow(b, &(wide(&b.gy) * density)))
    }),
    saves: [0; 3],
    reads: SAVE_A,
    infinities: Infinities::Asks,
    example: example("torch.special.ndtr(torch.tensor([-2.0, 0.0, 2.0]))"),
    ..ONE
};

/// Its logarithm.
pub static LOG_NDTR: Op = Op {
    name: "log_ndtr",
    grad_fn: "SpecialLogNdtrBackward0",
    symbol: "ln Φ",
    formula: "y = ln((1 + erf(a / √2)) / 2)",
    rules: &["{gy} · √(2/π) / erfcx(−{a} / √2)"],
    doc: "The logarithm of the share of a standard normal distribution below each element, within 4 units in the last place.",
    kind: Kind::Composite(|c| Ok(compute(c, Special::LogNdtr))),
    vjp: Vjp::Rule(|b| {
        let below = on(&(wide(&b.src[0]) * -FRAC_1_SQRT_2), &ERFCX);
        let slope = FRAC_2_SQRT_PI * FRAC_1_SQRT_2 / below;
        grad1(narrow(b, &(wide(&b.gy) * slope)))
    }),
    infinities: Infinities::MasksPlus,
    saves: [SAVE_A; 3],
    example: example("torch.special.log_ndtr(torch.tensor([-20.0, 0.0, 2.0]))"),
    ..ONE
};

/// The inverse of ndtr.
pub static NDTRI: Op = Op {
    name: "ndtri",
    grad_fn: "SpecialNdtriBackward0",
    symbol: "Φ⁻¹",
    formula: "y with Φ(y) = a",
    rules: &["{gy} · √(2π) · exp({y}²/2)"],
    doc: "The number below which lies this share of a standard normal distribution, within 3 units in the last place.",
    kind: Kind::Composite(|c| Ok(compute(c, Special::Ndtri))),
    vjp: Vjp::Rule(|b| {
        let y = wide(&b.y);
        let slope = (&y * &y * 0.5).exp() * (2.0 * PI).sqrt();
        grad1(narrow(b, &(wide(&b.gy) * slope)))
    }),
    saves: [SAVE_Y; 3],
    domain: (0.1, 0.9),
    poles: Poles::Elsewhere,
    example: example("torch.special.ndtri(torch.tensor([0.025, 0.5, 0.975]))"),
    ..ONE
};

/// ln(x / (1 − x))
pub static LOGIT: Op = Op {
    name: "logit",
    grad_fn: "LogitBackward0",
    symbol: "logit",
    formula: "y = ln(a / (1 − a))",
    rules: &["{gy} / ({a} · (1 − {a}))"],
    doc: "The inverse of the sigmoid; with eps, elements are moved into eps to 1 − eps first.",
    params: &[param("input", Tensor), optional("eps", Float, Attr::None)],
    kind: Kind::Composite(|c| {
        let x = c.src[0].to(c.node.dtype);
        let x = match eps(c.attr(0)) {
            // The lower bound is asked for first, as in PyTorch, where an eps above a half is the greater one.
            Some(eps) => {
                let (low, high) = (x.number(eps), x.number(1.0 - eps));
                x.lt(&low).select(&low, &x.gt(&high).select(&high, &x))
            }
            None => x,
        };
        Ok((&x / (1.0 - &x)).log())
    }),
    vjp: Vjp::Rule(|b| {
        let x = wide(&b.src[0]);
        let (low, high, beyond) = match eps(b.attr(0)) {
            Some(eps) => (eps, 1.0 - eps, 0.0),
            None => (0.0, 1.0, f64::NAN),
        };
        let slope = wide(&b.gy) / (&x * (1.0 - &x));
        let outside = on2(
            &x.lt(&x.number(low)),
            &crate::ops::compare::LOGICAL_OR,
            &x.gt(&x.number(high)),
        );
        grad1(narrow(b, &outside.select(&x.number(beyond), &slope)))
    }),
    saves: [SAVE_A; 3],
    domain: (0.1, 0.9),
    method: true,
    poles: Poles::Elsewhere,
    samples: samples(&["[3,4]", "[]", "[5]@-0.5..1.5 eps=0.1"]),
    example: example("torch.logit(torch.tensor([0.1, 0.5, 0.9]))"),
    ..ONE
};

/// A negative bound is none, as in PyTorch; one beyond float32 would be no bound of floats.
fn eps(attr: &Attr) -> Option<f64> {
    let given = *attr != Attr::None && attr.as_float() >= 0.0;
    given.then(|| attr.as_float().min(f64::from(f32::MAX)))
}

/// sin(πx) / (πx)
pub static SINC: Op = Op {
    name: "sinc",
    grad_fn: "SincBackward0",
    symbol: "sinc",
    formula: "y = sin(πa) / (πa), 1 at 0",
    rules: &["{gy} · (cos(π{a}) − {y}) / {a}, 0 at 0"],
    doc: "The sine of π times each element, over π times it; 1 at 0.",
    kind: Kind::Elementwise(body!(|x| {
        let angle = x.mul(&x.constant(PI));
        let zero = x.eq(&x.constant(0.0));
        zero.select(&x.constant(1.0), &angle.sin().div(&angle))
    })),
    vjp: Vjp::Rule(|b| {
        let x = wide(&b.src[0]);
        let angle = &x * PI;
        // At 0 any other number, so that no NaN is made there; its slope is chosen away.
        let zero = x.eq(&x.number(0.0));
        let safe = zero.select(&x.number(1.0), &angle);
        let slope = (safe.cos() * &safe - safe.sin()) / (&safe * &safe) * PI;
        // To the third order: sinc″ = −π²/3.
        let near = &x * (-PI * PI / 3.0);
        let slope = zero.select(&near, &slope);
        grad1(narrow(b, &(wide(&b.gy) * slope)))
    }),
    saves: [SAVE_A; 3],
    method: true,
    infinities: Infinities::Carries,
    example: example("torch.sinc(torch.tensor([0.0, 0.5, 1.5]))"),
    element_by_element: false,
    ..ONE
};

/// −x ln x
pub static ENTR: Op = Op {
    name: "entr",
    grad_fn: "SpecialEntrBackward0",
    symbol: "−x ln x",
    formula: "y = −a · ln a, 0 at 0, −∞ below",
    rules: &["−{gy} · (ln {a} + 1)"],
    doc: "What each element, a probability, adds to an entropy.",
    kind: Kind::Elementwise(body!(|x| {
        let zero = x.constant(0.0);
        let product = x.neg().mul(&x.log());
        let inside = x.eq(&zero).select(&zero, &product);
        let below = x.lt(&zero);
        below.select(&x.constant(f64::NEG_INFINITY), &inside)
    })),
    vjp: Vjp::Rule(|b| {
        let x = wide(&b.src[0]);
        let slope = (x.log() + 1.0) * -1.0;
        grad1(narrow(b, &(wide(&b.gy) * slope)))
    }),
    saves: [SAVE_A; 3],
    domain: (0.1, 3.0),
    poles: Poles::Elsewhere,
    element_by_element: false,
    example: example("torch.special.entr(torch.tensor([0.0, 0.5, 1.0]))"),
    ..ONE
};

/// a · ln(1 + b), and 0 where a is 0, whatever b is (NaN excepted).
pub static XLOG1PY: Op = Op {
    name: "xlog1py",
    grad_fn: "SpecialXlog1PyBackward0",
    symbol: "x·log1p",
    formula: "y = a · ln(1 + b), 0 where a = 0",
    rules: &["{gy} · ln(1 + {b})", "{gy} · {a} / (1 + {b})"],
    doc: "The first tensor times the logarithm of 1 plus the second; 0 where the first is 0.",
    kind: Kind::Elementwise(body!(|x, y| {
        let zero = x.constant(0.0);
        let product = x.mul(&y.log1p());
        let chosen = x.eq(&zero).select(&zero, &product);
        y.eq(y).select(&chosen, y)
    })),
    vjp: Vjp::Rule(|b| {
        let (x, y) = (&b.src[0], &b.src[1]);
        let zero = b.gy.number(0.0);
        // As for xlogy: where a is 0 and b is not above −1, 0.
        let undefined = || {
            on2(
                &x.eq(&zero),
                &crate::ops::compare::LOGICAL_AND,
                &y.le(&y.number(-1.0)),
            )
        };
        let first = || undefined().select(&zero, &on2(&b.gy, &XLOG1PY, y));
        Ok(smallvec![
            b.needs(0).then(first),
            b.needs(1).then(|| &b.gy * x / (y + 1.0)),
        ])
    }),
    saves: [SAVE_A | SAVE_B; 3],
    domain: (0.2, 2.0),
    poles: Poles::Elsewhere,
    element_by_element: false,
    numbers: SAVE_A,
    example: example("torch.special.xlog1py(torch.tensor([0.0, 2.0]), torch.tensor([-1.0, 3.0]))"),
    ..TWO
};
