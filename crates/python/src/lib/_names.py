"""Names for the tensors that the learner's variables hold, for the stage."""

import sys

from _glowgrad import TensorBase
from glowgrad.nn.module import Module

_MOST_ITEMS = 64


def names(namespace):
    """Pairs of a name and a tensor; plain variables come first."""
    found = []
    variables = [
        (name, value) for name, value in namespace.items()
        if isinstance(name, str) and not name.startswith("_")
    ]
    for name, value in variables:
        if isinstance(value, TensorBase):
            found.append((name, value))
    for name, value in variables:
        if isinstance(value, Module):
            found.extend(value.named_parameters(prefix=name))
        elif isinstance(value, (list, tuple)) and len(value) <= _MOST_ITEMS:
            for index, item in enumerate(value):
                if isinstance(item, TensorBase):
                    found.append((f"{name}[{index}]", item))
                elif isinstance(item, Module):
                    found.extend(item.named_parameters(prefix=f"{name}[{index}]"))
        elif isinstance(value, dict) and len(value) <= _MOST_ITEMS:
            for key, item in value.items():
                if isinstance(item, TensorBase):
                    found.append((f"{name}[{key!r}]", item))
    return found


_MOST_VARIABLES = 256


def variables(namespace):
    """The learner's variables for the editor: name, the class whose members they have, and what they are in few words.

    Nothing of the learner's own runs for it.
    """
    found = []
    # Where the module is not loaded, no optimizer was made.
    module = sys.modules.get("glowgrad.optim.optimizer")
    optimizers = () if module is None else module.Optimizer
    for name, value in namespace.items():
        if isinstance(name, str) and not name.startswith(("_", "<")) and len(found) < _MOST_VARIABLES:
            kind = type(value)
            if issubclass(kind, TensorBase):
                # Members of the base: a subclass may have a shape of its own.
                shape, dtype = list(TensorBase.shape.__get__(value)), TensorBase.dtype.__get__(value)
                grad = ", requires grad" if TensorBase.requires_grad.__get__(value) else ""
                found.append((name, "Tensor", f"Tensor {shape} {dtype.name}{grad}"))
            elif issubclass(kind, Module):
                found.append((name, "Module", f"{kind.__name__}, a module"))
            elif issubclass(kind, optimizers):
                found.append((name, "Optimizer", f"{kind.__name__}, an optimizer"))
            elif kind in (int, float, bool):
                found.append((name, "", f"{kind.__name__} {value!r}" if kind is not int or abs(value) < 1 << 64 else "int"))
            elif kind in (list, tuple, dict, str, set):
                found.append((name, "", f"{kind.__name__} of {len(value)}"))
            elif kind.__name__ != "module":
                found.append((name, "", "class" if kind is type else str(kind.__name__)))
    return found
