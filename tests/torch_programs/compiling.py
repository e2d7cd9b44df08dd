# torch.compile gives what the function or the module gives; cond and while_loop run.
import torch
import torch.nn as nn

torch.manual_seed(0)


@torch.compile(backend="eager")
def f(x, y=1.0):
    if x.sum() > 0:
        return x.sin() + y
    return x.cos() - y


print(f(torch.ones(3)), f(-torch.ones(3), y=2.0))
g = torch.compile(lambda x: x * 2, backend="eager", fullgraph=True, dynamic=False)
x = torch.ones(2, requires_grad=True)
g(x).sum().backward()
print(x.grad)


@torch.compile(backend="eager", fullgraph=True)
def named(x):
    """What it does."""
    return x + 1


print(named.__name__, named.__doc__, named(torch.zeros(1)))

net = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1))
fast = torch.compile(net, backend="eager")
print(fast)
inputs = torch.randn(5, 3)
print(torch.equal(fast(inputs), net(inputs)))
print([name for name, _ in fast.named_parameters()], len(list(fast.parameters())))
print(list(fast.state_dict()), fast._orig_mod is net, isinstance(fast, nn.Module))
optimizer = torch.optim.Adam(fast.parameters(), lr=0.05)
for _ in range(10):
    optimizer.zero_grad()
    loss = fast(inputs).pow(2).mean()
    loss.backward()
    optimizer.step()
print(round(loss.item(), 4), torch.equal(fast(inputs), net(inputs)))
fast.eval()
print(fast.training, net.training)
fast.train()
print(fast.training, net.training)
fast.load_state_dict(fast.state_dict())
net.compile(backend="eager")
print(net(inputs).shape)
try:
    torch.compile(net, mode="max-autotune", options={"trace.enabled": True})
except Exception as e:
    print(type(e).__name__, e)
print(f(torch.zeros(1)))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 2)
        self.scale = 3

    def forward(self, x):
        return self.layer(x) * self.scale

    def twice(self, x):
        return self(self(x))


own = torch.compile(Net(), backend="eager")
print(own.scale, own.layer, own.twice(torch.ones(1, 2)).shape)
print(torch.compiler.is_compiling(), torch.compiler.is_dynamo_compiling())


@torch.compiler.disable
def slow(x):
    return x + 1


print(slow(torch.ones(1)))
torch.compiler.reset()
torch._dynamo.reset()
