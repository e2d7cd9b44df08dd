//! The registry: a row for each of ONNX's operators that runs here, in families.
//!
//! Invariant: for a name, a set and a version at most one row fits.

mod activation;
mod attention;
mod constant;
mod control;
mod convolution;
mod detection;
mod elementwise;
mod grid;
mod indexing;
mod logic;
mod loss;
mod matmul;
mod movement;
mod normalization;
mod padding;
mod pooling;
mod quantization;
mod recurrent;
mod reduction;
mod resize;
mod scatter;
mod sorting;

use glowgrad::{Result, Tensor};

use crate::graph::{Call, Row, Run};

/// The version that no set has reached.
const LATEST: i64 = i64::MAX;

const fn row(name: &'static str, since: i64, run: Run) -> Row {
    Row {
        name,
        since,
        until: LATEST,
        run,
    }
}

const fn same(name: &'static str, since: i64, op: &'static str) -> Row {
    row(name, since, Run::Same(op))
}

const fn one(name: &'static str, since: i64, run: fn(&Call) -> Result<Tensor>) -> Row {
    row(name, since, Run::One(run))
}

const fn many(name: &'static str, since: i64, run: fn(&Call) -> Result<Vec<Tensor>>) -> Row {
    row(name, since, Run::Many(run))
}

static FAMILIES: &[&[Row]] = &[
    elementwise::ROWS,
    logic::ROWS,
    activation::ROWS,
    reduction::ROWS,
    sorting::ROWS,
    matmul::ROWS,
    movement::ROWS,
    padding::ROWS,
    resize::ROWS,
    indexing::ROWS,
    scatter::ROWS,
    constant::ROWS,
    convolution::ROWS,
    pooling::ROWS,
    normalization::ROWS,
    attention::ROWS,
    quantization::ROWS,
    grid::ROWS,
    detection::ROWS,
    recurrent::ROWS,
    loss::ROWS,
    control::ROWS,
];

fn rows() -> impl Iterator<Item = &'static Row> {
    FAMILIES.iter().copied().flatten()
}

/// The row of an operator in a version of its set.
pub(crate) fn find(domain: &str, name: &str, version: i64) -> Option<&'static Row> {
    if !domain.is_empty() {
        return None;
    }
    rows().find(|row| row.name == name && (row.since..=row.until).contains(&version))
}

/// An operator that runs here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Supported {
    /// ONNX's name: `Conv`.
    pub name: &'static str,
    /// The first version of the operator set in which it runs as it does.
    pub since: i64,
    /// The last one; none if it is still so.
    pub until: Option<i64>,
}

/// The operators of ONNX's own set that run here.
pub fn supported() -> impl Iterator<Item = Supported> {
    rows().map(|row| Supported {
        name: row.name,
        since: row.since,
        until: (row.until != LATEST).then_some(row.until),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_a_name_do_not_overlap() {
        let all: Vec<&Row> = rows().collect();
        for (i, a) in all.iter().enumerate() {
            assert!(a.since <= a.until, "{a:?}");
            for b in &all[i + 1..] {
                let apart = a.until < b.since || b.until < a.since;
                assert!(a.name != b.name || apart, "{a:?} and {b:?}");
            }
        }
    }

    #[test]
    fn rows_name_ops_of_the_engine() {
        for row in rows() {
            if let Run::Same(op) = row.run {
                assert!(glowgrad::ops::find(op).is_some(), "{row:?}: {op}");
            }
        }
    }
}
