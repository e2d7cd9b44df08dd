//! Determinants, inverses, linear systems, Cholesky and QR of batches of small matrices.
//!
//! All arithmetic is float64's, so that a float32 result is good to its last digit. Whether a float32
//! matrix is singular is nevertheless decided in float32, where what LAPACK calls singular cancels to
//! zero. LU has partial pivoting (Golub & Van Loan, 3.4), QR is LAPACK's `geqr2` and `org2r`.

use bytemuck::{cast_slice, cast_slice_mut};
use glowgrad_tensor::kernel::Factor;
use glowgrad_tensor::{DType, Result, interrupt};

/// Runs [`Routine::Factor`](glowgrad_tensor::kernel::Routine::Factor).
pub(crate) fn run(
    kind: Factor,
    dtype: DType,
    ([batch, m, n], k): ([usize; 3], usize),
    batched: bool,
    inputs: &[&[u8]],
    output: &mut [u8],
) -> Result<()> {
    let per_matrix = match kind {
        Factor::Det => 1,
        Factor::Inverse | Factor::Cholesky => n * n,
        Factor::Solve | Factor::QrR => n * k,
        Factor::QrQ => m * k,
        Factor::Packed(decomposition) => decomposition.len(m, n),
    };
    let single = dtype == DType::F32;
    let mut out = vec![0.0; per_matrix];
    for at in 0..batch {
        let mut a = read(inputs[0], single, at * m * n, m * n);
        let refused = |order| kind.refusal(at, batched, order);
        match kind {
            Factor::Det => out[0] = determinant(a, n, single),
            Factor::Inverse => {
                out.fill(0.0);
                (0..n).for_each(|i| out[i * n + i] = 1.0);
                solve(a, n, &mut out, n, single).map_err(refused)?;
            }
            Factor::Solve => {
                out = read(inputs[1], single, at * n * k, n * k);
                solve(a, n, &mut out, k, single).map_err(refused)?;
            }
            Factor::Cholesky => {
                cholesky(&mut a, n).map_err(refused)?;
                out.copy_from_slice(&a);
            }
            Factor::QrQ => {
                let taus = reflect(&mut a, m, n);
                orthogonal(&a, &taus, n, k, &mut out);
            }
            Factor::QrR => {
                reflect(&mut a, m, n);
                for i in 0..k {
                    for j in 0..n {
                        out[i * n + j] = if j < i { 0.0 } else { a[i * n + j] };
                    }
                }
            }
            Factor::Packed(decomposition) => {
                let failed = |why| kind.failure(at, batched, why);
                out = decomposition.run(&a, m, n).map_err(failed)?;
            }
        }
        write(output, single, at * per_matrix, &out);
    }
    Ok(())
}

fn read(bytes: &[u8], single: bool, start: usize, n: usize) -> Vec<f64> {
    if single {
        let values: &[f32] = cast_slice(bytes);
        return values[start..start + n].iter().map(|&x| x.into()).collect();
    }
    let values: &[f64] = cast_slice(bytes);
    values[start..start + n].to_vec()
}

fn write(bytes: &mut [u8], single: bool, start: usize, values: &[f64]) {
    if single {
        let out: &mut [f32] = cast_slice_mut(bytes);
        for (out, &x) in out[start..].iter_mut().zip(values) {
            *out = x as f32;
        }
    } else {
        let out: &mut [f64] = cast_slice_mut(bytes);
        out[start..start + values.len()].copy_from_slice(values);
    }
}

/// Rows by their pivots, how often they were swapped, and the first pivot that is zero.
struct Pivots {
    rows: Vec<usize>,
    swaps: usize,
    zero: Option<usize>,
}

/// Replaces a matrix by L below the diagonal and U on and above it; `round` is what every operation's
/// result goes through.
fn lu(a: &mut [f64], n: usize, round: fn(f64) -> f64) -> Pivots {
    let mut pivots = Pivots {
        rows: (0..n).collect(),
        swaps: 0,
        zero: None,
    };
    for p in 0..n {
        if interrupt::spend((n - p) * (n - p)) {
            break;
        }
        let mut best = p;
        for i in p + 1..n {
            if a[i * n + p].abs() > a[best * n + p].abs() {
                best = i;
            }
        }
        if best != p {
            (0..n).for_each(|j| a.swap(p * n + j, best * n + j));
            pivots.rows.swap(p, best);
            pivots.swaps += 1;
        }
        let pivot = a[p * n + p];
        if pivot == 0.0 {
            pivots.zero.get_or_insert(p + 1);
            continue;
        }
        let (above, below) = a.split_at_mut((p + 1) * n);
        let pivot_row = &above[p * n..];
        for row in below.chunks_exact_mut(n) {
            let times = round(row[p] / pivot);
            row[p] = times;
            for (x, &y) in row[p + 1..].iter_mut().zip(&pivot_row[p + 1..]) {
                *x = round(*x - round(times * y));
            }
        }
    }
    pivots
}

/// The first pivot that is zero in the matrix' own dtype.
fn zero_pivot(a: &[f64], n: usize, single: bool) -> Option<usize> {
    single
        .then(|| lu(&mut a.to_vec(), n, |x| f64::from(x as f32)).zero)
        .flatten()
}

fn determinant(mut a: Vec<f64>, n: usize, single: bool) -> f64 {
    if zero_pivot(&a, n, single).is_some() {
        return 0.0;
    }
    let pivots = lu(&mut a, n, |x| x);
    if pivots.zero.is_some() {
        return 0.0;
    }
    let product: f64 = (0..n).map(|i| a[i * n + i]).product();
    if pivots.swaps % 2 == 1 {
        -product
    } else {
        product
    }
}

/// Solves A X = B in place of B; the error is the order of the pivot that is zero.
fn solve(mut a: Vec<f64>, n: usize, b: &mut Vec<f64>, k: usize, single: bool) -> Result<(), usize> {
    if let Some(order) = zero_pivot(&a, n, single) {
        return Err(order);
    }
    let pivots = lu(&mut a, n, |x| x);
    if let Some(order) = pivots.zero {
        return Err(order);
    }
    let mut x = Vec::with_capacity(n * k);
    for &row in &pivots.rows {
        x.extend_from_slice(&b[row * k..(row + 1) * k]);
    }
    for i in 0..n {
        if interrupt::spend(i * k) {
            break;
        }
        for p in 0..i {
            let times = a[i * n + p];
            (0..k).for_each(|j| x[i * k + j] -= times * x[p * k + j]);
        }
    }
    for i in (0..n).rev() {
        if interrupt::spend((n - i) * k) {
            break;
        }
        for p in i + 1..n {
            let times = a[i * n + p];
            (0..k).for_each(|j| x[i * k + j] -= times * x[p * k + j]);
        }
        (0..k).for_each(|j| x[i * k + j] /= a[i * n + i]);
    }
    *b = x;
    Ok(())
}

/// Replaces a matrix by its Cholesky factor, zeros above the diagonal; the error is the order of the
/// leading minor that is not positive.
fn cholesky(a: &mut [f64], n: usize) -> Result<(), usize> {
    for j in 0..n {
        if interrupt::spend((n - j) * j) {
            break;
        }
        for i in j..n {
            let dot: f64 = (0..j).map(|p| a[i * n + p] * a[j * n + p]).sum();
            let rest = a[i * n + j] - dot;
            if i != j {
                a[i * n + j] = rest / a[j * n + j];
            } else if rest > 0.0 {
                a[i * n + j] = rest.sqrt();
            } else {
                return Err(j + 1);
            }
        }
        (j + 1..n).for_each(|i| a[j * n + i] = 0.0);
    }
    Ok(())
}

/// Replaces a matrix by R on and above the diagonal and the reflections' vectors below it (their first
/// element is 1); returns the factors tau of 1 − tau v vᵀ.
fn reflect(a: &mut [f64], m: usize, n: usize) -> Vec<f64> {
    let mut taus = Vec::with_capacity(m.min(n));
    for p in 0..m.min(n) {
        if interrupt::spend((m - p) * (n - p)) {
            break;
        }
        let below = (p + 1..m)
            .map(|i| a[i * n + p] * a[i * n + p])
            .sum::<f64>()
            .sqrt();
        if below == 0.0 {
            taus.push(0.0);
            continue;
        }
        let alpha = a[p * n + p];
        let beta = -alpha.hypot(below).copysign(alpha);
        let tau = (beta - alpha) / beta;
        (p + 1..m).for_each(|i| a[i * n + p] /= alpha - beta);
        a[p * n + p] = beta;
        for j in p + 1..n {
            let dot = a[p * n + j] + (p + 1..m).map(|i| a[i * n + p] * a[i * n + j]).sum::<f64>();
            a[p * n + j] -= tau * dot;
            (p + 1..m).for_each(|i| a[i * n + j] -= tau * dot * a[i * n + p]);
        }
        taus.push(tau);
    }
    taus
}

/// The first `k` columns of the product of the reflections.
fn orthogonal(a: &[f64], taus: &[f64], n: usize, k: usize, q: &mut [f64]) {
    let m = q.len().checked_div(k).unwrap_or(0);
    q.fill(0.0);
    (0..m.min(k)).for_each(|i| q[i * k + i] = 1.0);
    for (p, &tau) in taus
        .iter()
        .enumerate()
        .rev()
        .filter(|(_, tau)| **tau != 0.0)
    {
        if interrupt::spend(2 * k * (m - p)) {
            break;
        }
        for j in 0..k {
            let dot = q[p * k + j] + (p + 1..m).map(|i| a[i * n + p] * q[i * k + j]).sum::<f64>();
            q[p * k + j] -= tau * dot;
            (p + 1..m).for_each(|i| q[i * k + j] -= tau * dot * a[i * n + p]);
        }
    }
}
