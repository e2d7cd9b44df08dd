"""Round numbers for ticks and levels, and the lines of a surface at levels."""

import math

import numpy as np

_STEPS = (1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10)
_TICKS = (1, 2, 2.5, 5, 10)


def round_numbers(low, high, n, steps=_STEPS, least=1):
    """Round numbers from below `low` to above `high`, at most about n."""
    if not high > low:
        low, high = (low - 0.05 * abs(low), high + 0.05 * abs(high)) if low else (-0.05, 0.05)
    scale = 10.0 ** math.floor(math.log10((high - low) / n))
    offset = 0.0
    middle = (low + high) / 2
    if abs(middle) / (high - low) >= 100:
        offset = math.copysign(10.0 ** math.floor(math.log10(abs(middle))), middle)
    low, high = low - offset, high - offset
    wide = [s * scale for s in [0.1 * s for s in steps[:-1]] + list(steps) + [10 * steps[1]]]
    raw = (high - low) / n
    first = next(i for i, step in enumerate(wide) if step >= raw)
    ticks = []
    for step in reversed(wide[:first + 1]):
        base = (low // step) * step
        start, stop = _edge(low - base, step, False), _edge(high - base, step, True)
        ticks = [i * step + base for i in range(start, stop + 1)]
        if sum([low <= t <= high for t in ticks]) >= least:
            break
    return np.array(ticks) + offset


def _edge(x, step, above):
    d, m = divmod(x, step)
    near = 1e-10
    if above:
        return int(d) if abs(m / step) < near else int(d) + 1
    return int(d) + 1 if abs(m / step - 1) < near else int(d)


def ticks(low, high):
    """Where an axis has ticks."""
    return round_numbers(low, high, 9, _TICKS, 2)


def levels_of(Z, levels):
    """The levels of a contour plot."""
    if levels is not None and np.ndim(levels):
        found = np.asarray(levels, float)
        if len(found) > 1 and (np.diff(found) <= 0).any():
            raise ValueError("Contour levels must be increasing")
        return found
    finite = Z[np.isfinite(Z)]
    low, high = float(finite.min()), float(finite.max())
    found = round_numbers(low, high, (7 if levels is None else int(levels)) + 1)
    below, above = np.nonzero(found < low)[0], np.nonzero(found > high)[0]
    start = int(below[-1]) if len(below) else 0
    stop = int(above[0]) + 1 if len(above) else len(found)
    return found[start:stop]


def surface(args):
    """x, y and Z of a call of `contour`: axes as vectors."""
    if len(args) == 1:
        Z = np.asarray(args[0], float)
        if Z.ndim != 2:
            raise TypeError(f"Input z must be 2D, not {Z.ndim}D")
        return np.arange(float(Z.shape[1])), np.arange(float(Z.shape[0])), Z
    x, y, Z = [np.asarray(arg, float) for arg in args[:3]]
    if Z.ndim != 2:
        raise TypeError(f"Input z must be 2D, not {Z.ndim}D")
    x = x[0] if x.ndim == 2 else x
    y = y[:, 0] if y.ndim == 2 else y
    if len(x) != Z.shape[1]:
        raise TypeError(f"Length of x ({len(x)}) must match number of columns in z ({Z.shape[1]})")
    if len(y) != Z.shape[0]:
        raise TypeError(f"Length of y ({len(y)}) must match number of rows in z ({Z.shape[0]})")
    return x, y, Z


def lines_at(x, y, Z, level):
    """The lines of a surface at a level, as single pieces: x0, y0, x1, y1."""
    above = Z > level
    corners = above.astype(int)
    inside = corners[:-1, :-1] + corners[:-1, 1:] + corners[1:, :-1] + corners[1:, 1:]
    rows, columns = np.nonzero((inside > 0) & (inside < 4))
    pieces = [[], [], [], []]
    xs, ys, zs = x.tolist(), y.tolist(), Z.tolist()
    for r, c in zip(rows.tolist(), columns.tolist()):
        ring = ((r, c), (r, c + 1), (r + 1, c + 1), (r + 1, c))
        ends = []
        for (r0, c0), (r1, c1) in zip(ring, ring[1:] + ring[:1]):
            a, b = zs[r0][c0], zs[r1][c1]
            if (a > level) != (b > level):
                part = (level - a) / (b - a)
                ends.append((xs[c0] + (xs[c1] - xs[c0]) * part, ys[r0] + (ys[r1] - ys[r0]) * part))
        for (x0, y0), (x1, y1) in zip(ends[::2], ends[1::2]):
            for piece, value in zip(pieces, (x0, y0, x1, y1)):
                piece.append(value)
    return pieces


def raster(x, y, Z, side):
    """The surface at the middles of even cells between its ends, up to `side` of them each way."""
    n = min(side, max(Z.shape[1], side // 2))
    m = min(side, max(Z.shape[0], side // 2))
    columns, a = _between(x, n)
    rows, b = _between(y, m)
    top = Z[rows][:, columns] * (1 - a) + Z[rows][:, columns + 1] * a
    low = Z[rows + 1][:, columns] * (1 - a) + Z[rows + 1][:, columns + 1] * a
    return top * (1 - b[:, None]) + low * b[:, None]


def _between(x, n):
    """For the middles of n cells: the place before each, and how far it is to the next."""
    edges = np.linspace(x[0], x[-1], n + 1)
    at = (edges[1:] + edges[:-1]) / 2
    if x[-1] < x[0]:
        place = len(x) - 2 - np.clip(np.searchsorted(x[::-1], at) - 1, 0, len(x) - 2)
    else:
        place = np.clip(np.searchsorted(x, at, "right") - 1, 0, len(x) - 2)
    return place, (at - x[place]) / (x[place + 1] - x[place])
