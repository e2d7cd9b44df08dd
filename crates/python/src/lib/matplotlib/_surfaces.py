"""The methods of axes that draw images and surfaces: `imshow`, `contour` and their like."""

import numpy as np
from matplotlib._artists import Mapped, options
from matplotlib._contours import levels_of, lines_at, raster, surface
from matplotlib._shapes import AxesImage, Segments
from matplotlib.colors import ListedColormap, to_hex


class ContourSet(Mapped):
    """The lines or areas of a surface between levels."""

    zorder = 2

    def __init__(self, axes, levels, filled, cmap, norm, vmin, vmax, colours):
        super().__init__(axes, {})
        self.levels, self.filled, self.parts = levels, filled, []
        if colours is not None:
            colours = [colours] if isinstance(colours, str) else list(colours)
            n = len(levels) - filled
            cmap = ListedColormap([colours[i % len(colours)] for i in range(max(n, 1))])
        self._map(levels if len(levels) > 1 else None, cmap, norm, vmin, vmax)

    def colour_at(self, i):
        """The colour of the i-th level, or of the area above it."""
        n = len(self.levels) - self.filled
        if not self.cmap._even and self.cmap.N >= n:
            return to_hex(self.cmap(i))
        level = self.levels[i]
        if self.filled:
            level = (self.levels[i] + self.levels[i + 1]) / 2
        return to_hex(self.cmap(float(np.clip(self.norm(float(level)), 0, 1))))

    def limits(self):
        return None

    def collections(self):
        """Its lines or areas."""
        return self.parts


class Surfaces:
    """What axes draw of numbers in rows and columns."""

    def imshow(self, X, cmap=None, norm=None, *, aspect=None, interpolation=None, alpha=None,
               vmin=None, vmax=None, colorizer=None, origin=None, extent=None,
               interpolation_stage=None, filternorm=True, filterrad=4.0, resample=None, url=None,
               data=None, **kwargs):
        """An image. >>> plt.imshow([[0, 1], [2, 3]], cmap="gray")"""
        kwargs.update(interpolation=interpolation, alpha=alpha)
        image = AxesImage(self, X, extent, origin or "upper", cmap, norm, vmin, vmax, kwargs)
        self._equal = aspect in (None, "equal", 1)
        self._mapped = image
        if image.origin == "upper" and extent is None and self._limits["y"] is None:
            self._inverted["y"] = True
        return self._add(image)

    def matshow(self, Z, **kwargs):
        """A matrix as an image. >>> plt.matshow([[0, 1], [2, 3]])"""
        return self.imshow(Z, **kwargs)

    def spy(self, Z, precision=0, marker=None, **kwargs):
        """Where a matrix is not 0. >>> plt.spy([[0, 1], [1, 0]])"""
        return self.imshow(np.abs(np.asarray(Z, float)) > precision, cmap="binary", **kwargs)

    def pcolormesh(self, *args, alpha=None, norm=None, cmap=None, vmin=None, vmax=None,
                   shading=None, **kwargs):
        """The cells of a grid, coloured. >>> plt.pcolormesh([[0, 1], [2, 3]])"""
        C = np.asarray(args[-1], float)
        if len(args) == 1:
            extent = [0.0, float(C.shape[1]), 0.0, float(C.shape[0])]
        else:
            x, y = [np.asarray(arg, float) for arg in args[:2]]
            x, y = x[0] if x.ndim == 2 else x, y[:, 0] if y.ndim == 2 else y
            extent = []
            for ends, n in ((x, C.shape[1]), (y, C.shape[0])):
                half = (
                    0.0 if len(ends) > n else float(ends[1] - ends[0]) / 2 if len(ends) > 1 else 0.5
                )
                extent += [float(ends[0]) - half, float(ends[-1]) + half]
        known = {
            k: v
            for k, v in kwargs.items()
            if k not in ("edgecolors", "linewidths", "antialiased", "rasterized")
        }
        return self._surface(C, extent, cmap, norm, vmin, vmax, dict(known, alpha=alpha))

    pcolor = pcolormesh

    def _surface(self, C, extent, cmap, norm, vmin, vmax, given):
        image = AxesImage(self, C, extent, "lower", cmap, norm, vmin, vmax, given)
        self._mapped = image
        return self._add(image)

    def contour(self, *args, levels=None, colors=None, cmap=None, norm=None, vmin=None, vmax=None,
                alpha=None, linewidths=None, linestyles=None, **kwargs):
        """The lines of a surface at levels. >>> plt.contour([[0, 1], [2, 3]]).levels"""
        args, levels = (
            (args[:-1], args[-1]) if len(args) in (2, 4) and levels is None else (args, levels)
        )
        x, y, Z = surface(args)
        options(
            "ContourSet", kwargs, ("origin", "extent", "extend", "zorder", "locator", "antialiased")
        )
        found = ContourSet(self, levels_of(Z, levels), False, cmap, norm, vmin, vmax, colors)
        for i, level in enumerate(found.levels.tolist()):
            wide = (
                linewidths[i % len(linewidths)]
                if isinstance(linewidths, (list, tuple))
                else linewidths
            )
            dash = (
                linestyles[i % len(linestyles)]
                if isinstance(linestyles, (list, tuple))
                else linestyles
            )
            pieces = lines_at(x, y, Z, level)
            given = {
                "color": found.colour_at(i),
                "linewidth": wide,
                "linestyle": dash,
                "alpha": alpha,
            }
            found.parts.append(self._add(Segments(self, *pieces, given)))
        self._outline(x, y)
        self._mapped = found
        return found

    def contourf(self, *args, levels=None, colors=None, cmap=None, norm=None, vmin=None, vmax=None,
                 alpha=None, **kwargs):
        """The areas of a surface between levels. >>> plt.contourf([[0, 1], [2, 3]]).levels"""
        args, levels = (
            (args[:-1], args[-1]) if len(args) in (2, 4) and levels is None else (args, levels)
        )
        x, y, Z = surface(args)
        options(
            "ContourSet",
            kwargs,
            ("origin", "extent", "extend", "hatches", "zorder", "locator", "antialiased"),
        )
        found = ContourSet(self, levels_of(Z, levels), True, cmap, norm, vmin, vmax, colors)
        n = max(len(found.levels) - 1, 1)
        cells = raster(x, y, Z, 200)
        band = np.searchsorted(found.levels, cells, "right") - 1.0
        band = np.where(cells == found.levels[-1], n - 1, band)
        low = float(n if kwargs.get("extend") in ("both", "min") else 0)
        band = np.where(
            np.isnan(cells) | (band >= n) & (low == 0) | (band < 0) & (low == 0),
            np.nan,
            np.clip(band, 0, n - 1),
        )
        colours = ListedColormap([found.colour_at(i) for i in range(n)])
        extent = [float(x[0]), float(x[-1]), float(y[0]), float(y[-1])]
        image = AxesImage(
            self, band, extent, "lower", colours, None, 0, max(n - 1, 1),
            {"alpha": alpha, "interpolation": "bilinear"},
        )
        found.parts.append(self._add(image))
        self._outline(x, y)
        self._mapped = found
        return found

    def _outline(self, x, y):
        self._tight.append((float(x.min()), float(x.max()), float(y.min()), float(y.max())))

    def clabel(self, CS, levels=None, *, fontsize=None, inline=True, fmt="%g", **kwargs):
        """Accepted; the lines carry no numbers here.
        >>> plt.clabel(plt.contour([[0, 1], [2, 3]]))"""
        return []
