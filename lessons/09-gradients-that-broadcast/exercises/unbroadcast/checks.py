import glowgrad as torch


GRADIENT = torch.tensor([[1.0, 10.0, 100.0], [2.0, 20.0, 200.0]])
SHOWN = "gradient = [[1, 10, 100], [2, 20, 200]], shape = "


def check_not_stretched():
    """What was not stretched comes back as it is."""
    expect(unbroadcast(GRADIENT, (2, 3)), GRADIENT, given=SHOWN + "(2, 3)")


def check_missing_dimension():
    """A dimension that the tensor did not have is summed away."""
    expect(unbroadcast(GRADIENT, (3,)), torch.tensor([3.0, 30.0, 300.0]), given=SHOWN + "(3,)")


def check_dimension_of_one():
    """A dimension of size 1 is summed, and the 1 stays."""
    expect(unbroadcast(GRADIENT, (2, 1)), torch.tensor([[111.0], [222.0]]), given=SHOWN + "(2, 1)")


def check_one_row():
    """A row of shape [1, 3] is summed over the rows."""
    expect(unbroadcast(GRADIENT, (1, 3)), torch.tensor([[3.0, 30.0, 300.0]]), given=SHOWN + "(1, 3)")


def check_a_single_number():
    """A single number gets everything."""
    expect(unbroadcast(GRADIENT, ()), torch.tensor(333.0), given=SHOWN + "()")


def check_one_that_stayed_one():
    """A dimension of size 1 that was not stretched stays as it is."""
    gradient = torch.tensor([[1.0], [2.0]])
    expect(unbroadcast(gradient, (2, 1)), gradient, given="gradient = [[1], [2]], shape = (2, 1)")


def check_both_at_once():
    """Missing and stretched dimensions together agree with backward(), for many shapes."""
    other = torch.arange(24.0).reshape(2, 3, 4)
    for shape in [(4,), (1, 4), (3, 1), (1, 1), (2, 1, 1), (2, 3, 1), (1, 3, 4), (1,), ()]:
        x = torch.ones(shape, requires_grad=True)
        (x * other).sum().backward()
        expect(unbroadcast(other, shape), x.grad, given=f"gradient of shape (2, 3, 4), shape = {shape}")
