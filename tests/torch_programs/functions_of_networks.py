import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.func import functional_call, grad, grad_and_value, hessian, jacrev, stack_module_state, vmap


def attempt(name, call):
    try:
        print(name, call())
    except Exception as error:
        print(name, type(error).__name__, error)


def rounded(x):
    return [round(v, 4) + 0.0 for v in x.flatten().tolist()]


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(3, 4)
        self.second = nn.Linear(4, 2)

    def forward(self, x):
        return self.second(torch.tanh(self.first(x)))


torch.manual_seed(0)
net = Net()
data, target = torch.randn(5, 3), torch.tensor([0, 1, 0, 1, 1])
params = {name: p.detach() for name, p in net.named_parameters()}
buffers = {name: b.detach() for name, b in net.named_buffers()}


# The gradient of each sample.
def loss(params, buffers, sample, label):
    out = functional_call(net, (params, buffers), (sample.unsqueeze(0),))
    return F.cross_entropy(out, label.unsqueeze(0))


each = vmap(grad(loss), in_dims=(None, None, 0, 0))(params, buffers, data, target)
print({name: tuple(g.shape) for name, g in each.items()}, rounded(each["second.bias"]))
F.cross_entropy(net(data), target, reduction="sum").backward()
print([torch.allclose(each[name].sum(0), p.grad, atol=1e-6) for name, p in net.named_parameters()])
norms = torch.stack([g.flatten(1).norm(dim=1) for g in each.values()]).norm(dim=0)
print(rounded(norms))

# An ensemble.
models = [Net() for _ in range(3)]
stacked, stacked_buffers = stack_module_state(models)
print({name: tuple(p.shape) for name, p in stacked.items()}, stacked_buffers, stacked["first.weight"].is_leaf)


def call(params, buffers, x):
    return functional_call(models[0], (params, buffers), (x,))


out = vmap(call, in_dims=(0, 0, None))(stacked, stacked_buffers, data)
print(out.shape, [torch.allclose(out[i], model(data), atol=1e-6) for i, model in enumerate(models)])
out.pow(2).sum().backward()
models[1](data).pow(2).sum().backward()
print(torch.allclose(stacked["first.weight"].grad[1], models[1].first.weight.grad, atol=1e-5))
minibatches = data[:3].unsqueeze(1)
print(vmap(call)(stacked, stacked_buffers, minibatches).shape)

# Plain gradient descent on a dict of parameters.
weights = {name: p.clone() for name, p in params.items()}
step = grad_and_value(lambda p: F.cross_entropy(functional_call(net, p, data), target))
losses = []
for _ in range(20):
    grads, value = step(weights)
    weights = {name: p - 0.5 * grads[name] for name, p in weights.items()}
    losses.append(value)
print(rounded(torch.stack(losses[::5])), all(not p.requires_grad for p in weights.values()))

# One step of MAML: the loss after a step, differentiated through the step.
def adapted(params, x, y):
    grads = grad(lambda p: F.mse_loss(functional_call(net, p, x), y))(params)
    return {name: p - 0.1 * grads[name] for name, p in params.items()}


def after(params, x, y):
    return F.mse_loss(functional_call(net, adapted(params, x, y), x), y)


tasks, wanted = torch.randn(2, 4, 3), torch.randn(2, 4, 2)
meta = grad(lambda p: vmap(after, in_dims=(None, 0, 0))(p, tasks, wanted).mean())(params)
print({name: rounded(g)[:2] for name, g in meta.items()})

# The Jacobian, the tangent kernel, and a Hessian of weights.
jacobian = vmap(jacrev(lambda p, x: functional_call(net, p, x)), in_dims=(None, 0))(params, data)
kernel = sum(torch.einsum("naf,mbf->nmab", j.flatten(2), j.flatten(2)) for j in jacobian.values())
print(kernel.shape, rounded(kernel[0, 1]))
curvature = hessian(lambda p: F.cross_entropy(functional_call(net, {**params, **p}, data), target))({"second.bias": params["second.bias"]})
print(rounded(curvature["second.bias"]["second.bias"]))

# Buffers that a module writes are those that were given.
norm = nn.BatchNorm1d(3)
state = {**dict(norm.named_parameters()), **{name: b.clone() for name, b in norm.named_buffers()}}
out = functional_call(norm, state, data)
print(out.shape, state["running_mean"].abs().sum() > 0, norm.running_mean, state["num_batches_tracked"], norm.num_batches_tracked)
torch.func.replace_all_batch_norm_modules_(norm)
print(norm.running_mean, norm.num_batches_tracked, norm.track_running_stats, rounded(norm.eval()(data[:2]))[:3])


class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(2, 2, bias=False)
        self.b = nn.Linear(2, 2, bias=False)
        self.b.weight = self.a.weight

    def forward(self, x):
        return self.a(x) + self.b(x)


tied, one = Tied(), torch.ones(1, 2)
eye = torch.eye(2)
print(functional_call(tied, {"a.weight": eye}, one), functional_call(tied, {"b.weight": eye}, one))
print(functional_call(tied, {"a.weight": eye, "b.weight": 2 * eye}, one, tie_weights=False))
print(functional_call(net, {}, kwargs={"x": data}).shape, functional_call(net, params, (data,), {}, strict=True).shape)
print(net.first.weight is dict(net.named_parameters())["first.weight"])
attempt("tied", lambda: functional_call(tied, {"a.weight": eye, "b.weight": 2 * eye}, one))
attempt("strict", lambda: functional_call(net, {"first.weight": torch.ones(4, 3), "other": one}, data, strict=True))
attempt("no dict", lambda: functional_call(net, 3, data))
attempt("no dicts", lambda: functional_call(net, ({}, 3), data))
attempt("twice", lambda: functional_call(net, ({"first.weight": one}, {"first.weight": one}), data))
attempt("no model", lambda: stack_module_state([]))
attempt("two classes", lambda: stack_module_state([net, tied]))
attempt("two modes", lambda: stack_module_state([net, Net().eval()]))
frozen = Net().requires_grad_(False)
attempt("two wishes", lambda: stack_module_state([net, frozen]))
