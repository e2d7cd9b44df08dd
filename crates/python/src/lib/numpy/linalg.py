"""Matrices: `np.linalg`. Eigenvalues and singular values are found by Jacobi's rotations, many at
a time."""

import _glowgrad as _C
import numpy as np
from numpy._core import asarray, on_cpu, quiet, result, tensor_of, wrap
from numpy._math import cross, outer, tensordot
from numpy._shape import diagonal, matrix_transpose
from numpy._types import BY_TORCH, FLOAT64
from numpy._ufunc import matmul, vecdot


class LinAlgError(ValueError):
    """Raised where a matrix cannot be taken apart.
    >>> issubclass(np.linalg.LinAlgError, ValueError)"""


def _matrix(a, square=False):
    t = tensor_of(a)
    if t.ndim < 2:
        raise LinAlgError(
            f"{t.ndim}-dimensional array given. Array must be at least two-dimensional"
        )
    if square and t.shape[-1] != t.shape[-2]:
        raise LinAlgError("Last 2 dimensions of the array must be square")
    if t.dtype is _C.float16:
        raise TypeError("array type float16 is unsupported in linalg")
    return t if t.dtype.is_floating_point else t._to(_C.float64)


def _try(words, function, *args):
    try:
        return function(*args)
    except RuntimeError:
        raise LinAlgError(words) from None


def inv(a):
    """The inverse of a matrix. >>> np.linalg.inv([[2.0, 0.0], [0.0, 4.0]])"""
    return wrap(_try("Singular matrix", _C.inv, _matrix(a, True)))


def solve(a, b):
    """x in a @ x = b. >>> np.linalg.solve([[2.0, 0.0], [0.0, 4.0]], [2.0, 4.0])"""
    t, right = _matrix(a, True), tensor_of(b)
    right = right._to(t.dtype)
    return wrap(_try("Singular matrix", _C.solve, t, right))


def det(a):
    """The determinant. >>> np.linalg.det([[2.0, 0.0], [0.0, 4.0]])"""
    return result(_C.det(_matrix(a, True)))


def slogdet(a):
    """The sign and the logarithm of the determinant.
    >>> np.linalg.slogdet([[2.0, 0.0], [0.0, 4.0]])"""
    found = asarray(det(a))
    return _Named("SlogdetResult", ("sign", "logabsdet"), [np.sign(found), np.log(np.abs(found))])


def cholesky(a, /, *, upper=False):
    """The lower triangle whose product with its transpose is the matrix.
    >>> np.linalg.cholesky([[4.0, 2.0], [2.0, 3.0]])"""
    found = _try("Matrix is not positive definite", _C.cholesky, _matrix(a, True))
    return wrap(found.transpose(-1, -2) if upper else found)


def qr(a, mode="reduced"):
    """A matrix of perpendicular columns and a triangle whose product is the matrix.
    >>> np.linalg.qr(np.eye(2))[1]"""
    t = _matrix(a)
    if mode not in ("reduced", "complete", "r"):
        raise ValueError(f"Unrecognized mode '{mode}'")
    q, r = _C.qr(t, mode="complete" if mode == "complete" else "reduced")
    return wrap(r) if mode == "r" else _Named("QRResult", ("Q", "R"), [wrap(q), wrap(r)])


def matrix_power(a, n):
    """The product of a matrix with itself n times.
    >>> np.linalg.matrix_power([[1, 1], [0, 1]], 3)"""
    a = asarray(a)
    _matrix(a, True)
    if n < 0:
        a, n = inv(a), -n
    found = np.eye(a.shape[-1], dtype=a.dtype)
    while n:
        if n & 1:
            found = matmul(found, a)
        a, n = matmul(a, a), n >> 1
    return found


def multi_dot(arrays, *, out=None):
    """The product of several matrices.
    >>> np.linalg.multi_dot([np.eye(2), np.eye(2), [1.0, 2.0]])"""
    found = asarray(arrays[0])
    for each in arrays[1:]:
        found = np.dot(found, each)
    return found


def trace(x, /, *, offset=0, dtype=None):
    """The sum of the diagonal. >>> np.linalg.trace(np.eye(3))"""
    return np.trace(x, offset, -2, -1, dtype)


# Norms


def norm(x, ord=None, axis=None, keepdims=False):
    """The length of a vector, or a size of a matrix. >>> np.linalg.norm([3.0, 4.0])"""
    x = asarray(x)
    x = x if x.dtype.kind == "f" else x.astype(float)
    if axis is None and (
        ord is None or ord in ("f", "fro") and x.ndim == 2 or ord == 2 and x.ndim == 1
    ):
        flat = x.ravel()
        found = np.sqrt(np.dot(flat, flat))
        return found.reshape((1,) * x.ndim) if keepdims else found
    axes = tuple(range(x.ndim)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    if len(axes) == 1:
        return _vector(x, ord, axes[0], keepdims)
    if len(axes) != 2:
        raise ValueError("Improper number of dimensions to norm.")
    row, column = [each % x.ndim for each in axes]
    if row == column:
        raise ValueError("Duplicate axes given.")
    if ord in (None, "f", "fro"):
        return np.sqrt((x * x).sum((row, column), keepdims=keepdims))
    if ord in (2, -2, "nuc"):
        values = svdvals(np.moveaxis(x, (row, column), (-2, -1)))
        found = {2: np.max, -2: np.min, "nuc": np.sum}[ord](values, -1)
    elif ord in (1, -1, np.inf, -np.inf):
        first, second = (row, column) if ord in (1, -1) else (column, row)
        sums = np.abs(x).sum(first, keepdims=True)
        found = (np.max if ord > 0 else np.min)(sums, (row, column))
    else:
        raise ValueError("Invalid norm order for matrices.")
    return np.expand_dims(found, tuple(sorted((row, column)))) if keepdims else found


def _vector(x, ord, axis, keepdims):
    if ord is None or ord == 2:
        return np.sqrt((x * x).sum(axis, keepdims=keepdims))
    if isinstance(ord, str):
        raise ValueError(f"Invalid norm order '{ord}' for vectors")
    size = np.abs(x)
    if ord == np.inf:
        return size.max(axis, keepdims=keepdims)
    if ord == -np.inf:
        return size.min(axis, keepdims=keepdims)
    if ord == 0:
        return (x != 0).astype(x.dtype).sum(axis, keepdims=keepdims)
    if ord == 1:
        return size.sum(axis, keepdims=keepdims)
    return np.power((size**ord).sum(axis, keepdims=keepdims), 1 / ord)


def vector_norm(x, /, *, axis=None, keepdims=False, ord=2):
    """The length of a vector. >>> np.linalg.vector_norm([3.0, 4.0])"""
    x = asarray(x)
    return norm(x.ravel() if axis is None else x, ord, axis, keepdims)


def matrix_norm(x, /, *, keepdims=False, ord="fro"):
    """A size of a matrix. >>> np.linalg.matrix_norm(np.eye(2))"""
    return norm(x, ord, (-2, -1), keepdims)


# Singular values and eigenvalues

_MOST_SWEEPS = 30


def _rounds(n):
    """Every pair of n columns once, in rounds of pairs that have none in common."""
    ring = list(range(n + n % 2))
    rounds = []
    for _ in range(len(ring) - 1):
        pairs = [(ring[i], ring[-1 - i]) for i in range(len(ring) // 2)]
        pairs = [(min(pair), max(pair)) for pair in pairs if max(pair) < n]
        if not pairs:
            continue
        rounds.append([_C.from_data(list(side), _C.int64, False) for side in zip(*pairs)])
        ring.insert(1, ring.pop())
    return rounds


def _turn(half, cross):
    """Cosine and sine of the rotation that makes `cross` 0, where `half` is half the difference."""
    still = cross == 0
    ratio = half / cross.masked_fill(still, 1)
    t = _C.where(ratio < 0, -1.0, 1.0) / (ratio.abs() + (1 + ratio * ratio).sqrt())
    t = t.masked_fill(still, 0)
    c = 1 / (1 + t * t).sqrt()
    return c, c * t


def _one_sided(a):
    """U * S and V of a matrix with no fewer rows than columns: its columns are turned until they
    are perpendicular."""
    n = a.shape[1]
    v = _C.eye(n, n, a.dtype, False)
    both = _C.cat([a, v])
    m, rounds = a.shape[0], _rounds(n)
    tiny = 1e-30 if a.dtype is _C.float64 else 1e-12
    for _ in range(_MOST_SWEEPS):
        worst = 0.0
        for p, q in rounds:
            left, right = both.index_select(1, p), both.index_select(1, q)
            x, y = left[:m], right[:m]
            alpha, beta, gamma = (x * x).sum(0), (y * y).sum(0), (x * y).sum(0)
            off = (
                (gamma * gamma / (alpha * beta).clamp(tiny * 1e-290 if tiny < 1e-20 else 1e-37))
                .max()
                .item()
            )
            worst = max(worst, off)
            if off <= tiny:
                continue
            c, s = _turn((beta - alpha) / 2, gamma)
            both = both.clone()
            both.index_copy_(1, p, left * c - right * s)
            both.index_copy_(1, q, left * s + right * c)
        if worst <= tiny:
            break
    return both[:m], both[m:]


def _svd(t):
    """U, S and V transposed of one matrix."""
    m, n = t.shape
    if m < n:
        u, s, vt = _svd(t.transpose(0, 1))
        return vt.transpose(0, 1), s, u.transpose(0, 1)
    q = None
    if m > n:
        q, t = _C.qr(t, mode="reduced")
    us, v = _one_sided(t.contiguous())
    s = (us * us).sum(0).sqrt()
    order = _C.argsort(s, dim=0, descending=True, stable=True)
    s, us, v = s[order], us.index_select(1, order), v.index_select(1, order)
    u = us / s.masked_fill(s == 0, 1)
    if (s <= s.max() * 1e-15).any().item():
        u = _completed(u, s)
    return (u if q is None else q @ u), s, v.transpose(0, 1)


def _completed(u, s):
    """Columns of singular values that are 0, made perpendicular to the others."""
    rank = int((s > s.max() * 1e-15).sum())
    whole, r = _C.qr(
        _C.cat([u[:, :rank], _C.eye(len(u), len(u), u.dtype, False)], 1), mode="reduced"
    )
    signs = _C.where(_C.diagonal(r)[:rank] < 0, -1.0, 1.0)._to(u.dtype)
    return _C.cat([whole[:, :rank] * signs, whole[:, rank:u.shape[1]]], 1)


class _Named(tuple):
    """Several results by name."""

    def __new__(cls, name, fields, values):
        self = tuple.__new__(cls, values)
        self._name, self._fields = name, fields
        return self

    def __getattr__(self, name):
        if name in self._fields:
            return self[self._fields.index(name)]
        raise AttributeError(f"'{self._name}' object has no attribute '{name}'")

    def __repr__(self):
        return (
            f"{self._name}(" + ", ".join([f"{f}={v!r}" for f, v in zip(self._fields, self)]) + ")"
        )


def _each(function, t):
    """A function of each matrix of a batch."""
    if t.ndim == 2:
        return on_cpu(_C.quietly, lambda: function(t))
    flat = t.reshape([-1] + list(t.shape[-2:]))
    rows = [on_cpu(_C.quietly, lambda: function(flat[i])) for i in range(len(flat))]
    lead = list(t.shape[:-2])
    found = [_C.stack(list(each)) for each in zip(*rows)]
    return [each.reshape(lead + list(each.shape[1:])) for each in found]


def svd(a, full_matrices=True, compute_uv=True, hermitian=False):
    """Two rotations and the singular values between them.
    >>> np.linalg.svd([[3.0, 0.0], [0.0, 4.0]])[1]"""
    t = _matrix(a)
    u, s, vt = _each(_svd, t)
    if not compute_uv:
        return wrap(s)
    if full_matrices and t.shape[-1] != t.shape[-2]:
        if t.shape[-2] > t.shape[-1]:
            u = _full(u)
        else:
            vt = _full(vt.transpose(-1, -2)).transpose(-1, -2)
    return _Named("SVDResult", ("U", "S", "Vh"), [wrap(u), wrap(s), wrap(vt)])


def _full(u):
    """A square matrix that begins with these perpendicular columns."""
    whole, r = _C.qr(u, mode="complete")
    k = u.shape[-1]
    return _C.cat([u, whole[..., k:]], -1)


def svdvals(x, /):
    """The singular values. >>> np.linalg.svdvals([[3.0, 0.0], [0.0, 4.0]])"""
    return svd(x, compute_uv=False)


def _eigh(a):
    """The eigenvalues in order and the eigenvectors of one symmetric matrix."""
    n = a.shape[0]
    v = _C.eye(n, n, a.dtype, False)
    rounds, small = _rounds(n), 1e-32 if a.dtype is _C.float64 else 1e-14
    size = (a * a).sum().item()
    for _ in range(_MOST_SWEEPS):
        off = (_C.tril(a, -1) ** 2).sum().item()
        if off <= small * size:
            break
        for p, q in rounds:
            line = _C.diagonal(a)
            c, s = _turn((line[q] - line[p]) / 2, a[p, q])
            a, v = _turned(a, p, q, c, s), _turned(v, p, q, c, s)
            a = _turned(a.transpose(0, 1).contiguous(), p, q, c, s)
    values = _C.diagonal(a)
    order = _C.argsort(values, dim=0, stable=True)
    return values[order], v.index_select(1, order)


def _turned(a, p, q, c, s):
    left, right = a.index_select(1, p), a.index_select(1, q)
    a = a.clone()
    a.index_copy_(1, p, left * c - right * s)
    a.index_copy_(1, q, left * s + right * c)
    return a


def eigh(a, UPLO="L"):
    """The eigenvalues, in order, and eigenvectors of a symmetric matrix.
    >>> np.linalg.eigh([[2.0, 1.0], [1.0, 2.0]])"""
    t = _matrix(a, True)
    half = _C.tril(t, -1) if UPLO.upper() == "L" else _C.triu(t, 1).transpose(-1, -2)
    t = half + half.transpose(-1, -2) + _C.diag_embed(_C.diagonal(t, 0, -2, -1))
    values, vectors = _each(_eigh, t)
    return _Named("EighResult", ("eigenvalues", "eigenvectors"), [wrap(values), wrap(vectors)])


def eigvalsh(a, UPLO="L"):
    """The eigenvalues of a symmetric matrix. >>> np.linalg.eigvalsh([[2.0, 1.0], [1.0, 2.0]])"""
    return eigh(a, UPLO)[0]


def eig(a):
    """The eigenvalues and eigenvectors of a symmetric matrix.
    >>> np.linalg.eig([[2.0, 1.0], [1.0, 2.0]])"""
    t = _matrix(a, True)
    if not np.allclose(wrap(t), wrap(t.transpose(-1, -2))):
        raise NotImplementedError(
            "eig: the eigenvalues of a matrix that is not symmetric may be complex, which numbers "
            "here are not; for the largest one multiply a vector with the matrix again and again"
        )
    return _Named("EigResult", ("eigenvalues", "eigenvectors"), eigh(a))


def eigvals(a):
    """The eigenvalues of a symmetric matrix. >>> np.linalg.eigvals([[2.0, 1.0], [1.0, 2.0]])"""
    return eig(a)[0]


def pinv(a, rcond=None, hermitian=False, *, rtol=None):
    """The inverse as far as there is one. >>> np.linalg.pinv([[1.0], [2.0]])"""
    u, s, vt = svd(a, full_matrices=False)
    rcond = rcond if rcond is not None else rtol
    rcond = 1e-15 if rcond is None else rcond
    there = s > np.asarray(rcond)[..., None] * s.max(-1, keepdims=True)
    turned = np.where(there, 1 / np.where(there, s, 1), 0)
    return matmul(matrix_transpose(vt) * turned[..., None, :], matrix_transpose(u))


def lstsq(a, b, rcond=None):
    """x for which a @ x is nearest to b, the rest, the rank and the singular values.
    >>> np.linalg.lstsq([[1.0], [2.0]], [2.0, 4.0])[0]"""
    t, right = wrap(_matrix(a)), asarray(b)
    right = right.astype(t.dtype)
    m, n = t.shape
    u, s, vt = svd(t, full_matrices=False)
    rcond = np.finfo(t.dtype).eps * max(m, n) if rcond is None or rcond == -1 else rcond
    rank = int((s > rcond * s[0]).sum()) if s.size else 0
    left = matmul(matrix_transpose(u), right)[:rank]
    s_part = s[:rank] if right.ndim == 1 else s[:rank, None]
    x = matmul(matrix_transpose(vt)[:, :rank], left / s_part)
    rest = np.empty(0)
    if m > n and rank == n:
        rest = ((right - matmul(t, x)) ** 2).sum(0)
        rest = np.atleast_1d(rest)
    return x, rest, rank, s


def matrix_rank(A, tol=None, hermitian=False, *, rtol=None):
    """How many independent rows a matrix has. >>> np.linalg.matrix_rank(np.ones((2, 2)))"""
    A = asarray(A)
    if A.ndim < 2:
        return int(not (A == 0).all())
    s = svdvals(A)
    if tol is None:
        rtol = max(A.shape[-2:]) * np.finfo(s.dtype).eps if rtol is None else rtol
        tol = s.max(-1, keepdims=True) * rtol
    return np.count_nonzero(s > tol, axis=-1)


def cond(x, p=None):
    """How much a matrix magnifies errors. >>> np.linalg.cond(np.eye(2))"""
    if p is None or p in (2, -2):
        s = svdvals(x)
        return s[..., -1] / s[..., 0] if p == -2 else s[..., 0] / s[..., -1]
    return norm(x, p, (-2, -1)) * norm(inv(x), p, (-2, -1))


for _name, _function in list(globals().items()):
    if _name[0] != "_" and type(_function) is type(inv) and _function.__module__ == __name__:
        globals()[_name] = quiet(_function)
