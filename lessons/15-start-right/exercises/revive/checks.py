import glowgrad as torch
import glowgrad.nn as nn


def made(*sizes):
    """Layers with a ReLU between each two, and inputs that are never negative, as pixels."""
    torch.manual_seed(0)
    layers = []
    for n_in, n_out in zip(sizes, sizes[1:]):
        layers += [nn.Linear(n_in, n_out), nn.ReLU()]
    return nn.Sequential(*layers[:-1]), torch.rand(50, sizes[0])


def sums(model, x, at):
    """What the layer at this place gives before the ReLU."""
    with torch.no_grad():
        for layer in list(model)[: at + 1]:
            x = layer(x)
    return x


def kill(layer, units):
    with torch.no_grad():
        layer.weight[units] = -1.0
        layer.bias[units] = -1.0


def check_lives():
    """A unit that was dead is positive for some of the examples."""
    model, x = made(8, 4, 2)
    kill(model[0], [1])
    revive(model, x)
    expect(bool((sums(model, x, 0)[:, 1] > 0).any()), True, given="one dead unit of four")


def check_middle():
    """Its sum is 0 on average."""
    model, x = made(8, 4, 2)
    kill(model[0], [1, 3])
    revive(model, x)
    expect(sums(model, x, 0)[:, [1, 3]].mean(0), torch.zeros(2), given="two dead units of four", tol=1e-5)


def check_others():
    """Units that live keep their weights."""
    model, x = made(8, 4, 2)
    with torch.no_grad():
        model[0].bias.fill_(3.0)
    kill(model[0], [1])
    weight, bias = model[0].weight.detach().clone(), model[0].bias.detach().clone()
    revive(model, x)
    lives = [0, 2, 3]
    expect(model[0].weight.detach()[lives], weight[lives], given="three living units of four")
    expect(model[0].bias.detach()[lives], bias[lives], given="their biases")


def check_spread():
    """New weights have He's spread, and each unit has its own."""
    model, x = made(200, 100, 2)
    kill(model[0], list(range(100)))
    revive(model, x)
    weight = model[0].weight.detach()
    expect(weight.std().item(), 0.1, given="100 dead units with 200 inputs", tol=0.003)
    expect(bool((weight[0] == weight[1]).all()), False, given="whether the first two are the same")


def check_order():
    """A layer is judged by what the mended layers before it give."""
    model, x = made(8, 4, 4, 2)
    # All of the first layer is dead, so the second gets 0 and would seem dead too.
    kill(model[0], [0, 1, 2, 3])
    with torch.no_grad():
        model[2].weight.fill_(100.0)
        model[2].bias.fill_(-0.01)
    revive(model, x)
    expect(model[2].weight.detach(), torch.full((4, 4), 100.0), given="a second layer that lives as soon as the first does")


def check_last():
    """A last layer without a ReLU is left alone."""
    model, x = made(8, 4, 2)
    kill(model[2], [0])
    revive(model, x)
    expect(model[2].weight.detach()[0], torch.full((4,), -1.0), given="a last layer that gives −2 at most")


def check_learns():
    """The parameters are the same leaves, and learn."""
    model, x = made(8, 4, 2)
    kill(model[0], [1])
    before = model[0].weight
    revive(model, x)
    expect(model[0].weight is before, True, given="whether the weight is the same tensor")
    model(x).sum().backward()
    expect(bool((model[0].weight.grad[1] != 0).any()), True, given="whether the unit gets a gradient")
