"""Zip files whose entries are stored as they are: what PyTorch's files are made of."""

from struct import calcsize, pack, unpack_from

try:
    from zlib import crc32
except ImportError:
    from binascii import crc32

_LOCAL, _CENTRAL, _END = b"PK\x03\x04", b"PK\x01\x02", b"PK\x05\x06"
# Signature, versions, flags, method, time, date, checksum, sizes, lengths of name and extra fields.
_LOCAL_FIELDS = "<4s5H3L2H"
_CENTRAL_FIELDS = "<4s6H3L5H2L"
_END_FIELDS = "<4s4H2LH"
# Names are UTF-8.
_UTF8 = 0x800
# 1980-01-01, the first day of zip files.
_DATE = 33
# PyTorch's own extra field, which moves the data to where it can be read in place.
_ALIGNMENT, _PADDING = 64, b"FB"


class BadFile(Exception):
    """Bytes that are no zip file, or one of compressed entries."""


def write(file, entries):
    """Writes a zip file of names and their bytes."""
    central, at = [], 0
    for name, data in entries:
        name, checksum, size = name.encode(), crc32(data), len(data)
        start = at + calcsize(_LOCAL_FIELDS) + len(name)
        fill = -(start + 4) % _ALIGNMENT
        extra = _PADDING + pack("<H", fill) + b"Z" * fill
        header = pack(
            _LOCAL_FIELDS, _LOCAL, 20, _UTF8, 0, 0, _DATE, checksum, size, size, len(name),
            len(extra),
        )
        for part in (header, name, extra, data):
            file.write(part)
        central.append(pack(
            _CENTRAL_FIELDS, _CENTRAL, 20, 20, _UTF8, 0, 0, _DATE, checksum, size, size, len(name),
            0, 0, 0, 0, 0, at,
        ) + name)
        at = start + len(extra) + size
    whole = b"".join(central)
    file.write(whole)
    count = len(central)
    file.write(pack(_END_FIELDS, _END, 0, 0, count, count, len(whole), at, 0))


def read(data):
    """Of a zip file's bytes: where each name's data begins, and how long it is."""
    end = data.rfind(_END, max(0, len(data) - 65557))
    if end < 0 or end + calcsize(_END_FIELDS) > len(data):
        raise BadFile("failed finding central directory")
    count, _, at = unpack_from("<HLL", data, end + 10)
    # What stands before the zip file itself.
    shift = 0 if data[at:at + 4] == _CENTRAL else end - at - unpack_from("<L", data, end + 12)[0]
    at += shift
    entries = {}
    for _ in range(count):
        if data[at:at + 4] != _CENTRAL:
            raise BadFile("invalid header or archive is corrupted")
        fields = unpack_from(_CENTRAL_FIELDS, data, at)
        method, packed, size = fields[4], fields[8], fields[9]
        name_length, extra_length, comment_length, local = *fields[10:13], fields[16] + shift
        start = at + calcsize(_CENTRAL_FIELDS)
        name = data[start:start + name_length].decode()
        if method != 0 or packed != size:
            raise BadFile(f"{name} is compressed; entries are stored as they are")
        lengths = unpack_from("<HH", data, local + 26)
        begin = local + calcsize(_LOCAL_FIELDS) + sum(lengths)
        if begin + size > len(data):
            raise BadFile(f"{name} ends after the file")
        entries[name] = begin, size
        at = start + name_length + extra_length + comment_length
    return entries
