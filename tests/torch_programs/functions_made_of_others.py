import torch
import torch.nn as nn
import torch.nn.functional as F


def numbers(x, digits=4):
    return [round(v, digits) + 0.0 for v in x.flatten().tolist()]


def slopes(what, f, x):
    x = x.clone().requires_grad_()
    y = f(x)
    weights = torch.linspace(0.5, 2, y.numel()).reshape(y.shape)
    first, = torch.autograd.grad((y * weights).sum(), x, create_graph=True)
    second, = torch.autograd.grad((first ** 2).sum() + 0 * x.sum(), x)
    print(what, list(y.shape), numbers(y), numbers(first), numbers(second, 3))


# Draws of the Gumbel softmax.
torch.manual_seed(0)
logits = torch.randn(3, 4)
slopes("gumbel", lambda v: F.gumbel_softmax(v), logits)
slopes("colder", lambda v: F.gumbel_softmax(v, tau=0.5, dim=0), logits)
hard = F.gumbel_softmax(logits, hard=True)
print(numbers(hard), numbers(hard.sum(-1)))
leaf = logits.clone().requires_grad_()
y = F.gumbel_softmax(leaf, 2.0, True)
(y * torch.arange(12.0).reshape(3, 4)).sum().backward()
print(numbers(y), numbers(leaf.grad), numbers(torch.rand(2)), F.gumbel_softmax(logits.double()).dtype)

# Distances of all pairs.
points = torch.randn(4, 3)
print(numbers(F.pdist(points)))
for p in (1.0, 2.0, 3.0, 0.5, float("inf"), 0.0):
    leaf = points.clone().requires_grad_()
    y = F.pdist(leaf, p)
    (y * torch.arange(1.0, 7.0)).sum().backward()
    print(p, numbers(y), numbers(leaf.grad, 3))
leaf = torch.zeros(3, 2, requires_grad=True)
F.pdist(leaf).sum().backward()
print(numbers(leaf.grad), F.pdist(points[:1]).shape, F.pdist(points.double(), p=1).dtype)

slopes("shuffled", lambda v: F.channel_shuffle(v, 2), torch.arange(8.0).reshape(1, 4, 2))
slopes("neighbours", lambda v: F.local_response_norm(v, 3, alpha=0.1), torch.randn(1, 4, 2))
slopes("shrunk", F.tanhshrink, torch.linspace(-2, 2, 5))
slopes("time", lambda v: F.conv_tbc(v, torch.ones(2, 2, 1), torch.zeros(1)), torch.randn(3, 1, 2))

# Several products at once.
a, b = torch.randn(4, 2), torch.randn(2, 2, 3)
ends = torch.tensor([1, 4], dtype=torch.int32)
half = lambda x: x.to(torch.bfloat16)
print(F.grouped_mm(half(torch.ones(4, 8)), half(torch.ones(2, 8, 8)), offs=ends)[:, 0].tolist())
print(F.grouped_mm(half(torch.ones(8, 8)), half(torch.ones(8, 8)), offs=ends)[:, 0, 0].tolist())
print(F.grouped_mm(half(torch.ones(2, 4, 8)), half(torch.ones(2, 8, 8))).shape)
print(F.grouped_mm(half(torch.ones(2, 4, 8)), half(torch.ones(8, 8)), offs=torch.tensor([4, 8], dtype=torch.int32)).shape)

# Other arguments of functions that are ops.
x = torch.randn(2, 3)
print(numbers(F.normalize(x, 1.0, 0, 1e-3)), numbers(F.cosine_similarity(x, x + 1, dim=0, eps=1e-3)), numbers(F.pairwise_distance(x, x + 1, 1.0, keepdim=True)))
print(F.one_hot(torch.tensor([2, 0])), F.one_hot(torch.tensor([[1]]), num_classes=3), numbers(F.linear(x, torch.ones(2, 3), torch.ones(2))))
print(numbers(nn.CosineSimilarity(0)(x, x * 2)), nn.CosineSimilarity(dim=1, eps=1e-3), nn.PairwiseDistance(p=1.0, keepdim=True), numbers(nn.PairwiseDistance(1.0, 0.0, True)(x, x + 1)))
print(numbers(F.unfold(torch.arange(9.0).reshape(1, 1, 3, 3), 2, 1, 0, 1)), numbers(F.fold(torch.ones(1, 4, 4), (3, 3), (2, 2))))

# One device: the module itself.
parallel = nn.DataParallel(nn.Linear(2, 1))
print(parallel, list(parallel.state_dict()), parallel(torch.ones(3, 2)).shape, parallel.module.in_features, isinstance(parallel, nn.parallel.DataParallel))

for wrong in (
    lambda: F.pdist(torch.zeros(3)), lambda: F.pdist(torch.zeros(3, 3).long()), lambda: F.pdist(points, -1), lambda: F.channel_shuffle(points, 2),
    lambda: F.grouped_mm(half(torch.ones(4, 8)), half(torch.ones(2, 8, 8))), lambda: F.gumbel_softmax(logits, temperature=1), lambda: F.tanhshrink(1.0),
    lambda: F.gumbel_softmax([1.0]), lambda: F.local_response_norm(points, 2), lambda: F.no_such_function, lambda: nn.NoSuchLayer, lambda: nn.init.no_such_,
):
    try:
        print(wrong())
    except Exception as error:
        print(type(error).__name__)
