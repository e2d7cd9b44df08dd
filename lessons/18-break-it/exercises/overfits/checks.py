import glowgrad as torch
import glowgrad.nn as nn


def reader(*behind):
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 3), *behind)


def batch():
    torch.manual_seed(4)
    return torch.randn(6, 4), torch.tensor([0, 1, 2, 0, 1, 2])


def check_sound():
    """A sound model learns six examples by heart."""
    expect(overfits(reader(), *batch()), True, given="a network with 16 tanh units, 6 examples, 3 classes")


def check_the_same():
    """Two equal inputs with different answers cannot be learned."""
    x = torch.ones(2, 4)
    expect(overfits(reader(), x, torch.tensor([0, 1])), False, given="the same network, x = two equal rows, y = [0, 1]")


def check_softmax():
    """A model that ends with a softmax answers right, and its loss does not come near 0."""
    expect(overfits(reader(nn.Softmax(dim=1)), *batch()), False, given="the network with a softmax at its end, 6 examples")


def check_nine():
    """It learns nine as well: each step goes by a gradient of its own."""
    torch.manual_seed(2)
    x = torch.randn(9, 4)
    expect(overfits(reader(), x, torch.arange(9) % 3), True, given="the network with 16 tanh units, 9 examples")


def check_left_alone():
    """The model itself stays as it is."""
    model = reader()
    before = [p.detach().clone() for p in model.parameters()]
    overfits(model, *batch())
    moved = [not torch.equal(a, b) for a, b in zip(before, model.parameters())]
    expect(any(moved), False, given="whether a weight of the model has changed")
