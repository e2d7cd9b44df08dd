"""Images sampled at places of a grid: `affine_grid` and `grid_sample`.

A sample is made along each dimension of a few neighbours with a weight each; the products of those
weights are on the tape, and so are the gradients of the grid.
"""

from itertools import product

import _glowgrad as _C
from glowgrad.nn._functional import _warn

GRID_SAMPLE_INTERPOLATION_MODES = {"bilinear": 0, "nearest": 1, "bicubic": 2}
GRID_SAMPLE_PADDING_MODES = {"zeros": 0, "border": 1, "reflection": 2}


def _corners(align_corners):
    """Whether −1 and 1 are the middles of the outermost elements, rather than their far sides."""
    if align_corners is None:
        _warn("Default grid_sample and affine_grid behavior has changed to align_corners=False "
              "since 1.3.0. Please specify align_corners=True if the old behavior is desired. See "
              "the documentation of grid_sample for details.")
    return bool(align_corners)


def affine_grid(theta, size, align_corners=None):
    """The places from which `grid_sample` makes an image turned, moved and stretched by a matrix.

    >>> F.affine_grid(torch.eye(2, 3)[None], (1, 1, 2, 2), align_corners=False)
    """
    align_corners, size = _corners(align_corners), tuple(size)
    if not theta.is_floating_point():
        raise ValueError(f"Expected theta to have floating point type, but got {theta.dtype}")
    n = len(size) - 2
    if n not in (2, 3):
        raise NotImplementedError(
            "affine_grid only supports 4D and 5D sizes, for 2D and 3D affine transforms, "
            f"respectively. Got size {size}."
        )
    if theta.dim() != 3 or tuple(theta.shape[1:]) != (n, n + 1):
        raise ValueError(
            f"Expected a batch of {n}D affine matrices of shape Nx{n}x{n + 1} for size {size}. Got "
            f"{theta.shape}."
        )
    if align_corners and min(size[2:]) == 1:
        _warn("Since version 1.3.0, affine_grid behavior has changed for unit-size grids when "
              "align_corners=True. This is not an intended use case of affine_grid. See the "
              "documentation of affine_grid for details.")
    elif min(size) <= 0:
        raise ValueError(f"Expected non-zero, positive output size. Got {size}")
    with theta.device:
        axes = []
        for d, steps in enumerate(size[2:]):
            axis = _C.linspace(-1.0, 1.0, steps, theta.dtype, False)
            if steps == 1:
                axis = axis * 0
            elif not align_corners:
                axis = axis * (steps - 1) / steps
            shape = [1] * n
            shape[d] = steps
            axes.append(axis.reshape(shape).expand(size[2:]))
        ones = _C.full(size[2:], 1.0, theta.dtype, False, "ones")
        base = _C.stack([*reversed(axes), ones], -1).reshape(1, -1, n + 1)
    places = base.expand(size[0], *base.shape[1:]).bmm(theta.transpose(1, 2))
    return places.reshape(size[0], *size[2:], n)


def _reflected(x, low, high):
    """A place between two mirrors."""
    if low == high:
        return x * 0
    span = high - low
    x = (x - low).abs()
    turns = (x / span).detach().floor()
    rest = x - turns * span
    return _C.where(turns % 2 == 0, rest + low, span - rest + low)


def _inside(x, size, padding_mode, align_corners):
    """Places moved inside, as the padding says."""
    if padding_mode == "zeros":
        return x
    if padding_mode == "reflection":
        low, high = (0, size - 1) if align_corners else (-0.5, size - 0.5)
        x = _reflected(x, low, high)
    # On the edge itself nothing flows back, as beyond it.
    free = (x.detach() > 0) & (x.detach() < size - 1)
    return _C.where(free, x, x.detach().clamp(0, size - 1))


def _neighbours(x, size, mode, padding_mode, align_corners):
    """Pairs of index and weight along one dimension."""
    if mode == "nearest":
        x = _inside(x, size, padding_mode, align_corners)
        # A weight of 1, through which zeros flow back.
        place = x.detach().round()
        return [(place, _C.where(place == place, place * 0 + 1, x))]
    if mode == "bilinear":
        x = _inside(x, size, padding_mode, align_corners)
        first = x.detach().floor()
        return [(first, (first + 1) - x), (first + 1, x - first)]
    first = x.detach().floor()
    t, a = x - first, -0.75
    near = [(((a + 2) * u - (a + 3)) * u * u + 1) for u in (t, 1 - t)]
    far = [(((a * u - 5 * a) * u + 8 * a) * u - 4 * a) for u in (t + 1, 2 - t)]
    weights = (far[0], near[0], near[1], far[1])
    return [
        (_inside(first + i, size, padding_mode, align_corners), weight)
        for i, weight in zip((-1, 0, 1, 2), weights)
    ]


def _checked(input, grid, mode, padding_mode):
    if mode not in GRID_SAMPLE_INTERPOLATION_MODES:
        raise ValueError(
            "nn.functional.grid_sample(): expected mode to be 'bilinear', 'nearest' or 'bicubic', "
            f"but got: '{mode}'"
        )
    if padding_mode not in GRID_SAMPLE_PADDING_MODES:
        raise ValueError(
            "nn.functional.grid_sample(): expected padding_mode to be 'zeros', 'border', or "
            f"'reflection', but got: '{padding_mode}'"
        )
    n, sizes = input.dim() - 2, f"{list(input.shape)} and grid with sizes {list(grid.shape)}"
    if n not in (2, 3) or grid.dim() != input.dim():
        raise RuntimeError(
            "grid_sampler(): expected 4D or 5D input and grid with same number of dimensions, but "
            f"got input with sizes {sizes}"
        )
    if input.shape[0] != grid.shape[0]:
        raise RuntimeError(
            "grid_sampler(): expected grid and input to have same batch size, but got input with "
            f"sizes {sizes}"
        )
    if grid.shape[-1] != n:
        raise RuntimeError(
            f"grid_sampler(): expected grid to have size {n} in last dimension, but got grid with "
            f"sizes {list(grid.shape)}"
        )
    if 0 in input.shape[2:]:
        raise RuntimeError(
            "grid_sampler(): expected input to have non-empty spatial dimensions, but input has "
            f"sizes {list(input.shape)}"
        )
    if input.dtype is not grid.dtype:
        raise RuntimeError(
            "grid_sampler(): expected input and grid to have same dtype, but input has "
            f"{input.dtype} and grid has {grid.dtype}"
        )


def grid_sample(input, grid, mode="bilinear", padding_mode="zeros", align_corners=None):
    """An image's elements at the places of a grid, −1 … 1 from one side to the other.

    >>> image = torch.arange(4.0).view(1, 1, 2, 2)
    >>> F.grid_sample(image, torch.zeros(1, 1, 1, 2), align_corners=True)
    """
    _checked(input, grid, mode, padding_mode)
    align_corners = _corners(align_corners)
    n, (batch, channels, *space) = input.dim() - 2, input.shape
    along = []
    for d, size in enumerate(space):
        # The last number of a place is that of the first dimension.
        x = grid[..., n - 1 - d].reshape(batch, 1, -1)
        x = (x + 1) / 2 * (size - 1) if align_corners else ((x + 1) * size - 1) / 2
        along.append(_neighbours(x, size, mode, padding_mode, align_corners))
    flat, total = input.reshape(batch, channels, -1), None
    for chosen in product(*along):
        places, weight, kept = 0, 1, None
        for (place, factor), size in zip(chosen, space):
            if padding_mode == "zeros":
                within = (place >= 0) & (place <= size - 1)
                kept = within if kept is None else kept & within
            # What lies outside by now has no weight.
            places = places * size + place.clamp(0, size - 1).to(_C.int64)
            weight = factor * weight
        value = flat.gather(2, places.expand(batch, channels, places.shape[2]))
        if kept is not None:
            value = value.masked_fill(~kept, 0.0)
        value = value * weight
        total = value if total is None else total + value
    return total.reshape(batch, channels, *grid.shape[1:-1])
