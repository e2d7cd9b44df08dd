"""Arrays in files: `.npy`, `.npz`, raw bytes, and tables of text."""

import os

import _glowgrad as _C
import numpy as np
from glowgrad._codec import decode, encode
from numpy._core import on_cpu, wrap
from numpy._ndarray import ndarray
from numpy._types import _dtype


def _read(file):
    """All the bytes of a path or an open file."""
    if hasattr(file, "read"):
        return file.read()
    with open(os.fspath(file), "rb") as stream:
        return stream.read()


def _write(file, data, suffix=""):
    _mapped.clear()
    if hasattr(file, "write"):
        file.write(data)
        return
    path = os.fspath(file)
    with open(path if path.endswith(suffix) else path + suffix, "wb") as stream:
        stream.write(data)


def save(file, arr, allow_pickle=True):
    """Writes an array into a file of kind `.npy`.

    >>> import io
    >>> np.save(io.BytesIO(), np.ones(3))
    """
    _write(file, encode("npy", [("", np.asarray(arr)._t)]), ".npy")


def _decoded(format, data):
    return on_cpu(decode, format, data).tensors


def load(file, mmap_mode=None, allow_pickle=False, fix_imports=True, encoding="ASCII", *,
         max_header_size=10000):
    """The array in a file of kind `.npy`, or the arrays in one of kind `.npz`.

    >>> import io
    >>> file = io.BytesIO()
    >>> np.save(file, np.ones(3))
    >>> file.seek(0)
    >>> np.load(file)
    """
    data = _read(file)
    if data[:4] == b"PK\x03\x04":
        return NpzFile(data)
    if data[:6] == b"\x93NUMPY":
        if hasattr(file, "seek"):
            file.seek(0, 2)
        return wrap(_decoded("npy", data)[0][1])
    if not data:
        raise EOFError("No data left in file")
    raise ValueError("This file contains pickled (object) data; arrays hold numbers here")


class NpzFile:
    """The arrays of a file of kind `.npz`, by their names."""

    def __init__(self, data):
        self._parts = dict(_decoded("npz", data))
        self.files = list(self._parts)

    def __getitem__(self, name):
        try:
            return wrap(self._parts[name.removesuffix(".npy")])
        except KeyError:
            raise KeyError(f"{name} is not a file in the archive") from None

    def __contains__(self, name):
        return name in self._parts

    def __iter__(self):
        return iter(self.files)

    def __len__(self):
        return len(self.files)

    def keys(self):
        return self.files

    def values(self):
        return [self[name] for name in self.files]

    def items(self):
        return [(name, self[name]) for name in self.files]

    def get(self, name, default=None):
        return self[name] if name in self else default

    def close(self):
        """Does nothing: the file was read at once."""

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        return None

    def __repr__(self):
        return f"NpzFile with keys: {', '.join(self.files)}"


def _savez(file, args, kwds, packed):
    named = dict(kwds)
    for i, each in enumerate(args):
        if f"arr_{i}" in named:
            raise ValueError(f"Cannot use un-named variables and keyword arr_{i}")
        named[f"arr_{i}"] = each
    arrays = [(name, np.asarray(each)._t) for name, each in named.items()]
    _write(file, encode("npz-deflated" if packed else "npz", arrays), ".npz")


def savez(file, *args, allow_pickle=True, **kwds):
    """Writes some arrays into a file of kind `.npz`. >>> np.savez"""
    _savez(file, args, kwds, False)


def savez_compressed(file, *args, allow_pickle=True, **kwds):
    """Writes some arrays into a packed file of kind `.npz`. >>> np.savez_compressed"""
    _savez(file, args, kwds, True)


def fromfile(file, dtype=float, count=-1, sep="", offset=0, *, like=None):
    """An array of the bytes in a file, or of the numbers in a text with a separator.

    >>> import io
    >>> np.fromfile(io.BytesIO(bytes([1, 0, 2, 0])), dtype=np.int16)
    """
    data = _read(file)[offset:]
    if sep:
        return np.fromstring(data.decode(), dtype=dtype, count=count, sep=sep)
    size = _dtype(dtype).itemsize
    count = len(data) // size if count < 0 else min(count, len(data) // size)
    return np.frombuffer(data[:count * size], dtype=dtype) if count else np.empty(0, dtype)


def tofile(array, fid, sep="", format="%s"):
    """What `ndarray.tofile` does."""
    if sep:
        text = sep.join([format % value for value in array.ravel().tolist()])
        if hasattr(fid, "write"):
            fid.write(text)
            return
        _write(fid, text.encode())
        return
    _write(fid, array.tobytes())


# The bytes of files that were mapped for reading, with the time and the size they had.
_mapped = {}


class memmap(ndarray):
    """An array of the bytes in a file; one for writing is written back by `flush`.

    >>> np.memmap
    """

    def __new__(cls, filename, dtype=np.uint8, mode="r+", offset=0, shape=None, order="C"):
        kinds = {"readonly": "r", "copyonwrite": "c", "readwrite": "r+", "write": "w+"}
        mode = kinds.get(mode, mode)
        if mode not in ("r", "c", "r+", "w+"):
            raise ValueError(
                "mode must be one of ['r', 'c', 'r+', 'w+', 'readonly', 'copyonwrite', "
                f"'readwrite', 'write'] (got {mode!r})"
            )
        if mode == "w+" and shape is None:
            raise ValueError("shape must be given if mode == 'w+'")
        path = os.fspath(filename)
        made = object.__new__(cls)
        if mode == "w+":
            flat = np.zeros(shape, dtype)._t
        else:
            flat = cls._flat(path, dtype, mode, offset)
            if shape is not None:
                sizes = (shape,) if isinstance(shape, int) else tuple(shape)
                count = 1
                for n in sizes:
                    count *= n
                flat = flat[:count].reshape(sizes)
        made._t, made.filename, made.mode, made.offset = flat, path, mode, offset
        if mode == "w+":
            made.flush()
        return made

    @staticmethod
    def _flat(path, dtype, mode, offset):
        status = os.stat(path)
        mark = status.st_mtime, status.st_size, str(_dtype(dtype)), offset
        if mode == "r" and path in _mapped and _mapped[path][0] == mark:
            return _mapped[path][1]
        flat = fromfile(path, dtype, offset=offset)._t
        if mode == "r":
            _mapped[path] = mark, flat
        return flat

    def flush(self):
        """Writes the array into its file.

        >>> np.memmap.flush
        """
        if self.mode not in ("r+", "w+"):
            return
        before = b""
        _mapped.clear()
        if self.offset:
            with open(self.filename, "rb") as stream:
                before = stream.read(self.offset)
        with open(self.filename, "wb") as stream:
            stream.write(before + self.tobytes())


def _lines(fname, comments, encoding):
    if isinstance(fname, (list, tuple)):
        lines = list(fname)
    else:
        data = _read(fname)
        lines = (data.decode(encoding or "utf-8") if isinstance(data, bytes) else data).split("\n")
    marks = () if comments is None else (comments,) if isinstance(comments, str) else comments
    for i, line in enumerate(lines):
        for mark in marks:
            line = line.split(mark, 1)[0]
        lines[i] = line.rstrip("\r")
    return lines


def _shaped(rows, dtype, unpack, ndmin):
    made = np.array(rows, dtype=dtype) if rows else np.empty((0, 0), dtype)
    if ndmin < 2 and 1 in made.shape:
        made = made.reshape([n for n in made.shape if n != 1] or ([1] if ndmin else []))
    return made.T if unpack else made


def loadtxt(fname, dtype=float, comments="#", delimiter=None, converters=None, skiprows=0,
            usecols=None, unpack=False, ndmin=0, encoding=None, max_rows=None, *, quotechar=None,
            like=None):
    """An array of the numbers in a text, one row on each line.

    >>> np.loadtxt(["1 2", "3 4"])
    """
    columns = [usecols] if isinstance(usecols, int) else usecols
    rows = []
    for line in _lines(fname, comments, encoding)[skiprows:]:
        if not line.strip():
            continue
        words = line.split(delimiter)
        picked = range(len(words)) if columns is None else columns
        row = []
        for column in picked:
            change = converters if callable(converters) else (converters or {}).get(column, float)
            try:
                row.append(change(words[column].strip()))
            except ValueError:
                raise ValueError(
                    f"could not convert string {words[column]!r} to {_dtype(dtype)} "
                    f"at row {len(rows)}, column {column + 1}."
                ) from None
        if rows and len(row) != len(rows[0]):
            raise ValueError(
                f"the number of columns changed from {len(rows[0])} to {len(row)} at row "
                f"{len(rows) + 1}; use `usecols` to select a subset and avoid this error"
            )
        rows.append(row)
        if max_rows is not None and len(rows) >= max_rows:
            break
    return _shaped(rows, dtype, unpack, ndmin)


def genfromtxt(fname, dtype=float, comments="#", delimiter=None, skip_header=0, skip_footer=0,
               converters=None, filling_values=None, usecols=None, unpack=False, max_rows=None,
               encoding=None, ndmin=0):
    """An array of the numbers in a text; NaN where there is none.

    >>> np.genfromtxt(["1,2", "3,"], delimiter=",")
    """
    empty = float("nan") if filling_values is None else filling_values

    def number(text):
        try:
            return float(text)
        except ValueError:
            return empty

    lines = _lines(fname, comments, encoding)[skip_header:]
    lines = [line for line in lines if line.strip()]
    lines = lines[:len(lines) - skip_footer]
    return loadtxt(
        lines, dtype, None, delimiter, converters or number, 0, usecols, unpack, ndmin,
        max_rows=max_rows,
    )


def savetxt(fname, X, fmt="%.18e", delimiter=" ", newline="\n", header="", footer="",
            comments="# ", encoding=None):
    """Writes an array of one or two axes as a text, one row on each line.

    >>> import io
    >>> file = io.StringIO()
    >>> np.savetxt(file, np.eye(2), fmt="%d")
    >>> file.getvalue()
    """
    rows = np.asarray(X)
    if rows.ndim not in (1, 2):
        raise ValueError(f"Expected 1D or 2D array, got {rows.ndim}D array instead")
    rows = (rows.reshape(-1, 1) if rows.ndim == 1 else rows).tolist()
    columns = len(rows[0]) if rows else 0
    if isinstance(fmt, (list, tuple)):
        fmt = delimiter.join(fmt)
    elif fmt.count("%") == 1:
        fmt = delimiter.join([fmt] * columns)
    text = [comments + line + newline for line in header.split("\n")] if header else []
    text += [fmt % tuple(row) + newline for row in rows]
    text += [comments + line + newline for line in footer.split("\n")] if footer else []
    text = "".join(text)
    if hasattr(fname, "write"):
        try:
            fname.write(text)
        except TypeError:
            fname.write(text.encode(encoding or "latin1"))
        return
    _write(fname, text.encode(encoding or "latin1"))
