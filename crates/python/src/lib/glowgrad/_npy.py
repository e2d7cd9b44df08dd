"""NumPy's file format, `.npy`: a tensor from the bytes of a file, and the bytes of a tensor."""

import ast as _ast

import _glowgrad as _C

_CODES = {
    "bool": "|b1", "uint8": "|u1", "int8": "|i1", "uint16": "<u2", "int16": "<i2", "uint32": "<u4",
    "int32": "<i4", "uint64": "<u8", "int64": "<i8", "float16": "<f2", "float32": "<f4",
    "float64": "<f8",
}
_NAMES = {code[1:]: name for name, code in _CODES.items()}

_MAGIC = b"\x93NUMPY"
# As in NumPy.
_MOST_DIMENSIONS = 64


def load_npy(data):
    """The tensor in the bytes of an `.npy` file."""
    data = bytes(data)
    if data[:6] != _MAGIC:
        raise ValueError(
            f"load_npy: these {len(data)} bytes are not an .npy file, which begins with \\x93NUMPY; "
            "numpy.save writes one"
        )
    version = data[6:7]
    if version not in (b"\x01", b"\x02", b"\x03"):
        raise ValueError(
            f"load_npy: the file says that it has version {version!r}; 1, 2 and 3 are read"
        )
    start = 10 if version == b"\x01" else 12
    end = start + int.from_bytes(data[8:start], "little")
    descr, shape, fortran = _fields("".join(map(chr, data[start:end])))
    kind = getattr(_C, _NAMES[descr[1:]])
    size = int(descr[2:])
    count = 1
    for n in shape:
        count *= n
    if count * size != len(data) - end:
        raise ValueError(
            f"load_npy: shape {tuple(shape)} of {descr} takes {count * size} bytes, "
            f"and {max(0, len(data) - end)} follow the header"
        )
    try:
        return _elements(data, end, count, shape, kind, size, descr[0] == ">", fortran)
    except (RuntimeError, TypeError) as error:
        raise ValueError(f"load_npy: a tensor of shape {tuple(shape)} cannot be: {error}") from None


def _fields(header):
    """Type, shape and order, as the header of an `.npy` file says them."""
    try:
        fields = _ast.literal_eval(header.strip())
        descr, shape, fortran = fields["descr"], fields["shape"], fields["fortran_order"]
        if type(shape) is not tuple or not all(type(n) is int for n in shape):
            raise ValueError(shape)
    except (ValueError, KeyError, TypeError, RecursionError):
        raise ValueError(f"load_npy: the header cannot be read: {header[:80]!r}") from None
    if not isinstance(descr, str) or descr[:1] not in tuple("<>|=") or descr[1:] not in _NAMES:
        raise ValueError(
            f"load_npy: elements of type {repr(descr)[:80]} have no tensor; save numbers such as '<f4'"
        )
    if len(shape) > _MOST_DIMENSIONS:
        raise ValueError(
            f"load_npy: {len(shape)} dimensions; an .npy file has at most {_MOST_DIMENSIONS}"
        )
    for n in shape:
        if n < 0:
            raise ValueError(f"load_npy: the shape {tuple(shape)} has a negative size")
        if n >= 2**63:
            raise ValueError(f"load_npy: the shape has a size of 2**63 or more: {str(n)[:40]}")
    return descr, shape, fortran


def _elements(data, start, count, shape, kind, size, swapped, fortran):
    """The tensor of the bytes that follow the header."""
    if count == 0:
        return _C.full(shape, 0, kind, False)
    if swapped and size > 1:
        swapped = _C.frombuffer(data, _C.uint8, -1, start).reshape(-1, size).flip(1)
        flat = swapped.contiguous().view(kind).reshape(-1)
    else:
        flat = _C.frombuffer(data, kind, -1, start)
    if fortran and len(shape) > 1:
        return flat.reshape(shape[::-1]).permute(*reversed(range(len(shape))))
    return flat.reshape(shape)


def save_npy(tensor):
    """The bytes of an `.npy` file with this tensor."""
    tensor = tensor.detach()
    name = tensor.dtype.name
    if name not in _CODES:
        raise TypeError(
            f"data type '{name}' not understood: NumPy has {', '.join(_CODES)}; "
            "convert the tensor first, such as .float()"
        )
    code = _CODES[name]
    header = repr({"descr": code, "fortran_order": False, "shape": tuple(tensor.shape)})
    header = header[:-1] + ", }"
    fill = -(10 + len(header) + 1) % 64
    header = header + " " * fill + "\n"
    return _MAGIC + b"\x01\x00" + len(header).to_bytes(2, "little") + header.encode() + tensor._bytes()
