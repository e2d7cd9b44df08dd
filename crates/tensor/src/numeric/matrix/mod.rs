//! Matrices taken apart, in float64: singular values, eigenvalues, L U, L D Lᵀ, exponentials, reflections.
//!
//! A decomposition has several results; they are written one after the other into one row ([`Decomposition::len`]), and
//! the ops cut them out again. Matrices are row-major.

mod eigen;
mod exponential;
mod indefinite;
mod reflections;
mod schur;
mod svd;
#[cfg(test)]
mod tests;
mod triangular;

/// What a matrix is taken apart into.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Decomposition {
    /// U `[m, k]`, S `[k]`, Vᵀ `[k, n]`, k the smaller of m and n; S falls.
    Svd,
    /// U `[m, m]`, S `[k]`, Vᵀ `[n, n]`.
    FullSvd,
    /// Eigenvalues `[n]`, rising, and eigenvectors `[n, n]` in columns, of a symmetric matrix, of which the lower
    /// triangle is read.
    Eigh,
    /// Eigenvalues `[n]` and eigenvectors `[n, n]` in columns, of length 1. Complex ones are a failure.
    Eig,
    /// L below the diagonal and U on and above it `[m, n]`; then which row of the matrix became each row `[m]`, then
    /// LAPACK's pivots, from 1 `[k]`.
    Lu,
    /// L below the diagonal and D on it `[n, n]` of a symmetric matrix, of which the lower triangle is read; then LAPACK's
    /// pivots `[n]`, and where the first zero on D's diagonal is, from 1, or 0 `[1]`.
    Ldl,
    /// The exponential `[n, n]`.
    Exp,
}

/// Why a matrix was not taken apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Failure {
    /// It holds NaN or an infinity.
    NotFinite,
    /// It has eigenvalues that are no real numbers.
    Complex,
    /// No convergence after very many steps.
    NoConvergence,
}

impl Decomposition {
    /// How many numbers the results of an m × n matrix are.
    pub fn len(self, m: usize, n: usize) -> usize {
        let k = m.min(n);
        match self {
            Decomposition::Svd => m * k + k + k * n,
            Decomposition::FullSvd => m * m + k + n * n,
            Decomposition::Eigh | Decomposition::Eig => n + n * n,
            Decomposition::Lu => m * n + m + k,
            Decomposition::Ldl => n * n + n + 1,
            Decomposition::Exp => n * n,
        }
    }

    /// Takes the m × n matrix `a` apart.
    ///
    /// # Errors
    /// When it cannot be.
    pub fn run(self, a: &[f64], m: usize, n: usize) -> Result<Vec<f64>, Failure> {
        let finite = || match a.iter().all(|x| x.is_finite()) {
            true => Ok(()),
            false => Err(Failure::NotFinite),
        };
        match self {
            Decomposition::Svd | Decomposition::FullSvd => {
                finite()?;
                svd::svd(a, m, n, self == Decomposition::FullSvd)
            }
            Decomposition::Eigh => {
                finite()?;
                eigen::symmetric(a, n)
            }
            Decomposition::Eig => {
                finite()?;
                schur::real(a, n)
            }
            Decomposition::Lu => Ok(triangular::lu(a, m, n)),
            Decomposition::Ldl => Ok(indefinite::ldl(a, n)),
            Decomposition::Exp => Ok(exponential::exp(a, n)),
        }
    }
}

/// x · y
fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

/// y += times · x
fn add(y: &mut [f64], times: f64, x: &[f64]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y += times * x;
    }
}

fn transposed(a: &[f64], m: usize, n: usize) -> Vec<f64> {
    let mut out = vec![0.0; m * n];
    for i in 0..m {
        for j in 0..n {
            out[j * m + i] = a[i * n + j];
        }
    }
    out
}

/// Two rows of a matrix as (c x − s y, s x + c y).
fn rotate(rows: &mut [f64], len: usize, (i, j): (usize, usize), (c, s): (f64, f64)) {
    let (low, high) = (i.min(j), i.max(j));
    let (first, second) = rows.split_at_mut(high * len);
    let (first, second) = (&mut first[low * len..(low + 1) * len], &mut second[..len]);
    let (x, y) = if i < j {
        (first, second)
    } else {
        (second, first)
    };
    for (x, y) in x.iter_mut().zip(y) {
        (*x, *y) = (c * *x - s * *y, s * *x + c * *y);
    }
}
