"""How tensors are taken apart for a file and put together again, by PyTorch's names for it."""

from collections import OrderedDict

import _glowgrad as _C
from glowgrad import _tensor
from glowgrad._place import strided
from glowgrad._tensor import Parameter, Tensor
from glowgrad._types import TypedStorage, UntypedStorage


def __copy__(self):
    build, args = __reduce_ex__(self, 2)
    return build(*args)


def __reduce_ex__(value, protocol):
    """A tensor as a function that makes it, and the function's arguments."""
    if isinstance(value, Parameter):
        data = _C.quietly(value.detach)
        state = _state(value)
        args = (_as_plain(data), value.requires_grad, OrderedDict())
        if type(value) is not Parameter:
            return _rebuild_from_type_v2, (_rebuild_parameter, type(value), args, state)
        if state:
            return _rebuild_parameter_with_state, (*args, state)
        return _rebuild_parameter, args
    storage = _C.quietly(lambda: _row(value))
    args = (
        storage, value.storage_offset(), tuple(value.shape), tuple(value.stride()),
        value.requires_grad, OrderedDict(),
    )
    build = _rebuild_tensor_v2
    if storage.dtype.name in ("uint16", "uint32", "uint64"):
        build, args = _rebuild_tensor_v3, (storage.untyped(), *args[1:], storage.dtype)
    state = _state(value)
    if type(value) is Tensor and not state:
        return build, args
    return _rebuild_from_type_v2, (build, type(value), args, state)


def _as_plain(data):
    return data if type(data) is Tensor else Tensor._make_subclass(Tensor, data, False)


def _state(value):
    get = getattr(type(value), "__getstate__", None)
    if get is not None and get is not getattr(object, "__getstate__", None):
        return value.__getstate__()
    return dict(getattr(value, "__dict__", None) or {})


def _row(value):
    before = _C.set_grad_enabled(False)
    try:
        return TypedStorage(value)
    finally:
        _C.set_grad_enabled(before)


def _together(whole, offset, size, stride):
    before = _C.set_grad_enabled(False)
    try:
        size = tuple(size)
        if 0 in size:
            return _C.full(size, 0, whole.dtype, False).to(whole.device)
        return whole.as_strided(size, tuple(stride), offset).detach()
    finally:
        _C.set_grad_enabled(before)


def _of_torch(function):
    function.__module__ = "torch._utils"
    return function


@_of_torch
def _rebuild_tensor(storage, storage_offset, size, stride):
    return _C.quietly(lambda: _together(storage._tensor, storage_offset, size, stride))


@_of_torch
def _rebuild_tensor_v2(storage, storage_offset, size, stride, requires_grad, backward_hooks,
                       metadata=None):
    result = _rebuild_tensor(storage, storage_offset, size, stride)
    result.requires_grad = requires_grad
    return result


@_of_torch
def _rebuild_tensor_v3(storage, storage_offset, size, stride, requires_grad, backward_hooks, dtype,
                       metadata=None):
    row = _C.quietly(lambda: TypedStorage(wrap_storage=_untyped(storage), dtype=dtype))
    return _rebuild_tensor_v2(row, storage_offset, size, stride, requires_grad, backward_hooks)


def _untyped(storage):
    return storage if isinstance(storage, UntypedStorage) else storage.untyped()


@_of_torch
def _rebuild_parameter(data, requires_grad, backward_hooks):
    return Parameter(data, requires_grad)


@_of_torch
def _rebuild_parameter_with_state(data, requires_grad, backward_hooks, state):
    return _with_state(Parameter(data, requires_grad), state)


def _rebuild_from_type_v2(func, new_type, args, state):
    result = func(*args)
    if type(result) is not new_type:
        result = Tensor._make_subclass(new_type, result, result.requires_grad)
    if hasattr(new_type, "__setstate__"):
        result.__setstate__(state)
        return result
    return _with_state(result, state)


_rebuild_from_type_v2.__module__ = "torch._tensor"
_tensor._rebuild_from_type_v2 = _rebuild_from_type_v2


def _with_state(result, state):
    for part in state if isinstance(state, tuple) else (state,):
        for name, value in (part or {}).items():
            setattr(result, name, value)
    return result


def _load_from_bytes(data):
    """A storage of what `pickle.dumps` wrote of it."""
    from io import BytesIO
    from glowgrad.serialization import load

    return load(BytesIO(data), weights_only=False)


_load_from_bytes.__module__ = "torch.storage"


def _get_layout(name):
    return {"torch.strided": strided}[name]


_get_layout.__module__ = "torch.serialization"
