//! Indices of a call against the sizes that they index.

use crate::dtype::Scalar;
use crate::graph::Operand;
use crate::op::{Attr, Attrs, Op};
use crate::ops::dim_of;
use crate::ops::embedding::EMBEDDING;
use crate::ops::gather::GATHER;
use crate::ops::index::INDEX;
use crate::ops::index_select::INDEX_SELECT;
use crate::ops::scatter::SCATTER_ADD;
use crate::{Error, Result};

const NO_ROWS: &str = "embedding: the weight has no rows to choose from";

/// Looks at the values of an op's indices.
type CheckIndices = fn(&Op, &[Operand], &Attrs) -> Result<()>;

/// The ops whose indices are looked at.
static CHECKED: [(&Op, CheckIndices); 8] = [
    (&GATHER, check_positions),
    (&SCATTER_ADD, check_positions),
    (&INDEX_SELECT, check_rows),
    (&EMBEDDING, check_table),
    (&INDEX, check_chosen),
    (&crate::ops::cross_entropy::NLL_LOSS, check_classes),
    (&crate::ops::cross_entropy::CROSS_ENTROPY, check_classes),
    (&crate::ops::margin::MULTI_MARGIN_LOSS, check_margin_classes),
];

/// Checks the indices of a call against the sizes they index, at the line that makes it, as PyTorch
/// does. Reads the index tensors: they are small beside what they choose.
pub(crate) fn check_indices(
    op: &'static Op,
    operands: impl FnOnce() -> Vec<Operand>,
    attrs: &Attrs,
) -> Result<()> {
    let mut checked = CHECKED.iter();
    match checked.find(|(checked, _)| std::ptr::eq(*checked, op)) {
        Some((_, check)) => check(op, &operands(), attrs),
        None => Ok(()),
    }
}

/// The first index that is not allowed.
fn outside(
    index: &Operand,
    allowed: std::ops::Range<i64>,
    but: Option<i64>,
) -> Result<Option<i64>> {
    let mut values = index.to_check()?.into_iter().map(Scalar::as_i64);
    Ok(values.find(|i| !allowed.contains(i) && Some(*i) != but))
}

/// The dimension that attribute 0 names, and its size.
fn along(op: &Op, tensor: &Operand, attrs: &Attrs) -> Result<(usize, i64)> {
    let shape = tensor.shape();
    let dim = dim_of(op, &shape, &attrs[0])?;
    Ok((dim, shape.get(dim).copied().unwrap_or(1) as i64))
}

fn check_positions(op: &Op, operands: &[Operand], attrs: &Attrs) -> Result<()> {
    let (dim, n) = along(op, &operands[0], attrs)?;
    match outside(&operands[1], 0..n, None)? {
        Some(i) => Err(Error::runtime(format!(
            "{}: index {i} is out of bounds for dimension {dim} with size {n}",
            op.name
        ))),
        None => Ok(()),
    }
}

fn check_rows(op: &Op, operands: &[Operand], attrs: &Attrs) -> Result<()> {
    let (_, n) = along(op, &operands[0], attrs)?;
    check_range(op, &operands[1], n)
}

fn check_table(op: &Op, operands: &[Operand], _: &Attrs) -> Result<()> {
    match operands[1].shape()[..] {
        [0, _] if operands[0].numel() > 0 => Err(Error::runtime(NO_ROWS)),
        [rows, _] => check_range(op, &operands[0], rows as i64),
        // The shape rule refuses a weight that is no table.
        _ => Ok(()),
    }
}

fn check_range(op: &Op, index: &Operand, n: i64) -> Result<()> {
    match outside(index, 0..n, None)? {
        Some(i) => Err(Error::index(format!(
            "{}: index out of range in self: {i} is not in 0 … {}",
            op.name,
            n - 1
        ))),
        None => Ok(()),
    }
}

fn check_chosen(_: &Op, operands: &[Operand], attrs: &Attrs) -> Result<()> {
    let shape = operands[0].shape();
    // Which dimensions they were, before they came to the front.
    let named = attrs.first().map_or(&[][..], Attr::as_ints);
    let dim = |d: usize| named.get(d).map_or(d, |&d| d as usize);
    let indices = operands[1..].iter().zip(shape).enumerate();
    check_leading(indices.map(|(d, (i, n))| (dim(d), n, i.clone())))
}

fn check_classes(op: &Op, operands: &[Operand], attrs: &Attrs) -> Result<()> {
    let shape = operands[0].shape();
    // Without dimensions there are no classes: the shape rule says so.
    let Some(&n) = shape.get(usize::from(shape.len() > 1)) else {
        return Ok(());
    };
    let n = n as i64;
    match outside(&operands[1], 0..n, Some(attrs[1].as_int()))? {
        Some(i) => Err(Error::index(format!(
            "{}: target {i} is out of bounds: there are {n} classes, numbered 0 … {}",
            op.name,
            n - 1
        ))),
        None => Ok(()),
    }
}

fn check_margin_classes(op: &Op, operands: &[Operand], _: &Attrs) -> Result<()> {
    let n = operands[0].shape().last().copied().unwrap_or(1) as i64;
    match n > 0 {
        true => match outside(&operands[1], 0..n, None)? {
            Some(i) => Err(Error::runtime(format!(
                "{}: target out of range: {i}, but there are {n} classes, numbered 0 … {}",
                op.name,
                n - 1
            ))),
            None => Ok(()),
        },
        false => Ok(()),
    }
}

/// Checks integer tensors against the dimensions they index, of which size and number are given.
pub(crate) fn check_leading(indices: impl Iterator<Item = (usize, usize, Operand)>) -> Result<()> {
    for (dim, n, index) in indices {
        let n = n as i64;
        let values = index.to_check()?.into_iter().map(Scalar::as_i64);
        if let Some(i) = values.into_iter().find(|i| !(-n..n).contains(i)) {
            return Err(Error::index(format!(
                "index {i} is out of bounds for dimension {dim} with size {n}"
            )));
        }
    }
    Ok(())
}
