"""What events say: a number, a histogram, an image, a text, or the hyperparameters of a run, as `Summary` messages."""

import glowgrad as torch
from glowgrad._codec import encode
from glowgrad._tensor import Tensor
from glowgrad.utils.tensorboard._events import (
    float32, float64, float64s, message, text as words, whole,
)

# Types of `TensorProto`.
_FLOAT, _DOUBLE, _STRING = 1, 2, 7
_COLUMNS = 8


def _value(tag, *fields):
    return message(1, words(1, tag) + b"".join(fields))


def _plugin(name, content=b""):
    return message(9, message(1, words(1, name) + (message(2, content) if content else b"")))


def _tensor(x, call):
    if isinstance(x, Tensor):
        return x.detach().cpu()
    if isinstance(x, (bool, int, float)):
        return torch.tensor(x)
    if hasattr(x, "__array__"):
        import numpy as np

        return torch.from_numpy(np.ascontiguousarray(x))
    raise NotImplementedError(f"{call}: a tensor, an array or a number is expected, and {type(x).__name__} came")


def _number(x, call):
    if isinstance(x, (str, bool, int, float)):
        return float(x)
    x = _tensor(x, call)
    if x.numel() != 1:
        raise AssertionError(f"{call}: one number is expected, and a tensor {list(x.shape)} came")
    return float(x.item())


def scalar(tag, value, new_style=False, double_precision=False):
    """One number."""
    number = _number(value, "add_scalar")
    if not new_style:
        return _value(tag, float32(2, number))
    if double_precision:
        content = whole(1, _DOUBLE) + float64s(6, [number])
    else:
        content = whole(1, _FLOAT) + message(5, float32(0, number)[1:])
    return _value(tag, message(8, content), _plugin("scalars"))


def _edges():
    """The edges of TensorBoard's own bins: close to each other at 0, and 10 % apart."""
    edges, edge = [], 1e-12
    while edge < 1e20:
        edges.append(edge)
        edge *= 1.1
    return [-edge for edge in edges[::-1]] + [0.0] + edges


def histogram(tag, values, bins="tensorflow", max_bins=None):
    """How many of the values are between each two edges."""
    import numpy as np

    values = _tensor(values, "add_histogram").double().flatten()
    if values.numel() == 0:
        raise ValueError("add_histogram: the tensor has no element")
    if isinstance(bins, str) and bins == "tensorflow":
        bins = _edges()
    elif isinstance(bins, Tensor):
        bins = bins.tolist()
    counts, limits = np.histogram(values.numpy(), bins=bins)
    counts, limits = [int(count) for count in counts.tolist()], [float(limit) for limit in limits.tolist()]
    if max_bins is not None and len(counts) > max_bins:
        each = len(counts) // max_bins
        last = limits[-1]
        counts = [sum(counts[start:start + each]) for start in range(0, len(counts), each)]
        limits = [*limits[:-1:each], last]
    filled = [at for at, count in enumerate(counts) if count > 0]
    if not filled:
        raise ValueError("add_histogram: no value is between the edges of `bins`")
    start, end = filled[0], filled[-1] + 1
    # Only right edges are written: an empty bin stands before the first.
    counts = counts[start - 1:end] if start > 0 else [0, *counts[:end]]
    limits = limits[start:end + 1]
    return histogram_raw(
        tag, values.min().item(), values.max().item(), values.numel(), values.sum().item(),
        values.dot(values).item(), limits, counts,
    )


def histogram_raw(tag, min, max, num, sum, sum_squares, bucket_limits, bucket_counts):
    """A histogram that was computed elsewhere."""
    numbers = [float64(at + 1, float(number)) for at, number in enumerate((min, max, num, sum, sum_squares))]
    limits = [float(limit) for limit in bucket_limits]
    counts = [float(count) for count in bucket_counts]
    if len(limits) != len(counts):
        raise ValueError(f"add_histogram_raw: {len(limits)} edges came with {len(counts)} counts; each bin has one right edge")
    return _value(tag, message(5, b"".join(numbers) + float64s(6, limits) + float64s(7, counts)))


def _grid(images):
    """Images [N, 3, H, W] beside and below each other."""
    n, channels, height, width = images.shape
    n_columns = n if n < _COLUMNS else _COLUMNS
    n_rows = -(-n // n_columns)
    room = torch.zeros(n_rows * n_columns, channels, height, width, dtype=images.dtype)
    room[:n] = images
    rows = room.reshape(n_rows, n_columns, channels, height, width)
    return rows.permute(2, 0, 3, 1, 4).reshape(channels, n_rows * height, n_columns * width)


def _channels_first(x, letters, call):
    """An image [C, H, W] with 3 or 4 channels."""
    said = f"{call}: dataformats={letters!r}"
    letters = letters.upper()
    if sorted(letters) not in (sorted("NCHW"), sorted("CHW"), sorted("HW")):
        raise AssertionError(f"{said} is no order of NCHW, CHW or HW")
    if x.dim() != len(letters):
        raise AssertionError(f"{said} has {len(letters)} dimensions, and the tensor is {list(x.shape)}")
    if x.numel() == 0:
        raise ValueError(f"{call}: the tensor {list(x.shape)} has no pixel")
    order = [letter for letter in "NCHW" if letter in letters]
    x = x.permute([letters.index(letter) for letter in order])
    if "C" not in letters:
        x = x.unsqueeze(0)
    channel = x.dim() - 3
    if x.shape[channel] == 1:
        x = torch.cat([x, x, x], channel)
    if x.shape[channel] not in ((3,) if x.dim() == 4 else (3, 4)):
        raise ValueError(f"{call}: an image has 1, 3 or 4 channels, and this one {x.shape[channel]}")
    return _grid(x) if x.dim() == 4 else x


def image(tag, x, dataformats, call):
    """An image as PNG: uint8, or numbers from 0 to 1."""
    x = _tensor(x, call)
    scale = 1 if x.dtype == torch.uint8 else 255
    x = _channels_first(x, dataformats, call).float()
    pixels = (x * scale).clamp(0, 255).to(torch.uint8).contiguous()
    channels, height, width = pixels.shape
    data = encode("png", [("", pixels)])
    return _value(tag, message(4, whole(1, height) + whole(2, width) + whole(3, channels) + message(4, data)))


def text(tag, content):
    """A text, in Markdown."""
    if not isinstance(content, str):
        raise TypeError(f"add_text: a text is expected, and {type(content).__name__} came")
    shape = message(2, message(2, whole(1, 1)))
    return _value(tag + "/text_summary", message(8, whole(1, _STRING) + shape + message(8, content.encode())), _plugin("text"))


# Hyperparameters

_FLOAT64, _TEXT = 3, 1


def _setting(value):
    """A hyperparameter as protobuf's `Value`, and its type."""
    if isinstance(value, str):
        return message(3, value.encode()), _TEXT
    if isinstance(value, (Tensor, bool, int, float)):
        return float64(2, _number(value, "add_hparams"), is_set=True), _FLOAT64
    raise ValueError(f"add_hparams: a hyperparameter is a number, a text or a tensor, and {type(value).__name__} came")


def hparams(settings, metrics, choices=None):
    """Three summaries: which hyperparameters and metrics there are, the run's own, and that it ended."""
    choices = choices or {}
    if not isinstance(choices, dict):
        raise TypeError("add_hparams: hparam_domain_discrete is to be a dictionary")
    for name, values in choices.items():
        if name not in settings or not isinstance(values, list) or not all(isinstance(v, type(settings[name])) for v in values):
            raise TypeError(f"add_hparams: hparam_domain_discrete[{name!r}] is to be a list of values like that of hparam_dict")
    infos, own = b"", b""
    for name, value in settings.items():
        if value is None:
            continue
        encoded, kind = _setting(value)
        own += message(1, words(1, name) + message(2, encoded))
        domain = b"".join(message(1, _setting(choice)[0]) for choice in choices.get(name, ()))
        infos += message(4, words(1, name) + whole(4, kind) + (message(5, domain) if name in choices else b""))
    for name in metrics:
        infos += message(5, message(1, words(2, name)))
    contents = (("experiment", 2, infos), ("session_start_info", 3, own), ("session_end_info", 4, whole(1, 1)))
    return [_value(f"_hparams_/{name}", _plugin("hparams", message(field, content))) for name, field, content in contents]
