import glowgrad as torch
import glowgrad.nn as nn
import glowgrad.nn.functional as F


IMAGES = torch.tensor([[1.0, -1.0], [0.5, 2.0]])
LABELS = torch.tensor([2, 0])


def two_equal_models():
    torch.manual_seed(7)
    first = nn.Linear(2, 3)
    torch.manual_seed(7)
    return first, nn.Linear(2, 3)


def honest_step(model):
    model.zero_grad()
    F.cross_entropy(model(IMAGES), LABELS).backward()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter -= 0.5 * parameter.grad


def check_returns_the_loss():
    """It returns the loss before the step, as a number."""
    model, _ = two_equal_models()
    want = F.cross_entropy(model(IMAGES), LABELS).item()
    got = training_step(model, torch.optim.SGD(model.parameters(), lr=0.5), IMAGES, LABELS)
    expect(got, want, given="two images, a model with three scores")


def check_first_step():
    """The first step moves the weights against their gradient."""
    model, honest = two_equal_models()
    training_step(model, torch.optim.SGD(model.parameters(), lr=0.5), IMAGES, LABELS)
    honest_step(honest)
    expect(model.weight.detach(), honest.weight.detach(), given="one step, lr = 0.5", tol=1e-5)


def check_second_step():
    """The second step uses the second gradient only."""
    model, honest = two_equal_models()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    for _ in range(2):
        training_step(model, optimizer, IMAGES, LABELS)
        honest_step(honest)
    expect(model.weight.detach(), honest.weight.detach(), given="two steps, lr = 0.5", tol=1e-5)
