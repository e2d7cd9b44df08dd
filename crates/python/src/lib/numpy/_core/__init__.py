"""`np.ndarray`: an array on a tensor's memory, and what makes arrays of other things."""

import _glowgrad as _C
from numpy._types import BOOL, BY_TORCH, FLOAT64, INT64, UINT64, _dtype, _made, generic
from numpy._types import bool as bool_
from numpy._types import promote_types

_TensorBase = _C.TensorBase
_float64, _int64, _bool = _C.float64, _C.int64, _C.bool
_INDICES = (
    "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or boolean "
    "arrays are valid indices"
)


class AxisError(ValueError, IndexError):
    """Raised for an axis that an array does not have.
    >>> issubclass(np.exceptions.AxisError, ValueError)"""


def quiet(function):
    """A function whose tensors are not drawn: the stage shows tensors of the learner's, no
    arrays."""
    record = _C.record

    def run(*args, **kwargs):
        if not record(False):
            return function(*args, **kwargs)
        try:
            return function(*args, **kwargs)
        finally:
            record(True)

    run.__name__, run.__qualname__ = function.__name__, function.__qualname__
    run.__doc__, run.__module__ = function.__doc__, "numpy"
    return run


def quiet_class(cls, names=None):
    """A class whose methods, all public ones or these, are quiet."""
    for name, method in list(cls.__dict__.items()):
        if (name in names if names else name[:1] != "_") and type(method) is type(quiet):
            setattr(cls, name, quiet(method))
    return cls


def on_cpu(make, *args):
    """What an op that makes a tensor gives, on the CPU wherever tensors are made now."""
    if _C.device_type() == "cpu":
        return make(*args)
    before = _C.set_device("cpu")
    try:
        return make(*args)
    finally:
        _C.set_device(before)


def wrap(tensor):
    """The array on a tensor that nothing else holds."""
    self = object.__new__(ndarray)
    self._t = tensor
    return self


def result(tensor):
    """An array, or the scalar that an array without dimensions becomes."""
    if tensor.ndim:
        return wrap(tensor)
    return _made(BY_TORCH[tensor.dtype], tensor.item())


def from_tensor(tensor):
    """The array on a learner's tensor: `tensor.numpy()`."""
    if tensor.requires_grad:
        raise RuntimeError(
            "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead."
        )
    if tensor.dtype not in BY_TORCH:
        raise TypeError("Got unsupported ScalarType BFloat16")
    place = _C.device_of(tensor)
    if place != "cpu":
        if place != _C.device_type():
            raise TypeError(
                f"can't convert {tensor.device} device type tensor to numpy. Use Tensor.cpu() to "
                f"copy "
                "the tensor to host memory first."
            )
        # Made there because the page runs on that device, not because the program says so.
        return wrap(tensor.cpu().detach())
    return wrap(_C.quietly(tensor.detach))


def tensor_of(a, dtype=None):
    """The tensor of an array, or of what can become one; it may share memory."""
    kind = type(a)
    if kind is ndarray:
        tensor = a._t
    elif kind is float or kind is int or kind is _python_bool or isinstance(a, generic):
        return _number(a, dtype)
    elif isinstance(a, ndarray):
        tensor = a._t
    elif isinstance(a, _TensorBase):
        tensor = from_tensor(a)._t
    elif isinstance(a, (list, tuple, range)):
        return _from_list(a, dtype)
    elif hasattr(a, "__array__"):
        tensor = a.__array__()._t
    elif hasattr(kind, "__len__") and hasattr(kind, "__getitem__") and not isinstance(
        a, (str, bytes, dict)
    ):
        return _from_list(list(a), dtype)
    else:
        what = "texts" if isinstance(a, str) else f"{kind.__name__} objects"
        raise NotImplementedError(
            f"numpy: arrays hold numbers here, not {what}; keep them in a list"
        )
    if dtype is None or BY_TORCH[tensor.dtype] is dtype:
        return tensor
    return tensor._to(dtype.torch)


_python_bool = type(1 == 1)
_NATIVE = {float: FLOAT64, int: INT64, _python_bool: BOOL}


def _number(value, dtype):
    found = _NATIVE.get(type(value)) or value._dtype
    dtype = dtype or found
    plain = value._plain() if isinstance(value, generic) else value
    if found is INT64 and dtype.kind in "iu" and not dtype.low <= plain <= dtype.high:
        if dtype is INT64 and 0 <= plain <= UINT64.high:
            dtype = UINT64
        else:
            raise OverflowError(f"Python integer {plain} out of bounds for {dtype}")
    elif found.kind == "f" and dtype.kind in "iu":
        plain = int(plain)
    return on_cpu(_C.full, (), plain, dtype.torch, False)


def _read(data, number):
    """The numbers that texts in lists say."""
    if isinstance(data, (list, tuple)):
        return [_read(part, number) for part in data]
    return number(data)


def _from_list(data, dtype):
    leaf = data
    while isinstance(leaf, (list, tuple, range)) and len(leaf):
        leaf = leaf[0]
    native = _NATIVE.get(type(leaf)) or (
        FLOAT64 if isinstance(leaf, (list, tuple, range)) else None
    )
    if native is not None:
        try:
            if dtype is not None and dtype.kind in "iub" and native is FLOAT64:
                return on_cpu(_C.from_data, data, _float64, False)._to(dtype.torch)
            if dtype is not None or native is FLOAT64:
                return on_cpu(_C.from_data, data, (dtype or FLOAT64).torch, False)
            tensor = on_cpu(_C.from_data, data, None, False)
            if tensor.dtype.is_floating_point:
                tensor = on_cpu(_C.from_data, data, _float64, False)
            return tensor
        except Exception:
            pass
    if dtype is not None and isinstance(leaf, str):
        return _from_list(_read(data, int if dtype.kind in "iu" else float), dtype)
    # Of arrays, tensors and scalars; or what cannot be an array, which has to be said.
    parts = [tensor_of(part) for part in data]
    shape = parts[0].shape
    for part in parts:
        if part.shape != shape:
            raise ValueError(
                "setting an array element with a sequence. The requested array has an "
                "inhomogeneous "
                f"shape after 1 dimensions. The detected shape was ({len(parts)},) + "
                f"inhomogeneous part."
            )
    if dtype is None:
        dtype = BY_TORCH[parts[0].dtype]
        for part in parts:
            dtype = promote_types(dtype, BY_TORCH[part.dtype])
    elif not shape:
        parts = [tensor_of(part, dtype) for part in data]
    return on_cpu(_C.stack, [part._to(dtype.torch) for part in parts])


def asarray(a, dtype=None, order=None, *, device=None, copy=None, like=None):
    """The array itself, or a new one of what can become one. >>> np.asarray([1, 2, 3])"""
    if type(a) is ndarray and dtype is None and not copy:
        return a
    kind = None if dtype is None else _dtype(dtype)
    tensor = tensor_of(a, kind)
    if isinstance(a, ndarray) and tensor is a._t:
        return wrap(tensor.clone()) if copy else a
    if copy and isinstance(a, (ndarray, _TensorBase)):
        tensor = tensor.clone()
    return wrap(tensor)


def array(object, dtype=None, *, copy=True, order="K", subok=False, ndmin=0, like=None):
    """An array with a copy of these numbers. >>> np.array([[1.0, 2.0], [3.0, 4.0]])"""
    made = asarray(object, dtype, copy=copy)
    if made.ndim < ndmin:
        return wrap(made._t.reshape([1] * (ndmin - made.ndim) + list(made.shape)))
    return made


def normal_axis(axis, ndim, name=""):
    """An axis counted from the front."""
    if not -ndim <= axis < ndim:
        raise AxisError(f"{name}axis {axis} is out of bounds for array of dimension {ndim}")
    return axis + ndim if axis < 0 else axis


def words_of(shape):
    """A shape as NumPy's messages write it."""
    return "(" + ",".join(map(str, shape)) + (",)" if len(shape) == 1 else ")")


# Indices


def _index(index, shape):
    """The parts of an index as the engine takes them, whether it has arrays, and slices that go
    back."""
    parts, arrays, integers, back = [], False, False, False
    for part in index if isinstance(index, tuple) else (index,):
        kind = type(part)
        if part is None or part is Ellipsis or kind is int:
            integers = integers or kind is int
        elif kind is slice:
            step = part.step
            back = back or step is not None and step < 0
            bounds = (part.start, part.stop, step)
            if any(isinstance(bound, (ndarray, _TensorBase)) for bound in bounds):
                part = slice(*[None if bound is None else int(bound) for bound in bounds])
        elif isinstance(part, (_python_bool, bool_)):
            part, arrays = on_cpu(_C.full, (), _truth(part), _bool, False), True
        elif isinstance(part, int):
            part, integers = int(part), True
        elif isinstance(part, (ndarray, list, _TensorBase, tuple, range)):
            empty = isinstance(part, list) and not part
            part = tensor_of(part, INT64 if empty else None)
            if part.dtype.is_floating_point and kind is not ndarray:
                raise IndexError(_INDICES)
            if part.dtype.is_floating_point:
                raise IndexError("arrays used as indices must be of integer (or boolean) type")
            if part.dtype is not _bool:
                part = part._to(_int64)
            if part.ndim == 0 and part.dtype is not _bool:
                part, integers = part.item(), True
            else:
                arrays = True
        else:
            raise IndexError(_INDICES)
        parts.append(part)
    if arrays:
        if integers:
            parts = [
                on_cpu(_C.from_data, [part], _int64, False) if type(part) is int else part
                for part in parts
            ]
        _masks_fit(parts, shape)
    return tuple(parts), arrays, back


def _truth(value):
    return value is True or value is not False and _python_bool(value)


def _masks_fit(parts, shape):
    left = sum(map(_taken, parts))
    axis = 0
    for part in parts:
        n = _taken(part)
        left -= n
        if part is Ellipsis:
            axis = len(shape) - left
            continue
        if isinstance(part, _TensorBase) and part.dtype is _bool:
            for d, size in enumerate(part.shape):
                if axis + d < len(shape) and size != shape[axis + d]:
                    raise IndexError(
                        f"boolean index did not match indexed array along axis {axis + d}; size of "
                        f"axis is {shape[axis + d]} but size of corresponding boolean axis is "
                        f"{size}"
                    )
        axis += n


def _taken(part):
    """How many axes a part of an index speaks of."""
    if part is None or part is Ellipsis:
        return 0
    return part.ndim if isinstance(part, _TensorBase) and part.dtype is _bool else 1


def _forwards(parts, shape):
    """The same slices going forwards, for every axis; the other parts; and the axes to turn."""
    taken = sum(map(_taken, parts))
    whole, rest, turned = [], [], []
    for part in parts:
        if part is Ellipsis:
            for _ in range(len(shape) - taken):
                whole.append(slice(None))
                rest.append(slice(None))
            continue
        if type(part) is not slice:
            whole.extend([slice(None)] * _taken(part))
            rest.append(part)
            continue
        start, stop, step = part.indices(shape[len(whole)])
        if step < 0:
            n = len(range(start, stop, step))
            turned.append(len(whole))
            last = start + (n - 1) * step
            part = slice(last, start + 1, -step) if n else slice(0, 0)
        whole.append(part)
        rest.append(slice(None))
    return tuple(whole), tuple(rest), turned


def _refused(error, index, shape):
    """The engine's IndexError in NumPy's words."""
    text = str(error)
    if "too many indices" in text:
        n = sum(map(_taken, index))
        text = (
            f"too many indices for array: array is {len(shape)}-dimensional, but {n} were indexed"
        )
    left, axis = sum(map(_taken, index)), 0
    for part in index:
        left -= _taken(part)
        if type(part) is int and axis < len(shape) and not -shape[axis] <= part < shape[axis]:
            text = f"index {part} is out of bounds for axis {axis} with size {shape[axis]}"
            break
        axis = len(shape) - left if part is Ellipsis else axis + _taken(part)
    return IndexError(text.replace(" (select)", "").replace("for dimension", "for axis"))


def get(tensor, index):
    """The part of a tensor that an index of NumPy's means."""
    parts, _, back = _index(index, tensor.shape)
    try:
        if back:
            whole, parts, turned = _forwards(parts, tensor.shape)
            tensor = _C.flip(tensor[whole], turned)
        return tensor[parts]
    except IndexError as error:
        raise _refused(error, parts, tensor.shape) from None


def put(tensor, index, value):
    """Writes into the part of a tensor that an index of NumPy's means."""
    parts, arrays, back = _index(index, tensor.shape)
    kind = BY_TORCH[tensor.dtype]
    try:
        if back and arrays:
            raise NotImplementedError(
                "a[index] = value: a slice that goes back beside an array is not here; assign "
                "value[::-1] to the slice that goes forwards"
            )
        if arrays:
            return _put_at(tensor, parts, value, kind)
        turned = []
        if back:
            whole, parts, turned = _forwards(parts, tensor.shape)
            tensor = tensor[whole]
            places = tensor.ndim - len(turned)
            turned = [_place(parts, axis) for axis in turned] if places >= 0 else []
        target = tensor[parts]
    except IndexError as error:
        raise _refused(error, parts, tensor.shape) from None
    value = _fitting(
        tensor_of(value, None if kind.kind in "fb" else _keeps(value, kind)), target.shape
    )
    if turned and value.ndim:
        value = _C.flip(value.expand(target.shape), turned)
    target.copy_(value)


def _keeps(value, kind):
    """The dtype to read Python's numbers in; what does not fit into it is an error."""
    return kind if isinstance(value, int) or isinstance(value, (list, tuple, range)) else None


def _place(parts, axis):
    """Where an axis of a whole array stands after the rest of an index."""
    place, seen = 0, 0
    for part in parts:
        if part is None:
            place += 1
        elif seen == axis:
            return place
        else:
            seen += 1
            place += type(part) is slice
    return place + axis - seen


def _put_at(tensor, parts, value, kind):
    if type(value) in (int, float, _python_bool):
        tensor_of(value, kind)
        if type(value) is float and kind.kind in "iu":
            value = int(value)
        tensor[parts] = value
        return
    value = tensor_of(value)._to(tensor.dtype)
    mask = len(parts) == 1 and parts[0].dtype is _bool
    if mask and value.ndim == 1 and parts[0].ndim == tensor.ndim and len(value) != 1:
        n = int(parts[0].sum())
        if n != len(value):
            raise ValueError(
                f"NumPy boolean array indexing assignment cannot assign {len(value)} input values "
                f"to the {n} output values where the mask is true"
            )
    try:
        tensor[parts] = value
    except RuntimeError:
        raise ValueError(
            f"shape mismatch: value array of shape {words_of(value.shape)} could not be broadcast "
            f"to indexing result of shape {words_of(tensor[parts].shape)}"
        ) from None


def _fitting(value, shape):
    """A value without leading dimensions of size 1 that its place lacks; it must broadcast
    there."""
    old = value.shape
    while value.ndim > len(shape) and value.shape[0] == 1:
        value = value[0]
    given = value.shape
    for d in range(len(given)):
        at = len(shape) - len(given) + d
        if at < 0 or given[d] not in (1, shape[at]):
            raise ValueError(
                f"could not broadcast input array from shape {words_of(old)} into shape "
                f"{words_of(shape)}"
            )
    return value


import numpy._interop
from numpy._ndarray import ndarray
