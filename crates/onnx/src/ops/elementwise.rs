//! Operators that work element by element, and conversions.

use glowgrad::{DType, Error, Result, Tensor};
use glowgrad_files::onnx::DataType;

use super::{one, same};
use crate::call::{Methods, args, full};
use crate::graph::{Call, Row};

/// The operators of this family.
pub(super) static ROWS: &[Row] = &[
    same("Abs", 1, "abs"),
    same("Neg", 1, "neg"),
    same("Sign", 9, "sign"),
    same("Floor", 1, "floor"),
    same("Ceil", 1, "ceil"),
    same("Round", 11, "round"),
    same("Exp", 1, "exp"),
    same("Log", 1, "log"),
    same("Sqrt", 1, "sqrt"),
    same("Reciprocal", 1, "reciprocal"),
    same("Erf", 9, "erf"),
    same("Sin", 7, "sin"),
    same("Cos", 7, "cos"),
    same("Tan", 7, "tan"),
    same("Asin", 7, "asin"),
    same("Acos", 7, "acos"),
    same("Atan", 7, "atan"),
    same("Sinh", 9, "sinh"),
    same("Cosh", 9, "cosh"),
    same("Tanh", 1, "tanh"),
    same("Asinh", 9, "asinh"),
    same("Acosh", 9, "acosh"),
    same("Atanh", 9, "atanh"),
    same("Add", 7, "add"),
    same("Sub", 7, "sub"),
    same("Mul", 7, "mul"),
    one("Div", 7, div),
    one("Mod", 10, modulo),
    one("Pow", 7, pow),
    one("Max", 6, |c| fold(c, "maximum")),
    one("Min", 6, |c| fold(c, "minimum")),
    one("Sum", 6, |c| fold(c, "add")),
    one("Mean", 6, |c| {
        let n = c.all().len().max(1);
        fold(c, "add")?.times(1.0 / n as f64)
    }),
    one("Clip", 6, clip_by_attributes).until(10),
    one("Clip", 11, clip),
    one("BitShift", 11, shift),
    same("BitwiseAnd", 18, "bitwise_and"),
    same("BitwiseOr", 18, "bitwise_or"),
    same("BitwiseXor", 18, "bitwise_xor"),
    same("BitwiseNot", 18, "bitwise_not"),
    one("Cast", 6, cast),
    one("CastLike", 15, |c| c.x(0)?.to(c.x(1)?.dtype())),
];

fn div(c: &Call) -> Result<Tensor> {
    let (x, y) = (c.x(0)?, c.x(1)?);
    if x.dtype().is_float() {
        return x.div(y);
    }
    // Whole numbers are cut toward zero.
    x.with("div", args![y, "trunc"])?.to(x.dtype())
}

fn modulo(c: &Call) -> Result<Tensor> {
    match c.flag("fmod") {
        true => c.x(0)?.pair("fmod", c.x(1)?),
        false => c.x(0)?.pair("remainder", c.x(1)?),
    }
}

/// The result has the type of the base.
fn pow(c: &Call) -> Result<Tensor> {
    let (x, y) = (c.x(0)?, c.x(1)?);
    let dtype = x.dtype();
    if !dtype.is_float() && y.dtype().is_float() {
        return x.to(DType::F64)?.pair("pow", y)?.to(dtype);
    }
    x.pair("pow", &y.to(dtype)?)
}

/// One op over all inputs.
fn fold(c: &Call, op: &'static str) -> Result<Tensor> {
    let all = c.all();
    let (first, rest) = all
        .split_first()
        .ok_or_else(|| Error::value(format!("no input came; {} needs at least one", c.node.op)))?;
    rest.iter()
        .try_fold(first.clone(), |sum, x| sum.pair(op, x))
}

fn clip_by_attributes(c: &Call) -> Result<Tensor> {
    let x = c.x(0)?;
    match (c.float("min"), c.float("max")) {
        (None, None) => Ok(x.clone()),
        (min, max) => x.with("clamp", args![min, max]),
    }
}

fn clip(c: &Call) -> Result<Tensor> {
    let mut x = c.x(0)?.clone();
    if let Some(min) = c.get(1) {
        x = x.pair("maximum", min)?;
    }
    if let Some(max) = c.get(2) {
        x = x.pair("minimum", max)?;
    }
    Ok(x)
}

fn shift(c: &Call) -> Result<Tensor> {
    match c.text("direction") {
        Some("LEFT") => c.x(0)?.pair("bitwise_left_shift", c.x(1)?),
        Some("RIGHT") => c.x(0)?.pair("bitwise_right_shift", c.x(1)?),
        other => Err(c.unknown("direction", other.unwrap_or("missing"), "LEFT or RIGHT")),
    }
}

/// The dtype that an attribute names.
pub(super) fn dtype(c: &Call, name: &str) -> Result<Option<DType>> {
    let Some(number) = c.int(name) else {
        return Ok(None);
    };
    let kind = i32::try_from(number)
        .ok()
        .and_then(|n| DataType::of(Some(n)));
    match kind.and_then(DataType::dtype) {
        Some(dtype) => Ok(Some(dtype)),
        None => Err(c.unknown(
            name,
            kind.map_or_else(|| format!("the type {number}"), DataType::name),
            "floats of 16 to 64 bits, integers of 8 to 64 bits or bool",
        )),
    }
}

fn cast(c: &Call) -> Result<Tensor> {
    let to = dtype(c, "to")?.ok_or_else(|| c.lacks("to"))?;
    c.x(0)?.to(to)
}

/// `x` where a mask holds, a number elsewhere.
pub(super) fn masked(mask: &Tensor, x: &Tensor, other: f64) -> Result<Tensor> {
    x.where_(mask, &full(x.engine(), &[], other, x.dtype())?)
}
