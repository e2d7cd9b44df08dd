import torch
import torch.nn as nn
import torch.nn.functional as F


def numbers(x):
    return [round(v, 4) + 0.0 for v in x.flatten().tolist()]


def slopes(f, *tensors):
    leaves = [x.clone().requires_grad_() for x in tensors]
    y = f(*leaves)
    weights = torch.linspace(-1, 2, y.numel()).reshape(y.shape)
    grads = torch.autograd.grad((y ** 2 * weights).sum(), leaves)
    print(" ", list(y.shape), numbers(y), *map(numbers, grads))


torch.manual_seed(0)
table = torch.randn(6, 2)
words, starts = torch.tensor([1, 4, 4, 0, 5, 2, 1]), torch.tensor([0, 3, 3, 5])
rows = torch.tensor([[1, 4], [0, 0], [5, 2]])
factors = torch.linspace(0.5, 2, 7)
for mode in ("sum", "mean", "max"):
    print(mode)
    slopes(lambda w: F.embedding_bag(words, w, starts, mode=mode), table)
    slopes(lambda w: F.embedding_bag(rows, w, mode=mode), table)
    slopes(lambda w: F.embedding_bag(words, w, torch.tensor([0, 3, 7]), mode=mode, include_last_offset=True), table)
    slopes(lambda w: F.embedding_bag(words, w, starts, mode=mode, padding_idx=4), table)
    slopes(lambda w: F.embedding_bag(words.int(), w, starts.int(), mode=mode, padding_idx=-2), table)
slopes(lambda w, f: F.embedding_bag(words, w, starts, mode="sum", per_sample_weights=f), table, factors)
slopes(lambda w: F.embedding_bag(rows, w, mode="sum", per_sample_weights=torch.ones(3, 2) * 2), table)
slopes(lambda w: F.embedding_bag(words, w, starts, scale_grad_by_freq=True), table)
slopes(lambda w: F.embedding_bag(words, w, starts), table.double())
short = table.clone()
print(numbers(F.embedding_bag(words, short, starts, max_norm=1.0)), numbers(short))
short = table.clone()
print(numbers(F.embedding_bag(words, short, starts, max_norm=1.0, norm_type=1.0, mode="sum")), numbers(short))
print(F.embedding_bag(torch.tensor([], dtype=torch.int64), table, torch.tensor([0, 0])), F.embedding_bag(rows[:0], table).shape)

for layer in (
    nn.EmbeddingBag(6, 2), nn.EmbeddingBag(6, 2, mode="sum", padding_idx=0), nn.EmbeddingBag(6, 2, 1.0, 1.0, True, "mean"),
    nn.EmbeddingBag(6, 2, mode="max", include_last_offset=True, padding_idx=-1),
):
    offsets = torch.tensor([0, 3, 3, 7]) if layer.include_last_offset else starts
    print(layer, layer.padding_idx, list(layer.state_dict()), numbers(layer.weight))
    y = layer(words, offsets)
    y.sum().backward()
    print(" ", numbers(y), numbers(layer.weight.grad), numbers(layer(rows)))
bag = nn.EmbeddingBag.from_pretrained(table, mode="sum")
print(bag, bag.weight.requires_grad, numbers(bag(rows)), nn.EmbeddingBag.from_pretrained(table, freeze=False).weight.requires_grad)
print(nn.EmbeddingBag(2, 2, device="cpu", dtype=torch.float64).weight.dtype, nn.EmbeddingBag(6, 2, _weight=table)(rows).shape)

# Tables without bags.
for layer in (
    nn.Embedding(6, 2), nn.Embedding(6, 2, padding_idx=1), nn.Embedding(6, 2, -1, 1.0, 1.0, True), nn.Embedding(6, 2, max_norm=0.5),
):
    print(layer, layer.padding_idx, numbers(layer.weight))
    y = layer(rows)
    y.pow(2).sum().backward()
    print(" ", list(y.shape), numbers(y), numbers(layer.weight.grad), numbers(layer.weight))
table2 = nn.Embedding.from_pretrained(table, freeze=False, padding_idx=2)
print(table2, table2.weight.requires_grad, numbers(table2(torch.tensor(2))), nn.Embedding.from_pretrained(table).weight.requires_grad)
table2.reset_parameters()
print(numbers(table2.weight), nn.Embedding(2, 2, dtype=torch.float64, device="cpu").weight.dtype, numbers(F.embedding(words, table, scale_grad_by_freq=True)))

for wrong in (
    lambda: F.embedding_bag(rows, table, starts), lambda: F.embedding_bag(words, table), lambda: F.embedding_bag(words, table, starts, mode="median"),
    lambda: F.embedding_bag(words, table, starts, per_sample_weights=factors), lambda: F.embedding_bag(words, table, starts, mode="sum", per_sample_weights=factors[:2]),
    lambda: F.embedding_bag(words, table, starts[1:]), lambda: F.embedding_bag(words, table, torch.tensor([0, 9])),
    lambda: F.embedding_bag(rows[None], table), lambda: F.embedding_bag(words, table[0], starts), lambda: F.embedding_bag(words, table, starts[None]),
    lambda: F.embedding_bag(words, table, starts, mode="max", scale_grad_by_freq=True), lambda: nn.EmbeddingBag(3, 2, padding_idx=3),
    lambda: nn.Embedding(3, 2, padding_idx=-4), lambda: nn.Embedding(3, 2, _weight=table), lambda: nn.EmbeddingBag(3, 2, _weight=table),
    lambda: nn.Embedding.from_pretrained(table[0]), lambda: nn.Embedding(3, 2)(torch.tensor(3)), lambda: F.embedding(words, table, 9),
    lambda: nn.Embedding(3), lambda: nn.Embedding(3, 2, padding=1), lambda: nn.Embedding(3, 2)(torch.tensor(1.0)),
):
    try:
        print(wrong())
    except Exception as error:
        print(type(error).__name__)
