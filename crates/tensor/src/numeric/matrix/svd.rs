//! Singular values by one-sided rotations (Hestenes 1958): columns of A V are made orthogonal, pair by pair; their
//! lengths are the singular values, each exact to its own last digits.

use super::{Failure, add, dot, rotate, transposed};
use crate::interrupt;

/// Sweeps over all pairs; five to ten are usual.
const MOST_SWEEPS: usize = 60;

pub(super) fn svd(a: &[f64], m: usize, n: usize, full: bool) -> Result<Vec<f64>, Failure> {
    let k = m.min(n);
    // Rows of `tall` are the columns of A, or of Aᵀ where that is the tall one: as many as k, each as long as the other.
    let (long, tall) = if m >= n {
        (m, transposed(a, m, n))
    } else {
        (n, a.to_vec())
    };
    // Numbers near the ends of float64's range would have squares beyond it.
    let largest = tall.iter().fold(0.0f64, |most, x| most.max(x.abs()));
    let scale = if largest > 1e140 || (largest < 1e-140 && largest > 0.0) {
        largest
    } else {
        1.0
    };
    let mut w: Vec<f64> = tall.iter().map(|x| x / scale).collect();
    let mut v = vec![0.0; k * k];
    (0..k).for_each(|i| v[i * k + i] = 1.0);
    orthogonalize(&mut w, &mut v, k, long)?;
    let lengths: Vec<f64> = w
        .chunks(long.max(1))
        .map(|row| dot(row, row).sqrt())
        .collect();
    let mut order: Vec<usize> = (0..k).collect();
    order.sort_by(|&i, &j| lengths[j].total_cmp(&lengths[i]));
    let most = order.first().map_or(0.0, |&i| lengths[i]);
    // Columns of the long side as rows; those of length 0 are made up.
    let n_long = if full { long } else { k };
    let mut sides = Vec::with_capacity(n_long * long);
    let mut values = Vec::with_capacity(k);
    for &i in &order {
        values.push(lengths[i] * scale);
        if lengths[i] > most * f64::EPSILON * 1e-3 {
            sides.extend(w[i * long..(i + 1) * long].iter().map(|x| x / lengths[i]));
        }
    }
    complete(&mut sides, n_long, long);
    let short: Vec<f64> = order
        .iter()
        .flat_map(|&i| v[i * k..(i + 1) * k].iter().copied())
        .collect();
    let mut out = Vec::with_capacity(n_long * long + k + k * k);
    if m >= n {
        out.extend(transposed(&sides, n_long, long));
        out.extend(&values);
        out.extend(&short);
    } else {
        out.extend(transposed(&short, k, k));
        out.extend(&values);
        out.extend(&sides);
    }
    Ok(out)
}

/// Rotates pairs of rows of `w`, and of `v` with them, until all rows of `w` are orthogonal.
fn orthogonalize(w: &mut [f64], v: &mut [f64], k: usize, len: usize) -> Result<(), Failure> {
    for _ in 0..MOST_SWEEPS {
        let mut rotated = false;
        for i in 0..k {
            for j in i + 1..k {
                if interrupt::spend(6 * len) {
                    return Ok(());
                }
                let (x, y) = (&w[i * len..(i + 1) * len], &w[j * len..(j + 1) * len]);
                let (xx, yy, xy) = (dot(x, x), dot(y, y), dot(x, y));
                if xy.abs() <= f64::EPSILON * (xx * yy).sqrt() || xy == 0.0 {
                    continue;
                }
                rotated = true;
                let zeta = (yy - xx) / (2.0 * xy);
                let t = 1.0f64.copysign(zeta) / (zeta.abs() + zeta.hypot(1.0));
                let c = 1.0 / t.hypot(1.0);
                rotate(w, len, (i, j), (c, c * t));
                rotate(v, k, (i, j), (c, c * t));
            }
        }
        if !rotated {
            return Ok(());
        }
    }
    Err(Failure::NoConvergence)
}

/// Adds rows to orthonormal ones until there are `count`.
pub(super) fn complete(rows: &mut Vec<f64>, count: usize, len: usize) {
    let mut next = 0;
    while rows.len() < count * len && next < 2 * len {
        if interrupt::spend(4 * rows.len()) {
            rows.resize(count * len, 0.0);
            return;
        }
        let mut row = vec![0.0; len];
        row[next % len] = 1.0;
        next += 1;
        // Twice is enough (Kahan).
        for _ in 0..2 {
            for known in rows.chunks(len) {
                let along = dot(&row, known);
                add(&mut row, -along, known);
            }
        }
        let length = dot(&row, &row).sqrt();
        // Some unit vector has at least its share outside of what is known.
        let rest = (len - rows.len() / len) as f64 / len as f64;
        if length * length > rest * 0.5 || next > len && length > 1e-8 {
            rows.extend(row.iter().map(|x| x / length));
        }
    }
    rows.resize(count * len, 0.0);
}
