"""Functions of `torch` that do what layers do: drops, activations, recurrent cells and layers."""

import _glowgrad as _C
from glowgrad._compose import _takes
from glowgrad.nn import functional as F


# What `torch.nn.functional` has, with other arguments


def _dropping(name, of, writes):
    def function(input, p, train):
        result = getattr(F, of)(input.clone() if writes else input, p, train)
        return input.copy_(result) if writes else result

    function.__name__ = function.__qualname__ = name
    writing = ", and writes the result into the tensor" if writes else ""
    function.__doc__ = f"As `F.{of}`{writing}.\n\n>>> torch.{name}(torch.ones(1, 2, 3), 0.5, False)"
    return _takes("input")(function)


for _name, _of in (
    ("alpha_dropout", "alpha_dropout"), ("dropout", "dropout"),
    ("feature_alpha_dropout", "feature_alpha_dropout"), ("feature_dropout", "dropout1d"),
):
    globals()[_name] = _dropping(_name, _of, False)
    globals()[_name + "_"] = _dropping(_name + "_", _of, True)
del _name, _of


@_takes("input")
def celu_(input, alpha=1.0):
    """As `F.celu`, and writes the result into the tensor.

    >>> torch.celu_(torch.tensor([-1.0, 1.0]))
    """
    return input.copy_(F.celu(input.clone(), alpha))


@_takes("input")
def selu_(input):
    """As `F.selu`, and writes the result into the tensor.

    >>> torch.selu_(torch.tensor([-1.0, 1.0]))
    """
    return input.copy_(F.selu(input.clone()))


@_takes("input")
def threshold_(input, threshold, value):
    """As `F.threshold`, and writes the result into the tensor.

    >>> torch.threshold_(torch.tensor([-1.0, 1.0]), 0, 5)
    """
    return input.copy_(F.threshold(input.clone(), threshold, value))


@_takes("input")
def rrelu(input, lower=1.0 / 8, upper=1.0 / 3, training=False, generator=None):
    """As `F.rrelu`.

    >>> torch.rrelu(torch.tensor([-1.0, 1.0]))
    """
    if generator is not None:
        raise NotImplementedError("rrelu: it draws from the default generator; leave generator out")
    return F.rrelu(input, lower, upper, training)


@_takes("input")
def rrelu_(input, lower=1.0 / 8, upper=1.0 / 3, training=False, generator=None):
    """As `F.rrelu`, and writes the result into the tensor.

    >>> torch.rrelu_(torch.tensor([-1.0, 1.0]))
    """
    return input.copy_(rrelu(input.clone(), lower, upper, training, generator))


@_takes("input1", "input2", "weight")
def bilinear(input1, input2, weight, bias=None):
    """As `F.bilinear`.

    >>> torch.bilinear(torch.ones(1, 2), torch.ones(1, 3), torch.ones(4, 2, 3))
    """
    return F.bilinear(input1, input2, weight, bias)


@_takes("input")
def channel_shuffle(input, groups):
    """As `F.channel_shuffle`.

    >>> torch.channel_shuffle(torch.arange(4.0).reshape(1, 4, 1, 1), 2).flatten()
    """
    return F.channel_shuffle(input, groups)


@_takes("input", "weight", "bias")
def conv_tbc(input, weight, bias, pad=0):
    """As `F.conv_tbc`.

    >>> torch.conv_tbc(torch.ones(4, 1, 2), torch.ones(3, 2, 1), torch.zeros(1)).shape
    """
    return F.conv_tbc(input, weight, bias, pad)


@_takes("input", "weight")
def conv_transpose3d(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1,
                     dilation=1):
    """As `F.conv_transpose3d`.

    >>> torch.conv_transpose3d(torch.ones(1, 1, 2, 2, 2), torch.ones(1, 1, 2, 2, 2)).shape
    """
    return F.conv_transpose3d(
        input, weight, bias, stride, padding, output_padding, groups, dilation
    )


_REDUCTIONS = ("none", "mean", "sum")


def ctc_loss(log_probs, targets, input_lengths, target_lengths, blank=0, reduction=1,
             zero_infinity=False):
    """As `F.ctc_loss`, with a number for the reduction: 0 for none, 1 for mean, 2 for sum.

    >>> p = torch.zeros(4, 1, 3).log_softmax(-1)
    >>> torch.ctc_loss(p, torch.tensor([[1]]), torch.tensor([4]), torch.tensor([1]))
    """
    return F.ctc_loss(
        log_probs, targets, input_lengths, target_lengths, blank, _REDUCTIONS[reduction],
        zero_infinity,
    )


@_takes("input", "grid")
def grid_sampler(input, grid, interpolation_mode, padding_mode, align_corners):
    """As `F.grid_sample`, with numbers for the modes, in the order of its words.

    >>> torch.grid_sampler(torch.ones(1, 1, 2, 2), torch.zeros(1, 1, 1, 2), 0, 0, False)
    """
    modes = ("bilinear", "nearest", "bicubic"), ("zeros", "border", "reflection")
    return F.grid_sample(
        input, grid, modes[0][interpolation_mode], modes[1][padding_mode], align_corners
    )


grid_sampler_2d = grid_sampler_3d = grid_sampler


@_takes("theta")
def affine_grid_generator(theta, size, align_corners):
    """As `F.affine_grid`.

    >>> torch.affine_grid_generator(torch.eye(2, 3)[None], [1, 1, 2, 2], True).shape
    """
    return F.affine_grid(theta, list(size), align_corners)


@_takes("input", "indices")
def embedding_renorm_(input, indices, max_norm, norm_type):
    """Makes those rows that `indices` names shorter where their norm is larger than `max_norm`.

    >>> torch.embedding_renorm_(torch.tensor([[3.0, 4.0], [3.0, 4.0]]), torch.tensor([0]), 1.0, 2.0)
    """
    chosen = indices.reshape(-1).unique()
    rows = input[chosen]
    norms = _C.vector_norm(rows, float(norm_type), [1], True)
    input[chosen] = rows * _C.where(norms > max_norm, max_norm / (norms + 1e-7), 1.0)
    return input


# Recurrent layers and cells, with their weights as arguments


def _step(mode, input, states, w_ih, w_hh, b_ih, b_hh):
    from glowgrad.nn.recurrent import _STEPS

    return _STEPS[mode][0](F.linear(input, w_ih, b_ih), states, w_hh, b_hh, None)


def _cell(name, mode, gates):
    def function(input, hx, w_ih, w_hh, b_ih=None, b_hh=None):
        return _step(mode, input, (hx,), w_ih, w_hh, b_ih, b_hh)[0]

    function.__name__ = function.__qualname__ = name
    function.__doc__ = (
        f"One step of `nn.{name.split('_')[0].upper()}Cell`, with its weights.\n\n"
        ">>> x, h = torch.ones(1, 2), torch.zeros(1, 1)\n"
        f">>> torch.{name}(x, h, torch.ones({gates}, 2), torch.ones({gates}, 1))"
    )
    return _takes("input", "hx", "w_ih", "w_hh")(function)


gru_cell = _cell("gru_cell", "GRU", 3)
rnn_tanh_cell = _cell("rnn_tanh_cell", "RNN_TANH", 1)
rnn_relu_cell = _cell("rnn_relu_cell", "RNN_RELU", 1)


@_takes("input")
def lstm_cell(input, hx, w_ih, w_hh, b_ih=None, b_hh=None):
    """One step of `nn.LSTMCell`, with its weights.

    >>> x, h = torch.ones(1, 2), (torch.zeros(1, 1), torch.zeros(1, 1))
    >>> torch.lstm_cell(x, h, torch.ones(4, 2), torch.ones(4, 1))
    """
    return tuple(_step("LSTM", input, tuple(hx), w_ih, w_hh, b_ih, b_hh))


def _layers(name, mode, gates):
    n_states = 2 if mode == "LSTM" else 1

    def function(input, *args):
        from glowgrad.nn.recurrent import _STEPS, _through

        packed = len(args) == 8 and not isinstance(args[2], bool)
        sizes = args[0].tolist() if packed else None
        hx, params, has_biases, num_layers, dropout, train, bidirectional, *rest = (
            args[1:] if packed else args
        )
        batch_first = bool(rest and rest[0]) and not packed
        states = tuple(hx) if n_states == 2 else (hx,)
        states = list(zip(*[state.unbind(0) for state in states]))
        n_weights = len(params) // len(states)
        x, after = input.transpose(0, 1) if batch_first else input, []
        for layer in range(num_layers):
            outputs = []
            for reverse in range(2 if bidirectional else 1):
                i = len(after)
                own = list(params[i * n_weights:(i + 1) * n_weights])
                weights = own[:2] + (own[2:4] if has_biases else [None, None])
                projection = own[4 if has_biases else 2:] or [None]
                y, state = _through(
                    _STEPS[mode][0], x, sizes, states[i], weights + projection, bool(reverse)
                )
                outputs.append(y)
                after.append(state)
            x = outputs[0] if len(outputs) == 1 else _C.cat(outputs, -1)
            if train and dropout and layer < num_layers - 1:
                x = F.dropout(x, dropout)
        return (x.transpose(0, 1) if batch_first else x, *[_C.stack(each) for each in zip(*after)])

    h = "torch.zeros(1, 1, 1)"
    function.__name__ = function.__qualname__ = name
    function.__doc__ = (
        f"The layers of `nn.{name.split('_')[0].upper()}`, with their states and weights.\n\n"
        f">>> weights = [torch.ones({gates}, 2), torch.ones({gates}, 1)]\n"
        f">>> h = {f'({h}, {h})' if n_states == 2 else h}\n"
        f">>> torch.{name}(torch.ones(3, 1, 2), h, weights, False, 1, 0.0, False, False, False)[0]"
    )
    return _takes("input")(function)


lstm = _layers("lstm", "LSTM", 4)
gru = _layers("gru", "GRU", 3)
rnn_tanh = _layers("rnn_tanh", "RNN_TANH", 1)
rnn_relu = _layers("rnn_relu", "RNN_RELU", 1)
