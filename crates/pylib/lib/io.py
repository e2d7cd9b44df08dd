"""`io`: streams. Files are the host's (`_files`); buffers and text are RustPython's own."""

import _files
import abc
from _io import (
    DEFAULT_BUFFER_SIZE, BlockingIOError, BufferedRandom, BufferedReader, BufferedRWPair,
    BufferedWriter, BytesIO, IncrementalNewlineDecoder, StringIO, TextIOWrapper,
    UnsupportedOperation, _BufferedIOBase, _IOBase, _RawIOBase, _TextIOBase, text_encoding,
)

__all__ = [
    "BlockingIOError", "open", "open_code", "IOBase", "RawIOBase", "FileIO", "BytesIO", "StringIO",
    "BufferedIOBase", "BufferedReader", "BufferedWriter", "BufferedRWPair", "BufferedRandom",
    "TextIOBase", "TextIOWrapper", "UnsupportedOperation", "SEEK_SET", "SEEK_CUR", "SEEK_END",
    "DEFAULT_BUFFER_SIZE", "IncrementalNewlineDecoder", "text_encoding",
]

SEEK_SET, SEEK_CUR, SEEK_END = 0, 1, 2


class IOBase(_IOBase, metaclass=abc.ABCMeta):
    """The base of all streams."""


class RawIOBase(_RawIOBase, IOBase):
    """The base of streams of bytes without a buffer."""


class BufferedIOBase(_BufferedIOBase, IOBase):
    """The base of streams of bytes with a buffer."""


class TextIOBase(_TextIOBase, IOBase):
    """The base of streams of text."""


for _class in (BytesIO, BufferedReader, BufferedWriter, BufferedRandom, BufferedRWPair):
    BufferedIOBase.register(_class)
for _class in (StringIO, TextIOWrapper):
    TextIOBase.register(_class)
del _class


class FileIO(_RawIOBase):
    """A file of the host without a buffer."""

    def __init__(self, file, mode="r", closefd=True, opener=None):
        kinds = [letter for letter in mode if letter in "rwxa"]
        if len(kinds) != 1 or set(mode) - set("rwxab+") or mode.count("+") > 1:
            raise ValueError(
                "Must have exactly one of create/read/write/append mode and at most one plus"
                if not set(mode) - set("rwxab+") else f"invalid mode: {mode}"
            )
        kind, plus = kinds[0], "+" in mode
        self._reads, self._writes = kind == "r" or plus, kind != "r" or plus
        flags = _files.O_RDWR if plus else _files.O_RDONLY if kind == "r" else _files.O_WRONLY
        flags |= {
            "r": 0, "w": _files.O_CREAT | _files.O_TRUNC, "x": _files.O_CREAT | _files.O_EXCL,
            "a": _files.O_CREAT | _files.O_APPEND,
        }[kind]
        self.name, self._kind, self._closefd = file, kind, closefd
        if isinstance(file, int) and not isinstance(file, bool):
            _files.fstat(file)
            self._fd = file
        else:
            path = _path(file)
            try:
                self._fd = opener(file, flags) if opener else _files.open(path, flags)
            except OSError as error:
                # The name as it was given.
                if error.filename is not None:
                    error.filename = file
                raise
        if kind == "a":
            _files.lseek(self._fd, 0, SEEK_END)

    def _check(self):
        if self.closed:
            raise ValueError("I/O operation on closed file")

    @property
    def mode(self):
        plus = self._reads and self._writes
        return {"r": "rb", "w": "wb", "x": "xb", "a": "ab"}[self._kind] + ("+" if plus else "")

    @property
    def closefd(self):
        return self._closefd

    def readable(self):
        self._check()
        return self._reads

    def writable(self):
        self._check()
        return self._writes

    def seekable(self):
        self._check()
        return True

    def fileno(self):
        self._check()
        return self._fd

    def isatty(self):
        self._check()
        return False

    def read(self, size=-1):
        self._check()
        if not self._reads:
            raise UnsupportedOperation("File not open for reading")
        if size is None or size < 0:
            return self.readall()
        return _files.read(self._fd, size)

    def readall(self):
        self._check()
        if not self._reads:
            raise UnsupportedOperation("File not open for reading")
        pieces = []
        while piece := _files.read(self._fd, 1 << 20):
            pieces.append(piece)
        return b"".join(pieces)

    def readinto(self, buffer):
        view = memoryview(buffer).cast("B")
        data = self.read(len(view))
        view[:len(data)] = data
        return len(data)

    def write(self, data):
        self._check()
        if not self._writes:
            raise UnsupportedOperation("File not open for writing")
        return _files.write(self._fd, data)

    def seek(self, offset, whence=SEEK_SET):
        self._check()
        return _files.lseek(self._fd, offset, whence)

    def tell(self):
        return self.seek(0, SEEK_CUR)

    def truncate(self, size=None):
        self._check()
        if not self._writes:
            raise UnsupportedOperation("File not open for writing")
        size = self.tell() if size is None else size
        _files.ftruncate(self._fd, size)
        return size

    def close(self):
        if not self.closed:
            try:
                super().close()
            finally:
                if self._closefd:
                    _files.close(self._fd)

    def __repr__(self):
        if self.closed:
            return "<_io.FileIO [closed]>"
        return f"<_io.FileIO name={self.name!r} mode={self.mode!r} closefd={self._closefd}>"


def _path(file):
    if isinstance(file, bytes):
        return file.decode()
    if isinstance(file, str):
        return file
    convert = getattr(type(file), "__fspath__", None)
    if convert is None:
        raise TypeError(f"expected str, bytes or os.PathLike object, not {type(file).__name__}")
    return _path(convert(file))


def open(file, mode="r", buffering=-1, encoding=None, errors=None, newline=None, closefd=True,
         opener=None):
    """Opens a file: text, or bytes where the mode has a `b`."""
    if not isinstance(mode, str):
        raise TypeError(f"open() argument 'mode' must be str, not {type(mode).__name__}")
    kinds = set(mode)
    if kinds - set("axrwb+t") or len(mode) > len(kinds):
        raise ValueError(f"invalid mode: {mode!r}")
    binary, text = "b" in kinds, "t" in kinds
    if binary and text:
        raise ValueError("can't have text and binary mode at once")
    if len(kinds & set("axrw")) != 1:
        raise ValueError("must have exactly one of create/read/write/append mode")
    for name, given in (("encoding", encoding), ("errors", errors), ("newline", newline)):
        if binary and given is not None:
            raise ValueError(f"binary mode doesn't take {'an' if name[0] == 'e' else 'a'} {name} argument")
    raw = FileIO(file, "".join(letter for letter in mode if letter not in "bt"), closefd, opener)
    try:
        if buffering == 0:
            if not binary:
                raise ValueError("can't have unbuffered text I/O")
            return raw
        size = DEFAULT_BUFFER_SIZE if buffering in (-1, 1) else buffering
        if "+" in kinds:
            buffer = BufferedRandom(raw, size)
        elif "r" in kinds:
            buffer = BufferedReader(raw, size)
        else:
            buffer = BufferedWriter(raw, size)
        if binary:
            return buffer
        stream = TextIOWrapper(buffer, encoding or "utf-8", errors, newline, buffering == 1)
        stream.mode = mode
        return stream
    except BaseException:
        raw.close()
        raise


def open_code(path):
    """Opens a file of code."""
    return open(path, "rb")
