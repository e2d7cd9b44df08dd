//! Tensors made from nothing but numbers: ranges, grids of indices. What is asked for is checked
//! before memory is taken.

use crate::shape;
use crate::{DType, Engine, Error, Result, Scalar, Tensor};

/// A whole number if it is one.
fn whole(x: Scalar) -> Option<i64> {
    match x {
        Scalar::Int(i) => Some(i),
        Scalar::Bool(b) => Some(i64::from(b)),
        _ => None,
    }
}

fn filled(
    op: &str,
    engine: &Engine,
    n: usize,
    dtype: DType,
    at: impl Fn(usize) -> Scalar,
) -> Result<Tensor> {
    shape::check_bytes(op, &[n], dtype)?;
    let mut values = shape::reserve(op, n)?;
    values.extend((0..n).map(at));
    Tensor::from_scalars(engine, &values, &[n], dtype)
}

impl Tensor {
    /// `start, start + step, …` up to `end`, which is not included; int64 for whole numbers.
    ///
    /// # Errors
    /// For a step of zero or away from the end, for infinite bounds, when there are too many.
    pub fn arange(
        engine: &Engine,
        start: Scalar,
        end: Scalar,
        step: Scalar,
        dtype: Option<DType>,
    ) -> Result<Tensor> {
        let (from, to, by) = (start.as_f64(), end.as_f64(), step.as_f64());
        if by == 0.0 || by.is_nan() {
            return Err(Error::runtime(format!(
                "arange: step must be nonzero, got {by}"
            )));
        }
        if !from.is_finite() || !to.is_finite() {
            return Err(Error::runtime(format!(
                "arange: bounds must be finite: unsupported range: {from} -> {to}"
            )));
        }
        if (to - from) * by < 0.0 {
            return Err(Error::runtime(format!(
                "arange: upper bound and lower bound inconsistent with step sign: from {from} to {to} by {by}"
            )));
        }
        if let (Some(start), Some(end), Some(step)) = (whole(start), whole(end), whole(step)) {
            // In whole numbers: float64 has no more than 53 bits of them.
            let span = (i128::from(end) - i128::from(start)).unsigned_abs();
            let n = span.div_ceil(i128::from(step).unsigned_abs());
            let n = shape::size("arange", i64::try_from(n).unwrap_or(i64::MAX))?;
            let dtype = dtype.unwrap_or(DType::I64);
            return filled("arange", engine, n, dtype, |i| {
                Scalar::Int(start.wrapping_add(step.wrapping_mul(i as i64)))
            });
        }
        let n = ((to - from) / by).ceil();
        let n = shape::size("arange", n as i64)?;
        let dtype = dtype.unwrap_or(DType::F32);
        filled("arange", engine, n, dtype, |i| {
            Scalar::Float(from + i as f64 * by)
        })
    }

    /// `steps` numbers from `start` to `end`, both included.
    ///
    /// # Errors
    /// For a negative number of steps, or too many.
    pub fn linspace(
        engine: &Engine,
        start: f64,
        end: f64,
        steps: i64,
        dtype: DType,
    ) -> Result<Tensor> {
        let n = steps_of("linspace", steps)?;
        filled("linspace", engine, n, dtype, |i| {
            Scalar::Float(between(start, end, n, i, dtype))
        })
    }

    /// `base` to the power of `steps` numbers from `start` to `end`.
    ///
    /// # Errors
    /// As [`Tensor::linspace`].
    pub fn logspace(
        engine: &Engine,
        (start, end): (f64, f64),
        steps: i64,
        base: f64,
        dtype: DType,
    ) -> Result<Tensor> {
        let n = steps_of("logspace", steps)?;
        filled("logspace", engine, n, dtype, |i| {
            Scalar::Float(libm::pow(base, between(start, end, n, i, dtype)))
        })
    }

    /// Ones on the diagonal of a `[rows, columns]` matrix, zeros elsewhere.
    ///
    /// # Errors
    /// For negative sizes, or when there are too many.
    pub fn eye(engine: &Engine, rows: i64, columns: i64, dtype: DType) -> Result<Tensor> {
        let (rows, columns) = (shape::size("eye", rows)?, shape::size("eye", columns)?);
        shape::check_bytes("eye", &[rows, columns], dtype)?;
        let mut values = shape::reserve("eye", rows * columns)?;
        values.resize(rows * columns, Scalar::Int(0));
        for i in 0..rows.min(columns) {
            values[i * columns + i] = Scalar::Int(1);
        }
        Tensor::from_scalars(engine, &values, &[rows, columns], dtype)
    }

    /// The indices of the lower triangle of a `[rows, columns]` matrix: a row of rows, a row of
    /// columns.
    ///
    /// # Errors
    /// For negative sizes, or when there are too many.
    pub fn tril_indices(engine: &Engine, rows: i64, columns: i64, offset: i64) -> Result<Tensor> {
        let n = n_below("tril_indices", rows, columns, offset.into())?;
        let last = |row: i64| row.saturating_add(offset).saturating_add(1).min(columns);
        let first = offset.saturating_neg().max(0);
        let all = (first..rows).flat_map(|row| (0..last(row)).map(move |column| (row, column)));
        pairs(engine, "tril_indices", n, all)
    }

    /// The indices of the upper triangle of a `[rows, columns]` matrix: a row of rows, a row of
    /// columns.
    ///
    /// # Errors
    /// As [`Tensor::tril_indices`].
    pub fn triu_indices(engine: &Engine, rows: i64, columns: i64, offset: i64) -> Result<Tensor> {
        let below = n_below("triu_indices", rows, columns, i128::from(offset) - 1)?;
        let n = i128::from(rows) * i128::from(columns) - below;
        let end = columns.saturating_sub(offset).clamp(0, rows);
        let all = (0..end).flat_map(|row| {
            (row.saturating_add(offset).max(0)..columns).map(move |column| (row, column))
        });
        pairs(engine, "triu_indices", n, all)
    }
}

fn steps_of(op: &str, steps: i64) -> Result<usize> {
    if steps < 0 {
        return Err(Error::runtime(format!(
            "{op}: number of steps must be non-negative, got {steps}"
        )));
    }
    shape::size(op, steps)
}

/// Number `i` of `n` from both ends to the middle, in the dtype's own arithmetic, as PyTorch does it.
fn between(start: f64, end: f64, n: usize, i: usize, dtype: DType) -> f64 {
    let gaps = n.saturating_sub(1).max(1);
    let from_start = i < n / 2 || n == 1;
    if dtype == DType::F32 {
        let (start, end) = (start as f32, end as f32);
        let step = (end - start) / gaps as f32;
        return f64::from(if from_start {
            step.mul_add(i as f32, start)
        } else {
            (-step).mul_add((n - 1 - i) as f32, end)
        });
    }
    let step = (end - start) / gaps as f64;
    if from_start {
        start + step * i as f64
    } else {
        end - step * (n - 1 - i) as f64
    }
}

/// How many places of a matrix lie on or below a diagonal, without walking over them.
fn n_below(op: &str, rows: i64, columns: i64, offset: i128) -> Result<i128> {
    for (what, n) in [("row", rows), ("col", columns)] {
        if n < 0 {
            return Err(Error::runtime(format!(
                "{op}: {what} must be non-negative, got {n}"
            )));
        }
    }
    let (rows, columns) = (i128::from(rows), i128::from(columns));
    let first = (-offset).max(0);
    if first >= rows {
        return Ok(0);
    }
    // Rows grow by one place until they are full.
    let start = first + offset + 1;
    let growing = (columns - start).clamp(0, rows - first);
    let full = rows - first - growing;
    let ramp = growing * start + growing * (growing - 1) / 2;
    Ok(ramp.saturating_add(full.saturating_mul(columns)))
}

fn pairs(
    engine: &Engine,
    op: &str,
    n: i128,
    all: impl Iterator<Item = (i64, i64)> + Clone,
) -> Result<Tensor> {
    let n = shape::size(op, i64::try_from(n).unwrap_or(i64::MAX))?;
    shape::check_size(op, &[2, n])?;
    let mut values = shape::reserve(op, 2 * n)?;
    if n > 0 {
        values.extend(all.clone().map(|(row, _)| row));
        values.extend(all.map(|(_, column)| column));
    }
    Tensor::from_i64(engine, &values, &[2, n])
}
