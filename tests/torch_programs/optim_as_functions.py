# The steps of optimizers as functions, and an optimizer on other parameters for a while.
import torch
from torch import optim
from torch.optim import functional


def rounded(tensor):
    return [round(v, 4) for v in tensor.detach().flatten().tolist()]


def zero():
    return [torch.zeros(3)]


def one(value=0.0):
    return [torch.tensor(value)]


betas = dict(beta1=0.9, beta2=0.999)
means = lambda: [zero(), zero()]
cases = {
    "sgd": (lambda: [[None]], dict(weight_decay=0.1, momentum=0.9, lr=0.1, dampening=0, nesterov=True, maximize=False)),
    "adam": (lambda: [*means(), zero(), one()], dict(amsgrad=True, **betas, lr=0.1, weight_decay=0.1, eps=1e-8, maximize=False)),
    "adamw": (lambda: [*means(), [], one()], dict(amsgrad=False, **betas, lr=0.1, weight_decay=0.1, eps=1e-8, maximize=True)),
    "adamax": (lambda: [*means(), one()], dict(eps=1e-8, **betas, lr=0.1, weight_decay=0)),
    "nadam": (lambda: [*means(), one(1.0), one()], dict(**betas, lr=0.1, weight_decay=0, momentum_decay=4e-3, eps=1e-8)),
    "radam": (lambda: [*means(), one(6.0)], dict(**betas, lr=0.1, weight_decay=0, eps=1e-8)),
    "adagrad": (lambda: [zero(), one()], dict(lr=0.1, weight_decay=0, lr_decay=0.1, eps=1e-10, maximize=False)),
    "adadelta": (lambda: [zero(), zero(), one()], dict(lr=1.0, rho=0.9, eps=1e-6, weight_decay=0, maximize=False)),
    "rmsprop": (lambda: [zero(), zero(), zero(), one()], dict(lr=0.1, alpha=0.9, eps=1e-8, weight_decay=0, momentum=0.9, centered=True)),
    "rprop": (lambda: [zero(), [torch.full((3,), 0.1)], one()], dict(step_size_min=1e-6, step_size_max=50, etaminus=0.5, etaplus=1.2)),
    "asgd": (lambda: [zero(), one(1.0), one(0.1), one()], dict(lambd=0.01, lr=0.1, t0=1, alpha=0.75, weight_decay=0)),
    "adafactor": (lambda: [[None], [None], zero(), one()], dict(d=1.0, lr=0.1, beta2_decay=-0.8, weight_decay=0, eps1=None, eps2=1e-3, maximize=False)),
}
for name, (state, options) in cases.items():
    w, kept = torch.tensor([1.0, -2.0, 3.0]), state()
    for _ in range(3):
        getattr(functional, name)([w], [2 * w], *kept, **options)
    print(name, rounded(w), [None if each[0] is None else rounded(each[0]) for each in kept if each])
w, buffer = torch.eye(2), torch.zeros(2, 2)
functional.muon(
    [w], [torch.tensor([[1.0, 2.0], [3.0, 4.0]])], [buffer], lr=0.1, weight_decay=0.1, momentum=0.9, nesterov=True,
    ns_coefficients=(3.4445, -4.775, 2.0315), ns_steps=5, eps=1e-7, adjust_lr_fn=None, has_complex=False,
)
print([round(v, 3) for v in w.flatten().tolist()], rounded(buffer), sorted(functional.__all__))
for wrong in (
    lambda: functional.adam([w], [w], [w], [w], [], [0.0], amsgrad=False, **betas, lr=0.1, weight_decay=0, eps=1e-8, maximize=False),
    lambda: functional.sgd([w], [w], [None]),
):
    try:
        wrong()
    except Exception as error:
        print(type(error).__name__, error)

# Other parameters and another state, for a while.
w = torch.tensor([1.0, 2.0], requires_grad=True)
optimizer = optim.Adam([w], lr=0.1)
w.grad = torch.ones(2)
optimizer.step()
state = optimizer.state_dict()
state = {
    "state": {0: {name: value.clone() for name, value in state["state"][0].items()}},
    "param_groups": [{**state["param_groups"][0], "lr": 1.0}],
}
other = torch.tensor([5.0, 6.0], requires_grad=True)
other.grad = torch.ones(2)
with optim.swap_in_optimizer_params_and_state(optimizer, {"w": other}, state):
    optimizer.step()
    print(optimizer.param_groups[0]["lr"], optimizer.param_groups[0]["params"][0] is other)
print(rounded(w), rounded(other), optimizer.param_groups[0]["lr"], optimizer.param_groups[0]["params"][0] is w)
print(state["state"][0]["step"], optimizer.state[w]["step"], optimizer.state_dict()["state"][0]["step"])
groups = state["param_groups"]
for params, wrong in (
    ({}, state), ({"w": other}, 3), ({"w": other}, {"state": [], "param_groups": groups}),
    ({"w": other}, {"state": {w: {}}, "param_groups": groups}), ({"w": other}, {"state": {0: 3}, "param_groups": groups}),
    ({"w": other}, {"state": {}, "param_groups": {}}), ({"w": other}, {"state": {}, "param_groups": []}),
    ({"w": other}, {"state": {}, "param_groups": [3]}), ({"w": other}, {"state": {}, "param_groups": [{"params": [w]}]}),
    ({"w": other}, {"state": {}, "param_groups": [{"params": [0, 1]}]}),
    ({"w": other}, {"state": {}, "param_groups": [{"params": [0], "lr": 1.0}]}),
    ({"w": other}, {"state": {0: {}, 1: {}}, "param_groups": groups}),
):
    try:
        with optim.swap_in_optimizer_params_and_state(optimizer, params, wrong):
            print("no error")
    except Exception as error:
        print(type(error).__name__, error)
try:
    with optim.swap_in_optimizer_params_and_state(optim.SGD([w]), {"w": other}, state):
        print("no error")
except Exception as error:
    print(type(error).__name__, error)
