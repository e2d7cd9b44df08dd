//! The registry: a row for each op of the engine that has an operator of ONNX, and for each primitive that the others
//! are made of.
//!
//! An op without a row is written by what it is made of: an elementwise op by its body, a view by the elements that it
//! shows, a composite by the ops in it. A row may decline a call (`Outcome::Lower`) whose arguments ONNX's operator does
//! not have. Invariant: a row writes what the engine computes, or declines; it never writes something near to it.

mod activation;
mod convolution;
mod data;
mod indexing;
mod joining;
mod matmul;
mod movement;
mod normalization;
mod pooling;
mod primitive;
mod reduction;
mod resize;
mod scan;

use glowgrad::op::Kind;

use super::call::{Call, Outcome, Result1};
use super::expression;

/// How an op is written.
#[derive(Clone, Copy)]
enum Run {
    /// As ONNX's operator of this name, on the one operand, in floats.
    Same(&'static str),
    By(fn(&mut Call) -> Result1),
}

/// An op, by the engine's name, and how it is written.
struct Row {
    op: &'static str,
    run: Run,
}

const fn same(op: &'static str, onnx: &'static str) -> Row {
    Row {
        op,
        run: Run::Same(onnx),
    }
}

const fn row(op: &'static str, write: fn(&mut Call) -> Result1) -> Row {
    Row {
        op,
        run: Run::By(write),
    }
}

static FAMILIES: &[&[Row]] = &[
    activation::ROWS,
    convolution::ROWS,
    data::ROWS,
    indexing::ROWS,
    joining::ROWS,
    matmul::ROWS,
    movement::ROWS,
    normalization::ROWS,
    pooling::ROWS,
    reduction::ROWS,
    resize::ROWS,
    scan::ROWS,
];

/// Ops of the scheduler. Some have the name of a registered op that is made of them.
static PRIMITIVES: &[&[Row]] = &[primitive::ROWS];

fn find(families: &'static [&'static [Row]], op: &str) -> Option<&'static Row> {
    families.iter().copied().flatten().find(|row| row.op == op)
}

/// Writes a node whose sources are written.
///
/// # Errors
/// What reading constants says.
pub(super) fn write(c: &mut Call) -> Result1 {
    let op = c.node.op;
    let row = match op.kind {
        Kind::Routine(_) | Kind::Reduce(_) => find(PRIMITIVES, op.name),
        _ => find(FAMILIES, op.name),
    };
    let outcome = match row.map(|row| row.run) {
        Some(Run::Same(onnx)) if c.node.dtype.is_float() => {
            let wide = float(c.node.dtype);
            c.through(wide, |c, x| Ok(c.unary(onnx, x)))?
        }
        Some(Run::By(write)) => write(c)?,
        _ => Outcome::Lower,
    };
    match (outcome, op.kind) {
        (Outcome::Lower, Kind::Elementwise(body)) => expression::write(c, body),
        (Outcome::Lower, Kind::Movement(movement)) => movement::any(c, movement),
        (outcome, _) => Ok(outcome),
    }
}

/// The type in which ONNX's float operators take elements: few take bfloat16.
fn float(dtype: glowgrad::DType) -> glowgrad::DType {
    match dtype {
        glowgrad::DType::BF16 => glowgrad::DType::F32,
        dtype => dtype,
    }
}

/// Whether the values of an op's operands decide the shape of its result.
pub(super) fn decides_its_shape(op: &str) -> bool {
    data::ROWS.iter().any(|row| row.op == op)
}

/// The ops that have a row.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    FAMILIES.iter().copied().flatten().map(|row| row.op)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_op_has_one_row() {
        for families in [FAMILIES, PRIMITIVES] {
            let mut names: Vec<&str> = families.iter().copied().flatten().map(|r| r.op).collect();
            let n = names.len();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), n);
        }
    }
}
