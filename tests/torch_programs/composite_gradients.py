import torch
import torch.nn.functional as F

torch.set_printoptions(precision=3, sci_mode=False)
x = torch.tensor([[0.2, -1.0, 2.0], [1.5, 0.0, -0.5]], requires_grad=True)


def show(name, loss):
    x.grad = None
    loss.backward()
    print(name, round(loss.item(), 3), x.grad)


show("softmax", (x.softmax(1) * torch.tensor([1.0, 2.0, 3.0])).sum())
show("log_softmax", x.log_softmax(0)[1].sum())
show("cross_entropy", F.cross_entropy(x, torch.tensor([2, 0])))
show("mse", F.mse_loss(x, torch.ones(2, 3)))
show("bce", F.binary_cross_entropy_with_logits(x, torch.ones(2, 3)))
show("layer_norm", (F.layer_norm(x, (3,)) * torch.tensor([1.0, 0.0, -2.0])).sum())
show("gelu", F.gelu(x).sum())
show("silu", F.silu(x).sum())
show("elu", F.elu(x).sum())
show("softplus", F.softplus(x).sum())
show("norm", (x * x).sum().sqrt())
show("var", x.var(dim=1).sum())
show("std", x.std())
show("prod", (x + 3).prod())
show("cumsum", (x.cumsum(1) * torch.tensor([1.0, 2.0, 3.0])).sum())
show("logsumexp", torch.logsumexp(x, dim=1).sum())
show("tril", (x @ x.t()).tril().sum())
show("masked", x.masked_fill(x < 0, 0.0).pow(2).sum())
show("gather", x.gather(1, torch.tensor([[0, 0], [2, 1]])).sum())
show("clamp", x.clamp(-0.5, 1.0).sum())
show("maximum", torch.maximum(x, torch.zeros(3)).sum())
show("relu at zero", x.relu().sum())
show("abs at zero", x.abs().sum())
show("reused", (x.exp() * x.exp() / (1 + x.exp())).mean())
