"""What stands in axes: lines, points, bars, areas, images, texts. Each knows its marks and its
bounds.

A mark is a plain dict, as the host draws it; `_host` says what is in it.
"""

import numpy as np
from matplotlib import rcParams
from matplotlib.colors import get_cmap, to_hex, to_rgba

# Of a longer line or cloud, so many points are handed over; of a larger image, so many rows and
# columns.
MOST_POINTS = 4000
MOST_SIDE = 256
_DASHES = {
    "-": "solid", "--": "dashed", "-.": "dashdot", ":": "dotted", "": None, " ": None, "None": None,
    "none": None, "solid": "solid", "dashed": "dashed", "dashdot": "dashdot", "dotted": "dotted",
}
_MARKERS = ".,ov^<>1234sp*hH+xXDd|_8P"
_SHORT = {
    "c": "color", "ls": "linestyle", "lw": "linewidth", "ms": "markersize",
    "mfc": "markerfacecolor",
    "mec": "markeredgecolor", "mew": "markeredgewidth", "fc": "facecolor", "ec": "edgecolor",
    "facecolors": "facecolor", "edgecolors": "edgecolor", "linewidths": "linewidth",
    "colors": "color",
    "linestyles": "linestyle", "aa": "antialiased", "size": "fontsize", "weight": "fontweight",
    "ha": "horizontalalignment", "va": "verticalalignment", "family": "fontfamily",
}
# What changes nothing here, or nothing that is drawn.
_QUIET = set(
    (
        "antialiased clip_on clip_box clip_path dash_capstyle dash_joinstyle dashes fillstyle "
        "gid in_layout markevery mouseover path_effects picker pickradius rasterized "
        "sketch_params snap solid_capstyle solid_joinstyle transform url visible urls offsets "
        "capstyle joinstyle scalex scaley"
    ).split()
)
_TEXT = set(
    (
        "fontsize fontweight fontfamily fontname fontstyle fontproperties horizontalalignment "
        "linespacing verticalalignment rotation rotation_mode color wrap bbox multialignment "
        "alpha zorder label backgroundcolor pad y x loc labelpad position math_fontfamily "
        "style name stretch variant"
    ).split()
)


def options(kind, given, known):
    """Keyword arguments by their long names; one that a class has not is an error, in
    Matplotlib's words."""
    found = {}
    for name, value in given.items():
        long = _SHORT.get(name, name)
        if long not in known and long not in _QUIET and long not in ("alpha", "label", "zorder"):
            raise AttributeError(f"{kind}.set() got an unexpected keyword argument {name!r}")
        found[long] = value
    return found


def text_options(given):
    """The keyword arguments of a text."""
    return options("Text", given, _TEXT)


def colour(c, alpha=None):
    """A colour as the host takes it; None for none at all."""
    if c is None or isinstance(c, str) and c.lower() == "none":
        return None
    parts = to_rgba(c, alpha)
    return to_hex(parts, keep_alpha=parts[3] < 1)


def numbers(values):
    """Numbers as the host takes them: few digits, None for what is not finite."""
    return [
        float("%.6g" % v) if abs(v) < 1e300 else None
        for v in np.asarray(values, float).ravel().tolist()
    ]


class Artist:
    """Something drawn."""

    zorder = 2
    _kind = "Artist"
    _known = ()

    def __init__(self, axes, given, **defaults):
        self.axes = axes
        self._set = dict(defaults)
        self._set.update(options(self._kind, given, self._known))
        for name in ("color", "facecolor", "edgecolor"):
            if isinstance(self._set.get(name), str) and self._set[name] != "face":
                to_rgba(self._set[name])
        self._label = str(self._set.pop("label", None) or "")
        self._visible = self._set.pop("visible", True)

    def __repr__(self):
        return f"{type(self).__name__}({self._label})"

    def __getattr__(self, name):
        """`get_NAME` and `set_NAME` of what was set."""
        known = object.__getattribute__(self, "_known")
        long = _SHORT.get(name[4:], name[4:])
        if name.startswith("get_") and (long in known or long in ("alpha", "zorder")):
            return lambda: self._set.get(long)
        if name.startswith("set_") and (
            long in known or long in _QUIET or long in ("alpha", "zorder")
        ):
            return lambda value, *rest: self._set.__setitem__(long, value)
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def set(self, **given):
        """Sets several properties at once."""
        for name, value in given.items():
            getattr(self, f"set_{name}")(value)

    def set_label(self, label):
        """What the legend says of it."""
        self._label = str(label)

    def get_label(self):
        """What the legend says of it."""
        return self._label

    def set_visible(self, visible):
        """Whether it is drawn."""
        self._visible = visible

    def get_visible(self):
        """Whether it is drawn."""
        return self._visible

    def remove(self):
        """Takes it out of its axes."""
        self.axes._artists.remove(self)

    def limits(self):
        """Left, right, bottom and top of its data; None where it has none."""
        return None

    def sticky(self):
        """Bounds that get no margin, along x and along y."""
        return (), ()

    def marks(self):
        """Its marks."""
        return []

    def _mark(self, kind, **more):
        label = self._label if self._label[:1] != "_" else ""
        mark = {"kind": kind, "label": label, "z": self._set.get("zorder", self.zorder)}
        mark.update(more)
        return mark


def _bounds(x, y):
    x, y = np.asarray(x, float).ravel(), np.asarray(y, float).ravel()
    if not x.size or not y.size:
        return None
    if x.shape == y.shape:
        there = np.isfinite(x) & np.isfinite(y)
        x, y = x[there], y[there]
    else:
        x, y = x[np.isfinite(x)], y[np.isfinite(y)]
    return (
        x.min() if x.size else None, x.max() if x.size else None,
        y.min() if y.size else None, y.max() if y.size else None,
    )


class Line2D(Artist):
    """A line through points."""

    _kind = "Line2D"
    _known = (
        "color", "linestyle", "linewidth", "marker", "markersize", "markerfacecolor",
        "markeredgecolor",
        "markeredgewidth", "drawstyle", "gapcolor", "markerfacecoloralt",
    )

    def __init__(self, axes, x, y, given, **defaults):
        super().__init__(axes, given, **defaults)
        self._x, self._y = np.asarray(x, float), np.asarray(y, float)
        self._set["linewidth"] = float(self._set.get("linewidth") or rcParams["lines.linewidth"])
        self._set["markersize"] = float(self._set.get("markersize") or rcParams["lines.markersize"])

    def get_xdata(self, orig=True):
        """The x of its points."""
        return self._x

    def get_ydata(self, orig=True):
        """The y of its points."""
        return self._y

    def get_data(self, orig=True):
        """The x and y of its points."""
        return self._x, self._y

    def set_data(self, x, y=None):
        """Gives it other points."""
        x, y = x if y is None else (x, y)
        self._x, self._y = np.asarray(x, float), np.asarray(y, float)

    def set_xdata(self, x):
        """Gives its points other x."""
        self._x = np.asarray(x, float)

    def set_ydata(self, y):
        """Gives its points other y."""
        self._y = np.asarray(y, float)

    def limits(self):
        return _bounds(self._x, self._y)

    def marks(self):
        s = self._set
        x, y = _stepped(self._x, self._y, s.get("drawstyle"))
        x, y = thinned(x, y)
        line = s.get("color")
        marker = s.get("marker")
        marker = None if marker in (None, "None", "none", "", " ") else str(marker)
        return [self._mark(
            "line", x=numbers(x), y=numbers(y), color=colour(line, s.get("alpha")),
            width=s["linewidth"], dash=_DASHES.get(s.get("linestyle", "-"), "dashed"),
            marker=marker, size=s["markersize"],
            face=colour(s.get("markerfacecolor", line), s.get("alpha")),
            edge=colour(s.get("markeredgecolor", line), s.get("alpha")),
        )]


def _stepped(x, y, style):
    """The corners of a staircase."""
    if style in (None, "default") or len(x) < 2:
        return x, y
    if style == "steps-mid":
        middle = (x[1:] + x[:-1]) / 2
        return np.concatenate([x[:1], np.repeat(middle, 2), x[-1:]]), np.repeat(y, 2)
    xs, ys = np.repeat(x, 2), np.repeat(y, 2)
    return (xs[1:], ys[:-1]) if style == "steps-post" else (xs[:-1], ys[1:])


def thinned(x, y):
    """A long line by the least and the greatest of every few points."""
    n = len(x)
    if n <= MOST_POINTS:
        return x, y
    each = -(-2 * n // MOST_POINTS)
    full = n - n % each
    rows = np.nan_to_num(y[:full].reshape(-1, each))
    low, high = rows.argmin(1), rows.argmax(1)
    start = np.arange(0, full, each)
    keep = np.stack([start + np.minimum(low, high), start + np.maximum(low, high)], 1).ravel()
    keep = np.unique(np.concatenate([[0], keep, np.arange(full, n), [n - 1]]))
    return x[keep], y[keep]


class Mapped(Artist):
    """An artist whose colours stand for numbers."""

    def _map(self, array, cmap, norm, vmin, vmax):
        from matplotlib.colors import LogNorm, Normalize

        self.cmap = get_cmap(cmap)
        if isinstance(norm, str):
            norm = LogNorm() if norm == "log" else Normalize()
        self.norm = norm if norm is not None else Normalize()
        self.norm.vmin = self.norm.vmin if vmin is None else float(vmin)
        self.norm.vmax = self.norm.vmax if vmax is None else float(vmax)
        self._array = array
        if array is not None:
            self.norm.autoscale_None(array)

    def set_clim(self, vmin=None, vmax=None):
        """The numbers at the ends of the colours."""
        vmin, vmax = vmin if isinstance(vmin, (tuple, list)) else (vmin, vmax)
        self.norm.vmin = self.norm.vmin if vmin is None else float(vmin)
        self.norm.vmax = self.norm.vmax if vmax is None else float(vmax)

    def get_clim(self):
        """The numbers at the ends of the colours."""
        return self.norm.vmin, self.norm.vmax

    def set_cmap(self, cmap):
        """The colours."""
        self.cmap = get_cmap(cmap)

    def get_cmap(self):
        """The colours."""
        return self.cmap

    def get_array(self):
        """The numbers."""
        return self._array

    def set_array(self, A):
        """Gives it other numbers."""
        self._array = np.asarray(A)

    def scale(self):
        """The colours and their ends, for an image and for a colour bar."""
        from matplotlib.colors import LogNorm

        low, high = self.norm.vmin, self.norm.vmax
        return {
            "colors": self.cmap.hexes(), "low": 0.0 if low is None else float(low),
            "high": 1.0 if high is None else float(high),
            "scale": "log" if isinstance(self.norm, LogNorm) else "linear",
            "listed": not self.cmap._even,
        }


class PathCollection(Mapped):
    """A cloud of points: what `scatter` gives."""

    zorder = 1
    _kind = "PathCollection"
    _known = ("facecolor", "edgecolor", "linewidth", "color", "linestyle", "hatch", "plotnonfinite")

    def __init__(self, axes, x, y, sizes, c, marker, cmap, norm, vmin, vmax, given):
        super().__init__(axes, given)
        self._x, self._y = np.asarray(x, float).ravel(), np.asarray(y, float).ravel()
        self._sizes = np.asarray(20.0 * 1.8 if sizes is None else sizes, float).ravel()
        self._marker, self._colours = marker, None
        array = None
        if c is not None and not isinstance(c, str):
            values = (
                None
                if isinstance(c, (list, tuple)) and len(c) and isinstance(c[0], str)
                else np.asarray(c)
            )
            if (
                values is not None
                and values.ndim == 1
                and len(values) == len(self._x)
                and len(values)
            ):
                array = values.astype(float)
            elif values is not None and values.ndim == 1:
                self._colours = [to_rgba(tuple(values.tolist()))]
            else:
                self._colours = [
                    to_rgba(each) for each in (c if values is None else values.tolist())
                ]
        elif c is not None:
            self._colours = [to_rgba(c)]
        self._map(array, cmap, norm, vmin, vmax)

    def get_offsets(self):
        """The points, one row each."""
        return np.stack([self._x, self._y], 1)

    def set_offsets(self, offsets):
        """Gives it other points."""
        offsets = np.asarray(offsets, float).reshape(-1, 2)
        self._x, self._y = offsets[:, 0], offsets[:, 1]

    def set_sizes(self, sizes):
        """The areas of its points."""
        self._sizes = np.asarray(sizes, float).ravel()

    def get_sizes(self):
        """The areas of its points."""
        return self._sizes

    def legend_elements(self, prop="colors", num="auto", **given):
        """Handles and labels for a legend: one for each number."""
        values = np.unique(self._array)
        handles = []
        for value in values:
            handles.append(
                Line2D(
                    self.axes,
                    [],
                    [],
                    {"color": self.cmap(self.norm(value)), "marker": "o", "ls": ""},
                )
            )
        return handles, ["%g" % value for value in values]

    def limits(self):
        return _bounds(self._x, self._y)

    def marks(self):
        s, n = self._set, len(self._x)
        alpha = s.get("alpha")
        keep = slice(None, None, -(-n // MOST_POINTS) if n > MOST_POINTS else 1)
        if self._array is not None:
            table = self.cmap(self.norm(self._array[keep]))
            colours = [colour(tuple(row), alpha) for row in table.tolist()]
        elif self._colours is not None:
            colours = [colour(each, alpha) for each in self._colours]
            colours = colours[keep] if len(colours) == n else colours[:1]
        else:
            colours = [colour(s.get("facecolor", s.get("color")), alpha)]
        sizes = self._sizes[keep] if len(self._sizes) == n else self._sizes[:1]
        edge = s.get("edgecolor")
        edge = (
            None
            if edge in ("face", "none", None) or not isinstance(edge, (str, tuple))
            else colour(edge)
        )
        return [self._mark(
            "points", x=numbers(self._x[keep]), y=numbers(self._y[keep]),
            size=numbers(np.sqrt(sizes)),
            color=colours, marker=str(self._marker or "o"), edge=edge,
        )]
