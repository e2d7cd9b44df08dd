//! Bessel's functions, ordinary and modified, of order 0 and 1, and Airy's.

use super::{ONE, compute, no_half};
use crate::graph::GraphValue;
use crate::kernel::Special;
use crate::op::{Infinities, Kind, Op, Poles, SAVE_A, SAVE_Y, Vjp, example};
use crate::ops::grad1;
use crate::ops::shared::{narrow, on, wide};

/// The ops of this family.
pub static OPS: &[&Op] = &[
    &I0,
    &I0E,
    &I1,
    &I1E,
    &BESSEL_J0,
    &BESSEL_J1,
    &BESSEL_Y0,
    &BESSEL_Y1,
    &MODIFIED_BESSEL_I0,
    &MODIFIED_BESSEL_I1,
    &MODIFIED_BESSEL_K0,
    &MODIFIED_BESSEL_K1,
    &SCALED_MODIFIED_BESSEL_K0,
    &SCALED_MODIFIED_BESSEL_K1,
    &SPHERICAL_BESSEL_J0,
    &AIRY_AI,
];

/// What PyTorch has no gradient for.
const FORWARD_ALONE: Op = Op {
    check: no_half,
    vjp: Vjp::None("PyTorch has no derivative of it"),
    ..ONE
};

/// `first(x) − second / x`, and at 0 what both come to, a half.
fn less_quotient(x: &GraphValue, first: &'static Op, second: &GraphValue) -> GraphValue {
    let zero = x.eq(&x.number(0.0));
    let safe = zero.select(&x.number(1.0), x);
    zero.select(&x.number(0.5), &(on(&safe, first) - second / &safe))
}

/// I₀
pub static I0: Op = Op {
    name: "i0",
    grad_fn: "I0Backward0",
    symbol: "I₀",
    formula: "y = I₀(a)",
    rules: &["{gy} · I₁({a})"],
    doc: "The modified Bessel function of the first kind of order 0, within 5 units in the last place.",
    kind: Kind::Composite(|c| Ok(compute(c, Special::I0))),
    vjp: Vjp::Rule(|b| {
        let slope = on(&wide(&b.src[0]), &I1);
        grad1(narrow(b, &(wide(&b.gy) * slope)))
    }),
    saves: [SAVE_A; 3],
    method: true,
    example: example("torch.i0(torch.tensor([0.0, 1.0, 5.0]))"),
    ..ONE
};

/// e^−|x| I₀
pub static I0E: Op = Op {
    name: "i0e",
    grad_fn: "SpecialI0EBackward0",
    symbol: "e⁻ˣ I₀",
    formula: "y = e^−|a| · I₀(a)",
    rules: &["{gy} · (e^−|{a}| I₁({a}) − sign({a}) · {y})"],
    doc: "The modified Bessel function of the first kind of order 0 without its growth, within 5 units in the last place.",
    kind: Kind::Composite(|c| Ok(compute(c, Special::I0e))),
    vjp: Vjp::Rule(|b| {
        let x = wide(&b.src[0]);
        let slope = on(&x, &I1E) - x.sign() * wide(&b.y);
        grad1(narrow(b, &(wide(&b.gy) * slope)))
    }),
    saves: [SAVE_A | SAVE_Y; 3],
    method: false,
    infinities: Infinities::Asks,
    example: example("torch.special.i0e(torch.tensor([0.0, 1.0, 100.0]))"),
    ..I0
};

/// I₁
pub static I1: Op = Op {
    name: "i1",
    grad_fn: "SpecialI1Backward0",
    symbol: "I₁",
    formula: "y = I₁(a)",
    rules: &["{gy} · (I₀({a}) − {y} / {a})"],
    doc: "The modified Bessel function of the first kind of order 1, within 8 units in the last place.",
    kind: Kind::Composite(|c| Ok(compute(c, Special::I1))),
    vjp: Vjp::Rule(|b| {
        let slope = less_quotient(&wide(&b.src[0]), &I0, &wide(&b.y));
        grad1(narrow(b, &(wide(&b.gy) * slope)))
    }),
    saves: [SAVE_A | SAVE_Y; 3],
    method: false,
    example: example("torch.special.i1(torch.tensor([0.0, 1.0, 5.0]))"),
    ..I0
};

/// e^−|x| I₁
pub static I1E: Op = Op {
    name: "i1e",
    grad_fn: "SpecialI1EBackward0",
    symbol: "e⁻ˣ I₁",
    formula: "y = e^−|a| · I₁(a)",
    rules: &["{gy} · (e^−|{a}| I₀({a}) − {y} · (sign({a}) + 1 / {a}))"],
    doc: "The modified Bessel function of the first kind of order 1 without its growth, within 5 units in the last place.",
    kind: Kind::Composite(|c| Ok(compute(c, Special::I1e))),
    vjp: Vjp::Rule(|b| {
        let (x, y) = (wide(&b.src[0]), wide(&b.y));
        let slope = less_quotient(&x, &I0E, &y) - x.sign() * &y;
        grad1(narrow(b, &(wide(&b.gy) * slope)))
    }),
    infinities: Infinities::Asks,
    example: example("torch.special.i1e(torch.tensor([0.0, 1.0, 100.0]))"),
    ..I1
};

/// J₀
pub static BESSEL_J0: Op = Op {
    name: "bessel_j0",
    grad_fn: "SpecialBesselJ0Backward0",
    symbol: "J₀",
    formula: "y = J₀(a)",
    rules: &["−{gy} · J₁({a})"],
    doc: "The Bessel function of the first kind of order 0, within 2 units in the last place of its waves' height.",
    check: no_half,
    kind: Kind::Composite(|c| Ok(compute(c, Special::J0))),
    vjp: Vjp::Rule(|b| {
        let slope = -on(&wide(&b.src[0]), &BESSEL_J1);
        grad1(narrow(b, &(wide(&b.gy) * slope)))
    }),
    method: false,
    infinities: Infinities::Asks,
    example: example("torch.special.bessel_j0(torch.tensor([0.0, 1.0, 5.0]))"),
    ..I0
};

/// J₁
pub static BESSEL_J1: Op = Op {
    name: "bessel_j1",
    grad_fn: "SpecialBesselJ1Backward0",
    symbol: "J₁",
    formula: "y = J₁(a)",
    rules: &["{gy} · (J₀({a}) − {y} / {a})"],
    doc: "The Bessel function of the first kind of order 1, within 2 units in the last place of its waves' height.",
    kind: Kind::Composite(|c| Ok(compute(c, Special::J1))),
    vjp: Vjp::Rule(|b| {
        let slope = less_quotient(&wide(&b.src[0]), &BESSEL_J0, &wide(&b.y));
        grad1(narrow(b, &(wide(&b.gy) * slope)))
    }),
    saves: [SAVE_A | SAVE_Y; 3],
    example: example("torch.special.bessel_j1(torch.tensor([0.0, 1.0, 5.0]))"),
    ..BESSEL_J0
};

/// Y₀
pub static BESSEL_Y0: Op = Op {
    name: "bessel_y0",
    grad_fn: "SpecialBesselY0Backward0",
    symbol: "Y₀",
    formula: "y = Y₀(a)",
    rules: &["−{gy} · Y₁({a})"],
    doc: "The Bessel function of the second kind of order 0, of positive numbers, within 2 units in the last place of its waves' height.",
    kind: Kind::Composite(|c| Ok(compute(c, Special::Y0))),
    vjp: Vjp::Rule(|b| {
        let slope = -on(&wide(&b.src[0]), &BESSEL_Y1);
        grad1(narrow(b, &(wide(&b.gy) * slope)))
    }),
    domain: (0.3, 6.0),
    infinities: Infinities::MasksPlus,
    poles: Poles::Zero(0),
    example: example("torch.special.bessel_y0(torch.tensor([0.5, 1.0, 5.0]))"),
    ..BESSEL_J0
};

/// Y₁
pub static BESSEL_Y1: Op = Op {
    name: "bessel_y1",
    grad_fn: "SpecialBesselY1Backward0",
    symbol: "Y₁",
    formula: "y = Y₁(a)",
    rules: &["{gy} · (Y₀({a}) − {y} / {a})"],
    doc: "The Bessel function of the second kind of order 1, of positive numbers, within 2 units in the last place of its waves' height.",
    kind: Kind::Composite(|c| Ok(compute(c, Special::Y1))),
    vjp: Vjp::Rule(|b| {
        let x = wide(&b.src[0]);
        let slope = on(&x, &BESSEL_Y0) - wide(&b.y) / x;
        grad1(narrow(b, &(wide(&b.gy) * slope)))
    }),
    saves: [SAVE_A | SAVE_Y; 3],
    example: example("torch.special.bessel_y1(torch.tensor([0.5, 1.0, 5.0]))"),
    ..BESSEL_Y0
};

/// I₀ under its other name.
pub static MODIFIED_BESSEL_I0: Op = Op {
    name: "modified_bessel_i0",
    grad_fn: "SpecialModifiedBesselI0Backward0",
    check: no_half,
    method: false,
    example: example("torch.special.modified_bessel_i0(torch.tensor([0.0, 1.0, 5.0]))"),
    ..I0
};

/// I₁ under its other name.
pub static MODIFIED_BESSEL_I1: Op = Op {
    name: "modified_bessel_i1",
    grad_fn: "SpecialModifiedBesselI1Backward0",
    check: no_half,
    example: example("torch.special.modified_bessel_i1(torch.tensor([0.0, 1.0, 5.0]))"),
    ..I1
};

/// K₀
pub static MODIFIED_BESSEL_K0: Op = Op {
    name: "modified_bessel_k0",
    grad_fn: "SpecialModifiedBesselK0Backward0",
    symbol: "K₀",
    formula: "y = K₀(a)",
    rules: &["−{gy} · K₁({a})"],
    doc: "The modified Bessel function of the second kind of order 0, of positive numbers, within 3 units in the last place.",
    check: no_half,
    kind: Kind::Composite(|c| Ok(compute(c, Special::K0))),
    vjp: Vjp::Rule(|b| {
        let slope = -on(&wide(&b.src[0]), &MODIFIED_BESSEL_K1);
        grad1(narrow(b, &(wide(&b.gy) * slope)))
    }),
    domain: (0.3, 4.0),
    method: false,
    infinities: Infinities::MasksPlus,
    poles: Poles::Zero(0),
    example: example("torch.special.modified_bessel_k0(torch.tensor([0.5, 1.0, 5.0]))"),
    ..I0
};

/// K₁
pub static MODIFIED_BESSEL_K1: Op = Op {
    name: "modified_bessel_k1",
    grad_fn: "SpecialModifiedBesselK1Backward0",
    symbol: "K₁",
    formula: "y = K₁(a)",
    rules: &["−{gy} · (K₀({a}) + {y} / {a})"],
    doc: "The modified Bessel function of the second kind of order 1, of positive numbers, within 3 units in the last place.",
    kind: Kind::Composite(|c| Ok(compute(c, Special::K1))),
    vjp: Vjp::Rule(|b| {
        let x = wide(&b.src[0]);
        let slope = -on(&x, &MODIFIED_BESSEL_K0) - wide(&b.y) / x;
        grad1(narrow(b, &(wide(&b.gy) * slope)))
    }),
    saves: [SAVE_A | SAVE_Y; 3],
    example: example("torch.special.modified_bessel_k1(torch.tensor([0.5, 1.0, 5.0]))"),
    ..MODIFIED_BESSEL_K0
};

/// eˣ K₀
pub static SCALED_MODIFIED_BESSEL_K0: Op = Op {
    name: "scaled_modified_bessel_k0",
    symbol: "eˣ K₀",
    formula: "y = e^a · K₀(a)",
    doc: "The modified Bessel function of the second kind of order 0 without its decay, of positive numbers, within 5 units in the last place.",
    kind: Kind::Composite(|c| Ok(compute(c, Special::K0e))),
    domain: (0.3, 4.0),
    infinities: Infinities::MasksPlus,
    poles: Poles::Zero(0),
    example: example("torch.special.scaled_modified_bessel_k0(torch.tensor([0.5, 1.0, 500.0]))"),
    ..FORWARD_ALONE
};

/// eˣ K₁
pub static SCALED_MODIFIED_BESSEL_K1: Op = Op {
    name: "scaled_modified_bessel_k1",
    symbol: "eˣ K₁",
    formula: "y = e^a · K₁(a)",
    doc: "The modified Bessel function of the second kind of order 1 without its decay, of positive numbers, within 4 units in the last place.",
    kind: Kind::Composite(|c| Ok(compute(c, Special::K1e))),
    example: example("torch.special.scaled_modified_bessel_k1(torch.tensor([0.5, 1.0, 500.0]))"),
    ..SCALED_MODIFIED_BESSEL_K0
};

/// sin x / x
pub static SPHERICAL_BESSEL_J0: Op = Op {
    name: "spherical_bessel_j0",
    symbol: "j₀",
    formula: "y = sin(a) / a, 1 at 0",
    doc: "The spherical Bessel function of the first kind of order 0, within 1 unit in the last place.",
    kind: Kind::Composite(|c| Ok(compute(c, Special::SphericalJ0))),
    infinities: Infinities::Asks,
    example: example("torch.special.spherical_bessel_j0(torch.tensor([0.0, 1.0, 5.0]))"),
    ..FORWARD_ALONE
};

/// Ai
pub static AIRY_AI: Op = Op {
    name: "airy_ai",
    symbol: "Ai",
    formula: "y = Ai(a)",
    doc: "Airy's function, the solution of y″ = a y that decays; within 4 units in the last place, below 0 of its waves' height.",
    kind: Kind::Composite(|c| Ok(compute(c, Special::AiryAi))),
    infinities: Infinities::Carries,
    example: example("torch.special.airy_ai(torch.tensor([-2.0, 0.0, 2.0]))"),
    ..FORWARD_ALONE
};
