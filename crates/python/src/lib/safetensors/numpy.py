"""Arrays by name, to files and from them."""

import numpy as np
from safetensors import torch as _torch


def _tensors(arrays):
    return {name: np.asarray(array)._t for name, array in arrays.items()}


def _arrays(tensors):
    return {name: tensor.numpy() for name, tensor in tensors.items()}


def save(tensor_dict, metadata=None):
    """The bytes of a file with these arrays by name.

    >>> from safetensors.numpy import load, save
    >>> load(save({"x": np.ones(2)}))
    """
    return _torch.save(_tensors(tensor_dict), metadata)


def save_file(tensor_dict, filename, metadata=None):
    """Writes arrays by name into a file.

    >>> from safetensors.numpy import save_file
    >>> save_file({"x": np.ones(2)}, "x.safetensors")
    """
    _torch.save_file(_tensors(tensor_dict), filename, metadata)


def load(data):
    """The arrays in the bytes of a file, by name.

    >>> from safetensors.numpy import load, save
    >>> load(save({"x": np.ones(2)}))
    """
    return _arrays(_torch.load(data))


def load_file(filename):
    """The arrays of a file, by name.

    >>> from safetensors.numpy import load_file, save_file
    >>> save_file({"x": np.ones(2)}, "x.safetensors")
    >>> load_file("x.safetensors")
    """
    return _arrays(_torch.load_file(filename))
