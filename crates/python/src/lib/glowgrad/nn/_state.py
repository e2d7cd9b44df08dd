"""What moves a module to another dtype or place, and what saves and loads its tensors."""

from collections import OrderedDict

import _glowgrad as _C
from glowgrad.autograd import no_grad
from glowgrad.nn._hooks import _hooks_of


class Stateful:
    """The part of a module that moves, saves and loads its tensors."""

    def _apply(self, fn, recurse=True):
        if recurse:
            for module in self.children():
                module._apply(fn)
        for parameter in self._parameters.values():
            if parameter is None:
                continue
            grad = parameter.grad
            with no_grad():
                applied = fn(parameter)
                new = grad if grad is None else fn(grad)
            if applied is not parameter:
                parameter.grad = None
                parameter.data = applied
            if new is not parameter.grad:
                parameter.grad = new
        for name, buffer in self._buffers.items():
            if buffer is not None:
                self._buffers[name] = fn(buffer)
        return self

    def to(self, *args, **kwargs):
        """Moves all parameters and buffers to a device, or those of floats to a dtype.
        >>> nn.Linear(3, 2).to(torch.float64).weight.dtype"""
        from glowgrad.nn._loading import destination

        place, dtype = destination(args, kwargs)
        return self._apply(lambda x: x.to(place, dtype if x.is_floating_point() else None))

    def _floats(self, dtype):
        return self._apply(lambda x: x.to(dtype) if x.is_floating_point() else x)

    def double(self):
        """All floats in it as float64. >>> nn.Linear(3, 2).double().weight.dtype"""
        return self._floats(_C.float64)

    def float(self):
        """All floats in it as float32. >>> nn.Linear(3, 2).float().weight.dtype"""
        return self._floats(_C.float32)

    def half(self):
        """All floats in it as float16. >>> nn.Linear(3, 2).half().weight.dtype"""
        return self._floats(_C.float16)

    def bfloat16(self):
        """All floats in it as bfloat16. >>> nn.Linear(3, 2).bfloat16().weight.dtype"""
        return self._floats(_C.bfloat16)

    def type(self, dst_type):
        """All parameters and buffers in this dtype.
        >>> nn.Linear(3, 2).type(torch.float64).weight.dtype"""
        return self._apply(lambda x: x.type(dst_type))

    def cpu(self):
        """All parameters and buffers on the CPU. >>> nn.Linear(3, 2).cpu().weight.device"""
        return self._apply(lambda x: x.cpu())

    def cuda(self, device=None):
        """All parameters and buffers on a CUDA device. >>> nn.Linear(3, 2).weight.is_cuda"""
        return self._apply(lambda x: x.cuda(device))

    def to_empty(self, *, device, recurse=True):
        """Parameters and buffers on a device, to be filled: they hold zeros.
        >>> nn.Linear(3, 2).to_empty(device="cpu").bias"""
        from glowgrad import empty_like

        return self._apply(lambda x: empty_like(x, device=device), recurse)

    def share_memory(self):
        """The module itself: there are no processes to share it with.
        >>> nn.ReLU().share_memory()"""
        return self

    # State

    def get_extra_state(self):
        """What a subclass wants in its state dict besides; it defines `set_extra_state` too.

        >>> class Counter(nn.Module):
        >>>     def get_extra_state(self):
        >>>         return {"calls": 3}
        >>>
        >>> Counter().state_dict()
        """
        raise RuntimeError("get_extra_state() is for a subclass to define")

    def set_extra_state(self, state):
        """Takes over what `get_extra_state` gave.

        >>> class Counter(nn.Module):
        >>>     def get_extra_state(self):
        >>>         return {"calls": 3}
        >>>     def set_extra_state(self, state):
        >>>         self.calls = state["calls"]
        >>>
        >>> a, b = Counter(), Counter()
        >>> b.load_state_dict(a.state_dict())
        >>> b.calls
        """
        raise RuntimeError("set_extra_state() is for a subclass to define")

    def state_dict(self, *args, destination=None, prefix="", keep_vars=False):
        """All parameters and buffers by name. >>> list(nn.Linear(3, 2).state_dict())"""
        if args:
            from glowgrad.nn._loading import positional

            destination, prefix, keep_vars = positional(args, destination, prefix, keep_vars)
        if destination is None:
            destination = OrderedDict()
            destination._metadata = OrderedDict()
        metadata = {"version": self._version}
        if hasattr(destination, "_metadata"):
            destination._metadata[prefix[:-1]] = metadata
        for hook in _hooks_of(self, "_state_dict_pre_hooks"):
            hook(self, prefix, keep_vars)
        self._save_to_state_dict(destination, prefix, keep_vars)
        for name, module in self._modules.items():
            if module is not None:
                module.state_dict(
                    destination=destination, prefix=f"{prefix}{name}.", keep_vars=keep_vars
                )
        for hook in _hooks_of(self, "_state_dict_hooks"):
            result = hook(self, destination, prefix, metadata)
            if result is not None:
                if getattr(hook, "_from_public_api", False):
                    raise RuntimeError("state_dict post-hook must return None")
                destination = result
        return destination

    def _save_to_state_dict(self, destination, prefix, keep_vars):
        for name, parameter in self._parameters.items():
            if parameter is not None:
                destination[prefix + name] = parameter if keep_vars else parameter.detach()
        for name, buffer in self._buffers.items():
            if buffer is not None and name not in self._non_persistent_buffers_set:
                destination[prefix + name] = buffer if keep_vars else buffer.detach()
        if type(self).get_extra_state is not Stateful.get_extra_state:
            destination[prefix + "_extra_state"] = self.get_extra_state()

    def load_state_dict(self, state_dict, strict=True, assign=False):
        """Takes over parameters and buffers that `state_dict` gave; assign: those very tensors.

        >>> a, b = nn.Linear(3, 2), nn.Linear(3, 2)
        >>> b.load_state_dict(a.state_dict())
        >>> torch.equal(a.weight, b.weight)
        """
        from glowgrad.nn._loading import load

        return load(self, state_dict, strict, assign)

    def _load_from_state_dict(self, state_dict, prefix, local_metadata, strict, missing_keys,
                              unexpected_keys, error_msgs):
        from glowgrad.nn._loading import load_own

        load_own(self, state_dict, prefix, local_metadata, strict, missing_keys,
                 unexpected_keys, error_msgs)
