# Modules, optimisers, losses, initialisation and batches; compared with PyTorch.
# Modules, losses and optimisers, printed as PyTorch prints them (../make.sh).
import glowgrad as torch
import glowgrad.nn as nn
import glowgrad.nn.functional as F

torch.manual_seed(0)
l = nn.Linear(3, 2)
print(l, l.weight, l.bias, l(torch.ones(1, 3)))
print(nn.Linear(2, 2, bias=False), nn.Linear(2, 3).bias)
m = nn.Sequential(nn.Flatten(), nn.Linear(4, 5), nn.Tanh(), nn.Dropout(0.0), nn.Linear(5, 3), nn.Softmax(dim=-1))
print(m, len(m), m[1], m[1:3], m(torch.ones(2, 2, 2)))
print([(n, tuple(p.shape)) for n, p in m.named_parameters()], sum(p.numel() for p in m.parameters()))
print([n for n, _ in m.named_modules()], [type(c).__name__ for c in m.children()], list(m.state_dict()))


class Block(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.first = nn.Linear(n, n)
        self.norm = nn.LayerNorm(n)
        self.scale = nn.Parameter(torch.ones(1))
        self.register_buffer("count", torch.zeros(1))
        self.unused = None

    def forward(self, x):
        self.count += 1
        return x + self.scale * self.norm(torch.relu(self.first(x)))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(4, 3)
        self.blocks = nn.ModuleList([Block(3) for _ in range(2)])
        self.heads = nn.ModuleDict({"a": nn.Linear(3, 2)})

    def forward(self, i):
        x = self.embed(i)
        for block in self.blocks:
            x = block(x)
        return self.heads["a"](x)


net = Net()
print(net)
print([n for n, _ in net.named_parameters()], [n for n, _ in net.named_buffers()])
out = net(torch.tensor([0, 3, 1]))
print(out, net.blocks[0].count, net.training, net.eval().training, net.train().blocks[1].norm.training)
loss = F.cross_entropy(out, torch.tensor([0, 1, 1]))
loss.backward()
print(loss, net.embed.weight.grad, net.blocks[1].scale.grad, net.heads["a"].weight.grad)
state = {k: v.clone() for k, v in net.state_dict().items()}
opt = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9, weight_decay=0.01, nesterov=True)
for step in range(4):
    opt.zero_grad()
    loss = F.cross_entropy(net(torch.tensor([0, 3, 1])), torch.tensor([0, 1, 1]))
    loss.backward()
    opt.step()
    print(f"{loss.item():.5f}")
print(net.load_state_dict(state), f"{F.cross_entropy(net(torch.tensor([0, 3, 1])), torch.tensor([0, 1, 1])).item():.5f}")
net.zero_grad(); print(net.embed.weight.grad)
for make in (lambda p: torch.optim.SGD(p, lr=0.05), lambda p: torch.optim.SGD(p, lr=0.05, momentum=0.8, dampening=0.1), lambda p: torch.optim.Adam(p, lr=0.05), lambda p: torch.optim.AdamW(p, lr=0.05, weight_decay=0.1), lambda p: torch.optim.SGD([{"params": p[:1], "lr": 0.2}, {"params": p[1:]}], lr=0.01, maximize=True)):
    torch.manual_seed(3)
    lin = nn.Linear(4, 1)
    x, y = torch.randn(8, 4), torch.randn(8, 1)
    opt = make(list(lin.parameters()))
    for _ in range(5):
        opt.zero_grad(set_to_none=False)
        loss = nn.MSELoss()(lin(x), y)
        loss.backward()
        opt.step()
    print(f"{loss.item():.4f}", lin.bias, lin.weight.detach().sum())
x, t = torch.randn(3, 4), torch.tensor([1, 0, 3])
for f in (F.relu, F.tanh, F.sigmoid, F.gelu, F.silu, F.elu, F.leaky_relu, F.softplus, lambda v: F.softmax(v, dim=1), lambda v: F.log_softmax(v, dim=-1), lambda v: F.layer_norm(v, (4,)), lambda v: F.normalize(v), lambda v: F.dropout(v, 0.5, training=False)):
    print(f(x)[0], f(x)[2])
print(F.cross_entropy(x, t), F.cross_entropy(x, t, reduction="sum"), F.cross_entropy(x, t, reduction="none"), F.nll_loss(F.log_softmax(x, 1), t), nn.CrossEntropyLoss()(x, t))
print(F.mse_loss(x, x * 0), F.l1_loss(x, x * 0), F.binary_cross_entropy(x.sigmoid(), (x > 0).float()), F.binary_cross_entropy_with_logits(x, (x > 0).float()), F.one_hot(t, 4), F.embedding(t, torch.eye(4)), F.cosine_similarity(x, x + 1))
for f in (nn.init.xavier_uniform_, nn.init.xavier_normal_, nn.init.kaiming_uniform_, nn.init.kaiming_normal_, nn.init.uniform_, nn.init.normal_, nn.init.ones_, nn.init.zeros_):
    torch.manual_seed(1)
    print(f(torch.empty(2, 3)))
print(nn.Parameter(torch.tensor([1.0, 2.0])), nn.ReLU(), nn.LeakyReLU(), nn.LayerNorm(4), nn.Embedding(2, 3), nn.Dropout(0.2), nn.GELU(), nn.Identity(), nn.Softplus(), nn.ELU(), nn.Flatten())
print(torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=0.1).defaults["lr"], isinstance(nn.Parameter(torch.ones(1)), torch.Tensor), nn.Parameter(torch.ones(1)).requires_grad, nn.Parameter(torch.ones(1), requires_grad=False).requires_grad)
import copy
twin = copy.deepcopy(lin); print(twin.weight.equal(lin.weight), twin.weight is lin.weight, twin.weight.requires_grad)
from glowgrad.utils.data import DataLoader, TensorDataset, random_split
ds = TensorDataset(torch.arange(10.0).reshape(10, 1), torch.arange(10))
torch.manual_seed(4)
for xb, yb in DataLoader(ds, batch_size=4, shuffle=True):
    print(xb.shape, yb)
for xb, yb in DataLoader(ds, batch_size=4, drop_last=True):
    print(yb)
print([yb for _, yb in DataLoader(ds, batch_size=5, shuffle=True, generator=torch.Generator().manual_seed(1))])
print([len(p) for p in random_split(ds, [0.8, 0.2])], random_split(ds, [7, 3], generator=torch.Generator().manual_seed(0))[1][0], len(DataLoader(ds, batch_size=3)), len(ds), torch.rand(1))
