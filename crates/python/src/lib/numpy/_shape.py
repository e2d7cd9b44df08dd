"""The same elements in another shape or order: `np.reshape`, `np.concatenate`, `np.pad` and their
like."""

import builtins
import operator

import _glowgrad as _C
import numpy as np
from numpy._core import asarray, normal_axis, tensor_of, words_of, wrap
from numpy._types import BY_TORCH, _dtype, promote_types
from numpy._ufunc import broadcast_shape


def ndim(a):
    """How many axes an array has. >>> np.ndim([[1, 2]])"""
    return getattr(a, "ndim", None) if hasattr(a, "ndim") else asarray(a).ndim


def shape(a):
    """How many elements there are along each axis. >>> np.shape([[1, 2]])"""
    return tuple(a.shape) if hasattr(a, "shape") else asarray(a).shape


def size(a, axis=None):
    """How many elements there are, in all or along an axis. >>> np.size([[1, 2]])"""
    found = shape(a)
    if axis is not None:
        return found[axis]
    n = 1
    for length in found:
        n *= length
    return n


def reshape(a, /, shape=None, order="C", *, newshape=None, copy=None):
    """The elements in another shape. >>> np.reshape(np.arange(6), (2, 3))"""
    t = tensor_of(a)
    shape = newshape if shape is None else shape
    sizes = (
        [operator.index(n) for n in shape]
        if isinstance(shape, (tuple, list))
        else [operator.index(shape)]
    )
    n, known = t.numel(), 1
    for length in sizes:
        known *= length if length >= 0 else 1
    unknown = sizes.count(-1)
    if unknown > 1:
        raise ValueError("can only specify one unknown dimension")
    if unknown and known and n % known == 0:
        sizes[sizes.index(-1)] = n // known
    elif unknown or known != n:
        words = words_of(sizes)
        if unknown:
            # NumPy leaves the unknown out.
            words = "(" + ",".join(["newaxis" if s == -1 else str(s) for s in sizes]) + ")"
            words = words.replace("newaxis,", "").replace(",newaxis", "")
        raise ValueError(f"cannot reshape array of size {n} into shape {words}")
    if order in ("F", "f"):
        turned = t.permute(list(range(t.ndim - 1, -1, -1))).reshape(sizes[::-1])
        return wrap(turned.permute(list(range(len(sizes) - 1, -1, -1))))
    return wrap(t.reshape(sizes))


def ravel(a, order="C"):
    """The elements in one dimension. >>> np.ravel([[1, 2], [3, 4]])"""
    return reshape(a, -1, order)


def transpose(a, axes=None):
    """The array with its axes in another order. >>> np.transpose(np.zeros((2, 3))).shape"""
    t = tensor_of(a)
    if axes is None:
        return wrap(t.permute(list(range(t.ndim - 1, -1, -1))))
    if len(axes) != t.ndim:
        raise ValueError("axes don't match array")
    axes = [normal_axis(axis, t.ndim) for axis in axes]
    if len(set(axes)) < len(axes):
        raise ValueError("repeated axis in transpose")
    return wrap(t.permute(axes))


permute_dims = transpose


def matrix_transpose(x, /):
    """The array with its last two axes swapped. >>> np.matrix_transpose(np.zeros((2, 3))).shape"""
    return asarray(x).mT


def swapaxes(a, axis1, axis2):
    """The array with two axes swapped. >>> np.swapaxes(np.zeros((2, 3)), 0, 1).shape"""
    t = tensor_of(a)
    return wrap(
        t.transpose(normal_axis(axis1, t.ndim, "axis1: "), normal_axis(axis2, t.ndim, "axis2: "))
    )


def _several(axis):
    return list(axis) if isinstance(axis, (tuple, list)) else [axis]


def moveaxis(a, source, destination):
    """The array with axes moved to other places.
    >>> np.moveaxis(np.zeros((2, 3, 4)), 0, -1).shape"""
    t = tensor_of(a)
    source = [normal_axis(axis, t.ndim, "source: ") for axis in _several(source)]
    destination = [normal_axis(axis, t.ndim, "destination: ") for axis in _several(destination)]
    if len(source) != len(destination):
        raise ValueError(
            "`source` and `destination` arguments must have the same number of elements"
        )
    order = [axis for axis in range(t.ndim) if axis not in source]
    for to, axis in sorted(zip(destination, source)):
        order.insert(to, axis)
    return wrap(t.permute(order))


def rollaxis(a, axis, start=0):
    """The array with an axis moved before another. >>> np.rollaxis(np.zeros((2, 3, 4)), 2).shape"""
    n = ndim(a)
    axis, start = normal_axis(axis, n), start + n if start < 0 else start
    return moveaxis(a, axis, start - 1 if axis < start else start)


def expand_dims(a, axis):
    """The array with axes of size 1 put in. >>> np.expand_dims(np.zeros(3), 0).shape"""
    t = tensor_of(a)
    axes = _several(axis)
    n = t.ndim + len(axes)
    for axis in sorted([normal_axis(axis, n) for axis in axes]):
        t = t.unsqueeze(axis)
    return wrap(t)


def squeeze(a, axis=None):
    """The array without axes of size 1. >>> np.squeeze(np.zeros((1, 3))).shape"""
    t = tensor_of(a)
    if axis is None:
        return wrap(t.reshape([n for n in t.shape if n != 1]) if t.is_contiguous() else t.squeeze())
    axes = [normal_axis(each, t.ndim) for each in _several(axis)]
    for each in sorted(axes, reverse=True):
        if t.shape[each] != 1:
            raise ValueError("cannot select an axis to squeeze out which has size not equal to one")
        t = t.squeeze(each)
    return wrap(t)


def _at_least(n, place, arrays):
    found = [wrap(place(tensor_of(a)) if ndim(a) < n else tensor_of(a)) for a in arrays]
    return found[0] if len(found) == 1 else tuple(found)


def atleast_1d(*arys):
    """Arrays of one axis or more. >>> np.atleast_1d(3.0)"""
    return _at_least(1, lambda t: t.reshape(1), arys)


def atleast_2d(*arys):
    """Arrays of two axes or more. >>> np.atleast_2d([1, 2])"""
    return _at_least(2, lambda t: t.reshape(1, -1), arys)


def atleast_3d(*arys):
    """Arrays of three axes or more. >>> np.atleast_3d([1, 2]).shape"""
    return _at_least(3, lambda t: t.reshape(1, -1, 1) if t.ndim < 2 else t.unsqueeze(2), arys)


def broadcast_to(array, shape, subok=False):
    """A view that repeats axes of size 1. >>> np.broadcast_to([1, 2], (3, 2))"""
    t = tensor_of(array)
    shape = tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)
    try:
        met = broadcast_shape([t.shape, shape])
    except ValueError:
        met = None
    if met != shape:
        raise ValueError(
            "operands could not be broadcast together with remapped shapes [original->remapped]: "
            f"{words_of(t.shape)}  and requested shape {words_of(shape)}"
        )
    return wrap(t.expand(shape))


def broadcast_shapes(*args):
    """The shape in which these meet. >>> np.broadcast_shapes((3, 1), (4,))"""
    shapes = [tuple(each) if isinstance(each, (tuple, list)) else (each,) for each in args]
    try:
        return broadcast_shape(shapes)
    except ValueError:
        words = " and ".join([f"arg {i} with shape {each}" for i, each in enumerate(shapes)])
        raise ValueError(
            f"shape mismatch: objects cannot be broadcast to a single shape.  Mismatch is between "
            f"{words}."
        ) from None


def broadcast_arrays(*args, subok=False):
    """The arrays as views of the shape in which all meet.
    >>> np.broadcast_arrays([1, 2], [[3], [4]])[0]"""
    parts = [asarray(a) for a in args]
    met = broadcast_shape([part.shape for part in parts])
    return tuple([broadcast_to(part, met) for part in parts])


# Joining and splitting


def _alike(tensors, dtype):
    kind = BY_TORCH[tensors[0].dtype]
    for t in tensors:
        kind = promote_types(kind, BY_TORCH[t.dtype])
    kind = _dtype(dtype) if dtype is not None else kind
    return [t._to(kind.torch) for t in tensors]


def _parts(arrays):
    if not isinstance(arrays, (list, tuple)):
        if not hasattr(arrays, "shape"):
            raise TypeError(
                'arrays to stack must be passed as a "sequence" type such as list or tuple.'
            )
    return [tensor_of(a) for a in arrays]


def concatenate(arrays, /, axis=0, out=None, *, dtype=None, casting="same_kind"):
    """Arrays one after the other along an axis. >>> np.concatenate([[1, 2], [3]])"""
    tensors = _parts(arrays)
    if not tensors:
        raise ValueError("need at least one array to concatenate")
    if axis is None:
        tensors, axis = [t.reshape(-1) for t in tensors], 0
    first = tensors[0]
    if not first.ndim:
        raise ValueError("zero-dimensional arrays cannot be concatenated")
    axis = normal_axis(axis, first.ndim)
    for i, t in enumerate(tensors):
        if t.ndim != first.ndim:
            raise ValueError(
                "all the input arrays must have same number of dimensions, but the array at index "
                "0 has "
                f"{first.ndim} dimension(s) and the array at index {i} has {t.ndim} dimension(s)"
            )
        for d in range(t.ndim):
            if d != axis and t.shape[d] != first.shape[d]:
                raise ValueError(
                    "all the input array dimensions except for the concatenation axis must match "
                    "exactly, "
                    f"but along dimension {d}, the array at index 0 has size {first.shape[d]} and "
                    f"the array at index {i} has size {t.shape[d]}"
                )
    found = wrap(_C.cat(_alike(tensors, dtype), axis))
    if out is None:
        return found
    out[...] = found
    return out


concat = concatenate


def stack(arrays, axis=0, out=None, *, dtype=None, casting="same_kind"):
    """Arrays along a new axis. >>> np.stack([[1, 2], [3, 4]], axis=1)"""
    tensors = _parts(arrays)
    if not tensors:
        raise ValueError("need at least one array to stack")
    if len({tuple(t.shape) for t in tensors}) != 1:
        raise ValueError("all input arrays must have the same shape")
    found = wrap(_C.stack(_alike(tensors, dtype), normal_axis(axis, tensors[0].ndim + 1)))
    if out is None:
        return found
    out[...] = found
    return out


def unstack(x, /, *, axis=0):
    """The parts of an array along an axis. >>> np.unstack(np.eye(2))"""
    return tuple([wrap(t) for t in _C.unbind(tensor_of(x), axis)])


def vstack(tup, *, dtype=None, casting="same_kind"):
    """Arrays below each other. >>> np.vstack([[1, 2], [3, 4]])"""
    return concatenate([atleast_2d(a) for a in tup], 0, dtype=dtype)


def hstack(tup, *, dtype=None, casting="same_kind"):
    """Arrays beside each other. >>> np.hstack([[1, 2], [3, 4]])"""
    parts = [atleast_1d(a) for a in tup]
    return concatenate(parts, 0 if parts and parts[0].ndim == 1 else 1, dtype=dtype)


def dstack(tup):
    """Arrays behind each other. >>> np.dstack([[1, 2], [3, 4]]).shape"""
    return concatenate([atleast_3d(a) for a in tup], 2)


def column_stack(tup):
    """Arrays as columns. >>> np.column_stack([[1, 2], [3, 4]])"""
    parts = [asarray(a) for a in tup]
    return concatenate([part if part.ndim > 1 else part.reshape(-1, 1) for part in parts], 1)


def block(arrays):
    """An array of blocks. >>> np.block([[np.eye(2), np.zeros((2, 1))]])"""
    depth, inner = 0, arrays
    while isinstance(inner, list):
        depth, inner = depth + 1, inner[0]
    return _block(arrays, depth, builtins.max(depth, 1))


def _block(part, depth, most):
    if not isinstance(part, list):
        part = asarray(part)
        return part.reshape((1,) * (most - part.ndim) + part.shape) if part.ndim < most else part
    return concatenate([_block(each, depth - 1, most) for each in part], -depth)


def append(arr, values, axis=None):
    """An array with values at its end. >>> np.append([1, 2], 3)"""
    if axis is None:
        return concatenate([ravel(arr), ravel(values)])
    return concatenate([arr, values], axis)


def split(ary, indices_or_sections, axis=0):
    """Parts of equal size, or between indices. >>> np.split(np.arange(6), 3)"""
    if isinstance(indices_or_sections, int) and shape(ary)[axis] % indices_or_sections:
        raise ValueError("array split does not result in an equal division")
    return array_split(ary, indices_or_sections, axis)


def array_split(ary, indices_or_sections, axis=0):
    """Parts of nearly equal size. >>> np.array_split(np.arange(5), 2)"""
    t = tensor_of(ary)
    axis = normal_axis(axis, t.ndim)
    n = t.shape[axis]
    if isinstance(indices_or_sections, int):
        if indices_or_sections <= 0:
            raise ValueError("number sections must be larger than 0.")
        each, more = divmod(n, indices_or_sections)
        ends = [each * i + builtins.min(i, more) for i in range(indices_or_sections + 1)]
    else:
        ends = [0] + [slice(None, int(i)).indices(n)[1] for i in indices_or_sections] + [n]
    parts = []
    for start, end in zip(ends, ends[1:]):
        parts.append(wrap(t.narrow(axis, start, builtins.max(0, end - start))))
    return parts


def hsplit(ary, indices_or_sections):
    """Parts beside each other. >>> np.hsplit(np.eye(2), 2)"""
    return split(ary, indices_or_sections, 0 if ndim(ary) == 1 else 1)


def vsplit(ary, indices_or_sections):
    """Parts below each other. >>> np.vsplit(np.eye(2), 2)"""
    if ndim(ary) < 2:
        raise ValueError("vsplit only works on arrays of 2 or more dimensions")
    return split(ary, indices_or_sections, 0)


def dsplit(ary, indices_or_sections):
    """Parts behind each other. >>> np.dsplit(np.zeros((1, 1, 2)), 2)[0].shape"""
    return split(ary, indices_or_sections, 2)


# Repeating and turning


def tile(A, reps):
    """The array repeated as a whole. >>> np.tile([1, 2], 2)"""
    t = tensor_of(A)
    reps = list(reps) if isinstance(reps, (tuple, list)) else [reps]
    reps = [1] * (t.ndim - len(reps)) + [int(n) for n in reps]
    return wrap(t.reshape([1] * (len(reps) - t.ndim) + list(t.shape)).repeat(*reps))


def repeat(a, repeats, axis=None):
    """Each element repeated. >>> np.repeat([1, 2], 2)"""
    t = tensor_of(a)
    t, axis = (t.reshape(-1), 0) if axis is None else (t, normal_axis(axis, t.ndim))
    times = tensor_of(repeats)
    if times.numel() == 1:
        return wrap(t.repeat_interleave(int(times.item()), axis))
    if len(times) != t.shape[axis]:
        raise ValueError(
            f"operands could not be broadcast together with shape ({t.shape[axis]},) "
            f"({len(times)},)"
        )
    return wrap(t.repeat_interleave(times, axis))


def resize(a, new_shape):
    """The elements again and again in a shape. >>> np.resize([1, 2, 3], (2, 2))"""
    t = tensor_of(a).reshape(-1)
    sizes = list(new_shape) if isinstance(new_shape, (tuple, list)) else [new_shape]
    n = 1
    for length in sizes:
        n *= length
    if not t.numel():
        return np.zeros(sizes, BY_TORCH[t.dtype])
    return wrap(t.repeat(-(-n // t.numel()))[:n].reshape(sizes))


def roll(a, shift, axis=None):
    """Elements moved on, the last to the front. >>> np.roll([1, 2, 3], 1)"""
    t = tensor_of(a)
    if axis is None:
        return wrap(_C.roll(t.reshape(-1), [int(shift)], [0]).reshape(t.shape))
    axes = [normal_axis(each, t.ndim) for each in _several(axis)]
    shifts = [int(each) for each in _several(shift)]
    shifts = shifts * len(axes) if len(shifts) == 1 else shifts
    return wrap(_C.roll(t, shifts, axes))


def flip(m, axis=None):
    """Elements in reverse order. >>> np.flip([1, 2, 3])"""
    t = tensor_of(m)
    axes = range(t.ndim) if axis is None else [normal_axis(each, t.ndim) for each in _several(axis)]
    return wrap(_C.flip(t, list(axes)))


def flipud(m):
    """Rows in reverse order. >>> np.flipud(np.eye(2))"""
    return flip(m, 0)


def fliplr(m):
    """Columns in reverse order. >>> np.fliplr(np.eye(2))"""
    if ndim(m) < 2:
        raise ValueError("Input must be >= 2-d.")
    return flip(m, 1)


def rot90(m, k=1, axes=(0, 1)):
    """The array turned by quarters. >>> np.rot90([[1, 2], [3, 4]])"""
    return wrap(_C.rot90(tensor_of(m), k, list(axes)))


def diagonal(a, offset=0, axis1=0, axis2=1):
    """The elements on a diagonal. >>> np.diagonal(np.eye(2))"""
    if ndim(a) < 2:
        raise ValueError("diag requires an array of at least two dimensions")
    return wrap(_C.diagonal(tensor_of(a), offset, axis1, axis2))


# Where elements lie


def shares_memory(a, b, max_work=None):
    """Whether two arrays lie in the same memory. >>> a = np.zeros(3); np.shares_memory(a, a[1:])"""
    return tensor_of(a)._storage_id() == tensor_of(b)._storage_id()


may_share_memory = shares_memory


def unravel_index(indices, shape, order="C"):
    """Indices of a shape from places in the flat array. >>> np.unravel_index(4, (2, 3))"""
    place, found = asarray(indices), []
    n = 1
    for length in shape:
        n *= length
    if np.any((place < 0) | (place >= n)):
        raise ValueError(f"index {np.max(place)} is out of bounds for array with size {n}")
    for length in reversed(shape):
        found.insert(0, np.remainder(place, length))
        place = np.floor_divide(place, length)
    return tuple(found)


def ravel_multi_index(multi_index, dims, mode="raise", order="C"):
    """Places in the flat array from indices of a shape.
    >>> np.ravel_multi_index(([1], [1]), (2, 3))"""
    found = 0
    for index, length in zip(multi_index, dims):
        if mode == "raise" and np.any((asarray(index) < 0) | (asarray(index) >= length)):
            raise ValueError("invalid entry in coordinates array")
        index = np.clip(index, 0, length - 1) if mode == "clip" else np.remainder(index, length)
        found = np.add(np.multiply(found, length), index)
    return found
