"""`nn.Module`: parameters, submodules and the path that a call takes through them.

While a module runs, its path (`model.0`) is the engine's scope, so that nodes know where they
were made. Calls with hooks are in `_hooked_calls.py`, which is loaded with the first hook.
"""

import _glowgrad as _C
from glowgrad._tensor import Parameter, Tensor
from glowgrad.nn._hooks import Hooked
from glowgrad.nn._state import Stateful

# The modules that are running, outermost first, with their paths.
_running = []
# What calls a module with hooks; empty while no module has any.
_hooked = []
# Hooks that see each parameter, buffer or module that is registered anywhere, by its kind.
_registering = {}
_push_scope, _pop_scope, _variable_name = _C.push_scope, _C.pop_scope, _C.variable_name


class Module(Hooked, Stateful):
    """A function with parameters. Subclass it: assign parameters and modules, define `forward`.

    >>> class Twice(nn.Module):
    >>>     def forward(self, x):
    >>>         return 2 * x
    >>>
    >>> Twice()(torch.ones(2))
    """

    training = True
    call_super_init = False
    _version = 1

    def __init__(self, *args, **kwargs):
        self.__dict__.update(
            training=True, _parameters={}, _buffers={}, _modules={},
            _non_persistent_buffers_set=set(),
        )
        if self.call_super_init:
            super().__init__(*args, **kwargs)
        elif kwargs:
            raise TypeError(
                f"{type(self).__name__}.__init__() got an unexpected keyword argument "
                f"{next(iter(kwargs))!r}"
            )
        elif args:
            raise TypeError(
                f"{type(self).__name__}.__init__() takes 1 positional argument but "
                f"{len(args) + 1} were given"
            )

    def forward(self, *args, **kwargs):
        """What the module computes; a subclass defines it, and calling the module runs it.
        >>> nn.Identity().forward(torch.ones(2))"""
        raise NotImplementedError(
            f'Module [{type(self).__name__}] is missing the required "forward" function'
        )

    def __call__(self, *args, **kwargs):
        path = self._path()
        _running.append((self, path))
        _push_scope(path)
        try:
            if _hooked:
                return _hooked[0](self, args, kwargs)
            return self.forward(*args, **kwargs)
        finally:
            _pop_scope()
            _running.pop()

    def _path(self):
        if not _running:
            return _variable_name(self) or self._get_name()
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
        parameters = self.__dict__.get("_parameters")
        if parameters is None:
            if isinstance(value, (Parameter, Module)):
                kind = "parameters" if isinstance(value, Parameter) else "module"
                raise AttributeError(f"cannot assign {kind} before Module.__init__() call")
            object.__setattr__(self, name, value)
            return
        if isinstance(value, Parameter):
            if name not in parameters:
                self._forget(name)
            self.register_parameter(name, value)
        elif name in parameters:
            if value is not None:
                raise TypeError(
                    f"cannot assign '{_typename(value)}' as parameter '{name}' "
                    "(torch.nn.Parameter or None expected)"
                )
            self.register_parameter(name, None)
        elif isinstance(value, Module):
            if name not in self._modules:
                self._forget(name)
            if _registering:
                value = _registered("module", self, name, value)
            self._modules[name] = value
        elif name in self._modules:
            if value is not None:
                raise TypeError(
                    f"cannot assign '{_typename(value)}' as child module '{name}' "
                    "(torch.nn.Module or None expected)"
                )
            self._modules[name] = _registered("module", self, name, None)
        elif name in self._buffers:
            if value is not None and not isinstance(value, Tensor):
                raise TypeError(
                    f"cannot assign '{_typename(value)}' as buffer '{name}' "
                    "(torch.nn.Buffer, torch.Tensor or None expected)"
                )
            persistent = name not in self._non_persistent_buffers_set
            if getattr(value, "_is_buffer", False):
                persistent = value.persistent
            self.register_buffer(name, value, persistent)
        elif isinstance(value, Tensor) and getattr(value, "_is_buffer", False):
            self.register_buffer(name, value, value.persistent)
        else:
            object.__setattr__(self, name, value)

    def _forget(self, name):
        """Takes a name out of all that holds it."""
        own = self.__dict__
        own.pop(name, None)
        for registry in ("_parameters", "_buffers", "_modules"):
            if name in own[registry]:
                del own[registry][name]
                self._non_persistent_buffers_set.discard(name)

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
                self._non_persistent_buffers_set.discard(name)
                return
        object.__delattr__(self, name)

    def __dir__(self):
        names = {*object.__dir__(self), *self._parameters, *self._buffers, *self._modules}
        return sorted(name for name in names if not name[0].isdigit())

    def _check_name(self, kind, name, registry):
        own = self.__dict__
        if registry not in own:
            raise AttributeError(f"cannot assign {kind} before Module.__init__() call")
        if not isinstance(name, str):
            raise TypeError(f"{kind} name should be a string. Got {_typename(name)}")
        if "." in name:
            got = f", got: {name}" if kind == "module" else ""
            raise KeyError(f'{kind} name can\'t contain "."{got}')
        if name == "":
            raise KeyError(f'{kind} name can\'t be empty string ""')
        if name not in own[registry] and (
            name in own or hasattr(type(self), name) or name in own["_parameters"]
            or name in own["_buffers"] or name in own["_modules"]
        ):
            raise KeyError(f"attribute '{name}' already exists")

    def register_parameter(self, name, param):
        """Adds a parameter under a name.

        >>> layer = nn.Module()
        >>> layer.register_parameter("w", nn.Parameter(torch.zeros(2)))
        >>> len(list(layer.parameters()))
        """
        self._check_name("parameter", name, "_parameters")
        if param is not None and type(param) is not Parameter:
            if not isinstance(param, Parameter):
                raise TypeError(
                    f"cannot assign '{_typename(param)}' object to parameter '{name}' "
                    "(torch.nn.Parameter or None required)"
                )
            if not param.is_leaf:
                raise ValueError(
                    f"Cannot assign non-leaf Tensor to parameter '{name}'. Model parameters must "
                    f"be created explicitly. To express '{name}' as a function of another Tensor, "
                    "compute the value in the forward() method."
                )
        if _registering and param is not None:
            param = _registered("parameter", self, name, param)
        self._parameters[name] = param

    def register_buffer(self, name, tensor, persistent=True):
        """Adds a tensor that belongs to the module and is not learned.

        >>> layer = nn.Module()
        >>> layer.register_buffer("mean", torch.zeros(2))
        >>> list(layer.state_dict())
        """
        self._check_name("buffer", name, "_buffers")
        if tensor is not None and not isinstance(tensor, Tensor):
            raise TypeError(
                f"cannot assign '{_typename(tensor)}' object to buffer '{name}' "
                "(torch Tensor or None required)"
            )
        if _registering:
            tensor = _registered("buffer", self, name, tensor)
        self._buffers[name] = tensor
        if persistent:
            self._non_persistent_buffers_set.discard(name)
        else:
            self._non_persistent_buffers_set.add(name)

    def add_module(self, name, module):
        """Adds a module under a name.

        >>> layer = nn.Module()
        >>> layer.add_module("inner", nn.ReLU())
        >>> layer
        """
        if module is not None and not isinstance(module, Module):
            raise TypeError(f"{_typename(module)} is not a Module subclass")
        self._check_name("module", name, "_modules")
        if _registering:
            module = _registered("module", self, name, module)
        self._modules[name] = module

    def register_module(self, name, module):
        """Adds a module under a name, as `add_module` does.

        >>> layer = nn.Module()
        >>> layer.register_module("inner", nn.ReLU())
        >>> layer
        """
        self.add_module(name, module)

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

    def modules(self, remove_duplicate=True):
        """This module and all inside it. >>> len(list(nn.Sequential(nn.ReLU()).modules()))"""
        for _, module in self.named_modules(remove_duplicate=remove_duplicate):
            yield module

    def named_children(self):
        """The modules directly inside it, with their names.
        >>> [name for name, _ in nn.Sequential(nn.ReLU()).named_children()]"""
        seen = set()
        for name, module in self._modules.items():
            if module is not None and module not in seen:
                seen.add(module)
                yield name, module

    def children(self):
        """The modules directly inside it. >>> list(nn.Sequential(nn.ReLU()).children())"""
        for _, module in self.named_children():
            yield module

    def _named(self, registry, prefix, recurse, remove_duplicate):
        seen = set()
        modules = [(prefix, self)]
        if recurse:
            modules = self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate)
        for path, module in modules:
            for name, value in getattr(module, registry).items():
                if value is None or id(value) in seen:
                    continue
                if remove_duplicate:
                    seen.add(id(value))
                yield path + ("." if path else "") + name, value

    def named_parameters(self, prefix="", recurse=True, remove_duplicate=True):
        """All parameters, with their names.
        >>> [name for name, _ in nn.Linear(3, 2).named_parameters()]"""
        return self._named("_parameters", prefix, recurse, remove_duplicate)

    def parameters(self, recurse=True):
        """All parameters, for an optimizer. >>> [p.shape for p in nn.Linear(3, 2).parameters()]"""
        for _, parameter in self.named_parameters(recurse=recurse):
            yield parameter

    def named_buffers(self, prefix="", recurse=True, remove_duplicate=True):
        """All buffers, with their names.
        >>> [name for name, _ in nn.BatchNorm1d(2).named_buffers()]"""
        return self._named("_buffers", prefix, recurse, remove_duplicate)

    def buffers(self, recurse=True):
        """All buffers: tensors that are kept and not learned.
        >>> len(list(nn.BatchNorm1d(2).buffers()))"""
        for _, buffer in self.named_buffers(recurse=recurse):
            yield buffer

    def _member(self, name):
        if not hasattr(self, name):
            raise AttributeError(f"{self._get_name()} has no attribute `{name}`")
        return getattr(self, name)

    def get_submodule(self, target):
        """The module of this name, dots leading into modules.
        >>> nn.Sequential(nn.ReLU()).get_submodule("0")"""
        module = self
        for name in target.split(".") if target else ():
            module = module._member(name)
            if not isinstance(module, Module):
                raise AttributeError(f"`{name}` is not an nn.Module")
        return module

    def set_submodule(self, target, module, strict=False):
        """Puts a module under this name, dots leading into modules; strict: only where one is.

        >>> model = nn.Sequential(nn.Sequential(nn.ReLU()))
        >>> model.set_submodule("0.0", nn.Tanh())
        >>> model
        """
        if target == "":
            raise ValueError("Cannot set the submodule without a target name!")
        if not isinstance(module, Module):
            raise ValueError(f"`module` is not an nn.Module, found {type(module)}")
        path, _, name = target.rpartition(".")
        parent = self.get_submodule(path)
        if strict or hasattr(parent, name):
            if not isinstance(parent._member(name), Module):
                raise AttributeError(f"`{name}` is not an nn.Module")
        setattr(parent, name, module)

    def get_parameter(self, target):
        """The parameter of this name, dots leading into modules.
        >>> nn.Sequential(nn.Linear(3, 2)).get_parameter("0.bias").shape"""
        path, _, name = target.rpartition(".")
        parameter = self.get_submodule(path)._member(name)
        if not isinstance(parameter, Parameter):
            raise AttributeError(f"`{name}` is not an nn.Parameter")
        return parameter

    def get_buffer(self, target):
        """The buffer of this name, dots leading into modules.
        >>> nn.Sequential(nn.BatchNorm1d(2)).get_buffer("0.running_mean")"""
        path, _, name = target.rpartition(".")
        module = self.get_submodule(path)
        buffer = module._member(name)
        if name not in module._buffers:
            raise AttributeError(f"`{name}` is not a buffer")
        return buffer

    def apply(self, fn):
        """Calls a function with every module inside it, and with itself last.
        >>> nn.Sequential(nn.ReLU()).apply(lambda each: print(type(each).__name__))"""
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    # Training

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
            raise ValueError("training mode is expected to be boolean")
        self.training = mode
        for module in self.children():
            module.train(mode)
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

    def compile(self, *args, **kwargs):
        """Changes nothing: the ops of every module are compiled into kernels as they are.

        >>> layer = nn.Linear(3, 2)
        >>> layer.compile()
        """
        import _lab

        _lab.say_once("compile() changes nothing here: every op is compiled and fused anyway.")

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


def _registered(kind, module, name, value):
    """The value, or what a hook that sees every registration put in its place."""
    for hook in tuple(_registering.get(kind, {}).values()):
        output = hook(module, name, value)
        value = value if output is None else output
    return value


def _typename(x):
    """The type of an object in PyTorch's messages."""
    if isinstance(x, Tensor):
        return x.type()
    named = x if hasattr(x, "__qualname__") else type(x)
    module = getattr(named, "__module__", None)
    prefix = "" if module in (None, "", "builtins") else f"{module}."
    return prefix + named.__qualname__


def _indented(text):
    first, *rest = text.split("\n")
    return "\n".join([first, *("  " + line if line.strip() else "" for line in rest)])


def _zero_grad(parameter, set_to_none):
    if parameter.grad is None:
        return
    if set_to_none:
        parameter.grad = None
    else:
        parameter.grad.detach().zero_()


def __getattr__(name):
    if name.startswith("register_module_"):
        from glowgrad.nn import _hooked_calls

        if hasattr(_hooked_calls, name):
            return getattr(_hooked_calls, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
