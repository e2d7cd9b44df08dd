# Approximations of low rank, the nuclear norm, reflections, extreme eigenpairs.
import torch

torch.manual_seed(0)


def r(x):
    return [round(v, 3) for v in x.detach().flatten().tolist()]


A = torch.randn(8, 3) @ torch.randn(3, 6)
for matrix in (A, A.t(), torch.stack([A, A * 2])):
    U, S, V = torch.svd_lowrank(matrix, q=3)
    print(U.shape, S.shape, V.shape, r(S), torch.allclose(U @ torch.diag_embed(S) @ V.mT, matrix, atol=1e-4))
    U, S, V = torch.pca_lowrank(matrix, q=2)
    print(U.shape, r(S), V.shape)
print(r(torch.svd_lowrank(A, q=2, niter=4, M=torch.ones(1, 6))[1]), r(torch.pca_lowrank(A, center=False)[1]))
print(r(torch.rand(2)))
for call in (lambda: torch.pca_lowrank(A, q=9), lambda: torch.pca_lowrank(A, niter=-1)):
    try:
        call()
    except Exception as error:
        print(type(error).__name__, error)
print(r(torch.nuclear_norm(A)), torch.nuclear_norm(A, keepdim=True).shape, r(torch.nuclear_norm(torch.stack([A, -A]), dim=(1, 2))))
B = torch.tensor([[4.0, 1.0, 2.0], [2.0, 3.0, 1.0], [0.0, 1.0, 5.0], [1.0, 0.0, 2.0]])
for matrix in (B, B.t(), torch.stack([B, -B]), torch.eye(3), torch.tensor([[-2.0]])):
    a, tau = torch.geqrf(matrix)
    print(r(a), r(tau), a.shape, tau.shape)
print(type(B.geqrf()).__name__, r(B.geqrf().tau))
print(torch.allclose(torch.linalg.householder_product(*torch.geqrf(B)), torch.linalg.qr(B).Q, atol=1e-5))
C = A @ A.t() + torch.diag(torch.arange(8.0))
for largest in (True, False, None):
    values, vectors = torch.lobpcg(C, k=2, largest=largest, niter=200, tol=1e-7)
    print([round(v, 2) for v in values.tolist()], vectors.shape, torch.allclose(C @ vectors, vectors * values, atol=1e-2))
D = torch.diag(torch.arange(1.0, 9.0))
values, vectors = torch.lobpcg(C, k=1, B=D, niter=200)
print([round(v, 2) for v in values.tolist()], torch.allclose(C @ vectors, D @ vectors * values, atol=1e-2))
try:
    torch.lobpcg(torch.eye(3), k=2)
except Exception as error:
    print(type(error).__name__, error)
