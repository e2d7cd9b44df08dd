//! Products with a single row or column, where nothing is used twice and packing would only cost.
//!
//! There are two forms: dot products, when the matrix lies along the inner dimension, and sums of
//! scaled rows, when it lies across. Both keep enough accumulators for additions not to wait.

use super::{Element, Matrix};
use crate::simd::{Level, dispatch};

/// Accumulators of a dot product, and of a piece of a row.
const LANES: usize = 64;

/// `c = a · b` with `m` or `n` 1. False, with nothing done, when the strides suit neither form.
pub(super) fn multiply<T: Element>(
    level: Level,
    (m, k, n): (usize, usize, usize),
    a: Matrix<'_, T>,
    b: Matrix<'_, T>,
    c: &mut [T],
) -> bool {
    // With one column, the transposed product has one row.
    let (vector, matrix, n) = if m == 1 {
        (a, b, n)
    } else {
        (b.transposed(), a.transposed(), m)
    };
    if k == 0 {
        return false;
    }
    if matrix.column == 1 && n > 1 {
        dispatch(
            level,
            #[inline(always)]
            || scaled_rows((k, n), vector, matrix, c),
        );
    } else if matrix.row == 1 && vector.column == 1 {
        let at = vector.at as usize;
        let x = &vector.data[at..at + k];
        dispatch(
            level,
            #[inline(always)]
            || {
                for (j, c) in c.iter_mut().enumerate() {
                    let at = (matrix.at + j as isize * matrix.column) as usize;
                    *c = dot(x, &matrix.data[at..at + k]);
                }
            },
        );
    } else {
        return false;
    }
    true
}

#[inline(always)]
fn dot<T: Element>(x: &[T], y: &[T]) -> T {
    let mut lanes = [T::zeroed(); LANES];
    let ((x, x_rest), (y, y_rest)) = (x.as_chunks::<LANES>(), y.as_chunks::<LANES>());
    for (x, y) in x.iter().zip(y) {
        for ((lane, &x), &y) in lanes.iter_mut().zip(x).zip(y) {
            *lane = T::multiply_add(x, y, *lane);
        }
    }
    for ((lane, &x), &y) in lanes.iter_mut().zip(x_rest).zip(y_rest) {
        *lane = T::multiply_add(x, y, *lane);
    }
    let mut n = LANES / 2;
    while n > 0 {
        for i in 0..n {
            lanes[i] = lanes[i].plus(lanes[i + n]);
        }
        n /= 2;
    }
    lanes[0]
}

#[inline(always)]
fn scaled_rows<T: Element>(
    (k, n): (usize, usize),
    x: Matrix<'_, T>,
    rows: Matrix<'_, T>,
    c: &mut [T],
) {
    let whole = n / LANES * LANES;
    for (j, c) in (0..n).step_by(LANES).zip(c.chunks_mut(LANES)) {
        let mut sums = [T::zeroed(); LANES];
        let row = |p: usize| (rows.at + p as isize * rows.row) as usize + j;
        if j < whole {
            for p in 0..k {
                let Some(row) = rows.data[row(p)..].first_chunk::<LANES>() else {
                    return;
                };
                let x = x.get(0, p);
                for (sum, &y) in sums.iter_mut().zip(row) {
                    *sum = T::multiply_add(x, y, *sum);
                }
            }
        } else {
            for p in 0..k {
                let (x, at) = (x.get(0, p), row(p));
                for (sum, &y) in sums.iter_mut().zip(&rows.data[at..at + c.len()]) {
                    *sum = T::multiply_add(x, y, *sum);
                }
            }
        }
        c.copy_from_slice(&sums[..c.len()]);
    }
}
