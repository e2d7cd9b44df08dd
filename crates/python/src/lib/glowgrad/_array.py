"""What `tensor.numpy()` gives: an array shaped like NumPy's, on the tensor's own memory.

It has an array's attributes, indexing, arithmetic, reductions and printing, so that code that ends in
NumPy ends here the same way. The numbers and the work are the tensor's.
"""

import _glowgrad as _C

_CODES = {
    "bool": "|b1", "uint8": "|u1", "int8": "|i1", "uint16": "<u2", "int16": "<i2", "uint32": "<u4",
    "int32": "<i4", "uint64": "<u8", "int64": "<i8", "float16": "<f2", "float32": "<f4",
    "float64": "<f8",
}
_NAMES = {code[1:]: name for name, code in _CODES.items()}


class dtype:
    """An element type, by NumPy's name."""

    def __init__(self, name):
        name = str(name).replace("torch.", "")
        name = _NAMES.get(name.lstrip("<|="), name)
        if name not in _CODES:
            raise TypeError(
                f"data type {name!r} not understood: NumPy has {', '.join(_CODES)}; "
                "convert the tensor first, such as .float()"
            )
        self.name = name
        self.str = _CODES[name]
        self.itemsize = int(self.str[2:])
        self.kind = self.str[1]

    def __repr__(self):
        return f"dtype('{self.name}')"

    def __str__(self):
        return self.name

    def __eq__(self, other):
        return self.name == str(other).replace("torch.", "")

    def __hash__(self):
        return hash(self.name)


def _plain(value):
    return value._glowgrad_tensor if isinstance(value, ndarray) else value


def _operator(name):
    def method(self, other):
        result = getattr(self._glowgrad_tensor, name)(_plain(other))
        return result if result is NotImplemented else ndarray(result)

    return method


def _reduction(name):
    def method(self, axis=None, keepdims=False):
        reduce = getattr(self._glowgrad_tensor, name)
        if axis is None:
            return _scalar(reduce())
        result = reduce(dim=axis, keepdim=keepdims)
        return _scalar(result if hasattr(result, "shape") else result.values)

    return method


def _scalar(tensor):
    return tensor.item() if tensor.ndim == 0 else ndarray(tensor)


class ndarray:
    """An array on a tensor's memory: what is written here is written there."""

    __array_priority__ = 1.0

    def __init__(self, tensor):
        self._glowgrad_tensor = tensor
        self.dtype = dtype(tensor.dtype)

    @property
    def shape(self):
        return tuple(self._glowgrad_tensor.shape)

    @property
    def ndim(self):
        return self._glowgrad_tensor.ndim

    @property
    def size(self):
        return self._glowgrad_tensor.numel()

    @property
    def itemsize(self):
        return self.dtype.itemsize

    @property
    def nbytes(self):
        return self.size * self.itemsize

    @property
    def strides(self):
        """Steps in bytes, as NumPy counts them."""
        return tuple(step * self.itemsize for step in self._glowgrad_tensor.stride())

    @property
    def T(self):
        return self.transpose()

    def transpose(self, *axes):
        axes = axes or tuple(reversed(range(self.ndim)))
        return ndarray(self._glowgrad_tensor.permute(*axes))

    def reshape(self, *shape):
        return ndarray(self._glowgrad_tensor.reshape(*shape))

    def ravel(self):
        return self.reshape(-1)

    def copy(self):
        return ndarray(self._glowgrad_tensor.clone())

    def astype(self, to):
        return ndarray(self._glowgrad_tensor.to(getattr(_C, dtype(to).name)).clone())

    def tolist(self):
        return self._glowgrad_tensor.tolist()

    def item(self, *index):
        return (self._glowgrad_tensor[index] if index else self._glowgrad_tensor).item()

    def tobytes(self):
        return self._glowgrad_tensor._bytes()

    def fill(self, value):
        self._glowgrad_tensor.fill_(value)

    def __len__(self):
        return len(self._glowgrad_tensor)

    def __iter__(self):
        return (self[i] for i in range(len(self)))

    def __getitem__(self, index):
        index = tuple(map(_plain, index)) if isinstance(index, tuple) else _plain(index)
        return _scalar(self._glowgrad_tensor[index])

    def __setitem__(self, index, value):
        index = tuple(map(_plain, index)) if isinstance(index, tuple) else _plain(index)
        self._glowgrad_tensor[index] = _plain(value)

    def __neg__(self):
        return ndarray(-self._glowgrad_tensor)

    def __abs__(self):
        return ndarray(self._glowgrad_tensor.abs())

    def __bool__(self):
        if self.size != 1:
            raise ValueError(
                "The truth value of an array with more than one element is ambiguous. "
                "Use a.any() or a.all()"
            )
        return bool(self.item())

    def __float__(self):
        return float(self.item())

    def __int__(self):
        return int(self.item())

    def __repr__(self):
        ends = "" if self.dtype.name in ("float64", "int64", "bool") else f", dtype={self.dtype}"
        if self.size == 0:
            shape = "" if self.ndim == 1 else f", shape={self.shape}"
            return f"array([]{shape}, dtype={self.dtype})"
        return f"array({_text(self, ', ', 'array(')}{ends})"

    def __str__(self):
        return _text(self, " ", "")


for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor"):
    setattr(ndarray, f"__{_name}__", _operator(f"__{_name}__"))
    setattr(ndarray, f"__r{_name}__", _operator(f"__r{_name}__"))
for _name in ("lt", "le", "gt", "ge", "eq", "ne"):
    setattr(ndarray, f"__{_name}__", _operator(f"__{_name}__"))
for _name in ("sum", "mean", "prod", "max", "min", "all", "any", "argmax", "argmin"):
    setattr(ndarray, _name, _reduction(_name))


# Printing, by the rules of NumPy's default options.

_PRECISION, _THRESHOLD, _EDGE, _WIDTH = 8, 1000, 3, 75


def _text(array, separator, prefix):
    tensor = array._glowgrad_tensor
    rows = _corners(tensor) if array.size > _THRESHOLD else tensor
    words = _words(rows, array.dtype.kind)
    if array.ndim == 0:
        return words[0].strip() if words else ""
    marks = [n > 2 * _EDGE and array.size > _THRESHOLD for n in array.shape]
    return _nested(words, list(rows.shape), marks, separator, len(prefix) + 1)[0]


def _corners(tensor):
    """Only the elements that are shown."""
    for dim, n in enumerate(tensor.shape):
        if n > 2 * _EDGE:
            ends = [tensor.narrow(dim, 0, _EDGE), tensor.narrow(dim, n - _EDGE, _EDGE)]
            tensor = _C.cat(ends, dim)
    return tensor


def _nested(words, shape, marks, separator, indent):
    """The words of a block between brackets, and those that are left."""
    n, inner = shape[0], shape[1:]
    if not inner:
        row, words = words[:n], words[n:]
        if marks[0]:
            row = row[:_EDGE] + ["..."] + row[_EDGE:]
        lines, line = [], ""
        for word in row:
            if line and indent + len(line) + len(word) + len(separator) > _WIDTH:
                lines.append(line.rstrip(" "))
                line = ""
            line += word + separator
        lines.append(line[: len(line) - len(separator)])
        return "[" + ("\n" + " " * indent).join(lines) + "]", words
    blocks = []
    for _ in range(n):
        block, words = _nested(words, inner, marks[1:], separator, indent + 1)
        blocks.append(block)
    if marks[0]:
        blocks = blocks[:_EDGE] + ["..."] + blocks[_EDGE:]
    between = separator.rstrip() + "\n" * len(inner) + " " * indent
    return "[" + between.join(blocks) + "]", words


def _words(tensor, kind):
    values = tensor.reshape(-1)._shortest()
    if kind == "f":
        return _float_words(values)
    texts = [str(value) for value in values]
    width = max(map(len, texts), default=0)
    return [text.rjust(width) for text in texts]


def _float_words(values):
    finite = [abs(x) for x in values if x == x and abs(x) != float("inf")]
    sizes = [x for x in finite if x]
    scientific = sizes and (
        max(sizes) >= 1e8 or min(sizes) < 1e-4 or max(sizes) / min(sizes) > 1000
    )
    texts = []
    for x in values:
        if x != x or abs(x) == float("inf"):
            texts.append((None, "nan" if x != x else "inf" if x > 0 else "-inf", ""))
        elif scientific:
            mantissa, exponent = ("%.*e" % (_PRECISION, x)).split("e")
            whole, part = mantissa.split(".")
            texts.append((whole, part.rstrip("0"), f"e{exponent}"))
        else:
            whole, part = ("%.*f" % (_PRECISION, x)).split(".")
            texts.append((whole, part.rstrip("0"), ""))
    longest = max([len(part) for whole, part, _ in texts if whole is not None], default=0)
    words = []
    for whole, part, exponent in texts:
        if whole is None:
            words.append((part, True))
            continue
        fill = "0" if exponent else " "
        words.append((f"{whole}.{part}{fill * (longest - len(part))}{exponent}", False))
    width = max((len(word) for word, _ in words), default=0)
    return [word.rjust(width) for word, _ in words]
