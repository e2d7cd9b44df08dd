"""Connectionist temporal classification: the loss of sequences without an alignment.

The targets are written with blanks around each label; `alphas` are log-probabilities of all paths
that are at a place by now. A step takes each from three places: stay, the place before, and the
one before that, where it is another label. Impossible paths have a large negative number instead
of −∞, so that gradients stay finite.
"""

import math

import _glowgrad as _C
from glowgrad.autograd import enable_grad
from glowgrad.nn import _LATER
from glowgrad.nn._losses import _reduced
from glowgrad.nn.module import Module

__all__ = _LATER["ctc_loss"]

_NEVER = -1e30
_CHECKING = " (while checking arguments for ctc_loss_allocate_outputs)"


def _lengths(name, given, n, most):
    """Lengths as a tensor and as Python's numbers, which are not there while a step is recorded."""
    if isinstance(given, _C.TensorBase):
        if given.is_floating_point():
            raise RuntimeError(f"{name} must be integral")
        tensor = given.detach().reshape(-1).to(_C.int64)
        numbers = None if _C.is_capturing() else _C.quietly(tensor.tolist)
        count = tensor.numel()
    else:
        numbers = [int(length) for length in given]
        tensor, count = _C.from_data(numbers, _C.int64, False), len(numbers)
    if count != n:
        raise RuntimeError(f"{name} must be of size batch_size")
    for length in numbers or ():
        if not 0 <= length <= most:
            bound = "least 0" if length < 0 else f"most {most}"
            raise RuntimeError(
                f"Expected {name} to have value at {bound}, but got value {length}{_CHECKING}"
            )
    return tensor, numbers


def _checked(log_probs, targets, input_lengths, target_lengths, blank):
    """The steps of each input, the least of them, the labels of each target, and targets as rows."""
    if log_probs.dim() != 3:
        raise RuntimeError(
            f"Expected 3-dimensional tensor, but got {log_probs.dim()}-dimensional tensor for "
            f"argument #1 'log_probs'{_CHECKING}"
        )
    if isinstance(input_lengths, _C.TensorBase) != isinstance(target_lengths, _C.TensorBase):
        raise TypeError(
            "ctc_loss(): input_lengths and target_lengths must both be tensors, or both tuples of "
            "ints"
        )
    steps, n, classes = log_probs.shape
    if not 0 <= blank < classes:
        raise RuntimeError("blank must be in label range")
    until, inputs = _lengths("input_lengths", input_lengths, n, steps)
    ends, labels = _lengths("target_lengths", target_lengths, n, math.inf)
    least = 0 if inputs is None else min(inputs, default=0)
    if targets.dim() == 1:
        if labels is None:
            raise RuntimeError(
                "ctc_loss: while a step is recorded, give targets as rows, or their lengths as ints"
            )
        if sum(labels) != targets.shape[0]:
            raise RuntimeError(
                f"Expected tensor to have size {sum(labels)} at dimension 0, but got size "
                f"{targets.shape[0]} for argument #2 'targets'{_CHECKING}"
            )
        rows = targets.split(labels) if n else []
        longest = max(labels, default=0)
        rows = [_C.pad(row, (0, longest - row.shape[0]), "constant", blank) for row in rows]
        targets = _C.stack(rows) if rows else targets.reshape(0, 0)
    else:
        longest = targets.shape[1] if labels is None else max(labels, default=0)
        if targets.shape[0] != n or targets.shape[1] < longest:
            d = 0 if targets.shape[0] != n else 1
            raise RuntimeError(
                f"Expected tensor to have size {('', 'at least ')[d]}{(n, longest)[d]} at "
                f"dimension {d}, but got size {targets.shape[d]} for argument #2 'targets'"
                f"{_CHECKING}"
            )
    # As in PyTorch, targets and lengths may be on the CPU while the probabilities are elsewhere.
    where = log_probs.device
    targets = targets.detach()[:, :longest].to(where, _C.int64)
    return until.to(where), least, ends.to(where), targets


def _negative_log_likelihood(log_probs, until, least, ends, targets, blank):
    """A number for each sequence; where there is no path it is very large."""
    steps, n, _ = log_probs.shape
    longest = targets.shape[1]
    # blank, label, blank, label, …, blank
    labels = _C.stack([_C.full((n, longest), blank, _C.int64, False), targets], 2)
    labels = _C.pad(labels.reshape(n, 2 * longest), (0, 1), "constant", blank)
    places = labels.shape[1]
    shown = log_probs.clamp(min=_NEVER).gather(2, labels.unsqueeze(0).expand(steps, n, places))
    # From two places before: only to a label, and only to another than that one.
    before = _C.pad(labels, (2, 0), "constant", blank)[:, :places]
    barred = ((labels == before) | (labels == blank)).to(shown.dtype) * _NEVER
    zeros = _C.full((n, places), 0.0, shown.dtype, False, "zeros")
    moves = _C.stack([barred, zeros, zeros], 2)
    start = _C.full((n, places), _NEVER, shown.dtype, False, "full")
    start[:, :2] = 0.0
    until = until.unsqueeze(1)
    alphas = start + shown[0] if steps else start
    for t in range(1, steps):
        three = _C.tensor_unfold(_C.pad(alphas, (2, 0), "constant", _NEVER), 1, 3, 1)
        following = _C.logsumexp(three + moves, -1, False) + shown[t]
        alphas = following if t < least else _C.where(until > t, following, alphas)
    # Without a step, only the empty target has a path.
    alphas = _C.where(until > 0, alphas, start + _C.pad(zeros[:, 1:] + _NEVER, (1, 0)))
    last = alphas.gather(1, (2 * ends).unsqueeze(1)).squeeze(1)
    label = alphas.gather(1, (2 * ends - 1).clamp(min=0).unsqueeze(1)).squeeze(1)
    return -_C.logaddexp(last, _C.where(ends > 0, label, label * 0 + _NEVER))


def ctc_loss(log_probs, targets, input_lengths, target_lengths, blank=0, reduction="mean",
             zero_infinity=False):
    """How unlikely targets are, over all ways to spread their labels, and blanks, over the steps.

    >>> log_probs = torch.zeros(4, 1, 3).log_softmax(2)
    >>> F.ctc_loss(log_probs, torch.tensor([[1, 2]]), (4,), (2,))
    """
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(f"{reduction} is not a valid value for reduction")
    if log_probs.dtype not in (_C.float32, _C.float64):
        raise NotImplementedError(
            f'"ctc_loss_cpu" not implemented for {log_probs.dtype.scalar_name!r}'
        )
    if log_probs.dim() == 2:
        loss = ctc_loss(
            log_probs.unsqueeze(1), targets, input_lengths, target_lengths, blank, reduction,
            zero_infinity,
        )
        return loss.squeeze(0) if reduction == "none" else loss
    with log_probs.device:
        problem = _checked(log_probs, targets, input_lengths, target_lengths, blank)
        losses = _C.quietly(lambda: _losses(log_probs, problem, blank, zero_infinity))
    if reduction == "mean":
        losses = losses / problem[2].clamp(min=1).to(losses.dtype)
    return _reduced(losses, reduction)


def _losses(log_probs, problem, blank, zero_infinity):
    leaf, until = log_probs.detach(), problem[0]
    if not (log_probs.requires_grad and _C.is_grad_enabled()):
        value, impossible = _values(leaf, problem, blank)[1:]
        return value.masked_fill(impossible, 0.0) if zero_infinity else value
    with enable_grad():
        leaf = leaf.requires_grad_()
        likelihood, value, impossible = _values(leaf, problem, blank)

    def backward(gradient):
        """PyTorch's gradient, which takes for granted that `log_probs` are of a softmax."""
        def of_log_probs():
            ones = _C.full(likelihood.shape, 1.0, leaf.dtype, False, "ones")
            found = _C.grad([likelihood], [leaf], [ones], True, False, True, True)[0]
            steps = _C.arange(0, leaf.shape[0], 1, None, False).unsqueeze(1)
            counted = steps < until
            found = (leaf.detach().exp() + found) * counted.unsqueeze(2).to(leaf.dtype)
            there = impossible.unsqueeze(1)
            if zero_infinity:
                return (found * gradient.detach().unsqueeze(1)).masked_fill(there, 0.0)
            there = there & counted.unsqueeze(2)
            return found.masked_fill(there, math.nan) * gradient.detach().unsqueeze(1)

        with log_probs.device:
            found = _C.quietly(of_log_probs)
        if _C.is_grad_enabled():
            found = _C.custom("NotImplemented", _refuse, [gradient, log_probs], found)
        return (found,)

    value = value.masked_fill(impossible, 0.0) if zero_infinity else value
    return _C.custom("CtcLossBackward0", backward, [log_probs], value.detach())


def _values(leaf, problem, blank):
    """The losses on the tape, their values with infinity in its place, and where that is."""
    if leaf.shape[1] == 0:
        empty = leaf.sum((0, 2))
        return empty, empty.detach(), empty.detach() > 0
    likelihood = _negative_log_likelihood(leaf, *problem, blank)
    impossible = likelihood.detach() > -_NEVER / 10
    return likelihood, likelihood.detach().masked_fill(impossible, math.inf), impossible


def _refuse(gradient):
    raise RuntimeError("derivative for aten::_ctc_loss_backward is not implemented")


class CTCLoss(Module):
    """How unlikely targets are, over all ways to spread their labels, and blanks, over the steps.

    >>> log_probs = torch.zeros(4, 1, 3).log_softmax(2)
    >>> nn.CTCLoss()(log_probs, torch.tensor([[1, 2]]), (4,), (2,))
    """

    def __init__(self, blank=0, reduction="mean", zero_infinity=False):
        super().__init__()
        self.reduction, self.blank, self.zero_infinity = reduction, blank, zero_infinity

    def forward(self, log_probs, targets, input_lengths, target_lengths):
        return ctc_loss(
            log_probs, targets, input_lengths, target_lengths, self.blank, self.reduction,
            self.zero_infinity,
        )
