"""Where figures leave Python. The one place that knows what the host can draw.

A figure is handed over as a `chart`: a dict of numbers, texts, lists and dicts, which JSON can
hold. None stands for what is not there, and in lists of numbers for NaN and infinity. Colours are
"#rrggbb" or "#rrggbbaa", or None for nothing drawn. Sizes and widths are in points (1/72 inch).

chart: title, xlabel, ylabel; width, height (inches); rows, columns (of the grid); background;
    axes; texts (marks of kind `text`, their x and y shares of the figure).
axes (a list, drawn in its order): row, column, rows, columns (the cell, from the upper left, and
    how far it goes); over (None, or {axes, shared}: these axes lie in the frame of those with that
    index, share its "x" or "y", and have the other axis on the far side); title, xlabel, ylabel; x
    and y (an axis each); equal (x and y have one unit); frame (whether frame and ticks are drawn);
    sides (which of left, right, top, bottom); background; legend; colorbar; marks.
axis: low, high; scale ("linear", "log"); inverted; grid; ticks (None: the host's own; or pairs of
    a number and a text).
legend: place ("best", "upper left", …, "center"), title, columns, outside (to the right of the
    frame), entries (each with label, and of its mark kind, color, dash, width, marker, edge).
colorbar: colors, low, high, scale, listed (each color is one step), label, ticks (as an axis has),
    flat (below the frame instead of beside it).
marks (drawn in their order) have kind, label, z, and by kind:
    line: x, y; color, width, dash ("solid", "dashed", "dashdot", "dotted", None: no line); marker
        (Matplotlib's letter, or None), size, face, edge. None in x or y is a gap.
    points: x, y; size (diameters: one, or one each); color (one, or one each); marker; edge.
    bars: x, y (lower left corners), width, height; color, edge (one, or one each).
    area: x, low, high; flat (x is upwards); color, edge. None is a gap.
    polygon: x, y; color, edge.
    segments: x0, y0, x1, y1; color, width, dash; head (whether they end in an arrow's tip).
    rule: axis ("x": it stands at low on the x axis and goes up), low, high (a band where they
        differ), ends (shares of the frame); color, width, dash.
    text: x, y; place ("data", "axes" or "figure": shares); text, color, size, rotation, across
        ("left", "center", "right"), along ("baseline", "bottom", "center", "top"), bold.
    image: left, right, bottom, top (where its outer edges lie; the first row is at top); rows,
        columns; every (of how many rows one is here); channels (1 or 3), values (channel by
        channel, row by row; of 3 channels from 0 to 1), and of one channel colors, low, high,
        scale, listed; smooth (listed colours keep their edges between smoother places); opacity.

`hand_over` gives it to `_glowgrad.chart(key, text)` where the host has that: `text` is the chart
as JSON, `key` a number for each figure. A later chart with the same key in the same run replaces
it; False is the answer that a run has shown too many. Until then it is drawn with what there is:
images and histograms as such, lines as live plots.
"""

import _glowgrad as _C

_count = [0]


def hand_over(figure):
    """Draws a figure."""
    figure._drawn += 1
    if hasattr(_C, "chart"):
        import json

        if not hasattr(figure, "_key"):
            _count[0] += 1
            figure._key = _count[0]
        if not _C.chart(figure._key, json.dumps(figure.chart())):
            _say("This run has shown as many figures as are kept; the others are not drawn.")
        return
    for ax in figure.axes:
        _with_what_there_is(figure, ax)


def not_written(figure):
    """What `savefig` does."""
    _say("savefig: the lab has no files, so nothing is written; plt.show() draws the figure.")


def _say(text):
    """Tells the learner a sentence, once."""
    import _lab

    if hasattr(_lab, "say_once"):
        _lab.say_once(text)
    else:
        print(text)


def _with_what_there_is(figure, ax):
    """Axes by the kinds of figures that every host has."""
    from matplotlib._artists import Line2D
    from matplotlib._shapes import AxesImage, BarContainer

    left = set()
    for artist in list(ax._artists):
        if not artist.get_visible():
            continue
        name = ax.get_title() or artist.get_label()
        name = "" if name[:1] == "_" else name
        if type(artist) is AxesImage:
            _image(artist, name)
        elif type(artist) is BarContainer and hasattr(artist, "_sample"):
            sample = _C.from_data(artist._sample.tolist(), _C.float64, False)
            _figure(0, sample, name, max(1, min(512, len(artist.patches))), None)
        elif type(artist) is Line2D and len(artist._x) > 1:
            series = (
                artist.get_label()
                if artist.get_label()[:1] != "_"
                else ax.get_ylabel() or name or "line"
            )
            for value in artist._y.tolist():
                _C.metric(series, value)
        else:
            left.add(type(artist).__name__)
    if left - {"Text"}:
        _say(
            "Points, bars and contours are kept as data; this host draws images, histograms and "
            "lines."
        )


def _image(artist, name):
    A = artist.get_array()
    if artist.origin == "lower":
        A = A[::-1]
    if A.ndim == 3:
        scale = 255.0 if A.dtype.kind in "iu" else 1.0
        _figure(1, A._t[..., :3].permute(2, 0, 1).contiguous(), name, 0, (0.0, scale))
        return
    low, high = artist.norm.vmin, artist.norm.vmax
    diverging = artist.cmap.name.split("_")[0] in (
        "coolwarm",
        "RdBu",
        "bwr",
        "seismic",
        "PiYG",
        "PuOr",
        "RdYlBu",
    )
    if diverging:
        _figure(2, A._t._to(_C.float64), name, 0, None)
    else:
        bounds = (float(low), float(high)) if low is not None and low < high else (0.0, 1.0)
        _figure(1, A._t._to(_C.float64), name, 0, bounds)


def _figure(kind, tensor, name, bins, bounds):
    if not _C.figure(kind, tensor, None, name[:80], bins, bounds):
        _say("This run has shown as many figures as are kept; the others are not drawn.")
