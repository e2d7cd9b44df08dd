//! L D Lᵀ of symmetric matrices that need not be definite, by Bunch's and Kaufman's pivots (1977), step by step as
//! LAPACK's `sytf2` with its lower triangle, so that the pivots are LAPACK's.
//!
//! D has blocks of one and of two rows. Exchanges of rows reach what is not yet factored, and leave the columns of L that
//! are there as they are: `sytrs` makes them in turn.

use crate::interrupt;

/// L below the diagonal and D on it in one matrix, with D's second diagonal where its blocks have two rows; then LAPACK's
/// pivots, negative for these blocks; then the first zero on D's diagonal, from 1, or 0.
///
/// A NaN is what MKL takes it for, with which PyTorch is built: no number is smaller than it, and none is larger.
pub(super) fn ldl(matrix: &[f64], n: usize) -> Vec<f64> {
    // How far a diagonal element may be below its column's largest: then growth is least.
    let alpha = (1.0 + 17.0f64.sqrt()) / 8.0;
    let mut a = vec![0.0; n * n];
    for i in 0..n {
        a[i * n..=i * n + i].copy_from_slice(&matrix[i * n..=i * n + i]);
    }
    let mut pivots = vec![0.0; n];
    let mut zero = 0;
    let mut k = 0;
    while k < n {
        if interrupt::spend((n - k) * (n - k)) {
            break;
        }
        let size = |i: usize, j: usize| a[i * n + j].abs();
        let on_diagonal = size(k, k);
        let (row, in_column) = largest((k + 1..n).map(|i| (i, size(i, k))));
        let is_zero = more(on_diagonal, in_column) == 0.0;
        let (pivot, step) = if is_zero || on_diagonal >= alpha * in_column {
            (k, 1)
        } else {
            let (_, left) = largest((k..row).map(|j| (j, size(row, j))));
            let (_, below) = largest((row + 1..n).map(|i| (i, size(i, row))));
            let in_row = if row + 1 < n { more(left, below) } else { left };
            if on_diagonal >= alpha * in_column * (in_column / in_row) {
                (k, 1)
            } else if size(row, row) >= alpha * in_row {
                (row, 1)
            } else {
                (row, 2)
            }
        };
        if is_zero {
            zero = if zero == 0 { k + 1 } else { zero };
        } else {
            exchange(&mut a, n, k, step, pivot);
            match step {
                1 => take_one(&mut a, n, k),
                _ => take_two(&mut a, n, k),
            }
        }
        let place = (pivot + 1) as f64;
        match step {
            1 => pivots[k] = place,
            _ => pivots[k..k + 2].fill(-place),
        }
        k += step;
    }
    a.extend(pivots);
    a.push(zero as f64);
    a
}

/// The larger of two, as processors have it: the second where one is NaN.
fn more(x: f64, y: f64) -> f64 {
    if x > y { x } else { y }
}

/// The first of the largest, and where it is; (0, 0) of none.
fn largest(mut sizes: impl Iterator<Item = (usize, f64)>) -> (usize, f64) {
    let first = sizes.next().unwrap_or((0, 0.0));
    sizes.fold(
        first,
        |best, next| if next.1 > best.1 { next } else { best },
    )
}

/// Exchanges the last row and column of a step with those of its pivot, in the lower triangle from column k on.
fn exchange(a: &mut [f64], n: usize, k: usize, step: usize, pivot: usize) {
    let last = k + step - 1;
    if pivot == last {
        return;
    }
    (pivot + 1..n).for_each(|i| a.swap(i * n + last, i * n + pivot));
    (last + 1..pivot).for_each(|j| a.swap(j * n + last, pivot * n + j));
    a.swap(last * n + last, pivot * n + pivot);
    if step == 2 {
        a.swap(last * n + k, pivot * n + k);
    }
}

/// Takes a column of L and a number of D.
fn take_one(a: &mut [f64], n: usize, k: usize) {
    let inverse = 1.0 / a[k * n + k];
    for j in k + 1..n {
        let times = -inverse * a[j * n + k];
        for i in j..n {
            a[i * n + j] += times * a[i * n + k];
        }
    }
    (k + 1..n).for_each(|i| a[i * n + k] *= inverse);
}

/// Takes two columns of L and a block of D.
fn take_two(a: &mut [f64], n: usize, k: usize) {
    let beside = a[(k + 1) * n + k];
    let first = a[(k + 1) * n + k + 1] / beside;
    let second = a[k * n + k] / beside;
    let scale = 1.0 / (first * second - 1.0) / beside;
    for j in k + 2..n {
        let (x, y) = (a[j * n + k], a[j * n + k + 1]);
        let left = scale * (first * x - y);
        let right = scale * (second * y - x);
        for i in j..n {
            a[i * n + j] -= a[i * n + k] * left + a[i * n + k + 1] * right;
        }
        (a[j * n + k], a[j * n + k + 1]) = (left, right);
    }
}
