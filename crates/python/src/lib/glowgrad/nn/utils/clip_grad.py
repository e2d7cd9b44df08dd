"""Gradients that are no longer than you like. The arithmetic is that of PyTorch, in its order."""

import _glowgrad as _C
from glowgrad._tensor import Tensor
from glowgrad.autograd import no_grad

__all__ = (
    "clip_grad_norm", "clip_grad_norm_", "clip_grad_value_", "clip_grads_with_norm_",
    "get_total_norm",
)


def _listed(tensors):
    return [tensors] if isinstance(tensors, Tensor) else list(tensors)


def _grads(parameters):
    return [p.grad for p in _listed(parameters) if p.grad is not None]


def get_total_norm(tensors, norm_type=2.0, error_if_nonfinite=False, foreach=None):
    """The norm of all elements of some tensors, as if they were one.

    >>> torch.nn.utils.get_total_norm([torch.tensor([3.0]), torch.tensor([4.0])])
    """
    tensors, norm_type = _listed(tensors), float(norm_type)
    if not tensors:
        return _C.full((), 0.0, None, False)
    device = tensors[0].device

    def whole():
        norms = [_C.vector_norm(x, norm_type).to(device) for x in tensors]
        return _C.vector_norm(_C.stack(norms, 0), norm_type)

    with no_grad():
        norm = _C.quietly(whole)
        if error_if_nonfinite and bool(norm.isnan() | norm.isinf()):
            raise RuntimeError(
                f"The total norm of order {norm_type} for gradients from `parameters` is "
                "non-finite, so it cannot be clipped. To disable this error and scale the "
                "gradients by the non-finite norm anyway, set `error_if_nonfinite=False`"
            )
    return norm


def clip_grads_with_norm_(parameters, max_norm, total_norm, foreach=None):
    """Scales gradients whose total norm is known so that it is max_norm at most.

    >>> w = torch.ones(2, requires_grad=True)
    >>> (w * 6).sum().backward()
    >>> torch.nn.utils.clip_grads_with_norm_([w], 1.0, torch.tensor(12.0))
    >>> w.grad
    """
    grads, max_norm = _grads(parameters), float(max_norm)
    if not grads:
        return
    with no_grad():
        scale = _C.quietly(lambda: (max_norm / (total_norm + 1e-6)).clamp(max=1.0))
        for grad in grads:
            grad.mul_(scale.to(grad.device))


def clip_grad_norm_(parameters, max_norm, norm_type=2.0, error_if_nonfinite=False, foreach=None):
    """Scales the gradients of parameters so that their norm, taken as one, is max_norm at most.

    >>> w = torch.ones(2, requires_grad=True)
    >>> (w * torch.tensor([3.0, 4.0])).sum().backward()
    >>> torch.nn.utils.clip_grad_norm_([w], max_norm=1.0)
    >>> w.grad
    """
    is_generator = hasattr(parameters, "send")
    parameters = _listed(parameters)
    if is_generator and not parameters:
        from warnings import warn

        warn("`parameters` is an empty generator, no gradient clipping will occur.")
    norm = get_total_norm(_grads(parameters), norm_type, error_if_nonfinite, foreach)
    clip_grads_with_norm_(parameters, max_norm, norm, foreach)
    return norm


def clip_grad_norm(parameters, max_norm, norm_type=2.0, error_if_nonfinite=False, foreach=None):
    """As `clip_grad_norm_`, under PyTorch's old name.

    >>> w = torch.ones(2, requires_grad=True)
    >>> (w * 6).sum().backward()
    >>> torch.nn.utils.clip_grad_norm([w], max_norm=1.0)
    """
    from warnings import warn

    warn(
        "`torch.nn.utils.clip_grad_norm` is now deprecated in favor of "
        "`torch.nn.utils.clip_grad_norm_`.", FutureWarning,
    )
    return clip_grad_norm_(parameters, max_norm, norm_type, error_if_nonfinite, foreach)


def clip_grad_value_(parameters, clip_value, foreach=None):
    """Moves each element of the gradients into [-clip_value, clip_value].

    >>> w = torch.ones(2, requires_grad=True)
    >>> (w * torch.tensor([0.5, -7.0])).sum().backward()
    >>> torch.nn.utils.clip_grad_value_([w], 1.0)
    >>> w.grad
    """
    clip_value = float(clip_value)
    with no_grad():
        for grad in _grads(parameters):
            grad.clamp_(min=-clip_value, max=clip_value)
