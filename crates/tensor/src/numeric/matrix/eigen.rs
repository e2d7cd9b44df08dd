//! Eigenvalues of symmetric matrices: reflections make the matrix tridiagonal, shifted QL steps make it diagonal
//! (Golub & Van Loan, 8.3).

use super::reflections::reflection;
use super::{Failure, add, dot, rotate, transposed};
use crate::interrupt;

/// QL steps for each eigenvalue; two are usual.
const MOST_STEPS: usize = 100;

pub(super) fn symmetric(a: &[f64], n: usize) -> Result<Vec<f64>, Failure> {
    let mut a = a.to_vec();
    for i in 0..n {
        for j in 0..i {
            a[j * n + i] = a[i * n + j];
        }
    }
    let largest = a.iter().fold(0.0f64, |most, x| most.max(x.abs()));
    let scale = if largest > 1e140 || (largest < 1e-140 && largest > 0.0) {
        largest
    } else {
        1.0
    };
    a.iter_mut().for_each(|x| *x /= scale);
    let (mut diagonal, mut beside, mut rows) = tridiagonal(a, n);
    diagonalize(&mut diagonal, &mut beside, &mut rows, n)?;
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&i, &j| diagonal[i].total_cmp(&diagonal[j]));
    let mut out: Vec<f64> = order.iter().map(|&i| diagonal[i] * scale).collect();
    let sorted: Vec<f64> = order
        .iter()
        .flat_map(|&i| rows[i * n..(i + 1) * n].iter().copied())
        .collect();
    out.extend(transposed(&sorted, n, n));
    Ok(out)
}

/// The diagonal, what is beside it, and Qᵀ of A = Q T Qᵀ.
fn tridiagonal(mut a: Vec<f64>, n: usize) -> (Vec<f64>, Vec<f64>, Vec<f64>) {
    let mut beside = vec![0.0; n];
    let mut kept: Vec<(Vec<f64>, f64)> = Vec::new();
    for p in 0..n.saturating_sub(1) {
        if interrupt::spend(4 * (n - p) * (n - p)) {
            break;
        }
        let rest = p + 1;
        let mut v: Vec<f64> = (rest..n).map(|i| a[i * n + p]).collect();
        let (beta, tau) = reflection(&mut v);
        beside[p] = beta;
        if tau != 0.0 {
            // A − v wᵀ − w vᵀ with w = tau A v − (tau²/2) (vᵀ A v) v
            let mut w: Vec<f64> = (rest..n)
                .map(|i| tau * dot(&a[i * n + rest..(i + 1) * n], &v))
                .collect();
            let along = -tau / 2.0 * dot(&w, &v);
            add(&mut w, along, &v);
            for i in rest..n {
                let row = &mut a[i * n + rest..(i + 1) * n];
                let (vi, wi) = (v[i - rest], w[i - rest]);
                for (x, (v, w)) in row.iter_mut().zip(v.iter().zip(&w)) {
                    *x -= vi * w + wi * v;
                }
            }
        }
        kept.push((v, tau));
    }
    let diagonal = (0..n).map(|i| a[i * n + i]).collect();
    // Rows of Qᵀ: the reflections in turn on the columns of 1, from the last one back.
    let mut rows = vec![0.0; n * n];
    (0..n).for_each(|i| rows[i * n + i] = 1.0);
    for (p, (v, tau)) in kept.iter().enumerate().rev() {
        if interrupt::spend(2 * n * (n - p)) {
            break;
        }
        let rest = p + 1;
        for row in rows[rest * n..].chunks_mut(n) {
            let along = dot(&row[rest..], v);
            add(&mut row[rest..], -tau * along, v);
        }
    }
    (diagonal, beside, rows)
}

/// Makes a tridiagonal matrix diagonal; rows are rotated with it.
fn diagonalize(d: &mut [f64], e: &mut [f64], rows: &mut [f64], n: usize) -> Result<(), Failure> {
    for first in 0..n {
        let mut steps = 0;
        loop {
            // Up to where the matrix falls apart.
            let is_small =
                |i: usize| e[i].abs() <= f64::EPSILON / 2.0 * (d[i].abs() + d[i + 1].abs());
            let last = (first..n - 1).find(|&i| is_small(i)).unwrap_or(n - 1);
            if last == first {
                break;
            }
            steps += 1;
            if steps > MOST_STEPS {
                return Err(Failure::NoConvergence);
            }
            if interrupt::spend(6 * n * (last - first)) {
                return Ok(());
            }
            // The eigenvalue of the leading 2 × 2 block that is nearer to its first element.
            let half = (d[first + 1] - d[first]) / (2.0 * e[first]);
            let root = half.hypot(1.0);
            let shift = d[first] - e[first] / (half + root.copysign(half));
            // One rotation chases the next, from the end up.
            let (mut c, mut s) = (1.0, 1.0);
            let mut carried = 0.0;
            let mut g = d[last] - shift;
            let mut apart = false;
            for i in (first..last).rev() {
                let f = s * e[i];
                let b = c * e[i];
                let r = f.hypot(g);
                e[i + 1] = r;
                if r == 0.0 {
                    d[i + 1] -= carried;
                    e[last] = 0.0;
                    apart = true;
                    break;
                }
                (s, c) = (f / r, g / r);
                g = d[i + 1] - carried;
                let t = (d[i] - g) * s + 2.0 * c * b;
                carried = s * t;
                d[i + 1] = g + carried;
                g = c * t - b;
                rotate(rows, n, (i, i + 1), (c, s));
            }
            if !apart {
                d[first] -= carried;
                e[first] = g;
                e[last] = 0.0;
            }
        }
    }
    Ok(())
}
