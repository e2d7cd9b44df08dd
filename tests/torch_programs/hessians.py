import torch


def hessian(function, point):
    point = point.clone().requires_grad_()
    (gradient,) = torch.autograd.grad(function(point), point, create_graph=True)
    rows = [torch.autograd.grad(g, point, retain_graph=True)[0] for g in gradient]
    return gradient.detach(), torch.stack(rows)


def rosenbrock(p):
    return (1 - p[0]) ** 2 + 100 * (p[1] - p[0] ** 2) ** 2


gradient, matrix = hessian(rosenbrock, torch.tensor([-1.0, 1.0]))
print(gradient, matrix, torch.linalg.det(matrix).round())
x = torch.tensor([0.5, 1.0, 2.0])
for name, function in [
    ("cubes", lambda p: p.pow(3).sum()),
    ("product", lambda p: p.prod()),
    ("logsumexp", lambda p: p.logsumexp(0)),
    ("entropy", lambda p: -(p.softmax(0) * p.log_softmax(0)).sum()),
    ("norm", lambda p: p.norm()),
    ("sines", lambda p: (p[:-1].sin() * p[1:].cos()).sum()),
    ("quadratic", lambda p: p @ torch.tensor([[2.0, 1, 0], [1, 3, 1], [0, 1, 4]]) @ p / 2),
]:
    gradient, matrix = hessian(function, x)
    print(name, gradient, matrix, torch.allclose(matrix, matrix.T, atol=1e-6))

# Newton's method, in float64, from a point near the valley.
p = torch.tensor([-1.2, 1.0], dtype=torch.float64)
for step in range(4):
    gradient, matrix = hessian(rosenbrock, p)
    p = p - torch.linalg.solve(matrix, gradient)
    print(step, f"{rosenbrock(p).item():.4f}", p)

# A product with the Hessian needs no Hessian.
point = x.clone().requires_grad_()
v = torch.tensor([1.0, 2.0, 0.0])
(gradient,) = torch.autograd.grad(point.exp().prod(), point, create_graph=True)
print(torch.autograd.grad(gradient @ v, point)[0] / point.exp().prod())
