import glowgrad as torch
import glowgrad.nn as nn


def after_steps(portions, steps=1):
    """The weight after some steps from 0 with one input, and the last error."""
    model = nn.Linear(1, 1, bias=False)
    with torch.no_grad():
        model.weight.zero_()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    tensors = [
        (torch.tensor(x).reshape(-1, 1), torch.tensor(target).reshape(-1, 1)) for x, target in portions
    ]
    for _ in range(steps):
        error = portioned_step(model, optimizer, tensors)
    return model.weight.item(), error


def check_one_portion():
    """A single portion is an ordinary step: from 0 to 0.2."""
    weight, _ = after_steps([([1.0], [1.0])])
    expect(weight, 0.2, given="model w * x, w = 0, one example x = 1, target = 1, lr = 0.1: w after one step", tol=1e-5)


def check_second_call():
    """The second step uses the second gradient only."""
    weight, _ = after_steps([([1.0], [1.0])], steps=2)
    expect(weight, 0.36, given="the same model, two calls: w after two steps", tol=1e-5)


def check_two_equal_portions():
    """The same example in two portions makes the same step as once."""
    weight, _ = after_steps([([1.0], [1.0]), ([1.0], [1.0])])
    expect(weight, 0.2, given="two portions with the example x = 1, target = 1 each: w after one step", tol=1e-5)


def check_unequal_portions():
    """Each example counts the same, also where portions differ in size."""
    weight, _ = after_steps([([1.0, 1.0, 1.0], [1.0, 1.0, 1.0]), ([1.0], [5.0])])
    given = "portions of 3 examples (x = 1, target = 1) and of 1 (x = 1, target = 5): w after one step"
    expect(weight, 0.4, given=given, tol=1e-5)


def check_error():
    """It returns the mean error over all examples, before the step, as a number."""
    _, error = after_steps([([1.0, 1.0, 1.0], [1.0, 1.0, 1.0]), ([1.0], [5.0])])
    expect(error, 7.0, given="errors 1, 1, 1 and 25: what is returned", tol=1e-5)


def check_one_walk_for_each_portion():
    """backward() runs for each portion, so that one graph is alive at a time."""
    model = nn.Linear(1, 1)
    walks = []
    model.weight.register_hook(lambda gradient: walks.append(1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    portions = [(torch.ones(2, 1), torch.ones(2, 1)) for _ in range(3)]
    portioned_step(model, optimizer, portions)
    expect(len(walks), 3, given="three portions: how many times a gradient arrived at the weight")
