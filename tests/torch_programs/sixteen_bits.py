# What is rounded to 16 bits after each operation, and what once at its end, to the last bit: two fingerprints a line, of the
# values and of the gradients, and the first of each.
import torch
import torch.nn.functional as F


def numbers(shape, seed, low=-2.0, high=2.0):
    count = torch.Size(shape).numel()
    values = [((i * i * 7 + i * 13 + seed * 31) % 1009) / 1009 * (high - low) + low for i in range(count)]
    return torch.tensor(values, dtype=torch.float64).reshape(shape)


def fingerprint(tensor):
    bits = tensor.detach().flatten().view(torch.int16).long()
    return int((bits * torch.arange(1, len(bits) + 1)).sum())


def show(name, function, *operands, low=-2.0, high=2.0, dtypes=(torch.float16, torch.bfloat16)):
    for dtype in dtypes:
        leaves = [numbers(shape, seed, low, high).to(dtype).requires_grad_() for seed, shape in enumerate(operands, 1)]
        y = function(*leaves)
        gradient = numbers(y.shape, 9).to(dtype) if y.dim() else torch.tensor(1.3, dtype=dtype)
        y.backward(gradient)
        gradients = [leaf.grad for leaf in leaves if leaf.grad is not None]
        assert all(each.dtype == dtype for each in [y, *gradients])
        ends = [f"{each.flatten()[0].item():.6g}" for each in [y, *gradients]]
        print(name, str(dtype)[6:], fingerprint(y), *[fingerprint(each) for each in gradients], *ends)


MATRIX = (8, 64)
classes = torch.tensor([1, 5, 36, 0, 7, 20, 63, 11])

for name in "relu silu mish selu elu softplus softsign hardtanh hardswish hardsigmoid leaky_relu logsigmoid".split():
    show(name, getattr(F, name), MATRIX)
for name in "exp exp2 tanh sigmoid sin cos square abs".split():
    show(name, getattr(torch, name), MATRIX)
for name in "log log2 log10 log1p sqrt rsqrt reciprocal".split():
    show(name, getattr(torch, name), MATRIX, low=0.1, high=3.0)
show("cube", lambda x: x**3, MATRIX)
show("glu", F.glu, (8, 128))
show("hypot", torch.hypot, MATRIX, MATRIX)
show("lerp", lambda a, b: torch.lerp(a, b, 0.25), MATRIX, MATRIX)
show("addcmul", lambda a, b, c: torch.addcmul(a, b, c, value=0.3), MATRIX, MATRIX, MATRIX)
show("softmax", lambda x: F.softmax(x, -1), MATRIX)
show("log_softmax", lambda x: F.log_softmax(x, -1), MATRIX)
show("normalize", lambda x: F.normalize(x).detach() + x, MATRIX)

for reduction in ("mean", "sum", "none"):
    for name in "mse_loss l1_loss smooth_l1_loss huber_loss binary_cross_entropy_with_logits".split():
        loss = getattr(F, name)
        show(f"{name} {reduction}", lambda a, b: loss(a, b, reduction=reduction), MATRIX, MATRIX)
    show(
        f"binary_cross_entropy {reduction}",
        lambda a, b: F.binary_cross_entropy(a, b, reduction=reduction),
        MATRIX,
        MATRIX,
        low=0.05,
        high=0.95,
    )
show("smooth_l1_loss 0.7", lambda a, b: F.smooth_l1_loss(a, b, reduction="none", beta=0.7), MATRIX, MATRIX)
show("huber_loss 0.7", lambda a, b: F.huber_loss(a, b, reduction="none", delta=0.7), MATRIX, MATRIX)
show("cross_entropy none", lambda x: F.cross_entropy(x, classes, reduction="none"), MATRIX)
show("cross_entropy mean", lambda x: F.cross_entropy(x, classes), MATRIX)

show("linear", F.linear, MATRIX, (16, 64), (16,))
show("layer_norm", lambda x: F.layer_norm(x, (64,)), MATRIX)
show("layer_norm weight", lambda x, w, b: F.layer_norm(x, (32,), w.detach(), b.detach()), (8, 32), (32,), (32,))
show("rms_norm", lambda x: F.rms_norm(x, (64,)), MATRIX)
show("group_norm", lambda x: F.group_norm(x, 4), (4, 8, 16))
show("conv2d", lambda x, w, b: F.conv2d(x, w.detach(), b.detach()), (2, 1, 8, 8), (4, 1, 1, 1), (4,))
# The statistics of bfloat16 are rounded twice, on a way of their own.
batch_norm = lambda x: F.batch_norm(x, None, None, training=True)  # noqa: E731
show("batch_norm", batch_norm, (32, 16), dtypes=[torch.float16])
weight = torch.linspace(0.5, 1.5, 16)
show("batch_norm float32", lambda x: F.batch_norm(x, None, None, weight, None, training=True), (32, 16))
show("group_norm float32", lambda x: F.group_norm(x, 4, weight), (4, 16, 8))
