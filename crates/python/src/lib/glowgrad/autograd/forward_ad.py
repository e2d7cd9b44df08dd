"""Derivatives forward: tensors that carry a tangent.

The tape goes back only, so a tangent is asked for when it is unpacked: a walk back with unknown
gradients, and a walk back through that.
"""

from collections import namedtuple

from glowgrad.autograd._tape import Pushing, alias, reaches

__all__ = [
    "UnpackedDualTensor", "dual_level", "enter_dual_level", "exit_dual_level", "make_dual",
    "unpack_dual",
]

UnpackedDualTensor = namedtuple("UnpackedDualTensor", ["primal", "tangent"])

# For each open level its primals, the tensors on the tape that stand for them, and the tangents.
_levels = []


def enter_dual_level():
    """Opens a level of tangents, for `make_dual`.

    >>> level = torch.autograd.forward_ad.enter_dual_level()
    >>> torch.autograd.forward_ad.exit_dual_level()
    """
    _levels.append([])
    return len(_levels) - 1


def exit_dual_level(*, level=None):
    """Closes the level that was opened last.

    >>> level = torch.autograd.forward_ad.enter_dual_level()
    >>> torch.autograd.forward_ad.exit_dual_level(level=level)
    """
    if not _levels or level not in (None, len(_levels) - 1):
        raise RuntimeError(
            "Trying to exit a forward AD level that was not the last one that was created. This "
            "is not supported."
        )
    _levels.pop()


class dual_level:
    """A level of tangents, under `with`.

    >>> fwAD = torch.autograd.forward_ad
    >>> with fwAD.dual_level():
    >>>     x = fwAD.make_dual(torch.tensor(3.0), torch.tensor(1.0))
    >>>     tangent = fwAD.unpack_dual(x * x).tangent
    >>> tangent
    """

    def __enter__(self):
        return enter_dual_level()

    def __exit__(self, *exception):
        exit_dual_level()


def make_dual(tensor, tangent, *, level=None):
    """The tensor with a tangent: the direction in which it moves.

    >>> fwAD = torch.autograd.forward_ad
    >>> with fwAD.dual_level():
    >>>     x = fwAD.make_dual(torch.ones(2), torch.tensor([1.0, 0.0]))
    >>> x.detach()
    """
    if not _levels:
        raise RuntimeError(
            "Trying to create a dual Tensor for forward AD but no level exists, make sure to "
            "enter_dual_level() first."
        )
    for name, x in (("primal", tensor), ("tangent", tangent)):
        if not x.is_floating_point():
            raise ValueError(
                f"Expected {name} to be floating point or complex, but got: {x.dtype}"
            )
    if tensor.shape != tangent.shape:
        raise RuntimeError(
            "Expected tangent to have the same shape as primal, but got "
            f"{list(tangent.shape)} and {list(tensor.shape)}"
        )
    dual, _ = alias(tensor)
    _levels[-1 if level is None else level].append((tensor, dual, tangent))
    return dual


def unpack_dual(tensor, *, level=None):
    """The tensor and its tangent, which is None where it does not depend on a dual tensor.

    >>> fwAD = torch.autograd.forward_ad
    >>> with fwAD.dual_level():
    >>>     x = fwAD.make_dual(torch.tensor(2.0), torch.tensor(1.0))
    >>>     result = fwAD.unpack_dual(x ** 3)
    >>> result.tangent
    """
    if not _levels:
        return UnpackedDualTensor(tensor, None)
    duals = _levels[-1 if level is None else level]
    for primal, dual, tangent in duals:
        if dual is tensor:
            return UnpackedDualTensor(primal, tangent)
    if not tensor.requires_grad or not duals:
        return UnpackedDualTensor(tensor, None)
    tangents = [d[2] for d in duals]
    create = reaches([tensor, *tangents], [d[1] for d in duals if d[1].is_leaf])
    tangent = Pushing([tensor], [d[1] for d in duals])(tangents, create)[0]
    return UnpackedDualTensor(tensor if create else tensor.detach(), tangent)
