"""How samples become a batch."""

import copy
from collections.abc import Mapping, MutableMapping, MutableSequence, Sequence

import _glowgrad as _C
from glowgrad._tensor import Tensor

__all__ = ("default_collate", "default_convert")


def _is_array(x):
    return hasattr(x, "_glowgrad_tensor")


def _of_kind(old, kind, pairs):
    """A container as `old` with these keys and values; a plain one if its class takes none."""
    plain = dict(pairs) if kind is dict else [value for _, value in pairs]
    mutable = MutableMapping if kind is dict else MutableSequence
    try:
        if isinstance(old, mutable):
            new = copy.copy(old)
            for key, value in pairs:
                new[key] = value
            return new
        return type(old)(plain)
    except TypeError:
        return plain


def default_convert(data):
    """The sample with its arrays as tensors, whatever it is nested in.

    >>> torch.utils.data.default_convert({"x": torch.ones(2).numpy(), "y": 3})
    """
    if _is_array(data):
        from glowgrad import as_tensor

        return as_tensor(data)
    if isinstance(data, (Tensor, str, bytes)):
        return data
    if isinstance(data, Mapping):
        return _of_kind(data, dict, [(key, default_convert(data[key])) for key in data])
    if isinstance(data, tuple):
        values = [default_convert(each) for each in data]
        return type(data)(*values) if hasattr(data, "_fields") else values
    if isinstance(data, Sequence):
        return _of_kind(data, list, [(i, default_convert(each)) for i, each in enumerate(data)])
    return data


def default_collate(batch):
    """Samples joined: tensors stacked, numbers as a tensor, tuples and dicts part by part.

    >>> torch.utils.data.default_collate([(1.0, 0), (2.0, 1)])
    """
    first = batch[0]
    if isinstance(first, Tensor):
        return _C.stack(list(batch), 0)
    if _is_array(first):
        from glowgrad import as_tensor

        return _C.stack([as_tensor(each) for each in batch], 0)
    if isinstance(first, float):
        return _C.from_data(list(batch), _C.float64, False)
    if isinstance(first, int):
        return _C.from_data(list(batch), None, False)
    if isinstance(first, (str, bytes)):
        return batch
    if isinstance(first, Mapping):
        return _of_kind(
            first, dict, [(key, default_collate([each[key] for each in batch])) for key in first]
        )
    if isinstance(first, tuple) and hasattr(first, "_fields"):
        return type(first)(*[default_collate(part) for part in zip(*batch)])
    if isinstance(first, Sequence):
        if any(len(each) != len(first) for each in batch):
            raise RuntimeError("each element in list of batch should be of equal size")
        parts = [default_collate(part) for part in zip(*batch)]
        return parts if isinstance(first, tuple) else _of_kind(first, list, list(enumerate(parts)))
    raise TypeError(
        "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; "
        f"found {type(first)}"
    )
