"""Types of arguments: what a row says of each argument of a layer, a loss or an optimizer.

An argument of one name has one type everywhere (`TYPES`); a row names its exceptions. A type is a text of
alternatives: words of `WORDS`, or texts that the argument may be (`sizes|same|valid`). Invariant: a value that
`take` accepts is data alone; no word names a Python object that JSON could not hold. How modules in arguments are
described is left to `_model_json.py`.
"""

import math

import _glowgrad as _C
import glowgrad

# What each word of a type means, as errors and the reference say it.
WORDS = {
    "size": "a whole number from 0 to 2^40",
    "count": "a whole number from 1 to 1000",
    "int": "a whole number",
    "bool": "true or false",
    "number": "a number",
    "probability": "a number from 0 to 1",
    "sizes": "a whole number, or one for each spatial dimension",
    "shape": "a whole number or a list of at most 64",
    "pads": "a whole number, or two for each spatial dimension, the last dimension first",
    "factors": "a number, or one for each spatial dimension",
    "numbers": "a list of numbers",
    "tensor": "numbers in lists",
    "dtype": "the name of a dtype with a fraction, such as float32",
    "device": "nothing: a description names no device",
    "legacy": "nothing: an older spelling of another argument",
    "module": "a module",
    "modules": "modules",
    "parameters": "parameters",
    "params": "parameters, or groups of them",
    "options": "nothing: an object of PyTorch that changes no number here",
}

_BY_TYPE = {
    "size": (
        "in_features out_features in1_features in2_features in_channels out_channels num_features num_embeddings "
        "embedding_dim num_groups num_channels num_classes n_classes num_parameters groups input_size hidden_size "
        "proj_size num_chunks embed_dim num_heads num_kv_heads head_dim kdim vdim d_model nhead dim_feedforward "
        "max_len max_seq_len batch_size upscale_factor downscale_factor size blank divisor_override max_iter "
        "max_eval history_size ns_steps"
    ),
    "count": "num_layers num_encoder_layers num_decoder_layers",
    "int": "dim start_dim end_dim padding_idx ignore_index",
    "bool": (
        "bias inplace affine track_running_stats elementwise_affine batch_first bidirectional norm_first "
        "add_bias_kv add_zero_attn is_causal enable_nested_tensor mask_check ceil_mode return_indices "
        "count_include_pad scale_grad_by_freq sparse include_last_offset align_corners recompute_scale_factor "
        "head_bias keepdim swap full log_input log_target zero_infinity foreach fused maximize capturable "
        "differentiable amsgrad centered nesterov decoupled_weight_decay"
    ),
    "number": (
        "eps momentum alpha beta k lambd lower upper negative_slope min_val max_val threshold value init margin "
        "delta norm_type max_norm div_value layer_norm_eps base lr lr_decay weight_decay rho dampening d t0 "
        "initial_accumulator_value tolerance_grad tolerance_change momentum_decay beta2_decay"
    ),
    "probability": "p dropout label_smoothing",
    "sizes": "kernel_size stride dilation output_padding output_size",
    "shape": "normalized_shape unflattened_size cutoffs",
    "factors": "scale_factor output_ratio",
    "numbers": "betas etas step_sizes ns_coefficients",
    "tensor": "weight pos_weight",
    "dtype": "dtype",
    "device": "device",
    "legacy": "size_average reduce min_value max_value process_group device_ids output_device defaults",
    "module": "module norm custom_encoder custom_decoder encoder_layer decoder_layer pos_embeddings "
              "distance_function",
    "modules": "modules",
    "parameters": "parameters values",
    "params": "params",
    "options": "options",
    "sizes|same|valid": "padding",
    "none|mean|sum": "reduction",
    "zeros|reflect|replicate|circular": "padding_mode",
    "tanh|relu": "nonlinearity",
    "relu|gelu|module": "activation",
    "none|tanh": "approximate",
    "RNN_TANH|RNN_RELU|LSTM|GRU": "mode",
    "strong_wolfe": "line_search_fn",
    "original|match_rms_adamw|spectral_unclamped": "adjust_lr_fn",
}
# The type of each argument, by its name.
TYPES = {name: text for text, names in _BY_TYPE.items() for name in names.split()}

# Of a size, beyond which no tensor of this engine could be.
_LARGEST = 1 << 40
_MOST_IN_A_LIST = 1 << 16
_MOST_DIMENSIONS = 64
_NOT_FINITE = {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}
_REQUIRED = object()


class Argument:
    """An argument: its name, its type, its default, and what JSON may hold for it."""

    def __init__(self, name, text, default=_REQUIRED, is_keyword=False, dims=None):
        self.name, self.text, self.default = name, text, default
        self.is_required, self.is_keyword = default is _REQUIRED, is_keyword
        parts = text.rstrip("?").split("|")
        self.words = tuple(part for part in parts if part in WORDS)
        self.choices = tuple(part for part in parts if part not in WORDS)
        self.takes_none = text.endswith("?") or default is None
        self.dims = dims

    def __repr__(self):
        return f"{self.name}: {self.type()}"

    def type(self):
        """The type as the reference writes it: `sizes | "same" | "valid" | None`."""
        parts = [*self.words, *[repr(each).replace("'", '"') for each in self.choices]]
        return " | ".join([*parts, "None"] if self.takes_none else parts)

    def expected(self):
        """What it takes, in words."""
        parts = [WORDS[word] for word in self.words]
        if self.choices:
            parts.append("one of " + ", ".join(self.choices))
        return ", or ".join([*parts, "null"] if self.takes_none else parts)

    def as_dict(self):
        """The argument as data."""
        return {
            "name": self.name, "type": self.type(), "words": list(self.words), "choices": list(self.choices),
            "none": self.takes_none, "keyword": self.is_keyword, "required": self.is_required,
            "default": None if self.is_required else self.give(self.default),
        }

    def give(self, value):
        """A value as JSON holds it, modules apart; raises TypeError where it cannot."""
        if value is None or isinstance(value, str):
            return value
        if "bool" in self.words and isinstance(value, (bool, int)):
            return bool(value)
        if isinstance(value, _C.dtype):
            return str(value).split(".")[-1]
        if isinstance(value, _C.TensorBase) and "tensor" in self.words:
            if value.numel() > _MOST_IN_A_LIST:
                raise TypeError(f"{self.name} has {value.numel()} numbers, at most {_MOST_IN_A_LIST} are written")
            return _plain(value.tolist())
        if callable(value) and "relu" in self.choices and getattr(value, "__name__", None) in self.choices:
            return value.__name__
        if isinstance(value, (int, float, tuple, list)):
            return _plain(value)
        raise TypeError(f"{self.name} is a {type(value).__name__}, which no description holds")

    def take(self, value):
        """What JSON holds as the value to call the class with, modules apart; None where it has another type."""
        if value is None:
            return self.takes_none, None
        if isinstance(value, str) and value in self.choices:
            return True, value
        for word in self.words:
            is_right, taken = _TAKE.get(word, _never)(value, self)
            if is_right:
                return True, taken
        return False, None

    def expanded(self, value):
        """The value as shape rules read it: a list where each spatial dimension has its own."""
        dims = max(self.dims) if isinstance(self.dims, tuple) else self.dims
        n = {"sizes": dims, "factors": dims, "pads": 2 * (dims or 0)}
        n = next((n[word] for word in self.words if word in n), None)
        if isinstance(value, (tuple, list)):
            return list(value)
        if isinstance(value, str) or value is None:
            return value
        if "shape" in self.words:
            return [value]
        return [value] * n if n else value


def _plain(value):
    """Numbers, in lists, as JSON holds them: what is not finite is a text."""
    if isinstance(value, (tuple, list)):
        return [_plain(each) for each in value]
    if isinstance(value, float) and not math.isfinite(value):
        return "nan" if value != value else "inf" if value > 0 else "-inf"
    if value is not None and not isinstance(value, (int, float)):
        raise TypeError(f"a {type(value).__name__} among its numbers, which no description holds")
    return value


def _never(value, argument):
    return False, None


def _whole(least, most):
    def take(value, argument):
        return type(value) is int and least <= value <= most, value

    return take


def _number(value, argument=None):
    if isinstance(value, str):
        return value in _NOT_FINITE, _NOT_FINITE.get(value)
    return type(value) in (int, float) and abs(value) <= 1e308, value


def _listed(take_one, lengths, one_alone):
    """A list of what `take_one` takes; `lengths` says how many of an argument's dimensions."""

    def take(value, argument):
        if not isinstance(value, list):
            return take_one(value, argument) if one_alone else (False, None)
        wanted = lengths(argument.dims)
        if len(value) > _MOST_DIMENSIONS or wanted is not None and len(value) not in wanted:
            return False, None
        both = [take_one(each, argument) for each in value]
        return all([is_right for is_right, _ in both]), tuple([taken for _, taken in both])

    return take


def _size_or_none(value, argument):
    """A size; an adaptive pool's may also be null, that of the input."""
    if value is None and argument.name == "output_size":
        return True, None
    return type(value) is int and -_LARGEST <= value <= _LARGEST, value


def _probability(value, argument):
    is_right, taken = _number(value)
    return is_right and 0 <= taken <= 1, taken


def _number_or_none(value, argument):
    return (True, None) if value is None else _number(value)


def _tensor(value, argument):
    if not isinstance(value, list) or not _is_even(value, _lengths(value), [0]):
        return False, None
    return True, glowgrad.tensor(_floats(value), dtype=_C.float32)


def _lengths(value):
    lengths = []
    while isinstance(value, list) and len(lengths) < 8:
        lengths.append(len(value))
        value = value[0] if value else None
    return lengths


def _is_even(value, lengths, seen):
    """Whether all lists at one depth are as long, and numbers are where they end."""
    if not lengths:
        seen[0] += 1
        return seen[0] <= _MOST_IN_A_LIST and _number(value)[0]
    if not isinstance(value, list) or len(value) != lengths[0]:
        return False
    return all(_is_even(each, lengths[1:], seen) for each in value)


def _floats(value):
    return [_floats(each) for each in value] if isinstance(value, list) else float(_number(value)[1])


def _dtype(value, argument):
    names = ("float16", "bfloat16", "float32", "float64")
    return isinstance(value, str) and value in names, getattr(_C, value) if value in names else None


def _spatial(dims):
    return None if dims is None else (dims,) if isinstance(dims, int) else dims


_TAKE = {
    "size": _whole(0, _LARGEST), "count": _whole(1, 1000), "int": _whole(-_LARGEST, _LARGEST),
    "bool": lambda value, argument: (isinstance(value, bool), value),
    "number": _number, "probability": _probability,
    "sizes": _listed(_size_or_none, _spatial, True),
    "pads": _listed(_size_or_none, lambda dims: (2 * dims,), True),
    "shape": _listed(_whole(-1, _LARGEST), lambda dims: None, True),
    "factors": _listed(_number, _spatial, True),
    "numbers": _listed(_number_or_none, lambda dims: None, False),
    "tensor": _tensor, "dtype": _dtype,
}
