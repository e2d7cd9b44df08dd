"""Shapes in axes: rectangles and bars, areas, single lines, texts, images."""

import numpy as np
from matplotlib._artists import (
    _DASHES, _TEXT, MOST_SIDE, Artist, Line2D, Mapped, _bounds, colour, numbers, thinned,
)


class Rectangle(Artist):
    """A rectangle, such as a bar."""

    zorder = 1
    _kind = "Rectangle"
    _known = ("color", "facecolor", "edgecolor", "linewidth", "linestyle", "fill", "hatch", "angle")

    def __init__(self, xy, width, height, axes=None, **given):
        super().__init__(axes, given)
        self._box = [float(xy[0]), float(xy[1]), float(width), float(height)]

    def get_x(self):
        """Its left end."""
        return self._box[0]

    def get_y(self):
        """Its lower end."""
        return self._box[1]

    def get_width(self):
        """How wide it is."""
        return self._box[2]

    def get_height(self):
        """How high it is."""
        return self._box[3]

    def get_xy(self):
        """Its lower left corner."""
        return tuple(self._box[:2])

    def set_height(self, height):
        """Makes it as high."""
        self._box[3] = float(height)

    def set_width(self, width):
        """Makes it as wide."""
        self._box[2] = float(width)

    def limits(self):
        x, y, width, height = self._box
        return min(x, x + width), max(x, x + width), min(y, y + height), max(y, y + height)

    def face(self):
        """Its colour and its edge's."""
        s = self._set
        face = s.get("facecolor", s.get("color"))
        face = (
            None
            if s.get("fill") is False
            else colour(face, s.get("alpha")) if face is not None else "#1f77b4"
        )
        return face, colour(s.get("edgecolor"), s.get("alpha"))

    def marks(self):
        return BarContainer(self.axes, [self], self._label).marks()


class BarContainer:
    """The bars of one call."""

    zorder = 1

    def __init__(self, axes, patches, label="", flat=False, **more):
        self.axes, self.patches, self._label, self._flat = axes, patches, label, flat
        self.errorbar = more.get("errorbar")
        self.datavalues = [p.get_width() if flat else p.get_height() for p in patches]

    def __iter__(self):
        return iter(self.patches)

    def __len__(self):
        return len(self.patches)

    def __getitem__(self, index):
        return self.patches[index]

    def __repr__(self):
        return f"<BarContainer object of {len(self.patches)} artists>"

    def get_label(self):
        """What the legend says of it."""
        return self._label

    def set_label(self, label):
        """What the legend says of it."""
        self._label = str(label)

    def remove(self):
        """Takes them out of their axes."""
        self.axes._artists.remove(self)

    def get_visible(self):
        """Whether they are drawn."""
        return True

    def limits(self):
        found = [p.limits() for p in self.patches]
        if not found:
            return None
        return (
            min(b[0] for b in found), max(b[1] for b in found), min(b[2] for b in found),
            max(b[3] for b in found)
        )

    def sticky(self):
        base = tuple({p.get_x() if self._flat else p.get_y() for p in self.patches})
        return (base, ()) if self._flat else ((), base)

    def marks(self):
        boxes = np.array([p._box for p in self.patches] or np.zeros((0, 4)))
        faces = [p.face() for p in self.patches]
        label = self._label if self._label[:1] != "_" else ""
        same = len(set(faces)) == 1
        return [{
            "kind": "bars", "label": label, "z": self.zorder, "x": numbers(boxes[:, 0]),
            "y": numbers(boxes[:, 1]), "width": numbers(boxes[:, 2]),
            "height": numbers(boxes[:, 3]),
            "color": [face for face, _ in faces[:1 if same else None]],
            "edge": [edge for _, edge in faces[:1 if same else None]],
        }]


class Polygon(Artist):
    """An area with corners."""

    zorder = 1
    _kind = "Polygon"
    _known = Rectangle._known + ("closed", "step", "interpolate", "where")

    def __init__(self, xy, closed=True, axes=None, **given):
        super().__init__(axes, given)
        self._xy = np.asarray(xy, float).reshape(-1, 2)

    def get_xy(self):
        """Its corners."""
        return self._xy

    def set_xy(self, xy):
        """Gives it other corners."""
        self._xy = np.asarray(xy, float).reshape(-1, 2)

    def limits(self):
        return _bounds(self._xy[:, 0], self._xy[:, 1])

    face = Rectangle.face

    def marks(self):
        face, edge = self.face()
        return [
            self._mark(
                "polygon",
                x=numbers(self._xy[:, 0]),
                y=numbers(self._xy[:, 1]),
                color=face,
                edge=edge,
            )
        ]


class FillBetween(Artist):
    """The area between two lines."""

    zorder = 1
    _kind = "FillBetweenPolyCollection"
    _known = Rectangle._known

    def __init__(self, axes, x, low, high, flat, given):
        super().__init__(axes, given)
        self._x, self._low, self._high, self._flat, self._base = x, low, high, flat, ()

    def sticky(self):
        return (), self._base

    def limits(self):
        found = _bounds(self._x, np.concatenate([self._low, self._high]))
        return found[2:] + found[:2] if self._flat and found else found

    def marks(self):
        s = self._set
        x, low = thinned(self._x, self._low)
        high = self._high if len(x) == len(self._high) else np.interp(x, self._x, self._high)
        face = colour(s.get("facecolor", s.get("color")), s.get("alpha"))
        edge = colour(s.get("edgecolor"), s.get("alpha"))
        return [self._mark(
            "area", x=numbers(x), low=numbers(low), high=numbers(high), flat=self._flat, color=face,
            edge=edge
        )]


class Segments(Artist):
    """Single lines, such as those of error bars and contours."""

    _kind = "LineCollection"
    _known = ("color", "linewidth", "linestyle", "edgecolor", "facecolor")

    def __init__(self, axes, x0, y0, x1, y1, given, head=False, **defaults):
        super().__init__(axes, given, **defaults)
        self._head = head
        self._ends = [np.asarray(part, float).ravel() for part in (x0, y0, x1, y1)]

    def limits(self):
        x0, y0, x1, y1 = self._ends
        return _bounds(np.concatenate([x0, x1]), np.concatenate([y0, y1]))

    def marks(self):
        s = self._set
        ends = dict(zip(("x0", "y0", "x1", "y1"), [numbers(part) for part in self._ends]))
        return [self._mark(
            "segments", **ends, color=colour(s.get("color"), s.get("alpha")),
            width=float(s.get("linewidth") or 1.5),
            dash=_DASHES.get(s.get("linestyle") or "-", "solid"), head=self._head,
        )]


class Rule(Artist):
    """A line or a band right through the axes."""

    _kind = "Line2D"
    _known = Line2D._known + ("facecolor", "edgecolor", "fill", "hatch")

    def __init__(self, axes, axis, low, high, ends, given, **defaults):
        super().__init__(axes, given, **defaults)
        self._axis, self._low, self._high, self._ends = axis, float(low), float(high), ends

    def limits(self):
        low, high = self._low, self._high
        return (low, high, None, None) if self._axis == "x" else (None, None, low, high)

    def marks(self):
        s = self._set
        face = colour(s.get("facecolor", s.get("color")), s.get("alpha"))
        return [self._mark(
            "rule", axis=self._axis, low=self._low, high=self._high, ends=list(self._ends),
            color=face,
            width=float(s.get("linewidth") or 1.5),
            dash=_DASHES.get(s.get("linestyle", "-"), "dashed"),
        )]


class Text(Artist):
    """A text at a point."""

    zorder = 3
    _kind = "Text"
    _known = _TEXT

    def __init__(self, axes, x, y, text, given, place="data"):
        super().__init__(axes, given)
        self._x, self._y, self._text, self._place = float(x), float(y), str(text), place

    def __repr__(self):
        return f"Text({self._x:g}, {self._y:g}, {self._text!r})"

    def get_text(self):
        """What it says."""
        return self._text

    def set_text(self, s):
        """Says something else."""
        self._text = str(s)

    def set_position(self, xy):
        """Moves it."""
        self._x, self._y = map(float, xy)

    def marks(self):
        s = self._set
        return [self._mark(
            "text", x=self._x, y=self._y, text=self._text, place=self._place,
            color=colour(s.get("color", "black")),
            size=s.get("fontsize"), rotation=s.get("rotation", 0),
            across=s.get("horizontalalignment", "left"),
            along=s.get("verticalalignment", "baseline"),
            bold=s.get("fontweight") in ("bold", "heavy", 700),
        )]


class AxesImage(Mapped):
    """An image: what `imshow` gives."""

    zorder = 0
    _kind = "AxesImage"
    _known = (
        "interpolation",
        "interpolation_stage",
        "filternorm",
        "filterrad",
        "resample",
        "aspect",
    )

    def __init__(self, axes, array, extent, origin, cmap, norm, vmin, vmax, given):
        super().__init__(axes, given)
        self.origin, self._extent = origin, extent
        self._map(None, cmap, norm, vmin, vmax)
        self.set_data(array)
        if self._array.ndim == 2:
            self.norm.autoscale_None(self._array)

    def __repr__(self):
        return f"AxesImage(shape={self._array.shape})"

    def set_data(self, A):
        """Gives it other numbers."""
        A = np.asarray(A)
        if A.ndim == 3 and A.shape[2] == 1:
            A = A[:, :, 0]
        if A.ndim not in (2, 3) or A.ndim == 3 and A.shape[2] not in (3, 4):
            raise TypeError(f"Invalid shape {A.shape} for image data")
        self._array = A

    def get_extent(self):
        """Left, right, bottom and top."""
        if self._extent is not None:
            return list(self._extent)
        rows, columns = self._array.shape[:2]
        ends = (rows - 0.5, -0.5) if self.origin == "upper" else (-0.5, rows - 0.5)
        return [-0.5, columns - 0.5, *ends]

    def limits(self):
        left, right, bottom, top = self.get_extent()
        return min(left, right), max(left, right), min(bottom, top), max(bottom, top)

    def sticky(self):
        left, right, bottom, top = self.limits()
        return (left, right), (bottom, top)

    def marks(self):
        A = self._array
        left, right, bottom, top = self.get_extent()
        if self.origin == "lower":
            A = A[::-1]
        every = max(1, -(-max(A.shape[:2]) // MOST_SIDE))
        A = A[::every, ::every]
        mark = dict(
            left=left,
            right=right,
            bottom=bottom,
            top=top,
            rows=A.shape[0],
            columns=A.shape[1],
            every=every,
        )
        if A.ndim == 3:
            whole = A.dtype.kind in "iu"
            A = A[:, :, :3].astype(float) / (255.0 if whole else 1.0)
            mark.update(channels=3, values=numbers(np.clip(np.moveaxis(A, 2, 0), 0, 1)))
        else:
            mark.update(channels=1, values=numbers(A), **self.scale())
        smooth = self._set.get("interpolation") not in (
            None,
            "none",
            "nearest",
            "antialiased",
            "auto",
        )
        return [
            self._mark("image", smooth=smooth, opacity=float(self._set.get("alpha") or 1.0), **mark)
        ]
