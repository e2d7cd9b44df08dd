import torch

linalg = torch.linalg
torch.manual_seed(0)


def shown(x):
    return [round(v, 4) + 0.0 for v in x.detach().flatten().tolist()]


def same_as(a, b):
    return torch.allclose(a, b, atol=1e-5)


tall, wide, square = [torch.randn(*shape, dtype=torch.float64) for shape in [(4, 3), (2, 4), (3, 3)]]
batch = torch.randn(2, 3, 2)
for A in [tall, wide, square, batch, torch.ones(3, 3), torch.zeros(2, 3), torch.zeros(0, 3)]:
    U, S, Vh = linalg.svd(A, full_matrices=False)
    print(U.shape, S.shape, Vh.shape, same_as(U * S.unsqueeze(-2) @ Vh, A), shown(S), shown(linalg.svdvals(A)))
    full = linalg.svd(A)
    one = torch.eye(A.shape[-2], dtype=A.dtype)
    print(full.U.shape, full.Vh.shape, same_as(full.U @ full.U.mT, one.expand_as(full.U @ full.U.mT)))
U, S, V = torch.svd(tall)
print(same_as(U @ S.diag() @ V.T, tall), tall.svd(some=False).U.shape, torch.svd(tall, compute_uv=False).S.shape)

# What does not depend on the signs of singular vectors has PyTorch's gradients.
for A in [tall, wide, square]:
    leaf = A.clone().requires_grad_()
    U, S, Vh = linalg.svd(leaf, full_matrices=False)
    weights = torch.arange(1.0, U.numel() + 1, dtype=U.dtype).reshape(U.shape)
    value = (S ** 3).sum() + (U ** 4 * weights).sum() + ((U[0] * Vh[:, 0]) * S).sum() + (Vh ** 4).sum()
    first = torch.autograd.grad(value, leaf, create_graph=True)[0]
    second = torch.autograd.grad((first ** 2).sum(), leaf)[0]
    print(shown(first), [float(f"{v:.3g}") for v in second.flatten().tolist()])
    leaf = A.clone().requires_grad_()
    linalg.svdvals(leaf).square().sum().backward()
    print(same_as(leaf.grad, 2 * A), U.grad_fn.name(), S.grad_fn.name())
    leaf = A.clone().requires_grad_()
    linalg.matrix_norm(leaf, "nuc").backward()
    print(shown(leaf.grad), shown(linalg.matrix_norm(A, 2)), shown(linalg.matrix_norm(A, -2)), linalg.norm(A, "nuc").shape)

# Symmetric matrices.
symmetric = square + square.T
for A in [symmetric, torch.eye(3), torch.ones(2, 2), torch.stack([symmetric, symmetric @ symmetric])]:
    L, V = linalg.eigh(A)
    print(shown(L), same_as(V * L.unsqueeze(-2) @ V.mT, A), shown(linalg.eigvalsh(A)))
print(shown(linalg.eigvalsh(square)), shown(linalg.eigvalsh(square, UPLO="U")), linalg.eigh(square, "U").eigenvalues.shape)
leaf = symmetric.clone().requires_grad_()
L, V = linalg.eigh(leaf)
value = (L ** 3).sum() + (V ** 4 * torch.arange(9.0).reshape(3, 3)).sum()
first = torch.autograd.grad(value, leaf, create_graph=True)[0]
print(shown(first), [float(f"{v:.3g}") for v in torch.autograd.grad((first ** 2).sum(), leaf)[0].flatten().tolist()])
leaf = symmetric.clone().requires_grad_()
linalg.eigvalsh(leaf)[0].backward()
print(shown(leaf.grad), L.grad_fn.name())

# L and U.
for A in [tall, wide, square, batch]:
    leaf = A.clone().requires_grad_()
    P, L, U = linalg.lu(leaf)
    weights = lambda x: torch.arange(1.0, x.numel() + 1, dtype=x.dtype).reshape(x.shape)
    value = (L * weights(L)).sum() + (U * U * weights(U)).sum()
    first = torch.autograd.grad(value, leaf, create_graph=True)[0]
    second = torch.autograd.grad((first ** 2).sum(), leaf)[0]
    print(shown(P), shown(L), shown(U), P.requires_grad)
    print([float(f"{v:.3g}") for v in first.flatten().tolist()], [float(f"{v:.2g}") for v in second.flatten().tolist()])
    LU, pivots = linalg.lu_factor(A)
    print(shown(LU), pivots, [shown(part) for part in torch.lu_unpack(LU, pivots)])
LU, pivots = linalg.lu_factor(square)
B = torch.randn(3, 2, dtype=torch.float64)
for left in [True, False]:
    for adjoint in [True, False]:
        right = B if left else B.T
        print(shown(linalg.lu_solve(LU, pivots, right, left=left, adjoint=adjoint)))
print(shown(torch.lu_solve(B, LU, pivots)), linalg.lu_factor_ex(torch.zeros(2, 2)).info, linalg.lu_factor_ex(batch).info)
print(linalg.slogdet(square).sign, shown(linalg.slogdet(square).logabsdet), torch.slogdet(torch.zeros(2, 2)))
leaf = (square @ square.T).requires_grad_()
torch.logdet(leaf).backward()
print(shown(leaf.grad), torch.logdet(-torch.eye(3)), torch.eye(2).logdet(), torch.eye(2).slogdet())

# Least squares and pseudoinverses.
for A in [tall, wide, torch.ones(3, 2, dtype=torch.float64), batch]:
    leaf = A.clone().requires_grad_()
    P = linalg.pinv(leaf)
    print(shown(P), linalg.matrix_rank(A), torch.linalg.matrix_rank(A, atol=1.5), P.grad_fn.name())
    weights = torch.arange(1.0, P.numel() + 1, dtype=P.dtype).reshape(P.shape)
    first = torch.autograd.grad((P * weights).sum(), leaf, create_graph=True)[0]
    second = torch.autograd.grad((first ** 2).sum(), leaf)[0]
    print([float(f"{v:.3g}") for v in first.flatten().tolist()], [float(f"{v:.2g}") for v in second.flatten().tolist()])
print(shown(torch.pinverse(tall)), shown(linalg.pinv(symmetric, hermitian=True)), linalg.matrix_rank(symmetric, hermitian=True))
for driver in [None, "gels", "gelsd"]:
    result = linalg.lstsq(tall, torch.ones(4, 2, dtype=torch.float64), driver=driver)
    print([shown(part) for part in result], [part.shape for part in result])
leaf = tall.clone().requires_grad_()
linalg.lstsq(leaf, torch.ones(4, 1, dtype=torch.float64)).solution.sum().backward()
print(shown(leaf.grad))
for p in [None, 2, -2, "fro", "nuc", 1, -1, float("inf"), float("-inf")]:
    print(p, shown(linalg.cond(square, p)))
print(linalg.cond(torch.zeros(2, 2), 1), linalg.cond(tall).shape)

# The exponential, and products.
for scale in [0.1, 1.0, 10.0]:
    leaf = (square * scale).requires_grad_()
    y = linalg.matrix_exp(leaf)
    first = torch.autograd.grad(y.sum(), leaf, create_graph=True)[0]
    second = torch.autograd.grad(first.sum(), leaf)[0]
    print([[float(f"{v:.4g}") for v in part.flatten().tolist()] for part in (y, first, second)])
print(torch.matrix_exp(torch.zeros(2, 2)), torch.zeros(2, 2).matrix_exp().dtype)
print(shown(linalg.multi_dot([tall, square, square, B])), linalg.vecdot(tall, tall).shape, linalg.vander(torch.tensor([1, 2, 3])))
print(linalg.diagonal(square).shape, linalg.tensorinv(torch.eye(4).reshape(2, 2, 4)).shape)
print(linalg.tensorsolve(torch.eye(4).reshape(4, 2, 2), torch.arange(4.0)))

# Triangles and reflections.
positive = square @ square.T + torch.eye(3, dtype=torch.float64)
L = linalg.cholesky(positive)
print(shown(torch.cholesky_solve(B, L)), shown(torch.cholesky_inverse(L)), shown(B.cholesky_solve(L.T, upper=True)))
print(shown(linalg.solve_triangular(L, B, upper=False)), shown(linalg.solve_triangular(L, B.T, upper=False, left=False)))
print(shown(linalg.solve_triangular(L, B, upper=False, unitriangular=True)))
print(linalg.cholesky_ex(torch.tensor([[1.0, 2.0], [2.0, 1.0]])).info, linalg.cholesky_ex(positive).info)
print(linalg.inv_ex(torch.zeros(2, 2)).info, linalg.inv_ex(torch.eye(2)), shown(linalg.solve_ex(square, B).result))
tau = torch.tensor([1.2, 0.7], dtype=torch.float64)
leaf = tall[:, :2].clone().requires_grad_()
Q = linalg.householder_product(leaf, tau)
print(shown(Q), shown(torch.autograd.grad((Q ** 2).sum(), leaf)[0]), shown(torch.ormqr(tall[:, :2], tau, tall)))
Q, R = linalg.qr(tall, mode="complete")
print(same_as(Q @ R, tall), Q.shape)
print(shown(torch.triangular_solve(B, L, upper=False)[0]), shown(B.triangular_solve(L.T, transpose=True).solution))
print([shown(part) for part in torch.lu(square)], shown(torch.chain_matmul(tall, square)))
print(linalg.eigh(torch.tensor([[2.0, 0.0], [0.0, 3.0]])).eigenvalues, linalg.lu_factor(torch.eye(2)))
print(linalg.lu(torch.eye(2)))
for call in [
    lambda: linalg.svd(torch.ones(3)),
    lambda: linalg.svd(torch.ones(2, 2, dtype=torch.int64)),
    lambda: linalg.svd(torch.tensor([[float("nan")]])),
    lambda: linalg.eigh(torch.ones(2, 3)),
    lambda: linalg.lu_factor(torch.zeros(2, 2)),
    lambda: linalg.pinv(torch.ones(3)),
    lambda: linalg.matrix_exp(torch.ones(2, 3)),
    lambda: linalg.multi_dot([torch.ones(2, 2)]),
    lambda: linalg.svd(torch.ones(2, 2), driver="gesvd"),
    lambda: linalg.lstsq(torch.ones(2, 2), torch.ones(3, 1)),
    lambda: linalg.cond(torch.ones(2, 3), 1),
    lambda: linalg.matrix_norm(torch.ones(2, 2), 3),
]:
    try:
        print(call())
    except Exception as error:
        print(type(error).__name__)
