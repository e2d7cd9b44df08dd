"""Tensors by name, to files and from them."""

import os

from glowgrad._codec import encode, write_whole
from safetensors import SafetensorError, _decoded


def save(tensors, metadata=None):
    """The bytes of a file with these tensors by name, and texts by name.

    >>> from safetensors.torch import load, save
    >>> load(save({"x": torch.ones(2)}))
    """
    if not isinstance(tensors, dict):
        raise ValueError(f"Expected a dict of [str, torch.Tensor] but received {type(tensors)}")
    try:
        return encode("safetensors", tensors.items(), metadata)
    except ValueError as error:
        raise SafetensorError(str(error)) from None


def save_file(tensors, filename, metadata=None):
    """Writes tensors by name into a file; an older file stays whole until the new one is.

    >>> from safetensors.torch import load_file, save_file
    >>> save_file({"x": torch.ones(2)}, "x.safetensors")
    >>> load_file("x.safetensors")
    """
    write_whole(filename, save(tensors, metadata))


def load(data):
    """The tensors in the bytes of a file, by name.

    >>> from safetensors.torch import load, save
    >>> load(save({"x": torch.ones(2)}))
    """
    return dict(_decoded(data).tensors)


def load_file(filename, device="cpu"):
    """The tensors of a file, by name.

    >>> from safetensors.torch import load_file, save_file
    >>> save_file({"x": torch.ones(2)}, "x.safetensors")
    >>> load_file("x.safetensors")
    """
    with open(os.fspath(filename), "rb") as file:
        tensors = load(file.read())
    return {name: tensor.to(device) for name, tensor in tensors.items()}


def save_model(model, filename, metadata=None, force_contiguous=True):
    """Writes a module's parameters and buffers into a file.

    >>> from safetensors.torch import load_model, save_model
    >>> model = torch.nn.Linear(2, 1)
    >>> save_model(model, "m.safetensors")
    >>> load_model(model, "m.safetensors")
    """
    save_file(dict(model.state_dict()), filename, metadata)


def load_model(model, filename, strict=True, device="cpu"):
    """Reads a module's parameters and buffers from a file; the names that are missing and those that are too many.

    >>> from safetensors.torch import load_model, save_model
    >>> model = torch.nn.Linear(2, 1)
    >>> save_model(model, "m.safetensors")
    >>> load_model(model, "m.safetensors")
    """
    found = model.load_state_dict(load_file(filename, device), strict=strict)
    return set(found.missing_keys), list(found.unexpected_keys)
