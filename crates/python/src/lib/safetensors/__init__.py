"""The library safetensors: tensors by name in a file that runs no code when it is read."""

import os


class SafetensorError(Exception):
    """Raised for a file that cannot be read or written.

    >>> from safetensors import SafetensorError
    >>> issubclass(SafetensorError, Exception)
    """


def _decoded(data):
    from glowgrad._codec import decode

    try:
        return decode("safetensors", data)
    except ValueError as error:
        raise SafetensorError(str(error)) from None


class safe_open:
    """A file, opened to read some of its tensors.

    >>> from safetensors import safe_open
    >>> from safetensors.torch import save_file
    >>> save_file({"x": torch.ones(2)}, "x.safetensors")
    >>> with safe_open("x.safetensors", framework="pt") as file:
    ...     print(file.keys(), file.get_tensor("x"))
    """

    def __init__(self, filename, framework, device="cpu"):
        if framework not in ("pt", "torch", "pytorch", "np", "numpy"):
            raise SafetensorError(f"framework {framework!r} is not here; expected 'pt' or 'np'")
        with open(os.fspath(filename), "rb") as file:
            decoded = _decoded(file.read())
        self._tensors, self._metadata = dict(decoded.tensors), decoded.metadata
        self._is_numpy, self._device = framework in ("np", "numpy"), device

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        return None

    def keys(self):
        """The names of the tensors. >>> safetensors.safe_open.keys"""
        return list(self._tensors)

    def metadata(self):
        """The texts of the file, by name; None where it has none. >>> safetensors.safe_open.metadata"""
        return self._metadata

    def get_tensor(self, name):
        """The tensor of this name. >>> safetensors.safe_open.get_tensor"""
        if name not in self._tensors:
            raise SafetensorError(f"File does not contain tensor {name}")
        tensor = self._tensors[name]
        return tensor.numpy() if self._is_numpy else tensor.to(self._device)

    def get_slice(self, name):
        """The tensor of this name, of which a part is to be taken by an index. >>> safetensors.safe_open.get_slice"""
        return self.get_tensor(name)
