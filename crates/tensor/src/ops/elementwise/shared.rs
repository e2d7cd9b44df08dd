//! What families of elementwise ops share: dtypes that are refused, and gradients of half-width
//! floats that are rounded once, at their end.

use crate::alu::{Alu, Value};
use crate::dtype::{DType, Scalar};
use crate::graph::{GraphValue, Operand};
use crate::node::NodeRef;
use crate::op::{Attr, Attrs, Backprop, Infinities, Kind, Op, Out, Promote, Vjp};
use crate::ops::{UNARY, grad1};
use crate::{Error, Result};

/// Keeps integers as they are.
pub(in crate::ops) const KEEP: Op = Op {
    promote: Promote::Keep,
    out: Out::Same,
    ..UNARY
};

/// A step function: its gradient is zero wherever it has one.
pub(in crate::ops) const STEP: Op = Op {
    vjp: Vjp::Rule(|b| grad1(b.gy.zeros_like())),
    rules: &["0"],
    ..KEEP
};

/// A predicate of one operand.
pub(in crate::ops) const UNARY_PREDICATE: Op = Op {
    infer: |op, src, attrs| crate::ops::broadcast_bool(op, src, attrs),
    vjp: Vjp::None("its result is true or false"),
    ..KEEP
};

/// What PyTorch raises where it has no kernel for a dtype.
pub(crate) fn not_implemented_for(op: &Op, dtype: DType, remedy: &str) -> Error {
    Error::not_implemented(format!(
        "{}: not implemented for {dtype}; {remedy}",
        op.name
    ))
}

/// Refuses operands that are no floats.
pub(crate) fn floats_only(op: &Op, src: &[NodeRef]) -> Result<()> {
    let other = src
        .iter()
        .find(|s| !s.dtype.is_float() && !s.is_python_number);
    match other {
        Some(other) => Err(not_implemented_for(
            op,
            other.dtype,
            "convert it with .float()",
        )),
        None => Ok(()),
    }
}

/// Refuses operands of which none is a float.
pub(crate) fn some_float(op: &Op, src: &[NodeRef]) -> Result<()> {
    if src.iter().any(|s| s.dtype.is_float()) {
        return Ok(());
    }
    floats_only(op, src)
}

/// Refuses bools where there is nothing else.
pub(crate) fn not_bool(op: &Op, src: &[NodeRef]) -> Result<()> {
    if src.iter().all(|s| s.dtype == DType::Bool) {
        return Err(not_implemented_for(
            op,
            DType::Bool,
            "convert it with .long() or .float()",
        ));
    }
    Ok(())
}

/// Refuses a number that is put into a tensor of a dtype that does not hold it.
pub(crate) fn check_value(op: &Op, x: &Operand, value: &Operand) -> Result<()> {
    let node = value.node();
    match node.number.filter(|_| node.is_python_number) {
        Some(number) => number.check_fits(op.name, x.dtype()),
        None => Ok(()),
    }
}

/// Refuses an option that the dtype which it is computed in does not hold.
pub(crate) fn check_option(op: &Op, option: &Attr, dtype: DType) -> Result<()> {
    match crate::op::attr_scalar(option) {
        Some(number) => number.check_fits(op.name, dtype),
        None => Ok(()),
    }
}

/// In the dtype that arithmetic is done in, so that the steps of a formula are not rounded each.
pub(crate) fn wide(x: &GraphValue) -> GraphValue {
    x.to(x.dtype().compute())
}

/// Whether arithmetic on a dtype is done in itself.
pub(crate) fn is_wide(dtype: DType) -> bool {
    dtype.compute() == dtype
}

/// In the precision of a dtype of 16 bits, and in its own dtype as before.
pub(crate) fn rounded(x: &GraphValue, dtype: DType) -> GraphValue {
    match is_wide(dtype) {
        true => x.clone(),
        false => x.to(dtype).to(x.dtype()),
    }
}

/// A number as a tensor of a dtype holds it.
pub(crate) fn held(number: f64, dtype: DType) -> f64 {
    Value::from_scalar(Scalar::Float(number), dtype)
        .cast(dtype)
        .scalar()
        .as_f64()
}

/// A gradient in the dtype of the one that came in.
pub(crate) fn narrow(b: &Backprop, gradient: &GraphValue) -> GraphValue {
    gradient.to(b.gy.dtype())
}

/// A gradient that is bound to an operand on which it depends with a slope of 0.
static LINKED: Op = Op {
    name: "linked",
    symbol: "=",
    formula: "y = a",
    rules: &["{gy}", "0"],
    doc: "The first operand, which the second decides without bending it.",
    kind: Kind::Composite(|c| Ok(on(&c.src[0], &crate::ops::convert::CLONE))),
    vjp: Vjp::Rule(|b| {
        let flat = || b.src[1].zeros_like();
        Ok(smallvec::smallvec![
            Some(b.gy.clone()),
            b.needs(1).then(flat)
        ])
    }),
    method: false,
    infinities: Infinities::Chooses,
    ..crate::ops::BASE
};

/// The gradient of an op of straight lines: an operand decides where which line holds, and the gradient of
/// the gradient is 0 there, as in PyTorch, and not the error that a gradient without operands would be.
pub(crate) fn linked(gradient: &GraphValue, operand: &GraphValue) -> GraphValue {
    if !gradient.engine().grad_enabled() || !operand.node().needs_grad {
        return gradient.clone();
    }
    on2(gradient, &LINKED, operand)
}

/// Sums added to what they were made for. Where nothing was added the sum is 0, and -0 stays -0.
pub(crate) fn added(x: &GraphValue, sums: &GraphValue) -> GraphValue {
    let sum = x + sums;
    if !x.dtype().is_float() {
        return sum;
    }
    sums.eq(&sums.number(0.0)).select(x, &sum)
}

/// An op without attributes on one value.
pub(crate) fn on(x: &GraphValue, op: &'static Op) -> GraphValue {
    x.call(op, &[], Attrs::new())
}

/// An op without attributes on two values.
pub(crate) fn on2(x: &GraphValue, op: &'static Op, y: &GraphValue) -> GraphValue {
    x.call(op, &[y], Attrs::new())
}
