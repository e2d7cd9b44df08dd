# Functions of torch that do what layers do: drops, activations, cells and recurrent layers with their weights.
import torch
import torch.nn.functional as F

torch.manual_seed(0)


def rounded(x):
    return [round(v, 4) for v in x.flatten().tolist()]


x = torch.randn(2, 3, 4)
for name in ("alpha_dropout", "dropout", "feature_alpha_dropout", "feature_dropout"):
    print(name, rounded(getattr(torch, name)(x, 0.5, True)), torch.equal(getattr(torch, name)(x, 0.5, False), x))
    y = x.clone()
    z = getattr(torch, name + "_")(y, 0.5, True)
    print(name + "_", z is y, rounded(y))
for name, args in (("celu_", (2.0,)), ("selu_", ()), ("threshold_", (0.1, 5.0)), ("rrelu_", (0.1, 0.3, False)),
                   ("relu_", ()), ("rrelu_", (0.1, 0.3, True))):
    y = x[0].clone()
    z = getattr(torch, name)(y, *args)
    print(name, z is y, rounded(y))
for name, args in (("celu", ()), ("selu", ()), ("threshold", (0.1, 5.0)), ("rrelu", ()), ("prelu", (torch.tensor([0.2]),)),
                   ("hardshrink", (0.3,))):
    print(name, rounded(getattr(torch, name)(x[0], *args)))

print(rounded(torch.bilinear(torch.randn(2, 3), torch.randn(2, 4), torch.randn(2, 3, 4), torch.randn(2))))
print(torch.channel_shuffle(torch.arange(8.0).reshape(1, 4, 1, 2), 2).flatten())
print(rounded(torch.conv_tbc(torch.randn(4, 1, 2), torch.randn(3, 2, 2), torch.randn(2), 1)))
print(rounded(torch.conv_transpose3d(torch.randn(1, 2, 2, 1, 1), torch.randn(2, 1, 2, 1, 2))))
p = torch.randn(5, 2, 3).log_softmax(-1)
for reduction in (0, 1, 2):
    print(rounded(torch.ctc_loss(
        p, torch.tensor([[1, 2], [2, 1]]), torch.tensor([5, 4]), torch.tensor([2, 1]), 0, reduction, False
    )))
image, grid = torch.randn(1, 1, 3, 3), torch.rand(1, 2, 2, 2) * 3 - 1.5
for mode in (0, 1):
    for padding in (0, 1, 2):
        print(rounded(torch.grid_sampler(image, grid, mode, padding, False)))
print(rounded(torch.grid_sampler_2d(image, grid, 2, 0, True)))
print(rounded(torch.affine_grid_generator(torch.tensor([[[1.0, 0.5, 0.0], [0.0, 1.0, 0.2]]]), [1, 1, 2, 2], False)))
weight = torch.randn(4, 3) * 3
again = torch.embedding_renorm_(weight, torch.tensor([0, 2, 2]), 1.0, 2.0)
print(again is weight, rounded(weight))

# Cells
cell_x, h, c = torch.randn(2, 3), torch.randn(2, 4), torch.randn(2, 4)


def weights(gates, of=3):
    return [torch.randn(gates * 4, of) * 0.3, torch.randn(gates * 4, 4) * 0.3, torch.randn(gates * 4) * 0.3,
            torch.randn(gates * 4) * 0.3]


print(rounded(torch.gru_cell(cell_x, h, *weights(3))))
print(rounded(torch.rnn_tanh_cell(cell_x, h, *weights(1))))
print(rounded(torch.rnn_relu_cell(cell_x, h, *weights(1)[:2])))
print([rounded(each) for each in torch.lstm_cell(cell_x, (h, c), *weights(4))])

# Layers: two of them, both directions, batch first; then a packed batch
row = torch.randn(5, 2, 3)
for name, gates in (("lstm", 4), ("gru", 3), ("rnn_tanh", 1), ("rnn_relu", 1)):
    own = [w.requires_grad_() for of in (3, 3, 8, 8) for w in weights(gates, of)]
    h0 = torch.randn(4, 2, 4)
    start = (h0, torch.randn(4, 2, 4)) if name == "lstm" else h0
    results = getattr(torch, name)(row, start, own, True, 2, 0.0, False, True, False)
    print(name, [tuple(each.shape) for each in results], [round(each.sum().item(), 3) for each in results])
    results[0].pow(2).sum().backward()
    print([round(w.grad.abs().sum().item(), 2) for w in own])
    first = getattr(torch, name)(row.transpose(0, 1), start, own, True, 2, 0.0, False, True, True)[0]
    print(torch.allclose(first.transpose(0, 1), results[0]))
    plain = getattr(torch, name)(
        row, (h0[:1], h0[1:2]) if name == "lstm" else h0[:1], own[:2], False, 1, 0.0, False, False, False
    )
    print([rounded(each[-1, 0]) for each in plain])
    packed = torch.nn.utils.rnn.pack_padded_sequence(row, [5, 3])
    results = getattr(torch, name)(packed.data, packed.batch_sizes, start, own, True, 2, 0.0, False, True)
    print([tuple(each.shape) for each in results], [round(each.sum().item(), 3) for each in results])
