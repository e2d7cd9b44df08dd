"""The methods of axes that draw: `plot`, `scatter`, `hist`, `text` and their like."""

import numpy as np
from matplotlib._artists import _MARKERS, Line2D, PathCollection, text_options
from matplotlib._shapes import BarContainer, FillBetween, Polygon, Rectangle, Rule, Segments, Text
from matplotlib._surfaces import Surfaces
from matplotlib.colors import CYCLE, is_color_like


def read_format(text):
    """Colour, marker and line style of a text such as `"ro--"`."""
    if is_color_like(text) and not text.isdigit():
        return text, None, None
    colour = marker = style = None
    i = 0
    while i < len(text):
        two = text[i:i + 2]
        if two in ("--", "-."):
            style, i = two, i + 2
        elif text[i] in "-:":
            style, i = text[i], i + 1
        elif text[i] == "C" and text[i + 1:i + 2].isdigit():
            colour, i = two, i + 2
        elif text[i] in "bgrcmykw":
            colour, i = text[i], i + 1
        elif text[i] in _MARKERS:
            marker, i = text[i], i + 1
        else:
            raise ValueError(
                f"{text!r} is not a valid format string (unrecognized character {text[i]!r})"
            )
    return colour, marker, style if style or not marker else "None"


class Plots(Surfaces):
    """What axes can draw."""

    def _next_colour(self, filled=False):
        """The next of the cycle; filled shapes and points go round it on their own."""
        self._n_colours[filled] += 1
        return CYCLE[(self._n_colours[filled] - 1) % len(CYCLE)]

    def _add(self, artist):
        self._artists.append(artist)
        return artist

    def _values(self, values, axis):
        """Numbers along an axis; texts become places with names."""
        if hasattr(values, "values") and not callable(values.values):
            values = values.values
        if isinstance(values, (str, bytes)):
            values = [values]
        if isinstance(values, (list, tuple)) and values and isinstance(values[0], str):
            names = self._names[axis]
            for value in values:
                names.setdefault(value, len(names))
            return np.array([float(names[value]) for value in values])
        if isinstance(values, (map, filter, zip)) or type(values).__name__ in (
            "generator", "dict_values", "dict_keys", "set", "odict_values"
        ):
            values = list(values)
        return np.asarray(values, float)

    def plot(self, *args, scalex=True, scaley=True, data=None, **kwargs):
        """Lines through points. >>> plt.plot([1, 2, 3], [1, 4, 9], "o-", label="squares")"""
        lines, args = [], list(args)
        while args:
            group = [args.pop(0)]
            if args and not isinstance(args[0], str):
                group.append(args.pop(0))
            style = (
                read_format(args.pop(0))
                if args and isinstance(args[0], str)
                else (None, None, None)
            )
            y = self._values(group[-1], 1)
            y = y.reshape(-1, 1) if y.ndim < 2 else y
            x = self._values(group[0], 0) if len(group) > 1 else np.arange(float(len(y)))
            x = x.reshape(-1, 1) if x.ndim < 2 else x
            if len(x) != len(y):
                shapes = [str(p.shape if p.shape[1] > 1 else p.shape[:1]) for p in (x, y)]
                raise ValueError(
                    f"x and y must have same first dimension, but have shapes {shapes[0]} and "
                    f"{shapes[1]}"
                )
            for column in range(max(x.shape[1], y.shape[1])):
                pair = [p[:, column if p.shape[1] > 1 else 0] for p in (x, y)]
                lines.append(self._line(*pair, style, kwargs, column))
        return lines

    def _line(self, x, y, style, given, column=0):
        given = dict(given)
        label = given.get("label")
        if isinstance(label, (list, tuple)):
            given["label"] = label[column]
        defaults = {"linestyle": style[2] or "-", "marker": style[1]}
        if "color" not in given and "c" not in given:
            defaults["color"] = style[0] or self._next_colour()
        line = Line2D(self, x, y, given, **defaults)
        if not line._label:
            line._label = f"_child{len(self._artists)}"
        return self._add(line)

    def step(self, x, y, *args, where="pre", **kwargs):
        """A staircase through points. >>> plt.step([1, 2, 3], [1, 4, 9])"""
        return self.plot(x, y, *args, drawstyle=f"steps-{where}", **kwargs)

    def semilogy(self, *args, base=10, **kwargs):
        """As `plot`, y by its logarithm. >>> plt.semilogy([1, 10, 100])"""
        self.set_yscale("log")
        return self.plot(*args, **kwargs)

    def semilogx(self, *args, base=10, **kwargs):
        """As `plot`, x by its logarithm. >>> plt.semilogx([1, 10, 100], [1, 2, 3])"""
        self.set_xscale("log")
        return self.plot(*args, **kwargs)

    def loglog(self, *args, base=10, **kwargs):
        """As `plot`, x and y by their logarithms. >>> plt.loglog([1, 10], [1, 100])"""
        self.set_xscale("log")
        self.set_yscale("log")
        return self.plot(*args, **kwargs)

    def scatter(self, x, y, s=None, c=None, *, marker=None, cmap=None, norm=None, vmin=None,
                vmax=None, alpha=None, linewidths=None, edgecolors=None, plotnonfinite=False,
                data=None, **kwargs):
        """Points. >>> plt.scatter([1, 2, 3], [1, 4, 9], c=[0, 1, 2])"""
        x, y = self._values(x, 0), self._values(y, 1)
        if x.size != y.size:
            raise ValueError("x and y must be the same size")
        kwargs.update(alpha=alpha, edgecolor=edgecolors, linewidth=linewidths)
        names = ("color", "facecolor", "facecolors", "fc")
        if c is None and not any(kwargs.get(name) is not None for name in names):
            c = self._next_colour(True)
        points = PathCollection(self, x, y, s, c, marker, cmap, norm, vmin, vmax, kwargs)
        self._mapped = points if points._array is not None else self._mapped
        return self._add(points)

    # Bars

    def bar(self, x, height, width=0.8, bottom=None, *, align="center", data=None, **kwargs):
        """Bars. >>> plt.bar(["a", "b"], [3, 5])"""
        return self._bars(self._values(x, 0), height, width, bottom, align, False, kwargs)

    def barh(self, y, width, height=0.8, left=None, *, align="center", data=None, **kwargs):
        """Bars that lie. >>> plt.barh(["a", "b"], [3, 5])"""
        return self._bars(self._values(y, 1), width, height, left, align, True, kwargs)

    def _bars(self, at, length, breadth, base, align, flat, given):
        given = dict(given)
        error = given.pop("xerr" if flat else "yerr", None)
        bars = {
            name: given.pop(name) for name in ("capsize", "ecolor", "error_kw") if name in given
        }
        if align not in ("center", "edge"):
            raise ValueError(
                f"{align!r} is not a valid value for align. Supported values are 'center', 'edge'"
            )
        names = given.pop("tick_label", None)
        label = given.pop("label", "")
        colours = given.pop("color", given.pop("facecolor", None))
        at = np.atleast_1d(at)
        n = len(at)
        parts = [
            np.broadcast_to(np.asarray(0.0 if p is None else p, float), (n,))
            for p in (length, breadth, base)
        ]
        length, breadth, base = [p.tolist() for p in parts]
        if (
            isinstance(colours, str)
            or colours is None
            or isinstance(colours, tuple)
            and not isinstance(colours[0], (str, tuple, list))
        ):
            colours = [self._next_colour(True) if colours is None else colours] * n
        patches = []
        for i, place in enumerate(at.tolist()):
            start = place - breadth[i] / 2 if align == "center" else place
            each = {k: v[i] if isinstance(v, list) and len(v) == n else v for k, v in given.items()}
            box = (
                ((base[i], start), length[i], breadth[i])
                if flat
                else ((start, base[i]), breadth[i], length[i])
            )
            patches.append(Rectangle(*box, axes=self, color=colours[i % len(colours)], **each))
        if names is not None:
            (self.set_yticks if flat else self.set_xticks)(
                at, [names] if isinstance(names, str) else names
            )
        if isinstance(label, (list, tuple)):
            for patch, text in zip(patches, label):
                self._add(BarContainer(self, [patch], str(text), flat))
            return BarContainer(self, patches, "", flat)
        found = self._add(BarContainer(self, patches, str(label or ""), flat))
        if error is not None:
            tips = [b + h for b, h in zip(base, length)]
            ends = (tips, at, None, error) if flat else (at, tips, error, None)
            self._error_lines(*ends, {"color": bars.get("ecolor", "black")})
        return found

    def bar_label(self, container, labels=None, *, fmt="%g", label_type="edge", padding=0,
                  **kwargs):
        """Writes its number on each bar. >>> plt.bar_label(plt.bar([1, 2], [3, 5]))"""
        texts = []
        for i, patch in enumerate(container.patches):
            value = patch.get_width() if container._flat else patch.get_height()
            words = labels[i] if labels is not None else fmt(value) if callable(fmt) else (
                fmt.format(value) if "{" in fmt else fmt % value
            )
            x, y = patch.get_x() + patch.get_width() / 2, patch.get_y() + patch.get_height() / 2
            if label_type == "edge":
                x, y = (patch.get_x() + patch.get_width(), y) if container._flat else (
                    x, patch.get_y() + patch.get_height()
                )
            texts.append(self.text(x, y, words, ha="center", va="bottom", **kwargs))
        return texts

    def hist(self, x, bins=None, *, range=None, density=False, weights=None, cumulative=False,
             bottom=None, histtype="bar", align="mid", orientation="vertical", rwidth=None,
             log=False, color=None, label=None, stacked=False, data=None, **kwargs):
        """How often each size of number is there. >>> plt.hist([1, 2, 2, 3], bins=3)[0]"""
        rows = _rows(x)
        given = (
            weights
            if weights is None or len(rows) == 1 and np.ndim(weights) == 1
            else list(weights)
        )
        bins = 10 if bins is None else bins
        edges = np.histogram_bin_edges(np.concatenate(rows), bins, range)
        counts, base = [], np.zeros(len(edges) - 1)
        for i, row in enumerate(rows):
            own = None if given is None else given if len(rows) == 1 else given[i]
            n = np.histogram(row, edges, density=density and not stacked, weights=own)[0].astype(
                float
            )
            n = np.cumsum(n * np.diff(edges) if density else n) if cumulative else n
            counts.append(n)
        flat, groups = orientation == "horizontal", []
        wide = np.diff(edges) * (1.0 if rwidth is None else rwidth)
        middle = (edges[1:] + edges[:-1]) / 2
        share = len(rows) if histtype == "bar" and not stacked else 1
        for i, n in enumerate(counts):
            name = label[i] if isinstance(label, (list, tuple)) else label if i == 0 else None
            own = color[i] if isinstance(color, (list, tuple)) and len(rows) > 1 else color
            own = own or kwargs.get("facecolor") or kwargs.get("fc") or self._next_colour()
            rest = {k: v for k, v in kwargs.items() if k not in ("facecolor", "fc")}
            if histtype in ("step", "stepfilled"):
                xs = np.repeat(edges, 2)
                ys = np.concatenate([[0.0], np.repeat(n + base, 2), [0.0]])
                if histtype == "stepfilled":
                    part = self._add(
                        Polygon(np.stack([xs, ys], 1), axes=self, color=own, label=name, **rest)
                    )
                else:
                    part = self._line(xs, ys, (None,) * 3, {"color": own, "label": name, **rest})
                groups.append([part])
            else:
                at = middle + (i - (share - 1) / 2) * wide / share if share > 1 else middle
                under = (
                    base
                    if stacked
                    else np.zeros(len(n)) if bottom is None else np.asarray(bottom, float)
                )
                method = self.barh if flat else self.bar
                groups.append(
                    method(at, n, wide / share, under, color=own, label=name or "", **rest)
                )
            base = base + n if stacked else base
        if log:
            (self.set_xscale if flat else self.set_yscale)("log")
        if len(rows) == 1:
            return counts[0], edges, groups[0]
        return np.array(np.cumsum(counts, 0) if stacked else counts), edges, groups

    def hist2d(self, x, y, bins=10, *, range=None, density=False, weights=None, cmin=None,
               cmax=None, data=None, **kwargs):
        """How many points are in each cell of a grid. >>> plt.hist2d([0, 1], [0, 1], 2)[0]"""
        h, ex, ey = np.histogram2d(x, y, bins, range, density, weights)
        return h, ex, ey, self.pcolormesh(ex, ey, h.T, **kwargs)

    # Areas, lines and texts

    def fill_between(self, x, y1, y2=0, where=None, interpolate=False, step=None, *, data=None,
                     **kwargs):
        """The area between two lines. >>> plt.fill_between([1, 2, 3], [1, 4, 9], alpha=0.3)"""
        return self._fill(self._values(x, 0), y1, y2, where, False, kwargs)

    def fill_betweenx(self, y, x1, x2=0, where=None, step=None, interpolate=False, *, data=None,
                      **kwargs):
        """The area between two lines that stand. >>> plt.fill_betweenx([1, 2, 3], [1, 4, 9])"""
        return self._fill(self._values(y, 1), x1, x2, where, True, kwargs)

    def _fill(self, x, low, high, where, flat, given):
        x = np.atleast_1d(x)
        low, high = [np.array(np.broadcast_to(np.asarray(p, float), x.shape)) for p in (low, high)]
        if where is not None:
            gone = ~np.asarray(where, bool)
            low, high = np.where(gone, np.nan, low), np.where(gone, np.nan, high)
        given = dict(given)
        if not any(name in given for name in ("color", "facecolor", "facecolors", "fc")):
            given["color"] = self._next_colour(True)
        return self._add(FillBetween(self, x, low, high, flat, given))

    def stackplot(self, x, *args, labels=(), colors=None, baseline="zero", **kwargs):
        """Areas on top of each other. >>> plt.stackplot([1, 2], [1, 2], [3, 1])"""
        rows = np.asarray(args[0] if len(args) == 1 and np.ndim(args[0]) == 2 else args, float)
        tops, found = np.cumsum(rows, 0), []
        for i in range(len(rows)):
            own = {"color": colors[i % len(colors)]} if colors else {}
            name = {"label": labels[i]} if i < len(labels) else {}
            found.append(self.fill_between(x, tops[i] - rows[i], tops[i], **own, **name, **kwargs))
            found[-1]._base = () if i else (0.0,)
        return found

    def fill(self, *args, data=None, **kwargs):
        """An area with corners. >>> plt.fill([0, 1, 1], [0, 0, 1], "r")"""
        found, args = [], list(args)
        while args:
            x, y = args.pop(0), args.pop(0)
            own = args.pop(0) if args and isinstance(args[0], str) else None
            given = dict(kwargs)
            if not any(name in given for name in ("color", "facecolor", "fc")):
                given["color"] = own or self._next_colour(True)
            corners = np.stack([self._values(x, 0), self._values(y, 1)], 1)
            found.append(self._add(Polygon(corners, axes=self, **given)))
        return found

    def axhline(self, y=0, xmin=0, xmax=1, **kwargs):
        """A line across. >>> plt.axhline(1, color="gray")"""
        return self._rule("y", y, y, (xmin, xmax), kwargs)

    def axvline(self, x=0, ymin=0, ymax=1, **kwargs):
        """A line upwards. >>> plt.axvline(1, linestyle="--")"""
        return self._rule("x", x, x, (ymin, ymax), kwargs)

    def axhspan(self, ymin, ymax, xmin=0, xmax=1, **kwargs):
        """A band across. >>> plt.axhspan(1, 2, alpha=0.3)"""
        return self._rule("y", ymin, ymax, (xmin, xmax), kwargs)

    def axvspan(self, xmin, xmax, ymin=0, ymax=1, **kwargs):
        """A band upwards. >>> plt.axvspan(1, 2, alpha=0.3)"""
        return self._rule("x", xmin, xmax, (ymin, ymax), kwargs)

    def _rule(self, axis, low, high, ends, given):
        default = {} if {"color", "c", "facecolor", "fc"} & set(given) else {"color": "C0"}
        return self._add(Rule(self, axis, low, high, ends, given, **default))

    def hlines(self, y, xmin, xmax, colors=None, linestyles="solid", *, label="", data=None,
               **kwargs):
        """Lines across, each with its ends. >>> plt.hlines([1, 2], 0, 5)"""
        y, low, high = [np.array(p) for p in np.broadcast_arrays(np.atleast_1d(y), xmin, xmax)]
        return self._segments(low, y, high, y, colors, linestyles, label, kwargs)

    def vlines(self, x, ymin, ymax, colors=None, linestyles="solid", *, label="", data=None,
               **kwargs):
        """Lines upwards, each with its ends. >>> plt.vlines([1, 2], 0, 5)"""
        x, low, high = [np.array(p) for p in np.broadcast_arrays(np.atleast_1d(x), ymin, ymax)]
        return self._segments(x, low, x, high, colors, linestyles, label, kwargs)

    def _segments(self, x0, y0, x1, y1, colours, dash, label, given, head=False):
        given = dict(given, label=label)
        if "color" not in given:
            given["color"] = colours if isinstance(colours, (str, tuple)) else "C0"
        return self._add(Segments(self, x0, y0, x1, y1, given, head=head, linestyle=dash))

    def errorbar(self, x, y, yerr=None, xerr=None, fmt="", *, ecolor=None, elinewidth=None,
                 capsize=None, barsabove=False, lolims=False, uplims=False, xlolims=False,
                 xuplims=False, errorevery=1, capthick=None, data=None, **kwargs):
        """Points with bars for their errors. >>> plt.errorbar([1, 2], [3, 4], yerr=0.5, fmt="o")"""
        x, y = np.atleast_1d(self._values(x, 0)), np.atleast_1d(self._values(y, 1))
        style = read_format("" if fmt.lower() == "none" else fmt)
        given = dict(kwargs, **({"linestyle": "None"} if fmt.lower() == "none" else {}))
        line = self._line(x, y, style, given)
        self._error_lines(
            x, y, yerr, xerr, {"color": ecolor or line._set["color"], "linewidth": elinewidth}
        )
        return ErrorbarContainer((line, (), ()))

    def _error_lines(self, x, y, yerr, xerr, given):
        x, y = np.asarray(x, float), np.asarray(y, float)
        for error, flat in ((yerr, False), (xerr, True)):
            if error is None:
                continue
            error = np.asarray(error, float)
            low, high = (error[0], error[1]) if error.ndim == 2 else (error, error)
            ends = (x - low, y, x + high, y) if flat else (x, y - low, x, y + high)
            self._add(Segments(self, *[np.array(np.broadcast_to(p, x.shape)) for p in ends], given))

    def stem(self, *args, linefmt=None, markerfmt=None, basefmt=None, bottom=0, label=None,
             orientation="vertical", data=None):
        """Points on stems. >>> plt.stem([1, 4, 9])"""
        y = self._values(args[-1], 1)
        x = self._values(args[0], 0) if len(args) > 1 else np.arange(float(len(y)))
        own = read_format(linefmt)[0] if linefmt else None
        own = own or self._next_colour()
        self._segments(x, np.full(y.shape, float(bottom)), x, y, own, "-", "", {})
        return self._line(x, y, (own, "o", "None"), {"label": label or ""})

    def boxplot(self, x, *, tick_labels=None, labels=None, positions=None, widths=0.5, vert=True,
                showmeans=False, showfliers=True, whis=1.5, **kwargs):
        """Medians, quarters and reach of samples. >>> plt.boxplot([[1, 2, 3, 9], [2, 3, 4]])"""
        rows = _rows(x)
        at = list(positions) if positions is not None else list(range(1, len(rows) + 1))
        for place, row in zip(at, rows):
            row = np.asarray(row, float)
            low, middle, high = np.percentile(row, [25, 50, 75]).tolist()
            reach = row[(row >= low - whis * (high - low)) & (row <= high + whis * (high - low))]
            left, right = place - widths / 2, place + widths / 2
            least, most = float(reach.min()), float(reach.max())
            ends = np.array([
                (left, low, right, low), (left, high, right, high), (left, low, left, high),
                (right, low, right, high),
                (place, least, place, low), (place, high, place, most), (left, least, right, least),
                (left, most, right, most),
            ])
            ends = ends if vert else ends[:, [1, 0, 3, 2]]
            self._segments(*ends.T, "black", "-", "", {})
            line = np.array([[left, middle, right, middle]])
            self._segments(*(line if vert else line[:, [1, 0, 3, 2]]).T, "C1", "-", "", {})
            out = row[(row < least) | (row > most)]
            if showfliers and out.size:
                pair = (np.full(out.shape, float(place)), out)
                self._line(*(pair if vert else pair[::-1]), ("black", "o", "None"), {})
        names = tick_labels if tick_labels is not None else labels
        (self.set_xticks if vert else self.set_yticks)(at, names)
        return {}

    def pie(self, x, *, explode=None, labels=None, colors=None, autopct=None, startangle=0,
            counterclock=True, radius=1, **kwargs):
        """Shares of a circle. >>> plt.pie([1, 2, 3], labels=["a", "b", "c"])"""
        shares = np.asarray(x, float)
        shares = shares / shares.sum() if shares.sum() > 1 else shares
        angle, wedges, texts = np.deg2rad(startangle), [], []
        for i, share in enumerate(shares.tolist()):
            turn = 2 * np.pi * share * (1 if counterclock else -1)
            arc = np.linspace(angle, angle + turn, max(3, int(abs(turn) * 20)))
            off = (explode[i] if explode is not None else 0) * radius
            cx, cy = off * np.cos(angle + turn / 2), off * np.sin(angle + turn / 2)
            corners = np.stack(
                [
                    np.append(cx + radius * np.cos(arc), cx),
                    np.append(cy + radius * np.sin(arc), cy),
                ],
                1,
            )
            own = colors[i % len(colors)] if colors is not None else self._next_colour(True)
            name = str(labels[i]) if labels is not None else ""
            wedges.append(self._add(Polygon(corners, axes=self, color=own, label=name)))
            way = (np.cos(angle + turn / 2), np.sin(angle + turn / 2))
            if name:
                side = "left" if way[0] > 0 else "right"
                texts.append(
                    self.text(
                        cx + 1.1 * radius * way[0],
                        cy + 1.1 * radius * way[1],
                        name,
                        ha=side,
                        va="center",
                    )
                )
            if autopct is not None:
                words = autopct(100 * share) if callable(autopct) else autopct % (100 * share)
                self.text(
                    cx + 0.6 * radius * way[0],
                    cy + 0.6 * radius * way[1],
                    words,
                    ha="center",
                    va="center",
                )
            angle += turn
        self._equal, self._frame = True, False
        return (wedges, texts) if autopct is None else (wedges, texts, [])

    def quiver(self, *args, scale=None, color=None, angles=None, scale_units=None, width=None,
               units=None, **kwargs):
        """Arrows of a field. >>> plt.quiver([0, 1], [0, 1], [1, 0], [0, 1])"""
        parts = [np.asarray(arg, float).ravel() for arg in args[:4]]
        if len(parts) == 2:
            rows, columns = np.shape(args[0])
            parts = [
                np.tile(np.arange(float(columns)), rows),
                np.repeat(np.arange(float(rows)), columns),
                *parts,
            ]
        x, y, u, v = parts
        most = float(np.sqrt(u * u + v * v).max()) if u.size else 1.0
        across = float(max(np.ptp(x), np.ptp(y), 1e-9))
        long = (
            1.0
            if angles == "xy" and scale in (1, 1.0)
            else across / (max(most, 1e-30) * max(len(x) ** 0.5, 1))
        )
        return self._segments(x, y, x + u * long, y + v * long, color or "black", "-", "", {}, True)

    def arrow(self, x, y, dx, dy, **kwargs):
        """An arrow. >>> plt.arrow(0, 0, 1, 1)"""
        own = kwargs.get("color") or kwargs.get("fc") or kwargs.get("ec") or "black"
        return self._segments([x], [y], [x + dx], [y + dy], own, "-", "", {}, True)

    def text(self, x, y, s, fontdict=None, **kwargs):
        """A text at a point. >>> plt.text(1, 2, "here")"""
        place = "axes" if kwargs.pop("transform", None) is self.transAxes else "data"
        return self._add(Text(self, x, y, s, text_options({**(fontdict or {}), **kwargs}), place))

    def annotate(self, text, xy, xytext=None, xycoords="data", textcoords=None, arrowprops=None,
                 **kwargs):
        """A text, with an arrow to a point.
        >>> plt.annotate("top", (1, 2), xytext=(2, 3), arrowprops={})"""
        at = xy if xytext is None or textcoords not in (None, "data") else xytext
        if arrowprops is not None and at is not xy:
            own = arrowprops.get("color") or arrowprops.get("facecolor") or "black"
            self._segments([at[0]], [at[1]], [xy[0]], [xy[1]], own, "-", "", {}, True)
        place = "axes" if xycoords == "axes fraction" else "data"
        return self._add(Text(self, at[0], at[1], text, text_options(kwargs), place))

    def add_patch(self, p):
        """Adds a shape of `matplotlib.patches`.
        >>> plt.gca().add_patch(plt.Rectangle((0, 0), 1, 2))"""
        p.axes = self
        return self._add(p)

    add_artist = add_line = add_collection = add_patch


class ErrorbarContainer(tuple):
    """What `errorbar` gives: the line, and nothing more."""

    def __repr__(self):
        return f"<ErrorbarContainer object of {len(self)} artists>"


def _rows(x):
    """One sample, or several."""
    if hasattr(x, "ndim") and not isinstance(x, np.ndarray):
        x = np.asarray(x)
    if isinstance(x, np.ndarray):
        return [x.astype(float).ravel()] if x.ndim < 2 else [row.astype(float) for row in x.T]
    x = list(x)
    if x and (isinstance(x[0], (list, tuple, np.ndarray)) or getattr(x[0], "ndim", 0)):
        return [np.asarray(row, float).ravel() for row in x]
    return [np.asarray(x, float)]
