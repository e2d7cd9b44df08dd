"""glowgrad: PyTorch's names on an engine you can watch.

`import glowgrad as torch`. Every op of the registry is here by its PyTorch name; below are the
functions that make tensors and those that are made of other ops.
"""

import builtins as _builtins

import _glowgrad as _C
from _glowgrad import *  # every op of the registry
from _glowgrad import Generator, bool, double, dtype, float, float32, float64, half
from _glowgrad import initial_seed, int, int64, long, short
from _glowgrad import set_printoptions, set_rng_state
from glowgrad._bytes import UntypedStorage, finfo, iinfo
from glowgrad._broadcast import broadcast_shapes, broadcast_tensors
from glowgrad._contents import _FUNCTIONS
from glowgrad._later import _later
from glowgrad import _elsewhere
from glowgrad._out import _made, _with_out
from glowgrad._tensor import Parameter as _Parameter
from glowgrad._place import (
    Size, channels_last, channels_last_3d, contiguous_format, device, layout, memory_format,
    preserve_format, strided, _default, _listed, _order, _placed, _placed_like, _sizes,
)
from glowgrad._tensor import Tensor, _spread, _tensordot
from glowgrad.autograd import (
    enable_grad, inference_mode, is_grad_enabled, is_inference_mode_enabled, no_grad,
    set_grad_enabled,
)

__version__ = "0.1.0"
inf, nan = _builtins.float("inf"), _builtins.float("nan")
from math import e, pi

newaxis = None
legacy_contiguous_format = contiguous_format


def _from_data(data, dtype, requires_grad):
    if isinstance(data, Tensor):
        with data.device:
            return _C.from_data(data, dtype, requires_grad)
    return _C.from_data(data, dtype, requires_grad)


@_placed
def tensor(data, *, dtype=None, requires_grad=False):
    """A tensor with a copy of these numbers: a number, a list of numbers, lists of lists.

    >>> torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    """
    return _from_data(_with_arrays(data), dtype, requires_grad)


def _with_arrays(data):
    """Data in which arrays of NumPy's may stand, as the engine takes it."""
    leaf = data = _listed(data)
    while isinstance(leaf, (list, tuple)) and leaf:
        leaf = leaf[0]
    if not hasattr(leaf, "_glowgrad_tensor"):
        return data
    if leaf is data:
        return data._glowgrad_tensor
    from numpy._core import tensor_of

    return tensor_of(data)


def as_tensor(data, dtype=None, device=None):
    """The tensor itself, or a new one with these numbers.

    >>> torch.as_tensor([1, 2, 3])
    """
    data = getattr(data, "_glowgrad_tensor", data)
    if isinstance(data, Tensor):
        return data.to(device, dtype=dtype)
    return tensor(data, dtype=dtype, device=device)


asarray = as_tensor


def from_numpy(ndarray):
    """The tensor on whose memory an array lies.

    >>> a = torch.ones(2).numpy()
    >>> torch.from_numpy(a)
    """
    if not hasattr(ndarray, "_glowgrad_tensor"):
        raise TypeError(f"expected np.ndarray (got {type(ndarray).__name__})")
    return ndarray._glowgrad_tensor


def frombuffer(buffer, *, dtype, count=-1, offset=0, requires_grad=False):
    """A tensor with a copy of these bytes: of `bytes`, `bytearray` or `memoryview`.

    >>> torch.frombuffer(bytes([1, 0, 2, 0]), dtype=torch.int16)
    """
    result = _C.frombuffer(buffer, dtype, count, offset)
    return result.requires_grad_() if requires_grad else result


@_made
def full(size, fill_value, *, dtype=None, requires_grad=False):
    """A tensor of this size with one number everywhere.

    >>> torch.full((2, 3), 7.0)
    """
    return _C.full(size, fill_value, dtype, requires_grad)


def _needs_size(name, size):
    if not size:
        raise TypeError(f"{name}() missing 1 required positional argument: 'size', such as {name}(2, 3)")


@_made
def zeros(*size, dtype=None, requires_grad=False):
    """A tensor of zeros.

    >>> torch.zeros(2, 3)
    """
    _needs_size("zeros", size)
    return _C.full(_sizes(size), 0.0, dtype, requires_grad, "zeros")


@_made
def ones(*size, dtype=None, requires_grad=False):
    """A tensor of ones.

    >>> torch.ones(2, 3)
    """
    _needs_size("ones", size)
    return _C.full(_sizes(size), 1.0, dtype, requires_grad, "ones")


@_made
def empty(*size, dtype=None, requires_grad=False, memory_format=None):
    """A tensor to be filled; it holds zeros, since memory is never left as it was.

    >>> torch.empty(2, 3).shape
    """
    _needs_size("empty", size)
    made = _C.full(_sizes(size), 0.0, dtype, False, "empty")
    if memory_format is not None:
        if memory_format is preserve_format:
            raise RuntimeError("unsupported memory format Preserve")
        made = _order(made, memory_format)
    return made.requires_grad_() if requires_grad else made


def _needs_tensor(name, input):
    if not isinstance(input, Tensor):
        raise TypeError(
            f"{name}(): argument 'input' (position 1) must be Tensor, not {type(input).__name__}"
        )


@_placed_like
def zeros_like(input, *, dtype=None, requires_grad=False):
    """Zeros in the shape, dtype and place of another tensor.

    >>> torch.zeros_like(torch.tensor([1.0, 2.0]))
    """
    _needs_tensor("zeros_like", input)
    return _C.full(input.shape, 0, dtype or input.dtype, requires_grad, "zeros_like")


@_placed_like
def ones_like(input, *, dtype=None, requires_grad=False):
    """Ones in the shape, dtype and place of another tensor.

    >>> torch.ones_like(torch.tensor([1.0, 2.0]))
    """
    _needs_tensor("ones_like", input)
    return _C.full(input.shape, 1, dtype or input.dtype, requires_grad, "ones_like")


@_placed_like
def empty_like(input, *, dtype=None, requires_grad=False):
    """A tensor to be filled, in the shape, dtype and place of another.

    >>> torch.empty_like(torch.ones(2, 3)).shape
    """
    _needs_tensor("empty_like", input)
    return _C.full(input.shape, 0, dtype or input.dtype, requires_grad, "empty_like")


@_placed_like
def full_like(input, fill_value, *, dtype=None, requires_grad=False):
    """One number everywhere, in the shape, dtype and place of another tensor.

    >>> torch.full_like(torch.ones(3), 7.0)
    """
    return _C.full(input.shape, fill_value, dtype or input.dtype, requires_grad, "full_like")


@_made
def arange(start, end=None, step=1, *, dtype=None, requires_grad=False):
    """The numbers start, start + step, … up to end, which is not included.

    >>> torch.arange(0, 10, 2)
    """
    if end is None:
        start, end = 0, start
    return _C.arange(start, end, step, dtype, requires_grad)


@_made
def linspace(start, end, steps, *, dtype=None, requires_grad=False):
    """`steps` numbers from start to end, both included, evenly spaced.

    >>> torch.linspace(0, 1, 5)
    """
    start, end = _builtins.float(start), _builtins.float(end)
    return _C.linspace(start, end, steps, dtype, requires_grad)


@_made
def logspace(start, end, steps, base=10.0, *, dtype=None, requires_grad=False):
    """`steps` numbers from base**start to base**end, each the same factor from the last.

    >>> torch.logspace(0, 3, 4)
    """
    return _C.logspace(start, end, steps, base, dtype, requires_grad)


@_made
def eye(n, m=None, *, dtype=None, requires_grad=False):
    """A matrix with ones on its diagonal and zeros elsewhere.

    >>> torch.eye(3)
    """
    return _C.eye(n, n if m is None else m, dtype, requires_grad)


@_made
def rand(*size, generator=None, dtype=None, requires_grad=False):
    """Random numbers, each as likely as the next, from 0 to 1.

    >>> torch.rand(2, 3).shape
    """
    _needs_size("rand", size)
    return _C.rand(_sizes(size), dtype, requires_grad, generator)


@_made
def randn(*size, generator=None, dtype=None, requires_grad=False):
    """Random numbers from the normal distribution with mean 0 and standard deviation 1.

    >>> torch.randn(2, 3).shape
    """
    _needs_size("randn", size)
    return _C.randn(_sizes(size), dtype, requires_grad, generator)


@_placed_like
def rand_like(input, *, dtype=None, requires_grad=False):
    """Random numbers from 0 to 1 in the shape, dtype and place of another tensor.

    >>> torch.rand_like(torch.ones(2, 3)).shape
    """
    return _C.rand(input.shape, dtype or input.dtype, requires_grad, None)


@_placed_like
def randn_like(input, *, dtype=None, requires_grad=False):
    """Normal random numbers in the shape, dtype and place of another tensor.

    >>> torch.randn_like(torch.ones(2, 3)).shape
    """
    return _C.randn(input.shape, dtype or input.dtype, requires_grad, None)


@_made
def randint(low=None, high=None, size=None, *, generator=None, dtype=None,
            requires_grad=False):
    """Random integers from low to high, which is not included; low may be left out.

    >>> torch.randint(0, 10, (2, 3)).shape
    """
    if size is None:
        low, high, size = 0, low, high
    elif high is None:
        low, high = 0, low
    if high is None or size is None:
        raise TypeError("randint() needs high and size, such as randint(0, 10, (2, 3))")
    low = 0 if low is None else low
    drawn = _C.randint(low, high, size, dtype, generator)
    return drawn.requires_grad_() if requires_grad else drawn


@_made
def randperm(n, *, generator=None, dtype=None, requires_grad=False):
    """The numbers 0 … n - 1 in random order.

    >>> torch.randperm(4).sort().values
    """
    if n < 0:
        raise RuntimeError(f"randperm: n must be non-negative, got {n}")
    return _C.randperm(n, dtype, generator)


@_made
def normal(mean, std=1.0, size=None, *, generator=None, dtype=None,
           requires_grad=False):
    """Random numbers from the normal distribution with this mean and standard deviation.

    >>> torch.normal(5.0, 0.1, (2, 3)).shape
    """
    for given in (mean, std):
        if isinstance(given, Tensor) and not given.is_floating_point():
            raise RuntimeError(
                f"normal: expected floating-point tensors, got {given.dtype}; convert with .float()"
            )
    if size is not None:
        drawn = empty(size, dtype=dtype)
        drawn = _C.normal_(drawn, _builtins.float(mean), _builtins.float(std), generator)
        return drawn.requires_grad_() if requires_grad else drawn
    if not isinstance(std, Tensor):
        return _C.normal_(zeros_like(mean), 0.0, _builtins.float(std), generator) + mean
    if (std < 0).any():
        raise RuntimeError("normal expects all elements of std >= 0.0")
    shape = broadcast_shapes(mean.shape, std.shape) if isinstance(mean, Tensor) else std.shape
    return _C.randn(shape, std.dtype, False, generator) * std + mean


@_with_out
def bernoulli(input, *, generator=None):
    """1 with the probability that stands in each place, else 0.

    >>> torch.bernoulli(torch.tensor([0.0, 1.0, 1.0]))
    """
    _needs_tensor("bernoulli", input)
    return _C.bernoulli(input, generator)


@_with_out
def multinomial(input, num_samples, replacement=False, *, generator=None):
    """Indices of rows drawn with the weights that stand in the tensor.

    >>> torch.multinomial(torch.tensor([0.0, 0.0, 1.0]), 4, replacement=True)
    """
    _needs_tensor("multinomial", input)
    return _C.multinomial(input, num_samples, replacement, generator)


def manual_seed(seed):
    """Starts the random numbers over: the same seed, the same numbers as in PyTorch.

    >>> torch.manual_seed(0)
    >>> torch.randn(2)
    """
    _C.manual_seed(_builtins.int(seed))
    return default_generator


def get_rng_state():
    """The state of the random numbers, to be given back to `set_rng_state`.

    >>> state = torch.get_rng_state()
    >>> a = torch.rand(2)
    >>> torch.set_rng_state(state)
    >>> torch.equal(a, torch.rand(2))
    """
    return _C.quietly(lambda: _C.get_rng_state().to(_C.uint8))


class _DefaultGenerator:
    """The random numbers that everything draws from."""

    device = property(lambda self: device("cpu"))

    def manual_seed(self, seed):
        return manual_seed(seed)

    def initial_seed(self):
        return initial_seed()

    def seed(self):
        return seed()

    def get_state(self):
        return get_rng_state()

    def set_state(self, new_state):
        set_rng_state(new_state)
        return self


default_generator = _DefaultGenerator()


def seed():
    """Starts the random numbers over from a seed that is different each time, and gives the seed.

    >>> torch.seed() is not None
    """
    from random import Random

    new = Random().getrandbits(64)
    _C.manual_seed(new)
    return new


def is_tensor(obj):
    """Whether an object is a tensor.

    >>> torch.is_tensor([1.0])
    """
    return isinstance(obj, Tensor)


def is_floating_point(input):
    """Whether a tensor has a dtype of floats.

    >>> torch.is_floating_point(torch.tensor([1, 2]))
    """
    return input.is_floating_point()


def numel(input):
    """How many elements a tensor has.

    >>> torch.numel(torch.zeros(2, 3))
    """
    return input.numel()


def get_default_dtype():
    """The dtype of tensors made of Python's floats: float32, unless it was set.

    >>> torch.get_default_dtype()
    """
    return _default[0]


def set_default_dtype(d, /):
    """Says which dtype tensors of Python's floats have from now on.

    >>> torch.set_default_dtype(torch.float32)
    """
    from glowgrad._defaults import _change

    _change(d)


def set_default_device(device):
    """Where tensors are made from now on.

    >>> torch.set_default_device("cpu")
    """
    _C.set_device(globals()["device"](device or "cpu")._opened())


def get_default_device():
    """Where tensors are made.

    >>> torch.get_default_device()
    """
    return device(_C.device_type())


def meshgrid(*tensors, indexing="ij"):
    if not tensors:
        raise RuntimeError("meshgrid expects a non-empty TensorList, got no tensor")
    return _C.meshgrid(_list(tensors), indexing)


def block_diag(*tensors):
    return _C.block_diag(_list(tensors))


def cartesian_prod(*tensors):
    return _C.cartesian_prod(_list(tensors))


def _list(tensors):
    """Tensors one by one, or in a list."""
    one = len(tensors) == 1 and not isinstance(tensors[0], Tensor)
    return list(tensors[0] if one else tensors)


def einsum(equation=None, *operands):
    """Sums of products by letters: `einsum("ij,jk->ik", a, b)`.

    >>> a, b = torch.ones(2, 3), torch.ones(3, 4)
    >>> torch.einsum("ij,jk->ik", a, b)
    """
    if not isinstance(equation, str) or not operands:
        raise ValueError(
            "einsum(): must specify the equation string and at least one operand, such as "
            "einsum('ij,jk->ik', a, b)"
        )
    return _C.einsum(equation, _list(operands))


@_with_out
def tensordot(a, b, dims=2):
    return _tensordot(a, b, dims)


@_placed
def tril_indices(row, col, offset=0, *, dtype=None):
    """Rows and columns of the elements on and below a diagonal.

    >>> torch.tril_indices(2, 2)
    """
    return _C.triangle_indices(row, col, offset, False, dtype)


@_placed
def triu_indices(row, col, offset=0, *, dtype=None):
    """Rows and columns of the elements on and above a diagonal.

    >>> torch.triu_indices(2, 2)
    """
    return _C.triangle_indices(row, col, offset, True, dtype)


def promote_types(a, b):
    """The dtype in which both meet.

    >>> torch.promote_types(torch.int64, torch.float32)
    """
    # Its nodes are no calls of the learner's.
    return _C.quietly(lambda: _C.full((1,), 0, a, False) + _C.full((1,), 0, b, False)).dtype


def var_mean(input, dim=None, unbiased=None, keepdim=False, *, correction=1):
    return _C.var_mean(input, *_spread(dim, unbiased, keepdim, correction))


def std_mean(input, dim=None, unbiased=None, keepdim=False, *, correction=1):
    return _C.std_mean(input, *_spread(dim, unbiased, keepdim, correction))


@_with_out
def where(condition, input=None, other=None):
    """input where the condition holds, other elsewhere."""
    if input is None:
        return _C.nonzero_tuple(condition)
    return _C.where(condition, input, other)


def pow(input, exponent, *, out=None):
    """The power of each element; one of the two may be a number.

    >>> torch.pow(torch.tensor([1.0, 2.0, 3.0]), 2)
    """
    if isinstance(input, Tensor):
        return _C.pow(input, exponent, out=out)
    result = input ** exponent
    return result if out is None else _C.write_out("pow", out, result, True)


def dropout(input, p, train):
    """Sets elements to 0 with probability p while training, and scales the rest up.

    >>> torch.dropout(torch.ones(3), 0.5, False)
    """
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
    "allclose clone equal index_put positive ravel split tensor_split unique moveaxis swapdims"
).split():
    globals()[_name] = _from_method(_name)
for _name in "clamp clip inverse median nanmedian nonzero norm".split():
    globals()[_name] = _with_out(_from_method(_name))
for _name in "max min std var".split():
    globals()[_name] = _with_out(_from_method(_name), casts=True)
row_stack = vstack
for _name in _elsewhere.ELSEWHERE:
    globals().pop(_name, None)

from glowgrad import autograd, nn, optim, lab

# Loaded when first asked for.
__getattr__, __dir__ = _later(
    __name__, {module: tuple(names.split()) for module, names in _FUNCTIONS.items()}, __name__
)
