import glowgrad as torch


def stepped(make, slopes):
    """A weight at 0 and where it is after each step, at these slopes."""
    w = torch.zeros(1, requires_grad=True)
    optimizer = make([w])
    seen = []
    for slope in slopes:
        w.grad = torch.tensor([slope])
        optimizer.step()
        seen.append(w.item())
    return seen


def two(make):
    """Two parameters of different shapes after three steps down one loss."""
    a = torch.tensor([1.0, -2.0], requires_grad=True)
    b = torch.tensor([[0.5], [3.0]], requires_grad=True)
    optimizer = make([a, b])
    for _ in range(3):
        a.grad, b.grad = None, None
        ((a * b) ** 2).sum().backward()
        optimizer.step()
    return a.detach(), b.detach()


def check_first_step():
    """The first step goes by lr times the slope."""
    got = stepped(lambda w: Momentum(w, lr=0.1, momentum=0.5), [1.0])
    expect(got, [-0.1], given="lr = 0.1, momentum = 0.5, slope = 1")


def check_second_step():
    """The second step keeps a share of the first."""
    got = stepped(lambda w: Momentum(w, lr=0.1, momentum=0.5), [1.0, 1.0])
    expect(got, [-0.1, -0.25], given="lr = 0.1, momentum = 0.5, slopes = [1, 1]")


def check_opposite_slopes():
    """Slopes that change their sign cancel."""
    got = stepped(lambda w: Momentum(w, lr=0.1, momentum=1.0), [1.0, -1.0, 1.0])
    expect(got, [-0.1, -0.1, -0.2], given="lr = 0.1, momentum = 1, slopes = [1, -1, 1]")


def check_two_parameters():
    """Each parameter has a velocity of its own, as in torch.optim.SGD."""
    got = two(lambda parameters: Momentum(parameters, lr=0.01, momentum=0.9))
    want = two(lambda parameters: torch.optim.SGD(parameters, lr=0.01, momentum=0.9))
    expect(got, want, given="two parameters, three steps")


def check_parameters_from_a_generator():
    """`model.parameters()` can be gone through only once, and that is enough."""
    w = torch.zeros(1, requires_grad=True)
    w.grad = torch.ones(1)
    Momentum((each for each in [w]), lr=0.1, momentum=0.9).step()
    expect(w.item(), -0.1, given="parameters = a generator")
