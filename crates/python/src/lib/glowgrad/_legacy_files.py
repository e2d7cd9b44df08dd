"""PyTorch's files of before 1.6: a row of pickles, then the numbers. `pickle.dumps` writes them."""

import pickle
from io import BytesIO
from struct import pack, unpack

import _glowgrad as _C
from glowgrad import _utils
from glowgrad._types import TypedStorage, UntypedStorage

_MAGIC, _VERSION = 0x1950A86A20F9469CFC6C, 1001
_SIZES = {"short": 2, "int": 4, "long": 4}


def save(obj, file, pickle_module=pickle, protocol=2):
    from glowgrad.serialization import _bytes_of, _pickler, _storage_kind, location_tag

    keys = {}

    def persistent_id(value):
        if not isinstance(value, (TypedStorage, UntypedStorage)):
            return None
        key = str(value._tensor._storage_id())
        keys.setdefault(key, value)
        return ("storage", _storage_kind(value), key, location_tag(value), len(value), None)

    system = {"protocol_version": _VERSION, "little_endian": True, "type_sizes": _SIZES}
    for value in (_MAGIC, _VERSION, system):
        file.write(pickle_module.dumps(value, protocol=protocol))
    pickler = _pickler(pickle_module)(file, protocol=protocol)
    pickler.persistent_id = persistent_id
    pickler.dump(obj)
    file.write(pickle_module.dumps(sorted(keys), protocol=protocol))
    for key in sorted(keys):
        data, item = _bytes_of(keys[key]), keys[key]._tensor.element_size()
        if isinstance(keys[key], UntypedStorage):
            item = 1
        file.write(pack("<q", len(data) // item) + data)


def load(file, restore, unpickler, options):
    def read():
        return unpickler(file, **options).load()

    if not file.read(1):
        # Python's pickle has words for it, PyTorch's reader of weights has none.
        raise EOFError(*unpickler.ends_early)
    file.seek(file.tell() - 1)
    if read() != _MAGIC:
        raise RuntimeError("Invalid magic number; corrupt file?")
    version = read()
    if version != _VERSION:
        raise RuntimeError(f"Invalid protocol version: {version}")
    read()
    loaded = {}

    def empty(dtype, count):
        whole = _C.full((count,), 0, dtype, False)
        return TypedStorage(wrap_storage=UntypedStorage(whole), dtype=dtype)

    def persistent_load(saved_id):
        _, storage_type, key, location, count, _ = saved_id
        dtype = _C.uint8 if storage_type is UntypedStorage else storage_type.dtype
        if key not in loaded:
            loaded[key] = restore(_C.quietly(lambda: empty(dtype, count)), location)
        result = loaded[key]
        if storage_type is UntypedStorage:
            return _utils._untyped(result)
        if isinstance(result, UntypedStorage):
            return result
        return result if result.dtype is dtype else TypedStorage(
            wrap_storage=_utils._untyped(result), dtype=dtype
        )

    reader = unpickler(file, **options)
    reader.persistent_load = persistent_load
    result = reader.load()
    for key in read():
        row = loaded[key]._tensor
        count = unpack("<q", file.read(8))[0]
        if count:
            data = file.read(count * row.element_size())
            _C.quietly(lambda: _fill(row, data))
    return result


def _fill(row, data):
    before = _C.set_grad_enabled(False)
    try:
        row.copy_(_C.frombuffer(data, row.dtype, -1, 0).reshape(row.shape))
    finally:
        _C.set_grad_enabled(before)


def dumps(storage):
    """The bytes of a file that holds one storage."""
    file = BytesIO()
    save(storage, file)
    return file.getvalue()
