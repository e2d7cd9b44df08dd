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

`hand_over` gives it to `_glowgrad.chart(key, text)`: `text` is the chart as JSON, `key` a number for
each figure. A later chart with the same key in the same run replaces it; False is the answer that a
run has shown too many.
"""

import json

import _glowgrad as _C
import _lab

_count = [0]


def hand_over(figure):
    """Draws a figure."""
    if not hasattr(figure, "_key"):
        _count[0] += 1
        figure._key = _count[0]
    if not _C.chart(figure._key, json.dumps(figure.chart())):
        _lab.say_once(
            "This run has shown as many figures as are kept; the others are not drawn."
        )


def save(figure):
    """What `savefig` does: the figure is drawn, and kept from there."""
    if any([ax.has_data() or ax.get_title() for ax in figure.axes]):
        hand_over(figure)
    _lab.say_once(
        "savefig: no file is written; the figure is drawn here, and in the page its button “Save as SVG” keeps it."
    )
