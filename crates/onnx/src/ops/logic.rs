//! Comparisons and logic.

use glowgrad::{DType, Result, Tensor};

use super::{one, same};
use crate::call::Methods;
use crate::graph::{Call, Row};

/// The operators of this family.
pub(super) static ROWS: &[Row] = &[
    same("And", 7, "logical_and"),
    same("Or", 7, "logical_or"),
    same("Xor", 7, "logical_xor"),
    same("Not", 1, "logical_not"),
    same("Equal", 7, "eq"),
    same("Greater", 7, "gt"),
    same("GreaterOrEqual", 12, "ge"),
    same("Less", 7, "lt"),
    same("LessOrEqual", 12, "le"),
    same("IsNaN", 9, "isnan"),
    one("IsInf", 10, is_inf),
    one("Where", 9, |c| {
        c.x(1)?.where_(&c.x(0)?.to(DType::Bool)?, c.x(2)?)
    }),
];

fn is_inf(c: &Call) -> Result<Tensor> {
    let x = c.x(0)?;
    let infinite = x.one("isinf")?;
    let zero = c.number(0.0);
    match (
        c.int_or("detect_negative", 1) != 0,
        c.int_or("detect_positive", 1) != 0,
    ) {
        (true, true) => Ok(infinite),
        (true, false) => infinite.pair("logical_and", &x.pair("lt", &zero)?),
        (false, true) => infinite.pair("logical_and", &x.pair("gt", &zero)?),
        (false, false) => c.full_like(x, 0.0)?.to(DType::Bool),
    }
}
