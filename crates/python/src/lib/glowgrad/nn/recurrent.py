"""Recurrent layers: one cell, applied step by step.

The products with the input are made for all steps at once; a step then takes one product with the
state before it, and elementwise ops in PyTorch's order.
"""

import math
from warnings import warn

import _glowgrad as _C
from glowgrad._place import _placed
from glowgrad.nn import _LATER
from glowgrad.nn import functional as F
from glowgrad.nn import init
from glowgrad.nn.conv import _empty
from glowgrad.nn.module import Module
from glowgrad.nn.utils.rnn import PackedSequence

__all__ = tuple(_LATER["recurrent"])


# One step: from what the input gives to the gates, the state and the weights to the new state.


def _elman(activation):
    def step(x, state, weight, bias, projection):
        return (activation(F.linear(state[0], weight, bias) + x),)

    return step


def _lstm(x, state, weight, bias, projection):
    h, c = state
    gates = (F.linear(h, weight, bias) + x).chunk(4, -1)
    i, f, o = gates[0].sigmoid(), gates[1].sigmoid(), gates[3].sigmoid()
    c = f * c + i * gates[2].tanh()
    h = o * c.tanh()
    return (h if projection is None else F.linear(h, projection)), c


def _gru(x, state, weight, bias, projection):
    (h,) = state
    x_reset, x_update, x_new = x.chunk(3, -1)
    h_reset, h_update, h_new = F.linear(h, weight, bias).chunk(3, -1)
    reset, update = (h_reset + x_reset).sigmoid(), (h_update + x_update).sigmoid()
    new = (x_new + h_new * reset).tanh()
    return ((h - new) * update + new,)


# For each mode: a step, and how many gates it has.
_STEPS = {
    "RNN_TANH": (_elman(_C.tanh), 1), "RNN_RELU": (_elman(_C.relu), 1),
    "LSTM": (_lstm, 4), "GRU": (_gru, 3),
}


def _through(step, inputs, sizes, state, weights, reverse):
    """One direction of a layer: outputs of all steps, and the last state.

    `sizes`, of packed sequences, says how many take part in each step: the first ones.
    """
    weight_ih, weight_hh, bias_ih, bias_hh, projection = weights
    inputs = F.linear(inputs, weight_ih, bias_ih)
    inputs = inputs.unbind(0) if sizes is None else inputs.split(sizes)
    order = range(len(inputs))
    whole, ended, outputs = state, [], []
    if sizes is not None:
        state = tuple([each[:sizes[-1] if reverse else sizes[0]] for each in whole])
    for t in reversed(order) if reverse else order:
        n = None if sizes is None else sizes[t]
        if n is not None and n < len(state[0]):
            ended.append([each[n:] for each in state])
            state = tuple([each[:n] for each in state])
        elif n is not None and n > len(state[0]):
            state = tuple([_C.cat([each, all[len(each):n]]) for each, all in zip(state, whole)])
        state = step(inputs[t], state, weight_hh, bias_hh, projection)
        outputs.append(state[0])
    if reverse:
        outputs.reverse()
    if ended:
        state = [_C.cat(parts) for parts in zip(state, *reversed(ended))]
    return _C.stack(outputs) if sizes is None else _C.cat(outputs), state


def _unprojected(make):
    """`make` of a layer that has no proj_size."""

    def made(*args, **kwargs):
        if "proj_size" in kwargs:
            raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")
        return make(*args, **kwargs)

    made.__name__, made.__doc__ = make.__name__, make.__doc__
    return made


class RNNBase(Module):
    """What recurrent layers have in common: sizes, weights and the way through the steps.

    >>> isinstance(nn.GRU(3, 4), nn.RNNBase)
    """

    @_placed
    def __init__(self, mode, input_size, hidden_size, num_layers=1, bias=True, batch_first=False,
                 dropout=0.0, bidirectional=False, proj_size=0, dtype=None):
        super().__init__()
        is_number = isinstance(dropout, (int, float)) and not isinstance(dropout, bool)
        if not is_number or not 0 <= dropout <= 1:
            raise ValueError(
                "dropout should be a number in range [0, 1] representing the probability of an "
                "element being zeroed"
            )
        if dropout > 0 and num_layers == 1:
            warn(
                "dropout option adds dropout after all but last recurrent layer, so non-zero "
                f"dropout expects num_layers greater than 1, but got dropout={dropout} and "
                f"num_layers={num_layers}"
            )
        for name, value, kind in (
            ("bias", bias, bool), ("batch_first", batch_first, bool),
            ("input_size", input_size, int), ("hidden_size", hidden_size, int),
            ("num_layers", num_layers, int),
        ):
            if not isinstance(value, kind):
                raise TypeError(
                    f"{name} should be of type {kind.__name__}, got: {type(value).__name__}"
                )
            if kind is int and value <= 0:
                raise ValueError(f"{name} must be greater than zero")
        if proj_size < 0:
            raise ValueError(
                "proj_size should be a positive integer or zero to disable projections"
            )
        if proj_size >= hidden_size:
            raise ValueError("proj_size has to be smaller than hidden_size")
        if mode not in _STEPS:
            raise ValueError(f"Unrecognized RNN mode: {mode}")
        self.mode, self.input_size, self.hidden_size = mode, input_size, hidden_size
        self.num_layers, self.bias, self.batch_first = num_layers, bias, batch_first
        self.dropout, self.bidirectional = float(dropout), bidirectional
        self.proj_size = proj_size
        rows, self._all_weights = _STEPS[mode][1] * hidden_size, []
        state, suffixes = proj_size or hidden_size, ("", "_reverse") if bidirectional else ("",)
        for layer in range(num_layers):
            for suffix in suffixes:
                shapes = {
                    "weight_ih": (rows, len(suffixes) * state if layer else input_size),
                    "weight_hh": (rows, state),
                }
                if bias:
                    shapes.update(bias_ih=(rows,), bias_hh=(rows,))
                if proj_size:
                    shapes["weight_hr"] = (proj_size, hidden_size)
                self._all_weights.append([f"{name}_l{layer}{suffix}" for name in shapes])
                for name, shape in zip(self._all_weights[-1], shapes.values()):
                    setattr(self, name, _empty(*shape, dtype=dtype))
        self.reset_parameters()

    def reset_parameters(self):
        """Draws all weights anew.

        >>> nn.GRU(3, 4).reset_parameters()
        """
        bound = 1.0 / math.sqrt(self.hidden_size)
        for weight in self.parameters():
            init.uniform_(weight, -bound, bound)

    def flatten_parameters(self):
        """Nothing: the weights need no other place in memory.

        >>> nn.GRU(3, 4).flatten_parameters()
        """

    @property
    def all_weights(self):
        """The weights of each layer and direction, as lists.

        >>> [[w.shape for w in weights] for weights in nn.GRU(3, 4).all_weights]
        """
        return [[getattr(self, name) for name in names] for names in self._all_weights]

    @property
    def _flat_weights_names(self):
        return [name for names in self._all_weights for name in names]

    @property
    def _flat_weights(self):
        return [getattr(self, name) for name in self._flat_weights_names]

    def _weights(self, index):
        """Both weights, both biases and the projection of a layer's direction."""
        given = {name.split("_l")[0]: name for name in self._all_weights[index]}
        names = ("weight_ih", "weight_hh", "bias_ih", "bias_hh", "weight_hr")
        return [getattr(self, given[name]) if name in given else None for name in names]

    def _check(self, input, states, batch, n_dims):
        dtype = self._flat_weights[0].dtype
        if input.dtype != dtype:
            raise ValueError(
                f"RNN input dtype ({input.dtype}) does not match weight dtype ({dtype}). "
                f"Convert input: input.to({dtype}), or convert model: model.to({input.dtype})"
            )
        if input.dim() != n_dims:
            raise RuntimeError(f"input must have {n_dims} dimensions, got {input.dim()}")
        if input.shape[-1] != self.input_size:
            raise RuntimeError(
                "input.size(-1) must be equal to input_size. Expected "
                f"{self.input_size}, got {input.shape[-1]}"
            )
        for i, (state, size) in enumerate(zip(states, self._sizes())):
            expected = (len(self._all_weights), batch, size)
            if tuple(state.shape) != expected:
                which = f"hidden[{i}]" if self.mode == "LSTM" else "hidden"
                raise RuntimeError(f"Expected {which} size {expected}, got {list(state.shape)}")

    def _sizes(self):
        """How large each of the states is."""
        sizes = (self.proj_size or self.hidden_size, self.hidden_size)
        return sizes if self.mode == "LSTM" else sizes[1:]

    def _states(self, hx):
        """The states that a call was given."""
        return [hx[0], hx[1]] if self.mode == "LSTM" else [hx]

    def _check_dims(self, states, is_batched):
        kind, n_dims = ("batched 3-D", 3) if is_batched else ("unbatched 2-D", 2)
        if all([state.dim() == n_dims for state in states]):
            return
        names, got = "hx", f"{states[0].dim()}-D tensor"
        if self.mode == "LSTM":
            names, got = "hx and cx", f"({states[0].dim()}-D, {states[1].dim()}-D) tensors"
        raise RuntimeError(
            f"For {kind} input, {names} should also be {n_dims}-D but got {got}"
        )

    def forward(self, input, hx=None):
        """The outputs of the last layer for every step, and the states after the last step.

        >>> y, h = nn.GRU(3, 4)(torch.randn(5, 2, 3))
        >>> y.shape, h.shape
        """
        states = None if hx is None else self._states(hx)
        if isinstance(input, PackedSequence):
            return self._packed(input, states)
        if input.dim() not in (2, 3):
            kind, tensor = self.mode, ""
            if kind.startswith("RNN"):
                kind, tensor = "RNN", " tensor"
            raise ValueError(
                f"{kind}: Expected input to be 2D or 3D, got {input.dim()}D{tensor} instead"
            )
        is_batched, batch_dim = input.dim() == 3, 0 if self.batch_first else 1
        if states is not None:
            self._check_dims(states, is_batched)
        if not is_batched:
            input = input.unsqueeze(batch_dim)
            states = states and [state.unsqueeze(1) for state in states]
        output, states = self._run(input, None, states, input.shape[batch_dim])
        if not is_batched:
            output, states = output.squeeze(batch_dim), [state.squeeze(1) for state in states]
        return output, self._given(states)

    def _packed(self, input, states):
        data, batch_sizes, order, back = input
        sizes = batch_sizes.tolist()
        if states is not None and order is not None:
            states = [state.index_select(1, order) for state in states]
        output, states = self._run(data, sizes, states, sizes[0])
        if back is not None:
            states = [state.index_select(1, back) for state in states]
        return PackedSequence(output, batch_sizes, order, back), self._given(states)

    def _given(self, states):
        return tuple(states) if self.mode == "LSTM" else states[0]

    def _run(self, input, sizes, states, batch):
        """All layers: the outputs of the last one, and the stacked states."""
        if states is None:
            n = len(self._all_weights)
            states = [input.new_zeros(n, batch, size) for size in self._sizes()]
        self._check(input, states, batch, 3 if sizes is None else 2)
        x = input.transpose(0, 1) if self.batch_first and sizes is None else input
        if sizes is None and len(x) == 0:
            raise RuntimeError("Expected sequence length to be larger than 0 in RNN")
        before, after = list(zip(*[state.unbind(0) for state in states])), []
        n_directions = 2 if self.bidirectional else 1
        for layer in range(self.num_layers):
            outputs = []
            for reverse in range(n_directions):
                i = n_directions * layer + reverse
                y, state = _through(
                    _STEPS[self.mode][0], x, sizes, before[i], self._weights(i), bool(reverse)
                )
                outputs.append(y)
                after.append(state)
            x = outputs[0] if n_directions == 1 else _C.cat(outputs, -1)
            if self.training and self.dropout and layer < self.num_layers - 1:
                x = F.dropout(x, self.dropout)
        if self.batch_first and sizes is None:
            x = x.transpose(0, 1)
        return x, [_C.stack(each) for each in zip(*after)]

    def extra_repr(self):
        text = f"{self.input_size}, {self.hidden_size}"
        for name, default in (
            ("proj_size", 0), ("num_layers", 1), ("bias", True), ("batch_first", False),
            ("dropout", 0), ("bidirectional", False),
        ):
            if getattr(self, name) != default:
                text += f", {name}={getattr(self, name)}"
        return text


class RNN(RNNBase):
    """The simplest recurrent layer: hₜ = tanh(W xₜ + b + U hₜ₋₁ + c), or relu for tanh.

    >>> y, h = nn.RNN(3, 4, batch_first=True)(torch.randn(2, 5, 3))
    >>> y.shape, h.shape
    """

    @_unprojected
    @_placed
    def __init__(self, input_size, hidden_size, num_layers=1, nonlinearity="tanh", bias=True,
                 batch_first=False, dropout=0.0, bidirectional=False, dtype=None):
        if nonlinearity not in ("tanh", "relu"):
            raise ValueError(
                f"Unknown nonlinearity '{nonlinearity}'. Select from 'tanh' or 'relu'."
            )
        super().__init__("RNN_" + nonlinearity.upper(), input_size, hidden_size, num_layers, bias,
                         batch_first, dropout, bidirectional, dtype=dtype)
        self.nonlinearity = nonlinearity


class LSTM(RNNBase):
    """A recurrent layer with a cell state, and gates for what it takes up, keeps and shows.

    >>> y, (h, c) = nn.LSTM(3, 4, num_layers=2, batch_first=True)(torch.randn(2, 5, 3))
    >>> y.shape, h.shape, c.shape
    """

    @_placed
    def __init__(self, input_size, hidden_size, num_layers=1, bias=True, batch_first=False,
                 dropout=0.0, bidirectional=False, proj_size=0, dtype=None):
        super().__init__("LSTM", input_size, hidden_size, num_layers, bias, batch_first, dropout,
                         bidirectional, proj_size, dtype=dtype)


class GRU(RNNBase):
    """A recurrent layer with two gates: what to forget, and how much of the state to renew.

    >>> y, h = nn.GRU(3, 4, bidirectional=True)(torch.randn(5, 2, 3))
    >>> y.shape, h.shape
    """

    @_unprojected
    @_placed
    def __init__(self, input_size, hidden_size, num_layers=1, bias=True, batch_first=False,
                 dropout=0.0, bidirectional=False, dtype=None):
        super().__init__("GRU", input_size, hidden_size, num_layers, bias, batch_first, dropout,
                         bidirectional, dtype=dtype)


class RNNCellBase(Module):
    """What the cells have in common: one step of a recurrent layer, for loops of your own.

    >>> isinstance(nn.GRUCell(3, 4), nn.RNNCellBase)
    """

    _mode = None

    @_placed
    def __init__(self, input_size, hidden_size, bias, num_chunks, dtype=None):
        super().__init__()
        self.input_size, self.hidden_size, self.bias = input_size, hidden_size, bias
        rows = num_chunks * hidden_size
        self.weight_ih = _empty(rows, input_size, dtype=dtype)
        self.weight_hh = _empty(rows, hidden_size, dtype=dtype)
        for name in ("bias_ih", "bias_hh"):
            self.register_parameter(name, _empty(rows, dtype=dtype) if bias else None)
        self.reset_parameters()

    def reset_parameters(self):
        """Draws all weights anew.

        >>> nn.GRUCell(3, 4).reset_parameters()
        """
        bound = 1.0 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for weight in self.parameters():
            init.uniform_(weight, -bound, bound)

    def _step(self, mode, input, hx):
        """The states after a step, each in the dimensions of the input."""
        name = type(self).__name__
        if input.dim() not in (1, 2):
            raise ValueError(f"{name}: Expected input to be 1D or 2D, got {input.dim()}D instead")
        for i, state in enumerate(hx or ()):
            if state.dim() not in (1, 2):
                which = f"hx[{i}]" if mode == "LSTM" else "hidden"
                raise ValueError(
                    f"{name}: Expected {which} to be 1D or 2D, got {state.dim()}D instead"
                )
        is_batched = input.dim() == 2
        x = input if is_batched else input.unsqueeze(0)
        if hx is None:
            hx = [x.new_zeros(len(x), self.hidden_size)] * (2 if mode == "LSTM" else 1)
        elif not is_batched:
            hx = [state.unsqueeze(0) for state in hx]
        if x.shape[1] != self.input_size:
            raise RuntimeError(
                f"input has inconsistent input_size: got {x.shape[1]} expected {self.input_size}"
            )
        for i, state in enumerate(hx):
            if state.dim() != 2 or len(state) != len(x):
                raise RuntimeError(
                    f"Input batch size {len(x)} doesn't match hidden{i} batch size {len(state)}"
                )
            if state.shape[1] != self.hidden_size:
                raise RuntimeError(
                    f"hidden{i} has inconsistent hidden_size: got {state.shape[1]}, expected "
                    f"{self.hidden_size}"
                )
        x = F.linear(x, self.weight_ih, self.bias_ih)
        states = _STEPS[mode][0](x, tuple(hx), self.weight_hh, self.bias_hh, None)
        return states if is_batched else tuple([state.squeeze(0) for state in states])

    def extra_repr(self):
        text = f"{self.input_size}, {self.hidden_size}"
        if self.bias is not True:
            text += f", bias={self.bias}"
        if getattr(self, "nonlinearity", "tanh") != "tanh":
            text += f", nonlinearity={self.nonlinearity}"
        return text


class RNNCell(RNNCellBase):
    """One step of the simplest recurrent layer: h' = tanh(W x + b + U h + c), or relu for tanh.

    >>> nn.RNNCell(3, 4)(torch.randn(2, 3), torch.zeros(2, 4)).shape
    """

    @_placed
    def __init__(self, input_size, hidden_size, bias=True, nonlinearity="tanh", dtype=None):
        super().__init__(input_size, hidden_size, bias, 1, dtype=dtype)
        self.nonlinearity = nonlinearity

    def forward(self, input, hx=None):
        if self.nonlinearity not in ("tanh", "relu"):
            raise RuntimeError(f"Unknown nonlinearity: {self.nonlinearity}")
        mode = "RNN_" + self.nonlinearity.upper()
        return self._step(mode, input, None if hx is None else [hx])[0]


class LSTMCell(RNNCellBase):
    """One step of an LSTM: the new hidden state and the new cell state.

    >>> h, c = nn.LSTMCell(3, 4)(torch.randn(2, 3))
    >>> h.shape, c.shape
    """

    @_placed
    def __init__(self, input_size, hidden_size, bias=True, dtype=None):
        super().__init__(input_size, hidden_size, bias, 4, dtype=dtype)

    def forward(self, input, hx=None):
        return self._step("LSTM", input, None if hx is None else list(hx))


class GRUCell(RNNCellBase):
    """One step of a GRU.

    >>> nn.GRUCell(3, 4)(torch.randn(2, 3), torch.zeros(2, 4)).shape
    """

    @_placed
    def __init__(self, input_size, hidden_size, bias=True, dtype=None):
        super().__init__(input_size, hidden_size, bias, 3, dtype=dtype)

    def forward(self, input, hx=None):
        return self._step("GRU", input, None if hx is None else [hx])[0]
