import torch
import torch.nn.functional as F


def attempt(name, action):
    try:
        print(name, action())
    except Exception as error:
        print(name, type(error).__name__)


# An empty list of dimensions squeezes nothing.
x = torch.ones(3, 1, 2, 1)
attempt("squeeze nothing", lambda: x.squeeze(()).shape)
attempt("squeeze nothing", lambda: torch.squeeze(x, dim=[]).shape)
attempt("squeeze all", lambda: x.squeeze().shape)

# A slice that two indices name holds the value once.
value = torch.tensor(2.0, requires_grad=True)
weights = torch.arange(6.0).reshape(3, 2)
for index in ([0, 0], [0, 1, 0], [2], []):
    filled = torch.ones(3, 2).index_fill(0, torch.tensor(index, dtype=torch.int64), value)
    print(index, torch.autograd.grad((filled * weights).sum(), value))

# An empty index names nothing, whatever its dtype and shape.
for dtype in (torch.int64, torch.int32, torch.int16, torch.uint8, torch.bool, torch.float32):
    for shape in ((0,), (0, 2), (4, 0), (0, 7, 5)):
        index = torch.zeros(shape, dtype=dtype)
        rows = torch.ones(3, 2, requires_grad=True)
        attempt("gather", lambda: torch.gather(rows, 1, index))
        attempt("scatter", lambda: torch.ones(3, 2).scatter(1, index, torch.ones(1)))
        attempt("scatter_add", lambda: torch.ones(3, 2).scatter_add(1, index, torch.ones(3, 2)))
    empty = torch.zeros(0, dtype=dtype)
    gathered = torch.gather(rows, 0, empty)
    print(torch.autograd.grad(gathered.sum(), rows))
attempt("gather of a dimension", lambda: torch.gather(torch.ones(3), 2, torch.zeros(0)))
attempt("gather by int16", lambda: torch.gather(torch.ones(3), 0, torch.zeros(1, dtype=torch.int16)))
attempt("select by int16", lambda: torch.ones(3).index_select(0, torch.zeros(0, dtype=torch.int16)))

# Vectors and numbers for cosine_similarity.
two, three = torch.tensor(2.0, requires_grad=True), torch.tensor(3.0)
attempt("cosine of numbers", lambda: F.cosine_similarity(two, three, dim=0))
attempt("cosine of numbers", lambda: F.cosine_similarity(two, -three, dim=-1))
attempt("cosine of numbers", lambda: F.cosine_similarity(two, three))
print(torch.autograd.grad(F.cosine_similarity(two, three, dim=0), two))
a = torch.tensor([1.0, 2.0, 2.0], requires_grad=True)
attempt("cosine of vectors", lambda: F.cosine_similarity(a, torch.ones(3), dim=0))
attempt("cosine of vectors", lambda: F.cosine_similarity(a, torch.ones(3)))
attempt("cosine beside a number", lambda: F.cosine_similarity(a, three, dim=0))

# Vectors and numbers for multi_margin_loss.
scores = torch.tensor([0.1, 0.2, 0.4, 0.8], requires_grad=True)
for target in (torch.tensor(3), torch.tensor([3]), torch.tensor([3, 3]), torch.tensor(4)):
    for reduction in ("mean", "sum", "none"):
        attempt("vector", lambda: F.multi_margin_loss(scores, target, reduction=reduction))
        attempt("row", lambda: F.multi_margin_loss(scores[None], target, reduction=reduction))
        attempt("number", lambda: F.multi_margin_loss(scores[0], target - 3, reduction=reduction))
attempt("no classes", lambda: F.multi_margin_loss(torch.ones(2, 0), torch.tensor([0, 0])))
attempt("too deep", lambda: F.multi_margin_loss(torch.ones(2, 3, 2), torch.tensor([0, 1])))
attempt("one target for two", lambda: F.multi_margin_loss(torch.ones(2, 3), torch.tensor(1)))
for target in (torch.tensor(3), torch.tensor([2])):
    loss = F.multi_margin_loss(scores, target, p=2, weight=torch.tensor([1.0, 2.0, 3.0, 4.0]))
    print(loss, torch.autograd.grad(loss, scores))
