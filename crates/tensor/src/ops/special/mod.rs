//! Special functions (`torch.special`): what they share is the routine that computes them.
//!
//! The CPU alone has it; other devices leave these ops to it. What a formula of a few steps gives exactly enough
//! (`logit`, `sinc`, `entr`, `xlog1py`) is a body that every backend has.

pub mod bessel;
pub mod gamma;
pub mod normal;
pub mod polynomials;

use smallvec::smallvec;

use crate::graph::{GraphValue, routine};
use crate::kernel::Special;
use crate::node::NodeRef;
use crate::op::{Attr, Attrs, Call, Kind, Op, RoutineKind};
use crate::ops::{BASE, BINARY, UNARY};
use crate::shape::{self, Shape};
use crate::{Error, Result};

/// The scheduler's routine, of row-major sources of one shape in float32 or float64. Attribute 0 is the place of the
/// function among [`Special::ALL`].
static SPECIAL: Op = Op {
    name: "special",
    kind: Kind::Routine(RoutineKind::Of(routine::special)),
    method: false,
    ..BASE
};

/// A function of one number.
const ONE: Op = Op {
    element_by_element: true,
    method: false,
    ..UNARY
};

/// A function of two numbers.
const TWO: Op = Op {
    element_by_element: true,
    method: false,
    promote: crate::op::Promote::Float,
    ..BINARY
};

/// The function of a composite's operands, in the shape and dtype of its node.
fn compute(c: &Call, function: Special) -> GraphValue {
    of(function, &c.src, &c.node.shape).to(c.node.dtype)
}

/// The function of values that meet in a shape, in the dtype of arithmetic.
fn of(function: Special, values: &[GraphValue], shape: &Shape) -> GraphValue {
    let n = shape::numel(shape);
    let dtype = values[values.len() - 1].dtype().compute();
    let flat = |x: &GraphValue| match x.shape().is_empty() {
        // A number is made elements.
        true => x.to(dtype).expand(&[n]),
        false => x.to(dtype).expand(shape).reshape(&[n]),
    };
    let at = Special::ALL.iter().position(|f| *f == function);
    let attrs: Attrs = smallvec![Attr::Int(at.unwrap_or(0) as i64)];
    let first = flat(&values[0]);
    let y = match values.get(1) {
        Some(second) => first.call(&SPECIAL, &[&flat(second)], attrs),
        None => first.call(&SPECIAL, &[], attrs),
    };
    y.reshape(shape)
}

/// What PyTorch raises for the gradient of an operand that has none.
fn no_derivative(name: &str) -> Error {
    Error::not_implemented(format!("the derivative for '{name}' is not implemented."))
}

/// Refuses half-width floats, for which PyTorch has no kernel.
fn no_half(op: &Op, src: &[NodeRef]) -> Result<()> {
    let half = |s: &&NodeRef| s.dtype.is_float() && s.dtype.size() < 4 && !s.is_python_number;
    match src.iter().find(half) {
        Some(half) => Err(crate::ops::shared::not_implemented_for(
            op,
            half.dtype,
            "convert it with .float()",
        )),
        None => Ok(()),
    }
}
