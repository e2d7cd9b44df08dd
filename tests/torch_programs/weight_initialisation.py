import torch
import torch.nn as nn
from torch.nn import init


def show(make):
    try:
        x = make()
        print([round(v, 5) for v in x.flatten().tolist()] if isinstance(x, torch.Tensor) else x)
    except Exception as error:
        print(type(error).__name__, error)


empty = torch.empty
torch.manual_seed(3)
show(lambda: init.uniform_(empty(2, 3), -1, 2))
show(lambda: init.normal_(empty(2, 3), 1, 2))
show(lambda: init.trunc_normal_(empty(2, 3)))
show(lambda: init.trunc_normal_(empty(40), std=1.5))
show(lambda: init.trunc_normal_(empty(40), std=2.0, a=1.0, b=2.0))
show(lambda: init.trunc_normal_(empty(5), mean=1.0, std=0.02))
show(lambda: init.trunc_normal_(empty(20, dtype=torch.float64), std=1.0, a=-0.5, b=0.5))
show(lambda: init.constant_(empty(3), 0.5))
show(lambda: init.ones_(empty(3)))
show(lambda: init.zeros_(empty(3)))
show(lambda: init.eye_(empty(2, 3)))
show(lambda: init.eye_(empty(2)))
show(lambda: init.dirac_(empty(3, 2, 3)))
show(lambda: init.dirac_(empty(4, 2, 1, 3), groups=2))
show(lambda: init.dirac_(empty(2, 2, 1, 1, 2)))
show(lambda: init.dirac_(empty(2, 2)))
show(lambda: init.dirac_(empty(3, 2, 2), 2))
show(lambda: init.xavier_uniform_(empty(2, 3), gain=2.0))
show(lambda: init.xavier_normal_(empty(2, 3, 2)))
show(lambda: init.xavier_normal_(empty(2)))
show(lambda: init.kaiming_uniform_(empty(2, 3)))
show(lambda: init.kaiming_uniform_(empty(2, 3), a=0.2, mode="FAN_OUT", nonlinearity="relu"))
show(lambda: init.kaiming_normal_(empty(2, 3), mode="fan_out"))
show(lambda: init.kaiming_normal_(empty(2, 3), mode="fan"))
show(lambda: init.kaiming_normal_(empty(2, 3), nonlinearity="gelu"))
show(lambda: init.kaiming_normal_(empty(2, 3), a=True))
show(lambda: init.orthogonal_(empty(2, 3)))
show(lambda: init.orthogonal_(empty(4, 2), gain=3))
show(lambda: init.orthogonal_(empty(3, 2, 2)))
show(lambda: init.orthogonal_(empty(3)))
show(lambda: init.orthogonal_(empty(0, 3)))
show(lambda: init.sparse_(empty(4, 3), 0.5))
show(lambda: init.sparse_(empty(4, 3), 0.1, std=2.0))
show(lambda: init.sparse_(empty(4), 0.5))

for name in (
    "linear conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d sigmoid tanh "
    "relu leaky_relu selu gelu"
).split():
    show(lambda: (name, init.calculate_gain(name)))
show(lambda: init.calculate_gain("leaky_relu", 0.2))
show(lambda: init.calculate_gain("leaky_relu", 2))
show(lambda: init.calculate_gain("leaky_relu", "a"))

own = torch.Generator().manual_seed(5)
for draw in (
    init.uniform_, init.normal_, init.trunc_normal_, init.xavier_uniform_, init.xavier_normal_,
    init.kaiming_uniform_, init.kaiming_normal_, init.orthogonal_,
):
    show(lambda: draw(empty(2, 2), generator=own))
show(lambda: init.sparse_(empty(2, 2), 0.5, generator=own))
show(lambda: torch.rand(2))

layer = nn.Linear(2, 2)
show(lambda: init.ones_(layer.weight).requires_grad)
show(lambda: init.xavier_uniform_(layer.weight).grad_fn)
show(lambda: init.xavier_uniform_(layer.weight) is layer.weight)
show(lambda: init.trunc_normal_(empty(3), std=0))


def fresh(module):
    if isinstance(module, nn.Linear):
        init.kaiming_normal_(module.weight, mode="fan_out", nonlinearity="relu")
        init.constant_(module.bias, 0.1)
    elif isinstance(module, nn.Conv2d):
        init.orthogonal_(module.weight, init.calculate_gain("relu"))
        init.zeros_(module.bias)


net = nn.Sequential(nn.Conv2d(1, 2, 2), nn.ReLU(), nn.Flatten(), nn.Linear(8, 2)).apply(fresh)
for name, parameter in net.named_parameters():
    show(lambda: (name, [round(v, 4) for v in parameter.flatten().tolist()]))
