import torch

A = torch.tensor([[4.0, 1.0, 0.5], [1.0, 3.0, 0.25], [0.5, 0.25, 2.0]])
b = torch.tensor([1.0, 2.0, 3.0])
print(torch.linalg.det(A), torch.linalg.inv(A), torch.linalg.solve(A, b))
print(torch.allclose(A @ torch.linalg.solve(A, b), b), torch.trace(A), A.det())
L = torch.linalg.cholesky(A)
print(L, torch.allclose(L @ L.T, A))
Q, R = torch.linalg.qr(A)
print(torch.allclose(Q @ R, A, atol=1e-5), torch.allclose(Q.T @ Q, torch.eye(3), atol=1e-5))
print(R.abs().diagonal(), R.tril(-1).abs().max() < 1e-6)

# Least squares: a line through noisy points, by the normal equations and by QR.
t = torch.linspace(0, 1, 6)
y = 3 * t - 1 + torch.tensor([0.1, -0.2, 0.1, 0.0, -0.1, 0.1])
X = torch.stack([t, torch.ones(6)], dim=1)
line = torch.linalg.solve(X.T @ X, X.T @ y)
print(line)
Q, R = torch.linalg.qr(X)
print(torch.allclose(torch.linalg.solve(R, Q.T @ y), line, atol=1e-5), ((X @ line - y) ** 2).sum())

# Samples with a covariance: L times independent normals.
torch.manual_seed(0)
samples = torch.randn(2000, 3) @ L.T
print((samples.T @ samples / 2000 - A).abs().max() < 0.3, samples[:2])
batch = torch.stack([A, 2 * A, torch.eye(3)])
print(torch.linalg.det(batch), torch.linalg.inv(batch)[2], torch.linalg.solve(batch, b.expand(3, 3))[1])

# Gradients: d log det A / dA is the inverse, transposed.
M = A.clone().requires_grad_()
torch.linalg.det(M).log().backward()
print(M.grad, torch.allclose(M.grad, torch.linalg.inv(A).T, atol=1e-5))
rhs = b.clone().requires_grad_()
torch.linalg.solve(A, rhs).sum().backward()
print(rhs.grad)
for matrix in [torch.zeros(2, 2), torch.ones(2, 3), -torch.eye(2)]:
    try:
        print(torch.linalg.cholesky(matrix))
    except Exception as error:
        print(isinstance(error, RuntimeError))
