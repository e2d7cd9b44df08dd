import torch
import torch.nn as nn
import torch.nn.functional as F


def numbers(x):
    return [round(v, 4) + 0.0 for v in x.flatten().tolist()]


inputs = {
    "Dropout": (torch.ones(2, 6),), "Dropout1d": (torch.ones(2, 3, 2), torch.ones(3, 2)), "Dropout2d": (torch.ones(2, 3, 2, 1),),
    "Dropout3d": (torch.ones(2, 2, 1, 2, 1), torch.ones(4, 1, 2, 1)), "AlphaDropout": (torch.linspace(-1, 1, 8),),
    "FeatureAlphaDropout": (torch.ones(2, 3, 2), torch.ones(2, 3), torch.ones(1, 4, 1, 2)),
}
for kind, xs in inputs.items():
    for p in (0.5, 0.2, 0.0, 1.0):
        torch.manual_seed(int(10 * p))
        layer = getattr(nn, kind)(p)
        print(layer, layer.p, layer.inplace, list(layer.state_dict()))
        for x in xs:
            leaf = x.clone().requires_grad_()
            y = layer(leaf)
            y.sum().backward()
            print(" ", list(y.shape), numbers(y), numbers(leaf.grad), layer.eval()(x) is x, layer.train().training)
        print("  then", numbers(torch.rand(1)))

# By the functions, with what they take besides.
torch.manual_seed(1)
for name, x in (
    ("dropout", torch.ones(5)), ("dropout1d", torch.ones(1, 5, 1)), ("dropout2d", torch.ones(1, 5, 1, 1)),
    ("dropout3d", torch.ones(1, 5, 1, 1, 1)), ("alpha_dropout", torch.ones(5)), ("feature_alpha_dropout", torch.ones(1, 5)),
):
    f = getattr(F, name)
    print(name, numbers(f(x, 0.3, True)), numbers(f(x, p=0.3, training=False)), numbers(f(x)))
    y = x.clone()
    z = f(y, 0.4, True, True)
    print(" ", z is y, numbers(y))
    print(" ", f(torch.ones(0, 3, 1, 1, 1)[..., 0] if name == "dropout2d" else torch.ones(0, 3, 1), 0.5, True).shape
          if name not in ("dropout3d",) else f(torch.ones(0, 3, 1, 1, 1), 0.5, True).shape)
print(numbers(F.dropout(torch.ones(4).double(), 0.5)), F.dropout(torch.ones(3).half(), 0.0))
torch.manual_seed(2)
net = nn.Sequential(nn.Linear(3, 4), nn.Dropout(0.5, inplace=True), nn.SELU(), nn.AlphaDropout(0.3))
y = net(torch.ones(2, 3))
y.sum().backward()
print(numbers(y), numbers(net[0].weight.grad), net)

for wrong in (
    lambda: nn.Dropout(1.5), lambda: nn.AlphaDropout(-0.1), lambda: F.dropout(torch.ones(2), 2.0),
    lambda: F.alpha_dropout(torch.ones(2), 2.0), lambda: F.dropout1d(torch.ones(2, 3, 4, 5)),
    lambda: F.feature_alpha_dropout(torch.ones(2), 0.5, True), lambda: nn.Dropout(0.5, True, 1), lambda: nn.Dropout(rate=0.5),
    lambda: nn.Dropout("half"),
):
    try:
        print(wrong())
    except Exception as error:
        print(type(error).__name__)
