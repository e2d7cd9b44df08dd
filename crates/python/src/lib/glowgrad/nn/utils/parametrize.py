"""Parameters that are made of others whenever they are read: `register_parametrization`."""

import copy
from contextlib import contextmanager

from glowgrad._tensor import Parameter, Tensor
from glowgrad.autograd import no_grad
from glowgrad.nn import ModuleDict, ModuleList

__all__ = (
    "cached", "ParametrizationList", "register_parametrization", "is_parametrized",
    "remove_parametrizations", "type_before_parametrizations",
    "transfer_parametrizations_and_params",
)

# How many `with cached()` there are around, and what was made in them.
_depth = 0
_made = {}


@contextmanager
def cached():
    """Under `with`, each parametrized tensor is made once.

    >>> layer = nn.utils.parametrizations.weight_norm(nn.Linear(3, 2))
    >>> with torch.nn.utils.parametrize.cached():
    >>>     same = layer.weight is layer.weight
    >>> same
    """
    global _depth
    _depth += 1
    try:
        yield
    finally:
        _depth -= 1
        if not _depth:
            _made.clear()


def _register(module, name, tensor):
    if isinstance(tensor, Parameter):
        module.register_parameter(name, tensor)
    else:
        module.register_buffer(name, tensor)


def _is_row(values):
    return isinstance(values, (list, tuple, str))


class ParametrizationList(ModuleList):
    """What makes one tensor of a module: parametrizations one after another, and the originals.

    >>> layer = nn.utils.parametrizations.weight_norm(nn.Linear(3, 2))
    >>> layer.parametrizations.weight
    """

    def __init__(self, modules, original, unsafe=False):
        if len(modules) == 0:
            raise ValueError("ParametrizationList requires one or more modules.")
        super().__init__(modules)
        self.unsafe = unsafe
        shape, dtype = original.shape, original.dtype
        with no_grad():
            new = original
            for module in reversed(list(self)):
                if hasattr(module, "right_inverse"):
                    try:
                        new = module.right_inverse(new)
                    except NotImplementedError:
                        pass
        if not isinstance(new, Tensor) and not _is_row(new):
            raise ValueError(
                "'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). "
                f"Got {type(new).__name__}"
            )
        self.is_tensor = isinstance(new, Tensor)
        self.ntensors = 1 if self.is_tensor else len(new)
        if self.is_tensor:
            if original.dtype != new.dtype:
                raise ValueError(
                    "When `right_inverse` outputs one tensor, it may not change the dtype.\n"
                    f"original.dtype: {original.dtype}\nright_inverse(original).dtype: {new.dtype}"
                )
            _set(original, new)
            _register(self, "original", original)
        else:
            self._register_each(original, new)
        if not unsafe:
            result = self()
            if not isinstance(result, Tensor):
                raise ValueError(
                    f"A parametrization must return a tensor. Got {type(result).__name__}."
                )
            for kind, before in (("dtype", dtype), ("shape", shape)):
                if getattr(result, kind) != before:
                    raise ValueError(
                        f"Registering a parametrization may not change the {kind} of the tensor, "
                        f"unless `unsafe` flag is enabled.\nunparametrized {kind}: {before}\n"
                        f"parametrized {kind}: {getattr(result, kind)}"
                    )

    def _register_each(self, original, values):
        for i, value in enumerate(values):
            if not isinstance(value, Tensor):
                raise ValueError(
                    "'right_inverse' must return a Tensor or a Sequence of tensors (list, "
                    f"tuple...). Got element {i} of the sequence with type {type(value).__name__}."
                )
            if isinstance(original, Parameter):
                value = Parameter(value, original.requires_grad)
            value.requires_grad_(original.requires_grad)
            _register(self, f"original{i}", value)

    def _originals(self):
        if self.is_tensor:
            return [self.original]
        return [getattr(self, f"original{i}") for i in range(self.ntensors)]

    def right_inverse(self, value):
        """Sets the originals so that the tensor which is made of them is this one.

        >>> layer = nn.utils.parametrizations.weight_norm(nn.Linear(3, 2))
        >>> layer.weight = torch.ones(2, 3)
        >>> layer.weight
        """
        with no_grad():
            for module in reversed(list(self)):
                if not hasattr(module, "right_inverse"):
                    raise RuntimeError(
                        f"parametrization {type(module).__name__} does not implement "
                        "right_inverse."
                    )
                value = module.right_inverse(value)
            if self.is_tensor:
                if not isinstance(value, Tensor):
                    raise ValueError(
                        f"`right_inverse` should return a tensor. Got {type(value).__name__}"
                    )
                if value.dtype != self.original.dtype:
                    raise ValueError(
                        f"The tensor returned by `right_inverse` has dtype {value.dtype} while "
                        f"`original` has dtype {self.original.dtype}"
                    )
                _set(self.original, value)
                return
            if not _is_row(value):
                raise ValueError(
                    "'right_inverse' must return a sequence of tensors. "
                    f"Got {type(value).__name__}."
                )
            if len(value) != self.ntensors:
                raise ValueError(
                    "'right_inverse' must return a sequence of tensors of length "
                    f"{self.ntensors}. Got a sequence of length {len(value)}."
                )
            for i, (original, tensor) in enumerate(zip(self._originals(), value)):
                if not isinstance(tensor, Tensor):
                    raise ValueError(
                        "'right_inverse' must return a sequence of tensors. "
                        f"Got element {i} of type {type(tensor).__name__}."
                    )
                if original.dtype != tensor.dtype:
                    raise ValueError(
                        f"Tensor {i} returned by `right_inverse` has dtype {tensor.dtype} while "
                        f"`original{i}` has dtype {original.dtype}"
                    )
                _set(original, tensor)

    def forward(self):
        first, *rest = self
        x = first(*self._originals())
        for module in rest:
            x = module(x)
        return x


def _set(tensor, value):
    if value is not tensor:
        tensor.data = value


def _become_parametrized(module):
    """Gives a module a class of its own, which can have properties."""
    cls = type(module)
    own = {"__module__": cls.__module__}

    def __deepcopy__(self, memo):
        if id(self) in memo:
            return memo[id(self)]
        twin = memo[id(self)] = type(self).__new__(type(self))
        twin.__dict__.update(copy.deepcopy(self.__dict__, memo))
        return twin

    if not hasattr(cls, "__deepcopy__"):
        own["__deepcopy__"] = __deepcopy__
    module.__class__ = type(f"Parametrized{cls.__name__}", (cls,), own)


def _add_property(module, name):
    def get(self):
        parametrization = self.parametrizations[name]
        if not _depth:
            return parametrization()
        key = (id(self), name)
        if key not in _made:
            _made[key] = parametrization()
        return _made[key]

    def put(self, value):
        self.parametrizations[name].right_inverse(value)

    setattr(type(module), name, property(get, put))


def register_parametrization(module, tensor_name, parametrization, *, unsafe=False):
    """Makes a parameter or buffer the result of a module, whose input is what it was.

    >>> class Symmetric(nn.Module):
    >>>     def forward(self, x):
    >>>         return x.triu() + x.triu(1).T
    >>>
    >>> layer = nn.Linear(2, 2)
    >>> layer = torch.nn.utils.parametrize.register_parametrization(layer, "weight", Symmetric())
    >>> torch.equal(layer.weight, layer.weight.T)
    """
    parametrization.train(module.training)
    if is_parametrized(module, tensor_name):
        if not unsafe:
            _check_next(module, tensor_name, parametrization)
        known = module.parametrizations[tensor_name]
        known.append(parametrization)
        known.unsafe |= unsafe
    elif tensor_name in module._buffers or tensor_name in module._parameters:
        original = getattr(module, tensor_name)
        known = ParametrizationList([parametrization], original, unsafe=unsafe)
        delattr(module, tensor_name)
        if not is_parametrized(module):
            _become_parametrized(module)
            module.parametrizations = ModuleDict()
        _add_property(module, tensor_name)
        module.parametrizations[tensor_name] = known
    else:
        raise ValueError(
            f"Module '{module}' does not have a parameter, a buffer, or a parametrized element "
            f"with name '{tensor_name}'"
        )
    return module


def _check_next(module, name, parametrization):
    """Refuses a further parametrization whose results do not fit."""
    before = getattr(module, name)
    after = parametrization(before)
    full = f"module.{name}"
    if not isinstance(after, Tensor):
        raise ValueError(f"A parametrization must return a tensor. Got {type(after).__name__}.")
    for kind in ("dtype", "shape"):
        if getattr(before, kind) != getattr(after, kind):
            raise ValueError(
                f"Registering a parametrization may not change the {kind} of the tensor, unless "
                f"the `unsafe` flag is enabled.\n{full}.{kind}: {getattr(before, kind)}\n"
                f"parametrization({full}).{kind}: {getattr(after, kind)}"
            )
    if not hasattr(parametrization, "right_inverse"):
        return
    try:
        back = parametrization.right_inverse(after)
    except NotImplementedError:
        return
    if not isinstance(back, Tensor):
        raise ValueError(
            f"parametrization.right_inverse must return a tensor. Got: {type(back).__name__}"
        )
    for kind in ("dtype", "shape"):
        if getattr(before, kind) != getattr(back, kind):
            raise ValueError(
                f"The tensor returned by parametrization.right_inverse must have the same {kind} "
                f"as {full}, unless the `unsafe` flag is enabled.\n{full}.{kind}: "
                f"{getattr(before, kind)}\nreturned {kind}: {getattr(back, kind)}"
            )


def is_parametrized(module, tensor_name=None):
    """Whether a module, or one tensor of it, is parametrized.

    >>> torch.nn.utils.parametrize.is_parametrized(nn.Linear(3, 2))
    """
    known = getattr(module, "parametrizations", None)
    if not isinstance(known, ModuleDict):
        return False
    return len(known) > 0 if tensor_name is None else tensor_name in known


def remove_parametrizations(module, tensor_name, leave_parametrized=True):
    """Makes a tensor plain again: with the value that it has, or with that of its original.

    >>> layer = nn.utils.parametrizations.weight_norm(nn.Linear(3, 2))
    >>> layer = torch.nn.utils.parametrize.remove_parametrizations(layer, "weight")
    >>> list(layer.state_dict())
    """
    if not is_parametrized(module, tensor_name):
        raise ValueError(f"Module {module} does not have a parametrization on {tensor_name}")
    known = module.parametrizations[tensor_name]
    if known.is_tensor:
        original = known.original
        if leave_parametrized:
            with no_grad():
                _set(original, getattr(module, tensor_name))
    elif leave_parametrized:
        value = getattr(module, tensor_name)
        original = Parameter(value) if value.requires_grad else value
    else:
        raise ValueError(
            "Cannot leave unparametrized (`leave_parametrized=False`) a tensor that is "
            "parametrized in terms of a sequence of tensors."
        )
    delattr(type(module), tensor_name)
    del module.parametrizations._modules[tensor_name]
    _register(module, tensor_name, original)
    if not is_parametrized(module):
        delattr(module, "parametrizations")
        module.__class__ = type(module).__bases__[0]
    return module


def type_before_parametrizations(module):
    """The class of a module as it was before it was parametrized.

    >>> layer = nn.utils.parametrizations.weight_norm(nn.Linear(3, 2))
    >>> torch.nn.utils.parametrize.type_before_parametrizations(layer) is nn.Linear
    """
    return type(module).__bases__[0] if is_parametrized(module) else type(module)


def transfer_parametrizations_and_params(from_module, to_module, tensor_name=None):
    """Gives a module the parametrizations of another, and their originals.

    >>> a, b = nn.utils.parametrizations.weight_norm(nn.Linear(3, 2)), nn.Linear(3, 2)
    >>> b = torch.nn.utils.parametrize.transfer_parametrizations_and_params(a, b)
    >>> torch.equal(a.weight, b.weight)
    """
    if not is_parametrized(from_module):
        return to_module
    names = list(from_module.parametrizations) if tensor_name is None else [tensor_name]
    for name in names:
        theirs = from_module.parametrizations[name]
        if not hasattr(to_module, name):
            setattr(to_module, name, Parameter(getattr(from_module, name)))
        for parametrization in theirs:
            register_parametrization(to_module, name, parametrization)
        ours = to_module.parametrizations[name]
        for each, value in theirs._parameters.items():
            setattr(ours, each, value)
        for each, value in theirs._buffers.items():
            setattr(ours, each, value)
    return to_module
