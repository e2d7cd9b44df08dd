import torch
import torch.nn as nn
from torch.nn.utils.rnn import pack_padded_sequence, pack_sequence, pad_packed_sequence, pad_sequence


def rounded(x, digits=4):
    return [round(v, digits) + 0.0 for v in x.detach().flatten().tolist()]


kinds = {"RNN": nn.RNN, "LSTM": nn.LSTM, "GRU": nn.GRU}
for name, kind in kinds.items():
    for options in (
        dict(), dict(bidirectional=True), dict(num_layers=2, bidirectional=True, batch_first=True),
        dict(num_layers=3, dropout=0.5), dict(bias=False, num_layers=2),
    ):
        torch.manual_seed(0)
        layer = kind(2, 3, **options)
        x = torch.randn(4, 3, 2, requires_grad=True)
        for lengths, is_sorted in (([4, 3, 1], True), ([2, 4, 3], False), ([2, 2, 2], True), ([1, 4, 4], False)):
            print(name, options, lengths)
            packed = pack_padded_sequence(x, lengths, enforce_sorted=is_sorted)
            y, state = layer(packed)
            states = state if isinstance(state, tuple) else (state,)
            print(type(y).__name__, tuple(y.data.shape), y.batch_sizes.tolist(), y.sorted_indices)
            padded, n = pad_packed_sequence(y, batch_first=True)
            print(rounded(padded)[:24], n.tolist())
            for each in states:
                print("  ", tuple(each.shape), rounded(each)[-9:])
        layer.zero_grad()
        x.grad = None
        weights = torch.arange(y.data.numel(), dtype=torch.float32).reshape(y.data.shape).cos()
        ((y.data * weights).sum() + sum((each ** 2).sum() for each in states)).backward()
        print(rounded(x.grad, 3))
        for parameter in layer.parameters():
            print("    ", rounded(parameter.grad, 3)[:9])

# Packed, a sequence gives what it gives alone.
for name, kind in kinds.items():
    torch.manual_seed(1)
    layer = kind(2, 3, num_layers=2, bidirectional=True)
    sequences = [torch.randn(n, 2) for n in (2, 5, 3)]
    y, state = layer(pack_sequence(sequences, enforce_sorted=False))
    padded, lengths = pad_packed_sequence(y)
    for i, sequence in enumerate(sequences):
        alone, last = layer(sequence)
        print(torch.allclose(padded[:lengths[i], i], alone, atol=1e-6), padded[lengths[i]:, i].abs().sum().item())
        if name == "LSTM":
            print(all(torch.allclose(a[:, i], b, atol=1e-6) for a, b in zip(state, last)))
        else:
            print(torch.allclose(state[:, i], last, atol=1e-6))

# Initial states come and go in the order of the batch.
torch.manual_seed(2)
x = torch.randn(3, 3, 2)
packed = pack_padded_sequence(x, [1, 3, 2], enforce_sorted=False)
for name, kind in kinds.items():
    layer = kind(2, 3, bidirectional=True)
    h, c = torch.randn(2, 3, 3, requires_grad=True), torch.randn(2, 3, 3)
    y, state = layer(packed, (h, c) if name == "LSTM" else h)
    print(name, rounded(y.data), rounded(state[0] if name == "LSTM" else state))
    y.data.sum().backward()
    print(rounded(h.grad))
layer = nn.LSTM(2, 4, proj_size=2, num_layers=2, bidirectional=True)
y, (h, c) = layer(packed)
print(rounded(y.data), rounded(h), rounded(c))
y, h = nn.RNN(2, 3, nonlinearity="relu")(packed)
print(rounded(y.data), rounded(h))
double = nn.GRU(2, 3).double()
print(double(packed.double())[0].data.dtype)

# Without the gradient, in eval mode, of one sequence.
with torch.no_grad():
    y, h = nn.GRU(2, 3, 2, dropout=0.5).eval()(pack_sequence([torch.ones(3, 2)]))
    print(rounded(y.data), y.data.requires_grad)


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(20, 4, padding_idx=0)
        self.gru = nn.GRU(4, 5, bidirectional=True, batch_first=True)
        self.read = nn.Linear(10, 2)

    def forward(self, ids, lengths):
        packed = pack_padded_sequence(self.embedding(ids), lengths, batch_first=True, enforce_sorted=False)
        _, h = self.gru(packed)
        return self.read(torch.cat([h[0], h[1]], dim=-1))


torch.manual_seed(3)
model = Classifier()
words = [torch.randint(1, 20, (n,)) for n in (3, 6, 2, 4)]
ids, lengths = pad_sequence(words, batch_first=True), torch.tensor([len(each) for each in words])
target = torch.tensor([0, 1, 1, 0])
optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
for step in range(10):
    loss = nn.functional.cross_entropy(model(ids, lengths), target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(step, f"{loss.item():.4f}")
