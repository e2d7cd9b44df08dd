"""Linear algebra of `torch` that is made of products, solutions, determinants and inverses."""

import math

import _glowgrad as _C
import glowgrad as _torch
from glowgrad._compose import _ruled, _takes
from glowgrad._matrices import _slogdet, _square, householder_product, multi_dot, solve_triangular
from glowgrad._out import _with_out
from glowgrad._tensor import _Named


@_with_out
@_takes("input")
def slogdet(input):
    """The sign of a determinant, and the logarithm of its size.

    >>> torch.slogdet(torch.tensor([[2.0, 0.0], [0.0, -4.0]]))
    """
    return _slogdet("slogdet", input)


@_takes("input")
def logdet(input):
    """The logarithm of a determinant; NaN of a negative one.

    >>> torch.logdet(torch.tensor([[2.0, 0.0], [0.0, 4.0]]))
    """
    sign, logarithm = _slogdet("slogdet", input)
    return _C.where(sign < 0, math.nan, logarithm)


@_with_out
@_takes("b", "A")
def triangular_solve(b, A, upper=True, transpose=False, unitriangular=False):
    """As `linalg.solve_triangular`, by its older name.

    >>> torch.triangular_solve(torch.tensor([[4.0], [8.0]]), torch.tensor([[2.0, 1.0], [0.0, 4.0]]))
    """
    matrix = A.mT if transpose else A
    solution = solve_triangular(
        matrix, b, upper=upper != transpose, unitriangular=unitriangular
    )
    return _Named("triangular_solve", ("solution", "cloned_coefficient"), (solution, A.clone()))


@_with_out
@_takes("B", "L")
def cholesky_solve(B, L, upper=False):
    """The solution of a system of equations whose matrix has this Cholesky factor.

    >>> L = torch.linalg.cholesky(torch.tensor([[4.0, 2.0], [2.0, 3.0]]))
    >>> torch.cholesky_solve(torch.tensor([[8.0], [7.0]]), L)
    """
    for which, x in (("b", B), ("u", L)):
        if x.ndim < 2:
            raise RuntimeError(
                f"{which} should have at least 2 dimensions, but has {x.ndim} dimensions instead"
            )

    def value(B, L):
        lower = L.mT if upper else L
        half = solve_triangular(lower, B, upper=False)
        return solve_triangular(lower.mT, half, upper=True)

    def rule(gradient):
        of_B = cholesky_solve(gradient, L, upper)
        common = of_B @ cholesky_solve(B, L, upper).mT
        return of_B, _of_factor(common + common.mT, L, upper)

    return _ruled("CholeskySolveBackward0", value, rule, B, L)


def _of_factor(common, L, upper):
    """The gradient of a factor, from that of its matrix's inverse; both triangles are filled."""
    return -(L @ common) if upper else -(common @ L)


@_with_out
@_takes("L")
def cholesky_inverse(L, upper=False):
    """The inverse of the matrix that has this Cholesky factor.

    >>> torch.cholesky_inverse(torch.linalg.cholesky(torch.tensor([[4.0, 2.0], [2.0, 3.0]])))
    """
    _square("cholesky_inverse", L)
    one = _C.eye(L.shape[-1], L.shape[-1], L.dtype, False)

    def rule(gradient):
        inverse = cholesky_inverse(L, upper)
        return (_of_factor(inverse @ (gradient + gradient.mT) @ inverse, L, upper),)

    return _ruled("CholeskyInverseBackward0", lambda L: cholesky_solve(one, L, upper), rule, L)


# Products and norms


@_with_out
@_takes("input", "vec2")
def ger(input, vec2):
    """As `outer`.

    >>> torch.ger(torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0]))
    """
    return _C.outer(input, vec2)


@_takes("input")
def adjoint(input):
    """The tensor with its last two dimensions swapped.

    >>> torch.adjoint(torch.ones(4, 2, 3)).shape
    """
    return input.adjoint()


def chain_matmul(*matrices, out=None):
    """As `linalg.multi_dot`, by its older name.

    >>> torch.chain_matmul(torch.ones(2, 3), torch.ones(3, 4), torch.ones(4, 2))
    """
    from warnings import warn

    warn(
        "torch.chain_matmul is deprecated and will be removed in a future PyTorch release. Use "
        "torch.linalg.multi_dot instead, which accepts a list of two or more tensors rather than "
        "multiple parameters."
    )
    if len(matrices) == 1 and isinstance(matrices[0], (list, tuple)):
        matrices = matrices[0]
    for x in matrices:
        if x.ndim != 2:
            raise RuntimeError(f"Tensor dimension is {x.ndim}, expected 2 instead.")
    result = matrices[0] if len(matrices) == 1 else multi_dot(matrices)
    return result if out is None else _C.write_out("chain_matmul", out, result, False)


@_with_out
@_takes("input")
def frobenius_norm(input, dim, keepdim=False):
    """The root of the sum of squares along dimensions.

    >>> torch.frobenius_norm(torch.tensor([[3.0, 4.0]]), (0, 1))
    """
    dims = [dim] if isinstance(dim, int) else list(dim)
    return _C.vector_norm(input, 2.0, dims or None, keepdim)


@_takes("v")
def norm_except_dim(v, pow=2, dim=0):
    """The norm of each slice along a dimension; of everything, for -1.

    >>> torch.norm_except_dim(torch.tensor([[3.0, 4.0], [0.0, 1.0]]))
    """
    if dim == -1:
        return _C.norm(v, float(pow))
    others = [d for d in range(v.ndim) if d != dim % v.ndim]
    return _C.norm(v, float(pow), others, True) if others else v.abs()


# Reflections


@_with_out
@_takes("input", "tau")
def orgqr(input, tau):
    """As `linalg.householder_product`.

    >>> torch.orgqr(torch.tensor([[1.0], [0.0]]), torch.tensor([2.0]))
    """
    return householder_product(input, tau)


@_with_out
@_takes("input", "tau", "other")
def ormqr(input, tau, other, left=True, transpose=False):
    """The product of a matrix with reflections that a QR factorization left.

    >>> torch.ormqr(torch.tensor([[1.0], [0.0]]), torch.tensor([2.0]), torch.eye(2))
    """
    m = other.shape[-2 if left else -1]
    wide = _torch.nn.functional.pad(input, [0, m - input.shape[-1]])
    Q = householder_product(wide, tau)
    Q = Q.mT if transpose else Q
    return Q @ other if left else other @ Q
