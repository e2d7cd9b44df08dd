"""`zlib`: compression as DEFLATE."""

import _packing

DEFLATED, DEF_MEM_LEVEL, DEF_BUF_SIZE, MAX_WBITS = 8, 8, 16384, 15
Z_NO_COMPRESSION, Z_BEST_SPEED, Z_BEST_COMPRESSION, Z_DEFAULT_COMPRESSION = 0, 1, 9, -1
Z_DEFAULT_STRATEGY, Z_FILTERED, Z_HUFFMAN_ONLY, Z_RLE, Z_FIXED = 0, 1, 2, 3, 4
Z_NO_FLUSH, Z_PARTIAL_FLUSH, Z_SYNC_FLUSH, Z_FULL_FLUSH, Z_FINISH = 0, 1, 2, 3, 4
ZLIB_VERSION = ZLIB_RUNTIME_VERSION = "1.3.1"


class error(Exception):
    """A stream that is no zlib stream."""


def crc32(data, value=0):
    """The checksum of bytes, going on from an earlier one."""
    return _packing.crc32(data, value & 0xFFFFFFFF)


def adler32(data, value=1):
    """The checksum that ends a zlib stream."""
    return _packing.adler32(data, value & 0xFFFFFFFF)


class _Compress:
    def __init__(self, level, wbits):
        self._gzip, self._sum, self._size = wbits > 15, 0, 0
        self._stream = _packing.deflate(6 if level == -1 else level, 8 <= wbits <= 15)
        self._head = b"\x1f\x8b\x08\0\0\0\0\0\0\xff" if self._gzip else b""

    def _made(self, data, finish):
        head, self._head = self._head, b""
        return head + self._stream.feed(data, finish)

    def compress(self, data):
        """The next bytes of the stream; the rest waits for more data."""
        if self._gzip:
            self._sum, self._size = crc32(data, self._sum), self._size + len(data)
        return self._made(data, False)

    def flush(self, mode=Z_FINISH):
        """What has waited; it ends the stream unless another mode is asked for."""
        if mode != Z_FINISH:
            return b""
        out = self._made(b"", True)
        if self._gzip:
            out += self._sum.to_bytes(4, "little") + (self._size & 0xFFFFFFFF).to_bytes(4, "little")
        return out


def _gzip_header(data):
    """How long the header of a gzip stream is; None where it is not whole."""
    if len(data) < 10:
        return None
    if data[:2] != b"\x1f\x8b" or data[2] != 8:
        raise error("Error -3 while decompressing data: incorrect header check")
    flags, at = data[3], 10
    if flags & 4:
        if len(data) < at + 2:
            return None
        at += 2 + int.from_bytes(data[at : at + 2], "little")
    for flag in (8, 16):
        if flags & flag:
            end = data.find(b"\0", at)
            if end < 0:
                return None
            at = end + 1
    at += 2 if flags & 2 else 0
    return at if at <= len(data) else None


class _Decompress:
    def __init__(self, wbits):
        self._wbits, self._tail, self._held = wbits, 0, b""
        self._stream = None if wbits > 15 else _packing.inflate(wbits > 0)
        self.unused_data, self.unconsumed_tail, self.eof = b"", b"", False

    def decompress(self, data, max_length=0):
        """The next bytes, at most `max_length` unless that is 0; what was not read is in `unconsumed_tail`."""
        data = self._held + bytes(data)
        self._held = b""
        if self.eof:
            self.unused_data += data
            return b""
        if self._stream is None:
            size = 0 if self._wbits > 31 and data[:2] != b"\x1f\x8b" else _gzip_header(data)
            if size is None:
                self._held = data
                return b""
            self._tail = 8 if size else 0
            self._stream, data = _packing.inflate(not size), data[size:]
        try:
            out, read, ended = self._stream.feed(data, max_length)
        except ValueError as e:
            raise error(f"Error -3 while decompressing data: {e}") from None
        rest = data[read:]
        if ended:
            self.eof, self.unused_data, self.unconsumed_tail = True, rest[self._tail :], b""
        else:
            self.unconsumed_tail = rest
        return out

    def flush(self, length=DEF_BUF_SIZE):
        """What is left of the data that was given."""
        return self.decompress(self.unconsumed_tail)


def compressobj(level=-1, method=DEFLATED, wbits=MAX_WBITS, memLevel=8, strategy=0, zdict=None):
    """A stream that is written in pieces."""
    return _Compress(level, wbits)


def decompressobj(wbits=MAX_WBITS, zdict=b""):
    """A stream that is read in pieces."""
    return _Decompress(wbits)


def compress(data, /, level=-1, wbits=MAX_WBITS):
    """Bytes as one stream."""
    stream = compressobj(level, wbits=wbits)
    return stream.compress(data) + stream.flush()


def decompress(data, /, wbits=MAX_WBITS, bufsize=DEF_BUF_SIZE):
    """The bytes of one stream."""
    stream = decompressobj(wbits)
    out = stream.decompress(data)
    if not stream.eof:
        raise error("Error -5 while decompressing data: incomplete or truncated stream")
    return out
