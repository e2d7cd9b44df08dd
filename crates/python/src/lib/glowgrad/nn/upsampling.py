"""Images in another size: `torch.nn.functional.interpolate` and its modules.

The engine has the modes that look at the two nearest elements of a dimension. The others are
products with a matrix of weights for each dimension.
"""

import math

import _glowgrad as _C
from glowgrad.nn import _LATER
from glowgrad.nn import functional as F
from glowgrad.nn._functional import _each, _warn
from glowgrad.nn.module import Module

__all__ = _LATER["upsampling"]

_SIZES = {"linear": 3, "bilinear": 4, "bicubic": 4, "trilinear": 5, "lanczos": 4}


def _wanted(input, size, scale_factor, n):
    """The new size, and the factors if they are what was given."""
    if size is not None and scale_factor is not None:
        raise ValueError("only one of size or scale_factor should be defined")
    if size is None and scale_factor is None:
        raise ValueError("either size or scale_factor should be defined")
    what, given = ("output size", size) if size is not None else ("scale_factor", scale_factor)
    each = _each(given, n)
    if len(each) != n and hasattr(given, "__iter__"):
        got = f"output size of {given}" if size is not None else f"scale_factor of shape {given}"
        letter = "o" if size is not None else "s"
        raise ValueError(
            f"Input and {'output' if size is not None else 'scale_factor'} must have the same "
            "number of spatial dimensions, but got input with spatial dimensions of "
            f"{list(input.shape[2:])} and {got}. Please provide input tensor in (N, C, d1, d2, "
            f"...,dK) format and {what} in ({letter}1, {letter}2, ...,{letter}K) format."
        )
    if size is None:
        return [math.floor(old * factor) for old, factor in zip(input.shape[2:], each)], each
    if not all(hasattr(old, "__index__") for old in each):
        raise TypeError(
            "expected size to be one of int or Tuple[int] or Tuple[int, int] or Tuple[int, int, "
            f"int], but got size with types {[type(old) for old in each]}"
        )
    return list(each), None


def _cubic(x, a=-0.75):
    """The cubic kernel at a distance x."""
    x = abs(x)
    if x <= 1:
        return ((a + 2) * x - (a + 3)) * x * x + 1
    return (((x - 5) * x + 8) * x - 4) * a if x < 2 else 0.0


def _lanczos(x):
    x = math.pi * abs(x)
    if x == 0:
        return 1.0
    return 3 * math.sin(x) * math.sin(x / 3) / x ** 2 if x < 3 * math.pi else 0.0


# A kernel without its stretching, and how far it reaches.
_KERNELS = {
    "bilinear": (lambda x: max(0.0, 1.0 - abs(x)), 1),
    "bicubic": (lambda x: _cubic(x, -0.5), 2),
    "lanczos": (_lanczos, 3),
}


def _scale(old, new, align_corners, factor):
    """How far apart the new elements are in the old ones."""
    if align_corners:
        return (old - 1) / (new - 1) if new > 1 else 0.0
    return 1 / factor if factor else old / new


def _bicubic_row(i, old, scale, align_corners):
    """Weights of the four elements around a place; those beyond the edge are the edge."""
    place = scale * i if align_corners else scale * (i + 0.5) - 0.5
    first, row = math.floor(place), [0.0] * old
    for near in range(first - 1, first + 3):
        row[min(max(near, 0), old - 1)] += _cubic(near - place)
    return row


def _smoothed_row(i, old, scale, mode):
    """Weights of a kernel that is stretched where the image becomes smaller."""
    kernel, reach = _KERNELS[mode]
    stretch = max(scale, 1.0)
    middle = scale * (i + 0.5)
    low = max(int(middle - reach * stretch + 0.5), 0)
    high = min(int(middle + reach * stretch + 0.5), old)
    row = [0.0] * old
    for j in range(low, high):
        row[j] = kernel((j + 0.5 - middle) / stretch)
    total = sum(row)
    return [weight / total for weight in row] if total else row


def _by_matrices(input, size, mode, align_corners, factors, antialias):
    matrices = []
    for d, new in enumerate(size):
        old = input.shape[2 + d]
        scale = _scale(old, new, align_corners, factors and factors[d])
        rows = [
            _smoothed_row(i, old, scale, mode) if antialias
            else _bicubic_row(i, old, scale, align_corners)
            for i in range(new)
        ]
        matrices.append(input.new_tensor(rows))
    rows, columns = matrices
    return rows @ (input @ columns.t())


def interpolate(input, size=None, scale_factor=None, mode="nearest", align_corners=None,
                recompute_scale_factor=None, antialias=False):
    """Images in another size, by the nearest elements or between them.

    >>> F.interpolate(torch.ones(1, 1, 2, 2), scale_factor=2).shape
    """
    if mode in ("nearest", "area", "nearest-exact"):
        if align_corners is not None:
            raise ValueError(
                "align_corners option can only be set with the interpolating modes: linear | "
                "bilinear | bicubic | trilinear"
            )
    n = input.dim() - 2
    size, factors = _wanted(input, size, scale_factor, n)
    if recompute_scale_factor and factors is None:
        raise ValueError("recompute_scale_factor is not meaningful with an explicit size.")
    if recompute_scale_factor or mode == "area":
        factors = None
    if antialias and not (mode in _KERNELS and n == 2):
        raise ValueError(
            "Anti-alias option is restricted to bilinear, bicubic, and lanczos modes and requires "
            "a 4-D tensor as input"
        )
    known = mode in ("nearest", "nearest-exact", "area") or mode in _SIZES
    if n not in (1, 2, 3) or not known:
        raise NotImplementedError(
            "Input Error: Only 3D, 4D and 5D input Tensors supported (got "
            f"{input.dim()}D) for the modes: nearest | linear | bilinear | bicubic | trilinear | "
            f"lanczos | area | nearest-exact (got {mode})"
        )
    if mode in _SIZES and n + 2 != _SIZES[mode]:
        raise NotImplementedError(
            f"Got {n + 2}D input, but {mode} mode needs {_SIZES[mode]}D input"
        )
    if mode == "area":
        return getattr(F, f"adaptive_avg_pool{n}d")(input, size)
    if mode == "lanczos":
        if align_corners:
            raise ValueError("Lanczos mode does not support align_corners=True")
        if not antialias:
            raise ValueError("Lanczos mode requires antialias=True")
    if any(each <= 0 for each in (*size, *input.shape[2:])):
        raise RuntimeError(
            "Input and output sizes should be greater than 0, but got input "
            f"{list(input.shape[2:])} output {size}"
        )
    if antialias or mode == "bicubic":
        return _by_matrices(input, size, mode, bool(align_corners), factors, antialias)
    given = [float(factor) for factor in reversed(factors)] if factors is not None else []
    return _C.upsample(input, size, mode, bool(align_corners), *given)


def upsample(input, size=None, scale_factor=None, mode="nearest", align_corners=None):
    """`interpolate` under its older name.

    >>> F.upsample(torch.ones(1, 1, 2, 2), scale_factor=2).shape
    """
    _warn("`nn.functional.upsample` is deprecated. Use `nn.functional.interpolate` instead.")
    return interpolate(input, size, scale_factor, mode, align_corners)


def upsample_nearest(input, size=None, scale_factor=None):
    """`interpolate` by the nearest elements, under its older name.

    >>> F.upsample_nearest(torch.ones(1, 1, 2, 2), scale_factor=2).shape
    """
    _warn("`nn.functional.upsample_nearest` is deprecated. Use `nn.functional.interpolate` "
          "instead.")
    return interpolate(input, size, scale_factor)


def upsample_bilinear(input, size=None, scale_factor=None):
    """`interpolate` between elements, corner on corner, under its older name.

    >>> F.upsample_bilinear(torch.ones(1, 1, 2, 2), scale_factor=2).shape
    """
    _warn("`nn.functional.upsample_bilinear` is deprecated. Use `nn.functional.interpolate` "
          "instead.")
    return interpolate(input, size, scale_factor, "bilinear", True)


class Upsample(Module):
    """Images in another size.

    >>> nn.Upsample(scale_factor=2)(torch.ones(1, 1, 2, 2)).shape
    """

    def __init__(self, size=None, scale_factor=None, mode="nearest", align_corners=None,
                 recompute_scale_factor=None):
        super().__init__()
        self.name, self.size = type(self).__name__, size
        if isinstance(scale_factor, tuple):
            self.scale_factor = tuple(float(factor) for factor in scale_factor)
        else:
            self.scale_factor = float(scale_factor) if scale_factor else None
        self.mode, self.align_corners = mode, align_corners
        self.recompute_scale_factor = recompute_scale_factor

    def forward(self, input):
        return interpolate(
            input, self.size, self.scale_factor, self.mode, self.align_corners,
            self.recompute_scale_factor,
        )

    def extra_repr(self):
        if self.scale_factor is not None:
            return f"scale_factor={self.scale_factor!r}, mode={self.mode!r}"
        return f"size={self.size!r}, mode={self.mode!r}"


class UpsamplingNearest2d(Upsample):
    """Images in another size, by the nearest elements.

    >>> nn.UpsamplingNearest2d(scale_factor=2)(torch.ones(1, 1, 2, 2)).shape
    """

    def __init__(self, size=None, scale_factor=None):
        super().__init__(size, scale_factor, mode="nearest")


class UpsamplingBilinear2d(Upsample):
    """Images in another size, between the elements, corner on corner.

    >>> nn.UpsamplingBilinear2d(scale_factor=2)(torch.ones(1, 1, 2, 2)).shape
    """

    def __init__(self, size=None, scale_factor=None):
        super().__init__(size, scale_factor, mode="bilinear", align_corners=True)
