"""Linear algebra that is made of products, solutions and determinants."""
import warnings

import torch

warnings.simplefilter("ignore")
L = torch.linalg
A = torch.tensor([[4.0, 1.0, 0.5], [1.0, 3.0, 0.25], [0.5, 0.25, 2.0]])
S, b = torch.tensor([[1.0, 2.0], [2.0, 4.0]]), torch.tensor([1.0, 2.0, 3.0])
B = torch.stack([A, A * 2])


def refused(name, call):
    try:
        print(name, "was taken:", call())
    except Exception as error:
        print(name, type(error).__name__, str(error).split("\n")[0])


def slopes(name, f, *xs, digits=3):
    leaves = [each.clone().requires_grad_() for each in xs]
    y = f(*leaves)
    first = torch.autograd.grad((y * y * torch.arange(1.0, y.numel() + 1).reshape(y.shape)).sum(), leaves, create_graph=True)
    print(name, "first", [[round(n, digits) + 0.0 for n in g.flatten().tolist()] for g in first])
    again = torch.autograd.grad(sum((g * torch.arange(1.0, g.numel() + 1).reshape(g.shape)).sum() for g in first), leaves)
    print(name, "second", [[round(n, digits) + 0.0 for n in g.flatten().tolist()] for g in again])


print(L.slogdet(A), L.slogdet(-A), L.slogdet(B), L.slogdet(torch.zeros(0, 0)), torch.slogdet(A), A.slogdet()[1])
print(round(L.slogdet(torch.eye(100) * 1e-10)[1].item(), 1), L.slogdet(torch.eye(60, dtype=torch.float64) * -1e30).logabsdet, L.slogdet(S)[1], L.slogdet(torch.zeros(2, 2))[1])
print(torch.logdet(A), torch.logdet(-A), B.logdet(), torch.logdet(S))
refused("slogdet of a row", lambda: L.slogdet(b))
refused("slogdet of two rows", lambda: L.slogdet(A[:2]))
refused("slogdet of integers", lambda: L.slogdet(A.long()))
slopes("slogdet", lambda a: L.slogdet(a)[1], A)
slopes("logdet", torch.logdet, A)
slopes("logdet of a batch", torch.logdet, B)

print(L.inv_ex(A), L.inv_ex(S).info, L.inv_ex(torch.stack([torch.eye(2), S])).info, L.inv_ex(torch.zeros(2, 2)).info, L.inv_ex(torch.stack([torch.eye(2), S])).inverse[0])
print(L.solve_ex(A, b), L.solve_ex(S, b[:2]).info, L.solve_ex(A, A, left=False)[0].round(), L.solve_ex(A, A[:, :2]).result.round())
print(L.cholesky_ex(A), L.cholesky_ex(-A).info, L.cholesky_ex(torch.stack([A, -A]), upper=True).info, L.cholesky_ex(A, upper=True)[0], L.cholesky_ex(torch.tensor([[1.0, 2.0], [2.0, 1.0]])).info)
refused("inv_ex that checks", lambda: L.inv_ex(S, check_errors=True))
refused("solve_ex that checks", lambda: L.solve_ex(S, b[:2], check_errors=True))
refused("cholesky_ex that checks", lambda: L.cholesky_ex(-A, check_errors=True))
slopes("inv_ex", lambda a: L.inv_ex(a).inverse, A)
slopes("solve_ex", lambda a, b: L.solve_ex(a, b).result, A, b)
slopes("cholesky_ex", lambda a: L.cholesky_ex(a).L, A)
for p in ("fro", 1, -1, float("inf"), -float("inf")):
    print(p, L.cond(A, p), L.cond(B, p), L.cond(S, p))
refused("cond by 3", lambda: L.cond(A, 3))
refused("cond of two rows", lambda: L.cond(A[:2], 1))

print(L.diagonal(B), L.diagonal(A, offset=1), L.diagonal(B, dim1=0, dim2=1))
print(L.multi_dot([A, b]), L.multi_dot([b, A, b]), L.multi_dot([A, A, A[:, :1]]).shape, L.multi_dot([b, A]), L.multi_dot((A[:2], A, A, A[:, :1])), L.multi_dot([A[:1], A, A, A, A[:, :2]]))
refused("one matrix", lambda: L.multi_dot([A]))
refused("matrices that do not meet", lambda: L.multi_dot([A, A[:2]]))
refused("a row between", lambda: L.multi_dot([A, b, A]))
refused("two dtypes", lambda: L.multi_dot([A, A.double()]))
refused("a batch at the end", lambda: L.multi_dot([A, A, B]))
refused("a batch at the start", lambda: L.multi_dot([B, A]))
slopes("multi_dot", lambda a, b: L.multi_dot([a, a, b]), A[:2, :2], b[:2])
print(torch.chain_matmul(A, A), torch.chain_matmul(A), torch.chain_matmul(A, A, b.reshape(3, 1)))
refused("chain_matmul of a row", lambda: torch.chain_matmul(A, b))

print(L.solve_triangular(A.triu(), A[:, :1], upper=True), L.solve_triangular(A.tril(), A[:, :1], upper=False), L.solve_triangular(A, A[:, :1], upper=True, unitriangular=True))
print(L.solve_triangular(A, A[:1], upper=True, left=False), L.solve_triangular(A, A[:1], upper=False, left=False, unitriangular=True), L.solve_triangular(B, A, upper=False).shape, L.solve_triangular(torch.zeros(2, 2), torch.ones(2, 1), upper=True))
tall = torch.tensor([[1e-3, 5.0, 7.0], [100.0, 1e-2, 3.0], [1000.0, 2000.0, 0.5]])
print(L.solve_triangular(tall, torch.ones(3, 1), upper=False))
refused("solve_triangular of a row", lambda: L.solve_triangular(A, b, upper=True))
refused("solve_triangular of another size", lambda: L.solve_triangular(A, torch.ones(2, 1), upper=True))
refused("solve_triangular of two rows", lambda: L.solve_triangular(A[:2], torch.ones(3, 1), upper=True))
slopes("solve_triangular", lambda a, b: L.solve_triangular(a, b, upper=False), A, A[:, :2], digits=2)
slopes("solve_triangular from the right", lambda a, b: L.solve_triangular(a, b, upper=False, left=False), A, A[:2])
slopes("solve_triangular with ones", lambda a, b: L.solve_triangular(a, b, upper=True, unitriangular=True), A, A[:, :1])
print(torch.triangular_solve(A[:, :2], A), A[:, :2].triangular_solve(A, upper=False, transpose=True, unitriangular=True)[0])
factor = L.cholesky(A)
print(torch.cholesky_inverse(factor), torch.cholesky_solve(A[:, :2], factor).round(), A[:, :2].cholesky_solve(factor.mT, upper=True).round(), factor.cholesky_inverse().shape)
slopes("cholesky_solve", lambda b, l: torch.cholesky_solve(b, l), A[:, :1], factor, digits=2)
slopes("cholesky_inverse", torch.cholesky_inverse, factor, digits=2)
refused("cholesky_solve of a row", lambda: torch.cholesky_solve(b, A))
refused("cholesky_inverse of a row", lambda: torch.cholesky_inverse(b))

print(L.tensorinv(torch.eye(4).reshape(2, 2, 4) * 2, ind=2).shape, L.tensorinv(torch.eye(4).reshape(4, 2, 2) * 2, ind=1))
print(L.tensorsolve(torch.eye(4).reshape(2, 2, 4) * 2, torch.ones(2, 2)), L.tensorsolve(torch.eye(6).reshape(2, 3, 6) * 2, torch.ones(2, 3)))
refused("tensorinv that is not square", lambda: L.tensorinv(torch.eye(4).reshape(2, 2, 4), ind=1))
refused("tensorinv of nothing", lambda: L.tensorinv(A, ind=0))
print(L.vander(b), L.vander(b, N=2), L.vander(A).shape, L.vander(torch.tensor([1, 2, 3])), L.vander(b[:1], N=3))
refused("vander of no powers", lambda: L.vander(b, N=0))
refused("vander of one", lambda: L.vander(b[:1]))
slopes("vander", lambda x: L.vander(x), b)
print(L.vecdot(A, A), L.vecdot(A, b), L.vecdot(A, A, dim=0))
refused("vecdot of integers", lambda: L.vecdot(torch.tensor([1]), torch.tensor([2])))
refused("vecdot of two dtypes", lambda: L.vecdot(A, A.double()))
slopes("vecdot", L.vecdot, A[:2], A[1:])
print(L.matrix_power(A, 3), L.matrix_power(A, -1), L.matrix_power(A, 0), torch.ger(b, b), b.ger(b[:2]))
A2 = torch.tensor([[1.0, 0.5], [0.25, -1.0], [2.0, 0.125]])
tau = torch.tensor([0.5, 1.25])
print(L.householder_product(A2, tau), torch.orgqr(A2, tau), torch.ormqr(A2, tau, A), A2.ormqr(tau, A, False, True), torch.ormqr(A2, tau, b.reshape(3, 1), transpose=True))
slopes("householder_product", L.householder_product, A2, tau)
print(torch.frobenius_norm(A, (0, 1)), torch.frobenius_norm(A, 0), torch.frobenius_norm(A, [1], keepdim=True), torch.frobenius_norm(A, ()))
print(torch.norm_except_dim(A), torch.norm_except_dim(A, 2, 1), torch.norm_except_dim(A, 1, 0), torch.norm_except_dim(A, 2, -1), torch.norm_except_dim(A[None], 2, 1))
for name in ("solve", "lstsq", "eig", "symeig", "matrix_rank", "qr"):
    refused(name, lambda: getattr(torch, name)(*[A] * (2 if name in ("solve", "lstsq") else 1)))
for name in ("eig", "symeig", "qr", "cholesky"):
    refused("a tensor's " + name, lambda: getattr(A, name)())
