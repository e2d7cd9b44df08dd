//! Ops whose result the engine made after it had looked at an operand's values: as a model they would give the same for
//! every input.

use super::{Row, row};
use crate::export::call::{Call, Outcome, Result1};
use crate::export::walk::BY_VALUE;

pub(super) static ROWS: &[Row] = &[
    row("nonzero", |c| unless_constant(c, 0)),
    row("argwhere", |c| unless_constant(c, 0)),
    row("masked_select", |c| unless_constant(c, 1)),
    row("masked_scatter", |c| unless_constant(c, 1)),
    row("repeat_interleave", |c| unless_constant(c, 1)),
    row("bincount", |c| unless_constant(c, 0)),
    row("histc", |c| unless_constant(c, 0)),
];

/// Operand `i` decides the shape, or where things go.
fn unless_constant(c: &mut Call, i: usize) -> Result1 {
    if !c.varies(i) {
        return Ok(Outcome::Lower);
    }
    Ok(Outcome::Refused(BY_VALUE.to_owned()))
}
