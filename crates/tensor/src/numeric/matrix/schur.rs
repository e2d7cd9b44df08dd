//! Real eigenvalues of any square matrix: Hessenberg's form by reflections, then QR steps with two shifts (Francis
//! 1961; Golub & Van Loan, 7.5), then eigenvectors of the triangle that is left.

use super::reflections::reflection;
use super::{Failure, add, dot};
use crate::interrupt;

/// QR steps for each eigenvalue; a few are usual.
const MOST_STEPS: usize = 100;

pub(super) fn real(a: &[f64], n: usize) -> Result<Vec<f64>, Failure> {
    let largest = a.iter().fold(0.0f64, |most, x| most.max(x.abs()));
    let scale = if largest > 1e100 || (largest < 1e-100 && largest > 0.0) {
        largest
    } else {
        1.0
    };
    let mut h: Vec<f64> = a.iter().map(|x| x / scale).collect();
    let mut q = vec![0.0; n * n];
    (0..n).for_each(|i| q[i * n + i] = 1.0);
    hessenberg(&mut h, &mut q, n);
    triangle(&mut h, &mut q, n)?;
    let mut out: Vec<f64> = (0..n).map(|i| h[i * n + i] * scale).collect();
    out.extend(vectors(&h, &q, n));
    Ok(out)
}

/// A reflection 1 − tau v vᵀ of rows `at..at + v.len()`, in columns from `from` on.
fn reflect_rows(h: &mut [f64], n: usize, (at, from): (usize, usize), v: &[f64], tau: f64) {
    let mut along = vec![0.0; n - from];
    for (k, x) in v.iter().enumerate() {
        add(&mut along, *x, &h[(at + k) * n + from..(at + k + 1) * n]);
    }
    for (k, x) in v.iter().enumerate() {
        add(
            &mut h[(at + k) * n + from..(at + k + 1) * n],
            -tau * x,
            &along,
        );
    }
}

/// The same of columns, in rows up to `rows`.
fn reflect_columns(h: &mut [f64], n: usize, (at, rows): (usize, usize), v: &[f64], tau: f64) {
    for row in h[..rows * n].chunks_mut(n.max(1)) {
        let part = &mut row[at..at + v.len()];
        let along = dot(part, v);
        add(part, -tau * along, v);
    }
}

/// H of A = Q H Qᵀ, zero below what lies below the diagonal.
fn hessenberg(h: &mut [f64], q: &mut [f64], n: usize) {
    for p in 0..n.saturating_sub(2) {
        if interrupt::spend(4 * n * n) {
            return;
        }
        let mut v: Vec<f64> = (p + 1..n).map(|i| h[i * n + p]).collect();
        let (_, tau) = reflection(&mut v);
        if tau == 0.0 {
            continue;
        }
        reflect_rows(h, n, (p + 1, p), &v, tau);
        reflect_columns(h, n, (p + 1, n), &v, tau);
        reflect_columns(q, n, (p + 1, n), &v, tau);
        (p + 2..n).for_each(|i| h[i * n + p] = 0.0);
    }
}

/// Makes H a triangle, with its eigenvalues on the diagonal.
fn triangle(h: &mut [f64], q: &mut [f64], n: usize) -> Result<(), Failure> {
    let norm = h.iter().fold(0.0f64, |most, x| most.max(x.abs()));
    let mut end = n;
    let mut steps = 0;
    while end > 0 {
        if interrupt::spend(10 * n * n) {
            return Ok(());
        }
        // Where the block that ends at `end` begins.
        let mut start = end - 1;
        while start > 0 {
            let around = h[(start - 1) * n + start - 1].abs() + h[start * n + start].abs();
            let around = if around == 0.0 { norm } else { around };
            if h[start * n + start - 1].abs() <= f64::EPSILON * around {
                h[start * n + start - 1] = 0.0;
                break;
            }
            start -= 1;
        }
        if start + 1 == end {
            end -= 1;
            steps = 0;
            continue;
        }
        if start + 2 == end {
            split(h, q, n, start)?;
            end -= 2;
            steps = 0;
            continue;
        }
        steps += 1;
        if steps > MOST_STEPS {
            return Err(Failure::NoConvergence);
        }
        step(h, q, n, (start, end), steps % 10 == 0);
    }
    Ok(())
}

/// Rotates a 2 × 2 block into a triangle.
fn split(h: &mut [f64], q: &mut [f64], n: usize, p: usize) -> Result<(), Failure> {
    let (a, b) = (h[p * n + p], h[p * n + p + 1]);
    let (c, d) = (h[(p + 1) * n + p], h[(p + 1) * n + p + 1]);
    let half = (a - d) / 2.0;
    let square = half * half + b * c;
    // What rounding alone may have made negative is a double eigenvalue.
    let largest = h.iter().fold(0.0f64, |most, x| most.max(x.abs()));
    let rounding = n as f64 * f64::EPSILON * largest;
    let noise = 16.0 * f64::EPSILON * (half * half + (b * c).abs()) + rounding * rounding;
    if square < -noise {
        return Err(Failure::Complex);
    }
    let root = square.max(0.0).sqrt();
    // The eigenvector (x, y) of the eigenvalue d + half ± root that is farther from d.
    let z = half + root.copysign(half);
    let (x, y) = (z, c);
    let length = x.hypot(y);
    if length == 0.0 {
        return Ok(());
    }
    let (cos, sin) = (x / length, y / length);
    for j in 0..n {
        let (x, y) = (h[p * n + j], h[(p + 1) * n + j]);
        h[p * n + j] = cos * x + sin * y;
        h[(p + 1) * n + j] = cos * y - sin * x;
    }
    for matrix in [h, q] {
        for row in matrix.chunks_mut(n) {
            let (x, y) = (row[p], row[p + 1]);
            row[p] = cos * x + sin * y;
            row[p + 1] = cos * y - sin * x;
        }
    }
    Ok(())
}

/// A QR step with both eigenvalues of the last 2 × 2 block as shifts, or with others where they lead nowhere.
fn step(h: &mut [f64], q: &mut [f64], n: usize, (start, end): (usize, usize), odd: bool) {
    let at = |h: &[f64], i: usize, j: usize| h[i * n + j];
    let l = end - 1;
    let (mut sum, mut product) = (
        at(h, l - 1, l - 1) + at(h, l, l),
        at(h, l - 1, l - 1) * at(h, l, l) - at(h, l - 1, l) * at(h, l, l - 1),
    );
    if odd {
        let size = at(h, l, l - 1).abs() + at(h, l - 1, l - 2).abs();
        (sum, product) = (1.5 * size, size * size);
    }
    let (a, b) = (at(h, start, start), at(h, start, start + 1));
    let (c, d) = (at(h, start + 1, start), at(h, start + 1, start + 1));
    let mut v = vec![
        a * a + b * c - sum * a + product,
        c * (a + d - sum),
        c * at(h, start + 2, start + 1),
    ];
    for p in start..end - 1 {
        let size = 3.min(end - p);
        v.truncate(size);
        let (beta, tau) = reflection(&mut v);
        let from = if p > start { p - 1 } else { p };
        reflect_rows(h, n, (p, from), &v, tau);
        if p > start {
            h[p * n + p - 1] = beta;
            (p + 1..p + size).for_each(|i| h[i * n + p - 1] = 0.0);
        }
        reflect_columns(h, n, (p, (p + 4).min(end)), &v, tau);
        reflect_columns(q, n, (p, n), &v, tau);
        if p + 1 < end - 1 {
            v = (p + 1..(p + 4).min(end)).map(|i| h[i * n + p]).collect();
        }
    }
}

/// Eigenvectors in columns, of length 1.
fn vectors(t: &[f64], q: &[f64], n: usize) -> Vec<f64> {
    let norm = t
        .iter()
        .fold(f64::MIN_POSITIVE, |most, x| most.max(x.abs()));
    let mut out = vec![0.0; n * n];
    for j in 0..n {
        if interrupt::spend(2 * n * n) {
            break;
        }
        // (T − t_jj) x = 0 with x_j = 1, from below.
        let mut x = vec![0.0; n];
        x[j] = 1.0;
        for i in (0..j).rev() {
            let sum = dot(&t[i * n + i + 1..i * n + j + 1], &x[i + 1..=j]);
            let mut apart = t[i * n + i] - t[j * n + j];
            if apart.abs() < f64::EPSILON * norm {
                apart = f64::EPSILON * norm;
            }
            x[i] = -sum / apart;
            if x[i].abs() > 1e150 {
                let size = x[i].abs();
                x.iter_mut().for_each(|x| *x /= size);
            }
        }
        let column: Vec<f64> = q
            .chunks(n.max(1))
            .map(|row| dot(&row[..=j], &x[..=j]))
            .collect();
        let length = dot(&column, &column).sqrt();
        for (i, value) in column.iter().enumerate() {
            out[i * n + j] = value / length;
        }
    }
    out
}
