"""Grids for axes of several cells."""


class GridSpec:
    """A grid: `fig.add_subplot(grid[0, :])`. >>> plt.figure().add_gridspec(2, 2)[0, :]"""

    def __init__(self, nrows, ncols, figure=None, left=None, bottom=None, right=None, top=None,
                 wspace=None, hspace=None, width_ratios=None, height_ratios=None):
        self.nrows, self.ncols, self.figure = nrows, ncols, figure

    def __getitem__(self, key):
        if not isinstance(key, tuple):
            if self.nrows == 1:
                key = (0, key)
            elif self.ncols == 1 or isinstance(key, slice):
                key = (key, slice(None) if self.ncols > 1 else 0)
            else:
                key = divmod(key, self.ncols)
        return SubplotSpec(
            self, *[_span(part, n) for part, n in zip(key, (self.nrows, self.ncols))]
        )

    def subplots(self, **kwargs):
        """Axes in all cells."""
        return self.figure.subplots(self.nrows, self.ncols, **kwargs)


def _span(part, n):
    if isinstance(part, slice):
        start, stop, _ = part.indices(n)
        return start, stop - start
    return (part + n if part < 0 else part), 1


class SubplotSpec:
    """Cells of a grid."""

    def __init__(self, grid, rows, columns):
        self._grid, self._rows, self._columns = grid, rows, columns

    def _span(self):
        grid = (self._grid.nrows, self._grid.ncols)
        return grid, (self._rows[0], self._columns[0], self._rows[1], self._columns[1])
