//! What matrices are factored for, and what is said of one that cannot be: in LAPACK's and PyTorch's words.

pub use crate::numeric::matrix::{Decomposition, Failure};

/// What a matrix is factored for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Factor {
    /// `[batch]`: determinants.
    Det,
    /// `[batch, n, n]`: inverses. A singular matrix is an error.
    Inverse,
    /// `[batch, n, k]`: X with A X = B. A singular matrix is an error.
    Solve,
    /// `[batch, n, n]`: L with L Lᵀ = A, of which only the lower triangle is read. A matrix that is
    /// not positive-definite is an error.
    Cholesky,
    /// `[batch, m, k]`: Q of A = Q R, by Householder's reflections, with LAPACK's signs.
    QrQ,
    /// `[batch, k, n]`: R of A = Q R.
    QrR,
    /// `[batch, len]`: results of a decomposition one after the other.
    Packed(Decomposition),
}

impl Factor {
    /// The error for matrix number `at` of a batch: where it fails, as LAPACK counts, is the diagonal
    /// element or leading minor `order`.
    pub fn refusal(self, at: usize, batched: bool, order: usize) -> crate::Error {
        let of = element(at, batched);
        let message = match self {
            Factor::Solve => format!(
                "torch.linalg.solve: {of}The solver failed because the input matrix is singular."
            ),
            Factor::Cholesky => format!(
                "linalg.cholesky: {of}The factorization could not be completed because the input is not positive-definite (the leading minor of order {order} is not positive-definite)."
            ),
            _ => format!(
                "linalg.inv: {of}The diagonal element {order} is zero, the inversion could not be completed because the input matrix is singular."
            ),
        };
        crate::Error::new(crate::ErrorKind::LinAlg, message)
    }

    /// The error for matrix number `at` of a batch, which cannot be taken apart.
    pub fn failure(self, at: usize, batched: bool, why: Failure) -> crate::Error {
        let of = element(at, batched);
        let name = match self {
            Factor::Packed(Decomposition::Eigh) => "eigh",
            Factor::Packed(Decomposition::Eig) => "eig",
            _ => "svd",
        };
        match why {
            Failure::Complex => crate::Error::not_implemented(format!(
                "linalg.{name}: {of}the matrix has eigenvalues that are complex, and tensors here are real; torch.linalg.eigh takes symmetric matrices, whose eigenvalues are real"
            )),
            Failure::NotFinite if name == "eig" => crate::Error::runtime(
                "torch.linalg.eig: input tensor should not contain infs or NaNs.",
            ),
            Failure::NotFinite => crate::Error::new(
                crate::ErrorKind::LinAlg,
                format!(
                    "linalg.{name}: {of}The algorithm failed to converge because the input matrix contained non-finite values."
                ),
            ),
            Failure::NoConvergence => crate::Error::new(
                crate::ErrorKind::LinAlg,
                format!(
                    "linalg.{name}: {of}The algorithm failed to converge because the input matrix is ill-conditioned or has too many repeated singular values."
                ),
            ),
        }
    }
}

/// How errors name a matrix of a batch.
fn element(at: usize, batched: bool) -> String {
    if batched {
        format!("(Batch element {at}): ")
    } else {
        String::new()
    }
}
