"""`torch.optim.optimizer`: what all optimizers share."""

from collections import OrderedDict, defaultdict

import _glowgrad as _C
from glowgrad._tensor import Tensor

__all__ = [
    "Optimizer", "register_optimizer_step_pre_hook", "register_optimizer_step_post_hook",
]


class _Required:
    def __repr__(self):
        return "<required parameter>"


required = _Required()
_pre_hooks, _post_hooks = OrderedDict(), OrderedDict()


class _Handle:
    """Takes a hook away again: by `remove()`, or at the end of a `with`."""

    count = 0

    def __init__(self, hooks, hook, prepend=False):
        _Handle.count += 1
        self.hooks, self.id = hooks, _Handle.count
        hooks[self.id] = hook
        if prepend:
            hooks.move_to_end(self.id, last=False)

    def remove(self):
        self.hooks.pop(self.id, None)

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.remove()


def register_optimizer_step_pre_hook(hook):
    """Calls `hook(optimizer, args, kwargs)` before each step of every optimizer.

    >>> from glowgrad.optim.optimizer import register_optimizer_step_pre_hook
    >>> handle = register_optimizer_step_pre_hook(lambda optimizer, args, kwargs: print("step"))
    >>> w = torch.ones(1, requires_grad=True)
    >>> optim.SGD([w], lr=0.1).step()
    >>> handle.remove()
    """
    return _Handle(_pre_hooks, hook)


def register_optimizer_step_post_hook(hook):
    """Calls `hook(optimizer, args, kwargs)` after each step of every optimizer.

    >>> from glowgrad.optim.optimizer import register_optimizer_step_post_hook
    >>> handle = register_optimizer_step_post_hook(lambda optimizer, args, kwargs: print("done"))
    >>> w = torch.ones(1, requires_grad=True)
    >>> optim.SGD([w], lr=0.1).step()
    >>> handle.remove()
    """
    return _Handle(_post_hooks, hook)


def _hooked(function):
    """A `step` that runs the hooks, once where one step calls another."""

    def step(self, *args, **kwargs):
        self._opt_called = True
        if self.__dict__.get("_is_stepping"):
            return function(self, *args, **kwargs)
        self._is_stepping = True
        try:
            for hooks in (_pre_hooks, self._optimizer_step_pre_hooks):
                for hook in list(hooks.values()):
                    # As in PyTorch, the optimizer is the first of the arguments.
                    result = hook(self, (self, *args), kwargs)
                    if result is None:
                        continue
                    if not isinstance(result, tuple) or len(result) != 2:
                        raise RuntimeError(
                            f"{function} must return None or a tuple of (new_args, new_kwargs), "
                            f"but got {result}."
                        )
                    (_, *args), kwargs = result
            value = function(self, *args, **kwargs)
            for hooks in (self._optimizer_step_post_hooks, _post_hooks):
                for hook in list(hooks.values()):
                    hook(self, (self, *args), kwargs)
            return value
        finally:
            self._is_stepping = False

    step.hooked = True
    step.__doc__ = function.__doc__
    return step


class Optimizer:
    """Groups of parameters with their options, and what an optimizer remembers of each.

    >>> class Descent(optim.Optimizer):
    >>>     def __init__(self, params, lr):
    >>>         super().__init__(params, {"lr": lr})
    >>>     @torch.no_grad()
    >>>     def step(self):
    >>>         for group in self.param_groups:
    >>>             for p in group["params"]:
    >>>                 p.sub_(group["lr"] * p.grad)
    >>>
    >>> w = torch.ones(1, requires_grad=True)
    >>> w.sum().backward()
    >>> Descent([w], lr=0.1).step()
    >>> w
    """

    def __init__(self, params, defaults):
        self.defaults = defaults
        self._prepare()
        if isinstance(params, Tensor):
            raise TypeError(
                "params argument given to the optimizer should be an iterable of Tensors or "
                f"dicts, but got {_typename(params)}"
            )
        if isinstance(params, set):
            _warn(
                "optimizer parameters need to be organized in ordered collections, but the "
                "ordering of tensors in sets will change between runs. Please use a list instead. "
                "This will be an error in a future release.", FutureWarning,
            )
        self.state = defaultdict(dict)
        self.param_groups = []
        groups = list(params)
        if not groups:
            raise ValueError("optimizer got an empty parameter list")
        if not isinstance(groups[0], dict):
            groups = [{"params": groups}]
        for group in groups:
            self.add_param_group(group)

    def __getstate__(self):
        return {name: getattr(self, name) for name in ("defaults", "state", "param_groups")}

    def __setstate__(self, state):
        self.__dict__.update(state)
        self._prepare()
        self.defaults.setdefault("differentiable", False)

    def _prepare(self):
        for kind in ("step_pre", "step_post", "state_dict_pre", "state_dict_post",
                     "load_state_dict_pre", "load_state_dict_post"):
            self.__dict__.setdefault(f"_optimizer_{kind}_hooks", OrderedDict())
        cls = type(self)
        if not getattr(cls.step, "hooked", False):
            cls.step = _hooked(cls.step)

    def __repr__(self):
        text = f"{type(self).__name__} ("
        for index, group in enumerate(self.param_groups):
            text += f"\nParameter Group {index}\n"
            for name in sorted(group):
                if name != "params":
                    text += f"    {name}: {group[name]}\n"
        return text + ")"

    def add_param_group(self, param_group):
        """Adds parameters with options of their own.

        >>> a, b = torch.ones(1, requires_grad=True), torch.ones(1, requires_grad=True)
        >>> optimizer = optim.SGD([a], lr=0.1)
        >>> optimizer.add_param_group({"params": [b], "lr": 0.01})
        >>> len(optimizer.param_groups)
        """
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}")
        params = param_group["params"]
        if isinstance(params, set):
            raise TypeError(
                "optimizer parameters need to be organized in ordered collections, but the "
                "ordering of tensors in sets will change between runs. Please use a list instead."
            )
        params = [params] if isinstance(params, Tensor) else list(params)
        names = [param[0] for param in params if isinstance(param, tuple)]
        params = [param[1] if isinstance(param, tuple) else param for param in params]
        param_group["params"] = params
        if names:
            if len(names) != len(params):
                raise ValueError(
                    "all optimizer params should be with/without names. Some param names are "
                    "missing"
                )
            param_group["param_names"] = names
        for param in params:
            if not isinstance(param, Tensor):
                raise TypeError(
                    "optimizer can only optimize Tensors, but one of the params is "
                    + _typename(param)
                )
            if not (self.defaults.get("differentiable") or param.is_leaf or param.retains_grad):
                raise ValueError("can't optimize a non-leaf Tensor")
        for name, value in self.defaults.items():
            if value is required and name not in param_group:
                raise ValueError(
                    "parameter group didn't specify a value of required optimization parameter "
                    + name
                )
            param_group.setdefault(name, value)
        own = {id(param) for param in params}
        if len(own) != len(params):
            _warn(
                "optimizer contains a parameter group with duplicate parameters; in future, this "
                "will cause an error; see github.com/pytorch/pytorch/issues/40967 for more "
                "information"
            )
        for group in self.param_groups:
            if ("param_names" in param_group) != ("param_names" in group):
                how = "with" if "param_names" in param_group else "without"
                raise ValueError(
                    "all optimizer param groups should be with/without names. cannot add param "
                    f"group {how} names to the optimizer"
                )
        if any(id(p) in own for group in self.param_groups for p in group["params"]):
            raise ValueError("some parameters appear in more than one parameter group")
        self.param_groups.append(param_group)

    def zero_grad(self, set_to_none=True):
        """Forgets the gradients, so that those of the next `backward()` are not added to them.

        >>> w = torch.ones(1, requires_grad=True)
        >>> optimizer = optim.SGD([w], lr=0.1)
        >>> w.sum().backward()
        >>> optimizer.zero_grad()
        >>> w.grad is None
        """
        for group in self.param_groups:
            for param in group["params"]:
                grad = param.grad
                if grad is None:
                    continue
                if set_to_none:
                    param.grad = None
                elif grad.grad_fn is None:
                    grad.requires_grad_(False).zero_()
                else:
                    param.grad = grad.detach().zero_()

    def step(self, closure=None):
        """Moves every parameter one step along its gradient.

        >>> w = torch.ones(1, requires_grad=True)
        >>> optimizer = optim.SGD([w], lr=0.1)
        >>> w.sum().backward()
        >>> optimizer.step()
        >>> w
        """
        raise NotImplementedError

    # State

    def state_dict(self):
        """What the optimizer remembers, and its options, as a dict.

        >>> optimizer = optim.SGD([torch.ones(1, requires_grad=True)], lr=0.1)
        >>> list(optimizer.state_dict())
        """
        self._settle()
        for hook in self._optimizer_state_dict_pre_hooks.values():
            hook(self)
        numbers, groups, start = {}, [], 0
        for group in self.param_groups:
            for index, param in enumerate(group["params"], start):
                numbers.setdefault(id(param), index)
            packed = {name: value for name, value in group.items() if name != "params"}
            packed["params"] = [numbers[id(param)] for param in group["params"]]
            start += len(group["params"])
            groups.append(packed)
        state = {
            numbers[id(key)] if isinstance(key, Tensor) else key: value
            for key, value in self.state.items()
        }
        result = {"state": state, "param_groups": groups}
        for hook in self._optimizer_state_dict_post_hooks.values():
            result = _or(hook(self, result), result)
        return result

    def load_state_dict(self, state_dict):
        """Takes over what `state_dict` gave.

        >>> optimizer = optim.SGD([torch.ones(1, requires_grad=True)], lr=0.1)
        >>> optimizer.load_state_dict(optimizer.state_dict())
        """
        from copy import deepcopy

        state_dict = state_dict.copy()
        for hook in self._optimizer_load_state_dict_pre_hooks.values():
            state_dict = _or(hook(self, state_dict), state_dict)
        groups, loaded = self.param_groups, deepcopy(state_dict["param_groups"])
        if len(groups) != len(loaded):
            raise ValueError("loaded state dict has a different number of parameter groups")
        if any(len(a["params"]) != len(b["params"]) for a, b in zip(groups, loaded)):
            raise ValueError(
                "loaded state dict contains a parameter group that doesn't match the size of "
                "optimizer's group"
            )
        owners = {}
        for group, new in zip(groups, loaded):
            owners.update(zip(new["params"], [(param, new) for param in group["params"]]))
        state = defaultdict(dict)
        for key, value in state_dict["state"].items():
            if key in owners:
                param, group = owners[key]
                state[param] = _adapted(value, param, group)
            else:
                state[key] = value
        for group, new in zip(groups, loaded):
            new["params"] = group["params"]
            if "param_names" in group:
                new.setdefault("param_names", group["param_names"])
        self.__setstate__({"state": state, "param_groups": loaded})
        for hook in self._optimizer_load_state_dict_post_hooks.values():
            hook(self)

    def _settle(self):
        """Every parameter has a state of its own, also after `lab.train`."""

    # Hooks

    def register_step_pre_hook(self, hook):
        """Calls `hook(optimizer, args, kwargs)` before each step.

        >>> w = torch.ones(1, requires_grad=True)
        >>> optimizer = optim.SGD([w], lr=0.1)
        >>> handle = optimizer.register_step_pre_hook(lambda *given: print("before"))
        >>> optimizer.step()
        """
        return _Handle(self._optimizer_step_pre_hooks, hook)

    def register_step_post_hook(self, hook):
        """Calls `hook(optimizer, args, kwargs)` after each step.

        >>> w = torch.ones(1, requires_grad=True)
        >>> optimizer = optim.SGD([w], lr=0.1)
        >>> handle = optimizer.register_step_post_hook(lambda *given: print("after"))
        >>> optimizer.step()
        """
        return _Handle(self._optimizer_step_post_hooks, hook)

    def register_state_dict_pre_hook(self, hook, prepend=False):
        """Calls `hook(optimizer)` before `state_dict` gathers.

        >>> optimizer = optim.SGD([torch.ones(1, requires_grad=True)], lr=0.1)
        >>> handle = optimizer.register_state_dict_pre_hook(lambda optimizer: print("gathers"))
        >>> list(optimizer.state_dict())
        """
        return _Handle(self._optimizer_state_dict_pre_hooks, hook, prepend)

    def register_state_dict_post_hook(self, hook, prepend=False):
        """Calls `hook(optimizer, state_dict)` after `state_dict`; what it returns takes its place.

        >>> optimizer = optim.SGD([torch.ones(1, requires_grad=True)], lr=0.1)
        >>> wrapped = lambda optimizer, state: {"mine": state}
        >>> handle = optimizer.register_state_dict_post_hook(wrapped)
        >>> list(optimizer.state_dict())
        """
        return _Handle(self._optimizer_state_dict_post_hooks, hook, prepend)

    def register_load_state_dict_pre_hook(self, hook, prepend=False):
        """Calls `hook(optimizer, state_dict)` before it is loaded; what it returns takes its place.

        >>> optimizer = optim.SGD([torch.ones(1, requires_grad=True)], lr=0.1)
        >>> unwrapped = lambda optimizer, state: state["mine"]
        >>> handle = optimizer.register_load_state_dict_pre_hook(unwrapped)
        >>> optimizer.load_state_dict({"mine": optimizer.state_dict()})
        """
        return _Handle(self._optimizer_load_state_dict_pre_hooks, hook, prepend)

    def register_load_state_dict_post_hook(self, hook, prepend=False):
        """Calls `hook(optimizer)` after a state has been loaded.

        >>> optimizer = optim.SGD([torch.ones(1, requires_grad=True)], lr=0.1)
        >>> handle = optimizer.register_load_state_dict_post_hook(lambda optimizer: print("loaded"))
        >>> optimizer.load_state_dict(optimizer.state_dict())
        """
        return _Handle(self._optimizer_load_state_dict_post_hooks, hook, prepend)


def _adapted(value, param, group, name=None):
    """A value of a loaded state in the dtype and place of its parameter."""
    if isinstance(value, Tensor):
        if name == "step":
            if group.get("capturable") or group.get("fused"):
                return value.to(param.device, dtype=_C.float32)
            return value
        dtype = param.dtype if param.is_floating_point() else None
        return value.to(param.device, dtype=dtype)
    if isinstance(value, dict):
        return {key: _adapted(each, param, group, key) for key, each in value.items()}
    if isinstance(value, (list, tuple, set)):
        return type(value)([_adapted(each, param, group) for each in value])
    return value


def _or(result, otherwise):
    return otherwise if result is None else result


def _typename(thing):
    """`torch.typename`."""
    if isinstance(thing, Tensor):
        return thing.type()
    kind = thing if hasattr(thing, "__qualname__") else type(thing)
    module = getattr(kind, "__module__", None)
    return kind.__qualname__ if module in (None, "builtins") else f"{module}.{kind.__qualname__}"


def _warn(message, category=UserWarning):
    import warnings

    warnings.warn(message, category, stacklevel=3)
