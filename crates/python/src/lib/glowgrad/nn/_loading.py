"""`load_state_dict`, and the arguments of `to`: what is needed seldom enough to be loaded late."""

from collections import OrderedDict

import _glowgrad as _C
from glowgrad._tensor import Parameter, Tensor
from glowgrad.autograd import no_grad
from glowgrad.nn._hooks import _hooks_of
from glowgrad.nn._state import Stateful


class _IncompatibleKeys(tuple):
    def __new__(cls, missing, unexpected):
        return tuple.__new__(cls, (missing, unexpected))

    missing_keys = property(lambda self: self[0])
    unexpected_keys = property(lambda self: self[1])

    def __repr__(self):
        if not self[0] and not self[1]:
            return "<All keys matched successfully>"
        return f"_IncompatibleKeys(missing_keys={self[0]}, unexpected_keys={self[1]})"


def load(module, state_dict, strict, assign):
    """What `Module.load_state_dict` does."""
    if not hasattr(state_dict, "keys"):
        raise TypeError(f"Expected state_dict to be dict-like, got {type(state_dict)}.")
    missing, unexpected, errors = [], [], []
    metadata = getattr(state_dict, "_metadata", None)
    state = OrderedDict(state_dict)
    if metadata is not None:
        state._metadata = metadata
    keys = _IncompatibleKeys(missing, unexpected)

    def fill(each, state, prefix):
        local = {} if metadata is None else metadata.get(prefix[:-1], {})
        if assign:
            local["assign_to_params_buffers"] = assign
        each._load_from_state_dict(state, prefix, local, True, missing, unexpected, errors)
        for name, child in each._modules.items():
            if child is not None:
                inner = f"{prefix}{name}."
                part = {key: value for key, value in state.items() if key.startswith(inner)}
                fill(child, part, inner)
        for hook in _hooks_of(each, "_load_state_dict_post_hooks"):
            if hook(each, keys) is not None:
                raise AssertionError(
                    "Hooks registered with ``register_load_state_dict_post_hook`` are not "
                    "expected to return new values, if incompatible_keys need to be modified, "
                    "it should be done inplace."
                )

    fill(module, state, "")
    problems = []
    if strict and missing:
        problems.append(f"Missing key(s) in state_dict: {_quoted(missing)}. ")
    if strict and unexpected:
        problems.append(f"Unexpected key(s) in state_dict: {_quoted(unexpected)}. ")
    problems += errors
    if problems:
        raise RuntimeError(
            f"Error(s) in loading state_dict for {type(module).__name__}:\n\t"
            + "\n\t".join(problems)
        )
    return keys


def _quoted(names):
    return ", ".join(f'"{name}"' for name in names)


def load_own(module, state, prefix, metadata, strict, missing, unexpected, errors):
    """Fills the parameters and buffers of one module, without those of the modules in it."""
    for hook in _hooks_of(module, "_load_state_dict_pre_hooks"):
        hook(module, state, prefix, metadata, strict, missing, unexpected, errors)
    own = dict(module._parameters)
    for name, buffer in module._buffers.items():
        if name not in module._non_persistent_buffers_set:
            own[name] = buffer
    own = {name: value for name, value in own.items() if value is not None}
    assign = metadata.get("assign_to_params_buffers", False)
    for name, value in own.items():
        key = prefix + name
        if key in state:
            problem = _fill(module, name, value, key, state[key], assign)
            if problem is not None:
                errors.append(problem)
        elif strict:
            missing.append(key)
    extra = prefix + "_extra_state"
    if type(module).set_extra_state is not Stateful.set_extra_state:
        if extra in state:
            module.set_extra_state(state[extra])
        elif strict:
            missing.append(extra)
    elif strict and extra in state:
        unexpected.append(extra)
    if strict:
        for key in state:
            if key.startswith(prefix) and key != extra:
                name, _, rest = key[len(prefix):].partition(".")
                if name not in (module._modules if rest else own):
                    unexpected.append(key)


def _fill(module, name, value, key, given, assign):
    """Fills one parameter or buffer; the problem, if there is one."""
    if not isinstance(given, Tensor):
        return (
            f'While copying the parameter named "{key}", expected torch.Tensor or Tensor-like '
            f"object from checkpoint but received {type(given)}"
        )
    is_lazy = getattr(value, "_is_uninitialized", False)
    if not is_lazy and value.ndim == 0 and tuple(given.shape) == (1,):
        given = given[0]
    if not is_lazy and given.shape != value.shape:
        return (
            f"size mismatch for {key}: copying a param with shape {given.shape} from checkpoint, "
            f"the shape in current model is {value.shape}."
        )
    try:
        with no_grad():
            if not assign:
                value.copy_(given)
                return None
            if isinstance(value, Parameter):
                if isinstance(given, Parameter):
                    given.requires_grad_(value.requires_grad)
                else:
                    given = Parameter(given, requires_grad=value.requires_grad)
            setattr(module, name, given)
    except Exception as error:
        return (
            f'While copying the parameter named "{key}", whose dimensions in the model are '
            f"{value.size()} and whose dimensions in the checkpoint are {given.size()}, an "
            f"exception occurred : {error.args}."
        )


def positional(args, destination, prefix, keep_vars):
    """The arguments of `state_dict` as they were given long ago: without names."""
    from warnings import warn

    warn("Positional args are being deprecated, use kwargs instead.", FutureWarning)
    given = list(args) + [None, "", False][len(args):]
    return (
        given[0] if destination is None else destination,
        given[1] if prefix == "" else prefix,
        given[2] if keep_vars is False else keep_vars,
    )


def destination(args, kwargs):
    """Device and dtype in the arguments of `to`; None for what stays."""
    given = dict(kwargs)
    place, dtype = given.pop("device", None), given.pop("dtype", None)
    like = given.pop("tensor", None)
    for name in ("non_blocking", "copy", "memory_format"):
        given.pop(name, None)
    if given:
        raise TypeError(f"to() got an unexpected keyword argument {next(iter(given))!r}")
    for value in (*args, like):
        if isinstance(value, Tensor):
            place, dtype = value.device, value.dtype
        elif isinstance(value, _C.dtype):
            dtype = value
        elif value is not None and not isinstance(value, bool):
            place = value
    if dtype is not None and not dtype.is_floating_point:
        raise TypeError(
            "nn.Module.to only accepts floating point or complex dtypes, but got desired "
            f"dtype={dtype}"
        )
    return place, dtype
