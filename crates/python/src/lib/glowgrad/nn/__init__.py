"""`torch.nn`: layers, activations and losses."""

import math
import sys as _sys

import _glowgrad as _C
from glowgrad._later import _later
from glowgrad._place import _placed
from glowgrad._tensor import Parameter, Tensor
from glowgrad.nn import functional, init
from glowgrad.nn.activation import *
from glowgrad.nn.conv import _empty
from glowgrad.nn.conv import *
from glowgrad.nn.loss import *
from glowgrad.nn.module import Module, _indented
from glowgrad.nn.normalization import *
from glowgrad.nn.pooling import *

F = functional
# Modules that are loaded when one of their names is first asked for.
_LATER = {"buffer": ("Buffer",), "modules": (), "parameter": (), "utils": ()}
__getattr__, __dir__ = _later(__name__, _LATER, __name__)

# Modules that are loaded when one of their names is first asked for.
_LATER = {
    "attention": ("MultiheadAttention",),
    "recurrent": (
        "RNNBase", "RNN", "LSTM", "GRU", "RNNCellBase", "RNNCell", "LSTMCell", "GRUCell",
    ),
    "transformer": (
        "Transformer", "TransformerEncoder", "TransformerDecoder", "TransformerEncoderLayer",
        "TransformerDecoderLayer",
    ),
    "positions": (
        "PositionalEncoding", "RotaryPositionalEmbeddings", "KVCache", "GroupedQueryAttention",
    ),
    "utils": (),
}


def __getattr__(name):
    for module, names in _LATER.items():
        if name == module or name in names:
            loaded = __import__("glowgrad.nn." + module, None, None, ["*"])
            for each in names:
                globals()[each] = getattr(loaded, each)
            return globals().setdefault(name, loaded)
    raise AttributeError(
        f"module {__name__!r} has no attribute {name!r}", name=name, obj=_sys.modules[__name__]
    )


def __dir__():
    return sorted({*globals(), *_LATER, *[name for names in _LATER.values() for name in names]})


class Identity(Module):
    """Gives what it is given.

    >>> nn.Identity()(torch.ones(2))
    """

    def __init__(self, *args, **kwargs):
        super().__init__()

    def forward(self, input):
        return input


class Linear(Module):
    """y = x Wᵀ + b: each output is a weighted sum of all inputs, and a bias.

    >>> nn.Linear(3, 2)(torch.randn(5, 3)).shape
    """

    @_placed
    def __init__(self, in_features, out_features, bias=True, dtype=None):
        super().__init__()
        self.in_features, self.out_features = in_features, out_features
        self.weight = _empty(out_features, in_features, dtype=dtype)
        if bias:
            self.bias = _empty(out_features, dtype=dtype)
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self):
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            bound = 1 / math.sqrt(self.in_features) if self.in_features > 0 else 0
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input):
        return F.linear(input, self.weight, self.bias)

    def extra_repr(self):
        return (
            f"in_features={self.in_features}, out_features={self.out_features}, "
            f"bias={self.bias is not None}"
        )


class Embedding(Module):
    """Rows of a learned table, chosen by integers.

    >>> nn.Embedding(10, 4)(torch.tensor([1, 7])).shape
    """

    @_placed
    def __init__(self, num_embeddings, embedding_dim, padding_idx=None, max_norm=None,
                 norm_type=2.0, scale_grad_by_freq=False, sparse=False, _weight=None,
                 _freeze=False, dtype=None):
        super().__init__()
        self.num_embeddings, self.embedding_dim = num_embeddings, embedding_dim
        if padding_idx is not None:
            if not -num_embeddings <= padding_idx < num_embeddings:
                raise AssertionError(
                    f"Padding_idx must be within num_embeddings: padding_idx is {padding_idx}, "
                    f"num_embeddings {num_embeddings}"
                )
            padding_idx = padding_idx % num_embeddings
        self.padding_idx, self.max_norm, self.norm_type = padding_idx, max_norm, norm_type
        self.scale_grad_by_freq, self.sparse = scale_grad_by_freq, sparse
        if _weight is None:
            self.weight = _empty(num_embeddings, embedding_dim, dtype=dtype)
            self.reset_parameters()
        else:
            self.weight = Parameter(_weight)
        self.weight.requires_grad_(not _freeze)

    @classmethod
    def from_pretrained(cls, embeddings, freeze=True, padding_idx=None, max_norm=None,
                        norm_type=2.0, scale_grad_by_freq=False, sparse=False):
        rows, columns = embeddings.shape
        return cls(rows, columns, padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse,
                   _weight=embeddings, _freeze=freeze)

    def reset_parameters(self):
        init.normal_(self.weight)
        if self.padding_idx is not None:
            init.zeros_(self.weight.detach()[self.padding_idx])

    def forward(self, input):
        return F.embedding(
            input, self.weight, self.padding_idx, self.max_norm, self.norm_type,
            self.scale_grad_by_freq, self.sparse,
        )

    def extra_repr(self):
        text = f"{self.num_embeddings}, {self.embedding_dim}"
        if self.padding_idx is not None:
            text += f", padding_idx={self.padding_idx}"
        if self.max_norm is not None:
            text += f", max_norm={self.max_norm}"
        if self.norm_type != 2:
            text += f", norm_type={self.norm_type}"
        if self.scale_grad_by_freq:
            text += f", scale_grad_by_freq={self.scale_grad_by_freq}"
        if self.sparse:
            text += ", sparse=True"
        return text


class LayerNorm(Module):
    """Each row moved to mean 0 and variance 1, then scaled and shifted.

    >>> nn.LayerNorm(3)(torch.tensor([[1.0, 2.0, 3.0]])).tolist()
    """

    @_placed
    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True, bias=True, dtype=None):
        super().__init__()
        if isinstance(normalized_shape, int):
            normalized_shape = (normalized_shape,)
        self.normalized_shape, self.eps = tuple(normalized_shape), eps
        self.elementwise_affine = elementwise_affine
        for name, wanted in (("weight", elementwise_affine), ("bias", elementwise_affine and bias)):
            parameter = _empty(*self.normalized_shape, dtype=dtype) if wanted else None
            self.register_parameter(name, parameter)
        if self.weight is not None:
            init.ones_(self.weight)

    def forward(self, input):
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self):
        return (
            f"{self.normalized_shape}, eps={self.eps}, "
            f"elementwise_affine={self.elementwise_affine}, bias={self.bias is not None}"
        )


class Flatten(Module):
    """All dimensions but the first as one.

    >>> nn.Flatten()(torch.ones(2, 3, 4)).shape
    """

    def __init__(self, start_dim=1, end_dim=-1):
        super().__init__()
        self.start_dim, self.end_dim = start_dim, end_dim

    def forward(self, input):
        return input.flatten(self.start_dim, self.end_dim)

    def extra_repr(self):
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"


def _module(value):
    if value is not None and not isinstance(value, Module):
        raise TypeError(f"{type(value).__name__} is not a Module subclass")
    return value


class Sequential(Module):
    """Modules one after another: each is given what the one before it gives.

    >>> nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 1))
    """

    def __init__(self, *modules):
        super().__init__()
        if len(modules) == 1 and isinstance(modules[0], dict):
            pairs = modules[0].items()
        else:
            pairs = ((str(i), module) for i, module in enumerate(modules))
        for name, module in pairs:
            if not isinstance(module, Module):
                raise TypeError(
                    f"{getattr(module, '__name__', module)!r} is not a Module subclass; "
                    "Sequential takes modules, such as nn.ReLU()"
                )
            self._modules[name] = module

    def forward(self, input):
        for module in self._modules.values():
            input = module(input)
        return input

    def append(self, module):
        self._modules[str(len(self))] = _module(module)
        return self

    def __len__(self):
        return len(self._modules)

    def __iter__(self):
        return iter(self._modules.values())

    def __getitem__(self, index):
        if isinstance(index, slice):
            return Sequential(dict(list(self._modules.items())[index]))
        return list(self._modules.values())[index]

    def __setitem__(self, index, module):
        self._modules[list(self._modules)[index]] = module


class ModuleList(Module):
    """A list of modules whose parameters are found.

    >>> layers = nn.ModuleList([nn.Linear(2, 2) for _ in range(3)])
    >>> len(list(layers.parameters()))
    """

    def __init__(self, modules=()):
        super().__init__()
        self.extend(modules)

    def append(self, module):
        self._modules[str(len(self))] = _module(module)
        return self

    def extend(self, modules):
        for module in modules:
            self.append(module)
        return self

    def __len__(self):
        return len(self._modules)

    def __iter__(self):
        return iter(self._modules.values())

    def __getitem__(self, index):
        if isinstance(index, slice):
            return ModuleList(list(self._modules.values())[index])
        return list(self._modules.values())[index]

    def __repr__(self):
        # Equal neighbours are shown once: (0-3): 4 x Block(…).
        runs = []
        for index, module in enumerate(self):
            text = repr(module)
            if runs and runs[-1][2] == text:
                runs[-1][1] = index
            else:
                runs.append([index, index, text])
        if not runs:
            return f"{self._get_name()}()"
        lines = [
            _indented(f"({first}): {text}" if first == last
                      else f"({first}-{last}): {last - first + 1} x {text}")
            for first, last, text in runs
        ]
        return f"{self._get_name()}(\n  " + "\n  ".join(lines) + "\n)"

    def __setitem__(self, index, module):
        self._modules[list(self._modules)[index]] = module


class ModuleDict(Module):
    """A dict of modules whose parameters are found.

    >>> parts = nn.ModuleDict({"up": nn.Linear(2, 4), "down": nn.Linear(4, 2)})
    >>> list(parts)
    """

    def __init__(self, modules=None):
        super().__init__()
        for name, module in (modules or {}).items():
            self._modules[name] = _module(module)

    def __getitem__(self, name):
        return self._modules[name]

    def __setitem__(self, name, module):
        self._modules[name] = module

    def __contains__(self, name):
        return name in self._modules

    def __len__(self):
        return len(self._modules)

    def __iter__(self):
        return iter(self._modules)

    def keys(self):
        return self._modules.keys()

    def values(self):
        return self._modules.values()

    def items(self):
        return self._modules.items()


class ParameterList(Module):
    """A list of parameters that are found.

    >>> list(nn.ParameterList([torch.zeros(2)]))
    """

    def __init__(self, values=()):
        super().__init__()
        for value in values:
            self.append(value)

    def append(self, value):
        parameter = value if isinstance(value, Parameter) else Parameter(value)
        self._parameters[str(len(self))] = parameter
        return self

    def __len__(self):
        return len(self._parameters)

    def __iter__(self):
        return iter(self._parameters.values())

    def __getitem__(self, index):
        return list(self._parameters.values())[index]

    def extra_repr(self):
        lines = []
        for name, parameter in self._parameters.items():
            sizes = "x".join(map(str, parameter.shape))
            kind = f"torch.{parameter.dtype.name}"
            lines.append(f"  ({name}): Parameter containing: [{kind} of size {sizes}]")
        return "\n".join(lines)

    def __repr__(self):
        lines = self.extra_repr().split("\n")
        return f"{self._get_name()}(\n  " + "\n  ".join(lines) + "\n)" if len(self) else "ParameterList()"


__all__ = [name for name in __dir__() if not name.startswith("_") and name not in _LATER]
