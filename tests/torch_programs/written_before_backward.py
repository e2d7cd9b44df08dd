import torch

# Bounds that are tensors: what is written over is saved as a copy.
low = torch.tensor([0.0, -1.0, 0.5, 2.0], requires_grad=True)
high = torch.tensor([1.0, 1.0, 1.0, 1.0], requires_grad=True)
for bounds in ({"min": low}, {"max": high}, {"min": low, "max": high}, {"min": low, "max": high.detach()}):
    leaf = torch.tensor([-2.0, 0.5, 3.0, 1.5], requires_grad=True)
    x = leaf * 1.0
    x.clamp_(**bounds)
    leaves = [leaf] + [bound for bound in bounds.values() if bound.requires_grad]
    print(x.detach(), torch.autograd.grad((x * torch.tensor([1.0, 2.0, 3.0, 4.0])).sum(), leaves))

# The bounds themselves must stay.
x = torch.tensor([-2.0, 0.5, 3.0, 1.5], requires_grad=True) * 1.0
bound = torch.zeros(4)
x.clamp_(min=bound)
bound.add_(1.0)
try:
    x.sum().backward()
    print("no error")
except RuntimeError as error:
    print("modified by an inplace operation" in str(error))

# A weight that is written before backward().
import torch.nn.functional as F

data = torch.linspace(-1.0, 1.0, 16).reshape(2, 2, 2, 2)
for name, layer, shape in [
    ("layer_norm", lambda x, w: F.layer_norm(x, (2, 2), w), (2, 2)),
    ("group_norm", lambda x, w: F.group_norm(x, 1, w), (2,)),
    ("batch_norm", lambda x, w: F.batch_norm(x, None, None, w, training=True), (2,)),
    ("batch_norm", lambda x, w: F.batch_norm(x, torch.zeros(2), torch.ones(2), w), (2,)),
    ("rms_norm", lambda x, w: F.rms_norm(x, (2, 2), w), (2, 2)),
    ("linear", lambda x, w: F.linear(x, w), (3, 2)),
    ("conv2d", lambda x, w: F.conv2d(x, w), (1, 2, 1, 1)),
    ("conv_transpose2d", lambda x, w: F.conv_transpose2d(x, w), (2, 1, 1, 1)),
    ("prelu", lambda x, w: F.prelu(x, w), (2,)),
    ("attention", lambda x, w: F.scaled_dot_product_attention(x, w, x), (2, 2, 2, 2)),
    ("bilinear", lambda x, w: F.bilinear(x, x, w), (3, 2, 2)),
    ("matmul", lambda x, w: x @ w, (2, 2)),
    ("cross_entropy", lambda x, w: F.cross_entropy(x.reshape(8, 2), torch.zeros(8).long(), w[0]), (1, 2)),
]:
    raised = []
    for wants_weight in (False, True):
        leaf = data.clone().requires_grad_()
        weight = torch.ones(shape, requires_grad=wants_weight and name != "cross_entropy")
        out = layer(leaf * 1.0, weight)
        with torch.no_grad():
            weight.mul_(2.0)
        try:
            out.sum().backward()
            raised.append("no error")
        except RuntimeError as error:
            raised.append("modified by an inplace operation" in str(error))
    print(name, raised)
