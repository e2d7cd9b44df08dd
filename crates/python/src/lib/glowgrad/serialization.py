"""`torch.save` and `torch.load`: PyTorch's files, which its own programs read and write too."""

import os
import pickle
from contextlib import contextmanager
from enum import Enum
from io import BytesIO

import _glowgrad as _C
from glowgrad import _legacy_files, _stored_zip, _utils
from glowgrad._safe_pickle import (
    _for_weights, _refused, _Restricted, _pickler, _unpickler, add_safe_globals,
    clear_safe_globals, get_safe_globals, get_unsafe_globals, safe_globals,
)
from glowgrad._types import TypedStorage, UntypedStorage
from glowgrad._utils import _get_layout

DEFAULT_PROTOCOL = 2


class SourceChangeWarning(Warning):
    """Told of by PyTorch where the source of a pickled class has changed since.

    >>> issubclass(torch.serialization.SourceChangeWarning, Warning)
    """


class LoadEndianness(Enum):
    """The order of bytes that is taken for a file that does not say its own.

    >>> torch.serialization.LoadEndianness.LITTLE
    """

    NATIVE = 1
    LITTLE = 2
    BIG = 3


_kept = {"endianness": None, "crc32": True, "mmap": 2}


def get_default_load_endianness():
    """What `set_default_load_endianness` said.

    >>> torch.serialization.get_default_load_endianness()
    """
    return _kept["endianness"]


def set_default_load_endianness(endianness):
    """Says in which order the bytes of a file are that does not tell.

    >>> torch.serialization.set_default_load_endianness(None)
    """
    if not isinstance(endianness, LoadEndianness) and endianness is not None:
        raise TypeError("Invalid argument type in function set_default_load_endianness")
    _kept["endianness"] = endianness


def get_crc32_options():
    """Whether `torch.save` writes checksums: always.

    >>> torch.serialization.get_crc32_options()
    """
    return _kept["crc32"]


def set_crc32_options(compute_crc32):
    """Says whether `torch.save` is to write checksums; kept, it always does.

    >>> torch.serialization.set_crc32_options(True)
    """
    _kept["crc32"] = compute_crc32


def get_default_mmap_options():
    """How files would lie in memory; kept.

    >>> torch.serialization.get_default_mmap_options()
    """
    return _kept["mmap"]


def set_default_mmap_options(flags):
    """Says how files would lie in memory: they are read, whatever it is.

    >>> torch.serialization.set_default_mmap_options(2)
    """
    _kept["mmap"] = flags


# Where tensors were, and where they come to be


def location_tag(storage):
    """The word that a file has for the device of a storage.

    >>> torch.serialization.location_tag(torch.ones(1).untyped_storage())
    """
    return str(storage._tensor.device)


def validate_cuda_device(location):
    """The number of the CUDA device of a file's word for it; raises where no CUDA device computes.

    >>> torch.serialization.location_tag(torch.ones(1).untyped_storage())
    """
    _check_cuda(location)
    return 0


def _check_cuda(location):
    from glowgrad import cuda

    if not cuda.is_available():
        raise RuntimeError(
            "Attempting to deserialize object on a CUDA device but torch.cuda.is_available() is "
            "False. If you are running on a CPU-only machine, please use torch.load with "
            "map_location=torch.device('cpu') to map your storages to the CPU."
        )


def default_restore_location(storage, location):
    """A storage on the device that a file's word stands for.

    >>> torch.serialization.default_restore_location(torch.ones(1).untyped_storage(), "cpu")
    """
    kind = location.partition(":")[0]
    if kind == "cpu":
        return storage
    if kind == "cuda":
        _check_cuda(location)
    try:
        whole = storage._tensor.to(kind)
    except (RuntimeError, NotImplementedError):
        raise RuntimeError(
            f"don't know how to restore data location of torch.storage.UntypedStorage (tagged with "
            f"{location})"
        ) from None
    if isinstance(storage, UntypedStorage):
        return UntypedStorage(whole)
    return TypedStorage(wrap_storage=UntypedStorage(whole), dtype=whole.dtype)


def _restore(map_location):
    """The function that brings a storage where `map_location` says."""
    if map_location is None:
        return default_restore_location
    if isinstance(map_location, dict):
        return lambda storage, location: default_restore_location(
            storage, map_location.get(location, location)
        )
    if isinstance(map_location, bytes):
        map_location = map_location.decode()
    if not callable(map_location):
        return lambda storage, location: default_restore_location(storage, str(map_location))

    def restore(storage, location):
        result = map_location(storage, location)
        return default_restore_location(storage, location) if result is None else result

    return restore


def _storage_of(data, start, count, dtype):
    """A storage of `count` elements that stand in a file's bytes."""
    if count == 0:
        whole = _C.full((0,), 0, dtype, False)
    else:
        whole = _C.frombuffer(data, dtype, count, start)
    return TypedStorage(wrap_storage=UntypedStorage(whole), dtype=dtype)


# Files


@contextmanager
def _opened(f, mode):
    if isinstance(f, (str, os.PathLike)):
        with open(f, mode) as file:
            yield file
        return
    if mode == "rb":
        for method in ("seek", "tell", "read", "readline"):
            if not hasattr(f, method):
                raise AttributeError(
                    f"'{type(f).__name__}' object has no attribute '{method}'. You can only "
                    "torch.load from a file that is seekable. Please pre-load the data into a "
                    "buffer like io.BytesIO and try to load from it instead."
                )
    elif not hasattr(f, "write"):
        raise AttributeError(
            "expected 'f' to be string, path, or a file-like object with a 'write' attribute"
        )
    yield f


def save(obj, f, pickle_module=pickle, pickle_protocol=DEFAULT_PROTOCOL,
         _use_new_zipfile_serialization=True, _disable_byteorder_record=False):
    """Writes tensors, and what holds them, into a file that PyTorch reads too.

    >>> from io import BytesIO
    >>> file = BytesIO()
    >>> torch.save({"weight": torch.ones(2), "epoch": 3}, file)
    >>> len(file.getvalue()) > 100
    """
    with _opened(f, "wb") as file:
        if _use_new_zipfile_serialization:
            name = "archive"
            if isinstance(f, (str, os.PathLike)):
                name = os.path.splitext(os.path.basename(os.fspath(f)))[0] or name
            _save(obj, file, name, pickle_module, pickle_protocol, _disable_byteorder_record)
        else:
            _legacy_files.save(obj, file, pickle_module, pickle_protocol)


def _save(obj, file, name, pickle_module, pickle_protocol, no_byteorder):
    text, keys = BytesIO(), {}

    def persistent_id(value):
        if not isinstance(value, (TypedStorage, UntypedStorage)):
            return None
        key, _ = keys.setdefault(value._tensor._storage_id(), (str(len(keys)), value))
        return ("storage", _storage_kind(value), key, location_tag(value), len(value))

    pickler = _pickler(pickle_module)(text, protocol=pickle_protocol)
    pickler.persistent_id = persistent_id
    pickler.dump(obj)
    entries = [("data.pkl", text.getvalue()), (".format_version", b"1"),
               (".storage_alignment", b"64")]
    if not no_byteorder:
        entries.append(("byteorder", b"little"))
    entries += [(f"data/{key}", _bytes_of(storage)) for key, storage in keys.values()]
    entries.append(("version", b"3\n"))
    _stored_zip.write(file, [(f"{name}/{each}", data) for each, data in entries])


def _storage_kind(storage):
    """The class that a file names for a storage."""
    import glowgrad

    if isinstance(storage, UntypedStorage):
        return UntypedStorage
    return getattr(glowgrad, f"{storage.dtype.scalar_name}Storage")


def _bytes_of(storage):
    def read():
        before = _C.set_grad_enabled(False)
        try:
            whole = storage._tensor
            n = whole._storage_bytes() // whole.element_size()
            return whole.as_strided((n,), (1,), 0).cpu()._bytes() if n else b""
        finally:
            _C.set_grad_enabled(before)

    return _C.quietly(read)


def load(f, map_location=None, pickle_module=None, *, weights_only=None, mmap=None,
         **pickle_load_args):
    """What a file of PyTorch's holds; with `weights_only`, as it is, nothing but tensors and data.

    >>> from io import BytesIO
    >>> file = BytesIO()
    >>> torch.save([torch.arange(3), "three"], file)
    >>> file.seek(0)
    >>> torch.load(file)
    """
    if weights_only is None:
        weights_only = pickle_module is None
    if weights_only and pickle_module is not None:
        raise RuntimeError("Can not safely load weights when explicit pickle_module is specified")
    if not weights_only:
        pickle_module = pickle_module or pickle
        pickle_load_args.setdefault("encoding", "utf-8")
    else:
        if pickle_load_args:
            from warnings import warn

            warn("pickle_load_args only works if `weights_only=False`.")
        unknown = [name for name in pickle_load_args if name != "encoding"]
        if unknown:
            raise TypeError(
                f"Unpickler.__init__() got an unexpected keyword argument {unknown[0]!r}"
            )
    if mmap and not isinstance(f, (str, os.PathLike)):
        raise ValueError("f must be a file path in order to use the mmap argument")
    unpickler = _for_weights if weights_only else _unpickler(pickle_module)
    with _opened(f, "rb") as file:
        start = file.tell()
        magic = file.read(4)
        file.seek(start)
        try:
            if magic != b"PK\x03\x04":
                return _legacy_files.load(file, _restore(map_location), unpickler, pickle_load_args)
            return _load(file.read(), _restore(map_location), unpickler, pickle_load_args)
        except _Restricted as error:
            raise pickle.UnpicklingError(_refused(str(error))) from None


def _load(data, restore, unpickler, options):
    places = _zip_of(data)
    _no_script(places)
    prefix = _prefix(places)
    order = _entry(data, places, prefix + "byteorder")
    big = order == b"big" if order else _kept["endianness"] is LoadEndianness.BIG
    loaded = {}

    def persistent_load(saved_id):
        kind, storage_type, key, location, count = saved_id[:5]
        kind = kind.decode() if isinstance(kind, bytes) else kind
        if kind != "storage":
            raise AssertionError(
                f"Unknown typename for persistent_load, expected 'storage' but got '{kind}'"
            )
        if key not in loaded:
            dtype = _C.uint8 if storage_type is UntypedStorage else storage_type.dtype
            begin, size = places[f"{prefix}data/{key}"]
            row = _C.quietly(lambda: _ordered(data, begin, size, dtype, big))
            loaded[key] = restore(row, location)
        result = loaded[key]
        if storage_type is UntypedStorage:
            return result if isinstance(result, UntypedStorage) else result.untyped()
        if isinstance(result, TypedStorage) and result.dtype is storage_type.dtype:
            return result
        return _C.quietly(
            lambda: TypedStorage(wrap_storage=_utils._untyped(result), dtype=storage_type.dtype)
        )

    reader = unpickler(BytesIO(_entry(data, places, prefix + "data.pkl")), **options)
    reader.persistent_load = persistent_load
    return reader.load()


def _ordered(data, begin, size, dtype, big):
    item = dtype.itemsize
    if big and item > 1 and size:
        rows = _C.frombuffer(data, _C.uint8, size, begin).reshape(-1, item)
        whole = rows.flip(1).contiguous().view(dtype).reshape(-1)
        return TypedStorage(wrap_storage=UntypedStorage(whole), dtype=dtype)
    return _storage_of(data, begin, size // item, dtype)


def _zip_of(data):
    try:
        return _stored_zip.read(data)
    except _stored_zip.BadFile as error:
        raise RuntimeError(f"PytorchStreamReader failed reading zip archive: {error}") from None


def _prefix(places):
    for name in places:
        if name == "data.pkl" or name.endswith("/data.pkl"):
            return name[:-8]
    raise RuntimeError("PytorchStreamReader failed locating file data.pkl: file not found")


def _no_script(places):
    if any(name.endswith("/constants.pkl") for name in places):
        raise NotImplementedError(
            "a TorchScript file holds a program of PyTorch's own; load a state_dict instead"
        )


def _entry(data, places, name):
    begin, size = places.get(name, (0, 0))
    return data[begin:begin + size]


def get_unsafe_globals_in_checkpoint(f):
    """The names in a file that `torch.load` refuses, unless `weights_only` is False.

    >>> from io import BytesIO
    >>> file = BytesIO()
    >>> torch.save(torch.ones(1), file)
    >>> file.seek(0)
    >>> torch.serialization.get_unsafe_globals_in_checkpoint(file)
    """
    with _opened(f, "rb") as file:
        data = file.read()
    if data[:4] != b"PK\x03\x04":
        raise ValueError("Expected input to be a checkpoint returned by torch.save")
    places = _zip_of(data)
    return get_unsafe_globals(_entry(data, places, _prefix(places) + "data.pkl"))
