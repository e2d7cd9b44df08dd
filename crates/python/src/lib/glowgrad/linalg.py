"""`torch.linalg`: small matrices, and batches of them."""

import _glowgrad as _C
from _glowgrad import cholesky, det, eig, eigh, eigvals, eigvalsh, inv, matrix_exp, matrix_power, qr
from _glowgrad import solve, vector_norm
from glowgrad._later import _later
from glowgrad._out import _with_out
from glowgrad._tensor import _LinAlgError as LinAlgError

# Loaded when first asked for.
_LATER = {
    "_factors": (
        "lstsq", "lu", "lu_factor", "lu_factor_ex", "lu_solve", "matrix_rank", "pinv", "svd",
        "svdvals",
    ),
    "_symmetric": ("ldl_factor", "ldl_factor_ex", "ldl_solve", "matrix_sqrth", "polar"),
    "_matrices": (
        "cholesky_ex", "cond", "diagonal", "householder_product", "inv_ex", "multi_dot", "slogdet",
        "solve_ex", "solve_triangular", "tensorinv", "tensorsolve", "vander", "vecdot",
    ),
}
__getattr__, __dir__ = _later(__name__, _LATER, "glowgrad")
__all__ = (
    "LinAlgError cholesky cross det eig eigh eigvals eigvalsh inv matmul matrix_exp matrix_norm "
    "matrix_power norm qr solve vector_norm"
).split() + [name for names in _LATER.values() for name in names]


@_with_out
def cross(input, other, *, dim=-1):
    return _C.cross(input, other, dim)


@_with_out
def matmul(input, other):
    return _C.matmul(input, other)


@_with_out
def matrix_norm(A, ord="fro", dim=(-2, -1), keepdim=False):
    """The Frobenius norm, the largest sum of sizes along rows or columns (1, inf), the largest singular
    value (2) or their sum ('nuc'); of a negative ord, the smallest.

    >>> torch.linalg.matrix_norm(torch.tensor([[3.0, 0.0], [0.0, 4.0]]))
    """
    if ord == "fro":
        return vector_norm(A, 2, list(dim), keepdim)
    if ord in (1, -1, float("inf"), float("-inf")):
        rows, columns = [d % A.ndim for d in dim]
        inner, outer = (rows, columns) if abs(ord) == 1 else (columns, rows)
        sums = A.abs().sum(inner, True)
        result = sums.amax(outer, True) if ord > 0 else sums.amin(outer, True)
        return result if keepdim else result.squeeze([rows, columns])
    if ord not in (2, -2, "nuc"):
        raise RuntimeError(f"linalg.matrix_norm: Order {ord} not supported.")
    rows, columns = [d % A.ndim for d in dim]
    values = _C.svdvals(A.movedim((rows, columns), (-2, -1)))
    result = values.sum(-1) if ord == "nuc" else values.amax(-1) if ord > 0 else values.amin(-1)
    if keepdim:
        for d in sorted((rows, columns)):
            result = result.unsqueeze(d)
    return result


@_with_out
def norm(A, ord=None, dim=None, keepdim=False):
    """`vector_norm`, or `matrix_norm` where ord and the dimensions ask for one.

    >>> torch.linalg.norm(torch.tensor([3.0, 4.0]))
    """
    if ord is None:
        return vector_norm(A, 2, dim, keepdim)
    two = A.ndim == 2 if dim is None else not isinstance(dim, int) and len(dim) == 2
    if ord in ("fro", "nuc") or two:
        return matrix_norm(A, ord, (-2, -1) if dim is None else tuple(dim), keepdim)
    return vector_norm(A, ord, dim, keepdim)
