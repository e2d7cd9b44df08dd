import torch
import torch.autograd.forward_ad as fwAD


def attempt(name, call):
    try:
        print(name, call())
    except Exception as error:
        print(name, type(error).__name__, error)


x, v = torch.tensor([0.5, -1.0, 2.0]), torch.tensor([1.0, 2.0, 3.0])
with fwAD.dual_level():
    dual = fwAD.make_dual(x, v)
    primal, tangent = fwAD.unpack_dual(dual * 2 + dual.sin())
    print(primal, tangent)
    print(fwAD.unpack_dual(dual).primal, fwAD.unpack_dual(dual).tangent, fwAD.unpack_dual(torch.ones(2)))
    print(fwAD.unpack_dual(dual * dual.sum()).tangent, fwAD.unpack_dual(dual.exp().sum()).tangent)
    print(fwAD.unpack_dual(dual.detach() * 2).tangent, fwAD.unpack_dual((dual > 0).sum()).tangent)
    other = fwAD.make_dual(v, torch.ones(3))
    print(fwAD.unpack_dual((dual * other).sum()).tangent, fwAD.unpack_dual(torch.stack([dual, other])).tangent)
    attempt("integers", lambda: fwAD.make_dual(torch.tensor([1]), torch.tensor([1.0])))
    attempt("tangent", lambda: fwAD.make_dual(torch.tensor([1.0]), torch.tensor([1])))
attempt("no level", lambda: fwAD.make_dual(x, v))
print(fwAD.unpack_dual(x))
level = fwAD.enter_dual_level()
print(level, fwAD.unpack_dual(fwAD.make_dual(x, v) ** 2).tangent)
fwAD.exit_dual_level(level=level)
level = fwAD.enter_dual_level()
attempt("level", lambda: fwAD.exit_dual_level(level=3))
fwAD.exit_dual_level()

# A network: the tangents of all weights at once.
torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 2))
data = torch.randn(2, 3)
parameters = dict(net.named_parameters())
tangents = {name: torch.rand_like(p) for name, p in parameters.items()}
with fwAD.dual_level():
    duals = {name: fwAD.make_dual(p, tangents[name]) for name, p in parameters.items()}
    out = torch.func.functional_call(net, duals, data)
    along = fwAD.unpack_dual(out).tangent
print([round(n, 4) for n in along.flatten().tolist()])
with fwAD.dual_level():
    out = fwAD.unpack_dual(net(fwAD.make_dual(data, torch.ones(2, 3))))
    print([round(n, 4) for n in out.tangent.flatten().tolist()])

# Derivatives of derivatives: forward over the walk back, and the walk back over forward.
leaf = torch.tensor([0.5, -1.0, 2.0], requires_grad=True)
with fwAD.dual_level():
    dual = fwAD.make_dual(leaf, v)
    tangent = fwAD.unpack_dual((dual ** 3).sum()).tangent
    print(tangent.detach(), torch.autograd.grad(tangent, leaf))
with fwAD.dual_level():
    dual = fwAD.make_dual(leaf, v)
    (slope,) = torch.autograd.grad((dual ** 3).sum(), dual, create_graph=True)
    print(fwAD.unpack_dual(slope).tangent.detach())
with torch.no_grad(), fwAD.dual_level():
    print(fwAD.unpack_dual(fwAD.make_dual(x, v).sum()).primal)
