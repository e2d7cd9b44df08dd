import glowgrad as torch
import glowgrad.nn as nn


def layer(weights, biases):
    made = nn.Linear(len(weights[0]), len(weights))
    with torch.no_grad():
        made.weight.copy_(torch.tensor(weights))
        made.bias.copy_(torch.tensor(biases))
    return made


def check_one():
    """A unit whose sum is negative for every example is dead."""
    model = nn.Sequential(layer([[1.0], [1.0]], [0.0, -5.0]), nn.ReLU())
    x = torch.tensor([[1.0], [2.0]])
    expect(dead_shares(model, x), [0.5], given="sums 1, 2 in one unit and −4, −3 in the other")


def check_half():
    """A unit that is 0 for some of the examples lives."""
    model = nn.Sequential(layer([[1.0], [-1.0]], [0.0, 0.0]), nn.ReLU())
    x = torch.tensor([[1.0], [-2.0], [3.0]])
    expect(dead_shares(model, x), [0.0], given="sums 1, −2, 3 in one unit and −1, 2, −3 in the other")


def check_each_layer():
    """There is a share for each ReLU, in order, and none for other layers."""
    model = nn.Sequential(
        layer([[1.0], [1.0], [1.0], [1.0]], [-9.0, 0.0, 0.0, 0.0]),
        nn.ReLU(),
        layer([[0.0, 1.0, 0.0, 0.0], [0.0, -1.0, 0.0, 0.0]], [0.0, 0.0]),
        nn.ReLU(),
        layer([[-1.0, -1.0]], [0.0]),
    )
    x = torch.tensor([[1.0], [2.0]])
    expect(dead_shares(model, x), [0.25, 0.5], given="one of four units dead, then one of two")


def check_border():
    """A sum of exactly 0 is 0 behind the ReLU too."""
    model = nn.Sequential(layer([[1.0], [0.0]], [0.0, 0.0]), nn.ReLU())
    expect(dead_shares(model, torch.ones(3, 1)), [0.5], given="a unit with all weights at 0")
