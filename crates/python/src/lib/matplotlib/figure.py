"""Figures: axes in a grid."""

import numpy as np
from matplotlib import rcParams
from matplotlib._artists import colour, text_options
from matplotlib._shapes import Text
from matplotlib.axes import Axes


class AxesGrid:
    """The axes of a figure as an array of objects: what `plt.subplots(2, 3)` gives."""

    def __init__(self, items, shape):
        self._items, self.shape = list(items), tuple(shape)
        self.ndim, self.size = len(self.shape), len(self._items)

    def __len__(self):
        return self.shape[0]

    def __iter__(self):
        return iter([self[i] for i in range(len(self))])

    def __getitem__(self, index):
        places = np.arange(self.size).reshape(self.shape)[index]
        if not np.ndim(places):
            return self._items[int(places)]
        return AxesGrid([self._items[i] for i in places.ravel().tolist()], places.shape)

    def ravel(self, order="C"):
        """All in a row."""
        return AxesGrid(self._items, (self.size,))

    flatten = ravel

    def reshape(self, *shape):
        """In another shape."""
        return AxesGrid(self._items, np.arange(self.size).reshape(*shape).shape)

    def tolist(self):
        """As lists."""
        return self._items if self.ndim == 1 else [self[i].tolist() for i in range(len(self))]

    @property
    def flat(self):
        """One by one."""
        return iter(self._items)

    @property
    def T(self):
        """Rows as columns."""
        places = np.arange(self.size).reshape(self.shape).T
        return AxesGrid([self._items[i] for i in places.ravel().tolist()], places.shape)

    def __repr__(self):
        rows = (
            [repr(item) for item in self._items]
            if self.ndim == 1
            else [repr(self[i])[6:-15] for i in range(len(self))]
        )
        return f"array([{', '.join(rows)}], dtype=object)"


class Colorbar:
    """The colours of an image and their numbers."""

    def __init__(self, ax, mappable, label, ticks, flat):
        self.ax, self.mappable, self._label, self._ticks, self._flat = (
            ax,
            mappable,
            label,
            ticks,
            flat,
        )

    def set_label(self, label, *, loc=None, **kwargs):
        """What stands at its side."""
        self._label = str(label)

    def set_ticks(self, ticks, *, labels=None, minor=False, **kwargs):
        """Where it has numbers, and what stands there."""
        places = [float(t) for t in ticks]
        words = (
            [str(label) for label in labels] if labels is not None else ["%g" % t for t in places]
        )
        self._ticks = [[place, word] for place, word in zip(places, words)]

    def set_ticklabels(self, ticklabels, *, minor=False, **kwargs):
        """What stands at its numbers."""
        if self._ticks:
            self._ticks = [[place, str(word)] for (place, _), word in zip(self._ticks, ticklabels)]

    def remove(self):
        """Takes it away."""
        self._owner._colorbar = None


class Figure:
    """A figure. >>> plt.figure(figsize=(6, 3))"""

    def __init__(self, figsize=None, dpi=None, *, facecolor=None, edgecolor=None, linewidth=0.0,
                 frameon=None, subplotpars=None, tight_layout=None, constrained_layout=None,
                 layout=None, number=None):
        size = figsize if figsize is not None else rcParams["figure.figsize"]
        self._size = [float(size[0]), float(size[1])]
        self.number, self.axes, self._title, self._labels = number, [], "", ["", ""]
        self._grid, self._texts, self._current = [1, 1], [], None
        self.dpi, self._background = dpi or 100.0, facecolor
        self.canvas = _Canvas(self)

    def __repr__(self):
        width, height = [round(side * 100) for side in self._size]
        return f"<Figure size {width}x{height} with {len(self.axes)} Axes>"

    def __str__(self):
        width, height = [round(side * 100) for side in self._size]
        return f"Figure({width}x{height})"

    def _cell(self, row, column, rows=1, columns=1):
        for ax in self.axes:
            if ax._cell == (row, column, rows, columns) and ax._over is None:
                return ax
        ax = Axes(self, row, column, rows, columns)
        self.axes.append(ax)
        return ax

    def add_subplot(self, *args, projection=None, polar=False, sharex=None, sharey=None, label="",
                    **kwargs):
        """Axes in a grid: rows, columns and the place, counted from 1.
        >>> plt.figure().add_subplot(1, 2, 1)"""
        if projection not in (None, "rectilinear") or polar:
            raise NotImplementedError(
                f"projection={projection or 'polar'!r}: axes are flat here; contour and imshow "
                f"show a surface from above"
            )
        if len(args) == 1 and isinstance(args[0], int):
            args = [int(digit) for digit in f"{args[0]:03d}"]
        if len(args) == 1 and hasattr(args[0], "_span"):
            grid, cell = args[0]._span()
        elif not args:
            grid, cell = (1, 1), (0, 0, 1, 1)
        else:
            rows, columns, place = args
            grid = (rows, columns)
            first, last = (place, place) if isinstance(place, (int, np.integer)) else place
            if not 1 <= first <= rows * columns:
                raise ValueError(
                    f"num must be an integer with 1 <= num <= {rows * columns}, not {first}"
                )
            (r, c), (r1, c1) = divmod(first - 1, columns), divmod(last - 1, columns)
            cell = (r, c, r1 - r + 1, c1 - c + 1)
        if list(grid) != self._grid:
            if not self.axes:
                self._grid = list(grid)
            else:
                cell = self._finer(grid, cell)
        ax = self._cell(*cell)
        ax.set(**kwargs)
        _share(ax, sharex, "x")
        _share(ax, sharey, "y")
        self._current = ax
        return ax

    def _finer(self, grid, cell):
        """A cell of another grid, once both grids are cut finely enough to hold it."""
        scale = []
        for i in (0, 1):
            both = int(np.lcm(self._grid[i], grid[i]))
            scale.append(both // grid[i])
            own = both // self._grid[i]
            for ax in self.axes:
                old = list(ax._cell)
                old[i], old[i + 2] = old[i] * own, old[i + 2] * own
                ax._cell = tuple(old)
            self._grid[i] = both
        return tuple([part * scale[i % 2] for i, part in enumerate(cell)])

    def subplots(self, nrows=1, ncols=1, *, sharex=False, sharey=False, squeeze=True,
                 width_ratios=None, height_ratios=None, subplot_kw=None, gridspec_kw=None):
        """A grid of axes. >>> plt.figure().subplots(1, 2)"""
        self._grid = [nrows, ncols]
        made = []
        for i in range(nrows * ncols):
            made.append(self.add_subplot(nrows, ncols, i + 1, **(subplot_kw or {})))
            for axis, how in (("x", sharex), ("y", sharey)):
                if how in (True, "all"):
                    _share(made[-1], made[0], axis)
                elif how in ("row", "col"):
                    row, column = divmod(i, ncols)
                    _share(made[-1], made[row * ncols if how == "row" else column], axis)
        if not squeeze:
            return AxesGrid(made, (nrows, ncols))
        if len(made) == 1:
            return made[0]
        return AxesGrid(made, (len(made),) if 1 in (nrows, ncols) else (nrows, ncols))

    def subplot_mosaic(self, mosaic, **kwargs):
        """Axes by letters. >>> sorted(plt.figure().subplot_mosaic("AB;CC"))"""
        if isinstance(mosaic, str):
            lines = mosaic.strip().replace(";", "\n").split("\n")
            mosaic = [list(line.strip()) for line in lines]
        self._grid, found = [len(mosaic), len(mosaic[0])], {}
        for r, line in enumerate(mosaic):
            for c, name in enumerate(line):
                if name != "." and name not in found:
                    rows = sum([row[c] == name for row in mosaic])
                    found[name] = self._cell(r, c, rows, line.count(name))
        return found

    def add_axes(self, rect, **kwargs):
        """Axes in the figure; they take a cell of the grid here.
        >>> plt.figure().add_axes([0, 0, 1, 1])"""
        if isinstance(rect, Axes):
            self.axes.append(rect)
            return rect
        if not self.axes:
            return self.add_subplot(1, 1, 1, **kwargs)
        return self.add_subplot(1, len(self.axes) + 1, len(self.axes) + 1, **kwargs)

    def add_gridspec(self, nrows=1, ncols=1, **kwargs):
        """A grid for `add_subplot`. >>> plt.figure().add_gridspec(2, 2)"""
        from matplotlib.gridspec import GridSpec

        return GridSpec(nrows, ncols, figure=self)

    def gca(self):
        """The axes that were made or chosen last. >>> plt.figure().gca()"""
        if self._current not in self.axes:
            self._current = self.axes[-1] if self.axes else self.add_subplot(1, 1, 1)
        return self._current

    def sca(self, a):
        """Chooses axes."""
        self._current = a
        return a

    def get_axes(self):
        """All axes."""
        return list(self.axes)

    def delaxes(self, ax):
        """Takes axes out."""
        self.axes.remove(ax)

    def clf(self, keep_observers=False):
        """Takes everything out."""
        self.axes, self._title, self._texts, self._grid = [], "", [], [1, 1]
        self._labels = ["", ""]

    clear = clf

    def suptitle(self, t, **kwargs):
        """The title above all axes. >>> plt.figure().suptitle("runs")"""
        text_options(kwargs)
        self._title = str(t)
        return Text(None, 0.5, 0.98, t, {})

    def supxlabel(self, t, **kwargs):
        """What stands below all axes."""
        self._labels[0] = str(t)

    def supylabel(self, t, **kwargs):
        """What stands at the side of all axes."""
        self._labels[1] = str(t)

    def text(self, x, y, s, fontdict=None, **kwargs):
        """A text in the figure."""
        found = Text(None, x, y, s, text_options({**(fontdict or {}), **kwargs}), "figure")
        self._texts.append(found)
        return found

    def legend(self, *args, **kwargs):
        """The box with the names; it stands in the last axes here."""
        return self.gca().legend(*args, **kwargs)

    def colorbar(self, mappable, cax=None, ax=None, *, label="", ticks=None, orientation="vertical",
                 **kwargs):
        """The colours of an image and their numbers. >>> plt.colorbar(plt.imshow([[0, 1]]))"""
        owner = (
            getattr(mappable, "axes", None) or (ax if isinstance(ax, Axes) else None) or self.gca()
        )
        if ax is not None and not isinstance(ax, Axes) and getattr(mappable, "axes", None) is None:
            owner = list(ax.flat if hasattr(ax, "flat") else ax)[-1]
        bar = Colorbar(owner, mappable, str(label), None, orientation == "horizontal")
        bar._owner = owner
        if ticks is not None and np.ndim(ticks):
            bar.set_ticks(ticks)
        owner._colorbar = bar
        if cax is not None and cax in self.axes:
            self.axes.remove(cax)
        return bar

    def set_size_inches(self, w, h=None, forward=True):
        """How large it is."""
        self._size = [float(w[0]), float(w[1])] if h is None else [float(w), float(h)]

    def get_size_inches(self):
        """How large it is."""
        return np.array(self._size)

    def set_figwidth(self, val, forward=True):
        """How wide it is."""
        self._size[0] = float(val)

    def set_figheight(self, val, forward=True):
        """How high it is."""
        self._size[1] = float(val)

    def set_facecolor(self, color):
        """The colour behind."""
        self._background = color

    def tight_layout(self, *, pad=1.08, h_pad=None, w_pad=None, rect=None):
        """Accepted: the host makes room for what stands beside frames."""

    def subplots_adjust(self, left=None, bottom=None, right=None, top=None, wspace=None,
                        hspace=None):
        """Accepted: the host makes room between frames."""

    set_tight_layout = set_constrained_layout = set_layout_engine = autofmt_xdate = align_labels = (
        lambda self, *args, **kwargs: None
    )
    align_xlabels = align_ylabels = align_labels

    def savefig(self, fname, **kwargs):
        """Draws the figure, and writes no file: the page's button “Save as SVG” keeps it."""
        from matplotlib import _host

        _host.save(self)

    def show(self, warn=True):
        """Draws the figure. >>> plt.figure().show()"""
        from matplotlib import _host

        _host.hand_over(self)

    def chart(self):
        """Everything about the figure as plain data; `_host` says what is in it."""
        shown = [ax for ax in self.axes]
        return {
            "title": self._title, "xlabel": self._labels[0], "ylabel": self._labels[1],
            "width": self._size[0],
            "height": self._size[1], "rows": self._grid[0], "columns": self._grid[1],
            "background": colour(self._background) if self._background is not None else None,
            "axes": [ax.chart(shown) for ax in shown],
            "texts": [mark for text in self._texts for mark in text.marks()],
        }


class _Canvas:
    """What programs ask of a window."""

    def __init__(self, figure):
        self.figure = figure

    def draw(self):
        """Draws the figure."""
        self.figure.show()

    draw_idle = draw

    def flush_events(self):
        """Accepted: there is no window."""

    mpl_connect = lambda self, *args: 0


def _share(ax, other, axis):
    """Axes with the same limits along an axis."""
    if other is None or other is ax or other is False:
        return
    group = other._sharing[axis]
    if ax not in group:
        group.append(ax)
    ax._sharing[axis] = group
