"""Names for the tensors that the learner's variables hold, for the stage."""

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
