import torch

q = torch.arange(12.0).reshape(2, 3, 2) / 10
k = torch.arange(16.0).reshape(2, 4, 2).flip(1) / 10
v = torch.eye(4).expand(2, 4, 4).contiguous()
scores = torch.einsum("bqd,bkd->bqk", q, k) / 2**0.5
print(scores)
weights = scores.softmax(dim=-1)
print(torch.einsum("bqk,bkd->bqd", weights, v * 2).sum(-1).round())
print(torch.allclose(weights, torch.softmax(q @ k.mT / 2**0.5, -1)))

# One notation for what has many names.
a, b = torch.arange(6.0).reshape(2, 3), torch.arange(3.0)
print(torch.einsum("ij->ji", a), torch.einsum("ij->", a), torch.einsum("ij->j", a))
print(torch.einsum("ij,j->i", a, b), torch.einsum("i,j->ij", b, b), torch.einsum("i,i", b, b))
square = torch.arange(9.0).reshape(3, 3)
print(torch.einsum("ii", square), torch.einsum("ii->i", square), torch.einsum("...ij,...jk", a, square))
print(torch.einsum("i,j,k->ijk", b[1:], b[1:], b[1:]).sum(), torch.einsum("bij,bij->b", q, q))
print(torch.einsum("nhwc,hw->nc", torch.ones(1, 2, 2, 3), torch.tensor([[1.0, 2.0], [3.0, 4.0]])))
print(torch.tensordot(a, square, dims=1), torch.outer(b, b), torch.inner(b, b), torch.kron(b, torch.ones(2)))
print(torch.cross(torch.tensor([1.0, 0.0, 0.0]), torch.tensor([0.0, 1.0, 0.0]), dim=0), torch.trace(square))
print(torch.baddbmm(torch.ones(2, 3, 4), q, k.mT, beta=2, alpha=0.5)[0])
print(torch.bmm(q, k.mT).shape, torch.mv(square, b), torch.mm(a, square), torch.dot(b, b))

# A mask for the future, heads from one dimension, and gradients through it all.
torch.manual_seed(0)
x = torch.randn(1, 4, 6)
w = torch.randn(3, 6, 6).mul_(0.5).requires_grad_()
q, k, v = torch.einsum("btd,nde->nbte", x, w).unflatten(-1, (2, 3)).transpose(2, 3)
future = torch.ones(4, 4, dtype=torch.bool).triu(1)
weights = (q @ k.mT / 3**0.5).masked_fill(future, float("-inf")).softmax(-1)
print(weights)
out = torch.einsum("bhqk,bhkd->bqhd", weights, v).flatten(2)
print(out)
out.pow(2).mean().backward()
print(w.grad[0])
for equation in ["ij,jk", "ijk->i", "ij->ii"]:
    try:
        print(torch.einsum(equation, a, a))
    except Exception as error:
        print(equation, type(error).__name__)
