"""Sums, means or maxima of a table's rows: `embedding_bag` and `EmbeddingBag`."""

import _glowgrad as _C
from glowgrad.nn import _LATER
from glowgrad.nn import functional as F
from glowgrad.nn._functional import _renormed, _warn
from glowgrad.nn.linear import _Table

__all__ = _LATER["bags"]


def _flat(input, offsets, per_sample_weights):
    """Indices in one row, where each bag begins, and their weights."""
    if input.dim() == 2:
        if offsets is not None:
            raise ValueError(
                "if input is 2D, then offsets has to be None, as input is treated is a mini-batch "
                f"of fixed length sequences. However, found offsets of type {type(offsets)}"
            )
        starts = _C.arange(0, input.numel(), max(input.shape[1], 1), None, False)
        if per_sample_weights is not None:
            per_sample_weights = per_sample_weights.reshape(-1)
        return input.reshape(-1), starts, per_sample_weights
    if input.dim() != 1:
        raise ValueError(
            f"input has to be 1D or 2D Tensor, but got Tensor of dimension {input.dim()}"
        )
    if offsets is None:
        raise ValueError("offsets has to be a 1D Tensor but got None")
    if offsets.dim() != 1:
        raise ValueError("offsets has to be a 1D Tensor")
    return input, offsets, per_sample_weights


def _check_offsets(offsets, n):
    first, last = offsets[0].item(), offsets[-1].item()
    if first != 0:
        raise RuntimeError(
            "offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from "
            f"position 0. However, got {first}"
        )
    if last > n:
        raise RuntimeError(
            "offsets[-1] can not be greater than input's length. However, got offsets[-1] of "
            f"{last} and input's length of {n}"
        )


def _largest(rows, bag, n_bags, kept):
    """The largest element of each column of each bag, the first of equals; zeros of empty bags."""
    n, width = rows.shape
    low = rows.detach() if kept is None else rows.detach().masked_fill(~kept, -float("inf"))
    columns = bag.unsqueeze(1).expand(n, width)
    least = _C.full((n_bags, width), -float("inf"), rows.dtype, False, "full")
    most = least.scatter_reduce(0, columns, low, "amax")
    places = _C.arange(0, n, 1, None, False).unsqueeze(1).expand(n, width)
    places = places.masked_fill(low != most.gather(0, columns), n)
    first = _C.full((n_bags, width), n, _C.int64, False, "full")
    first = first.scatter_reduce(0, columns, places, "amin")
    padded = _C.cat([rows, rows.new_zeros(1, width)])
    return padded.gather(0, first)


def embedding_bag(input, weight, offsets=None, max_norm=None, norm_type=2, scale_grad_by_freq=False,
                  mode="mean", sparse=False, per_sample_weights=None, include_last_offset=False,
                  padding_idx=None):
    """Means (or sums, or maxima) of the rows that integers choose, bag by bag.

    >>> table = torch.tensor([[1.0, 1.0], [3.0, 5.0]])
    >>> F.embedding_bag(torch.tensor([0, 1, 1]), table, torch.tensor([0, 2]))
    """
    if weight.dtype is _C.int64 and input.is_floating_point():
        _warn("Argument order of nn.functional.embedding_bag was changed. Usage "
              "`embedding_bag(weight, input, ...)` is deprecated, and should now be "
              "`embedding_bag(input, weight, ...)`.")
        weight, input = input, weight
    if per_sample_weights is not None and input.shape != per_sample_weights.shape:
        raise ValueError(
            f"embedding_bag: If per_sample_weights ({per_sample_weights.shape}) is not None, then "
            f"it must have the same shape as the input ({input.shape})"
        )
    if weight.dim() != 2:
        raise ValueError(
            f"weight has to be a 2D Tensor, but got Tensor of dimension {weight.dim()}"
        )
    is_2d = input.dim() == 2
    with weight.device:
        input, offsets, factors = _flat(input, offsets, per_sample_weights)
    if mode not in ("sum", "mean", "max"):
        raise ValueError("mode has to be one of sum, mean or max")
    if mode == "max" and scale_grad_by_freq:
        raise ValueError("max mode does not support scaling the gradient by the frequency")
    if mode == "max" and sparse:
        raise ValueError("max mode does not support sparse weights")
    if factors is not None and mode != "sum":
        raise NotImplementedError(
            "embedding_bag: per_sample_weights was not None. per_sample_weights is only supported "
            f"for mode='sum' (got mode='{mode}'). Please open a feature request on GitHub."
        )
    if max_norm is not None:
        _renormed(weight, input, max_norm, norm_type)
    if not is_2d and offsets.numel() and not _C.is_capturing():
        _C.quietly(lambda: _check_offsets(offsets, input.numel()))
    rows = _C.embedding(input, weight, padding_idx, scale_grad_by_freq)
    starts = offsets[:-1] if include_last_offset and not is_2d else offsets
    n_bags, width = starts.shape[0], weight.shape[1]
    kept = None
    if padding_idx is not None:
        kept = (input != padding_idx % weight.shape[0]).unsqueeze(1)
    with weight.device:
        order = _C.arange(0, input.shape[0], 1, starts.dtype, False)
        bag = _C.searchsorted(starts.contiguous(), order, right=True).to(_C.int64) - 1
        if mode == "max":
            return _largest(rows, bag, n_bags, kept)
        if factors is not None:
            rows = rows * factors.unsqueeze(1)
        if kept is not None:
            rows = rows * kept.to(rows.dtype)
        sums = _C.full((n_bags, width), 0.0, rows.dtype, False, "zeros").index_add(0, bag, rows)
        if mode == "sum":
            return sums
        ones = _C.full((input.shape[0], 1), 1.0, rows.dtype, False, "ones")
        if kept is not None:
            ones = ones * kept.to(rows.dtype)
        counts = _C.full((n_bags, 1), 0.0, rows.dtype, False, "zeros").index_add(0, bag, ones)
    return sums / counts.clamp(min=1)


class EmbeddingBag(_Table):
    """Means (or sums, or maxima) of rows of a learned table, bag by bag.

    >>> bag = nn.EmbeddingBag(10, 4)
    >>> bag(torch.tensor([1, 7, 2]), torch.tensor([0, 2])).shape
    """

    _padding = "padding_idx"

    def __init__(self, num_embeddings, embedding_dim, max_norm=None, norm_type=2.0,
                 scale_grad_by_freq=False, mode="mean", sparse=False, _weight=None,
                 include_last_offset=False, padding_idx=None, device=None, dtype=None):
        super().__init__()
        self._prepare(num_embeddings, embedding_dim, padding_idx, max_norm, norm_type,
                      scale_grad_by_freq, sparse, _weight, False, device, dtype)
        self.mode, self.include_last_offset = mode, include_last_offset

    @classmethod
    def from_pretrained(cls, embeddings, freeze=True, max_norm=None, norm_type=2.0,
                        scale_grad_by_freq=False, mode="mean", sparse=False,
                        include_last_offset=False, padding_idx=None):
        """A table with these rows, which is not learned unless `freeze` is False.

        >>> nn.EmbeddingBag.from_pretrained(torch.eye(3))(torch.tensor([[0, 2]]))
        """
        rows, columns = cls._size(embeddings)
        bag = cls(rows, columns, max_norm, norm_type, scale_grad_by_freq, mode, sparse, embeddings,
                  include_last_offset, padding_idx)
        bag.weight.requires_grad = not freeze
        return bag

    def forward(self, input, offsets=None, per_sample_weights=None):
        return F.embedding_bag(
            input, self.weight, offsets, self.max_norm, self.norm_type, self.scale_grad_by_freq,
            self.mode, self.sparse, per_sample_weights, self.include_last_offset,
            self.padding_idx,
        )

    def extra_repr(self):
        text = f"{self.num_embeddings!r}, {self.embedding_dim!r}"
        if self.max_norm is not None:
            text += f", max_norm={self.max_norm!r}"
        if self.norm_type != 2:
            text += f", norm_type={self.norm_type!r}"
        if self.scale_grad_by_freq is not False:
            text += f", scale_grad_by_freq={self.scale_grad_by_freq!r}"
        text += f", mode={self.mode!r}"
        if self.padding_idx is not None:
            text += f", padding_idx={self.padding_idx!r}"
        return text
