import warnings

import torch
import torch.nn as nn
import torch.nn.utils.prune as prune
from torch.nn.utils import (
    fuse_conv_bn_eval, fuse_linear_bn_eval, remove_spectral_norm, remove_weight_norm, skip_init,
    spectral_norm, weight_norm,
)

warnings.filterwarnings("ignore")


def attempt(function, *args, **kwargs):
    try:
        print("no error:", function(*args, **kwargs))
    except Exception as error:
        print(f"{type(error).__name__}: {error}")


def make():
    layer = nn.Linear(4, 3)
    with torch.no_grad():
        layer.weight.copy_(torch.tensor([[0.1, -0.5, 0.3, 2.0], [-1.0, 0.05, 0.7, -0.2], [0.6, 0.9, -1.5, 0.4]]))
        layer.bias.copy_(torch.tensor([0.1, -0.2, 0.3]))
    return layer


print("unstructured")
layer = make()
print(prune.is_pruned(layer), prune.l1_unstructured(layer, "weight", amount=4) is layer, prune.is_pruned(layer))
print(layer.weight_mask, layer.weight, [name for name, _ in layer.named_parameters()], list(layer.state_dict()))
print(list(layer._forward_pre_hooks.values())[0].__class__.__name__, [name for name, _ in layer.named_buffers()])
layer(torch.ones(1, 4)).sum().backward()
print(layer.weight_orig.grad, layer.weight.requires_grad)
with torch.no_grad():
    layer.weight_orig.add_(1.0)
layer(torch.ones(1, 4))
print(layer.weight)
prune.l1_unstructured(layer, "weight", amount=0.25)
print(layer.weight_mask)
hook = list(layer._forward_pre_hooks.values())[0]
print(type(hook).__name__, len(hook), [type(each).__name__ for each in hook], type(hook[0]).__name__, len(layer._forward_pre_hooks))
prune.remove(layer, "weight")
print(layer.weight, list(layer.state_dict()), prune.is_pruned(layer), len(layer._forward_pre_hooks))
attempt(prune.remove, layer, "weight")
for amount in (0, 0.0, 12, 1.0, 0.5, 1):
    print(amount, int(prune.l1_unstructured(make(), "weight", amount).weight_mask.sum()))
torch.manual_seed(0)
for amount in (3, 0.5):
    print(prune.random_unstructured(make(), "weight", amount).weight_mask)
print(prune.identity(make(), "bias").bias_mask, prune.identity(make(), "weight").weight.grad_fn is not None)
scores = torch.arange(12.0).view(3, 4)
print(prune.l1_unstructured(make(), "weight", 5, importance_scores=scores).weight_mask)
print(round(torch.rand(1).item(), 5))

print("structured")
for n, dim in ((2, 0), (1, 1), (float("inf"), -1), ("fro", 0), (-float("inf"), 1)):
    print(n, dim, prune.ln_structured(make(), "weight", amount=1, n=n, dim=dim).weight_mask)
print(prune.ln_structured(make(), "weight", amount=0.5, n=2, dim=1, importance_scores=scores).weight_mask)
torch.manual_seed(1)
print(prune.random_structured(make(), "weight", amount=2, dim=0).weight_mask)
print(prune.random_structured(make(), "weight", amount=0.5, dim=1).weight_mask)
print(prune.random_structured(make(), "weight", amount=0, dim=1).weight_mask.sum(), round(torch.rand(1).item(), 5))
layer = prune.l1_unstructured(make(), "weight", amount=3)
prune.ln_structured(layer, "weight", amount=1, n=2, dim=0)
print(layer.weight_mask)
prune.ln_structured(layer, "weight", amount=1, n=2, dim=0)
print(layer.weight_mask)
prune.custom_from_mask(layer, "weight", torch.tensor([[0, 1, 1, 1]] * 3))
print(layer.weight_mask, len(list(layer._forward_pre_hooks.values())[0]))
conv = prune.ln_structured(nn.Conv2d(2, 3, 2), "weight", amount=1, n=2, dim=0)
print(conv.weight_mask.sum(), conv(torch.ones(1, 2, 3, 3)).shape)

print("global")
a, b = make(), nn.Linear(3, 1)
with torch.no_grad():
    b.weight.copy_(torch.tensor([[0.01, 0.02, 3.0]]))
prune.global_unstructured([(a, "weight"), (b, "weight"), (a, "bias")], pruning_method=prune.L1Unstructured, amount=0.4)
print(a.weight_mask, b.weight_mask, a.bias_mask)
prune.global_unstructured([(a, "weight"), (b, "weight")], prune.L1Unstructured, amount=2)
print(a.weight_mask, b.weight_mask)
torch.manual_seed(2)
a, b = make(), nn.Linear(3, 1)
prune.global_unstructured(((a, "weight"), (b, "weight")), prune.RandomUnstructured, amount=5)
print(a.weight_mask, b.weight_mask, round(torch.rand(1).item(), 5))
net = nn.Sequential(a, b)
print(prune.is_pruned(net), prune.is_pruned(net[0]), prune.is_pruned(nn.ReLU()), list(net.state_dict()))
twin = nn.Sequential(prune.identity(make(), "weight"), prune.identity(nn.Linear(3, 1), "weight"))
print(twin.load_state_dict(net.state_dict()), torch.equal(twin(torch.ones(4)), net(torch.ones(4))))

print("methods")
method = prune.L1Unstructured(amount=2)
t = torch.tensor([3.0, -1.0, 2.0, -4.0])
print(method.prune(t), method.prune(t, default_mask=torch.tensor([1.0, 1.0, 1.0, 0.0])), method.prune(t, importance_scores=-t))
print(method.compute_mask(t, torch.ones(4)), prune.CustomFromMask(torch.tensor([1, 0, 0, 1])).prune(t), method.PRUNING_TYPE)


class Even(prune.BasePruningMethod):
    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t, default_mask):
        mask = default_mask.clone()
        mask.view(-1)[::2] = 0
        return mask


layer = make()
print(type(Even.apply(layer, "bias")).__name__, layer.bias, layer.bias_orig)
attempt(prune.l1_unstructured, make(), "weight", "much")
for amount in (-1, 1.5, -0.1, 13):
    attempt(lambda: prune.l1_unstructured(make(), "weight", amount).weight_mask.sum())
attempt(prune.ln_structured, make(), "bias", 1, 2, 0)
attempt(prune.random_structured, make(), "weight", 1, 2)
attempt(prune.l1_unstructured, make(), "weight", 1, importance_scores=torch.ones(2))
attempt(prune.custom_from_mask, make(), "weight", torch.ones(2))
attempt(prune.global_unstructured, 3, prune.L1Unstructured, amount=1)
attempt(prune.global_unstructured, [(make(), "weight")], prune.L1Unstructured, importance_scores=[1], amount=1)
attempt(prune.L1Unstructured(1).prune, t, importance_scores=torch.ones(2))
attempt(prune.PruningContainer().add_pruning_method, 3)

print("weight norm by a hook")
x = torch.tensor([[1.0, -2.0, 0.5, 1.0]])
for dim in (0, 1, None):
    layer = weight_norm(make(), dim=dim)
    y = layer(x)
    y.pow(2).sum().backward()
    print([round(v, 4) for v in y.flatten().tolist()], layer.weight_g.shape, list(layer.state_dict()), isinstance(layer.weight, nn.Parameter))
    print([[round(v, 3) for v in p.grad.flatten().tolist()] for p in layer.parameters()])
attempt(weight_norm, layer)
print(layer, remove_weight_norm(layer) is layer, [name for name, _ in layer.named_parameters()], isinstance(layer.weight, nn.Parameter))
attempt(remove_weight_norm, layer)
attempt(remove_spectral_norm, layer, "bias")

print("spectral norm by a hook")
for make_layer, dim in ((make, None), (make, 1), (lambda: nn.Conv2d(2, 3, 2), None), (lambda: nn.ConvTranspose2d(2, 3, 2), None)):
    torch.manual_seed(3)
    layer = spectral_norm(make_layer(), n_power_iterations=2, dim=dim)
    print(list(layer.state_dict()), dict(layer.state_dict()._metadata), round(torch.rand(1).item(), 5))
    given = x if isinstance(layer, nn.Linear) else torch.ones(1, 2, 3, 3)
    for mode in (True, True, False):
        layer.train(mode)
        layer(given).sum().backward()
        print([round(v, 4) for v in layer.weight.flatten()[:4].tolist()], [round(v, 3) for v in layer.weight_u.tolist()])
    print([round(v, 2) for v in layer.weight_orig.grad.flatten()[:4].tolist()])
layer = spectral_norm(make())
attempt(spectral_norm, layer)
layer.load_state_dict(layer.state_dict())
print(remove_spectral_norm(layer) is layer, [name for name, _ in layer.named_parameters()], list(layer.state_dict()))
attempt(remove_spectral_norm, layer)
attempt(spectral_norm, make(), n_power_iterations=0)
attempt(spectral_norm, nn.Linear(1, 1, bias=False), "bias")

print("fused")
for conv, norm, shape in ((nn.Conv2d(2, 3, 2), nn.BatchNorm2d(3), (1, 2, 4, 4)), (nn.Conv1d(2, 3, 2, bias=False), nn.BatchNorm1d(3, affine=False), (1, 2, 5)),
                          (nn.ConvTranspose2d(2, 3, 2), nn.BatchNorm2d(3), (1, 2, 4, 4))):
    norm.running_mean.copy_(torch.arange(3.0))
    norm.running_var.fill_(4.0)
    conv.eval(), norm.eval()
    fused = fuse_conv_bn_eval(conv, norm, transpose=isinstance(conv, nn.ConvTranspose2d))
    given = torch.randn(shape)
    print(torch.allclose(fused(given), norm(conv(given)), atol=1e-5), fused, fused.weight.requires_grad, fused.bias.requires_grad, fused.training)
linear, norm = make().eval(), nn.BatchNorm1d(3).eval()
norm.running_mean.copy_(torch.arange(3.0))
print(torch.allclose(fuse_linear_bn_eval(linear, norm)(x), norm(linear(x)), atol=1e-5))
attempt(fuse_conv_bn_eval, conv.train(), nn.BatchNorm2d(3).eval())
attempt(fuse_linear_bn_eval, make().eval(), nn.BatchNorm1d(2).eval())
attempt(fuse_linear_bn_eval, make().eval(), nn.BatchNorm1d(3, track_running_stats=False).eval())

print("without drawing")
torch.manual_seed(4)
layer = skip_init(nn.Linear, 3, 2, bias=False)
print(layer, layer.weight.shape, layer.weight.requires_grad, round(torch.rand(1).item(), 5))


class Own(nn.Module):
    def __init__(self, n):
        super().__init__()


attempt(skip_init, Own, 3)
attempt(skip_init, dict)
