"""Tables of comma-separated values, read from files."""

import os

from glowgrad._codec import decode


class Table(dict):
    """Columns by name: float64 where every field is a number, else int64, the place of the field in `labels`.

    `labels` has the texts of each such column, in the order of their characters.

    >>> table = torch.datasets.load_csv(text="length,kind\\n1.5,oak\\n2,ash\\n")
    >>> table.labels
    """

    def __init__(self, columns, labels):
        super().__init__(columns)
        self.labels = labels

    def matrix(self, columns=None, dtype=None):
        """Columns side by side, [rows, columns]: those named, or all; float32 unless another dtype is given.

        >>> table = torch.datasets.load_csv(text="a,b\\n1,2\\n3,4\\n")
        >>> table.matrix(["a", "b"])
        """
        import glowgrad as torch

        names = list(self) if columns is None else columns
        for name in names:
            if name not in self:
                raise KeyError(f"no column {name!r}; the table has {', '.join(map(repr, self))}")
        return torch.stack([self[name] for name in names], 1).to(dtype or torch.float32)


def load_csv(path=None, *, text=None, header=True, delimiter=","):
    """The table in a file, or in a text.

    `header` says whether the first line names the columns, which are "0", "1" … otherwise.

    >>> table = torch.datasets.load_csv(text="length,kind\\n1.5,oak\\n2,ash\\n")
    >>> table["length"], table["kind"]
    """
    if (path is None) == (text is None):
        raise TypeError("load_csv() takes either a path or text=")
    if text is None:
        with open(os.fspath(path), "rb") as file:
            data = file.read()
    else:
        data = text.encode()
    decoded = decode("csv", data, header=int(bool(header)), delimiter=delimiter)
    return Table(decoded.tensors, decoded.labels)
