"""Functions of matrices that rest on `torch.linalg`: approximations of low rank, eigenpairs."""

import _glowgrad as _C
from glowgrad._compose import _takes
from glowgrad._out import _with_out
from glowgrad._tensor import _Named


def _linalg():
    from glowgrad import linalg

    return linalg


def _basis(A, q, niter):
    """Columns whose span is close to that of a matrix, from random ones."""
    qr = _linalg().qr
    Q = qr(A @ _C.randn((A.shape[-1], q), A.dtype, False, None).to(A.device))[0]
    for _ in range(niter):
        Q = qr(A.mT @ Q)[0]
        Q = qr(A @ Q)[0]
    return Q


@_takes("A")
def svd_lowrank(A, q=6, niter=2, M=None):
    """The q largest singular values of a matrix, or nearly, and their vectors.

    >>> torch.svd_lowrank(torch.diag(torch.tensor([3.0, 2.0, 1.0])), q=2)[1]
    """
    A = A if M is None else A - M
    q = 6 if q is None else q
    wide = A.shape[-2] < A.shape[-1]
    A = A.mT if wide else A
    Q = _basis(A, q, 2 if niter is None else niter)
    U, S, Vh = _linalg().svd(Q.mT @ A, full_matrices=False)
    U, V = Q @ U, Vh.mT
    return (V, S, U) if wide else (U, S, V)


@_takes("A")
def pca_lowrank(A, q=None, center=True, niter=2):
    """The principal components of rows of numbers: as `svd_lowrank`, of what is left of the mean.

    >>> torch.pca_lowrank(torch.tensor([[1.0, 2.0], [2.0, 4.0], [3.0, 6.0]]), q=1)[1]
    """
    least = min(A.shape[-2:])
    if q is None:
        q = min(6, least)
    elif not 0 <= q <= least:
        raise ValueError(
            f"q(={q}) must be non-negative integer and not greater than min(m, n)={least}"
        )
    if niter < 0:
        raise ValueError(f"niter(={niter}) must be non-negative integer")
    return svd_lowrank(A - A.mean(-2, True) if center else A, q, niter)


@_takes("input")
def nuclear_norm(input, dim=None, keepdim=False):
    """The sum of the singular values of a matrix, or of the matrices along two dimensions.

    >>> torch.nuclear_norm(torch.diag(torch.tensor([3.0, 4.0])))
    """
    if isinstance(dim, bool):
        dim, keepdim = None, dim
    if dim is None:
        if input.ndim != 2:
            raise RuntimeError(
                f"Expected a tensor with 2 dimensions, but got a tensor with {input.ndim} "
                f"dimension{'' if input.ndim == 1 else 's'} instead."
            )
        dim = (0, 1)
    return _linalg().matrix_norm(input, "nuc", tuple(dim), keepdim)


@_with_out
@_takes("input")
def geqrf(input):
    """A matrix by reflections: R above, the reflections' vectors below, and their factors.

    >>> torch.geqrf(torch.tensor([[3.0, 1.0], [4.0, 2.0]])).tau
    """
    a = input.detach().clone()
    m, n = a.shape[-2:]
    factors = []
    for k in range(min(m, n)):
        column = a[..., k:, k]
        head, length = column[..., :1], column.norm(dim=-1, keepdim=True)
        tail = column[..., 1:].norm(dim=-1, keepdim=True)
        beta = -length.copysign(head)
        flat = tail == 0
        tau = _C.where(flat, 0.0, (beta - head) / _C.where(flat, 1.0, beta))
        vector = column / _C.where(flat, 1.0, head - beta)
        vector = _C.cat([_C.full(head.shape, 1, a.dtype, False).to(a.device), vector[..., 1:]], -1)
        rest = a[..., k:, k + 1:]
        along = (vector[..., None, :] @ rest) * tau[..., None]
        rest -= vector[..., None] * along
        a[..., k + 1:, k] = vector[..., 1:]
        a[..., k, k] = _C.where(flat, head, beta)[..., 0]
        factors.append(tau)
    shape = (*a.shape[:-2], 0)
    tau = _C.cat(factors, -1) if factors else _C.full(shape, 0, a.dtype, False).to(a.device)
    return _Named("geqrf", ("a", "tau"), (a, tau))


@_takes("A")
def lobpcg(A, k=None, B=None, X=None, n=None, iK=None, niter=None, tol=None, largest=None,
           method=None, tracker=None, ortho_iparams=None, ortho_fparams=None, ortho_bparams=None):
    """The k largest or smallest eigenvalues of a symmetric matrix, and their vectors.

    All of them are computed, so that a start (`X`) and a number of steps change nothing.

    >>> torch.lobpcg(torch.diag(torch.tensor([1.0, 5.0, 3.0])), k=1)[0]
    """
    k = (1 if X is None else X.shape[-1]) if k is None else k
    m = A.shape[-1]
    if m < 3 * k:
        raise ValueError(
            f"LOBPCG algorithm is not applicable when the number of A rows (={m}) is smaller than "
            f"3 x the number of requested eigenpairs (={k})"
        )
    linalg = _linalg()
    if B is None:
        values, vectors = linalg.eigh(A)
    else:
        inverse = linalg.inv(linalg.cholesky(B))
        values, vectors = linalg.eigh(inverse @ A @ inverse.mT)
        vectors = inverse.mT @ vectors
    if largest is None or largest:
        return values.flip(-1)[..., :k], vectors.flip(-1)[..., :k]
    return values[..., :k], vectors[..., :k]
