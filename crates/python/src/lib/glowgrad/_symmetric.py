"""`torch.linalg` of symmetric matrices: L D Lᵀ, square roots, and the polar decomposition, whose H is one.

L D Lᵀ is LAPACK's (`sytrf`, `sytrs`): blocks of D have one or two rows, and pivots below 0 say which have two.
"""

import math

import _glowgrad as _C
from glowgrad._compose import _not_implemented, _ruled
from glowgrad._factors import _first, _permuted
from glowgrad._matrices import _only_floats, _square, solve_triangular
from glowgrad._out import _with_out
from glowgrad._tensor import _LinAlgError, _Named


# L D Lᵀ


def _ldl(name, A, hermitian, check):
    """LD, pivots and where D is zero, which is an error if that is to be checked."""
    if not isinstance(hermitian, bool):
        raise TypeError(
            f"linalg_{name}(): argument 'hermitian' must be bool, not {type(hermitian).__name__}"
        )
    _square("torch.linalg.ldl_factor_ex", A)
    _only_floats("torch.linalg.ldl_factor_ex", A)
    LD, pivots, info = _C.ldl_factor_ex(A.detach())
    if check and not _C.is_capturing() and _C.quietly(lambda: info.any().item()):
        at = _first(info)
        of = f"(Batch element {at}): " if A.ndim > 2 else ""
        k = int(info.flatten()[at].item())
        raise RuntimeError(
            f"torch.linalg.{name}: {of}D[{k},{k}] is zero and using it on ldl_solve would result in a "
            "division by zero; torch.linalg.ldl_factor_ex(A) gives the factors all the same"
        )
    if A.requires_grad and _C.is_grad_enabled():
        LD = _not_implemented("linalg_ldl_factor_ex", LD, A)
    return LD, pivots, info


@_with_out
def ldl_factor(A, *, hermitian=False):
    """L and D of A = L D Lᵀ in one matrix, of a symmetric A that need not be definite, and its pivots.

    >>> torch.linalg.ldl_factor(torch.tensor([[0.0, 2.0], [2.0, 1.0]]))
    """
    LD, pivots, _ = _ldl("ldl_factor", A, hermitian, True)
    return _Named("linalg_ldl_factor", ("LD", "pivots"), (LD, pivots))


@_with_out
def ldl_factor_ex(A, *, hermitian=False, check_errors=False):
    """As `ldl_factor`, with the place of the first zero on D's diagonal instead of an error.

    >>> torch.linalg.ldl_factor_ex(torch.zeros(2, 2)).info
    """
    values = _ldl("ldl_factor_ex", A, hermitian, check_errors)
    return _Named("linalg_ldl_factor_ex", ("LD", "pivots", "info"), values)


def _exchanges(pivots):
    """For a matrix's pivots: with which row each row is exchanged, which of L's columns have exchanges after them (from
    which row on), and whether a row begins a block of two.
    """
    swaps, after, begins, i = [], [], [], 0
    while i < len(pivots):
        other = abs(pivots[i]) - 1
        if pivots[i] < 0 and i + 1 < len(pivots):
            swaps += [i, other]
            after += [i + 2, i + 2]
            begins += [True, False]
            i += 2
        else:
            swaps.append(other)
            after.append(i + 1)
            begins.append(False)
            i += 1
    return swaps, after, begins


def _moved(swaps, start, n):
    """Which row each row is after the exchanges from one on."""
    order = list(range(n))
    for i in range(start, n):
        order[i], order[swaps[i]] = order[swaps[i]], order[i]
    return order


def _unpacked(LD, pivots):
    """P as exchanges, L with the exchanges of later steps, and which rows begin a block of two."""
    n = LD.shape[-1]
    orders, rows, begins = [], [], []
    for each in pivots.reshape(-1, n).tolist() if pivots.numel() else []:
        swaps, after, of_two = _exchanges(each)
        orders.append([swap + 1 for swap in swaps])
        columns = {start: _moved(swaps, start, n) for start in set(after)}
        rows.append([[columns[after[j]][i] for j in range(n)] for i in range(n)])
        begins.append(of_two)
    batch = LD.shape[:-2]
    with LD.device:
        orders = _C.from_data(orders, _C.int64, False).reshape((*batch, n))
        rows = _C.from_data(rows, _C.int64, False).reshape((*batch, n, n))
        begins = _C.from_data(begins, _C.bool, False).reshape((*batch, n))
    first = begins[..., :-1]
    # Beside the diagonal of a block stands D's number, and none of L's.
    inside = first.new_zeros((*batch, n, n))
    inside.diagonal(-1, -2, -1).copy_(first)
    L = LD.tril(-1).masked_fill(inside, 0.0).gather(-2, rows).tril(-1)
    return orders, L, begins


def _divided(LD, begins, B):
    """D⁻¹ B: numbers, and blocks of two rows as LAPACK divides by them."""
    if LD.shape[-1] < 2:
        return B / LD.diagonal(0, -2, -1).unsqueeze(-1)
    diagonal = LD.diagonal(0, -2, -1)
    two = begins[..., :-1]
    beside = _C.where(two, LD.diagonal(-1, -2, -1), 1.0).unsqueeze(-1)
    first, second = diagonal[..., :-1, None] / beside, diagonal[..., 1:, None] / beside
    scale = first * second - 1
    above, below = B[..., :-1, :] / beside, B[..., 1:, :] / beside
    upper = (second * above - below) / scale
    lower = (first * below - above) / scale
    result = B / diagonal.unsqueeze(-1)
    head = _C.where(two.unsqueeze(-1), upper, result[..., :-1, :])
    result = _C.cat([head, result[..., -1:, :]], -2)
    tail = _C.where(two.unsqueeze(-1), lower, result[..., 1:, :])
    return _C.cat([result[..., :1, :], tail], -2)


@_with_out
def ldl_solve(LD, pivots, B, *, hermitian=False):
    """X of A X = B, from what `ldl_factor` gave of A.

    >>> LD, pivots = torch.linalg.ldl_factor(torch.tensor([[0.0, 2.0], [2.0, 1.0]]))
    >>> torch.linalg.ldl_solve(LD, pivots, torch.ones(2, 1))
    """
    name = "torch.linalg.ldl_solve"
    _square(name, LD)
    _only_floats(name, LD)
    if LD.dtype is not B.dtype:
        raise RuntimeError(
            f"Expected b and A to have the same dtype, but found b of type {B.dtype.scalar_name} "
            f"and A of type {LD.dtype.scalar_name} instead."
        )
    if B.ndim < 2:
        raise IndexError(
            f"Dimension out of range (expected to be in range of [-{B.ndim}, {B.ndim - 1}], but "
            "got -2): B is a matrix of columns; B.unsqueeze(-1) makes one of a vector"
        )
    if B.shape[-2] != LD.shape[-1]:
        raise RuntimeError(
            f"Incompatible matrix sizes for {name}: each A matrix is {LD.shape[-1]} by "
            f"{LD.shape[-1]} but each b matrix is {B.shape[-2]} by {B.shape[-1]}"
        )
    if pivots.shape != LD.shape[:-1]:
        raise RuntimeError(
            f"{name}: Expected LD.shape[:-1] and pivots.shape to be the same, but got pivots with "
            f"shape {list(pivots.shape)} instead"
        )
    if pivots.dtype.is_floating_point or pivots.dtype is _C.bool:
        raise RuntimeError(
            f"{name}: Expected pivots to be integers. Got {pivots.dtype.scalar_name}"
        )

    def solved():
        factors, right = LD.detach(), B.detach()
        if not factors.numel() or not right.numel():
            batch = (factors[..., :1] @ right[..., :1, :]).shape[:-2]
            return right.expand((*batch, *right.shape[-2:])).clone()
        orders, L, begins = _unpacked(factors, pivots)
        P = _permuted(orders, L)
        inner = solve_triangular(L, P.mT @ right, upper=False, unitriangular=True)
        inner = _divided(factors, begins, inner)
        return P @ solve_triangular(L.mT, inner, upper=True, unitriangular=True)

    result = solved()
    wanted = [each for each in (LD, B) if each.requires_grad]
    if wanted and _C.is_grad_enabled():
        return _not_implemented("linalg_ldl_solve", result, *wanted)
    return result


# Square roots


def _halves(V, values, X):
    """Y of Y S + S Y = X, where S = V diag(values) Vᵀ."""
    return V @ ((V.mT @ X @ V) / (values.unsqueeze(-1) + values.unsqueeze(-2))) @ V.mT


def matrix_sqrth(input):
    """The symmetric positive-definite matrix X with X X = A, of such a matrix A, whose lower triangle is read.

    >>> torch.linalg.matrix_sqrth(torch.tensor([[2.0, 0.0], [0.0, 9.0]]))
    """
    name = "linalg.matrix_sqrth"
    _square(name, input)
    _only_floats(name, input)
    if input.dtype not in (_C.float32, _C.float64):
        raise NotImplementedError(
            f"{name}: Low precision dtypes not supported. Got {input.dtype.scalar_name}"
        )

    def parts(A):
        L, V = _C.eigh(A)
        # What rounding has put below 0 is 0.
        return V, L.clamp(min=0).sqrt()

    def root(A):
        try:
            V, roots = parts(A)
        except _LinAlgError:
            # A matrix that holds NaN has a root of NaN.
            bad = (~A.tril().isfinite()).any(-1, True).any(-2, True)
            one = _C.eye(A.shape[-1], A.shape[-1], A.dtype, False)
            return _C.where(bad, math.nan, root(_C.where(bad, one, A)))
        return V * roots.unsqueeze(-2) @ V.mT

    def rule(gradient):
        return (_halves(*parts(input), (gradient + gradient.mT) / 2),)

    return _ruled("LinalgMatrixSqrthBackward0", root, rule, input)


@_with_out
def polar(A):
    """U and H of A = U H: columns of length 1 that are orthogonal, and a symmetric positive-semidefinite matrix.

    >>> torch.linalg.polar(torch.tensor([[0.0, 2.0], [1.0, 0.0]]))
    """
    if A.ndim < 2:
        raise RuntimeError("linalg.polar: The input tensor A must have at least 2 dimensions.")
    m, n = A.shape[-2:]
    if m < n:
        raise RuntimeError(
            "linalg.polar: input must have at least as many rows as columns, but got "
            f"{m} by {n} matrices"
        )
    _only_floats("linalg.polar", A)
    U, S, Vh = _C.svd(A.detach(), False)
    V = Vh.mT

    def turned(x, gradient_u, gradient_h):
        # dA = dU H + U dH, Uᵀ U = 1 and H = Hᵀ: Uᵀ dU = W is skew, with W H + H W = Uᵀ dA − dAᵀ U.
        U, S, Vh = _C.svd(x, False)
        V, H = Vh.mT, Vh.mT * S.unsqueeze(-2) @ Vh
        U = U @ Vh
        if gradient_h is not None:
            through = gradient_h @ H - H @ gradient_h.mT
            return U @ (gradient_h - _halves(V, S, through))
        inner = U.mT @ gradient_u
        outside = gradient_u - U @ inner
        return U @ _halves(V, S, inner - inner.mT) + outside @ (V / S.unsqueeze(-2)) @ Vh

    name = "LinalgPolarBackward0"
    values = (
        _C.custom(name, lambda gradient: (turned(A, gradient, None),), [A], U @ Vh),
        _C.custom(
            name, lambda gradient: (turned(A, None, gradient),), [A], V * S.unsqueeze(-2) @ Vh
        ),
    )
    return _Named("linalg_polar", ("U", "H"), values)
