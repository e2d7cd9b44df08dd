"""Tensors from the bytes of files, and back. The formats are Rust's, in `crates/files`.

A file that cannot be read raises ValueError, which begins with the format and says what is wrong.
"""

import json

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


def decode(format, data, **options):
    """Reads a file of this format: safetensors, npy, npz, idx, cifar (classes=), image, csv (header=, delimiter=)."""
    text, data = _files.codec(json.dumps({"decode": {"format": format, **options}}), data)
    answer = json.loads(text)
    tensors, start = [], 0
    for each in answer["arrays"]:
        dtype = getattr(_C, each["dtype"])
        tensor, start = _tensor(data, start, dtype, each["shape"])
        tensors.append((each["name"], tensor))
    return Decoded(tensors, answer.get("metadata"), answer.get("labels", {}))


def _tensor(data, start, dtype, shape):
    count = 1
    for n in shape:
        count *= n
    if count == 0:
        return _C.full(shape, 0, dtype, False), start
    end = start + count * dtype.itemsize
    return _C.frombuffer(data, dtype, count, start).reshape(shape), end


def encode(format, tensors, metadata=None):
    """The bytes of a file of this format with tensors by name: safetensors, npy, npz, npz-deflated, idx, png."""
    arrays, parts = [], []
    for name, tensor in tensors:
        tensor = tensor.detach()
        arrays.append({"name": name, "dtype": tensor.dtype.name, "shape": list(tensor.shape)})
        parts.append(tensor._bytes())
    request = {"format": format, "arrays": arrays, "metadata": metadata or {}}
    return _files.codec(json.dumps({"encode": request}), b"".join(parts))[1]
