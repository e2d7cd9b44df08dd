import math

import glowgrad as torch


def combined(rows, counts):
    return combine([torch.tensor(row) for row in rows], counts)


def same(rows, counts, want):
    given = f"rows = {rows}, counts = {counts}"
    expect(combined(rows, counts), torch.tensor(want), given=given, tol=1e-5)


def check_equal():
    """With equal shares it is the plain mean."""
    same([[1.0, 2.0], [3.0, 4.0]], [5, 5], [2.0, 3.0])


def check_unequal():
    """A worker with three times as many samples counts three times as much."""
    same([[0.0], [4.0]], [3, 1], [1.0])


def check_three():
    """Each worker counts by its samples, in any order of the workers."""
    same([[1.0], [2.0], [4.0]], [1, 2, 5], [3.125])


def check_empty():
    """A worker without samples has no say, although its gradient is NaN."""
    same([[2.0], [math.nan], [6.0]], [1, 0, 3], [5.0])


def check_real_nan():
    """A NaN of a worker that has samples stays visible."""
    same([[2.0, 1.0], [math.nan, 3.0]], [1, 1], [math.nan, 2.0])


def check_not_changed():
    """The rows are left as they were."""
    rows = [torch.tensor([2.0]), torch.tensor([6.0])]
    combine(rows, [1, 3])
    given = "rows = [[2.0], [6.0]], counts = [1, 3], the rows after the call"
    expect(rows, [torch.tensor([2.0]), torch.tensor([6.0])], given=given)


def check_network():
    """Three workers with 6, 1 and 2 samples get the gradient of all nine."""
    torch.manual_seed(0)
    x, y = torch.randn(9, 4), torch.randn(9)
    w = torch.randn(4)

    def gradient(x, y):
        weight = w.clone().requires_grad_()
        ((x @ weight - y) ** 2).mean().backward()
        return weight.grad

    rows = [gradient(*share) for share in zip(x.split([6, 1, 2]), y.split([6, 1, 2]))]
    given = "a linear layer with a squared error, counts = [6, 1, 2]"
    expect(combine(rows, [6, 1, 2]), gradient(x, y), given=given, tol=1e-5)
