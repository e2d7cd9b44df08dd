import glowgrad as torch


def check_chain():
    """A chain is counted from its node to the end at the leaf."""
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    expect(n_nodes(x.sum()), 2, given="x.sum()")
    expect(n_nodes(x.exp().sum()), 3, given="x.exp().sum()")


def check_once():
    """A node is counted once, however many ways lead to it."""
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    expect(n_nodes(x * x), 2, given="x * x")
    expect(n_nodes((x * x + x).sum()), 4, given="(x * x + x).sum()")


def check_constant():
    """A constant has no node."""
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    c = torch.tensor([3.0, 4.0])
    expect(n_nodes(x * c), 2, given="x * c, where c asks for no gradient")
    expect(n_nodes(c), 0, given="c, which asks for no gradient")


def check_same_kind():
    """Two additions are two nodes."""
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x + x
    expect(n_nodes(y + y), 3, given="y = x + x, then y + y")


def check_two_leaves():
    """Each leaf has an end of its own."""
    a, b = torch.tensor(1.0, requires_grad=True), torch.tensor(2.0, requires_grad=True)
    expect(n_nodes(a * b), 3, given="a * b")


def check_many_paths():
    """Ten doublings make 1,024 paths and 11 nodes."""
    y = torch.tensor(1.0, requires_grad=True)
    for _ in range(10):
        y = y + y
    expect(n_nodes(y), 11, given="y = y + y, ten times")


def check_long_chain():
    """A chain of 2,000 operations is not too long."""
    y = torch.tensor(1.0, requires_grad=True)
    for _ in range(2000):
        y = -y
    expect(n_nodes(y), 2001, given="y = -y, 2,000 times")
