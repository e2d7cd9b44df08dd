import glowgrad as torch


def stepped(slopes, **how):
    """A weight at 0 and where it is after each step, at these slopes."""
    w = torch.zeros(1, requires_grad=True)
    optimizer = Adam([w], lr=0.1, **how)
    seen = []
    for slope in slopes:
        w.grad = torch.tensor([slope])
        optimizer.step()
        seen.append(w.item())
    return seen


def two(make):
    """Two parameters of different shapes after five steps down one loss."""
    a = torch.tensor([1.0, -2.0], requires_grad=True)
    b = torch.tensor([[0.5], [3.0]], requires_grad=True)
    optimizer = make([a, b])
    for _ in range(5):
        a.grad, b.grad = None, None
        ((a * b) ** 2).sum().backward()
        optimizer.step()
    return a.detach(), b.detach()


def check_first_step():
    """The first step is as long as lr, whatever the slope."""
    expect(stepped([0.5]), [-0.1], given="lr = 0.1, slope = 0.5", tol=1e-5)
    expect(stepped([-200.0]), [0.1], given="lr = 0.1, slope = -200", tol=1e-5)


def check_even_slope():
    """On an even slope every step is as long as lr."""
    expect(stepped([3.0, 3.0, 3.0]), [-0.1, -0.2, -0.3], given="lr = 0.1, slopes = [3, 3, 3]", tol=1e-5)


def check_opposite_slopes():
    """The mean of the squares counts slopes of both signs."""
    got = stepped([1.0, -1.0], betas=(0.5, 0.5))
    expect(got, [-0.1, -0.0666667], given="lr = 0.1, betas = (0.5, 0.5), slopes = [1, -1]", tol=1e-5)


def check_eps():
    """eps is added to the root, not under it."""
    expect(stepped([1.0], eps=1.0), [-0.05], given="lr = 0.1, eps = 1, slope = 1", tol=1e-5)
    expect(stepped([2.0], eps=1.0), [-0.0666667], given="lr = 0.1, eps = 1, slope = 2", tol=1e-5)


def check_two_parameters():
    """Several parameters come out as in torch.optim.Adam."""
    got = two(lambda parameters: Adam(parameters, lr=0.05, betas=(0.8, 0.95), eps=1e-8))
    want = two(lambda parameters: torch.optim.Adam(parameters, lr=0.05, betas=(0.8, 0.95)))
    expect(got, want, given="two parameters, five steps", tol=1e-5)
