"""`GradScaler`: keeps small gradients from becoming 0 in float16."""

from warnings import warn

import _glowgrad as _C
from _glowgrad import TensorBase

_READY, _UNSCALED, _STEPPED = "ready", "unscaled", "stepped"
_UNUSED = (
    "This may indicate your script did not use scaler.scale(loss or outputs) earlier in the "
    "iteration."
)


def _has_cuda():
    from glowgrad import cuda

    return cuda.is_available()


class GradScaler:
    """Multiplies a loss, so that small gradients do not become 0 in float16, and divides gradients.

    >>> scaler = torch.amp.GradScaler("cpu", init_scale=8.0)
    >>> scaler.scale(torch.tensor(2.0))
    """

    __module__ = "torch.amp.grad_scaler"

    def __init__(self, device="cuda", init_scale=2.0**16, growth_factor=2.0, backoff_factor=0.5,
                 growth_interval=2000, enabled=True):
        self._device, self._enabled = device, enabled
        if enabled and device == "cuda" and not _has_cuda():
            warn("torch.cuda.amp.GradScaler is enabled, but CUDA is not available.  Disabling.")
            self._enabled = False
        if self._enabled:
            if growth_factor <= 1.0:
                raise AssertionError("The growth factor must be > 1.0.")
            if backoff_factor >= 1.0:
                raise AssertionError("The backoff factor must be < 1.0.")
            self._init_scale, self._scale = init_scale, None
            self._growth_factor, self._backoff_factor = growth_factor, backoff_factor
            self._growth_interval, self._growth_tracker = growth_interval, 0
            # Of each optimizer: how far the step is, and whether gradients are infinite or NaN.
            self._states = {}

    def scale(self, outputs):
        """A loss, or several, times the scale.
        >>> torch.amp.GradScaler("cpu").scale(torch.ones(1))"""
        if not self._enabled:
            return outputs
        if isinstance(outputs, TensorBase):
            if self._scale is None:
                self._scale = _C.quietly(
                    lambda: _C.full((), self._init_scale, _C.float32, False).to(outputs.device)
                )
            return outputs * self._scale
        if isinstance(outputs, (list, tuple)):
            return type(outputs)([self.scale(each) for each in outputs])
        if hasattr(outputs, "__iter__"):
            return map(self.scale, outputs)
        raise ValueError("outputs must be a Tensor or an iterable of Tensors")

    def _scaled(self, called):
        if self._scale is None:
            raise AssertionError(f"Attempted {called} but _scale is None.  {_UNUSED}")

    def _state_of(self, optimizer):
        return self._states.setdefault(id(optimizer), [_READY, None])

    def unscale_(self, optimizer):
        """Divides the gradients of an optimizer's parameters by the scale.

        >>> optimizer = optim.SGD([torch.ones(1, requires_grad=True)], lr=0.1)
        >>> torch.amp.GradScaler("cpu", enabled=False).unscale_(optimizer)
        """
        if not self._enabled:
            return
        self._scaled("unscale_")
        state = self._state_of(optimizer)
        if state[0] == _UNSCALED:
            raise RuntimeError(
                "unscale_() has already been called on this optimizer since the last update()."
            )
        if state[0] == _STEPPED:
            raise RuntimeError("unscale_() is being called after step().")
        _C.quietly(lambda: self._unscale(optimizer, state))
        state[0] = _UNSCALED

    def _unscale(self, optimizer, state):
        before = _C.set_grad_enabled(False)
        try:
            inverse, found = 1.0 / self._scale.item(), False
            for group in optimizer.param_groups:
                for param in group["params"]:
                    if param.grad is None:
                        continue
                    if param.grad.dtype is _C.float16:
                        raise ValueError("Attempting to unscale FP16 gradients.")
                    found = found or not param.grad.isfinite().all().item()
                    param.grad.mul_(inverse)
                    state[1] = found
        finally:
            _C.set_grad_enabled(before)

    def step(self, optimizer, *args, **kwargs):
        """Takes the optimizer's step with divided gradients, unless one is infinite or NaN.

        >>> optimizer = optim.SGD([torch.ones(1, requires_grad=True)], lr=0.1)
        >>> torch.amp.GradScaler("cpu", enabled=False).step(optimizer)
        """
        if not self._enabled:
            return optimizer.step(*args, **kwargs)
        if "closure" in kwargs:
            raise RuntimeError("Closure use is not currently supported if GradScaler is enabled.")
        self._scaled("step")
        state = self._state_of(optimizer)
        if state[0] == _STEPPED:
            raise RuntimeError("step() has already been called since the last update().")
        if state[0] == _READY:
            self.unscale_(optimizer)
        if state[1] is None:
            raise AssertionError("No inf checks were recorded for this optimizer.")
        result = None if state[1] else optimizer.step(*args, **kwargs)
        state[0] = _STEPPED
        return result

    def update(self, new_scale=None):
        """Makes the scale smaller after a step that was left out, larger after many that were not.

        >>> torch.amp.GradScaler("cpu", enabled=False).update()
        """
        if not self._enabled:
            return
        self._scaled("update")
        if new_scale is not None:
            self._scale.fill_(new_scale if isinstance(new_scale, float) else new_scale.item())
        else:
            checks = [found for _, found in self._states.values() if found is not None]
            if not checks:
                raise AssertionError("No inf checks were recorded prior to update.")
            if any(checks):
                self._scale.mul_(self._backoff_factor)
                self._growth_tracker = 0
            else:
                self._growth_tracker += 1
                if self._growth_tracker == self._growth_interval:
                    grown = (self._scale * self._growth_factor).item()
                    if grown != float("inf"):
                        self._scale.fill_(grown)
                    self._growth_tracker = 0
        self._states = {}

    def get_scale(self):
        """The scale. >>> torch.amp.GradScaler("cpu").get_scale()"""
        if not self._enabled:
            return 1.0
        return self._init_scale if self._scale is None else self._scale.item()

    def get_growth_factor(self):
        """By how much the scale grows. >>> torch.amp.GradScaler("cpu").get_growth_factor()"""
        return self._growth_factor

    def set_growth_factor(self, new_factor):
        """Says by how much the scale grows.
        >>> torch.amp.GradScaler("cpu").set_growth_factor(3.0)"""
        self._growth_factor = new_factor

    def get_backoff_factor(self):
        """By how much the scale shrinks. >>> torch.amp.GradScaler("cpu").get_backoff_factor()"""
        return self._backoff_factor

    def set_backoff_factor(self, new_factor):
        """Says by how much the scale shrinks.
        >>> torch.amp.GradScaler("cpu").set_backoff_factor(0.25)"""
        self._backoff_factor = new_factor

    def get_growth_interval(self):
        """After how many steps the scale grows.
        >>> torch.amp.GradScaler("cpu").get_growth_interval()"""
        return self._growth_interval

    def set_growth_interval(self, new_interval):
        """Says after how many steps the scale grows.
        >>> torch.amp.GradScaler("cpu").set_growth_interval(100)"""
        self._growth_interval = new_interval

    def is_enabled(self):
        """Whether it scales. >>> torch.amp.GradScaler("cpu").is_enabled()"""
        return self._enabled

    def state_dict(self):
        """The scale and how it changes. >>> torch.amp.GradScaler("cpu").state_dict()"""
        if not self._enabled:
            return {}
        return {
            "scale": self.get_scale(), "growth_factor": self._growth_factor,
            "backoff_factor": self._backoff_factor, "growth_interval": self._growth_interval,
            "_growth_tracker": self._growth_tracker,
        }

    def load_state_dict(self, state_dict):
        """Takes the scale and how it changes from another.

        >>> scaler = torch.amp.GradScaler("cpu")
        >>> scaler.load_state_dict(torch.amp.GradScaler("cpu", init_scale=4.0).state_dict())
        >>> scaler.get_scale()
        """
        if not self._enabled:
            return
        if not state_dict:
            raise RuntimeError(
                "The source state dict is empty, possibly because it was saved from a disabled "
                "instance of GradScaler."
            )
        self._init_scale = state_dict["scale"]
        if self._scale is not None:
            self._scale.fill_(state_dict["scale"])
        self._growth_factor = state_dict["growth_factor"]
        self._backoff_factor = state_dict["backoff_factor"]
        self._growth_interval = state_dict["growth_interval"]
        self._growth_tracker = state_dict["_growth_tracker"]
