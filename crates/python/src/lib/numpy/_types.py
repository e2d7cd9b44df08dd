"""Element types: `np.dtype`, the classes of scalars (`np.float64`, …), and in which type two meet.

A scalar is what an element becomes when it leaves its array: a number that knows its type. Here
every scalar is also one of Python's own numbers, so that it serves wherever a number is wanted.
"""

import _glowgrad as _C


class generic:
    """What all scalars are. >>> isinstance(np.float64(1), np.generic)"""

    shape, ndim, size, strides = (), 0, 1, ()
    base = None
    __array_priority__ = -1000000.0

    @property
    def dtype(self):
        """The type of the number. >>> np.float32(1).dtype"""
        return self._dtype

    @property
    def itemsize(self):
        """How many bytes it takes. >>> np.float32(1).itemsize"""
        return self._dtype.itemsize

    nbytes = itemsize
    T = real = property(lambda self: self, doc="The scalar itself. >>> np.float64(1).T")
    imag = property(lambda self: type(self)(0), doc="Zero. >>> np.float64(1).imag")

    def item(self, *index):
        """Python's number. >>> np.float32(1.5).item()"""
        return self._plain()

    tolist = item

    def copy(self, order="C"):
        """The scalar itself. >>> np.float64(1).copy()"""
        return self

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    def __reduce__(self):
        from numpy._core.multiarray import scalar

        return scalar, (self._dtype, _array(self).tobytes())

    def conjugate(self):
        """The scalar itself: numbers are real. >>> np.float64(1).conjugate()"""
        return self

    conj = conjugate

    def __getitem__(self, index):
        if index == ():
            return self
        if index is None or index is Ellipsis or isinstance(index, tuple):
            return _array(self)[index]
        raise IndexError("invalid index to scalar variable.")

    def __getattr__(self, name):
        """A method of arrays, of the array with this one number."""
        if name.startswith("_"):
            raise AttributeError(f"'numpy.{type(self).__name__}' object has no attribute '{name}'")
        try:
            method = getattr(_array(self), name)
        except AttributeError:
            raise AttributeError(
                f"'numpy.{type(self).__name__}' object has no attribute '{name}'"
            ) from None
        if not callable(method):
            return method

        def answer(*args, **kwargs):
            found = method(*args, **kwargs)
            return found[()] if hasattr(found, "ndim") and not found.ndim else found

        return answer

    def __array__(self, dtype=None, copy=None):
        return _array(self) if dtype is None else _array(self).astype(dtype)

    @property
    def _glowgrad_tensor(self):
        return _array(self)._glowgrad_tensor

    def __repr__(self):
        return f"np.{type(self).__name__}({str(self)})"

    def __str__(self):
        return str(self._plain())

    def __format__(self, spec):
        return format(self._plain(), spec)

    def __hash__(self):
        return hash(self._plain())

    def __bool__(self):
        return True if self._plain() else False


class number(generic):
    """Scalars that are numbers. >>> np.issubdtype(np.int8, np.number)"""


class integer(number):
    """Whole numbers. >>> np.issubdtype(np.int8, np.integer)"""

    def _plain(self):
        return int.__add__(self, 0)

    def is_integer(self):
        """Whether it is whole: it is. >>> np.int64(1).is_integer()"""
        return True

    def bit_count(self):
        """How many bits of its size are 1. >>> np.int64(7).bit_count()"""
        return abs(self._plain()).bit_count()


class signedinteger(integer):
    """Whole numbers with a sign. >>> np.issubdtype(np.int8, np.signedinteger)"""


class unsignedinteger(integer):
    """Whole numbers without a sign. >>> np.issubdtype(np.uint8, np.unsignedinteger)"""


class inexact(number):
    """Numbers with fractions. >>> np.issubdtype(np.float32, np.inexact)"""


class floating(inexact):
    """Floats. >>> np.issubdtype(np.float32, np.floating)"""

    def _plain(self):
        return float.__mul__(self, 1.0)

    def __str__(self):
        text = repr(_shortest(self._plain(), self._dtype))
        most = _POSITIONAL[self._dtype.itemsize]
        if most <= abs(self._plain()) < 1e16:
            # Narrow floats take an exponent sooner than Python's.
            digits = len(text.replace(".0", "").replace(".", "").strip("-0"))
            text = "%.*e" % (max(digits - 1, 0), float(text))
        return text

    def is_integer(self):
        """Whether it is whole. >>> np.float64(2).is_integer()"""
        return self._plain().is_integer()

    def as_integer_ratio(self):
        """Two whole numbers whose quotient it is. >>> np.float64(0.5).as_integer_ratio()"""
        return self._plain().as_integer_ratio()


class complexfloating(inexact):
    """Complex numbers: there are none here. >>> np.issubdtype(np.float32, np.complexfloating)"""


class flexible(generic):
    """Texts: there are no arrays of them here. >>> np.issubdtype(np.float32, np.flexible)"""


class bool(generic):
    """A truth value. >>> np.bool_(1)"""

    _kept = {}

    def __new__(cls, value=False):
        if _is_array(value):
            return _array(value).astype(bool)
        value = True if value else False
        if value not in cls._kept:
            cls._kept[value] = object.__new__(cls)
            cls._kept[value]._value = value
        return cls._kept[value]

    def _plain(self):
        return self._value

    def __repr__(self):
        return f"np.{self}_"

    def __index__(self):
        raise TypeError(
            "In the future `np.bool` will not be usable as an index; write int(x)"
        )

    def __int__(self):
        return int(self._value)

    def __float__(self):
        return float(self._value)


class dtype:
    """The type of an array's elements. >>> np.dtype("float32")"""

    __module__ = "numpy"
    names = fields = None
    byteorder, isnative, hasobject, subdtype, ndim, shape = "=", True, False, None, 0, ()

    def __new__(cls, dtype=None, align=False, copy=False):
        return _dtype(dtype)

    def __repr__(self):
        return f"dtype('{self.name}')"

    def __str__(self):
        return self.name

    def __eq__(self, other):
        try:
            return self is _dtype(other)
        except (TypeError, NotImplementedError):
            return False

    def __ne__(self, other):
        return not self == other

    def __hash__(self):
        return hash(self.name)

    def __deepcopy__(self, memo):
        return self

    def __reduce__(self):
        order = self.str[0]
        return dtype, (self.str[1:], False, True), (3, order, None, None, None, -1, -1, 0)

    def __setstate__(self, state):
        if state[1] == ">":
            raise NotImplementedError("dtype: bytes lie lowest first here; save .astype('<…')")

    def __lt__(self, other):
        return self != other and promote_types(self, other) == other

    def __le__(self, other):
        return promote_types(self, other) == other

    def __gt__(self, other):
        return _dtype(other) < self

    def __ge__(self, other):
        return _dtype(other) <= self

    def newbyteorder(self, order="S"):
        """The type itself: bytes have one order here. >>> np.dtype("int8").newbyteorder()"""
        return self


def _named(name, kind, size, base, letter):
    """The class of scalars and the dtype of this name."""
    self = object.__new__(dtype)
    self.name, self.kind, self.itemsize, self.char = name, kind, size, letter
    self.alignment = size
    self.str = f"{'|' if size == 1 else '<'}{kind}{size}"
    self.torch = getattr(_C, name)
    self.bits = size * 8
    if base is not generic:
        own = int if kind in "iu" else float
        make = _new_int if kind in "iu" else _new_float
        cls = type(name, (base, own), {"__new__": make, "__doc__": _DOC[kind].format(name)})
    else:
        cls = bool
    cls._dtype = self
    cls.__module__, cls.__qualname__ = "numpy", name
    self.type = cls
    if kind in "iu":
        self.low = -(1 << self.bits - 1) if kind == "i" else 0
        self.high = (1 << self.bits - (kind == "i")) - 1
    for key in (name, self.str, self.str[1:], letter, cls):
        _DTYPES[key] = self
    BY_TORCH[self.torch] = self
    globals()[name] = cls
    return self


def _new_int(cls, value=0):
    if _is_array(value):
        return _array(value).astype(cls)
    whole = int(value)
    if not cls._dtype.low <= whole <= cls._dtype.high:
        if type(value) is int:
            raise OverflowError(
                f"Python integer {value} out of bounds for {cls.__name__}"
            )
        whole = _wrapped(whole, cls._dtype)
    return int.__new__(cls, whole)


def _new_float(cls, value=0.0):
    if _is_array(value):
        return _array(value).astype(cls)
    return float.__new__(cls, _rounded(float(value), cls._dtype))


def _wrapped(whole, dtype):
    """An integer in the bits of its type."""
    whole &= (1 << dtype.bits) - 1
    return whole - (1 << dtype.bits) if whole > dtype.high else whole


_POSITIONAL = {2: 1e3, 4: 1e6, 8: 1e16}
_FLOATS = {2: (11, -24, 65520.0), 4: (24, -149, 3.4028235677973366e38)}


def _rounded(value, dtype):
    """A float in the bits of its type."""
    if dtype.itemsize == 8 or value != value or value in (_INF, -_INF, 0.0):
        return value
    bits, least, most = _FLOATS[dtype.itemsize]
    if abs(value) >= most:
        return _INF if value > 0 else -_INF
    exponent = max(frexp(value)[1] - bits, least)
    return ldexp(round(ldexp(value, -exponent)), exponent)


def _shortest(value, dtype):
    """The float with the fewest digits that is this one in its type."""
    if dtype.itemsize == 8 or value != value or value in (_INF, -_INF):
        return value
    for digits in (1, 2, 3, 4, 5, 6, 7, 8, 9):
        short = float("%.*g" % (digits, value))
        if _rounded(short, dtype) == value:
            return short
    return value


def _made(dtype, value):
    """A scalar of Python's number, which is cut to size."""
    if dtype.kind == "f":
        return float.__new__(dtype.type, _rounded(float(value), dtype))
    if dtype.kind == "b":
        return bool(value)
    if not dtype.low <= value <= dtype.high:
        value = _wrapped(value, dtype)
    return int.__new__(dtype.type, value)


def _is_array(value):
    return isinstance(value, (list, tuple)) or (
        hasattr(value, "ndim") and not isinstance(value, generic) and value.ndim > 0
    )


def _array(value):
    from numpy._core import asarray

    return asarray(value)


from math import frexp, ldexp

_INF = float("inf")
_DTYPES, BY_TORCH = {}, {}
_DOC = {
    "i": "Whole numbers of their own size. >>> np.{}(1)", "f": "Floats. >>> np.{}(1.5)",
    "u": "Whole numbers from 0 on. >>> np.{}(1)", "b": "",
}
BOOL = _named("bool", "b", 1, generic, "?")
INT8 = _named("int8", "i", 1, signedinteger, "b")
UINT8 = _named("uint8", "u", 1, unsignedinteger, "B")
INT16 = _named("int16", "i", 2, signedinteger, "h")
UINT16 = _named("uint16", "u", 2, unsignedinteger, "H")
INT32 = _named("int32", "i", 4, signedinteger, "i")
UINT32 = _named("uint32", "u", 4, unsignedinteger, "I")
INT64 = _named("int64", "i", 8, signedinteger, "l")
UINT64 = _named("uint64", "u", 8, unsignedinteger, "L")
FLOAT16 = _named("float16", "f", 2, floating, "e")
FLOAT32 = _named("float32", "f", 4, floating, "f")
FLOAT64 = _named("float64", "f", 8, floating, "d")
_python = __builtins__ if isinstance(__builtins__, dict) else __builtins__.__dict__
for _key, _value in (
    (None, FLOAT64), (float, FLOAT64), (int, INT64), (_python["bool"], BOOL), ("float", FLOAT64),
    ("int", INT64), ("bool_", BOOL), ("double", FLOAT64), ("single", FLOAT32), ("half", FLOAT16),
    ("q", INT64), ("Q", UINT64), ("p", INT64), ("long", INT64), ("uint", UINT64), ("intp", INT64),
    ("i", INT32), ("=f8", FLOAT64), ("=f4", FLOAT32), ("=i8", INT64), ("=i4", INT32),
    (floating, FLOAT64), (integer, INT64),
):
    _DTYPES[_key] = _value
bool_ = bool
half, single, double = float16, float32, float64
byte, ubyte, short, ushort, intc, uintc = int8, uint8, int16, uint16, int32, uint32
long = longlong = int_ = intp = int64
ulong = ulonglong = uint = uintp = uint64
True_, False_ = bool(True), bool(False)

_REMEDY = {
    "complex": "numbers are real here; keep the real and the imaginary part in two arrays",
    "str": "arrays hold numbers here; keep texts in a list",
    "object": "arrays hold numbers here; keep objects in a list",
}


def _dtype(what):
    """The dtype that a class, a name or an array's own stands for."""
    if type(what) is dtype:
        return what
    found = _DTYPES.get(what) if what.__hash__ is not None else None
    if found is not None:
        return found
    if hasattr(what, "dtype") and isinstance(what.dtype, dtype):
        return what.dtype
    word = what if isinstance(what, str) else getattr(what, "__name__", "")
    for start, kind in (
        ("complex", "complex"),
        ("c", "complex"),
        ("F", "complex"),
        ("D", "complex"),
        ("str", "str"),
        ("U", "str"),
        ("<U", "str"),
        ("S", "str"),
        ("bytes", "str"),
        ("object", "object"),
        ("O", "object"),
        ("datetime", "object"),
    ):
        if word.startswith(start):
            raise NotImplementedError(f"dtype {word!r}: {_REMEDY[kind]}")
    if isinstance(what, str):
        raise TypeError(f"data type '{what}' not understood")
    raise TypeError(f"Cannot interpret '{what}' as a data type")


_MET = {}


def promote_types(type1, type2):
    """The type in which both meet. >>> np.promote_types("int32", "float32")"""
    a, b = _dtype(type1), _dtype(type2)
    if a is b:
        return a
    if (a, b) not in _MET:
        _MET[a, b] = _MET[b, a] = _meet(a, b)
    return _MET[a, b]


def _meet(a, b):
    if a.kind == "b" or b.kind == "b":
        return b if a.kind == "b" else a
    if a.kind == b.kind:
        return a if a.itemsize > b.itemsize else b
    if "f" in (a.kind, b.kind):
        whole, real = (b, a) if a.kind == "f" else (a, b)
        return _DTYPES[f"f{min(8, max(real.itemsize, 2 * whole.itemsize))}"]
    signed, other = (a, b) if a.kind == "i" else (b, a)
    if signed.itemsize > other.itemsize:
        return signed
    return FLOAT64 if other.itemsize == 8 else _DTYPES[f"i{2 * other.itemsize}"]


_WEAK = {_python["bool"]: 0, int: 1, float: 2}


def weakly(found, kind):
    """The type of a calculation in which Python's own number of this class takes part."""
    if kind is float:
        return found if found.kind == "f" else FLOAT64
    return INT64 if kind is int and found.kind == "b" else found


def result_type(*arrays_and_dtypes):
    """The type of a calculation with all of these. >>> np.result_type(np.float32, 3)"""
    if not arrays_and_dtypes:
        raise ValueError("at least one array or dtype is required")
    found, weak = None, None
    for each in arrays_and_dtypes:
        if type(each) in _WEAK:
            if weak is None or _WEAK[type(each)] > _WEAK[weak]:
                weak = type(each)
            continue
        each = _array(each).dtype if isinstance(each, (list, tuple)) else _dtype(each)
        found = each if found is None else promote_types(found, each)
    if found is None:
        return _DTYPES[weak]
    return found if weak is None else weakly(found, weak)


def can_cast(from_, to, casting="safe"):
    """Whether numbers of one type may become another. >>> np.can_cast("int64", "float32")"""
    a, b = _dtype(from_), _dtype(to)
    if casting == "unsafe" or a is b:
        return True
    if casting in ("no", "equiv"):
        return False
    if casting == "safe":
        return promote_types(a, b) is b
    if casting != "same_kind":
        raise ValueError(
            "casting must be one of 'no', 'equiv', 'safe', 'same_kind', 'unsafe', "
            f"or 'same_value' (got '{casting}')"
        )
    return _ORDER[a.kind] <= _ORDER[b.kind] or promote_types(a, b) is b


_ORDER = {"b": 0, "u": 1, "i": 2, "f": 3}


def issubdtype(arg1, arg2):
    """Whether a type is one of a kind. >>> np.issubdtype(np.float32, np.floating)"""
    a, b = (
        each if isinstance(each, type) and issubclass(each, generic) else _dtype(each).type
        for each in (arg1, arg2)
    )
    return issubclass(a, b)


def isdtype(dtype, kind):
    """Whether a type is of these kinds. >>> np.isdtype(np.float32, "real floating")"""
    kinds = kind if isinstance(kind, tuple) else (kind,)
    words = {
        "bool": "b", "signed integer": "i", "unsigned integer": "u", "integral": "iu",
        "real floating": "f", "complex floating": "", "numeric": "iuf",
    }
    found = _dtype(dtype)
    return any(
        [found.kind in words[k] if isinstance(k, str) and k in words else found == k for k in kinds]
    )


import numpy._scalar
