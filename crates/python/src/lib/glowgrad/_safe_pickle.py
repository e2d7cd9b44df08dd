"""Pickles of tensors: how ours name PyTorch's classes, and which a file of weights may use."""

import pickle
from collections import Counter, OrderedDict
from io import BytesIO
from types import FunctionType

import _glowgrad as _C
import glowgrad as _torch
from glowgrad import _types, _utils
from glowgrad._place import Size, device
from glowgrad._tensor import Parameter, Tensor
from glowgrad.nn.module import Module

# What `add_safe_globals` was given.
_safe = []
_BLOCKED = ("sys", "os", "posix", "nt")
_REBUILDERS = (
    "_rebuild_parameter _rebuild_parameter_with_state _rebuild_tensor _rebuild_tensor_v2 "
    "_rebuild_tensor_v3"
).split()
_UNSAFE = (
    "In PyTorch 2.6, we changed the default value of the `weights_only` argument in `torch.load` "
    "from `False` to `True`. Re-running `torch.load` with `weights_only` set to `False` will "
    "likely succeed, but it can result in arbitrary code execution. Do it only if you got the file "
    "from a trusted source."
)


class _Restricted(pickle.UnpicklingError):
    """What a file of weights may not hold."""


def _allowed():
    names = {
        "collections.OrderedDict": OrderedDict, "collections.Counter": Counter,
        "torch.nn.parameter.Parameter": Parameter, "torch.Tensor": Tensor, "torch.Size": Size,
        "torch.device": device, "builtins.set": set, "builtins.bytearray": bytearray,
        "builtins.complex": complex, "_codecs.encode": _encode,
        "torch.serialization._get_layout": _utils._get_layout,
        "torch._tensor._rebuild_from_type_v2": _utils._rebuild_from_type_v2,
        "torch.storage.UntypedStorage": _types.UntypedStorage,
        "torch.storage.TypedStorage": _types.TypedStorage,
    }
    for name in _REBUILDERS:
        names[f"torch._utils.{name}"] = getattr(_utils, name)
    for name in _types._DTYPES:
        for kind in ("Tensor", "Storage"):
            names[f"torch.{name}{kind}"] = getattr(_types, name + kind)
    for dtype in vars(_C).values():
        if isinstance(dtype, _C.dtype):
            names[f"torch.{dtype.name}"] = dtype
    return names


def _encode(text, encoding):
    return text.encode(encoding)


def _own():
    """What the program itself calls safe, by name."""
    names = {}
    for each in _safe:
        if isinstance(each, tuple):
            if len(each) != 2:
                raise ValueError(
                    "Expected tuple of length 2 (global, str of callable full path), but got "
                    f"tuple of length: {len(each)}"
                )
            if type(each[1]) is not str:
                raise TypeError(
                    "Expected second item in tuple to be str of callable full path, but got: "
                    f"{type(each[1])}"
                )
            names[each[1]] = each[0]
        else:
            names[f"{_foreign(each.__module__)}.{each.__qualname__}"] = each
    return names


def add_safe_globals(safe_globals):
    """Says which classes and functions `torch.load` may use besides PyTorch's own.

    >>> torch.serialization.add_safe_globals([nn.Linear])
    """
    _safe.extend(each for each in safe_globals if each not in _safe)


def get_safe_globals():
    """What `add_safe_globals` was given.

    >>> torch.serialization.get_safe_globals()
    """
    return list(_safe)


def clear_safe_globals():
    """Forgets what `add_safe_globals` was given.

    >>> torch.serialization.clear_safe_globals()
    """
    _safe.clear()


class safe_globals:
    """Under `with`, `torch.load` may use these classes and functions.

    >>> with torch.serialization.safe_globals([nn.Linear]):
    >>>     print(torch.serialization.get_safe_globals())
    """

    def __init__(self, safe_globals):
        self.safe_globals = safe_globals

    def __enter__(self):
        add_safe_globals(self.safe_globals)

    def __exit__(self, *exception):
        _safe[:] = [each for each in _safe if each not in self.safe_globals]


def _foreign(module):
    """The module in which PyTorch has what is in one of ours."""
    if not module.startswith("glowgrad"):
        return module
    parts = module.split(".")[1:]
    if parts[:1] == ["nn"] and parts[1:2] not in (["utils"], ["init"], ["functional"]):
        return "torch.nn.modules"
    if parts[:1] == ["optim"] and parts[-1].startswith("_"):
        return "torch.optim.lr_scheduler"
    return ".".join(["torch", *parts])


def _found(module, name):
    """What PyTorch has by this name."""
    if module == "torch.nn" or module.startswith("torch.nn.modules"):
        found = getattr(_torch.nn, name, None)
        if found is not None:
            return found
    return None


_HOOKS = (
    "_backward_hooks _backward_pre_hooks _forward_hooks _forward_hooks_always_called "
    "_forward_hooks_with_kwargs _forward_pre_hooks _forward_pre_hooks_with_kwargs "
    "_load_state_dict_post_hooks _load_state_dict_pre_hooks _state_dict_hooks "
    "_state_dict_pre_hooks"
).split()


def _fields(module):
    """The fields of a module, with those that PyTorch's own module has besides."""
    fields = {name: OrderedDict() for name in _HOOKS}
    fields.update(vars(module), _is_full_backward_hook=None)
    if hasattr(module, "_all_weights"):
        names = [name for names in module._all_weights for name in names]
        fields["_flat_weights_names"] = names
        fields["_flat_weights"] = [getattr(module, name) for name in names]
    if hasattr(module, "padding_mode") and isinstance(module.padding, tuple):
        pairs = [(size, size) for size in reversed(module.padding)]
        fields["_reversed_padding_repeated_twice"] = [size for pair in pairs for size in pair]
    return fields


def _pickler(pickle_module):
    from copyreg import __newobj__

    class Pickler(pickle_module.Pickler):
        def reducer_override(self, obj):
            if isinstance(obj, FunctionType):
                return obj.__qualname__  # pickle takes a text for a name, and calls `save_global`
            plain = isinstance(obj, Module) and not hasattr(obj, "__setstate__")
            return (__newobj__, (type(obj),), _fields(obj)) if plain else NotImplemented

        def save_global(self, obj, name=None):
            module = getattr(obj, "__module__", None) or ""
            if not module.startswith("glowgrad"):
                return super().save_global(obj, name)
            text = f"{_foreign(module)}\n{name or obj.__qualname__}\n"
            self.write(pickle.GLOBAL + text.encode())
            self.memoize(obj)

    return Pickler


def _unpickler(pickle_module):
    class Unpickler(pickle_module.Unpickler):
        ends_early = ("Ran out of input",)

        def find_class(self, module, name):
            found = _found(module, name)
            return super().find_class(module, name) if found is None else found

    return Unpickler


class _for_weights(pickle.Unpickler):
    """Reads tensors and data, and calls nothing but what puts them together."""

    ends_early = ()

    def __init__(self, file, encoding="utf-8"):
        super().__init__(file, encoding=encoding)
        self._names = {**_own(), **_allowed()}

    def find_class(self, module, name):
        module = "builtins" if module == "__builtin__" else module
        full = f"{module}.{name}"
        if module in _BLOCKED:
            raise _Restricted(
                f"Trying to load unsupported GLOBAL {full} whose module {module} is blocked."
            )
        if full in self._names:
            return self._names[full]
        full = name if module == "builtins" else full
        raise _Restricted(
            f"Unsupported global: GLOBAL {full} was not an allowed global by default. Please use "
            f"`torch.serialization.add_safe_globals([{full}])` or the "
            f"`torch.serialization.safe_globals([{full}])` context manager to allowlist this "
            "global if you trust this class/function."
        )


def _refused(message):
    """PyTorch's words where a file holds more than weights."""
    if "was not an allowed global by default." in message:
        words = (
            "Weights only load failed. This file can still be loaded, to do so you have two "
            "options, \033[1mdo those steps only if you trust the source of the checkpoint\033[0m. "
            f"\n\t(1) {_UNSAFE}\n\t(2) Alternatively, to load with `weights_only=True` please check "
            "the recommended steps in the following error message.\n\tWeightsUnpickler error: "
        )
    else:
        words = f"Weights only load failed. {_UNSAFE}\n\n\n"
    return words + message + (
        "\n\nCheck the documentation of torch.load to learn more about types accepted by default "
        "with weights_only https://pytorch.org/docs/stable/generated/torch.load.html."
    )


class _Stub:
    """Stands for anything while the names in a pickle are listed."""

    def __new__(cls, *args, **kwargs):
        return object.__new__(cls)

    def __init__(self, *args, **kwargs):
        pass

    def __setstate__(self, state):
        pass

    def __setitem__(self, key, value):
        pass

    def append(self, value):
        pass

    extend = add = append


class _Names(pickle.Unpickler):
    def __init__(self, file):
        super().__init__(file)
        self.names = []

    def find_class(self, module, name):
        module = "builtins" if module == "__builtin__" else module
        self.names.append(f"{module}.{name}")
        return _Stub

    def persistent_load(self, saved_id):
        return _Stub()


def get_unsafe_globals(data):
    """The names in a pickle that a file of weights may not use."""
    reader = _Names(BytesIO(data))
    reader.load()
    known = {**_own(), **_allowed()}
    return list(dict.fromkeys(name for name in reader.names if name not in known))
