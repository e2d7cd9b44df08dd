"""`matplotlib.lines`: lines that are made by hand, for a legend."""

from matplotlib import _artists


class Line2D(_artists.Line2D):
    """A line. >>> from matplotlib.lines import Line2D"""

    def __init__(self, xdata, ydata, **kwargs):
        super().__init__(None, xdata, ydata, kwargs, color="C0", linestyle="-")
