"""`binascii`: bytes as text and back, in Python."""


class Error(ValueError):
    """Text that is no encoding of bytes."""


class Incomplete(Exception):
    """Text that ends too early."""


_DIGITS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_VALUES = {digit: value for value, digit in enumerate(_DIGITS)}


def _bytes(data):
    return data.encode("ascii") if isinstance(data, str) else bytes(data)


def hexlify(data, sep="", bytes_per_sep=1):
    """Two hexadecimal digits for each byte."""
    data = bytes(data)
    text = data.hex(sep, bytes_per_sep) if sep else data.hex()
    return text.encode("ascii")


b2a_hex = hexlify


def unhexlify(hexstr):
    """The bytes of hexadecimal digits."""
    text = _bytes(hexstr)
    if len(text) % 2:
        raise Error("Odd-length string")
    try:
        return bytes([int(text[i:i + 2], 16) for i in range(0, len(text), 2)])
    except ValueError:
        raise Error("Non-hexadecimal digit found") from None


a2b_hex = unhexlify


def b2a_base64(data, *, newline=True):
    """Bytes in base 64."""
    data = bytes(data)
    out = bytearray()
    for start in range(0, len(data), 3):
        part = data[start:start + 3]
        number = int.from_bytes(part.ljust(3, b"\0"), "big")
        digits = [_DIGITS[number >> shift & 63] for shift in (18, 12, 6, 0)]
        out += bytes(digits[:len(part) + 1]).ljust(4, b"=")
    return bytes(out) + (b"\n" if newline else b"")


def a2b_base64(data, /, *, strict_mode=False):
    """The bytes of a text in base 64."""
    out, number, count, padding = bytearray(), 0, 0, 0
    for digit in _bytes(data):
        if digit == 61:
            padding += 1
            if count >= 2 and count + padding >= 4:
                break
            continue
        value = _VALUES.get(digit)
        if value is None:
            if strict_mode:
                raise Error("Only base64 data is allowed")
            continue
        padding = 0
        number, count = number << 6 | value, count + 1
        if count == 4:
            out += number.to_bytes(3, "big")
            number = count = 0
    if count == 0:
        return bytes(out)
    if count == 1:
        raise Error(
            "Invalid base64-encoded string: number of data characters "
            f"({len(out) // 3 * 4 + 1}) cannot be 1 more than a multiple of 4"
        )
    if count + padding < 4:
        raise Error("Incorrect padding")
    out += (number << 6 * (4 - count)).to_bytes(3, "big")[:count - 1]
    return bytes(out)


def _crc_table():
    table = []
    for value in range(256):
        for _ in range(8):
            value = value >> 1 ^ (0xEDB88320 if value & 1 else 0)
        table.append(value)
    return table


_table = []


def crc32(data, value=0, /):
    """The check sum of ZIP and PNG."""
    if not _table:
        _table.extend(_crc_table())
    value ^= 0xFFFFFFFF
    for byte in bytes(data):
        value = value >> 8 ^ _table[(value ^ byte) & 255]
    return value ^ 0xFFFFFFFF


def crc_hqx(data, value, /):
    """The check sum of BinHex 4."""
    for byte in bytes(data):
        value ^= byte << 8
        for _ in range(8):
            value = (value << 1 ^ 0x1021 if value & 0x8000 else value << 1) & 0xFFFF
    return value
