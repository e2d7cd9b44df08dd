"""What lies under the numbers: the bytes of a tensor, and the limits of a dtype.

`Tensor.untyped_storage`, `finfo` and `iinfo`, as PyTorch names them.
"""

import _glowgrad as _C


class UntypedStorage:
    """The row of bytes that a tensor and its views share.

    >>> torch.UntypedStorage(torch.zeros(3)).nbytes()
    """

    __module__ = "torch.storage"

    def __init__(self, tensor):
        self._tensor = tensor.detach()

    def nbytes(self):
        return self._tensor._storage_bytes()

    size = __len__ = nbytes

    def element_size(self):
        return 1

    def data_ptr(self):
        """Where the first byte is: equal for tensors that share their bytes."""
        return self._tensor._storage_id()

    def tolist(self):
        """Every byte as a number from 0 to 255."""
        whole = self._tensor
        n = self.nbytes() // whole.element_size()
        return list(whole.as_strided((n,), (1,), 0)._bytes())

    def __reduce_ex__(self, protocol):
        from glowgrad import _legacy_files, _utils

        return _utils._load_from_bytes, (_legacy_files.dumps(self),)

    def __iter__(self):
        return iter(self.tolist())

    def __getitem__(self, index):
        if isinstance(index, slice):
            raise TypeError("untyped_storage: one byte at a time, or .tolist() for all of them")
        return self.tolist()[index]

    def __repr__(self):
        lines = "\n ".join(map(str, self.tolist()))
        return f" {lines}\n[torch.storage.UntypedStorage(device=cpu) of size {self.nbytes()}]"


# The bits behind the point, the largest exponent, and the digits that survive being written down.
_FLOATS = {
    "float16": (10, 15, 1e-3),
    "bfloat16": (7, 127, 1e-2),
    "float32": (23, 127, 1e-6),
    "float64": (52, 1023, 1e-15),
}


class finfo:
    """The limits of a floating-point dtype: `finfo(torch.float32).eps`.

    >>> torch.finfo(torch.float32).eps
    """

    __module__ = "torch"

    def __init__(self, type=_C.float32):
        if not isinstance(type, _C.dtype) or type.name not in _FLOATS:
            raise TypeError(
                f"torch.finfo() requires a floating point input type, such as torch.float32; got {type!r}"
            )
        fraction, exponent, self.resolution = _FLOATS[type.name]
        self.bits, self.dtype = 8 * type.itemsize, type.name
        self.eps = 2.0**-fraction
        self.max = (2.0 - self.eps) * 2.0**exponent
        self.min = -self.max
        self.tiny = self.smallest_normal = 2.0 ** (1 - exponent)

    def __repr__(self):
        names = ("resolution", "min", "max", "eps", "smallest_normal", "tiny")
        limits = ", ".join(f"{name}={getattr(self, name):g}" for name in names)
        return f"finfo({limits}, dtype={self.dtype})"


class iinfo:
    """The limits of a dtype of integers: `iinfo(torch.int8).max`.

    >>> torch.iinfo(torch.int8).max
    """

    __module__ = "torch"

    def __init__(self, type):
        if not isinstance(type, _C.dtype) or type.is_floating_point or type is _C.bool:
            raise TypeError(
                f"torch.iinfo() requires an integer input type, such as torch.int32; got {type!r}"
            )
        self.bits, self.dtype = 8 * type.itemsize, type.name
        magnitude = self.bits - (1 if type.is_signed else 0)
        self.max = 2**magnitude - 1
        self.min = -(2**magnitude) if type.is_signed else 0

    def __repr__(self):
        return f"iinfo(min={self.min:g}, max={self.max:g}, dtype={self.dtype})"
