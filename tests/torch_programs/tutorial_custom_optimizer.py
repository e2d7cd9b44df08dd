# Optimisers of one's own beside torch's, on a bent valley and on a small network.
import math

import torch
from torch import nn
from torch.optim import Optimizer
from torch.optim.lr_scheduler import LRScheduler


class Momentum(Optimizer):
    def __init__(self, params, lr=1e-2, momentum=0.9, weight_decay=0.0):
        if lr < 0.0:
            raise ValueError(f"Invalid learning rate: {lr}")
        super().__init__(params, dict(lr=lr, momentum=momentum, weight_decay=weight_decay))

    @torch.no_grad()
    def step(self, closure=None):
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is None:
                    continue
                grad = p.grad.add(p, alpha=group["weight_decay"])
                state = self.state[p]
                if "speed" not in state:
                    state["speed"] = torch.zeros_like(p)
                state["speed"].mul_(group["momentum"]).add_(grad)
                p.add_(state["speed"], alpha=-group["lr"])
        return loss


class Adaptive(Optimizer):
    """Adam as its paper writes it."""

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8):
        super().__init__(params, dict(lr=lr, betas=betas, eps=eps))

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            b1, b2 = group["betas"]
            for p in (p for p in group["params"] if p.grad is not None):
                state = self.state[p]
                if len(state) == 0:
                    state["t"] = 0
                    state["m"], state["v"] = torch.zeros_like(p), torch.zeros_like(p)
                state["t"] += 1
                state["m"].mul_(b1).add_(p.grad, alpha=1 - b1)
                state["v"].mul_(b2).addcmul_(p.grad, p.grad, value=1 - b2)
                size = group["lr"] / (1 - b1 ** state["t"])
                spread = (state["v"].sqrt() / math.sqrt(1 - b2 ** state["t"])).add_(group["eps"])
                p.addcdiv_(state["m"], spread, value=-size)


class Sawtooth(LRScheduler):
    def __init__(self, optimizer, period, last_epoch=-1):
        self.period = period
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        return [base * (1 - (self.last_epoch % self.period) / self.period) for base in self.base_lrs]


def valley(x, y):
    return (1 - x) ** 2 + 5 * (y - x ** 2) ** 2


def walk(make):
    point = torch.tensor([-1.0, 1.0], requires_grad=True)
    optimizer = make([point])
    for _ in range(80):
        optimizer.zero_grad()
        valley(*point).backward()
        optimizer.step()
    return [round(v, 3) for v in point.tolist()]


print("momentum", walk(lambda p: Momentum(p, lr=0.01)), walk(lambda p: torch.optim.SGD(p, lr=0.01, momentum=0.9)))
print("adaptive", walk(lambda p: Adaptive(p, lr=0.05)), walk(lambda p: torch.optim.Adam(p, lr=0.05)))
for name in ("RMSprop", "Adagrad", "NAdam", "RAdam", "Adamax", "Rprop"):
    print(name, walk(lambda p: getattr(torch.optim, name)(p, lr=0.05)))

torch.manual_seed(2)
x = torch.randn(30, 4)
y = (x[:, :1] * x[:, 1:2]).tanh()
for make in (Momentum, Adaptive):
    torch.manual_seed(3)
    model = nn.Sequential(nn.Linear(4, 8), nn.SiLU(), nn.Linear(8, 1))
    optimizer = make([{"params": model[0].parameters()}, {"params": model[2].parameters(), "lr": 0.02}], lr=0.05)
    schedule = Sawtooth(optimizer, 4)
    rates, losses = [], []
    for step in range(12):
        loss = nn.functional.mse_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        rates.append(round(schedule.get_last_lr()[0], 4))
        schedule.step()
        losses.append(round(loss.item(), 4))
    print(make.__name__, losses[::3], rates[:5])
    state = optimizer.state_dict()
    print(sorted(state), state["param_groups"][1]["params"], sorted(state["state"][0]))
    again = make(model.parameters())
    try:
        again.load_state_dict(state)
    except ValueError as error:
        print(error)
print(optimizer)
print(Momentum([torch.zeros(1, requires_grad=True)]).step(lambda: torch.tensor(4.0)))
try:
    Momentum([torch.zeros(1)], lr=-1.0)
except ValueError as error:
    print(error)
