# Ten steps of every optimizer, with each of its options.
import torch
from torch import optim

torch.manual_seed(0)
target = torch.randn(4, 3)
x = torch.randn(6, 4)


def short(values):
    return [float(f"{v:.3g}") for v in values]


def run(name, **options):
    torch.manual_seed(1)
    w = torch.randn(4, 3, requires_grad=True)
    b = torch.zeros(3, requires_grad=True)
    params = [w] if name == "Muon" else [w, b]
    optimizer = getattr(optim, name)(params, **options)
    losses = []
    for _ in range(10):
        optimizer.zero_grad()
        loss = ((x @ w + b - x @ target) ** 2).mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    print(name, options)
    print("  losses", short(losses))
    print("  weights", [round(v, 3) for v in w.flatten().tolist()], [round(v, 3) for v in b.tolist()])
    for p in params:
        state = optimizer.state[p] if p in optimizer.state else {}
        print("  state", {k: short(v.flatten().tolist()) for k, v in state.items()})


run("SGD", lr=0.1)
run("SGD")
run("SGD", lr=0.1, momentum=0.9)
run("SGD", lr=0.05, momentum=0.9, dampening=0.5)
run("SGD", lr=0.05, momentum=0.9, nesterov=True, weight_decay=0.1)
run("SGD", lr=0.01, maximize=True)
run("SGD", lr=0.1, momentum=0.9, foreach=True)
run("SGD", lr=0.1, momentum=0.9, fused=True)
run("SGD", lr=torch.tensor(0.1), momentum=0.9)
run("Adam")
run("Adam", lr=0.1)
run("Adam", lr=0.1, betas=(0.5, 0.9), eps=1e-3)
run("Adam", lr=0.1, weight_decay=0.1)
run("Adam", lr=0.1, amsgrad=True)
run("Adam", lr=0.1, weight_decay=0.1, decoupled_weight_decay=True)
run("Adam", lr=0.1, maximize=True)
run("Adam", lr=torch.tensor([0.1]))
run("Adam", lr=0.1, fused=True)
run("Adam", lr=0.1, betas=(torch.tensor(0.9), torch.tensor(0.99)))
run("AdamW", lr=0.1)
run("AdamW", lr=0.1, weight_decay=0.5, amsgrad=True)
run("AdamW", lr=0.1, foreach=True)
run("Adamax")
run("Adamax", lr=0.1, betas=(0.8, 0.95), weight_decay=0.1, eps=1e-4)
run("Adamax", lr=0.1, maximize=True)
run("NAdam")
run("NAdam", lr=0.1, weight_decay=0.1)
run("NAdam", lr=0.1, weight_decay=0.1, decoupled_weight_decay=True)
run("NAdam", lr=0.1, momentum_decay=0.1, betas=(0.8, 0.9), eps=1e-4, maximize=True)
run("RAdam")
run("RAdam", lr=0.1, weight_decay=0.1)
run("RAdam", lr=0.1, weight_decay=0.1, decoupled_weight_decay=True)
run("RAdam", lr=0.1, betas=(0.8, 0.9), eps=1e-4)
run("RAdam", lr=0.1, maximize=True)
run("Adagrad")
run("Adagrad", lr=0.1, lr_decay=0.1, weight_decay=0.1)
run("Adagrad", lr=0.1, initial_accumulator_value=0.5, eps=1e-3)
run("Adagrad", lr=0.1, maximize=True)
run("Adadelta")
run("Adadelta", lr=0.5, rho=0.5, eps=1e-3, weight_decay=0.1)
run("Adadelta", maximize=True)
run("RMSprop")
run("RMSprop", lr=0.1, alpha=0.9, weight_decay=0.1)
run("RMSprop", lr=0.05, momentum=0.9)
run("RMSprop", lr=0.05, centered=True)
run("RMSprop", lr=0.05, centered=True, momentum=0.5, eps=1e-3)
run("RMSprop", lr=0.05, maximize=True)
run("Rprop")
run("Rprop", lr=0.1, etas=(0.3, 1.5), step_sizes=(1e-3, 0.3))
run("Rprop", lr=0.1, maximize=True)
run("ASGD")
run("ASGD", lr=0.1, lambd=0.1, alpha=0.5, t0=3, weight_decay=0.1)
run("ASGD", t0=0, maximize=True)
run("Adafactor")
run("Adafactor", lr=0.1, beta2_decay=-0.5, eps=(1e-5, 1e-2), d=2.0, weight_decay=0.1)
run("Adafactor", lr=0.1, maximize=True)
run("Muon", lr=0.02)
run("Muon", lr=0.02, momentum=0.5, nesterov=False, weight_decay=0.0, ns_steps=3)
run("Muon", lr=0.02, adjust_lr_fn="match_rms_adamw", eps=1e-3)
run("Muon", lr=0.02, adjust_lr_fn="spectral_unclamped", ns_coefficients=(2.0, -1.5, 0.5))
run("Muon", lr=0.02, adjust_lr_fn="original")

# In float64 the digits agree further.
torch.manual_seed(2)
x, target = x.double(), target.double()
for name in ("SGD", "Adam", "AdamW", "Adamax", "NAdam", "RAdam", "Adagrad", "Adadelta", "RMSprop", "Rprop", "ASGD", "Adafactor"):
    w = torch.zeros(4, 3, dtype=torch.float64, requires_grad=True)
    optimizer = getattr(optim, name)([w], lr=0.05)
    for _ in range(20):
        optimizer.zero_grad()
        ((x @ w - x @ target) ** 2).mean().backward()
        optimizer.step()
    print(name, [round(v, 7) for v in w[0].tolist()], {k: v.dtype for k, v in optimizer.state[w].items()} if w in optimizer.state else {})
