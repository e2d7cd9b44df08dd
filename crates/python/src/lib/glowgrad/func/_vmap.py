"""`vmap`: a function for one example as a function for a batch of them."""

from functools import partial, update_wrapper

import _glowgrad as _C
from _glowgrad import TensorBase
from glowgrad.func._tree import flatten, spelled, spread, unflatten

# How many batches run inside each other.
_depth = 0


def vmap(func, in_dims=0, out_dims=0, randomness="error", *, chunk_size=None):
    """A function for a batch: runs one for a single example on each slice, and stacks the results.

    >>> torch.vmap(torch.dot)(torch.ones(3, 2), torch.ones(3, 2))
    """
    if randomness not in ("error", "different", "same"):
        raise RuntimeError(
            "Only allowed values for randomness are 'error', 'different', or 'same'. Got "
            f"{randomness}"
        )
    if not (chunk_size is None or chunk_size > 0):
        raise ValueError(f"vmap: chunk_size should be None or greater than 0. (got {chunk_size})")

    def wrapper(*args, **kwargs):
        _check_out_dims(func, out_dims)
        leaves, dims, structure = _batched(func, in_dims, args)
        count = _size(dims, leaves)
        with _Randomness(randomness) as start:
            results = []
            for each in _slices(leaves, dims, count):
                start()
                results.append(func(*unflatten(each, structure), **kwargs))
        return _stacked(func, out_dims, results, count)

    return update_wrapper(wrapper, func, updated=())


class _Randomness:
    """Refuses random numbers, gives each slice the same, or lets them come."""

    def __init__(self, kind):
        self.kind, self.before = kind, None

    def __enter__(self):
        global _depth
        watched = self.kind == "same" or self.kind == "error" and not _depth
        if watched and (self.kind == "same" or not _C.is_capturing()):
            self.before = _C.get_rng_state()
        _depth += 1
        return self.start

    def start(self):
        if self.kind == "same" and self.before is not None:
            _C.set_rng_state(self.before)

    def __exit__(self, kind, exception, traceback):
        global _depth
        _depth -= 1
        if self.kind != "error" or self.before is None or exception is not None:
            return
        if not _C.quietly(lambda: self.before.equal(_C.get_rng_state())):
            _C.set_rng_state(self.before)
            raise RuntimeError(
                "vmap: called random operation while in randomness error mode. Please either use "
                "the 'same' or 'different' randomness flags on vmap or perform the randomness "
                "operation out of vmap"
            )


def _name(func):
    if hasattr(func, "__name__"):
        return func.__name__
    if isinstance(func, partial):
        return f"functools.partial({_name(func.func)}, ...)"
    return repr(func)


def _check_out_dims(func, out_dims):
    for each in flatten(out_dims)[0]:
        if not isinstance(each, int) and each is not None:
            raise ValueError(
                f"vmap({_name(func)}, ..., out_dims={out_dims}): `out_dims` must be an int, None "
                "or a python collection of ints representing where in the outputs the vmapped "
                "dimension should appear."
            )


def _batched(func, in_dims, args):
    """The arguments' leaves, the dimension of each that is the batch, and their structure."""
    called = f"vmap({_name(func)}, in_dims={in_dims}, ...)(<inputs>)"
    if not isinstance(in_dims, (int, tuple)):
        raise ValueError(
            f"{called}: expected `in_dims` to be int or a (potentially nested) tuple matching the "
            f"structure of inputs, got: {type(in_dims)}."
        )
    if not args:
        raise ValueError(
            f"vmap({_name(func)})(<inputs>): got no inputs. Maybe you forgot to add inputs, or you "
            "are trying to vmap over a function with no inputs. The latter is unsupported."
        )
    leaves, structure = flatten(args)
    dims = spread(in_dims, structure)
    if dims is None:
        raise ValueError(
            f"{called}: in_dims is not compatible with the structure of `inputs`. in_dims has "
            f"structure {spelled(flatten(in_dims)[1])} but inputs has structure "
            f"{spelled(structure)}."
        )
    for i, (x, dim) in enumerate(zip(leaves, dims)):
        if dim is None:
            continue
        if not isinstance(dim, int):
            raise ValueError(
                f"{called}: Got in_dim={dim} for an input but in_dim must be either an integer "
                "dimension or None."
            )
        if not isinstance(x, TensorBase):
            raise ValueError(
                f"{called}: Got in_dim={dim} for an input but the input is of type {type(x)}. We "
                "cannot vmap over non-Tensor arguments, please use None as the respective in_dim"
            )
        if not -x.ndim <= dim < x.ndim:
            raise ValueError(
                f"{called}: Got in_dim={dim} for some input, but that input is a Tensor of "
                f"dimensionality {x.ndim} so expected in_dim to satisfy -{x.ndim} <= in_dim < "
                f"{x.ndim}."
            )
    return leaves, dims, structure


def _size(dims, leaves):
    sizes = [x.shape[dim] for x, dim in zip(leaves, dims) if dim is not None]
    if not sizes:
        raise ValueError("vmap: Expected at least one Tensor to vmap over")
    if any([size != sizes[0] for size in sizes]):
        raise ValueError(
            "vmap: Expected all tensors to have the same size in the mapped dimension, got sizes "
            f"{sizes} for the mapped dimension"
        )
    return sizes[0]


def _slices(leaves, dims, count):
    """The arguments' leaves for each example; where there is none, zeros of an example's shape."""
    if count:
        return [
            [x if dim is None else x.select(dim, i) for x, dim in zip(leaves, dims)]
            for i in range(count)
        ]
    return [[
        x if dim is None else x.detach().sum(dim) for x, dim in zip(leaves, dims)
    ]]


def _stacked(func, out_dims, results, count):
    """What the function gave for each slice, as batches."""
    rows = [flatten(result) for result in results]
    structure = rows[0][1]
    alone = structure is None and isinstance(out_dims, tuple) and len(out_dims) == 1
    dims = list(out_dims) if alone else spread(out_dims, structure)
    if dims is None:
        raise ValueError(
            f"vmap({_name(func)}, ..., out_dims={out_dims})(<inputs>): out_dims is not compatible "
            f"with the structure of `outputs`. out_dims has structure "
            f"{spelled(flatten(out_dims)[1])} but outputs has structure {spelled(structure)}."
        )
    batches = []
    for column, dim in zip(zip(*[leaves for leaves, _ in rows]), dims):
        if dim is None:
            batches.append(column[0])
            continue
        for x in column:
            if not isinstance(x, TensorBase):
                raise ValueError(
                    f"vmap({_name(func)}, ...): `{_name(func)}` must only return Tensors, got type "
                    f"{type(x)}. Did you mean to set out_dims= to None for output?"
                )
        batch = _C.stack(list(column), dim)
        batches.append(batch if count else batch.narrow(dim, 0, 0))
    return unflatten(batches, structure)
