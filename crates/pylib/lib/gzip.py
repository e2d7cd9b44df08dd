"""`gzip`: files that are compressed."""

import builtins
import io
import zlib

READ, WRITE = "rb", "wb"


class BadGzipFile(OSError):
    """A file that is no gzip file."""


def compress(data, compresslevel=9, *, mtime=0):
    """Bytes as a gzip file has them."""
    return zlib.compress(data, compresslevel, 31)


def decompress(data):
    """The bytes of a gzip file, of all its members."""
    out = []
    data = bytes(data)
    while data.strip(b"\0"):
        if data[:2] != b"\x1f\x8b":
            raise BadGzipFile(f"Not a gzipped file ({data[:2]!r})")
        stream = zlib.decompressobj(31)
        out.append(stream.decompress(data))
        if not stream.eof:
            raise EOFError("Compressed file ended before the end-of-stream marker was reached")
        data = stream.unused_data
    return b"".join(out)


class GzipFile(io.BytesIO):
    """A file of bytes that is compressed where it lies: read whole when opened, written whole when closed."""

    def __init__(self, filename=None, mode=None, compresslevel=9, fileobj=None, mtime=None):
        mode = (mode or "rb").replace("t", "")
        self.mode, self.name = mode, filename if filename is not None else ""
        self._level, self._writes = compresslevel, mode[0] in "wxa"
        self._file = fileobj
        self._own = fileobj is None
        if self._own:
            self._file = builtins.open(filename, mode if "b" in mode else mode + "b")
        if self._writes:
            super().__init__()
        else:
            super().__init__(decompress(self._file.read()))

    def readable(self):
        return not self._writes

    def writable(self):
        return self._writes

    def write(self, data):
        """Adds bytes."""
        if not self._writes:
            raise OSError(9, "write() on read-only GzipFile object")
        return super().write(data)

    def close(self):
        """Ends the file; one that was written is compressed now."""
        if self.closed:
            return
        if self._writes:
            self._file.write(compress(self.getvalue(), self._level))
        if self._own:
            self._file.close()
        super().close()

    def __exit__(self, *_):
        self.close()

    def __enter__(self):
        return self


def open(filename, mode="rb", compresslevel=9, encoding=None, errors=None, newline=None):
    """A gzip file, of bytes or (with "t" in the mode) of text."""
    if "t" in mode and "b" in mode:
        raise ValueError(f"Invalid mode: {mode!r}")
    if hasattr(filename, "read") or hasattr(filename, "write"):
        file = GzipFile(None, mode, compresslevel, filename)
    else:
        file = GzipFile(filename, mode, compresslevel)
    return io.TextIOWrapper(file, encoding, errors, newline) if "t" in mode else file

