"""`torch.nn.utils.rnn`: sequences of different lengths as one tensor, padded or packed.

A packed batch holds the elements of step 0 of every sequence, then those of step 1 of the sequences
that are that long, and so on: longer sequences stand first.
"""

from typing import NamedTuple

import _glowgrad as _C
from glowgrad._tensor import Tensor, device

__all__ = (
    "PackedSequence", "invert_permutation", "pack_padded_sequence", "pad_packed_sequence",
    "pad_sequence", "unpad_sequence", "pack_sequence", "unpack_sequence",
)


def _integers(values):
    return _C.from_data(values, _C.int64, False)


class _Packed(NamedTuple):
    data: Tensor
    batch_sizes: Tensor
    sorted_indices: Tensor
    unsorted_indices: Tensor


class PackedSequence(_Packed):
    """Sequences of different lengths without padding, as recurrent layers read and give them.

    >>> nn.utils.rnn.pack_sequence([torch.tensor([1, 2, 3]), torch.tensor([4])])
    """

    def __new__(cls, data, batch_sizes=None, sorted_indices=None, unsorted_indices=None):
        if unsorted_indices is None:
            unsorted_indices = invert_permutation(sorted_indices)
        if batch_sizes is None:
            if not isinstance(data, (list, tuple)) or len(data) != 2:
                raise AssertionError("Expected data to be a list or tuple of length 2")
            data, batch_sizes = data
        elif batch_sizes.device.type != "cpu":
            raise ValueError(
                "batch_sizes should always be on CPU; pack_sequence and pack_padded_sequence make "
                "a PackedSequence"
            )
        return super().__new__(cls, data, batch_sizes, sorted_indices, unsorted_indices)

    def to(self, *args, **kwargs):
        """The sequences in another dtype or on another device.

        >>> nn.utils.rnn.pack_sequence([torch.ones(2)]).to(torch.float64).data.dtype
        """
        data = self.data.to(*args, **kwargs)
        if data is self.data:
            return self
        indices = (
            None if each is None else each.to(data.device)
            for each in (self.sorted_indices, self.unsorted_indices)
        )
        return type(self)(data, self.batch_sizes, *indices)

    def cpu(self):
        """The sequences on the CPU.

        >>> nn.utils.rnn.pack_sequence([torch.ones(2)]).cpu().data.device
        """
        return self.to(device("cpu"))

    def cuda(self, device="cuda"):
        """The sequences on a CUDA device.

        >>> nn.utils.rnn.pack_sequence([torch.ones(2)]).is_cuda
        """
        return self.to(device)

    def double(self):
        """The sequences as float64.

        >>> nn.utils.rnn.pack_sequence([torch.ones(2)]).double().data
        """
        return self.to(_C.float64)

    def float(self):
        """The sequences as float32.

        >>> nn.utils.rnn.pack_sequence([torch.tensor([1, 2])]).float().data
        """
        return self.to(_C.float32)

    def half(self):
        """The sequences as float16.

        >>> nn.utils.rnn.pack_sequence([torch.ones(2)]).half().data
        """
        return self.to(_C.float16)

    def long(self):
        """The sequences as int64.

        >>> nn.utils.rnn.pack_sequence([torch.ones(2)]).long().data
        """
        return self.to(_C.int64)

    def int(self):
        """The sequences as int32.

        >>> nn.utils.rnn.pack_sequence([torch.ones(2)]).int().data
        """
        return self.to(_C.int32)

    def short(self):
        """The sequences as int16.

        >>> nn.utils.rnn.pack_sequence([torch.ones(2)]).short().data
        """
        return self.to(_C.int16)

    def char(self):
        """The sequences as int8.

        >>> nn.utils.rnn.pack_sequence([torch.ones(2)]).char().data
        """
        return self.to(_C.int8)

    def byte(self):
        """The sequences as uint8.

        >>> nn.utils.rnn.pack_sequence([torch.ones(2)]).byte().data
        """
        return self.to(_C.uint8)

    @property
    def is_cuda(self):
        """Whether the sequences are on a CUDA device.

        >>> nn.utils.rnn.pack_sequence([torch.ones(2)]).is_cuda
        """
        return self.data.is_cuda

    def is_pinned(self):
        """Whether the memory is pinned, which no memory here is.

        >>> nn.utils.rnn.pack_sequence([torch.ones(2)]).is_pinned()
        """
        return False


def invert_permutation(permutation):
    """The permutation that undoes another one.

    >>> nn.utils.rnn.invert_permutation(torch.tensor([2, 0, 1]))
    """
    return None if permutation is None else permutation.argsort()


def _places(sizes, batch):
    """Where the elements of a packed batch lie in a padded one, [T · B]."""
    return [step * batch + i for step, size in enumerate(sizes) for i in range(size)]


def pack_padded_sequence(input, lengths, batch_first=False, enforce_sorted=True):
    """Padded sequences of these lengths, packed: the padding is left out.

    >>> padded = torch.tensor([[1, 2, 3], [4, 0, 0]])
    >>> nn.utils.rnn.pack_padded_sequence(padded, [3, 1], batch_first=True)
    """
    batch_dim = 0 if batch_first else 1
    if not isinstance(lengths, Tensor):
        lengths = _integers(lengths)
    lengths, sorted_indices = lengths.to(_C.int64), None
    if not enforce_sorted:
        lengths, sorted_indices = lengths.cpu().sort(descending=True)
        sorted_indices = sorted_indices.to(input.device)
        input = input.index_select(batch_dim, sorted_indices)
    if input.numel() == 0:
        raise RuntimeError("Cannot pack empty tensors.")
    steps, batch = input.shape[1 - batch_dim], input.shape[batch_dim]
    lengths = lengths.tolist()
    if len(lengths) != batch:
        raise RuntimeError(
            "Expected `len(lengths)` to be equal to batch_size, but got "
            f"{len(lengths)} (batch_size={batch})"
        )
    if lengths[-1] <= 0:
        raise RuntimeError(
            "Length of all samples has to be greater than 0, but found an element in 'lengths' "
            "that is <= 0"
        )
    if any(a < b for a, b in zip(lengths, lengths[1:])):
        raise RuntimeError(
            "`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. You "
            "can pass `enforce_sorted=False` to pack_padded_sequence and/or pack_sequence to "
            "sidestep this requirement if you do not need ONNX exportability."
        )
    if lengths[0] > steps:
        raise RuntimeError(
            f"pack_padded_sequence: a length is {lengths[0]}, but the sequences have {steps} steps"
        )
    sizes = [sum([length > step for length in lengths]) for step in range(lengths[0])]
    rows = (input.transpose(0, 1) if batch_first else input).flatten(0, 1)
    with input.device:
        places = _integers(_places(sizes, batch))
    with device("cpu"):
        sizes = _integers(sizes)
    return PackedSequence(rows.index_select(0, places), sizes, sorted_indices)


def pad_packed_sequence(sequence, batch_first=False, padding_value=0.0, total_length=None):
    """Packed sequences as one padded tensor, and their lengths.

    >>> packed = nn.utils.rnn.pack_sequence([torch.tensor([1, 2, 3]), torch.tensor([4])])
    >>> nn.utils.rnn.pad_packed_sequence(packed, batch_first=True)
    """
    data, sizes = sequence.data, sequence.batch_sizes.tolist()
    steps, batch = len(sizes), sizes[0]
    if total_length is not None:
        if total_length < steps:
            raise ValueError(
                "Expected total_length to be at least the length of the longest sequence in "
                f"input, but got total_length={total_length} and max sequence length being {steps}"
            )
        steps = total_length
    padding = data.new_full((steps * batch, *data.shape[1:]), padding_value)
    with data.device:
        places = _integers(_places(sizes, batch))
    padded = padding.index_copy(0, places, data).unflatten(0, (steps, batch))
    if batch_first:
        padded = padded.transpose(0, 1)
    with device("cpu"):
        lengths = _integers([sum([size > i for size in sizes]) for i in range(batch)])
    order = sequence.unsorted_indices
    if order is None:
        return padded, lengths
    return padded.index_select(0 if batch_first else 1, order), lengths[order.cpu()]


def pad_sequence(sequences, batch_first=False, padding_value=0.0, padding_side="right"):
    """Sequences of different lengths as one tensor, the shorter ones filled up with padding.

    >>> a, b = torch.tensor([1, 2, 3]), torch.tensor([4])
    >>> nn.utils.rnn.pad_sequence([a, b], batch_first=True)
    """
    try:
        sequences = tuple(sequences)
    except TypeError:
        raise RuntimeError(
            "pad_sequence: Expected iterable for input sequences, but got arg of type: "
            f"{type(sequences)}"
        ) from None
    if not sequences:
        raise RuntimeError("received an empty list of sequences")
    for i, each in enumerate(sequences):
        if not isinstance(each, Tensor):
            raise TypeError(
                f"expected Tensor as element {i} in argument 0, but got {type(each).__name__}"
            )
    if padding_side not in ("left", "right"):
        raise RuntimeError(
            f"Expected padding_side to be one of left or right, but got {padding_side}."
        )
    if any([each.dim() == 0 for each in sequences]):
        raise RuntimeError("pad_sequence: each sequence needs a dimension for its steps")
    first = sequences[0]
    for each in sequences:
        for dim, (a, b) in enumerate(zip(first.shape[1:], each.shape[1:]), 1):
            if a != b:
                raise RuntimeError(
                    f"The size of tensor a ({a}) must match the size of tensor b ({b}) at "
                    f"non-singleton dimension {dim}"
                )
    longest = max([len(each) for each in sequences])
    padded = []
    for each in sequences:
        n = longest - len(each)
        filling = first.new_full((n, *first.shape[1:]), padding_value)
        each = each.to(first.dtype)
        parts = [filling, each] if padding_side == "left" else [each, filling]
        padded.append(_C.cat(parts) if n else each)
    return _C.stack(padded, 0 if batch_first else 1)


def unpad_sequence(padded_sequences, lengths, batch_first=False):
    """The sequences of a padded tensor, without their padding.

    >>> padded = torch.tensor([[1, 2, 3], [4, 0, 0]])
    >>> nn.utils.rnn.unpad_sequence(padded, torch.tensor([3, 1]), batch_first=True)
    """
    if not batch_first:
        padded_sequences = padded_sequences.transpose(0, 1)
    lengths = lengths.tolist()
    if len(lengths) != len(padded_sequences):
        raise ValueError(
            f"unpad_sequence: got {len(padded_sequences)} sequences and {len(lengths)} lengths"
        )
    return [each[:n] for each, n in zip(padded_sequences.unbind(0), lengths)]


def pack_sequence(sequences, enforce_sorted=True):
    """Sequences of different lengths, packed: longer ones first, or enforce_sorted=False.

    >>> a, b = torch.tensor([1, 2, 3]), torch.tensor([4])
    >>> nn.utils.rnn.pack_sequence([a, b])
    """
    lengths = [each.size(0) for each in sequences]
    return pack_padded_sequence(pad_sequence(sequences), lengths, enforce_sorted=enforce_sorted)


def unpack_sequence(packed_sequences):
    """The sequences of a packed batch.

    >>> packed = nn.utils.rnn.pack_sequence([torch.tensor([1, 2, 3]), torch.tensor([4])])
    >>> nn.utils.rnn.unpack_sequence(packed)
    """
    padded, lengths = pad_packed_sequence(packed_sequences, batch_first=True)
    return unpad_sequence(padded, lengths, batch_first=True)
