"""`hashlib`: digests of bytes."""

import _packing

_SIZES = {
    "md5": (16, 64), "sha1": (20, 64), "sha224": (28, 64), "sha256": (32, 64), "sha384": (48, 128),
    "sha512": (64, 128),
}
algorithms_available = algorithms_guaranteed = set(_SIZES)


class _Hash:
    def __init__(self, name, data):
        self.name, self._data = name, bytearray(data)
        self.digest_size, self.block_size = _SIZES[name]

    def update(self, data, /):
        """Adds bytes."""
        self._data += data

    def digest(self):
        """The digest of all bytes so far."""
        return _packing.digest(self.name, self._data)

    def hexdigest(self):
        """The digest in hexadecimal digits."""
        return self.digest().hex()

    def copy(self):
        """One that goes on from here by itself."""
        return _Hash(self.name, self._data)

    def __repr__(self):
        return f"<{self.name} _hashlib.HASH object @ {id(self):#x}>"


def new(name, data=b"", *, usedforsecurity=True):
    """The hash with this name."""
    if str(name).lower() not in _SIZES:
        raise ValueError(f"unsupported hash type {name}: here are {', '.join(sorted(_SIZES))}")
    return _Hash(name.lower(), data)


def _made(name):
    def hash(data=b"", *, usedforsecurity=True):
        return _Hash(name, data)

    hash.__name__ = hash.__qualname__ = "openssl_" + name
    return hash


md5, sha1, sha224, sha256, sha384, sha512 = [_made(name) for name in _SIZES]


def file_digest(fileobj, digest, /, *, _bufsize=2**18):
    """The hash of a file that is open for reading bytes."""
    made = digest() if callable(digest) else new(digest)
    while data := fileobj.read(_bufsize):
        made.update(data)
    return made
