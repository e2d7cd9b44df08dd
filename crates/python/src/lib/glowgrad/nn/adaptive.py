"""A softmax over many classes, of which a few are frequent."""

from collections import namedtuple

import _glowgrad as _C
from glowgrad.nn import _LATER
from glowgrad.nn import functional as F
from glowgrad.nn.containers import ModuleList, Sequential
from glowgrad.nn.linear import Linear
from glowgrad.nn.module import Module

__all__ = _LATER["adaptive"]

_ASMoutput = namedtuple("_ASMoutput", ["output", "loss"])


class AdaptiveLogSoftmaxWithLoss(Module):
    """Log-probabilities of frequent classes by one layer, of rare ones by smaller layers.

    >>> layer = nn.AdaptiveLogSoftmaxWithLoss(8, 10, cutoffs=[4, 7])
    >>> layer(torch.randn(2, 8), torch.tensor([0, 9])).output.shape
    """

    def __init__(self, in_features, n_classes, cutoffs, div_value=4.0, head_bias=False, device=None,
                 dtype=None):
        super().__init__()
        cutoffs = list(cutoffs)
        if not cutoffs:
            raise ValueError("cutoffs should be a sequence of length larger than 0")
        rising = all(a < b for a, b in zip([0, *cutoffs], [*cutoffs, n_classes]))
        if not rising or any(int(c) != c for c in cutoffs):
            raise ValueError(
                "cutoffs should be a sequence of unique, positive integers sorted in an increasing "
                "order, where each value is between 1 and n_classes-1"
            )
        self.in_features, self.n_classes = in_features, n_classes
        self.cutoffs = [*cutoffs, n_classes]
        self.div_value, self.head_bias = div_value, head_bias
        self.shortlist_size, self.n_clusters = cutoffs[0], len(cutoffs)
        self.head_size = self.shortlist_size + self.n_clusters
        self.head = Linear(in_features, self.head_size, head_bias, device, dtype)
        self.tail = ModuleList()
        for i in range(self.n_clusters):
            hidden = int(in_features // div_value ** (i + 1))
            size = self.cutoffs[i + 1] - self.cutoffs[i]
            self.tail.append(Sequential(
                Linear(in_features, hidden, False, device, dtype),
                Linear(hidden, size, False, device, dtype),
            ))

    def reset_parameters(self):
        """Draws all weights again.

        >>> layer = nn.AdaptiveLogSoftmaxWithLoss(8, 10, cutoffs=[4])
        >>> layer.reset_parameters()
        """
        self.head.reset_parameters()
        for first, second in self.tail:
            first.reset_parameters()
            second.reset_parameters()

    def forward(self, input_, target_):
        if target_.dim() == 1:
            if input_.shape[0] != target_.shape[0]:
                raise RuntimeError(
                    "Input and target should have the same size in the batch dimension."
                )
            if input_.dim() != 2:
                raise RuntimeError(
                    "1D target tensor expects 2D input tensors, but found inputs with size "
                    f"{input_.shape}"
                )
        elif target_.dim() == 0:
            if input_.dim() != 1:
                raise RuntimeError(
                    "0D target tensor expects 1D input tensors, but found inputs with size "
                    f"{input_.shape}"
                )
        else:
            raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
        batched = target_.dim() == 1
        input = input_ if batched else input_.unsqueeze(0)
        target = target_ if batched else target_.unsqueeze(0)
        if not _C.is_capturing():
            low, high = _C.quietly(lambda: [each.item() for each in _C.aminmax(target)])
            if low < 0 or high >= self.n_classes:
                raise RuntimeError(
                    f"Target values should be in [0, {self.n_classes - 1}], but values in range "
                    f"[{low}, {high}] were found. "
                )
        # In the head, a class of a cluster is the cluster.
        place, within = target, input.new_zeros(target.shape[0])
        for i, (low, high) in enumerate(zip(self.cutoffs, self.cutoffs[1:])):
            inside = (target >= low) & (target < high)
            place = place.masked_fill(inside, self.shortlist_size + i)
            within = self._within(i, input, target - low, inside, within)
        output = F.log_softmax(self.head(input), 1).gather(1, place.unsqueeze(1)).squeeze(1)
        output = output + within
        loss = (-output).mean()
        return _ASMoutput(output if batched else output.squeeze(0), loss)

    def _within(self, i, input, target, inside, total):
        """Adds the log-probabilities within a cluster, for the rows that are in it."""
        if _C.is_capturing():
            chosen = target.clamp(0, self.cutoffs[i + 1] - self.cutoffs[i] - 1).unsqueeze(1)
            found = F.log_softmax(self.tail[i](input), 1).gather(1, chosen).squeeze(1)
            return total + found * inside.to(found.dtype)
        rows = inside.nonzero().squeeze(1)
        if rows.numel() == 0:
            return total
        chosen = target.index_select(0, rows).unsqueeze(1)
        found = F.log_softmax(self.tail[i](input.index_select(0, rows)), 1).gather(1, chosen)
        return total.index_add(0, rows, found.squeeze(1))

    def _all(self, input, head):
        """Log-probabilities of all classes, from what the head gives."""
        head = F.log_softmax(head, 1)
        parts = [head[:, :self.shortlist_size]]
        for i, tail in enumerate(self.tail):
            place = self.shortlist_size + i
            parts.append(F.log_softmax(tail(input), 1) + head[:, place:place + 1])
        return _C.cat(parts, 1)

    def log_prob(self, input):
        """Log-probabilities of all classes.

        >>> layer = nn.AdaptiveLogSoftmaxWithLoss(8, 10, cutoffs=[4, 7])
        >>> layer.log_prob(torch.randn(2, 8)).shape
        """
        return self._all(input, self.head(input))

    def predict(self, input):
        """The most likely class of each row.

        >>> layer = nn.AdaptiveLogSoftmaxWithLoss(8, 10, cutoffs=[4, 7])
        >>> layer.predict(torch.randn(2, 8)).shape
        """
        head = self.head(input)
        best = head.argmax(1)
        return _C.where(best >= self.shortlist_size, self._all(input, head).argmax(1), best)
