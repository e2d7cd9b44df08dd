"""glowgrad: PyTorch's names on an engine you can watch.

`import glowgrad as torch`. Every op of the registry is here by its PyTorch name; below are the
functions that make tensors and those that are made of other ops.
"""

import builtins as _builtins

import _glowgrad as _C
from _glowgrad import *  # every op of the registry
from _glowgrad import Generator, dtype, float32, float64, get_rng_state, initial_seed, int64
from _glowgrad import set_printoptions, set_rng_state
from glowgrad._tensor import Parameter as _Parameter
from glowgrad._tensor import Size, Tensor, device, _sizes
from glowgrad.autograd import (
    enable_grad, inference_mode, is_grad_enabled, no_grad, set_grad_enabled,
)

__version__ = "0.1.0"
float, double, long, int = float32, float64, int64, int64
bool = _C.bool
inf, nan = _builtins.float("inf"), _builtins.float("nan")
from math import e, pi

FloatTensor = Tensor
strided = "torch.strided"


def _check_device(where):
    if where is not None:
        device(where)


def tensor(data, *, dtype=None, device=None, requires_grad=False):
    """A tensor with these numbers: a number, a list of numbers, lists of lists."""
    _check_device(device)
    return _C.from_data(data, dtype, requires_grad)


def as_tensor(data, dtype=None, device=None):
    """The tensor itself, or a new one with these numbers."""
    if isinstance(data, Tensor):
        return data if dtype is None else data.to(dtype)
    return tensor(data, dtype=dtype, device=device)


asarray = as_tensor


def full(size, fill_value, *, dtype=None, device=None, requires_grad=False):
    """One number everywhere."""
    _check_device(device)
    return _C.full(size, fill_value, dtype, requires_grad)


def zeros(*size, dtype=None, device=None, requires_grad=False):
    """Zeros."""
    _check_device(device)
    return _C.full(_sizes(size), 0.0, dtype or float32, requires_grad)


def ones(*size, dtype=None, device=None, requires_grad=False):
    """Ones."""
    _check_device(device)
    return _C.full(_sizes(size), 1.0, dtype or float32, requires_grad)


def empty(*size, dtype=None, device=None, requires_grad=False):
    """Zeros: memory is never left as it was."""
    return zeros(*size, dtype=dtype, device=device, requires_grad=requires_grad)


def zeros_like(input, *, dtype=None, device=None, requires_grad=False):
    return _C.full(input.shape, 0, dtype or input.dtype, requires_grad)


def ones_like(input, *, dtype=None, device=None, requires_grad=False):
    return _C.full(input.shape, 1, dtype or input.dtype, requires_grad)


def empty_like(input, *, dtype=None, device=None, requires_grad=False):
    return zeros_like(input, dtype=dtype, requires_grad=requires_grad)


def full_like(input, fill_value, *, dtype=None, device=None, requires_grad=False):
    return _C.full(input.shape, fill_value, dtype or input.dtype, requires_grad)


def arange(start, end=None, step=1, *, dtype=None, device=None, requires_grad=False):
    """start, start + step, … up to end, which is not included."""
    _check_device(device)
    if end is None:
        start, end = 0, start
    return _C.arange(start, end, step, dtype, requires_grad)


def linspace(start, end, steps, *, dtype=None, device=None, requires_grad=False):
    """steps numbers from start to end, both included."""
    _check_device(device)
    start, end = _builtins.float(start), _builtins.float(end)
    return _C.linspace(start, end, steps, dtype, requires_grad)


def logspace(start, end, steps, base=10.0, *, dtype=None):
    return tensor([base ** x for x in linspace(start, end, steps, dtype=float64).tolist()],
                  dtype=dtype)


def eye(n, m=None, *, dtype=None, device=None, requires_grad=False):
    """Ones on the diagonal."""
    _check_device(device)
    return _C.eye(n, n if m is None else m, dtype, requires_grad)


def rand(*size, generator=None, dtype=None, device=None, requires_grad=False):
    """Random numbers from 0 to 1."""
    _check_device(device)
    return _C.rand(_sizes(size), dtype, requires_grad, generator)


def randn(*size, generator=None, dtype=None, device=None, requires_grad=False):
    """Random numbers from the normal distribution."""
    _check_device(device)
    return _C.randn(_sizes(size), dtype, requires_grad, generator)


def rand_like(input, *, dtype=None, requires_grad=False):
    return _C.rand(input.shape, dtype or input.dtype, requires_grad, None)


def randn_like(input, *, dtype=None, requires_grad=False):
    return _C.randn(input.shape, dtype or input.dtype, requires_grad, None)


def randint(low, high=None, size=None, *, generator=None, dtype=None, device=None,
            requires_grad=False):
    """Random integers from low to high, which is not included."""
    _check_device(device)
    if size is None:
        low, high, size = 0, low, high
    return _C.randint(low, high, size, dtype, generator)


def randperm(n, *, generator=None, dtype=None, device=None, requires_grad=False):
    """0 … n - 1 in random order."""
    _check_device(device)
    return _C.randperm(n, dtype, generator)


def normal(mean, std, size=None, *, generator=None):
    """Random numbers from the normal distribution."""
    if size is None:
        shape = mean.shape if isinstance(mean, Tensor) else std.shape
        return _C.randn(shape, None, False, generator) * std + mean
    return _C.normal_(zeros(size), _builtins.float(mean), _builtins.float(std), generator)


def bernoulli(input, *, generator=None):
    return input.bernoulli(generator=generator)


def multinomial(input, num_samples, replacement=False, *, generator=None):
    """Indices drawn with the given weights."""
    if input.ndim == 2:
        return stack([multinomial(row, num_samples, replacement, generator=generator)
                      for row in input])
    weights, chosen = input.tolist(), []
    if not replacement and num_samples > sum(w > 0 for w in weights):
        raise RuntimeError(
            "multinomial: cannot sample more than the number of non-zero weights without "
            "replacement"
        )
    for _ in range(num_samples):
        at = _C.rand((), float64, False, generator).item() * _builtins.sum(weights)
        for index, weight in enumerate(weights):
            at -= weight
            if at < 0 and weight > 0:
                break
        chosen.append(index)
        if not replacement:
            weights[index] = 0.0
    return tensor(chosen, dtype=int64)


def manual_seed(seed):
    """Starts the random numbers over: the same seed, the same numbers as in PyTorch."""
    _C.manual_seed(seed)
    return default_generator


class _DefaultGenerator:
    def manual_seed(self, seed):
        return manual_seed(seed)

    def initial_seed(self):
        return initial_seed()


default_generator = _DefaultGenerator()
seed = lambda: manual_seed(_builtins.hash(_builtins.id(object())) & 0xFFFFFFFF)


def is_tensor(obj):
    return isinstance(obj, Tensor)


def is_floating_point(input):
    return input.is_floating_point()


def numel(input):
    return input.numel()


def get_default_dtype():
    return float32


def set_default_dtype(dtype):
    if dtype is not float32:
        raise NotImplementedError("set_default_dtype: the default is float32; pass dtype=… instead")


def hstack(tensors):
    return cat(tensors, 0 if tensors[0].ndim == 1 else 1)


def vstack(tensors):
    return cat([x if x.ndim > 1 else x.reshape(1, -1) for x in tensors], 0)


def broadcast_to(input, size):
    return input.expand(size)


def meshgrid(*tensors, indexing="ij"):
    tensors = _sizes(tensors)
    shape = [x.numel() for x in tensors]
    grids = []
    for i, x in enumerate(tensors):
        sizes = [1] * len(shape)
        sizes[i] = shape[i]
        grids.append(x.reshape(sizes).expand(shape))
    if indexing == "xy":
        grids = [grid.transpose(0, 1) for grid in grids]
    return tuple(grids)


def where(condition, input=None, other=None):
    """input where the condition holds, other elsewhere."""
    if input is None:
        return condition.nonzero(as_tuple=True)
    return _C.where(condition, input, other)


def dropout(input, p, train):
    from glowgrad.nn import functional

    return functional.dropout(input, p, train)


def _from_method(name):
    method = getattr(Tensor, name)

    def function(input, *args, **kwargs):
        return method(input, *args, **kwargs)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = method.__doc__
    return function


for _name in (
    "absolute allclose argsort bincount chunk clip divide dot equal greater greater_equal isclose "
    "less less_equal masked_select max min mm movedim multiply mv negative nonzero norm not_equal "
    "outer ravel sort split subtract swapaxes t topk true_divide unbind unique"
).split():
    globals()[_name] = _from_method(_name)
concat = concatenate = cat

from glowgrad import autograd, nn, optim, utils, datasets, lab
