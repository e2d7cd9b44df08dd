//! Activations that multiply by a gate between 0 and 1: `gelu`, `silu`, `mish`, `glu`.

use smallvec::smallvec;

use crate::graph::GraphValue;
use crate::op::ParamKind::{Int, Tensor, Word};
use crate::op::{Attr, Kind, Meta, Op, SAVE_A, Vjp, example, optional, param, samples};
use crate::ops::shared::{floats_only, narrow, wide};
use crate::ops::{BASE, UNARY, dim_of, expect_float, grad1};
use crate::view::View;
use crate::{Error, body};

/// The ops of this family.
pub static OPS: &[&Op] = &[&GELU, &SILU, &MISH, &GLU];

/// x · Φ(x), exactly or by tanh (Hendrycks & Gimpel 2016).
pub static GELU: Op = Op {
    name: "gelu",
    element_by_element: true,
    grad_fn: "GeluBackward0",
    symbol: "gelu",
    formula: "y = a · Φ(a)",
    rules: &["{gy} · (Φ({a}) + {a} · φ({a}))"],
    doc: "Each element times the share of a normal distribution below it.",
    params: &[
        param("input", Tensor),
        optional("approximate", Word(&["none", "tanh"]), Attr::Str("none")),
    ],
    check: floats_only,
    kind: Kind::Composite(|c| {
        let x = &wide(&c.src[0]);
        let share = if c.attr(0).as_str() == "tanh" {
            gelu_inner(x).tanh()
        } else {
            (x * std::f64::consts::FRAC_1_SQRT_2).erf()
        };
        Ok((x * 0.5 * (share + 1.0)).to(c.node.dtype))
    }),
    vjp: Vjp::Rule(|b| {
        let (x, gy) = (&wide(&b.src[0]), wide(&b.gy));
        if b.attr(0).as_str() == "tanh" {
            let t = gelu_inner(x).tanh();
            let slope = (1.0 + x * x * (3.0 * 0.044715)) * SQRT_2_OVER_PI;
            let dt = (1.0 - &t * &t) * slope;
            return grad1(narrow(b, &(gy * ((&t + 1.0) * 0.5 + x * 0.5 * dt))));
        }
        let cdf = ((x * std::f64::consts::FRAC_1_SQRT_2).erf() + 1.0) * 0.5;
        let pdf = (x * x * -0.5).exp()
            * (0.5 * std::f64::consts::FRAC_2_SQRT_PI * std::f64::consts::FRAC_1_SQRT_2);
        grad1(narrow(b, &(gy * (cdf + x * pdf))))
    }),
    saves: [SAVE_A; 3],
    samples: samples(&["[3,4]", "[3,4] approximate='tanh'"]),
    method: false,
    functional: true,
    ..UNARY
};

const SQRT_2_OVER_PI: f64 = 0.797_884_560_802_865_4;

fn gelu_inner(x: &crate::GraphValue) -> crate::GraphValue {
    (x + x * x * x * 0.044715) * SQRT_2_OVER_PI
}

/// x · σ(x)
pub static SILU: Op = Op {
    name: "silu",
    grad_fn: "SiluBackward0",
    symbol: "silu",
    formula: "y = a · σ(a)",
    rules: &["{gy} · σ({a}) · (1 + {a} · (1 − σ({a})))"],
    doc: "Each element times its sigmoid.",
    check: floats_only,
    kind: Kind::Elementwise(body!(|x| x.div(&x.constant(1.0).add(&x.neg().exp())))),
    vjp: Vjp::Rule(|b| {
        let x = wide(&b.src[0]);
        let s = x.sigmoid();
        let slope = &s * (1.0 + &x * (1.0 - &s));
        grad1(narrow(b, &(wide(&b.gy) * slope)))
    }),
    saves: [SAVE_A; 3],
    method: false,
    functional: true,
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
            &crate::ops::sigmoid::SOFTPLUS,
            &[],
            smallvec![Attr::Float(1.0), Attr::Float(20.0)],
        );
        let t = softplus.tanh();
        let slope = &t + &x * x.sigmoid() * (1.0 - &t * &t);
        grad1(narrow(b, &(wide(&b.gy) * slope)))
    }),
    saves: [SAVE_A; 3],
    method: false,
    functional: true,
    ..UNARY
};

/// One half gated by the other (Dauphin et al. 2017).
pub static GLU: Op = Op {
    name: "glu",
    grad_fn: "GluBackward0",
    symbol: "glu",
    formula: "y = a₁ · σ(a₂), the halves of a",
    rules: &["{gy} · σ({a}₂) to the first half, {gy} · {a}₁ · σ'({a}₂) to the second"],
    doc: "The first half of a dimension, each element let through as far as the second half says.",
    params: &[param("input", Tensor), optional("dim", Int, Attr::Int(-1))],
    infer: |op, src, attrs| {
        let x = &src[0];
        expect_float(op, x)?;
        if x.shape.is_empty() {
            return Err(Error::runtime("glu does not support 0-dimensional tensors"));
        }
        let dim = dim_of(op, &x.shape, &attrs[0])?;
        let mut shape = x.shape.clone();
        if !shape[dim].is_multiple_of(2) {
            return Err(Error::runtime(format!(
                "Halving dimension must be even, but dimension {dim} is size {}",
                shape[dim]
            )));
        }
        shape[dim] /= 2;
        Ok(Meta {
            shape,
            dtype: x.dtype,
        })
    },
    kind: Kind::Composite(|c| {
        let x = &c.src[0];
        let dim = dim_of(c.node.op, x.shape(), c.attr(0))?;
        let half = x.shape()[dim] / 2;
        let part = |start: usize| wide(&x.slice(dim, start, half, 1));
        Ok((part(0) * part(half).sigmoid()).to(c.node.dtype))
    }),
    vjp: Vjp::Rule(|b| {
        let x = &b.src[0];
        let dim = dim_of(b.node.op, x.shape(), b.attr(0))?;
        let half = x.shape()[dim] / 2;
        let part = |start: usize| x.slice(dim, start, half, 1);
        let gate = part(half).sigmoid();
        // Of 16-bit floats the gate is rounded, and this product is not until its end.
        let open = &wide(&gate);
        let second = narrow(b, &((1.0 - open) * open * wide(&b.gy) * wide(&part(0))));
        let whole = View::contiguous(x.shape());
        let at = [0, half].map(|start| whole.slice(dim, start, half, 1));
        crate::ops::grad1(GraphValue::write_parts(
            &[&b.gy * &gate, second],
            &at,
            x.shape(),
        ))
    }),
    saves: [SAVE_A; 3],
    samples: samples(&["[2,4]", "[4,2] 0"]),
    example: example("F.glu(torch.tensor([1.0, 2.0, 0.0, 5.0]))"),
    method: false,
    functional: true,
    ..BASE
};
