import torch
from torch import optim

w = torch.ones(2, 2, requires_grad=True)
b = torch.ones(2, requires_grad=True)
names = ["SGD", "Adam", "AdamW", "Adamax", "NAdam", "RAdam", "Adagrad", "Adadelta", "RMSprop", "Rprop", "ASGD", "Adafactor", "Muon"]


def attempt(what, call):
    try:
        call()
        print(what, "no error")
    except Exception as error:
        print(what, type(error).__name__, error)


for name in names:
    kind = getattr(optim, name)
    attempt(name, lambda: kind())
    attempt(name, lambda: kind([]))
    attempt(name, lambda: kind([w], lr=-1.0))
    attempt(name, lambda: kind([w], lr=torch.ones(2)))
    attempt(name, lambda: kind([w], learning_rate=0.1))
    attempt(name, lambda: kind([w], weight_decay=-0.1))
    attempt(name, lambda: kind(w))
    attempt(name, lambda: kind([w, w.clone()]))
    attempt(name, lambda: kind([{"params": [w]}, {"params": [w]}]))
for name in ("Adam", "AdamW", "Adamax", "NAdam", "RAdam"):
    kind = getattr(optim, name)
    attempt(name, lambda: kind([w], betas=(1.0, 0.9)))
    attempt(name, lambda: kind([w], betas=(0.9, -0.1)))
    attempt(name, lambda: kind([w], eps=-1e-8))
for what, call in {
    "momentum": lambda: optim.SGD([w], momentum=-0.9),
    "nesterov": lambda: optim.SGD([w], nesterov=True),
    "nesterov dampening": lambda: optim.SGD([w], momentum=0.9, nesterov=True, dampening=0.1),
    "nesterov late": lambda: optim.SGD([w], 0.1, 0, 0, 0, True),
    "fused foreach": lambda: optim.SGD([w], fused=True, foreach=True),
    "fused differentiable": lambda: optim.Adam([w], fused=True, differentiable=True),
    "fused foreach Adam": lambda: optim.AdamW([w], fused=True, foreach=True),
    "fused Adagrad": lambda: optim.Adagrad([w], fused=True, differentiable=True),
    "betas of two kinds": lambda: optim.Adam([w], betas=(torch.tensor(0.9), 0.999)),
    "long beta": lambda: optim.Adam([w], betas=(torch.tensor([0.9, 0.9]).mean(), torch.tensor([0.99]))),
    "foreach tensor": lambda: optim.Adam([w], lr=torch.tensor(0.1), foreach=True),
    "foreach beta": lambda: optim.Adam([w], betas=(torch.tensor(0.9), torch.tensor(0.99)), foreach=True),
    "mu": lambda: optim.NAdam([w], momentum_decay=-1),
    "lr_decay": lambda: optim.Adagrad([w], lr_decay=-1),
    "accumulator": lambda: optim.Adagrad([w], initial_accumulator_value=-1),
    "eps Adagrad": lambda: optim.Adagrad([w], eps=-1),
    "rho": lambda: optim.Adadelta([w], rho=1.5),
    "eps Adadelta": lambda: optim.Adadelta([w], eps=-1),
    "alpha": lambda: optim.RMSprop([w], alpha=-0.1),
    "momentum RMSprop": lambda: optim.RMSprop([w], momentum=-0.1),
    "eps RMSprop": lambda: optim.RMSprop([w], eps=-0.1),
    "etas": lambda: optim.Rprop([w], etas=(1.5, 0.5)),
    "lambd": lambda: optim.ASGD([w], lambd=-1),
    "alpha ASGD": lambda: optim.ASGD([w], alpha=-1),
    "beta2_decay": lambda: optim.Adafactor([w], beta2_decay=0.1),
    "eps1": lambda: optim.Adafactor([w], eps=(-1, 1e-3)),
    "eps2": lambda: optim.Adafactor([w], eps=(None, -1e-3)),
    "d": lambda: optim.Adafactor([w], d=0.5),
    "momentum Muon": lambda: optim.Muon([w], momentum=-0.1),
    "shape": lambda: optim.Muon([w, b]),
    "function": lambda: optim.Muon([w], adjust_lr_fn="mine"),
    "no tensor": lambda: optim.SGD([w, 1.0]),
    "text": lambda: optim.SGD(["w"]),
    "number": lambda: optim.SGD(3),
    "no params": lambda: optim.SGD([{"lr": 0.1}]),
    "set": lambda: optim.SGD([{"params": {w, b}}]),
    "mixed names": lambda: optim.SGD([("w", w), b]),
    "named and not": lambda: optim.SGD([{"params": [("w", w)]}, {"params": [b]}]),
    "not and named": lambda: optim.SGD([{"params": [w]}, {"params": [("b", b)]}]),
    "group": lambda: optim.SGD([w]).add_param_group([b]),
    "twice": lambda: optim.SGD([w]).add_param_group({"params": w}),
    "base": lambda: optim.Optimizer([w], {}).step(),
    "no optimizer": lambda: optim.Optimizer([w]),
    "late": lambda: optim.LBFGS([w]).step(),
}.items():
    attempt(what, call)

for name in ("Adam", "Adadelta", "NAdam", "ASGD", "Adamax", "RAdam", "RMSprop", "Rprop"):
    v = torch.ones(2, requires_grad=True)
    v.grad = torch.ones(2)
    attempt(name, lambda: getattr(optim, name)([v], capturable=True).step())

# States that do not fit.
optimizer, other = optim.Adam([w]), optim.Adam([w, b])
attempt("size", lambda: optimizer.load_state_dict(other.state_dict()))
attempt("groups", lambda: optimizer.load_state_dict(optim.Adam([{"params": [w]}, {"params": [b]}]).state_dict()))
attempt("nothing", lambda: optimizer.load_state_dict({}))
attempt("state", lambda: optimizer.load_state_dict({"param_groups": optimizer.state_dict()["param_groups"]}))
v = torch.ones(2, requires_grad=True)
v.grad = torch.ones(2)
muon = optim.Muon([w], ns_steps=100)
w.grad = torch.ones(2, 2)
attempt("iterations", muon.step)
attempt("coefficients", optim.Muon([w], ns_coefficients=(1.0, 2.0)).step)
