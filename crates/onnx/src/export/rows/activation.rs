//! Activations, and bounds.

use glowgrad::op::Attr;
use glowgrad::{DType, Scalar};

use super::{Row, float, row, same};
use crate::export::call::{Call, Outcome, Result1, scalar};

pub(super) static ROWS: &[Row] = &[
    same("relu", "Relu"),
    same("sigmoid", "Sigmoid"),
    same("softsign", "Softsign"),
    same("mish", "Mish"),
    same("hardswish", "HardSwish"),
    row("selu", selu),
    row("elu", |c| with_alpha(c, "Elu")),
    row("celu", celu),
    row("leaky_relu", |c| with_alpha(c, "LeakyRelu")),
    row("prelu_kernel", prelu),
    row("hardsigmoid", hard_sigmoid),
    row("silu", silu),
    row("logsigmoid", log_sigmoid),
    row("softplus", softplus),
    row("gelu", gelu),
    row("relu6", |c| {
        clip(c, Some(Scalar::Int(0)), Some(Scalar::Int(6)))
    }),
    row("hardtanh", bounds),
    row("clamp", bounds),
    row("softmax", |c| along(c, "Softmax")),
    row("log_softmax", |c| along(c, "LogSoftmax")),
];

/// An operator with a factor, attribute 0.
fn with_alpha(c: &mut Call, op: &'static str) -> Result1 {
    let alpha = c.attr(0).as_float();
    if !c.node.dtype.is_float() || !c.fits(&[alpha]) {
        return Ok(Outcome::Lower);
    }
    c.through(float(c.node.dtype), |c, x| {
        let dtype = c.dtype(x);
        Ok(c.make(op).on(&[x]).number("alpha", alpha).one(dtype))
    })
}

/// Selu's two numbers are float32 in ONNX.
fn selu(c: &mut Call) -> Result1 {
    if c.node.dtype == DType::F64 {
        return Ok(Outcome::Lower);
    }
    c.through(float(c.node.dtype), |c, x| Ok(c.unary("Selu", x)))
}

/// Celu takes float32 alone.
fn celu(c: &mut Call) -> Result1 {
    match c.node.dtype {
        DType::F32 => with_alpha(c, "Celu"),
        _ => Ok(Outcome::Lower),
    }
}

fn prelu(c: &mut Call) -> Result1 {
    let dtype = float(c.node.dtype);
    let slope = c.x_as(1, dtype)?;
    c.through(dtype, |c, x| Ok(c.pair("PRelu", x, slope)))
}

fn hard_sigmoid(c: &mut Call) -> Result1 {
    if c.node.dtype == DType::F64 {
        return Ok(Outcome::Lower);
    }
    c.through(float(c.node.dtype), |c, x| {
        let dtype = c.dtype(x);
        let sixth = c.make("HardSigmoid").on(&[x]).number("alpha", 1.0 / 6.0);
        Ok(sixth.number("beta", 0.5).one(dtype))
    })
}

fn silu(c: &mut Call) -> Result1 {
    c.through(float(c.node.dtype), |c, x| {
        let gate = c.unary("Sigmoid", x);
        Ok(c.pair("Mul", x, gate))
    })
}

/// −ln(1 + e⁻ˣ)
fn log_sigmoid(c: &mut Call) -> Result1 {
    c.through(c.node.dtype.compute(), |c, x| {
        let x = c.unary("Neg", x);
        let y = c.unary("Softplus", x);
        Ok(c.unary("Neg", y))
    })
}

/// From 20 on a float32 does not tell x from ln(1 + eˣ).
fn softplus(c: &mut Call) -> Result1 {
    let (beta, threshold) = (c.attr(0).as_float(), c.attr(1).as_float());
    if beta != 1.0 || threshold < 20.0 || c.node.dtype == DType::F64 {
        return Ok(Outcome::Lower);
    }
    c.through(DType::F32, |c, x| Ok(c.unary("Softplus", x)))
}

fn gelu(c: &mut Call) -> Result1 {
    if c.opset < 20 {
        return Ok(Outcome::Lower);
    }
    let how = c.attr(0).as_str();
    c.through(float(c.node.dtype), |c, x| {
        let dtype = c.dtype(x);
        let gelu = c.make("Gelu").on(&[x]);
        Ok(gelu.text("approximate", how).one(dtype))
    })
}

fn bounds(c: &mut Call) -> Result1 {
    let bound = |attr: &Attr| scalar(attr);
    let (low, high) = (bound(c.attr(0)), bound(c.attr(1)));
    clip(c, low, high)
}

/// Floats alone: the bounds of integers may lie beyond their type.
fn clip(c: &mut Call, low: Option<Scalar>, high: Option<Scalar>) -> Result1 {
    let is_nan = |bound: Option<Scalar>| bound.is_some_and(|b| b.as_f64().is_nan());
    // Without one of its bounds Clip stops at the largest finite number.
    if low.is_none() || high.is_none() {
        return Ok(Outcome::Lower);
    }
    if !c.node.dtype.is_float() || is_nan(low) || is_nan(high) {
        return Ok(Outcome::Lower);
    }
    c.through(float(c.node.dtype), |c, x| {
        let dtype = c.dtype(x);
        let [low, high] = [low, high].map(|bound| bound.map(|b| c.number(b, dtype)));
        Ok((c.make("Clip").on(&[x]).or_none(low).or_none(high)).one(dtype))
    })
}

/// Along a dimension. One element without dimensions has none.
fn along(c: &mut Call, op: &'static str) -> Result1 {
    if c.shape(0).is_empty() {
        return Ok(Outcome::Lower);
    }
    let dim = c.dim(0)? as i64;
    c.through(float(c.node.dtype), |c, x| {
        let dtype = c.dtype(x);
        Ok(c.make(op).on(&[x]).int("axis", dim).one(dtype))
    })
}
