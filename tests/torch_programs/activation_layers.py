import torch
import torch.nn as nn
import torch.nn.functional as F


def numbers(x, digits=4):
    return [round(v, digits) + 0.0 for v in x.flatten().tolist()]


def slopes(f, x):
    x = x.clone().requires_grad_()
    y = f(x)
    weights = torch.linspace(0.5, 2, y.numel()).reshape(y.shape)
    first, = torch.autograd.grad((y * weights).sum(), x, create_graph=True)
    # PyTorch has no second gradient of the hard sigmoid.
    if not first.requires_grad or isinstance(f, nn.Hardsigmoid):
        return numbers(y), numbers(first), None
    second, = torch.autograd.grad((first * first).sum(), x, allow_unused=True, materialize_grads=True)
    return numbers(y), numbers(first), numbers(second, 3)


x = torch.tensor([[-5.0, -2.5, -1.0, -0.3], [0.2, 0.9, 3.1, 25.0]])
layers = [
    nn.ReLU(), nn.ReLU6(), nn.Tanh(), nn.Sigmoid(), nn.LogSigmoid(), nn.SiLU(), nn.Mish(), nn.Softsign(),
    nn.Tanhshrink(), nn.Hardsigmoid(), nn.Hardswish(), nn.SELU(), nn.CELU(), nn.CELU(0.5), nn.ELU(), nn.ELU(2.0),
    nn.LeakyReLU(), nn.LeakyReLU(0.2), nn.Hardtanh(), nn.Hardtanh(-2, 0.5), nn.Threshold(0.5, -1.0), nn.Softplus(),
    nn.Softplus(2, 3), nn.Softshrink(), nn.Softshrink(0.25), nn.Hardshrink(), nn.Hardshrink(1), nn.GELU(),
    nn.GELU("tanh"), nn.GELU(approximate="tanh"), nn.PReLU(), nn.PReLU(4, 0.1), nn.Softmax(0), nn.Softmax(dim=-1),
    nn.LogSoftmax(1), nn.Softmin(dim=1), nn.GLU(), nn.GLU(0), nn.RReLU().eval(), nn.RReLU(0.1, 0.5).eval(),
]
for layer in layers:
    print(layer, list(layer.state_dict()), *slopes(layer, x))

# The same by the functions.
for name, more in (
    ("relu", ()), ("relu6", ()), ("tanh", ()), ("sigmoid", ()), ("logsigmoid", ()), ("silu", ()), ("mish", ()),
    ("softsign", ()), ("tanhshrink", ()), ("hardsigmoid", ()), ("hardswish", ()), ("selu", ()), ("celu", (0.5,)),
    ("elu", (2.0,)), ("leaky_relu", (0.2,)), ("hardtanh", (-2.0, 0.5)), ("threshold", (0.5, -1.0)),
    ("softplus", (2, 3)), ("softshrink", (0.25,)), ("hardshrink", (1.0,)), ("gelu", ()), ("softmax", (1,)),
    ("log_softmax", (0,)), ("softmin", (1,)), ("glu", (0,)), ("rrelu", (0.1, 0.5)), ("prelu", (torch.tensor([0.3]),)),
):
    print(name, numbers(getattr(F, name)(x, *more)))
print(F.celu(x, alpha=0.5).sum(), F.elu(x, alpha=2.0).sum(), F.leaky_relu(x, negative_slope=0.2).sum())
print(F.hardtanh(x, min_val=-2.0, max_val=0.5).sum(), F.threshold(x, threshold=0.5, value=-1.0).sum())
print(F.softmax(x, dim=1, dtype=torch.float64).dtype, F.log_softmax(x, 1, 3, torch.float64).dtype, F.softmin(x, 1, dtype=torch.float64))
print(F.softplus(x, beta=2, threshold=3).sum(), F.gelu(x, approximate="tanh").sum(), F.softshrink(x, lambd=0.25).sum())

# Over the input.
for layer in (
    nn.ReLU(True), nn.ReLU6(inplace=True), nn.SiLU(True), nn.Mish(True), nn.Hardsigmoid(True), nn.Hardswish(True),
    nn.SELU(True), nn.CELU(0.5, True), nn.ELU(2.0, True), nn.LeakyReLU(0.2, inplace=True), nn.Hardtanh(-2, 0.5, True),
    nn.Threshold(0.5, -1.0, True), nn.RReLU(inplace=True).eval(),
):
    leaf = x.clone().requires_grad_()
    y = leaf * 1.0
    z = layer(y)
    z.sum().backward()
    print(layer, z is y, numbers(y), numbers(leaf.grad))
for name, more in (
    ("relu_", ()), ("selu_", ()), ("celu_", (0.5,)), ("elu_", (2.0,)), ("leaky_relu_", (0.2,)), ("hardtanh_", (-2.0, 0.5)),
    ("threshold_", (0.5, -1.0)), ("rrelu_", ()),
):
    leaf = x.clone().requires_grad_()
    y = leaf * 1.0
    z = getattr(F, name)(y, *more)
    z.sum().backward()
    plain = x.clone()
    getattr(F, name)(plain, *more)
    print(name, z is y, numbers(y), numbers(leaf.grad), numbers(plain))
for inplace in (lambda v: F.relu(v, inplace=True), lambda v: F.elu(v, 1.0, True), F.leaky_relu_, nn.ReLU(True)):
    try:
        inplace(torch.ones(2, requires_grad=True))
    except RuntimeError as error:
        print(error)
view = torch.arange(-2.0, 3.0)
F.elu_(view[1:3])
print(view)

# Slopes that are drawn for negative elements.
torch.manual_seed(0)
drawing = nn.RReLU(0.1, 0.4)
print(drawing, drawing.training, *slopes(drawing, x)[:2])
print(numbers(F.rrelu(x, training=True)), numbers(F.rrelu(x.double(), 0.2, 0.3, True)), numbers(torch.rand(2)))
leaf = x.clone().requires_grad_()
y = F.rrelu(leaf * 1.0, training=True, inplace=True)
y.sum().backward()
print(numbers(y), numbers(leaf.grad))

image = torch.linspace(-1, 1, 12).reshape(1, 3, 2, 2)
print(nn.Softmax2d(), *slopes(nn.Softmax2d(), image), nn.Softmax2d()(image[0]).shape)
channels = nn.PReLU(3, init=0.5)
print(channels, channels.weight, *slopes(channels, image), numbers(channels.weight.grad) if channels.weight.grad is not None else None)
channels(image).sum().backward()
print(numbers(channels.weight.grad))
print(nn.PReLU(2, device="cpu", dtype=torch.float64).weight, nn.Softmax(), nn.LogSoftmax(), nn.Softmin())

# Where numbers become large.
big = torch.tensor([-1e30, -80.0, 80.0, 1e30, float("inf"), -float("inf")])
for f in (F.softplus, F.logsigmoid, F.silu, F.elu, F.selu, F.mish, F.hardswish, F.tanhshrink, F.softsign, F.celu):
    y = big.clone().requires_grad_()
    z = f(y)
    z[1:3].sum().backward()
    print([f"{v:.4g}" for v in z.tolist() + y.grad.tolist()])
print(F.softmax(big[:4], 0), F.log_softmax(big[:4], 0), F.softmin(big[:4], 0))

for wrong in (
    lambda: nn.Hardtanh(1, -1), lambda: F.hardtanh(x, 1, -1), lambda: nn.Threshold(1.0), lambda: nn.Softmax("a"),
    lambda: nn.LogSoftmax(True), lambda: nn.Softmax2d()(x), lambda: F.glu(x, 3), lambda: F.glu(torch.ones(3)),
    lambda: F.glu(torch.tensor(1.0)), lambda: nn.GELU("erf")(x), lambda: nn.PReLU(3)(x), lambda: nn.ReLU(slope=1),
    lambda: nn.Tanh(1), lambda: nn.Sigmoid(inplace=True), lambda: nn.LeakyReLU(alpha=0.1), lambda: nn.ELU(1.0, True, 2),
    lambda: F.rrelu(x, 2, 1), lambda: F.relu(x, slope=1), lambda: F.softmax(x, 2), lambda: F.relu([1.0]),
    lambda: F.elu_(torch.ones(2).long()), lambda: F.softplus(x.long()),
):
    try:
        print(wrong())
    except Exception as error:
        print(type(error).__name__)
