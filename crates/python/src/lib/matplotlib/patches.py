"""Shapes for `ax.add_patch`: rectangles, circles, polygons."""

import numpy as np
from matplotlib._shapes import Polygon, Rectangle


class Ellipse(Polygon):
    """An ellipse. >>> plt.gca().add_patch(matplotlib.patches.Ellipse((0, 0), 2, 1))"""

    def __init__(self, xy, width, height, *, angle=0, **kwargs):
        t = np.linspace(0, 2 * np.pi, 73)
        a, b, turn = width / 2 * np.cos(t), height / 2 * np.sin(t), np.deg2rad(angle)
        x = xy[0] + a * np.cos(turn) - b * np.sin(turn)
        y = xy[1] + a * np.sin(turn) + b * np.cos(turn)
        super().__init__(np.stack([x, y], 1), **kwargs)


class Circle(Ellipse):
    """A circle. >>> plt.gca().add_patch(plt.Circle((0, 0), 1))"""

    def __init__(self, xy, radius=5, **kwargs):
        super().__init__(xy, 2 * radius, 2 * radius, **kwargs)


class Wedge(Polygon):
    """A piece of a circle. >>> plt.gca().add_patch(matplotlib.patches.Wedge((0, 0), 1, 0, 90))"""

    def __init__(self, center, r, theta1, theta2, *, width=None, **kwargs):
        t = np.deg2rad(np.linspace(theta1, theta2, 37))
        inner = 0.0 if width is None else r - width
        out = np.stack([center[0] + r * np.cos(t), center[1] + r * np.sin(t)], 1)
        back = np.stack(
            [center[0] + inner * np.cos(t[::-1]), center[1] + inner * np.sin(t[::-1])], 1
        )
        super().__init__(np.concatenate([out, back]), **kwargs)


class Patch(Rectangle):
    """A colour for a legend.
    >>> plt.legend(handles=[matplotlib.patches.Patch(color="red", label="a")])"""

    def __init__(self, **kwargs):
        super().__init__((0, 0), 0, 0, **kwargs)


class FancyArrowPatch(Polygon):
    """An arrow, drawn as a line. >>> matplotlib.patches.FancyArrowPatch((0, 0), (1, 1))"""

    def __init__(self, posA, posB, *, arrowstyle=None, mutation_scale=1, connectionstyle=None,
                 **kwargs):
        super().__init__([posA, posB], **kwargs)
