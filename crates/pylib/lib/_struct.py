"""`_struct`: numbers as bytes and back, in Python."""

__all__ = ["Struct", "calcsize", "error", "iter_unpack", "pack", "pack_into", "unpack", "unpack_from"]


class error(Exception):
    """What `struct` raises."""


# Size here, size natively aligned, and what it is: i signed, u unsigned, f float, c one byte, b bool.
_KINDS = {
    "b": (1, 1, "i"), "B": (1, 1, "u"), "h": (2, 2, "i"), "H": (2, 2, "u"), "i": (4, 4, "i"),
    "I": (4, 4, "u"), "l": (4, 8, "i"), "L": (4, 8, "u"), "q": (8, 8, "i"), "Q": (8, 8, "u"),
    "n": (0, 8, "i"), "N": (0, 8, "u"), "P": (0, 8, "u"), "e": (2, 2, "f"), "f": (4, 4, "f"),
    "d": (8, 8, "f"), "c": (1, 1, "c"), "?": (1, 1, "?"), "s": (1, 1, "s"), "p": (1, 1, "p"),
    "x": (1, 1, "x"),
}


def _parsed(format):
    if isinstance(format, bytes):
        format = format.decode("ascii")
    if not isinstance(format, str):
        raise TypeError(f"Struct() argument 1 must be a str or bytes object, not {type(format).__name__}")
    order, native = "little", True
    if format[:1] in ("@", "=", "<", ">", "!"):
        native = format[0] == "@"
        order = "big" if format[0] in ">!" else "little"
        format = format[1:]
    fields, at, count = [], 0, ""
    for letter in format:
        if letter.isdigit():
            count += letter
            continue
        if letter.isspace():
            if count:
                raise error("repeat count given without format specifier")
            continue
        if letter not in _KINDS or not native and _KINDS[letter][0] == 0:
            raise error("bad char in struct format")
        plain, aligned, kind = _KINDS[letter]
        size = aligned if native else plain
        if native:
            at += -at % size
        repeat = int(count) if count else 1
        count = ""
        if kind in "sp":
            fields.append((kind, letter, at, repeat))
            at += repeat
        elif kind == "x":
            at += repeat
        else:
            for _ in range(repeat):
                fields.append((kind, letter, at, size))
                at += size
    if count:
        raise error("repeat count given without format specifier")
    return order, fields, at


def _float_bytes(letter, value, order):
    import math
    bits, fraction = {"e": (16, 10), "f": (32, 23), "d": (64, 52)}[letter]
    exponent_bits = bits - fraction - 1
    bias = (1 << exponent_bits - 1) - 1
    top = (1 << exponent_bits) - 1
    sign = 1 if math.copysign(1.0, value) < 0 else 0
    value = abs(value)
    if value != value:
        number = top << fraction | 1 << fraction - 1
    elif value == math.inf:
        number = top << fraction
    elif value == 0:
        number = 0
    else:
        mantissa, exponent = math.frexp(value)
        exponent += bias - 1
        if exponent < 1:
            number = _half_even(math.ldexp(value, bias - 1 + fraction))
        else:
            number = (exponent - 1 << fraction) + _half_even(math.ldexp(mantissa, fraction + 1))
        if number >= top << fraction:
            raise OverflowError(f"float too large to pack with {letter} format")
    return (sign << bits - 1 | number).to_bytes(bits // 8, order)


def _half_even(value):
    whole = int(value)
    rest = value - whole
    return whole + (rest > 0.5 or rest == 0.5 and whole % 2)


def _float(letter, data, order):
    import math
    bits, fraction = {"e": (16, 10), "f": (32, 23), "d": (64, 52)}[letter]
    exponent_bits = bits - fraction - 1
    bias = (1 << exponent_bits - 1) - 1
    number = int.from_bytes(data, order)
    sign = -1.0 if number >> bits - 1 else 1.0
    exponent = number >> fraction & (1 << exponent_bits) - 1
    mantissa = number & (1 << fraction) - 1
    if exponent == (1 << exponent_bits) - 1:
        return math.nan if mantissa else sign * math.inf
    if exponent == 0:
        return sign * math.ldexp(mantissa, 1 - bias - fraction)
    return sign * math.ldexp(mantissa | 1 << fraction, exponent - bias - fraction)


class Struct:
    """A format, read once."""

    def __init__(self, format):
        self._order, self._fields, self.size = _parsed(format)
        self.format = format.decode("ascii") if isinstance(format, bytes) else format

    def pack(self, *values):
        if len(values) != len(self._fields):
            raise error(f"pack expected {len(self._fields)} items for packing (got {len(values)})")
        out = bytearray(self.size)
        for (kind, letter, at, size), value in zip(self._fields, values):
            out[at:at + size] = self._packed(kind, letter, size, value)
        return bytes(out)

    def _packed(self, kind, letter, size, value):
        if kind in "iu":
            if not hasattr(type(value), "__index__"):
                raise error("required argument is not an integer")
            value = value.__index__()
            low = -(1 << 8 * size - 1) if kind == "i" else 0
            high = (1 << 8 * size - (kind == "i")) - 1
            if not low <= value <= high:
                if size == 1:
                    name = "byte" if kind == "i" else "ubyte"
                    raise error(f"{name} format requires {low} <= number <= {high}")
                raise error(f"'{letter}' format requires {low} <= number <= {high}")
            return value.to_bytes(size, self._order, signed=kind == "i")
        if kind == "f":
            try:
                value = float(value)
            except TypeError:
                raise error("required argument is not a float") from None
            return _float_bytes(letter, value, self._order)
        if kind == "?":
            return b"\1" if value else b"\0"
        if kind == "c":
            if not isinstance(value, (bytes, bytearray)) or len(value) != 1:
                raise error("char format requires a bytes object of length 1")
            return value
        if not isinstance(value, (bytes, bytearray)):
            raise error(f"argument for '{letter}' must be a bytes object")
        if kind == "p":
            part = bytes(value[:max(0, min(size - 1, 255))])
            return (bytes([len(part)]) + part).ljust(size, b"\0")[:size]
        return bytes(value[:size]).ljust(size, b"\0")

    def unpack(self, buffer):
        data = bytes(buffer)
        if len(data) != self.size:
            raise error(f"unpack requires a buffer of {self.size} bytes")
        return self._unpacked(data)

    def _unpacked(self, data):
        values = []
        for kind, letter, at, size in self._fields:
            part = data[at:at + size]
            if kind in "iu":
                values.append(int.from_bytes(part, self._order, signed=kind == "i"))
            elif kind == "f":
                values.append(_float(letter, part, self._order))
            elif kind == "?":
                values.append(part != b"\0")
            elif kind == "p":
                values.append(part[1:1 + part[0]] if part else b"")
            else:
                values.append(part)
        return tuple(values)

    def unpack_from(self, buffer, offset=0):
        data = memoryview(buffer).cast("B")
        start = offset + len(data) if offset < 0 else offset
        if start < 0 or len(data) - start < self.size:
            raise error(
                f"unpack_from requires a buffer of at least {max(start, 0) + self.size} bytes for unpacking "
                f"{self.size} bytes at offset {offset} (actual buffer size is {len(data)})"
            )
        return self._unpacked(bytes(data[start:start + self.size]))

    def pack_into(self, buffer, offset, *values):
        data = memoryview(buffer).cast("B")
        start = offset + len(data) if offset < 0 else offset
        if start < 0 or len(data) - start < self.size:
            raise error(
                f"pack_into requires a buffer of at least {max(start, 0) + self.size} bytes for packing "
                f"{self.size} bytes at offset {offset} (actual buffer size is {len(data)})"
            )
        data[start:start + self.size] = self.pack(*values)

    def iter_unpack(self, buffer):
        data = bytes(buffer)
        if self.size == 0:
            raise error("cannot iteratively unpack with a struct of length 0")
        if len(data) % self.size:
            raise error(f"iterative unpacking requires a buffer of a multiple of {self.size} bytes")
        for start in range(0, len(data), self.size):
            yield self._unpacked(data[start:start + self.size])


_kept = {}


def _struct(format):
    if format not in _kept:
        if len(_kept) > 100:
            _kept.clear()
        _kept[format] = Struct(format)
    return _kept[format]


def _clearcache():
    _kept.clear()


def calcsize(format):
    return _struct(format).size


def pack(format, *values):
    return _struct(format).pack(*values)


def unpack(format, buffer):
    return _struct(format).unpack(buffer)


def unpack_from(format, buffer, offset=0):
    return _struct(format).unpack_from(buffer, offset)


def pack_into(format, buffer, offset, *values):
    _struct(format).pack_into(buffer, offset, *values)


def iter_unpack(format, buffer):
    return _struct(format).iter_unpack(buffer)
