"""`torch.nn`'s layers of products and tables: `Linear`, `Bilinear`, `Embedding`, and `Identity`."""

import math

from glowgrad._tensor import Parameter
from glowgrad.nn import functional as F
from glowgrad.nn import init
from glowgrad.nn.module import Module
from glowgrad.nn.parameter import _empty

__all__ = ("Identity", "Linear", "Bilinear", "Embedding")


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

    def __init__(self, in_features, out_features, bias=True, device=None, dtype=None):
        super().__init__()
        self.in_features, self.out_features = in_features, out_features
        self.weight = _empty(out_features, in_features, device=device, dtype=dtype)
        if bias:
            self.bias = _empty(out_features, device=device, dtype=dtype)
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self):
        """Draws weight and bias again.

        >>> layer = nn.Linear(3, 2)
        >>> layer.reset_parameters()
        """
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


class NonDynamicallyQuantizableLinear(Linear):
    """The linear layer at the end of attention, under the name that PyTorch prints and pickles."""

    __module__ = "torch.nn.modules.linear"


class Bilinear(Module):
    """y[o] = x₁ᵀ W[o] x₂ + b[o]

    >>> nn.Bilinear(2, 3, 4)(torch.randn(1, 2), torch.randn(1, 3)).shape
    """

    def __init__(self, in1_features, in2_features, out_features, bias=True, device=None,
                 dtype=None):
        super().__init__()
        self.in1_features, self.in2_features = in1_features, in2_features
        self.out_features = out_features
        self.weight = _empty(out_features, in1_features, in2_features, device=device, dtype=dtype)
        if bias:
            self.bias = _empty(out_features, device=device, dtype=dtype)
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self):
        """Draws weight and bias again.

        >>> layer = nn.Bilinear(2, 3, 4)
        >>> layer.reset_parameters()
        """
        if self.in1_features <= 0:
            raise ValueError(
                f"in1_features must be > 0, but got (in1_features={self.in1_features})"
            )
        bound = 1 / math.sqrt(self.weight.shape[1])
        init.uniform_(self.weight, -bound, bound)
        if self.bias is not None:
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input1, input2):
        return F.bilinear(input1, input2, self.weight, self.bias)

    def extra_repr(self):
        return (
            f"in1_features={self.in1_features}, in2_features={self.in2_features}, "
            f"out_features={self.out_features}, bias={self.bias is not None}"
        )


class _Table(Module):
    """Rows that integers choose, and what `Embedding` and `EmbeddingBag` share."""

    def _prepare(self, num_embeddings, embedding_dim, padding_idx, max_norm, norm_type,
                 scale_grad_by_freq, sparse, weight, freeze, device, dtype):
        self.num_embeddings, self.embedding_dim = num_embeddings, embedding_dim
        if padding_idx is not None:
            if not -num_embeddings <= padding_idx < num_embeddings:
                raise AssertionError(
                    f"{self._padding} must be within num_embeddings: padding_idx is {padding_idx}, "
                    f"num_embeddings {num_embeddings}"
                )
            padding_idx = padding_idx % num_embeddings
        self.padding_idx, self.max_norm, self.norm_type = padding_idx, max_norm, norm_type
        self.scale_grad_by_freq, self.sparse = scale_grad_by_freq, sparse
        if weight is None:
            self.weight = _empty(num_embeddings, embedding_dim, device=device, dtype=dtype)
            self.reset_parameters()
        else:
            if tuple(weight.shape) != (num_embeddings, embedding_dim):
                raise AssertionError(
                    "Shape of weight does not match num_embeddings and embedding_dim"
                )
            self.weight = Parameter(weight)
        self.weight.requires_grad_(not freeze)

    def reset_parameters(self):
        """Draws the table again.

        >>> table = nn.Embedding(4, 2)
        >>> table.reset_parameters()
        """
        init.normal_(self.weight)
        if self.padding_idx is not None:
            init.zeros_(self.weight.detach()[self.padding_idx])

    @staticmethod
    def _size(embeddings):
        if embeddings.dim() != 2:
            raise AssertionError("Embeddings parameter is expected to be 2-dimensional")
        return tuple(embeddings.shape)


class Embedding(_Table):
    """Rows of a learned table, chosen by integers.

    >>> nn.Embedding(10, 4)(torch.tensor([1, 7])).shape
    """

    _padding = "Padding_idx"

    def __init__(self, num_embeddings, embedding_dim, padding_idx=None, max_norm=None,
                 norm_type=2.0, scale_grad_by_freq=False, sparse=False, _weight=None,
                 _freeze=False, device=None, dtype=None):
        super().__init__()
        self._prepare(num_embeddings, embedding_dim, padding_idx, max_norm, norm_type,
                      scale_grad_by_freq, sparse, _weight, _freeze, device, dtype)

    @classmethod
    def from_pretrained(cls, embeddings, freeze=True, padding_idx=None, max_norm=None,
                        norm_type=2.0, scale_grad_by_freq=False, sparse=False):
        """A table with these rows, which is not learned unless `freeze` is False.

        >>> nn.Embedding.from_pretrained(torch.eye(3))(torch.tensor(1))
        """
        rows, columns = cls._size(embeddings)
        return cls(rows, columns, padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse,
                   _weight=embeddings, _freeze=freeze)

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
        if self.scale_grad_by_freq is not False:
            text += f", scale_grad_by_freq={self.scale_grad_by_freq}"
        if self.sparse is not False:
            text += ", sparse=True"
        return text
