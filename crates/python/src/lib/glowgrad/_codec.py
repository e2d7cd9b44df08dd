"""Tensors from the bytes of files, and back. The formats are Rust's: `crates/files/src/codec.rs` says how they are asked.

A file that cannot be read raises ValueError, which begins with the format and says what is wrong.
"""

import os

import _files
import _glowgrad as _C


class Decoded:
    """What a file holds: `tensors` as pairs of names and tensors in the file's order, `metadata` and `labels`."""

    def __init__(self, tensors, metadata, labels):
        self.tensors, self.metadata, self.labels = tensors, metadata, labels

    @property
    def only(self):
        """The tensor of a format that holds one."""
        return self.tensors[0][1]


_ESCAPES = (("\\", "\\\\"), ("\t", "\\t"), ("\n", "\\n"), ("\r", "\\r"))


def _line(*fields):
    fields = [str(field) for field in fields]
    for plain, escaped in _ESCAPES:
        fields = [field.replace(plain, escaped) for field in fields]
    return "\t".join(fields)


def _plain(field):
    if "\\" not in field:
        return field
    parts = field.split("\\\\")
    for plain, escaped in _ESCAPES[1:]:
        parts = [part.replace(escaped, plain) for part in parts]
    return "\\".join(parts)


def fields(line):
    """The fields of a line."""
    return [_plain(field) for field in line.split("\t")]


def asked(request, data):
    """The text and the bytes that answer a request."""
    return _files.codec(request, data)


def decode(format, data, **options):
    """Reads a file of this format: safetensors, npy, npz, idx, cifar (classes=), image, csv (header=, delimiter=)."""
    request = [_line("decode", format), *[_line("option", name, value) for name, value in options.items()]]
    text, data = _files.codec("\n".join(request), data)
    tensors, metadata, labels, start = [], None, {}, 0
    for line in text.split("\n")[:-1]:
        kind, name, *more = fields(line)
        if kind == "array":
            dtype, *shape = more
            tensor, start = _tensor(format, data, start, getattr(_C, dtype), [int(n) for n in shape])
            tensors.append((name, tensor))
        elif kind == "metadata":
            metadata = {**(metadata or {}), name: more[0]}
        else:
            labels.setdefault(name, []).append(more[0])
    return Decoded(tensors, metadata, labels)


def _tensor(format, data, start, dtype, shape):
    count = 1
    for n in shape:
        count *= n
    try:
        if count == 0:
            return _C.full(shape, 0, dtype, False), start
        return _C.frombuffer(data, dtype, count, start).reshape(shape), start + count * dtype.itemsize
    except (RuntimeError, TypeError) as error:
        raise ValueError(f"{format}: a tensor of shape {tuple(shape)} cannot be: {error}") from None


def write_whole(path, data):
    """Writes a file: until the new one is whole, an old one stays."""
    path = os.fspath(path)
    with open(path + ".part", "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    os.replace(path + ".part", path)


def encode(format, tensors, metadata=None):
    """The bytes of a file of this format with tensors by name: safetensors, npy, npz, npz-deflated, idx, png."""
    request, parts = [_line("encode", format)], []
    for name, tensor in tensors:
        tensor = tensor.detach()
        request.append(_line("array", name, tensor.dtype.name, *tensor.shape))
        parts.append(tensor._bytes())
    request += [_line("metadata", name, text) for name, text in (metadata or {}).items()]
    return _files.codec("\n".join(request), b"".join(parts))[1]
