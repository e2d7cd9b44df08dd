"""Axes: what is drawn in one frame, its titles, limits, ticks and legend."""

import math

import numpy as np
from matplotlib import rcParams
from matplotlib._artists import text_options
from matplotlib._frame import Legend, _Axis, _Spine, _Spines
from matplotlib._plots import Plots
from matplotlib._shapes import Text

_PLACES = (
    "best", "upper right", "upper left", "lower left", "lower right", "right", "center left",
    "center right", "lower center", "upper center", "center",
)


class Axes(Plots):
    """A frame with what is drawn in it. >>> plt.subplots()[1].plot([1, 2, 3])"""

    transAxes, transData = "axes", "data"

    def __init__(self, figure, row, column, rows=1, columns=1):
        self.figure, self._cell = figure, (row, column, rows, columns)
        self._sharing, self._over = {"x": [self], "y": [self]}, None
        self.xaxis, self.yaxis = _Axis(self, "x"), _Axis(self, "y")
        self._limits = {"x": None, "y": None}
        self.cla()

    def __repr__(self):
        title = f"title={{'center': {self._title!r}}}" if self._title else ""
        return f"<Axes: {title}>"

    def cla(self):
        """Takes everything out."""
        self._artists, self._n_colours, self._names = [], [0, 0], ({}, {})
        self._title = self._xlabel = self._ylabel = ""
        self._scale, self._inverted = {"x": "linear", "y": "linear"}, {"x": False, "y": False}
        for axis in "xy":
            for each in self._sharing[axis]:
                each._limits[axis] = None
        self._ticks = {"x": None, "y": None}
        self._grid = {"x": bool(rcParams["axes.grid"]), "y": bool(rcParams["axes.grid"])}
        self._equal, self._frame, self._legend, self._mapped = False, True, None, None
        self._colorbar, self._tight, self._margin = None, [], {"x": 0.05, "y": 0.05}
        self._background = None
        sides = ("left", "right", "top", "bottom")
        self.spines = _Spines({side: _Spine() for side in sides})

    clear = cla

    # Titles

    def set_title(self, label, fontdict=None, loc=None, pad=None, *, y=None, **kwargs):
        """The title above. >>> plt.gca().set_title("loss")"""
        text_options({**(fontdict or {}), **kwargs})
        self._title = str(label)
        return Text(self, 0.5, 1.0, label, {})

    def set_xlabel(self, xlabel, fontdict=None, labelpad=None, *, loc=None, **kwargs):
        """What stands below. >>> plt.gca().set_xlabel("step")"""
        text_options({**(fontdict or {}), **kwargs})
        self._xlabel = str(xlabel)
        return Text(self, 0.5, 0, xlabel, {})

    def set_ylabel(self, ylabel, fontdict=None, labelpad=None, *, loc=None, **kwargs):
        """What stands at the side. >>> plt.gca().set_ylabel("loss")"""
        text_options({**(fontdict or {}), **kwargs})
        self._ylabel = str(ylabel)
        return Text(self, 0, 0.5, ylabel, {})

    def get_title(self, loc="center"):
        """The title above."""
        return self._title

    def get_xlabel(self):
        """What stands below."""
        return self._xlabel

    def get_ylabel(self):
        """What stands at the side."""
        return self._ylabel

    def set(self, **kwargs):
        """Sets several properties: `ax.set(title="loss", xlim=(0, 10))`.
        >>> plt.gca().set(title="loss")"""
        for name, value in kwargs.items():
            getattr(self, f"set_{name}")(value)

    # Limits and scales

    def _data_limits(self, axis):
        """The bounds of the data, with a margin."""
        at = 0 if axis == "x" else 2
        low, high, sticky = [], [], []
        for artist in self._artists:
            bounds = artist.limits() if artist.get_visible() else None
            if bounds is not None and bounds[at] is not None:
                low.append(float(bounds[at]))
                high.append(float(bounds[at + 1]))
            sticky += artist.sticky()[at // 2]
        for bounds in self._tight:
            low.append(bounds[at])
            high.append(bounds[at + 1])
            sticky += [bounds[at], bounds[at + 1]]
        log = self._scale[axis] == "log"
        if log:
            positive = [v for v in low + high if v > 0] + self._positive(axis)
            low, high = ([min(positive)], [max(positive)]) if positive else ([], [])
            sticky = []
        return (min(low), max(high), sticky) if low else None

    def _positive(self, axis):
        found = []
        for artist in self._artists:
            values = getattr(artist, f"_{axis}", None)
            if values is not None and hasattr(values, "size"):
                values = values[values > 0]
                found += [float(values.min())] if values.size else []
        return found

    def _bounds(self, axis):
        """The limits of an axis."""
        given = next(
            (each._limits[axis] for each in self._sharing[axis] if each._limits[axis]), None
        )
        if given and None not in given:
            return given
        found = [each._data_limits(axis) for each in self._sharing[axis]]
        found = [each for each in found if each is not None]
        if not found:
            # Nothing is there, or nothing that can be seen.
            seen = [a for a in self._artists if type(a).__name__ not in ("Rule", "Text")]
            return (-0.055, 0.055) if seen and self._scale[axis] == "linear" else (0.0, 1.0)
        low, high = min(each[0] for each in found), max(each[1] for each in found)
        sticky = [value for each in found for value in each[2]]
        if self._scale[axis] == "log":
            low, high = math.log10(low), math.log10(high)
        if low == high:
            low, high = (low - 0.05 * abs(low), high + 0.05 * abs(high)) if low else (-0.05, 0.05)
        room = (high - low) * self._margin[axis]
        ends = [low if low in sticky else low - room, high if high in sticky else high + room]
        if self._scale[axis] == "log":
            ends = [10.0**end for end in ends]
        if given:
            ends = [end if own is None else own for end, own in zip(ends, given)]
        return tuple(ends)

    def _set_limits(self, axis, low, high, options):
        for name in options:
            if name not in (f"{axis}min", f"{axis}max", "emit", "auto"):
                raise TypeError(f"Axes.set_{axis}lim() got an unexpected keyword argument {name!r}")
        if high is None and isinstance(low, (tuple, list, np.ndarray)):
            low, high = low
        low = options.get(f"{axis}min", low)
        high = options.get(f"{axis}max", high)
        old = self._limits[axis] or (None, None)
        pair = [o if v is None else float(v) for o, v in zip(old, (low, high))]
        self._inverted[axis] = None not in pair and pair[0] > pair[1]
        pair = tuple(pair[::-1]) if self._inverted[axis] else tuple(pair)
        for each in self._sharing[axis]:
            each._limits[axis] = pair
        return getattr(self, f"get_{axis}lim")()

    def set_xlim(self, left=None, right=None, **kwargs):
        """From where to where x goes. >>> plt.gca().set_xlim(0, 10)"""
        return self._set_limits("x", left, right, kwargs)

    def set_ylim(self, bottom=None, top=None, **kwargs):
        """From where to where y goes. >>> plt.gca().set_ylim(0, 1)"""
        return self._set_limits("y", bottom, top, kwargs)

    def get_xlim(self):
        """From where to where x goes. >>> plt.gca().get_xlim()"""
        return self._ends("x")

    def get_ylim(self):
        """From where to where y goes. >>> plt.gca().get_ylim()"""
        return self._ends("y")

    def _ends(self, axis):
        low, high = [np.float64(end) for end in self._bounds(axis)]
        return (high, low) if self._inverted[axis] else (low, high)

    set_xbound, set_ybound, get_xbound, get_ybound = set_xlim, set_ylim, get_xlim, get_ylim

    def invert_yaxis(self):
        """Turns y round."""
        self._inverted["y"] = not self._inverted["y"]

    def invert_xaxis(self):
        """Turns x round."""
        self._inverted["x"] = not self._inverted["x"]

    def set_xscale(self, value, **kwargs):
        """`"linear"` or `"log"`. >>> plt.gca().set_xscale("log")"""
        self._set_scale("x", value)

    def set_yscale(self, value, **kwargs):
        """`"linear"` or `"log"`. >>> plt.gca().set_yscale("log")"""
        self._set_scale("y", value)

    def _set_scale(self, axis, value):
        if value not in ("linear", "log", "symlog", "logit"):
            raise ValueError(
                f"{value!r} is not a valid value for scale; supported values are 'linear', 'log', "
                f"'symlog'"
            )
        self._scale[axis] = "log" if value == "log" else "linear"

    def get_xscale(self):
        """`"linear"` or `"log"`."""
        return self._scale["x"]

    def get_yscale(self):
        """`"linear"` or `"log"`."""
        return self._scale["y"]

    def margins(self, *margins, x=None, y=None, tight=True):
        """The room around the data, as a share. >>> plt.gca().margins(0.1)"""
        x, y = (margins * 2)[:2] if margins else (x, y)
        self._margin["x"] = self._margin["x"] if x is None else x
        self._margin["y"] = self._margin["y"] if y is None else y

    def autoscale(self, enable=True, axis="both", tight=None):
        """Takes the limits from the data again."""
        for name in "xy" if axis == "both" else axis:
            self._limits[name] = None
            self._margin[name] = 0.0 if tight else 0.05

    def relim(self, visible_only=False):
        """The data is looked at anew each time in any case."""

    autoscale_view = relim

    def axis(self, arg=None, /, **kwargs):
        """Limits, `"off"`, `"equal"` or `"tight"`. >>> plt.gca().axis("off")"""
        if isinstance(arg, (list, tuple, np.ndarray)):
            self.set_xlim(arg[0], arg[1])
            self.set_ylim(arg[2], arg[3])
        elif arg in ("off", False):
            self._frame = False
        elif arg in ("on", True):
            self._frame = True
        elif arg in ("equal", "scaled", "image", "square"):
            self._equal = True
        elif arg == "tight":
            self.margins(0)
        elif arg not in (None, "auto"):
            raise ValueError(f"Unrecognized string {arg!r} to axis; try 'on' or 'off'")
        for name, value in kwargs.items():
            (self.set_xlim if name[0] == "x" else self.set_ylim)(**{name: value})
        return (*self.get_xlim(), *self.get_ylim())

    def set_aspect(self, aspect, adjustable=None, anchor=None, share=False):
        """`"equal"`: x and y have the same unit. >>> plt.gca().set_aspect("equal")"""
        self._equal = aspect in ("equal", 1, 1.0)

    def set_axis_off(self):
        """Takes the frame away."""
        self._frame = False

    def set_axis_on(self):
        """Draws the frame."""
        self._frame = True

    def set_facecolor(self, color):
        """The colour behind."""
        from matplotlib._artists import colour

        self._background = colour(color)

    # Ticks

    def _set_ticks(self, axis, ticks, labels, options):
        options.pop("minor", None)
        text_options(options)
        ticks = [float(t) for t in np.asarray(ticks, float).ravel().tolist()]
        if labels is not None:
            labels = [getattr(label, "_text", str(label)) for label in labels]
            if len(labels) != len(ticks):
                raise ValueError(
                    f"The number of FixedLocator locations ({len(ticks)}), usually from a call to "
                    f"set_ticks, does not match the number of labels ({len(labels)})."
                )
        self._ticks[axis] = [ticks, labels]

    def set_xticks(self, ticks, labels=None, **kwargs):
        """Where x has ticks, and what stands there.
        >>> plt.gca().set_xticks([0, 1], ["no", "yes"])"""
        self._set_ticks("x", ticks, labels, kwargs)

    def set_yticks(self, ticks, labels=None, **kwargs):
        """Where y has ticks, and what stands there. >>> plt.gca().set_yticks([0, 1])"""
        self._set_ticks("y", ticks, labels, kwargs)

    def set_xticklabels(self, labels, **kwargs):
        """What stands at the ticks of x. >>> plt.gca().set_xticklabels([])"""
        self._set_labels("x", labels, kwargs)

    def set_yticklabels(self, labels, **kwargs):
        """What stands at the ticks of y. >>> plt.gca().set_yticklabels([])"""
        self._set_labels("y", labels, kwargs)

    def _set_labels(self, axis, labels, options):
        labels = list(labels)
        ticks = self._ticks[axis][0] if self._ticks[axis] else self._places(axis)
        if not labels:
            labels = [""] * len(ticks)
        self._set_ticks(axis, ticks[:len(labels)], labels[:len(ticks)], options)

    def _places(self, axis):
        """Where ticks are."""
        if self._ticks[axis] is not None:
            return self._ticks[axis][0]
        names = self._names[axis == "y"]
        if names:
            return list(range(len(names)))
        from matplotlib._contours import ticks

        return ticks(*self._bounds(axis)).tolist()

    def get_xticks(self, *, minor=False):
        """Where x has ticks."""
        return np.array(self._places("x"), float)

    def get_yticks(self, *, minor=False):
        """Where y has ticks."""
        return np.array(self._places("y"), float)

    def get_xticklabels(self, minor=False, which=None):
        """What stands at the ticks of x."""
        return self._labels("x")

    def get_yticklabels(self, minor=False, which=None):
        """What stands at the ticks of y."""
        return self._labels("y")

    def _labels(self, axis):
        kept, names = self._ticks[axis], self._names[axis == "y"]
        words = (
            kept[1]
            if kept and kept[1]
            else list(names) if names else ["%g" % t for t in self._places(axis)]
        )
        return [Text(self, 0, 0, word, {}) for word in words]

    def tick_params(self, axis="both", **kwargs):
        """`labelbottom=False` and its like take ticks away; the rest changes nothing here."""
        for name, ends in (("x", ("bottom", "top")), ("y", ("left", "right"))):
            gone = [kwargs.get(f"label{end}", True) for end in ends[:1]] + [
                kwargs.get(end, True) for end in ends[:1]
            ]
            if axis in ("both", name) and False in gone:
                self._ticks[name] = [[], None]

    def minorticks_on(self):
        """Accepted; there are no minor ticks here."""

    minorticks_off = minorticks_on

    def label_outer(self, remove_inner_ticks=False):
        """Accepted; every frame keeps its numbers."""

    def ticklabel_format(self, **kwargs):
        """Accepted; numbers are written shortly."""

    def grid(self, visible=None, which="major", axis="both", **kwargs):
        """Lines through the ticks. >>> plt.gca().grid(True)"""
        for name in "xy" if axis == "both" else axis:
            self._grid[name] = (
                (not self._grid[name] or bool(kwargs)) if visible is None else bool(visible)
            )

    # Legend, colour bar, other axes

    def get_legend_handles_labels(self):
        """What has a name, and the names."""
        pairs = [
            (a, a.get_label()) for a in self._artists if a.get_label() and a.get_label()[0] != "_"
        ]
        return [handle for handle, _ in pairs], [label for _, label in pairs]

    def legend(self, *args, handles=None, labels=None, loc="best", title=None, ncol=1, ncols=1,
               bbox_to_anchor=None, **kwargs):
        """The box with the names of what is drawn. >>> plt.gca().legend(loc="upper left")"""
        known = (
            "fontsize prop frameon framealpha fancybox shadow markerscale numpoints scatterpoints "
            "borderpad handlelength handletextpad labelspacing columnspacing borderaxespad "
            "facecolor edgecolor mode title_fontsize labelcolor alignment draggable handler_map "
            "markerfirst reverse scatteryoffsets"
        ).split()
        for name in kwargs:
            if name not in known:
                raise TypeError(f"Legend.__init__() got an unexpected keyword argument {name!r}")
        own = self.get_legend_handles_labels()
        if len(args) == 2:
            handles, labels = args
        elif len(args) == 1:
            labels = args[0]
        if handles is None and labels is not None:
            handles = [artist for artist in self._artists if not isinstance(artist, Text)]
        handles, labels = (own if handles is None else (
            list(handles), [h.get_label() for h in handles] if labels is None else list(labels)
        ))
        if isinstance(loc, int):
            loc = _PLACES[loc]
        pairs = list(zip(handles, [str(label) for label in labels]))
        outside = bbox_to_anchor is not None and bbox_to_anchor[0] >= 1
        place = loc if isinstance(loc, str) else "best"
        self._legend = Legend(place, str(title or ""), pairs, max(ncol, ncols), outside)
        return self._legend

    def get_legend(self):
        """The box with the names, or None."""
        return self._legend

    def twinx(self):
        """Axes in the same frame with a y of their own. >>> plt.gca().twinx()"""
        return self._twin("x")

    def twiny(self):
        """Axes in the same frame with an x of their own. >>> plt.gca().twiny()"""
        return self._twin("y")

    def _twin(self, shared):
        other = Axes(self.figure, *self._cell)
        other._over = (self, shared)
        other._sharing[shared] = self._sharing[shared]
        self._sharing[shared].append(other)
        other._n_colours = list(self._n_colours)
        self.figure.axes.append(other)
        return other

    def get_figure(self, root=False):
        """The figure."""
        return self.figure

    def get_lines(self):
        """The lines."""
        from matplotlib._artists import Line2D

        return [artist for artist in self._artists if type(artist) is Line2D]

    lines = property(get_lines, doc="The lines.")

    def get_images(self):
        """The images."""
        from matplotlib._shapes import AxesImage

        return [artist for artist in self._artists if type(artist) is AxesImage]

    images = property(get_images, doc="The images.")

    def has_data(self):
        """Whether anything is drawn."""
        return bool(self._artists)

    def get_position(self):
        """Where the frame is: row, column and how many of each."""
        return self._cell

    def set_position(self, *args, **kwargs):
        """Accepted; frames lie in a grid."""

    def remove(self):
        """Takes the axes out of their figure."""
        self.figure.axes.remove(self)

    delaxes = remove

    # For the host

    def chart(self, others):
        """Everything about these axes, as the host draws it; `_host` says what is in it."""
        row, column, rows, columns = self._cell
        marks = []
        for artist in sorted(self._artists, key=lambda a: a.zorder):
            if artist.get_visible():
                marks += artist.marks()
        over = None
        if self._over is not None and self._over[0] in others:
            over = {"axes": others.index(self._over[0]), "shared": self._over[1]}
        return {
            "row": row, "column": column, "rows": rows, "columns": columns, "over": over,
            "title": self._title, "xlabel": self._xlabel, "ylabel": self._ylabel,
            "x": self._axis_chart("x"), "y": self._axis_chart("y"), "equal": self._equal,
            "frame": self._frame,
            "sides": [name for name, spine in self.spines.items() if spine.shown],
            "background": self._background, "legend": self._legend_chart(),
            "colorbar": self._colorbar_chart(),
            "marks": marks,
        }

    def _axis_chart(self, axis):
        low, high = self._bounds(axis)
        names, ticks = self._names[axis == "y"], self._ticks[axis]
        if ticks is None and names:
            ticks = [list(range(len(names))), list(names)]
        pairs = None
        if ticks is not None:
            words = ticks[1] if ticks[1] is not None else ["%g" % t for t in ticks[0]]
            pairs = [[float(place), word] for place, word in zip(ticks[0], words)]
        return {
            "low": float(low), "high": float(high), "scale": self._scale[axis],
            "inverted": self._inverted[axis],
            "grid": self._grid[axis], "ticks": pairs,
        }

    def _legend_chart(self):
        box = self._legend
        if box is None or not box._handles:
            return None
        entries = []
        for handle, label in box._handles:
            marks = handle.marks() if hasattr(handle, "marks") else []
            look = marks[0] if marks else {"kind": "line", "color": None}
            entry = {"label": label}
            for name in ("kind", "color", "dash", "width", "marker", "edge"):
                if name in look:
                    value = look[name]
                    entry[name] = value[0] if isinstance(value, list) and value else value
            entries.append(entry)
        return {
            "place": box._place, "title": box._title, "columns": box._columns,
            "outside": box._outside,
            "entries": entries,
        }

    def _colorbar_chart(self):
        if self._colorbar is None:
            return None
        bar = self._colorbar
        found = bar.mappable.scale()
        found.update(label=bar._label, ticks=bar._ticks, flat=bar._flat)
        return found
