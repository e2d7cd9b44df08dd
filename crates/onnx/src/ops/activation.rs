//! Activations, softmax and dropout.

use glowgrad::{DType, Error, Result, Scalar, Tensor};

use super::elementwise::masked;
use super::movement::flatten;
use super::{many, one, same};
use crate::call::{Methods, args, axis, listed};
use crate::graph::{Call, Row};

/// The operators of this family.
pub(super) static ROWS: &[Row] = &[
    same("Relu", 1, "relu"),
    same("Sigmoid", 1, "sigmoid"),
    same("Softplus", 1, "softplus"),
    same("Softsign", 1, "softsign"),
    same("Mish", 18, "mish"),
    one("LeakyRelu", 1, |c| {
        c.x(0)?.with("leaky_relu", args![c.float_or("alpha", 0.01)])
    }),
    one("Elu", 1, |c| {
        c.x(0)?.with("elu", args![c.float_or("alpha", 1.0)])
    }),
    one("Celu", 12, |c| {
        c.x(0)?.with("celu", args![c.float_or("alpha", 1.0)])
    }),
    one("Selu", 1, |c| {
        let alpha = c.float_or("alpha", 1.673_263_2);
        let gamma = c.float_or("gamma", 1.050_701);
        c.x(0)?.with("elu", args![alpha])?.times(gamma)
    }),
    one("HardSigmoid", 1, |c| {
        hard_sigmoid(c.x(0)?, c.float_or("alpha", 0.2), c.float_or("beta", 0.5))
    }),
    same("HardSwish", 14, "hardswish"),
    one("ThresholdedRelu", 10, |c| {
        let (x, alpha) = (c.x(0)?, c.float_or("alpha", 1.0));
        masked(&x.pair("gt", &c.number(alpha))?, x, 0.0)
    }),
    one("PRelu", 7, |c| {
        let (x, slope) = (c.x(0)?, c.x(1)?);
        x.where_(&x.pair("ge", &c.whole(0))?, &x.mul(slope)?)
    }),
    one("Gelu", 20, |c| {
        c.x(0)?
            .with("gelu", args![c.text_or("approximate", "none")])
    }),
    one("Swish", 24, |c| {
        let x = c.x(0)?;
        x.mul(&x.times(c.float_or("alpha", 1.0))?.sigmoid()?)
    }),
    one("Shrink", 9, shrink),
    one("Softmax", 1, |c| rows(c, |x| x.softmax(1))).until(12),
    one("Softmax", 13, |c| c.x(0)?.softmax(c.int_or("axis", -1))),
    one("LogSoftmax", 1, |c| {
        rows(c, |x| x.with("log_softmax", args![1i64]))
    })
    .until(12),
    one("LogSoftmax", 13, |c| {
        c.x(0)?.with("log_softmax", args![c.int_or("axis", -1)])
    }),
    one("Hardmax", 1, |c| rows(c, |x| hardmax(x, 1))).until(12),
    one("Hardmax", 13, |c| hardmax(c.x(0)?, c.int_or("axis", -1))),
    many("Dropout", 7, dropout),
];

/// max(0, min(1, α · x + β))
pub(super) fn hard_sigmoid(x: &Tensor, alpha: f64, beta: f64) -> Result<Tensor> {
    (x.times(alpha)?.plus(beta)?).with("clamp", args![0.0, 1.0])
}

fn shrink(c: &Call) -> Result<Tensor> {
    let x = c.x(0)?;
    let (bias, lambda) = (c.float_or("bias", 0.0), c.float_or("lambd", 0.5));
    let below = x.pair("lt", &c.number(-lambda))?;
    let above = x.pair("gt", &c.number(lambda))?;
    let inside = masked(&above, &x.plus(-bias)?, 0.0)?;
    x.plus(bias)?.where_(&below, &inside)?.to(x.dtype())
}

/// As versions before 13 did: the dimensions from the axis on count as one.
fn rows(c: &Call, of: impl Fn(&Tensor) -> Result<Tensor>) -> Result<Tensor> {
    of(&flatten(c)?)?.shaped(&c.x(0)?.shape())
}

/// 1 at the first largest element along an axis, 0 elsewhere.
fn hardmax(x: &Tensor, along: i64) -> Result<Tensor> {
    let shape = x.shape();
    let at = axis(along, shape.len())?;
    let largest = x.with("argmax", args![at as i64, true])?;
    let mut line = vec![1; shape.len()];
    line[at] = shape[at];
    let places = listed(shape[at], |i| i as i64)?;
    let places = Tensor::from_i64(x.engine(), &places, &line)?;
    places.eq(&largest)?.to(x.dtype())
}

/// In a model that is not trained, its input. What is dropped in training comes from the engine's generator.
fn dropout(c: &Call) -> Result<Vec<Tensor>> {
    let x = c.x(0)?;
    let number = |tensor: Option<&Tensor>| tensor.map(|t| t.item()).transpose();
    let training = number(c.get(2))?.is_some_and(|flag| flag.as_f64() != 0.0);
    let ratio = number(c.get(1))?.map_or(0.5, Scalar::as_f64);
    let shape = x.shape();
    if !training || ratio == 0.0 {
        let mask = Tensor::full(c.engine, &shape, Scalar::Bool(true), DType::Bool)?;
        return Ok(vec![x.clone(), mask]);
    }
    if !(0.0..1.0).contains(&ratio) {
        return Err(Error::value(format!(
            "the ratio is {ratio}; expected a number from 0 up to, and without, 1"
        )));
    }
    let keep = Tensor::full(c.engine, &shape, Scalar::Float(1.0 - ratio), DType::F64)?;
    let mask = keep.draw_bernoulli(&mut c.engine.generator(), DType::Bool)?;
    Ok(vec![
        masked(&mask, &x.times(1.0 / (1.0 - ratio))?, 0.0)?,
        mask,
    ])
}
