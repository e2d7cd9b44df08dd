"""Differences, slopes and areas of numbers that stand side by side."""

import _glowgrad as _C
from _glowgrad import TensorBase
from glowgrad._compose import _takes
from glowgrad._out import _with_out
from glowgrad._tensor import _dimension


def _ends(x, dim):
    """All slices along a dimension but the last, and all but the first."""
    n = max(x.shape[dim] - 1, 0)
    return x.narrow(dim, 0, n), x.narrow(dim, min(1, x.shape[dim]), n)


@_with_out
@_takes("input")
def diff(input, n=1, dim=-1, prepend=None, append=None):
    """What each element adds to the one before; n times.

    >>> torch.diff(torch.tensor([1, 3, 2]))
    """
    if input.ndim < 1:
        raise RuntimeError("diff expects input to be at least one-dimensional")
    if n < 0:
        raise RuntimeError(f"order must be non-negative but got {n}")
    dim = _dimension(dim, input.ndim) % input.ndim
    for other in (prepend, append):
        if other is None:
            continue
        if other.ndim != input.ndim:
            raise RuntimeError("diff expects prepend or append to be the same dimension as input")
        for d in range(input.ndim):
            if d != dim and other.shape[d] != input.shape[d]:
                raise RuntimeError(
                    "diff expects the shape of tensor to prepend or append to match that of input "
                    f"except along the differencing dimension; input.size({d}) = {input.shape[d]}, "
                    f"but got tensor.size({d}) = {other.shape[d]}"
                )
    x = input
    if prepend is not None or append is not None:
        x = _C.cat([each for each in (prepend, input, append) if each is not None], dim)
    if n >= x.shape[dim]:
        return x.narrow(dim, 0, 0).clone()
    for _ in range(n):
        left, right = _ends(x, dim)
        x = right ^ left if x.dtype is _C.bool else right - left
    return x.clone() if n == 0 else x


# Slopes


def _slopes(x, dim, spacing, edge_order):
    """The slope along one dimension; `spacing` is a step, or the places of the elements."""
    n = x.shape[dim]

    def part(start, stop):
        return x.narrow(dim, start, stop - start)

    if not isinstance(spacing, TensorBase):
        inner = (part(2, n) - part(0, n - 2)) / (2.0 * spacing)
        if edge_order == 1:
            first = (part(1, 2) - part(0, 1)) / spacing
            last = (part(n - 1, n) - part(n - 2, n - 1)) / spacing
        else:
            first = part(0, 1) * -1.5 + part(1, 2) * 2.0 - part(2, 3) * 0.5
            last = part(n - 3, n - 2) * 0.5 - part(n - 2, n - 1) * 2.0 + part(n - 1, n) * 1.5
            first, last = first / spacing, last / spacing
        return _C.cat([first, inner, last], dim)
    step = (spacing[1:] - spacing[:-1]).reshape([-1 if d == dim else 1 for d in range(x.ndim)])

    def steps(start, stop):
        return step.narrow(dim, start, stop - start)

    a, b = steps(0, n - 2), steps(1, n - 1)
    inner = (
        part(0, n - 2) * (-b / (a * (a + b))) + part(1, n - 1) * ((b - a) / (a * b))
        + part(2, n) * (a / (b * (a + b)))
    )
    if edge_order == 1:
        first = (part(1, 2) - part(0, 1)) / steps(0, 1)
        last = (part(n - 1, n) - part(n - 2, n - 1)) / steps(n - 2, n - 1)
        return _C.cat([first, inner, last], dim)
    a, b = steps(0, 1), steps(1, 2)
    first = (
        part(0, 1) * (-(2.0 * a + b) / (a * (a + b))) + part(1, 2) * ((a + b) / (a * b))
        - part(2, 3) * (a / (b * (a + b)))
    )
    a, b = steps(n - 3, n - 2), steps(n - 2, n - 1)
    last = (
        part(n - 3, n - 2) * (b / (a * (a + b))) - part(n - 2, n - 1) * ((a + b) / (a * b))
        + part(n - 1, n) * ((a + 2.0 * b) / (b * (a + b)))
    )
    return _C.cat([first, inner, last], dim)


@_takes("input")
def gradient(input, *, spacing=1, dim=None, edge_order=1):
    """The slopes along each dimension, from the differences of neighbours.

    >>> torch.gradient(torch.tensor([1.0, 4.0, 9.0, 16.0]))
    """
    if edge_order not in (1, 2):
        raise RuntimeError("torch.gradient only supports edge_order=1 and edge_order=2.")
    if not isinstance(spacing, (int, float, list, tuple)):
        raise TypeError(
            "gradient() received an invalid combination of arguments - got (Tensor, "
            f"spacing={type(spacing).__name__}), but expected numbers or tensors of places"
        )
    dims = range(input.ndim) if dim is None else [dim] if isinstance(dim, int) else dim
    dims = list(dims)
    if isinstance(spacing, (list, tuple)) and len(spacing) != len(dims):
        if dim is None:
            raise RuntimeError(
                "torch.gradient expected spacing to be unspecified, a scalar, or a list of length "
                f"equal to 'self.dim() = {input.ndim}', since dim argument was not given, but got "
                f"a list of length {len(spacing)}"
            )
        raise RuntimeError(
            "torch.gradient expected spacing to be unspecified, a scalar or it's spacing and dim "
            f"arguments to have the same length, but got a spacing argument of length "
            f"{len(spacing)} and a dim argument of length {len(dims)}."
        )
    spacing = list(spacing) if isinstance(spacing, (list, tuple)) else [spacing] * len(dims)
    dims = [_dimension(d, input.ndim) % input.ndim for d in dims]
    for d in dims:
        if dims.count(d) > 1:
            raise RuntimeError(f"dim {d} appears multiple times in the list of dims")
        if input.shape[d] < edge_order + 1:
            raise RuntimeError(
                "torch.gradient expected each dimension size to be at least edge_order+1"
            )
    return tuple([_slopes(input, d, step, edge_order) for d, step in zip(dims, spacing)])


# Areas


def _checked(name, y, x, dx, dim):
    """The dimension of `y`, and the widths between its places: a number or a tensor."""
    if y.ndim == 0:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    if x is not None and dx is not None:
        raise TypeError(
            f"{name}() received an invalid combination of arguments - got (Tensor, Tensor, "
            f"dx={type(dx).__name__}), but expected either x or dx"
        )
    dim = _dimension(dim, y.ndim) % y.ndim
    for which, values in (("y", y), ("x", x)):
        if values is not None and values.dtype is _C.bool:
            raise NotImplementedError(
                f"{name}: received a bool input for `{which}`, but bool is not supported"
            )
    if x is None:
        return dim, 1.0 if dx is None else dx
    if x.ndim == 1 and y.ndim != 1:
        if len(x) != y.shape[dim]:
            raise RuntimeError(f"{name}: There must be one `x` value for each sample point")
        x = x.reshape([-1 if d == dim else 1 for d in range(y.ndim)])
    else:
        x = x.reshape(*(1,) * (y.ndim - x.ndim), *x.shape)
        if x.ndim == 1 and len(x) != len(y):
            raise RuntimeError(f"{name}: There must be one `x` value for each sample point")
    left, right = _ends(x, dim)
    return dim, right - left


@_takes("y")
def trapezoid(y, x=None, *, dx=None, dim=-1):
    """The area below the line through points at x, or `dx` apart.

    >>> torch.trapezoid(torch.tensor([1.0, 3.0, 2.0]))
    """
    dim, width = _checked("trapezoid", y, x, dx, dim)
    if x is not None:
        left, right = _ends(y, dim)
        return (width * (left + right)).sum(dim) / 2.0
    n = y.shape[dim]
    if n == 0:
        return y.sum(dim) * 1.0
    return (y.sum(dim) - (y.select(dim, 0) + y.select(dim, n - 1)) * 0.5) * width


@_takes("y")
def trapz(y, x=None, *, dx=None, dim=-1):
    """As `trapezoid`, by its older name.

    >>> torch.trapz(torch.tensor([1.0, 3.0, 2.0]), dx=0.5)
    """
    return trapezoid(y, x, dx=dx, dim=dim)


@_takes("y")
def cumulative_trapezoid(y, x=None, *, dx=None, dim=-1):
    """The area below the line through points, from the first up to each.

    >>> torch.cumulative_trapezoid(torch.tensor([1.0, 3.0, 2.0]))
    """
    dim, width = _checked("cumulative_trapezoid", y, x, dx, dim)
    left, right = _ends(y, dim)
    if x is not None:
        return (width * (left + right)).cumsum(dim) / 2.0
    return (width / 2.0 * (left + right)).cumsum(dim)


@_takes("x")
def vander(x, N=None, increasing=False):
    """A row for each number, with its powers from the highest to 0.

    >>> torch.vander(torch.tensor([1, 2, 3]))
    """
    if x.ndim != 1:
        raise RuntimeError("x must be a one-dimensional tensor.")
    n = len(x) if N is None else N
    if n < 0:
        raise RuntimeError("N must be non-negative.")
    ones = _C.full((len(x), min(n, 1)), 1, x.dtype, False)
    factors = _C.cat([ones, x.unsqueeze(1).expand(len(x), max(n - 1, 0))], 1)
    powers = factors.cumprod(1) if n else factors
    return powers if increasing else powers.flip(1)
