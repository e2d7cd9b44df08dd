# autocast: which ops run low and which in float32, gradients, nesting; GradScaler's growth, backoff and checks.
import warnings

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
x, w, b = torch.randn(3, 4), torch.randn(5, 4), torch.randn(5)


def show(name, f):
    try:
        y = f()
        print(name, y.dtype, tuple(y.shape))
    except Exception as e:
        print(name, type(e).__name__, e)


for dtype in (torch.bfloat16, torch.float16):
    with torch.autocast("cpu", dtype=dtype):
        show("matmul", lambda: x @ w.T)
        show("mm", lambda: torch.mm(x, w.T))
        show("bmm", lambda: torch.bmm(x[None], w.T[None]))
        show("baddbmm", lambda: torch.baddbmm(torch.zeros(1, 3, 5), x[None], w.T[None]))
        show("addmm", lambda: torch.addmm(b, x, w.T))
        show("linear", lambda: F.linear(x, w, b))
        show("einsum", lambda: torch.einsum("ij,kj->ik", x, w))
        show("einsum of one", lambda: torch.einsum("ij->ji", x))
        show("einsum of three", lambda: torch.einsum("ij,kj,k->i", x, w, b))
        show("conv1d", lambda: F.conv1d(x[None], torch.randn(2, 3, 2)))
        show("conv2d", lambda: F.conv2d(x[None, None], torch.randn(2, 1, 2, 2)))
        show("attention", lambda: F.scaled_dot_product_attention(x[None], x[None], x[None]))
        show("add", lambda: x + 1)
        show("mixed add", lambda: x + (x @ w.T)[:, :4])
        show("relu", lambda: F.relu(x @ w.T))
        show("softmax", lambda: F.softmax(x @ w.T, -1))
        show("log_softmax", lambda: F.log_softmax(x @ w.T, -1))
        show("sum", lambda: (x @ w.T).sum())
        show("mean", lambda: (x @ w.T).mean())
        show("exp", lambda: (x @ w.T).exp())
        show("pow", lambda: (x @ w.T) ** 2)
        show("prod", lambda: (x @ w.T).prod())
        show("mse", lambda: F.mse_loss(x @ w.T, torch.zeros(3, 5)))
        show("cross_entropy", lambda: F.cross_entropy(x @ w.T, torch.tensor([0, 1, 2])))
        show("bce logits", lambda: F.binary_cross_entropy_with_logits(x @ w.T, torch.ones(3, 5)))
        show("bce", lambda: F.binary_cross_entropy((x @ w.T).sigmoid(), torch.ones(3, 5)))
        show("layer_norm", lambda: F.layer_norm(x @ w.T, (5,)))
        show("nn.LayerNorm", lambda: nn.LayerNorm(5)(x @ w.T))
        show("cat", lambda: torch.cat([x, x @ w.T], 1))
        show("float64", lambda: x.double() @ w.T.double())
        show("integers", lambda: torch.arange(4).view(2, 2) @ torch.arange(4).view(2, 2))
        show("addbmm", lambda: torch.addbmm(torch.zeros(3, 5), x[None], w.T[None]))
        show("mv", lambda: torch.mv(x, torch.ones(4)))
print(torch.is_autocast_enabled("cpu"), torch.get_autocast_dtype("cpu"), torch.get_autocast_dtype("cuda"))

# Nesting, decorators, the state
with torch.autocast("cpu"):
    print(torch.is_autocast_enabled("cpu"), torch.is_autocast_cpu_enabled(), torch.is_autocast_enabled())
    print((x @ w.T).dtype)
    with torch.autocast("cpu", enabled=False):
        print((x @ w.T).dtype)
    with torch.autocast("cpu", dtype=torch.float16):
        print((x @ w.T).dtype, torch.get_autocast_cpu_dtype())
    print((x @ w.T).dtype, torch.get_autocast_cpu_dtype())


@torch.autocast(device_type="cpu")
def product(a, b):
    return a @ b


from torch import matmul

with torch.autocast("cpu"):
    print(matmul(x, w.T).dtype)
print(matmul(x, w.T).dtype)
print(product(x, w.T).dtype, (x @ w.T).dtype)
try:
    with torch.autocast("cpu"):
        raise KeyError("within")
except KeyError as e:
    print(repr(e), torch.is_autocast_enabled("cpu"))

for call in (
    lambda: torch.autocast(3),
    lambda: torch.autocast("quantum"),
    lambda: torch.autocast("cpu")(3),
    lambda: torch.amp.is_autocast_available("nothing"),
):
    try:
        call()
        print("no error")
    except Exception as e:
        print(type(e).__name__, str(e)[:300])
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    with torch.autocast("cpu", dtype=torch.float64):
        print((x @ w.T).dtype)
print([str(each.message) for each in caught])
print([torch.amp.is_autocast_available(each) for each in ("cpu", "cuda", "mps")])
print(torch.is_autocast_cache_enabled())

# Gradients arrive in the dtype of the weights.
torch.manual_seed(1)
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
inputs, targets = torch.randn(6, 4), torch.tensor([0, 1, 0, 1, 1, 0])
optimizer = torch.optim.SGD(net.parameters(), lr=0.5)
for _ in range(5):
    optimizer.zero_grad()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        out = net(inputs)
        loss = F.cross_entropy(out, targets)
    loss.backward()
    optimizer.step()
    print(out.dtype, loss.dtype, round(loss.item(), 2))
print({name: p.grad.dtype for name, p in net.named_parameters()})


# Own functions
class Product(torch.autograd.Function):
    @staticmethod
    @torch.amp.custom_fwd(device_type="cpu", cast_inputs=torch.float32)
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a @ b

    @staticmethod
    @torch.amp.custom_bwd(device_type="cpu")
    def backward(ctx, grad):
        a, b = ctx.saved_tensors
        return grad @ b.T, a.T @ grad


a = torch.randn(2, 3, requires_grad=True)
with torch.autocast("cpu"):
    y = Product.apply(a, torch.ones(3, 2))
print(y.dtype)
y.sum().backward()
print(a.grad.dtype, a.grad)

# GradScaler
scaler = torch.amp.GradScaler("cpu", init_scale=8.0, growth_interval=2)
print(scaler.is_enabled(), scaler.get_scale(), scaler.state_dict())
p = torch.tensor([1.0, 2.0], requires_grad=True)
optimizer = torch.optim.SGD([p], lr=0.1)
for step, factor in enumerate([1.0, 1.0, float("inf"), 1.0, 1.0, float("nan"), 1.0]):
    optimizer.zero_grad()
    loss = (p * p).sum() * factor
    scaler.scale(loss).backward()
    result = scaler.step(optimizer)
    scaler.update()
    print(step, result, [round(v, 4) for v in p.tolist()], scaler.get_scale())
print(scaler.state_dict())
optimizer.zero_grad()
scaler.scale((p * p).sum()).backward()
print([round(v, 4) for v in p.grad.tolist()])
scaler.unscale_(optimizer)
print([round(v, 4) for v in p.grad.tolist()])
print(round(torch.nn.utils.clip_grad_norm_([p], 0.1).item(), 4))
for call in (
    lambda: scaler.unscale_(optimizer),
    lambda: scaler.step(optimizer, closure=lambda: 0),
    lambda: (scaler.step(optimizer), scaler.unscale_(optimizer)),
    lambda: scaler.step(optimizer),
    lambda: (scaler.update(), scaler.update()),
    lambda: scaler.scale(3),
    lambda: scaler.load_state_dict({}),
    lambda: torch.amp.GradScaler("cpu").step(optimizer),
    lambda: torch.amp.GradScaler("cpu", growth_factor=1.0),
    lambda: torch.amp.GradScaler("cpu", backoff_factor=1.5),
):
    try:
        print(call())
    except Exception as e:
        print(type(e).__name__, e)
print(scaler.scale([torch.ones(1), (torch.ones(2), torch.zeros(1))]))
other = torch.amp.GradScaler("cpu")
other.load_state_dict(scaler.state_dict())
print(other.state_dict() == scaler.state_dict(), other.get_scale())
other.set_growth_factor(3.0), other.set_backoff_factor(0.25), other.set_growth_interval(7)
print(other.get_growth_factor(), other.get_backoff_factor(), other.get_growth_interval())
scaler.scale(torch.ones(1))
scaler.update(32.0)
print(scaler.get_scale())
off = torch.amp.GradScaler("cpu", enabled=False)
print(off.state_dict(), off.get_scale(), off.scale(3), off.is_enabled())
off.update()
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    scaler = torch.cuda.amp.GradScaler()
    with torch.cuda.amp.autocast():
        print((x @ w.T).dtype)
print(scaler.is_enabled(), [f"{each.category.__name__}: {each.message}" for each in caught])
