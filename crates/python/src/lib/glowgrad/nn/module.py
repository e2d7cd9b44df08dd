"""`nn.Module`: parameters, submodules and the path that a call takes through them.

While a module runs, its path (`model.0`) is the engine's scope, so that nodes know where they
were made.
"""

from collections import OrderedDict

import _glowgrad as _C
from glowgrad._tensor import Parameter, Tensor

# The modules that are running, outermost first, with their paths.
_running = []


class Module:
    """A function with parameters. Subclass it: assign parameters and modules, define `forward`.

    >>> class Twice(nn.Module):
    >>>     def forward(self, x):
    >>>         return 2 * x
    >>>
    >>> Twice()(torch.ones(2))
    """

    training = True

    def __init__(self):
        for name in ("_parameters", "_buffers", "_modules"):
            object.__setattr__(self, name, {})
        object.__setattr__(self, "_non_persistent", set())
        object.__setattr__(self, "training", True)

    def forward(self, *args, **kwargs):
        """What the module computes; a subclass defines it, and calling the module runs it.
        >>> nn.Identity().forward(torch.ones(2))"""
        raise NotImplementedError(
            f'Module [{type(self).__name__}] is missing the required "forward" function'
        )

    def __call__(self, *args, **kwargs):
        path = self._path()
        _running.append((self, path))
        _C.push_scope(path)
        try:
            return self.forward(*args, **kwargs)
        finally:
            _C.pop_scope()
            _running.pop()

    def _path(self):
        if not _running:
            return _C.variable_name(self) or self._get_name()
        parent, path = _running[-1]
        for name, module in parent._modules.items():
            if module is self:
                return f"{path}.{name}"
        for name, module in parent.named_modules():
            if module is self and name:
                return f"{path}.{name}"
        return f"{path}.{self._get_name()}"

    # Registration

    def __setattr__(self, name, value):
        registries = self.__dict__.get("_parameters")
        if isinstance(value, (Parameter, Module)) and registries is None:
            raise AttributeError(
                f"cannot assign {type(value).__name__} before Module.__init__() call; "
                "write super().__init__() first"
            )
        if registries is None:
            object.__setattr__(self, name, value)
            return
        if isinstance(value, Parameter):
            self._forget(name)
            self._parameters[name] = value
        elif isinstance(value, Module):
            self._forget(name)
            self._modules[name] = value
        elif name in self._parameters:
            if value is not None:
                raise TypeError(
                    f"cannot assign {type(value).__name__!r} as parameter {name!r} "
                    "(torch.nn.Parameter or None expected)"
                )
            self._parameters[name] = None
        elif name in self._modules:
            if value is not None:
                raise TypeError(
                    f"cannot assign {type(value).__name__!r} as child module {name!r} "
                    "(torch.nn.Module or None expected)"
                )
            self._modules[name] = None
        elif name in self._buffers:
            if value is not None and not isinstance(value, Tensor):
                raise TypeError(
                    f"cannot assign {type(value).__name__!r} as buffer {name!r} "
                    "(torch.Tensor or None expected)"
                )
            self._buffers[name] = value
        else:
            object.__setattr__(self, name, value)

    def _forget(self, name):
        self.__dict__.pop(name, None)
        for registry in (self._parameters, self._buffers, self._modules):
            registry.pop(name, None)

    def __getattr__(self, name):
        for registry in ("_parameters", "_buffers", "_modules"):
            values = self.__dict__.get(registry)
            if values is not None and name in values:
                return values[name]
        raise AttributeError(
            f"{type(self).__name__!r} object has no attribute {name!r}", name=name, obj=self
        )

    def __delattr__(self, name):
        for registry in (self._parameters, self._buffers, self._modules):
            if name in registry:
                del registry[name]
                return
        object.__delattr__(self, name)

    def __dir__(self):
        return sorted({*object.__dir__(self), *self._parameters, *self._buffers, *self._modules})

    def _check_name(self, kind, name):
        if not isinstance(name, str):
            raise TypeError(f"{kind} name should be a string. Got {type(name).__name__}")
        if "." in name:
            raise KeyError(f"{kind} name can't contain a dot, got {name}")
        if name == "":
            raise KeyError(f"{kind} name can't be an empty string")
        if "_parameters" not in self.__dict__:
            raise AttributeError(
                f"cannot assign {kind} before Module.__init__() call; write super().__init__() first"
            )
        owned = name in self._parameters or name in self._buffers or name in self._modules
        if hasattr(self, name) and not owned:
            raise KeyError(f"attribute {name!r} already exists")

    def register_parameter(self, name, param):
        """Adds a parameter under a name.

        >>> layer = nn.Module()
        >>> layer.register_parameter("w", nn.Parameter(torch.zeros(2)))
        >>> len(list(layer.parameters()))
        """
        self._check_name("parameter", name)
        if param is not None and not isinstance(param, Parameter):
            raise TypeError(
                f"cannot assign {type(param).__name__!r} object to parameter {name!r} "
                "(torch.nn.Parameter or None required)"
            )
        if param is None:
            self._parameters[name] = None
        else:
            setattr(self, name, param)

    def register_buffer(self, name, tensor, persistent=True):
        """Adds a tensor that belongs to the module and is not learned.

        >>> layer = nn.Module()
        >>> layer.register_buffer("mean", torch.zeros(2))
        >>> list(layer.state_dict())
        """
        self._check_name("buffer", name)
        if tensor is not None and not isinstance(tensor, Tensor):
            raise TypeError(
                f"cannot assign {type(tensor).__name__!r} object to buffer {name!r} "
                "(torch Tensor or None required)"
            )
        self._forget(name)
        self._buffers[name] = tensor
        if not persistent:
            self._non_persistent.add(name)

    def add_module(self, name, module):
        """Adds a module under a name.

        >>> layer = nn.Module()
        >>> layer.add_module("inner", nn.ReLU())
        >>> layer
        """
        if module is not None and not isinstance(module, Module):
            raise TypeError(f"{type(module).__name__} is not a Module subclass")
        self._check_name("module", name)
        self._modules[name] = module

    register_module = add_module

    # Walking

    def named_modules(self, memo=None, prefix="", remove_duplicate=True):
        """This module and all inside it, with their names.
        >>> [name for name, _ in nn.Sequential(nn.ReLU()).named_modules()]"""
        memo = set() if memo is None else memo
        if self in memo:
            return
        if remove_duplicate:
            memo.add(self)
        yield prefix, self
        for name, module in self._modules.items():
            if module is not None:
                inner = prefix + ("." if prefix else "") + name
                yield from module.named_modules(memo, inner, remove_duplicate)

    def modules(self):
        """This module and all inside it. >>> len(list(nn.Sequential(nn.ReLU()).modules()))"""
        for _, module in self.named_modules():
            yield module

    def named_children(self):
        """The modules directly inside it, with their names.
        >>> [name for name, _ in nn.Sequential(nn.ReLU()).named_children()]"""
        for name, module in self._modules.items():
            if module is not None:
                yield name, module

    def children(self):
        """The modules directly inside it. >>> list(nn.Sequential(nn.ReLU()).children())"""
        for _, module in self.named_children():
            yield module

    def _named(self, registry, prefix, recurse):
        seen = set()
        modules = self.named_modules(prefix=prefix) if recurse else [(prefix, self)]
        for path, module in modules:
            for name, value in getattr(module, registry).items():
                if value is None or id(value) in seen:
                    continue
                seen.add(id(value))
                yield path + ("." if path else "") + name, value

    def named_parameters(self, prefix="", recurse=True, remove_duplicate=True):
        """All parameters, with their names.
        >>> [name for name, _ in nn.Linear(3, 2).named_parameters()]"""
        return self._named("_parameters", prefix, recurse)

    def parameters(self, recurse=True):
        """All parameters, for an optimizer. >>> [p.shape for p in nn.Linear(3, 2).parameters()]"""
        for _, parameter in self.named_parameters(recurse=recurse):
            yield parameter

    def named_buffers(self, prefix="", recurse=True, remove_duplicate=True):
        """All buffers, with their names.
        >>> [name for name, _ in nn.BatchNorm1d(2).named_buffers()]"""
        return self._named("_buffers", prefix, recurse)

    def buffers(self, recurse=True):
        """All buffers: tensors that are kept and not learned.
        >>> len(list(nn.BatchNorm1d(2).buffers()))"""
        for _, buffer in self.named_buffers(recurse=recurse):
            yield buffer

    def get_parameter(self, target):
        """The parameter of this name, dots leading into modules.
        >>> nn.Sequential(nn.Linear(3, 2)).get_parameter("0.bias").shape"""
        return dict(self.named_parameters())[target]

    def get_submodule(self, target):
        """The module of this name, dots leading into modules.
        >>> nn.Sequential(nn.ReLU()).get_submodule("0")"""
        return dict(self.named_modules())[target]

    def apply(self, fn):
        """Calls a function with every module inside it, and with itself last.
        >>> nn.Sequential(nn.ReLU()).apply(lambda each: print(type(each).__name__))"""
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    # State

    def state_dict(self, *, prefix="", keep_vars=False):
        """All parameters and buffers by name. >>> list(nn.Linear(3, 2).state_dict())"""
        state = OrderedDict()
        for path, module in self.named_modules(prefix=prefix[:-1] if prefix else ""):
            start = path + ("." if path else "")
            for registry in (module._parameters, module._buffers):
                for name, value in registry.items():
                    if value is None or name in module._non_persistent:
                        continue
                    state[start + name] = value if keep_vars else value.detach()
        return state

    def load_state_dict(self, state_dict, strict=True):
        """Takes over parameters and buffers that `state_dict` gave.

        >>> a, b = nn.Linear(3, 2), nn.Linear(3, 2)
        >>> b.load_state_dict(a.state_dict())
        >>> torch.equal(a.weight, b.weight)
        """
        if not isinstance(state_dict, dict):
            raise TypeError(
                f"Expected state_dict to be dict-like, got {type(state_dict).__name__}."
            )
        own = self.state_dict(keep_vars=True)
        missing = [name for name in own if name not in state_dict]
        unexpected = [name for name in state_dict if name not in own]
        problems = []
        if strict and unexpected:
            problems.append(f"Unexpected key(s) in state_dict: {', '.join(map(repr, unexpected))}.")
        if strict and missing:
            problems.append(f"Missing key(s) in state_dict: {', '.join(map(repr, missing))}.")
        for name, value in state_dict.items():
            if name in own and not isinstance(value, Tensor):
                problems.append(
                    f"While copying the parameter named {name!r}, expected torch.Tensor from "
                    f"checkpoint but received {type(value).__name__}"
                )
            elif name in own and own[name].shape != value.shape:
                problems.append(
                    f"size mismatch for {name}: copying a param with shape {value.shape} from "
                    f"checkpoint, the shape in current model is {own[name].shape}."
                )
        if problems:
            raise RuntimeError(
                f"Error(s) in loading state_dict for {type(self).__name__}:\n\t"
                + "\n\t".join(problems)
            )
        for name, value in state_dict.items():
            if name in own:
                own[name].detach().copy_(value)
        return _IncompatibleKeys(missing, unexpected)

    def zero_grad(self, set_to_none=True):
        """Forgets the gradients of all parameters.

        >>> layer = nn.Linear(3, 2)
        >>> layer(torch.ones(3)).sum().backward()
        >>> layer.zero_grad()
        >>> layer.weight.grad is None
        """
        for parameter in self.parameters():
            _zero_grad(parameter, set_to_none)

    def train(self, mode=True):
        """Sets training: dropout draws, batch norm takes statistics of the batch.
        >>> nn.Dropout().train().training"""
        if not isinstance(mode, bool):
            raise ValueError(f"training mode is expected to be boolean, got {mode!r}")
        for module in self.modules():
            object.__setattr__(module, "training", mode)
        return self

    def eval(self):
        """Ends training: dropout does nothing, batch norm uses the statistics it kept.
        >>> nn.Dropout().eval().training"""
        return self.train(False)

    def requires_grad_(self, requires_grad=True):
        """Says whether gradients are collected for all parameters.
        >>> nn.Linear(3, 2).requires_grad_(False).weight.requires_grad"""
        for parameter in self.parameters():
            parameter.requires_grad_(requires_grad)
        return self

    def to(self, *args, **kwargs):
        """Moves all parameters and buffers to a device or a dtype.
        >>> nn.Linear(3, 2).to(torch.float64).weight.dtype"""
        for _, parameter in self.named_parameters():
            grad = parameter.grad
            converted = parameter.detach().to(*args, **kwargs)
            if (converted.dtype, converted.device) == (parameter.dtype, parameter.device):
                continue
            parameter.grad = None
            parameter.data = converted
            if grad is not None:
                parameter.grad = grad.to(*args, **kwargs)
        for module in self.modules():
            for name, buffer in module._buffers.items():
                if buffer is None:
                    continue
                converted = buffer.to(*args, **kwargs)
                # Counts stay counts, and go along to another device.
                if not buffer.is_floating_point():
                    converted = buffer.to(converted.device)
                module._buffers[name] = converted
        return self

    def double(self):
        """All parameters and buffers as float64. >>> nn.Linear(3, 2).double().weight.dtype"""
        return self.to(_C.float64)

    def float(self):
        """All parameters and buffers as float32. >>> nn.Linear(3, 2).float().weight.dtype"""
        return self.to(_C.float32)

    def cpu(self):
        """All parameters and buffers on the CPU. >>> nn.Linear(3, 2).cpu().weight.device"""
        return self.to("cpu")

    def cuda(self, device=None):
        """All parameters and buffers on a CUDA device. >>> nn.Linear(3, 2).weight.is_cuda"""
        return self.to("cuda" if device is None else device)

    # Text

    def _get_name(self):
        return type(self).__name__

    def extra_repr(self):
        """What stands in the brackets when the module is printed.
        >>> nn.Linear(3, 2).extra_repr()"""
        return ""

    def __repr__(self):
        extra = self.extra_repr()
        lines = extra.split("\n") if extra else []
        children = []
        for name, module in self._modules.items():
            children.append(f"({name}): {_indented(repr(module))}")
        inside = lines + children
        if not inside:
            return f"{self._get_name()}()"
        if len(lines) == 1 and not children:
            return f"{self._get_name()}({lines[0]})"
        return f"{self._get_name()}(\n  " + "\n  ".join(inside) + "\n)"


def _indented(text):
    first, *rest = text.split("\n")
    return "\n".join([first, *("  " + line for line in rest)])


def _zero_grad(parameter, set_to_none):
    if parameter.grad is None:
        return
    if set_to_none:
        parameter.grad = None
    else:
        parameter.grad.detach().zero_()


class _IncompatibleKeys(tuple):
    def __new__(cls, missing, unexpected):
        return tuple.__new__(cls, (missing, unexpected))

    missing_keys = property(lambda self: self[0])
    unexpected_keys = property(lambda self: self[1])

    def __repr__(self):
        if not self[0] and not self[1]:
            return "<All keys matched successfully>"
        return f"_IncompatibleKeys(missing_keys={self[0]}, unexpected_keys={self[1]})"
