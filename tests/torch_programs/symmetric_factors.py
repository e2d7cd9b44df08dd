# torch.linalg of symmetric matrices: L D Lᵀ with LAPACK's pivots, square roots, polar decompositions; and their gradients.
import torch

linalg = torch.linalg
torch.manual_seed(0)
F64 = torch.float64


def shown(x):
    return [round(v, 3) + 0.0 for v in x.detach().flatten().tolist()]


def raises(call):
    try:
        print(call())
    except Exception as error:
        print(type(error).__name__, error)


# L D Lᵀ: blocks of one and of two rows, and exchanges.
A = torch.tensor([[0.0, 1.0, 2.0], [1.0, 0.0, 3.0], [2.0, 3.0, 0.0]])
print(linalg.ldl_factor(A))
print(linalg.ldl_factor_ex(A))
print(linalg.ldl_factor(torch.tensor([[4.0, 99.0, 99.0], [1.0, 3.0, 99.0], [2.0, 1.0, 5.0]])).LD)
for n in (1, 2, 3, 5, 8, 20, 40):
    for _ in range(3):
        A = torch.randn(n, n, dtype=F64)
        A = A + A.mT
        LD, pivots, info = linalg.ldl_factor_ex(A)
        B = torch.randn(n, 2, dtype=F64)
        X = linalg.ldl_solve(LD, pivots, B)
        print(n, pivots.tolist(), info.item(), torch.allclose(A @ X, B), shown(LD[-1, -4:]), LD.triu(1).any().item())
A = torch.randn(2, 2, 3, 3)
A = A + A.mT
LD, pivots = linalg.ldl_factor(A, hermitian=True)
print(LD.shape, pivots, pivots.dtype)
B = torch.ones(3, 1)
print(shown(linalg.ldl_solve(LD, pivots, B)), linalg.ldl_solve(LD, pivots, torch.randn(2, 2, 3, 4)).shape)
print(torch.allclose(A @ linalg.ldl_solve(LD, pivots.long(), B), B.expand(2, 2, 3, 1), atol=1e-4))

# Where D is zero.
nan = float("nan")
for rows in (
    [[0.0, 0.0], [0.0, 0.0]], [[1.0, 2.0], [2.0, 4.0]], [[1.0, 2.0, 3.0], [2.0, 4.0, 6.0], [3.0, 6.0, 9.0]],
    [[0.0, 0.0, 1.0], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0]], [[0.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 0.0]],
    [[nan, nan], [nan, nan]], [[1.0, 0.0], [0.0, float("inf")]], [[nan]],
):
    LD, pivots, info = linalg.ldl_factor_ex(torch.tensor(rows))
    print(LD.tolist(), pivots.tolist(), info.item())
print(linalg.ldl_factor_ex(torch.zeros(0, 0)), linalg.ldl_factor_ex(torch.zeros(0, 3, 3)).LD.shape)
print(linalg.ldl_factor_ex(torch.stack([torch.eye(2), torch.zeros(2, 2)])).info)
for call in (
    lambda: linalg.ldl_factor(torch.zeros(2, 2)),
    lambda: linalg.ldl_factor_ex(torch.zeros(2, 2), check_errors=True),
):
    try:
        call()
    except RuntimeError as error:
        print(type(error).__name__)
raises(lambda: linalg.ldl_factor_ex(torch.zeros(2, 3)))
raises(lambda: linalg.ldl_factor(torch.zeros(3)))
raises(lambda: linalg.ldl_factor(torch.zeros(2, 2, dtype=torch.int64)))
LD, pivots = linalg.ldl_factor(torch.tensor([[0.0, 1.0, 2.0], [1.0, 0.0, 3.0], [2.0, 3.0, 0.0]]))
B = torch.ones(3, 2)
raises(lambda: linalg.ldl_solve(LD, pivots, torch.ones(4, 2)))
raises(lambda: linalg.ldl_solve(LD, pivots.float(), B))
raises(lambda: linalg.ldl_solve(LD, pivots[:2], B))
raises(lambda: linalg.ldl_solve(LD, pivots, B.double()))
raises(lambda: linalg.ldl_solve(LD.long(), pivots, B.long()))
raises(lambda: linalg.ldl_solve(LD[:2], pivots, B))
raises(lambda: linalg.ldl_solve(LD.expand(2, 3, 3), pivots, B))
out = torch.empty(3, 3), torch.empty(3, dtype=torch.int32)
linalg.ldl_factor(torch.eye(3), out=out)
print(out)

# PyTorch has no derivative of them.
leaf = torch.eye(2).requires_grad_()
LD, pivots = linalg.ldl_factor(leaf)
print(LD, LD.requires_grad, pivots.requires_grad)
raises(lambda: LD.sum().backward())
raises(lambda: linalg.ldl_solve(LD.detach(), pivots, torch.ones(2, 1, requires_grad=True)).sum().backward())

# Square roots.
X = torch.randn(3, 3, dtype=F64)
positive = X @ X.mT + torch.eye(3, dtype=F64)
for A in (positive, torch.stack([positive, positive @ positive]), positive.float(), torch.eye(2), torch.zeros(0, 0)):
    leaf = A.clone().requires_grad_()
    root = linalg.matrix_sqrth(leaf)
    print(root.shape, root.dtype, shown(root), torch.allclose(root @ root, A, atol=1e-4))
    weights = torch.arange(1.0, A.numel() + 1, dtype=A.dtype).reshape(A.shape)
    (first,) = torch.autograd.grad((root * weights).sum(), leaf, create_graph=True)
    print(shown(first), root.grad_fn.name())
    if A.dtype is F64:
        print([float(f"{v:.4g}") for v in torch.autograd.grad((first**2).sum(), leaf)[0].flatten().tolist()])
print(linalg.matrix_sqrth(torch.tensor([[1.0, 0.0], [0.0, -1.0]])), linalg.matrix_sqrth(torch.tensor([[2.0, 99.0], [0.0, 9.0]])))
print(linalg.matrix_sqrth(torch.full((2, 2), nan)))
print(torch.autograd.gradcheck(lambda x: linalg.matrix_sqrth(x + x.mT), (positive.clone().requires_grad_(),)))
raises(lambda: linalg.matrix_sqrth(torch.zeros(2, 3)))
raises(lambda: linalg.matrix_sqrth(torch.zeros(3)))
raises(lambda: linalg.matrix_sqrth(torch.zeros(2, 2, dtype=torch.int32)))
raises(lambda: linalg.matrix_sqrth(torch.zeros(2, 2, dtype=torch.half)))

# U H.
for A in (torch.randn(4, 3, dtype=F64), torch.randn(3, 3, dtype=F64), torch.randn(2, 3, 2), torch.eye(2), torch.ones(3, 1)):
    leaf = A.clone().requires_grad_()
    U, H = linalg.polar(leaf)
    print(U.shape, H.shape, shown(U), shown(H), torch.allclose(U @ H, A, atol=1e-5), U.grad_fn.name(), H.grad_fn.name())
    weights = torch.arange(1.0, U.numel() + 1, dtype=A.dtype).reshape(U.shape)
    more = torch.arange(1.0, H.numel() + 1, dtype=A.dtype).reshape(H.shape)
    for value in (
        lambda U, H: (U * weights).sum(), lambda U, H: (H * more).sum(), lambda U, H: (U**3).sum() + (H**3 * more).sum(),
    ):
        (first,) = torch.autograd.grad(value(*linalg.polar(leaf)), leaf, create_graph=True)
        print(shown(first))
        if A.dtype is F64:
            print([float(f"{v:.4g}") for v in torch.autograd.grad((first**2).sum(), leaf)[0].flatten().tolist()])
result = linalg.polar(torch.tensor([[0.0, 2.0], [1.0, 0.0]]))
print(result, type(result).__name__)
for shape in ((3, 0), (0, 0), (2, 0, 0)):
    print([part.shape for part in linalg.polar(torch.zeros(*shape))])
raises(lambda: linalg.polar(torch.zeros(2, 3)))
raises(lambda: linalg.polar(torch.zeros(3)))
raises(lambda: linalg.polar(torch.zeros(3, 2, dtype=torch.int64)))
raises(lambda: linalg.polar(torch.full((3, 2), nan)))
