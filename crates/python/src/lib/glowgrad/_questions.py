"""What can be asked of tensors, dtypes and objects, and what complex numbers have of real ones."""

import _glowgrad as _C
from _glowgrad import TensorBase
from glowgrad._bytes import UntypedStorage
from glowgrad._compose import _meet, _takes
from glowgrad._out import _with_out


def result_type(tensor1, tensor2):
    """The dtype of a sum of the two, each a tensor or a number.

    >>> torch.result_type(torch.tensor([1, 2]), 1.0)
    """
    for place, value in enumerate((tensor1, tensor2)):
        if not isinstance(value, (TensorBase, int, float)):
            raise TypeError(
                "result_type() received an invalid combination of arguments - got "
                f"({type(tensor1).__name__}, {type(tensor2).__name__}), but expected tensors or "
                "numbers"
            )
    return _meet(tensor1, tensor2)


def can_cast(from_, to):
    """Whether numbers of a dtype may be written into a tensor of another.

    >>> torch.can_cast(torch.float32, torch.int64)
    """
    if from_.is_floating_point and not to.is_floating_point:
        return False
    return from_ is _C.bool or to is not _C.bool


def typename(obj):
    """The name of an object's type; of a tensor, the name of its dtype's type.

    >>> torch.typename(torch.tensor([1]))
    """
    if isinstance(obj, TensorBase):
        return obj.type()
    kind = obj if hasattr(obj, "__name__") else type(obj)
    module = getattr(kind, "__module__", None) or ""
    name = getattr(kind, "__qualname__", kind.__name__)
    if module in ("", "builtins"):
        return name
    return f"{module.replace('glowgrad', 'torch', 1)}.{name}"


def is_storage(obj, /):
    """Whether an object is the memory of a tensor.

    >>> torch.is_storage(torch.ones(2).untyped_storage())
    """
    from glowgrad._types import TypedStorage

    return isinstance(obj, (UntypedStorage, TypedStorage))


@_takes("input")
def is_nonzero(input):
    """Whether the only element of a tensor is not zero.

    >>> torch.is_nonzero(torch.tensor([0.0]))
    """
    return bool(input)


@_takes("input", "other")
def is_same_size(input, other):
    """Whether two tensors have the same shape.

    >>> torch.is_same_size(torch.ones(2), torch.zeros(2))
    """
    return input.shape == other.shape


@_takes("input")
def is_signed(input):
    """Whether its dtype has negative numbers.

    >>> torch.is_signed(torch.tensor([1, 2]))
    """
    return input.dtype.is_signed


@_takes("input")
def is_complex(input):
    """Whether its dtype is complex: never, since numbers are real.

    >>> torch.is_complex(torch.ones(2))
    """
    return False


@_takes("input")
def is_conj(input):
    """Whether it is a complex conjugate that is yet to be computed: never.

    >>> torch.is_conj(torch.ones(2))
    """
    return False


@_takes("input")
def is_neg(input):
    """Whether it is a negative that is yet to be computed: never.

    >>> torch.is_neg(torch.ones(2))
    """
    return False


@_takes("input")
def is_distributed(input):
    """Whether it lies on several machines: never.

    >>> torch.is_distributed(torch.ones(2))
    """
    return False


@_takes("input")
def is_inference(input):
    """Whether `inference_mode` made it.

    >>> torch.is_inference(torch.ones(2))
    """
    return input.is_inference()


@_takes("input")
def get_device(input):
    """The number of the device that a tensor is on; -1 on the CPU.

    >>> torch.get_device(torch.ones(2))
    """
    return -1 if input.device.index is None else input.device.index


# Of each element


@_with_out
@_takes("input")
def isposinf(input):
    """Which elements are infinity.

    >>> torch.isposinf(torch.tensor([1.0, float("inf"), float("-inf")]))
    """
    return input == float("inf")


@_with_out
@_takes("input")
def isneginf(input):
    """Which elements are minus infinity.

    >>> torch.isneginf(torch.tensor([1.0, float("inf"), float("-inf")]))
    """
    return input == float("-inf")


@_takes("input")
def isreal(input):
    """Which elements are real numbers: all.

    >>> torch.isreal(torch.tensor([1.0, 2.0]))
    """
    return _C.full(input.shape, True, _C.bool, False)


# Of complex numbers


@_takes("input")
def real(input):
    """The real part, which is all of it.

    >>> torch.real(torch.tensor([1.0, 2.0]))
    """
    return input


@_takes("input")
def imag(input):
    """Complex numbers alone have one: it raises.

    >>> torch.is_complex(torch.ones(2))
    """
    return input.imag


@_takes("input")
def conj(input):
    """The complex conjugate, which is the number itself.

    >>> torch.conj(torch.tensor([1.0, 2.0]))
    """
    return input


@_with_out
@_takes("input")
def conj_physical(input):
    """The complex conjugate, which is the number itself.

    >>> torch.conj_physical(torch.tensor([1.0, 2.0]))
    """
    return input


@_takes("input")
def resolve_conj(input):
    """The tensor itself: no conjugate is yet to be computed.

    >>> torch.resolve_conj(torch.tensor([1.0, 2.0]))
    """
    return input


@_takes("input")
def resolve_neg(input):
    """The tensor itself: no negative is yet to be computed.

    >>> torch.resolve_neg(torch.tensor([1.0, 2.0]))
    """
    return input
