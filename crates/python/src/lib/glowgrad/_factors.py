"""`torch.linalg` that takes matrices apart: singular values, L and U, least squares."""

import _glowgrad as _C
from _glowgrad import TensorBase
from glowgrad._matrices import solve_triangular
from glowgrad._out import _with_out
from glowgrad._tensor import _Named


def _expect_matrices(name, A, words="The input tensor A must have at least 2 dimensions."):
    if A.ndim < 2:
        raise RuntimeError(f"{name}: {words}")


def _driver(name, driver):
    if driver is not None:
        raise RuntimeError(
            f"linalg.{name}: keyword argument `driver=` is only supported on CUDA inputs with "
            "cuSOLVER backend."
        )


@_with_out
def svd(A, full_matrices=True, *, driver=None):
    """U, S and Vh of A = U diag(S) Vh: orthogonal factors and the singular values, the largest first.

    >>> torch.linalg.svd(torch.tensor([[3.0, 0.0], [0.0, 2.0]]))
    """
    _driver("svd", driver)
    return _C.svd(A, full_matrices)


@_with_out
def svdvals(A, *, driver=None):
    """The singular values of each matrix, the largest first.

    >>> torch.linalg.svdvals(torch.tensor([[3.0, 0.0], [0.0, 2.0]]))
    """
    _driver("svd", driver)
    return _C.svdvals(A)


@_with_out
def lu(A, *, pivot=True):
    """P, L and U of A = P L U: a permutation, a lower triangle with ones and an upper triangle.

    >>> torch.linalg.lu(torch.tensor([[1.0, 2.0], [4.0, 4.0]]))
    """
    return _C.lu(A, pivot)


@_with_out
def lu_factor(A, *, pivot=True):
    """L and U of A = P L U in one matrix, and with which row each row was swapped.

    >>> torch.linalg.lu_factor(torch.tensor([[1.0, 2.0], [4.0, 4.0]]))
    """
    result = _C.lu_factor(A, pivot)
    info = _zero_of(result[0])
    if not _C.is_capturing() and info.any():
        at = _first(info)
        of = f"(Batch element {at}): " if A.ndim > 2 else ""
        k = int(info.flatten()[at].item())
        raise RuntimeError(
            f"torch.linalg.lu_factor: {of}U[{k},{k}] is zero and using it on lu_solve would result "
            "in a division by zero. If you still want to perform the factorization, consider "
            "calling linalg.lu(A, pivot) or linalg.lu_factor_ex(A, pivot)"
        )
    return result


def _first(info):
    return [bool(each) for each in info.flatten().tolist()].index(True)


def _zero_of(LU):
    """The first zero on the diagonal of U, from 1; 0 where there is none."""
    zero = LU.detach().diagonal(0, -2, -1) == 0
    if zero.shape[-1] == 0:
        return _C.full(zero.shape[:-1], 0, _C.int32, False)
    return ((zero.long().argmax(-1) + 1) * zero.any(-1)).to(_C.int32)


@_with_out
def lu_factor_ex(A, *, pivot=True, check_errors=False):
    """As `lu_factor`, with the place of the first zero on U's diagonal instead of an error.

    >>> torch.linalg.lu_factor_ex(torch.zeros(2, 2)).info
    """
    if check_errors:
        lu_factor(A, pivot=pivot)
    LU, pivots = _C.lu_factor(A, pivot)
    return _Named("linalg_lu_factor_ex", ("LU", "pivots", "info"), (LU, pivots, _zero_of(LU)))


def _permutation(pivots, m):
    """Which row became each row: pivots are swaps, one after the other."""
    batch = pivots.shape[:-1]
    rows = []
    for swaps in pivots.reshape(-1, pivots.shape[-1]).tolist():
        order = list(range(m))
        for i, other in enumerate(swaps):
            order[i], order[other - 1] = order[other - 1], order[i]
        rows.append(order)
    return _C.from_data(rows, _C.int64, False).reshape((*batch, m))


def _permuted(pivots, like):
    """P of A = P L U."""
    m = like.shape[-2]
    rows = _permutation(pivots, m)
    places = _C.arange(0, m, 1, _C.int64, False)
    return (places[:, None] == rows.unsqueeze(-2)).to(like.dtype)


@_with_out
def lu_solve(LU, pivots, B, *, left=True, adjoint=False):
    """X of A X = B (or X A = B), from what `lu_factor` gave of A.

    >>> LU, pivots = torch.linalg.lu_factor(torch.tensor([[1.0, 2.0], [4.0, 4.0]]))
    >>> torch.linalg.lu_solve(LU, pivots, torch.ones(2, 1))
    """
    if LU.dtype != B.dtype:
        raise RuntimeError(
            f"linalg.lu_solve: Expected LU and B to have the same dtype, but found LU of type "
            f"{LU.dtype.scalar_name} and B of type {B.dtype.scalar_name} instead"
        )
    if pivots.dtype != _C.int32:
        raise RuntimeError("linalg.lu_solve: pivots should be a Tensor of scalar type torch.int32")
    if not left:
        return lu_solve(LU, pivots, B.mT, adjoint=not adjoint).mT
    P = _permuted(pivots, LU)
    if adjoint:
        inner = solve_triangular(LU.mT, B, upper=False)
        return P @ solve_triangular(LU.mT, inner, upper=True, unitriangular=True)
    inner = solve_triangular(LU, P.mT @ B, upper=False, unitriangular=True)
    return solve_triangular(LU, inner, upper=True)


def _bound(name, values, shape, atol, rtol):
    """Up to which size singular values count as 0."""
    for tolerance in (atol, rtol):
        if isinstance(tolerance, TensorBase) and not tolerance.is_floating_point():
            raise RuntimeError(f"torch.linalg.{name}: atol and rtol tensors are of floats")
    if rtol is None:
        given = bool((atol > 0).any()) if isinstance(atol, TensorBase) else (atol or 0) > 0
        epsilon = 2.220446049250313e-16 if values.dtype is _C.float64 else 1.1920928955078125e-07
        rtol = 0.0 if given else epsilon * max(shape[-2:])
    atol = 0.0 if atol is None else atol
    column = lambda t: t.unsqueeze(-1) if isinstance(t, TensorBase) else t
    relative = values.amax(-1, True) * column(rtol)
    if isinstance(atol, TensorBase):
        return _C.maximum(relative, column(atol))
    return _C.clamp_min(relative, atol)


@_with_out
def matrix_rank(A, tol=None, hermitian=False, *, atol=None, rtol=None):
    """How many singular values are greater than max(atol, rtol times the largest).

    >>> torch.linalg.matrix_rank(torch.ones(3, 3))
    """
    _expect_matrices(
        "torch.linalg.matrix_rank", A, "The input tensor input must have at least 2 dimensions."
    )
    if not 0 < min(A.shape[-2:]):
        return _C.full(A.shape[:-2], 0, _C.int64, False)
    if tol is not None:
        atol, rtol = tol, 0.0
    A = A.detach()
    values = _C.eigvalsh(A).abs() if hermitian else _C.svdvals(A)
    return (values > _bound("matrix_rank", values, A.shape, atol, rtol)).sum(-1)


@_with_out
def pinv(A, rcond=None, hermitian=False, *, atol=None, rtol=None):
    """The pseudoinverse: singular values up to max(atol, rtol times the largest) count as 0.

    >>> torch.linalg.pinv(torch.tensor([[1.0, 0.0], [0.0, 2.0], [0.0, 0.0]]))
    """
    if rcond is not None:
        rtol = rcond
    numbers = [each.item() if isinstance(each, TensorBase) else each for each in (atol, rtol)]
    return _C.pinv(A, *numbers, hermitian)


_DRIVERS = ("gels", "gelsy", "gelsd", "gelss")


@_with_out
def lstsq(A, B, rcond=None, *, driver=None):
    """X for which the squares of A X - B are least: the shortest such X where there are several.

    >>> A, B = torch.tensor([[0.0, 1.0], [1.0, 1.0], [2.0, 1.0]]), torch.tensor([[1.0], [3.0], [5.0]])
    >>> torch.linalg.lstsq(A, B).solution
    """
    _expect_matrices("torch.linalg.lstsq", A, "input must have at least 2 dimensions.")
    if B.ndim < 1:
        raise RuntimeError("torch.linalg.lstsq: other must have at least 1 dimension.")
    if driver is not None and driver not in _DRIVERS:
        raise RuntimeError(
            "torch.linalg.lstsq: parameter `driver` should be one of (gels, gelsy, gelsd, gelss)"
        )
    vector = A.ndim - 1 == B.ndim and A.shape[:-1] == B.shape
    right = B.unsqueeze(-1) if vector else B
    if A.shape[-2] != right.shape[-2]:
        raise RuntimeError("torch.linalg.lstsq: input.size(-2) should match other.size(-2)")
    if A.dtype != B.dtype:
        raise RuntimeError("torch.linalg.lstsq: Expected input and other to have the same dtype.")
    m, n = A.shape[-2:]
    driver = driver or "gelsy"
    epsilon = 2.220446049250313e-16 if A.dtype is _C.float64 else 1.1920928955078125e-07
    rtol = epsilon * max(m, n) if rcond is None else rcond
    solution = _C.pinv(A, None, rtol, False) @ right
    empty = lambda dtype: _C.full((0,), 0, dtype, False)
    values = _C.svdvals(A.detach())
    ranks = (values > values.amax(-1, True) * rtol).sum(-1)
    residuals = empty(A.dtype)
    full = driver in ("gelsd", "gelss") and not _C.is_capturing() and bool((ranks == n).all())
    if m > n and (driver == "gels" or full):
        residuals = (A @ solution - right).square().sum(-2)
        residuals = residuals.squeeze(-1) if vector else residuals
    rank = ranks if driver != "gels" else empty(_C.int64)
    singular = values if driver in ("gelsd", "gelss") else empty(A.dtype)
    return _Named(
        "linalg_lstsq", ("solution", "residuals", "rank", "singular_values"),
        (solution.squeeze(-1) if vector else solution, residuals, rank, singular),
    )
