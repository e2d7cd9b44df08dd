"""`torch.linalg` that is made of products, solutions, determinants and inverses."""

import math

import _glowgrad as _C
import glowgrad as _torch
from glowgrad._compose import _named
from glowgrad._out import _with_out
from glowgrad._place import _widest_float
from glowgrad._tensor import _LinAlgError, _Named


def _square(name, A, called="A"):
    if A.ndim < 2:
        raise RuntimeError(f"{name}: The input tensor {called} must have at least 2 dimensions.")
    if A.shape[-1] != A.shape[-2]:
        raise RuntimeError(
            f"{name}: A must be batches of square matrices, but they are {A.shape[-2]} by "
            f"{A.shape[-1]} matrices"
        )


def _only_floats(name, A):
    if not A.dtype.is_floating_point:
        raise NotImplementedError(
            f"{name}: Expected a floating point or complex tensor as input. Got "
            + A.dtype.scalar_name
        )


# Determinants


def _sign_and_logarithm(A):
    """The sign and the logarithm of the size of a determinant, which itself may be out of range."""
    wide = A.to(_widest_float(A.device))
    largest = wide.abs().amax(-1, True)
    scale = _C.where((largest > 0) & largest.isfinite(), largest, 1.0).log2().floor().exp2()
    det = _C.det(wide / scale)
    logarithm = det.abs().log() + scale.squeeze(-1).log().sum(-1)
    return det.sign().to(A.dtype), logarithm.to(A.dtype)


def _slogdet(kind, A):
    _square("linalg.slogdet", A)
    _only_floats("linalg.slogdet", A)

    def values():
        if A.shape[-1] == 0:
            return [_C.full(A.shape[:-2], x, A.dtype, False) for x in (1.0, 0.0)]
        return _sign_and_logarithm(A.detach())

    sign, logarithm = _C.quietly(values)

    def rule(gradient):
        return (gradient[..., None, None] * _C.inv(A).mT,)

    logarithm = _C.custom("LinalgSlogdetBackward0", rule, [A], logarithm)
    return _Named(kind, ("sign", "logabsdet"), (sign, logarithm))


@_with_out
def slogdet(A):
    """The sign of a determinant, and the logarithm of its size.

    >>> torch.linalg.slogdet(torch.tensor([[2.0, 0.0], [0.0, -4.0]]))
    """
    return _slogdet("linalg_slogdet", A)


# Solutions


@_with_out
def solve_triangular(A, B, *, upper, left=True, unitriangular=False):
    """The solution of a system of equations with a triangular matrix.

    >>> A = torch.tensor([[2.0, 1.0], [0.0, 4.0]])
    >>> torch.linalg.solve_triangular(A, torch.tensor([[4.0], [8.0]]), upper=True)
    """
    name = "linalg.solve_triangular"
    for which, x in (("A", A), ("B", B)):
        if x.ndim < 2:
            raise RuntimeError(f"{name}: The input tensor {which} must have at least 2 dimensions.")
    _square(name, A)
    if A.dtype is not B.dtype:
        raise RuntimeError(
            f"{name}: Expected A and B to have the same dtype, but found A of type "
            f"{A.dtype.scalar_name} and B of type {B.dtype.scalar_name} instead"
        )
    if A.shape[-1] != B.shape[-2 if left else -1]:
        raise RuntimeError(
            f"{name}: Incompatible shapes of A and B for the equation "
            f"{'AX = B' if left else 'XA = B'} ({A.shape[-2]}x{A.shape[-1]} and "
            f"{B.shape[-2]}x{B.shape[-1]})"
        )
    if not left:
        return solve_triangular(A.mT, B.mT, upper=not upper, unitriangular=unitriangular).mT
    batch = _torch.broadcast_shapes(A.shape[:-2], B.shape[:-2])

    def compose(A, B):
        triangle = A.triu() if upper else A.tril()
        if unitriangular:
            n = A.shape[-1]
            triangle = _C.where(_C.eye(n, n, _C.bool, False), 1.0, triangle)
        triangle = triangle.expand(*batch, *triangle.shape[-2:])
        return _substituted(triangle, B.expand(*batch, *B.shape[-2:]), upper)

    return _named("LinalgSolveTriangularBackward0", compose, A, B)


def _substituted(triangle, B, upper):
    if not upper:
        # Turned about, so that elimination has nothing to exchange: rows stay as they are.
        triangle, B = triangle.flip(-2, -1), B.flip(-2)
    diagonal = triangle.detach().diagonal(0, -2, -1)
    if not _C.is_capturing() and _C.quietly(lambda: (diagonal == 0).any().item()):
        rows = []
        for i in range(B.shape[-2] - 1, -1, -1):
            known = B[..., i, :]
            if rows:
                known = known - (triangle[..., i, i + 1:, None] * _C.stack(rows, -2)).sum(-2)
            rows.insert(0, known / triangle[..., i, i, None])
        result = _C.stack(rows, -2)
    else:
        result = _C.solve(triangle, B)
    return result if upper else result.flip(-2)


# What says where it failed instead of raising


def _number(message, otherwise):
    """The number after "diagonal element" or "order" in a message."""
    for words in ("diagonal element ", "minor of order "):
        _, there, rest = message.partition(words)
        digits = rest.split(" ")[0].rstrip(")")
        if there and digits.isdigit():
            return int(digits)
    return otherwise


def _failures(try_one, A):
    """For each matrix, where it cannot be factored; 0 for those that can."""
    found = []
    for matrix in A.detach().reshape(-1, *A.shape[-2:]).unbind():
        try:
            try_one(matrix).realize()
            found.append(0)
        except _LinAlgError as error:
            found.append(_number(str(error), len(matrix)))
    return _C.from_data(found, _C.int32, False).reshape(A.shape[:-2])


def _with_info(kind, field, A, compute, try_one, check):
    """A result, NaN where a matrix cannot be factored, and for each matrix where it failed."""
    name = kind.replace("linalg_", "linalg.")
    try:
        result = compute(A)
        info = _C.full(A.shape[:-2], 0, _C.int32, False)
    except _LinAlgError as error:
        if check:
            raise _LinAlgError(str(error).replace(name[:-3] + ":", name + ":")) from None
        info = _C.quietly(lambda: _failures(try_one, A))
        n = A.shape[-1]
        failed = info > 0
        result = compute(_C.where(failed[..., None, None], _C.eye(n, n, A.dtype, False), A))
        failed = failed.reshape(*failed.shape, *(1,) * (result.ndim - failed.ndim))
        result = _C.where(failed, math.nan, result)
    return _Named(kind, (field, "info"), (result, info))


@_with_out
def inv_ex(A, *, check_errors=False):
    """The inverse, and for each matrix 0 or the number of the diagonal element that is zero.

    >>> torch.linalg.inv_ex(torch.tensor([[2.0, 0.0], [0.0, 4.0]])).info
    """
    _square("linalg.inv", A)
    return _with_info("linalg_inv_ex", "inverse", A, _C.inv, _C.inv, check_errors)


@_with_out
def solve_ex(A, B, *, left=True, check_errors=False):
    """The solution of a system of equations, and for each matrix 0 or where it failed.

    >>> torch.linalg.solve_ex(torch.tensor([[2.0, 0.0], [0.0, 4.0]]), torch.ones(2)).result
    """
    _square("linalg.solve", A)
    return _with_info(
        "linalg_solve_ex", "result", A, lambda A: _C.solve(A, B, left=left), _C.inv, check_errors
    )


@_with_out
def cholesky_ex(A, *, upper=False, check_errors=False):
    """The Cholesky factor, and for each matrix 0 or the order of the minor that is not positive.

    >>> torch.linalg.cholesky_ex(torch.tensor([[4.0, 2.0], [2.0, 3.0]])).info
    """
    _square("linalg.cholesky", A)

    def compute(A):
        return _C.cholesky(A, upper=upper)

    return _with_info("linalg_cholesky_ex", "L", A, compute, _C.cholesky, check_errors)


@_with_out
def cond(A, p=None):
    """How far errors grow in solving a system of equations: the norm times that of the inverse.

    >>> torch.linalg.cond(torch.tensor([[1.0, 0.0], [0.0, 4.0]]), "fro")
    """
    if p in (None, 2, -2):
        if not hasattr(_torch.linalg, "svdvals"):
            raise NotImplementedError(
                f"linalg.cond: p={p!r} needs singular values; here are 'fro', 1, -1, inf, -inf"
            )
        values = _torch.linalg.svdvals(A)
        ends = values[..., 0], values[..., -1]
        return ends[1] / ends[0] if p == -2 else ends[0] / ends[1]
    if p not in ("fro", "nuc", 1, -1, math.inf, -math.inf):
        raise ValueError(f"linalg.cond got an invalid norm type: {p}")
    shown = p if isinstance(p, str) else f"{p:g}"
    _square(f"linalg.cond(ord={shown})", A)
    inverse, info = inv_ex(A)
    norm = _torch.linalg.matrix_norm
    return _C.where(info > 0, math.inf, norm(A, p) * norm(inverse, p))


# Products


def _order_of_products(sizes):
    """Where to cut each run of matrices in two, so that the fewest numbers are multiplied."""
    n = len(sizes) - 1
    cost = {(i, i): 0 for i in range(n)}
    cut = {}
    for length in range(1, n):
        for i in range(n - length):
            j = i + length
            choices = [
                (cost[i, k] + cost[k + 1, j] + sizes[i] * sizes[k + 1] * sizes[j + 1], k)
                for k in range(i, j)
            ]
            # Of three, the left pair comes first where both orders cost the same.
            cost[i, j], cut[i, j] = min(choices, key=lambda c: (c[0], -c[1] if n == 3 else c[1]))
    return cut


@_with_out
def multi_dot(tensors):
    """The product of matrices in the order that is least work.

    >>> torch.linalg.multi_dot([torch.ones(2, 3), torch.ones(3, 4), torch.ones(4)])
    """
    tensors = list(tensors)
    n = len(tensors)
    if n < 2:
        raise RuntimeError(f"multi_dot(): expected at least 2 tensors but got {n}")
    for which, x in (("first", tensors[0]), ("last", tensors[-1])):
        if not 1 <= x.ndim <= 2:
            raise RuntimeError(
                f"multi_dot(): the {which} tensor must be 1D or 2D but got {x.ndim}D"
            )
    first, last = tensors[0], tensors[-1]
    rows = [first.unsqueeze(0) if first.ndim == 1 else first, *tensors[1:-1]]
    rows.append(last.unsqueeze(-1) if last.ndim == 1 else last)
    for i, x in enumerate(rows):
        if x.ndim != 2:
            raise RuntimeError(f"multi_dot(): tensor {i} must be 2D but got {x.ndim}D")
        if x.dtype is not first.dtype:
            raise RuntimeError(
                "multi_dot(): all tensors must have be the same dtype but tensor 0 is "
                f"{first.dtype.scalar_name.lower()} and tensor {i} {x.dtype.scalar_name.lower()}"
            )
        if i and rows[i - 1].shape[1] != x.shape[0]:
            raise RuntimeError(
                f"multi_dot(): tensors {i - 1} and {i} with shapes {list(rows[i - 1].shape)} and "
                f"{list(x.shape)} cannot be multiplied"
            )
    cut = _order_of_products([rows[0].shape[0]] + [x.shape[1] for x in rows])

    def product(i, j):
        return rows[i] if i == j else product(i, cut[i, j]) @ product(cut[i, j] + 1, j)

    result = product(0, n - 1)
    shape = list(result.shape)
    return result.view(shape[first.ndim == 1:2 - (last.ndim == 1)])


@_with_out
def vecdot(x, y, *, dim=-1):
    """The sum of the products of numbers along a dimension.

    >>> torch.linalg.vecdot(torch.tensor([[1.0, 2.0], [3.0, 4.0]]), torch.tensor([1.0, 1.0]))
    """
    _only_floats("linalg.vecdot", x)
    if x.dtype is not y.dtype:
        raise RuntimeError(
            "linalg.vecdot: Expected x and y to have the same dtype, but found x of type "
            f"{x.dtype.scalar_name} and y of type {y.dtype.scalar_name} instead"
        )
    return (x * y).sum(dim)


def householder_product(A, tau):
    """The first columns of a product of reflections, each given by a column of A and a number.

    >>> torch.linalg.householder_product(torch.tensor([[1.0], [0.0]]), torch.tensor([2.0]))
    """
    m, n = A.shape[-2:]
    below = A.tril(-1) + _C.eye(m, n, A.dtype, False)
    result = _C.eye(m, n, A.dtype, False).expand(A.shape)
    for i in range(tau.shape[-1] - 1, -1, -1):
        column = below[..., :, i:i + 1]
        result = result - tau[..., i, None, None] * (column @ (column.mT @ result))
    return result


householder_product = _with_out(householder_product, casts=True)


# Tensors of many dimensions


@_with_out
def tensorinv(A, ind=2):
    """The inverse of a tensor as the matrix that its first `ind` dimensions and the others make.

    >>> torch.linalg.tensorinv(torch.eye(4).reshape(2, 2, 4), ind=2).shape
    """
    if ind <= 0:
        raise RuntimeError(f"Expected a strictly positive integer for 'ind', but got {ind}")
    first, last = A.shape[:ind], A.shape[ind:]
    if math.prod(first) != math.prod(last):
        raise RuntimeError(
            "Expected self to satisfy the requirement prod(self.shape[ind:]) == "
            f"prod(self.shape[:ind]), but got {math.prod(last)} != {math.prod(first)}"
        )
    return _C.inv(A.reshape(math.prod(last), -1)).reshape(*last, *first)


@_with_out
def tensorsolve(A, B, dims=None):
    """The X whose `tensordot` with A is B.

    >>> torch.linalg.tensorsolve(torch.eye(4).reshape(2, 2, 4), torch.ones(2, 2))
    """
    if dims is not None:
        moved = [d % A.ndim for d in dims]
        A = A.permute(*[d for d in range(A.ndim) if d not in moved], *moved)
    n = B.numel()
    if A.numel() != n * n:
        raise RuntimeError(f"shape '[{n}, {n}]' is invalid for input of size {A.numel()}")
    return _C.solve(A.reshape(n, n), B.reshape(-1)).reshape(A.shape[B.ndim:])


@_with_out
def diagonal(A, *, offset=0, dim1=-2, dim2=-1):
    """The diagonals of matrices.

    >>> torch.linalg.diagonal(torch.arange(8).reshape(2, 2, 2))
    """
    return A.diagonal(offset, dim1, dim2)


def vander(x, N=None):
    """A row for each number, with its powers from 0 up.

    >>> torch.linalg.vander(torch.tensor([1, 2, 3]))
    """
    n = (x.shape[-1] if x.ndim else 1) if N is None else N
    if n <= 1:
        raise RuntimeError("N must be greater than 1.")
    one = _C.full((*x.shape, 1), 1, x.dtype, False)
    return _C.cat([one, x.unsqueeze(-1).expand(*x.shape, n - 1).cumprod(-1)], -1)
