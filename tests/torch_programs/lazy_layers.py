import copy

import torch
import torch.nn as nn
from torch.nn.parameter import Parameter, UninitializedBuffer, UninitializedParameter, is_lazy


def numbers(x):
    return [round(v, 4) + 0.0 for v in x.flatten().tolist()]


torch.manual_seed(0)
cases = [
    (lambda: nn.LazyLinear(2), (2, 3)), (lambda: nn.LazyLinear(2, bias=False), (3,)), (lambda: nn.LazyConv1d(2, 2), (1, 3, 4)),
    (lambda: nn.LazyConv2d(2, (2, 1), stride=2, padding=1, bias=False), (3, 4, 4)),
    (lambda: nn.LazyConv3d(2, 2, 1, 0, 1, 2), (1, 2, 2, 2, 2)), (lambda: nn.LazyConvTranspose1d(2, 2, stride=2), (1, 3, 4)),
    (lambda: nn.LazyConvTranspose2d(2, 2, 2, 1, 1, 2), (1, 2, 3, 3)), (lambda: nn.LazyConvTranspose3d(1, 2), (1, 1, 2, 2, 2)),
    (lambda: nn.LazyBatchNorm1d(), (3, 2)), (lambda: nn.LazyBatchNorm2d(eps=1e-3, momentum=0.2), (2, 2, 2, 1)),
    (lambda: nn.LazyBatchNorm3d(affine=False), (2, 2, 2, 1, 1)), (lambda: nn.LazyBatchNorm1d(bias=False), (3, 2)),
    (lambda: nn.LazyInstanceNorm1d(), (2, 2, 3)), (lambda: nn.LazyInstanceNorm2d(track_running_stats=False), (2, 2, 2, 2)),
    (lambda: nn.LazyInstanceNorm3d(affine=False), (1, 2, 2, 1, 2)),
]
for make, shape in cases:
    layer = make()
    print(layer, layer.has_uninitialized_params(), list(layer.state_dict().items()))
    print(" ", [is_lazy(p) for p in layer.parameters()], layer.cls_to_become.__name__)
    x = torch.linspace(-1, 2, torch.Size(shape).numel()).reshape(shape)
    y = layer(x)
    if y.requires_grad:
        y.sum().backward()
    print(" ", layer, type(layer) is make().cls_to_become, numbers(y), [(n, list(p.shape), p.grad is not None) for n, p in layer.named_parameters()])

# The optimizer may come before the shapes.
torch.manual_seed(1)
net = nn.Sequential(nn.LazyLinear(4), nn.ReLU(), nn.LazyLinear(1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
print(net, sum(is_lazy(p) for p in net.parameters()))
twin = copy.deepcopy(net)
x = torch.randn(8, 3)
for _ in range(3):
    optimizer.zero_grad()
    loss = (net(x) - x.sum(1, keepdim=True)).pow(2).mean()
    loss.backward()
    optimizer.step()
    print(round(loss.item(), 4))
print(net, twin, [list(p.shape) for p in net.parameters()], is_lazy(twin[0].weight))

# States.
print(twin.load_state_dict(net.state_dict()), [list(p.shape) for p in twin.parameters()], twin[0].in_features)
print(numbers(twin(x) - net(x)), twin)
print(nn.LazyLinear(2).load_state_dict(nn.LazyLinear(2).state_dict()))
for wrong in (lambda: nn.Linear(3, 2).load_state_dict(nn.LazyLinear(2).state_dict()), lambda: nn.LazyLinear(2).weight.shape):
    try:
        wrong()
    except RuntimeError as error:
        print(type(error).__name__, "uninitialized parameter or buffer" in str(error))

# The parameters themselves.
weight, mean = UninitializedParameter(), UninitializedBuffer(dtype=torch.float64)
print(weight, [weight], mean, weight.requires_grad, weight.dtype, mean.dtype, weight.device, weight.size(), isinstance(weight, Parameter))
for wrong in (
    lambda: weight + 1, lambda: 2 * weight, lambda: weight.sum(), lambda: weight.numel(), lambda: weight @ weight, lambda: weight[0],
    lambda: -weight, lambda: weight.view(1), lambda: len(weight), lambda: sum(p.numel() for p in nn.LazyConv1d(2, 2).parameters()),
):
    try:
        print(wrong())
    except ValueError as error:
        print(str(error)[:46])
weight.materialize((2, 2))
mean.materialize((3,), dtype=torch.float32)
print(type(weight).__name__, type(mean).__name__, weight.shape, mean.dtype, is_lazy(weight))
print(nn.LazyLinear(2, dtype=torch.float64).weight.dtype, nn.LazyLinear(2).double()(torch.ones(1, 2).double()).dtype)


class Scale(nn.modules.lazy.LazyModuleMixin, nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = UninitializedParameter()

    def forward(self, x):
        return x * self.weight

    def initialize_parameters(self, x):
        if self.has_uninitialized_params():
            self.weight.materialize(x.shape)
            nn.init.ones_(self.weight)


scale = Scale()
print(scale, scale(torch.ones(2)).tolist(), scale(torch.ones(2)).tolist(), list(scale.state_dict()))


class Forgetful(Scale):
    def initialize_parameters(self, x):
        pass


for wrong in (
    lambda: Forgetful()(torch.ones(2)), lambda: nn.LazyConv2d(2, 2)(torch.ones(2, 2)), lambda: nn.LazyConv1d(2, 2, groups=2)(torch.ones(1, 3, 4)),
    lambda: nn.LazyLinear(), lambda: nn.LazyConv1d(2, 2, in_channels=3), lambda: nn.LazyBatchNorm1d()(torch.ones(3)),
):
    try:
        print(wrong())
    except Exception as error:
        print(type(error).__name__)
