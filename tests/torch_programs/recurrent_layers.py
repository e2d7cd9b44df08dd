import torch
import torch.nn as nn


def rounded(x, digits=4):
    # Plus 0.0 makes −0.0 a 0.0.
    return [round(v, digits) + 0.0 for v in x.detach().flatten().tolist()]


layers = [
    lambda: nn.RNN(3, 4),
    lambda: nn.RNN(3, 4, nonlinearity="relu"),
    lambda: nn.RNN(3, 4, 2, "relu", True, True),
    lambda: nn.LSTM(3, 4),
    lambda: nn.GRU(3, 4),
    lambda: nn.RNN(3, 2, num_layers=3, bidirectional=True, batch_first=True),
    lambda: nn.LSTM(3, 2, num_layers=2, bidirectional=True, batch_first=True),
    lambda: nn.GRU(3, 2, num_layers=2, bidirectional=True, batch_first=True),
    lambda: nn.RNN(3, 2, bias=False),
    lambda: nn.LSTM(3, 2, 2, False),
    lambda: nn.GRU(3, 2, 2, bias=False, bidirectional=True),
    lambda: nn.LSTM(3, 4, proj_size=2),
    lambda: nn.LSTM(3, 4, num_layers=2, proj_size=2, bidirectional=True, bias=False),
    lambda: nn.LSTM(3, 4, 2, True, True, 0.5, True, 1),
    lambda: nn.GRU(3, 2, dtype=torch.float64),
]
for seed, make in enumerate(layers):
    torch.manual_seed(seed)
    layer = make().eval()
    print(layer)
    for name, parameter in layer.named_parameters():
        print("  ", name, tuple(parameter.shape), rounded(parameter)[:3], parameter.dtype)
    x = torch.randn(5, 2, 3, dtype=layer.weight_ih_l0.dtype, requires_grad=True)
    y, state = layer(x)
    states = state if isinstance(state, tuple) else (state,)
    print("y", tuple(y.shape), rounded(y))
    for each in states:
        print("state", tuple(each.shape), rounded(each))
    weights = torch.arange(y.numel(), dtype=y.dtype).reshape(y.shape).cos()
    loss = (y * weights).sum() + sum((each ** 2).sum() for each in states)
    loss.backward()
    print("loss", round(loss.item(), 3), rounded(x.grad, 3))
    for name, parameter in layer.named_parameters():
        print("  ", name, rounded(parameter.grad, 3))

torch.manual_seed(0)
layer = nn.GRU(2, 3, num_layers=2, bidirectional=True)
print(layer.mode, layer.input_size, layer.hidden_size, layer.num_layers, layer.bias, layer.batch_first)
print(layer.dropout, layer.bidirectional, layer.proj_size, nn.RNN(2, 3).nonlinearity, nn.LSTM(2, 3).mode)
print([[tuple(w.shape) for w in weights] for weights in layer.all_weights])
print(all(w is getattr(layer, n) for ws, ns in zip(layer.all_weights, layer._all_weights) for w, n in zip(ws, ns)))
print(layer._flat_weights_names[:6], len(layer._flat_weights))
print(layer.flatten_parameters())
print(list(layer.state_dict()) == [name for name, _ in layer.named_parameters()], len(layer.state_dict()))
other = nn.GRU(2, 3, num_layers=2, bidirectional=True)
print(other.load_state_dict(layer.state_dict()), torch.equal(other.weight_hh_l1_reverse, layer.weight_hh_l1_reverse))
torch.manual_seed(0)
other.reset_parameters()
print(torch.equal(other.weight_hh_l1, layer.weight_hh_l1), isinstance(layer, nn.RNNBase))
print(sum(p.numel() for p in layer.parameters()))
print(layer.double()(torch.ones(1, 1, 2, dtype=torch.float64))[0].dtype)
y, h = nn.GRU(3, 4)(torch.randn(2, 3, 3))
print(y, h)
y, h = nn.RNN(3, 2, batch_first=True)(torch.randn(2, 2, 3))
print(y.detach(), h)


class Tagger(nn.Module):
    def __init__(self, letters, hidden, tags):
        super().__init__()
        self.embedding = nn.Embedding(letters, 4)
        self.lstm = nn.LSTM(4, hidden, num_layers=2, batch_first=True, dropout=0.1)
        self.read = nn.Linear(hidden, tags)

    def forward(self, ids):
        y, (h, c) = self.lstm(self.embedding(ids))
        return self.read(y), h[-1], c[-1]


torch.manual_seed(4)
tagger = Tagger(10, 6, 3).eval()
print(tagger)
logits, h, c = tagger(torch.tensor([[1, 2, 3], [4, 5, 6]]))
print(logits.detach(), h.shape, rounded(c))
