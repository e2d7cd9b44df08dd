# What optimizers remember, printed, saved, loaded and copied.
import copy

import torch
from torch import nn, optim
from torch.optim.optimizer import Optimizer, required

NAMES = [
    "SGD", "Adam", "AdamW", "Adamax", "NAdam", "RAdam", "Adagrad", "Adadelta", "RMSprop", "Rprop", "ASGD", "Adafactor",
    "Muon", "LBFGS",
]
OPTIONS = {"SGD": dict(lr=0.1, momentum=0.9), "RMSprop": dict(lr=0.1, momentum=0.5, centered=True), "Adam": dict(lr=0.1, amsgrad=True)}


def problem():
    torch.manual_seed(0)
    w = torch.randn(3, 2, requires_grad=True)
    return w, torch.randn(5, 3), torch.randn(5, 2)


def train(optimizer, w, x, y, n):
    def closure():
        optimizer.zero_grad()
        loss = ((x @ w - y) ** 2).mean()
        loss.backward()
        return loss

    for _ in range(n):
        if isinstance(optimizer, optim.LBFGS):
            optimizer.step(closure)
        else:
            closure()
            optimizer.step()


for name in NAMES:
    options = OPTIONS.get(name, dict(lr=0.05))
    make = lambda w: getattr(optim, name)([w], **options)
    w, x, y = problem()
    optimizer = make(w)
    print(optimizer)
    print(optimizer.defaults)
    print(list(optimizer.state_dict()["state"]))
    train(optimizer, w, x, y, 3)
    state = optimizer.state_dict()
    print(sorted(state), list(state["param_groups"][0]), state["param_groups"][0]["params"])
    print({k: (tuple(v.shape), v.dtype) if torch.is_tensor(v) else type(v).__name__ for k, v in state["state"][0].items()})
    saved, weights = copy.deepcopy(state), w.detach().clone()
    train(optimizer, w, x, y, 3)
    v = weights.requires_grad_()
    second = getattr(optim, name)([v])
    second.load_state_dict(saved)
    train(second, v, x, y, 3)
    print(torch.equal(w, v), second.param_groups[0]["lr"], isinstance(second, Optimizer))
    twin = copy.deepcopy(optimizer)
    print(len(twin.state), twin.param_groups[0]["params"][0] is w, torch.equal(twin.param_groups[0]["params"][0], w))

# The number of the step is a tensor, and it is the optimizer's own.
w = torch.ones(2, requires_grad=True)
optimizer = optim.Adam([w], lr=0.1)
print(optimizer.state, optimizer.state[w], type(optimizer.state).__name__)
for _ in range(3):
    w.grad = torch.ones(2)
    optimizer.step()
step = optimizer.state[w]["step"]
print(optimizer.state[w], step.dtype, step.device)
w.grad = torch.ones(2)
optimizer.step()
print(step, optimizer.state[w]["step"] is step)
step.fill_(100.0)
optimizer.step()
print(optimizer.state[w]["step"], w)
optimizer.zero_grad()
optimizer.step()
print(step, w.grad)

# States of older versions count in plain numbers.
old = optimizer.state_dict()
old = {"state": {0: {**old["state"][0], "step": 7}}, "param_groups": [{"lr": 0.5, "betas": (0.9, 0.999), "eps": 1e-8, "weight_decay": 0, "amsgrad": False, "params": [0]}]}
fresh = optim.Adam([w], lr=0.1)
fresh.load_state_dict(old)
print(fresh.state[w]["step"], fresh)
w.grad = torch.ones(2)
fresh.step()
print(fresh.state[w]["step"])

# Loaded tensors take the dtype of the parameter, all but the step.
half = torch.ones(2, dtype=torch.float64, requires_grad=True)
other = optim.Adam([half])
other.load_state_dict(optimizer.state_dict())
print({k: v.dtype for k, v in other.state[half].items()})
print(other.state_dict()["state"][0]["step"] is optimizer.state[w]["step"])

# Groups with options of their own.
torch.manual_seed(1)
net = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1))
optimizer = optim.SGD([{"params": net[0].parameters(), "lr": 0.01}, {"params": net[2].weight, "weight_decay": 0.1, "name": "head"}], lr=0.1, momentum=0.9)
optimizer.add_param_group({"params": [net[2].bias], "nesterov": True})
print(optimizer)
print([[list(p.shape) for p in group["params"]] for group in optimizer.param_groups])
x, y = torch.randn(8, 3), torch.randn(8, 1)
for _ in range(4):
    optimizer.zero_grad()
    nn.functional.mse_loss(net(x), y).backward()
    optimizer.step()
    for group in optimizer.param_groups:
        group["lr"] *= 0.5
print([group["lr"] for group in optimizer.param_groups], [[round(v, 4) for v in p.flatten().tolist()] for p in net.parameters()])
state = optimizer.state_dict()
print([group["params"] for group in state["param_groups"]], list(state["state"]))

# Parameters with names.
optimizer = optim.AdamW(net.named_parameters(), lr=0.1)
print(optimizer.param_groups[0]["param_names"], len(optimizer.param_groups[0]["params"]))
plain = optim.AdamW(net.parameters(), lr=0.1)
plain.load_state_dict(optimizer.state_dict())
print(plain.param_groups[0]["param_names"])
optimizer.load_state_dict(optim.AdamW(net.parameters(), lr=0.2).state_dict())
print(optimizer.param_groups[0]["param_names"], optimizer.param_groups[0]["lr"])
print(optim.SGD(p for p in net.parameters()).param_groups[0]["lr"], required)

# Forgetting gradients.
optimizer = optim.SGD(net.parameters(), lr=0.1)
net(x).sum().backward()
optimizer.zero_grad(set_to_none=False)
print([p.grad.abs().sum().item() for p in net.parameters()])
net(x).sum().backward(create_graph=True)
optimizer.zero_grad(set_to_none=False)
print([(p.grad.abs().sum().item(), p.grad.requires_grad) for p in net.parameters()])
optimizer.zero_grad()
print([p.grad for p in net.parameters()])

# The loss that a closure gives comes back.
for name in NAMES:
    w, x, y = problem()
    optimizer = getattr(optim, name)([w], lr=0.01)

    def closure():
        optimizer.zero_grad()
        loss = ((x @ w - y) ** 2).mean()
        loss.backward()
        return loss

    with torch.no_grad():
        print(name, round(optimizer.step(closure).item(), 4), torch.is_grad_enabled())
