"""Parametrizations that are ready: `orthogonal`, `weight_norm`, `spectral_norm`."""

import math

import _glowgrad as _C
from glowgrad._tensor import Tensor
from glowgrad.autograd import no_grad
from glowgrad.nn import functional as F
from glowgrad.nn.module import Module
from glowgrad.nn.utils._norms import _as_matrix, _norm_except, _rows_last, _with_norm
from glowgrad.nn.utils.parametrize import register_parametrization

__all__ = ("orthogonal", "spectral_norm", "weight_norm")


def _named(module, name):
    weight = getattr(module, name, None)
    if not isinstance(weight, Tensor):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    return weight


class _WeightNorm(Module):
    def __init__(self, dim=0):
        super().__init__()
        self.dim = -1 if dim is None else dim

    def forward(self, weight_g, weight_v):
        return _with_norm(weight_v, weight_g, self.dim)

    def right_inverse(self, weight):
        return _norm_except(weight, self.dim), weight


def weight_norm(module, name="weight", dim=0):
    """Learns the length and the direction of a weight (Salimans and Kingma, 2016).

    >>> layer = nn.utils.parametrizations.weight_norm(nn.Linear(3, 2))
    >>> list(layer.state_dict())
    """
    register_parametrization(module, name, _WeightNorm(dim), unsafe=True)

    def rename(state, prefix, *rest):
        old = [f"{prefix}{name}_g", f"{prefix}{name}_v"]
        if all(key in state for key in old):
            for i, key in enumerate(old):
                state[f"{prefix}parametrizations.{name}.original{i}"] = state.pop(key)

    module._register_load_state_dict_pre_hook(rename)
    return module


class _SpectralNorm(Module):
    def __init__(self, weight, n_power_iterations=1, dim=0, eps=1e-12):
        super().__init__()
        n = weight.ndim
        if not -n <= dim < n:
            raise IndexError(
                f"Dimension out of range (expected to be in range of [-{n}, {n - 1}] but got {dim})"
            )
        if n_power_iterations <= 0:
            raise ValueError(
                "Expected n_power_iterations to be positive, but got "
                f"n_power_iterations={n_power_iterations}"
            )
        self.dim, self.eps = dim % n, eps
        if n > 1:
            self.n_power_iterations = n_power_iterations
            matrix = _as_matrix(weight, self.dim)
            u, v = (matrix.new_zeros(size).normal_(0, 1) for size in matrix.shape)
            self.register_buffer("_u", F.normalize(u, dim=0, eps=eps))
            self.register_buffer("_v", F.normalize(v, dim=0, eps=eps))
            self._iterate(matrix, 15)

    def _iterate(self, matrix, times):
        with no_grad():
            for _ in range(times):
                self._u.copy_(F.normalize(_C.mv(matrix, self._v), dim=0, eps=self.eps))
                self._v.copy_(F.normalize(_C.mv(matrix.t(), self._u), dim=0, eps=self.eps))

    def forward(self, weight):
        if weight.ndim == 1:
            return F.normalize(weight, dim=0, eps=self.eps)
        matrix = _as_matrix(weight, self.dim)
        if self.training:
            self._iterate(matrix, self.n_power_iterations)
        # The next call writes into the buffers; the tape of this one keeps what it saw.
        u, v = self._u.clone(), self._v.clone()
        return weight / _C.dot(u, _C.mv(matrix, v))

    def right_inverse(self, value):
        return value


def spectral_norm(module, name="weight", n_power_iterations=1, eps=1e-12, dim=None):
    """Divides a weight by its largest singular value (Miyato et al., 2018).

    >>> layer = nn.utils.parametrizations.spectral_norm(nn.Linear(3, 2))
    >>> list(layer.state_dict())
    """
    weight = _named(module, name)
    dim = _rows_last(module) if dim is None else dim
    made = _SpectralNorm(weight, n_power_iterations, dim, eps)
    return register_parametrization(module, name, made)


def _matrix_exp(A):
    """e to the power of square matrices: a series on a small part of A, squared again and again."""
    halvings = 8
    if not _C.is_capturing():
        size = A.detach().abs().sum(-1).amax().item() if A.numel() else 0.0
        halvings = max(0, math.ceil(math.log2(size)) + 2) if 0 < size < math.inf else 0
    A = A / 2 ** halvings
    eye = _eye(A)
    result = eye
    for k in range(14 if A.dtype == _C.float64 else 9, 0, -1):
        result = eye + A @ result / k
    for _ in range(halvings):
        result = result @ result
    return result


def _eye(A):
    with A.device:
        return _C.eye(A.shape[-1], A.shape[-1], A.dtype, False)


def _reflected(A, tau):
    """The product of the reflections whose vectors stand below the diagonal of A.

    With V the vectors, it is I - V T V', where the inverse of T is the upper triangle of V'V with
    1 / tau on its diagonal.
    """
    n, k = A.shape[-2:]
    V = A.tril(-1) + _eye(A.new_zeros(n, n))[:, :k]
    inner = (V.mT @ V).triu(1) + _C.diag_embed(1 / tau)
    return _eye(A.new_zeros(n, n))[:, :k] - V @ _C.solve(inner, V.mT[..., :, :k])


def _vectors(Q):
    """The reflections that make Q: vectors below the diagonal, and on it the signs."""
    with no_grad():
        A = Q.clone()
        n, k = A.shape[-2:]
        for i in range(k):
            x = A[..., i:, i].clone()
            sign = _C.where(x[..., :1] < 0, -1.0, 1.0).to(A.dtype)
            x[..., :1] += sign * x.norm(dim=-1, keepdim=True)
            v = x / x[..., :1]
            tau = (2 / (v * v).sum(-1, True)).unsqueeze(-1)
            column, rest = v.unsqueeze(-1), A[..., i:, i:].clone()
            A[..., i:, i:] = rest - tau * column * (column.mT @ rest)
            if i + 1 < n:
                A[..., i + 1:, i] = v[..., 1:]
        signs = A.diagonal(dim1=-2, dim2=-1).sign()
        below = A.tril(-1)
        below.diagonal(dim1=-2, dim2=-1).copy_(signs)
        return below


class _Orthogonal(Module):
    def __init__(self, weight, orthogonal_map, *, use_trivialization=True):
        super().__init__()
        self.shape, self.orthogonal_map = weight.shape, orthogonal_map
        if use_trivialization:
            self.register_buffer("base", None)

    def forward(self, X):
        n, k = X.shape[-2:]
        transposed = n < k
        if transposed:
            X, n, k = X.mT, k, n
        if self.orthogonal_map == "householder":
            A = X.tril(-1)
            tau = 2.0 / (1.0 + (A * A).sum(-2))
            Q = _reflected(A, tau) * X.diagonal(dim1=-2, dim2=-1).int().unsqueeze(-2)
        else:
            X = X.tril()
            if n != k:
                X = _C.cat([X, X.new_zeros(*X.shape[:-1], n - k)], -1)
            A = X - X.mT
            if self.orthogonal_map == "matrix_exp":
                Q = _matrix_exp(A)
            else:
                eye = _eye(A)
                Q = _C.solve(eye - 0.5 * A, eye + 0.5 * A)
            if n != k:
                Q = Q[..., :k]
        if hasattr(self, "base"):
            Q = self.base @ Q
        return Q.mT if transposed else Q

    @no_grad()
    def right_inverse(self, Q):
        if Q.shape != self.shape:
            raise ValueError(
                f"Expected a matrix or batch of matrices of shape {self.shape}. Got a tensor of "
                f"shape {Q.shape}."
            )
        given = Q
        n, k = Q.shape[-2:]
        transposed = n < k
        if transposed:
            Q, n, k = Q.mT, k, n
        if not hasattr(self, "base"):
            if self.orthogonal_map != "householder":
                raise NotImplementedError(
                    "It is not possible to assign to the matrix exponential or the Cayley "
                    "parametrizations when use_trivialization=False."
                )
            A = _vectors(Q)
            return A.mT if transposed else A
        if n != k:
            Q = _C.cat([Q, _C.randn((*Q.shape[:-2], n, n - k), Q.dtype, False, None)], -1)
            Q = _orthonormal(Q)
        else:
            Q = Q.clone() if _is_orthogonal(Q) else _orthonormal(Q)
        self.base = Q
        start = given.new_zeros(given.shape)
        start.diagonal(dim1=-2, dim2=-1).fill_(-1.0)
        return start


def _is_orthogonal(Q):
    from glowgrad._bytes import finfo

    tolerance = 10.0 * Q.shape[-2] * finfo(Q.dtype).eps
    return (Q.mT @ Q).allclose(_eye(Q).expand(Q.shape), atol=tolerance)


def _orthonormal(A):
    """Q of A = QR where the diagonal of R is positive."""
    Q, R = _C.qr(A)
    return Q * R.diagonal(dim1=-2, dim2=-1).sgn().unsqueeze(-2)


def orthogonal(module, name="weight", orthogonal_map=None, *, use_trivialization=True):
    """Keeps a matrix orthogonal: its columns, or its rows if there are fewer, are of length 1 and
    at right angles.

    >>> layer = nn.utils.parametrizations.orthogonal(nn.Linear(4, 2))
    >>> torch.allclose(layer.weight @ layer.weight.T, torch.eye(2), atol=1e-5)
    """
    weight = _named(module, name)
    if weight.ndim < 2:
        raise ValueError(
            f"Expected a matrix or batch of matrices. Got a tensor of {weight.ndim} dimensions."
        )
    if orthogonal_map is None:
        square = weight.shape[-2] == weight.shape[-1]
        orthogonal_map = "matrix_exp" if square else "householder"
    if orthogonal_map not in ("matrix_exp", "cayley", "householder"):
        raise ValueError(
            'orthogonal_map has to be one of "matrix_exp", "cayley", "householder". Got: '
            f"{orthogonal_map}"
        )
    made = _Orthogonal(weight, orthogonal_map, use_trivialization=use_trivialization)
    return register_parametrization(module, name, made, unsafe=True)
