"""Functions of `torch` that take matrices apart; `torch.linalg` has newer names for most of them."""

import _glowgrad as _C
from glowgrad import _factors
from glowgrad._out import _with_out
from glowgrad._tensor import _Named


@_with_out
def svd(input, some=True, compute_uv=True):
    """U, S and V of A = U diag(S) V.T; `torch.linalg.svd` gives V.T.

    >>> torch.svd(torch.tensor([[3.0, 0.0], [0.0, 2.0]]))
    """
    if input.ndim < 2:
        raise RuntimeError(
            f"linalg.svd: input should have at least 2 dimensions, but has {input.ndim} dimensions "
            "instead"
        )
    if not compute_uv:
        m, n = input.shape[-2:]
        values = _C.svdvals(input)
        zeros = [_C.full((*input.shape[:-2], k, k), 0, input.dtype, False) for k in (m, n)]
        return _Named("svd", ("U", "S", "V"), (zeros[0], values, zeros[1]), True)
    U, S, Vh = _C.svd(input, not some)
    return _Named("svd", ("U", "S", "V"), (U, S, Vh.mT), True)


@_with_out
def pinverse(input, rcond=1e-15):
    """The pseudoinverse of each matrix.

    >>> torch.pinverse(torch.tensor([[1.0, 0.0], [0.0, 2.0], [0.0, 0.0]]))
    """
    return _C.pinv(input, None, rcond, False)


@_with_out
def lu_solve(b, LU_data, LU_pivots):
    """X of A X = b, from what `torch.linalg.lu_factor` gave of A.

    >>> torch.lu_solve(torch.ones(2, 1), *torch.linalg.lu_factor(torch.eye(2)))
    """
    return _factors.lu_solve(LU_data, LU_pivots, b)


def lu(A, pivot=True, get_infos=False):
    """L and U in one matrix and the pivots, as `torch.linalg.lu_factor` gives them.

    >>> torch.lu(torch.tensor([[1.0, 2.0], [4.0, 4.0]]))
    """
    LU, pivots, info = _factors.lu_factor_ex(A, pivot=pivot)
    return (LU, pivots, info) if get_infos else (LU, pivots)


@_with_out
def lu_unpack(LU_data, LU_pivots, unpack_data=True, unpack_pivots=True):
    """P, L and U from what `torch.linalg.lu_factor` gave.

    >>> torch.lu_unpack(*torch.linalg.lu_factor(torch.eye(2)))
    """
    m, n = LU_data.shape[-2:]
    k = min(m, n)
    empty = _C.full((0,), 0, LU_data.dtype, False)
    P = _factors._permuted(LU_pivots, LU_data) if unpack_pivots else empty
    L, U = empty, empty
    if unpack_data:
        L = LU_data[..., :, :k].tril(-1) + _C.eye(m, k, LU_data.dtype, False)
        U = LU_data[..., :k, :].triu()
    return _Named("lu_unpack", ("P", "L", "U"), (P, L, U))
