# Optimizers of one's own, hooks, and what is called when.
import torch
from torch import nn, optim
from torch.optim import Optimizer
from torch.optim.optimizer import register_optimizer_step_post_hook, register_optimizer_step_pre_hook, required


class Lion(Optimizer):
    def __init__(self, params, lr=1e-2, betas=(0.9, 0.99), weight_decay=0.0):
        if not 0.0 <= lr:
            raise ValueError("Invalid learning rate: {}".format(lr))
        super().__init__(params, dict(lr=lr, betas=betas, weight_decay=weight_decay))

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
                p.data.mul_(1 - group["lr"] * group["weight_decay"])
                state = self.state[p]
                if len(state) == 0:
                    state["exp_avg"] = torch.zeros_like(p)
                exp_avg = state["exp_avg"]
                beta1, beta2 = group["betas"]
                update = exp_avg * beta1 + p.grad * (1 - beta1)
                p.add_(update.sign_(), alpha=-group["lr"])
                exp_avg.mul_(beta2).add_(p.grad, alpha=1 - beta2)
        return loss


class Plain(Optimizer):
    def __init__(self, params, lr=required):
        super(Plain, self).__init__(params, {"lr": lr})

    def step(self):
        for group in self.param_groups:
            for p in group["params"]:
                p.data -= group["lr"] * p.grad.data


class Loud(optim.SGD):
    def step(self, closure=None):
        print("steps")
        return super().step(closure)


class Empty(Optimizer):
    def __init__(self, params):
        super().__init__(params, {})


def weights():
    return torch.tensor([1.0, -2.0, 3.0], requires_grad=True)


for make in (lambda w: Lion([w], weight_decay=0.1), lambda w: Plain([w], lr=0.1), lambda w: Loud([w], lr=0.1)):
    w = weights()
    optimizer = make(w)
    schedule = optim.lr_scheduler.StepLR(optimizer, 2, 0.5)
    for _ in range(4):
        optimizer.zero_grad()
        (w ** 2).sum().backward()
        optimizer.step()
        schedule.step()
    print(type(optimizer).__name__, w, optimizer.param_groups[0]["lr"], dict(optimizer.state).values())
    print(optimizer, optimizer.state_dict()["param_groups"])

try:
    Plain([weights()])
except Exception as error:
    print(type(error).__name__, error)
try:
    Empty([weights()]).step()
except Exception as error:
    print(type(error).__name__, error)
print(Empty([weights()]), Empty([weights()]).state_dict())

# Hooks.
w = weights()
optimizer = optim.SGD([w], lr=0.1)
called = []
before = optimizer.register_step_pre_hook(lambda o, args, kwargs: called.append(("before", o is optimizer, len(args), sorted(kwargs))))
after = optimizer.register_step_post_hook(lambda o, args, kwargs: called.append(("after", o is optimizer, len(args), sorted(kwargs))))
everywhere = register_optimizer_step_pre_hook(lambda o, args, kwargs: called.append(("every before", type(o).__name__)))
later = register_optimizer_step_post_hook(lambda o, args, kwargs: called.append(("every after", type(o).__name__)))
optimizer.step()
optimizer.step(lambda: called.append("closure"))
optimizer.step(closure=None)
own = Lion([w])
own.step()
print(called)
called.clear()
for handle in (before, after, everywhere, later):
    handle.remove()
optimizer.step()
own.step()
print(called)
with optimizer.register_step_pre_hook(lambda *given: called.append("within")):
    optimizer.step()
optimizer.step()
print(called)
called.clear()


def without_closure(o, args, kwargs):
    return (args[0],), {}


handle = optimizer.register_step_pre_hook(without_closure)
optimizer.step(lambda: called.append("never"))
handle.remove()
print(called)
handle = optimizer.register_step_pre_hook(lambda *given: 3)
try:
    optimizer.step()
except Exception as error:
    print(type(error).__name__, str(error).split("> ")[-1])
handle.remove()

# Hooks of states.
optimizer = optim.Adam([w], lr=0.1)
optimizer.register_state_dict_pre_hook(lambda o: called.append("first"))
optimizer.register_state_dict_pre_hook(lambda o: called.append("zeroth"), prepend=True)
optimizer.register_state_dict_post_hook(lambda o, state: called.append(sorted(state)))
optimizer.register_state_dict_post_hook(lambda o, state: {**state, "version": 2})
optimizer.register_load_state_dict_pre_hook(lambda o, state: called.append(("loads", state.pop("version"))))
optimizer.register_load_state_dict_pre_hook(lambda o, state: {k: v for k, v in state.items() if k != "more"})
optimizer.register_load_state_dict_post_hook(lambda o: called.append("loaded"))
state = optimizer.state_dict()
print(sorted(state))
optimizer.load_state_dict({**state, "more": 1})
print(called, "version" in state)

# A hook that takes a step as soon as a gradient is there.
model = nn.Linear(2, 2)
torch.manual_seed(0)
nn.init.normal_(model.weight)
nn.init.zeros_(model.bias)
optimizers = {p: optim.SGD([p], lr=0.1) for p in model.parameters()}


def at_once(p):
    optimizers[p].step()
    optimizers[p].zero_grad()


for p in model.parameters():
    p.register_post_accumulate_grad_hook(at_once)
for _ in range(2):
    model(torch.ones(3, 2)).pow(2).mean().backward()
print([[round(v, 4) for v in p.flatten().tolist()] for p in model.parameters()], [p.grad for p in model.parameters()])
