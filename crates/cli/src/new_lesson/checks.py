import glowgrad as torch


def check_one_element():
    """The mean square of one element is its square."""
    x = torch.tensor([3.0])
    expect(mean_square(x), torch.tensor(9.0), given="x = [3]")


def check_several_elements():
    """The mean is taken over all elements."""
    x = torch.tensor([1.0, 2.0, 3.0])
    expect(mean_square(x), torch.tensor(14.0 / 3.0), given="x = [1, 2, 3]", tol=1e-6)
