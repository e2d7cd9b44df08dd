import glowgrad as torch
import glowgrad.nn as nn


def fill(tensor, number):
    with torch.no_grad():
        tensor.fill_(number)


def layers(n=2):
    torch.manual_seed(0)
    return nn.Sequential(*(nn.Linear(2, 2) for _ in range(n)))


def named(model, step):
    return list(unchanged(model, step))


def check_once():
    """step() is called once."""
    model, calls = layers(), []
    unchanged(model, lambda: calls.append(1))
    expect(len(calls), 1, given="two linear layers, how often step() was called")


def check_moves_all():
    """A step that changes all parameters leaves none."""
    model = nn.Linear(1, 1)

    def step():
        fill(model.weight, 5.0)
        fill(model.bias, 7.0)

    expect(named(model, step), [], given="model = nn.Linear(1, 1), a step that writes 5 and 7 into weight and bias")


def check_moves_nothing():
    """A step that does nothing leaves all of them, in the model's order."""
    expect(named(nn.Linear(1, 1), lambda: None), ["weight", "bias"], given="model = nn.Linear(1, 1), step does nothing")


def check_one_moves():
    """The names are those that the model gives."""
    model = layers()
    given = "two linear layers, a step that fills the weight of layer 1"
    expect(named(model, lambda: fill(model[1].weight, 5.0)), ["0.weight", "0.bias", "1.bias"], given=given)


def check_not_given_to_the_optimizer():
    """A parameter that has a gradient and is not given to the optimizer does not move."""
    model = layers()
    optimizer = torch.optim.SGD(model[1].parameters(), lr=0.1)

    def step():
        model(torch.ones(1, 2)).sum().backward()
        optimizer.step()

    given = "two linear layers, an optimizer with those of layer 1"
    expect(named(model, step), ["0.weight", "0.bias"], given=given)


def check_one_element():
    """One element that changes is a change."""
    model = nn.Embedding(3, 2)
    given = "model = nn.Embedding(3, 2), a step that changes row 1"
    expect(named(model, lambda: fill(model.weight[1], 5.0)), [], given=given)


def check_swap():
    """Numbers that change places are a change, though their sum is the same."""
    model = nn.Linear(2, 1, bias=False)
    with torch.no_grad():
        model.weight.copy_(torch.tensor([[1.0, 2.0]]))

    def step():
        with torch.no_grad():
            model.weight.copy_(torch.tensor([[2.0, 1.0]]))

    expect(named(model, step), [], given="a weight [[1, 2]] that becomes [[2, 1]]")


def check_tiny():
    """A tiny change is a change."""
    model = nn.Linear(1, 1, bias=False)
    fill(model.weight, 1.0)
    given = "a weight of 1 that becomes 1.000001"
    expect(named(model, lambda: fill(model.weight, 1.000001)), [], given=given)


def check_parameters_only():
    """Running numbers of a batch norm are no parameters."""
    model = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2))
    model.eval()
    names = ["0.weight", "0.bias", "1.weight", "1.bias"]
    expect(named(model, lambda: None), names, given="a linear layer and a batch norm, step does nothing")
