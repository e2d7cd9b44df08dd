import torch
from torch import nn, optim


def rosenbrock(w):
    return (1 - w[0]) ** 2 + 100 * (w[1] - w[0] ** 2) ** 2


def run(loss_of, start, n_steps=3, **options):
    w = torch.tensor(start, dtype=torch.float64, requires_grad=True)
    optimizer = optim.LBFGS([w], **options)
    calls = []

    def closure():
        optimizer.zero_grad()
        loss = loss_of(w)
        loss.backward()
        calls.append(1)
        return loss

    seen = []
    for _ in range(n_steps):
        loss = optimizer.step(closure)
        seen.append((round(loss.item(), 6) + 0.0, len(calls), [round(v, 3) for v in w.tolist()]))
    state = optimizer.state[w]
    print(options, seen, state["n_iter"], state["func_evals"], list(state))


run(rosenbrock, [-1.2, 1.0])
run(rosenbrock, [-1.2, 1.0], lr=0.1)
run(rosenbrock, [-1.2, 1.0], line_search_fn="strong_wolfe", n_steps=2)
run(rosenbrock, [-1.2, 1.0], line_search_fn="strong_wolfe", max_iter=4)
run(rosenbrock, [-1.2, 1.0], line_search_fn="strong_wolfe", history_size=2, n_steps=2)
run(rosenbrock, [-1.2, 1.0], line_search_fn="strong_wolfe", lr=10.0, n_steps=2)
run(rosenbrock, [-1.2, 1.0], line_search_fn="strong_wolfe", lr=1e-4, max_iter=3)
run(rosenbrock, [-1.2, 1.0], lr=0.5, max_iter=3, max_eval=2)
run(rosenbrock, [-1.2, 1.0], lr=0.01, tolerance_grad=1.0)
run(rosenbrock, [-1.2, 1.0], lr=0.01, tolerance_change=0.1)
run(rosenbrock, [-1.2, 1.0], lr=torch.tensor([0.01]))
run(lambda w: (w ** 4).sum() + (w[0] - w[1]) ** 2, [1.0, -2.0], line_search_fn="strong_wolfe")
run(lambda w: -(w ** 2).sum(), [1.0, -2.0], maximize=True)
run(lambda w: -((w - 3) ** 4).sum(), [1.0, -2.0], maximize=True, line_search_fn="strong_wolfe")
run(lambda w: (w * 0).sum(), [1.0, -2.0], n_steps=1)

torch.manual_seed(0)
inputs, targets = torch.randn(20, 3), torch.randn(20, 1)
net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
unused = torch.ones(2, requires_grad=True)
optimizer = optim.LBFGS([*net.parameters(), unused], lr=0.5, max_iter=5, line_search_fn="strong_wolfe")


def closure():
    optimizer.zero_grad()
    loss = ((net(inputs) - targets) ** 2).mean()
    loss.backward()
    return loss


print([round(optimizer.step(closure).item(), 3) for _ in range(4)], unused)
print(optimizer)
for wrong in (
    lambda: optim.LBFGS([{"params": [torch.ones(1)]}, {"params": [torch.zeros(1)]}]),
    lambda: optim.LBFGS([torch.ones(1)], lr=-1.0),
    lambda: optim.LBFGS([torch.ones(1)], lr=torch.ones(2)),
    lambda: optim.LBFGS(net.parameters(), line_search_fn="armijo").step(closure),
):
    try:
        wrong()
    except Exception as error:
        print(type(error).__name__, error)
