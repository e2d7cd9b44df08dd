"""Colour maps by name: `plt.cm.viridis`."""

from matplotlib.colors import get_cmap, names


class ScalarMappable:
    """Numbers as colours, for a colour bar. >>> plt.cm.ScalarMappable(cmap="gray").to_rgba(0.5)"""

    def __init__(self, norm=None, cmap=None):
        from matplotlib._artists import Mapped

        Mapped._map(self, None, cmap, norm, None, None)
        self.axes = None

    def to_rgba(self, x, alpha=None, bytes=False, norm=True):
        """The colours of numbers."""
        return self.cmap(self.norm(x) if norm else x, alpha, bytes)

    def set_array(self, A):
        """The numbers."""
        import numpy as np

        self._array = np.asarray(A)
        if self._array.size:
            self.norm.autoscale_None(self._array)

    def set_clim(self, vmin=None, vmax=None):
        """The numbers at the ends of the colours."""
        self.norm.vmin, self.norm.vmax = vmin, vmax

    def scale(self):
        """The colours and their ends."""
        from matplotlib._artists import Mapped

        return Mapped.scale(self)


def __getattr__(name):
    if name in names():
        return get_cmap(name)
    raise AttributeError(f"module 'matplotlib.cm' has no attribute {name!r}")
