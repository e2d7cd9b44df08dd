import glowgrad as torch


def spread(n_in, n_out, activation):
    torch.manual_seed(0)
    return start(n_in, n_out, activation).std().item()


def check_shape():
    """There is a row of weights for each output."""
    expect(tuple(start(3, 5, "tanh").shape), (5, 3), given="n_in = 3, n_out = 5")


def check_tanh():
    """For tanh the spread is 1/√n."""
    expect(spread(400, 400, "tanh"), 0.05, given='n_in = n_out = 400, "tanh"', tol=0.001)


def check_relu():
    """For ReLU it is √(2/n)."""
    expect(spread(200, 200, "relu"), 0.1, given='n_in = n_out = 200, "relu"', tol=0.002)


def check_which_n():
    """n is the number of products that one output adds up."""
    expect(spread(100, 900, "tanh"), 0.1, given='n_in = 100, n_out = 900, "tanh"', tol=0.002)
    expect(spread(800, 50, "relu"), 0.05, given='n_in = 800, n_out = 50, "relu"', tol=0.001)


def check_centre():
    """The weights lie around 0."""
    torch.manual_seed(1)
    expect(start(400, 400, "tanh").mean().item(), 0.0, given="the mean of 160,000 weights", tol=0.001)


def check_normal():
    """They are normally distributed: about a third is further from 0 than one spread."""
    torch.manual_seed(2)
    w = start(400, 400, "relu")
    expect((w.abs() > w.std()).float().mean().item(), 0.317, given="160,000 weights", tol=0.01)


def check_different():
    """Two layers do not begin with the same weights."""
    first, second = start(20, 20, "tanh"), start(20, 20, "tanh")
    expect(bool((first == second).all()), False, given="whether two calls give the same")
