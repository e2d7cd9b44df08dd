import glowgrad as torch


def column(*numbers):
    return torch.tensor([[number] for number in numbers])


def some(n, letters, units):
    torch.manual_seed(0)
    sizes = (n, letters), (n, units), (letters, units), (units, units), (units,)
    return [torch.randn(*size) for size in sizes]


def check_letter():
    """From a state of 0, only the letter and the bias count."""
    got = step(column(1.0), column(0.0), column(0.5), column(3.0), torch.tensor([0.25]))
    expect(got, torch.tanh(column(0.75)), given="x = 1, h = 0, W = 0.5, U = 3, b = 0.25")


def check_state():
    """The old state counts, through U."""
    got = step(column(0.0), column(0.5), column(3.0), column(2.0), torch.tensor([0.0]))
    expect(got, torch.tanh(column(1.0)), given="x = 0, h = 0.5, W = 3, U = 2, b = 0")


def check_direction():
    """A row of U belongs to a unit of the old state."""
    zeros = torch.zeros(1, 2)
    U = torch.tensor([[0.0, 1.0], [0.0, 0.0]])
    got = step(zeros, torch.tensor([[0.5, 0.0]]), torch.zeros(2, 2), U, torch.zeros(2))
    expect(got, torch.tanh(torch.tensor([[0.0, 0.5]])), given="x = 0, h = [0.5, 0], U = [[0, 1], [0, 0]], b = 0")


def check_batch():
    """Each text of a batch has a state of its own."""
    x, h, W, U, b = some(3, 4, 2)
    want = torch.stack([step(x[n : n + 1], h[n : n + 1], W, U, b)[0] for n in range(3)])
    expect(step(x, h, W, U, b), want, given="3 texts at once, and one by one", tol=1e-5)


def check_back_at_zero():
    """Where the new state is 0, tanh has a slope of 1."""
    got = back(column(1.0), column(0.0), column(2.0))
    expect(got, column(2.0), given="gy = 1, y = 0, U = 2")


def check_back_flat():
    """The slope of tanh follows from its result."""
    got = back(column(1.0), column(0.5), column(2.0))
    expect(got, column(1.5), given="gy = 1, y = 0.5, U = 2")
    got = back(column(1.0), column(-1.0), column(2.0))
    expect(got, column(0.0), given="gy = 1, y = -1, U = 2")


def check_back_direction():
    """The gradient goes from a unit to those that it was made from."""
    U = torch.tensor([[0.0, 3.0], [0.0, 0.0]])
    got = back(torch.tensor([[0.0, 1.0]]), torch.zeros(1, 2), U)
    expect(got, torch.tensor([[3.0, 0.0]]), given="gy = [0, 1], y = [0, 0], U = [[0, 3], [0, 0]]")


def check_autograd():
    """Both together give what backward() gives, through five steps."""
    x, h, W, U, b = some(3, 4, 5)
    h.requires_grad_()
    states = [h]
    for _ in range(5):
        states.append(torch.tanh(x @ W + states[-1] @ U + b))
    gy = torch.ones(3, 5)
    (states[-1] * gy).sum().backward()

    y = h.detach()
    own = [y]
    for _ in range(5):
        own.append(step(x, own[-1], W, U, b))
    expect(own[-1], states[-1].detach(), given="3 texts, 5 steps: the last state", tol=1e-4)
    for y in reversed(own[1:]):
        gy = back(gy, y, U)
    expect(gy, h.grad, given="3 texts, 5 steps: the gradient of the first state", tol=1e-4)
