import torch
import torch.nn as nn


def rounded(x, digits=4):
    return [round(v, digits) + 0.0 for v in x.detach().flatten().tolist()]


def shown(y, state):
    states = state if isinstance(state, tuple) else (state,)
    print(tuple(y.shape), rounded(y))
    for each in states:
        print("  ", tuple(each.shape), rounded(each))


kinds = {"RNN": nn.RNN, "LSTM": nn.LSTM, "GRU": nn.GRU}

# Initial states: of batches, of one sequence, with gradients.
for name, kind in kinds.items():
    for bidirectional in (False, True):
        for batch_first in (False, True):
            torch.manual_seed(1)
            layer = kind(2, 3, 2, batch_first=batch_first, bidirectional=bidirectional)
            n = 4 if bidirectional else 2
            x, one = torch.randn(3, 3, 2), torch.randn(3, 2)
            h, c = torch.randn(n, 3, 3, requires_grad=True), torch.randn(n, 3, 3, requires_grad=True)
            state = (h, c) if name == "LSTM" else h
            print(name, bidirectional, batch_first)
            y, after = layer(x, state)
            shown(y, after)
            y.sum().backward()
            print("  ", rounded(h.grad), c.grad is None or rounded(c.grad))
            state = (h[:, 0], c[:, 0]) if name == "LSTM" else h[:, 0]
            shown(*layer(one, state))
            shown(*layer(one))

# A sequence in two halves is the whole sequence.
for name, kind in kinds.items():
    torch.manual_seed(2)
    layer = kind(2, 3, num_layers=2)
    x = torch.randn(6, 2, 2)
    whole, last = layer(x)
    first, state = layer(x[:3])
    second, state = layer(x[3:], state)
    print(name, torch.allclose(torch.cat([first, second]), whole, atol=1e-6))

# A projection has a state of its own size.
torch.manual_seed(3)
layer = nn.LSTM(2, 4, 2, proj_size=3, bidirectional=True)
x = torch.randn(3, 2, 2)
h, c = torch.randn(4, 2, 3), torch.randn(4, 2, 4)
shown(*layer(x, (h, c)))
shown(*layer(x, [h, c]))
shown(*layer(x[:, 0], (h[:, 0], c[:, 0])))

# Dropout draws as PyTorch does, between layers alone, and only while training.
for name, kind in kinds.items():
    for bidirectional in (False, True):
        for batch_first in (False, True):
            torch.manual_seed(4)
            layer = kind(2, 3, 3, batch_first=batch_first, bidirectional=bidirectional, dropout=0.5)
            x = torch.randn(2, 4, 2)
            print(name, bidirectional, batch_first)
            y, _ = layer(x)
            print(rounded(y))
            print(rounded(layer(x[0])[0]))
            y, _ = layer.eval()(x)
            print(rounded(y))
            print(torch.equal(y, layer(x)[0]))
layer = nn.GRU(2, 3, 2, dropout=1.0)
print(torch.isfinite(layer(torch.randn(3, 1, 2))[0]).all())

# A dropout after a layer that has the batch first.
torch.manual_seed(5)
y, _ = nn.LSTM(2, 3, batch_first=True)(torch.randn(2, 4, 2))
print(rounded(nn.functional.dropout(y, 0.5)))

# Long sequences, large inputs, a batch of nothing.
torch.manual_seed(6)
for name, kind in kinds.items():
    layer = kind(1, 2)
    y, _ = layer(torch.full((60, 1, 1), 1e4))
    print(name, rounded(y[-1]), bool(torch.isfinite(y).all()))
    y, state = layer(torch.zeros(4, 0, 1))
    print(y.shape, (state[0] if name == "LSTM" else state).shape)
    y, _ = layer(torch.full((1, 1, 1), float("nan")))
    print(torch.isnan(y).all())

# Weights that are replaced or frozen.
layer = nn.GRU(2, 3)
layer.weight_hh_l0 = nn.Parameter(torch.zeros(9, 3))
layer.bias_hh_l0.requires_grad_(False)
y, _ = layer(torch.ones(2, 1, 2))
y.sum().backward()
print(layer.bias_hh_l0.grad, layer.weight_hh_l0.grad.shape, layer._flat_weights[1] is layer.weight_hh_l0)
with torch.no_grad():
    print(layer(torch.ones(2, 1, 2))[0].requires_grad)
