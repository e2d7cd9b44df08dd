import math

import glowgrad as torch
import glowgrad.nn.functional as F


def layers(hidden):
    torch.manual_seed(0)
    return [torch.randn(2, 3), torch.randn(3, hidden), torch.randn(hidden), torch.randn(hidden, 2), torch.randn(2)]


def whole(x, w1, b1, w2, b2):
    return F.relu(x @ w1 + b1) @ w2 + b2


def same(n, x, w1, b1, w2, b2, given):
    parts = [part(rank, n, x, w1, b1, w2, b2) for rank in range(n)]
    for got in parts:
        if got is None or not hasattr(got, "shape"):
            expect(got, whole(x, w1, b1, w2, b2), given=given)
    total = parts[0]
    for got in parts[1:]:
        total = total + got
    expect(total, whole(x, w1, b1, w2, b2), given=given + ", the sum of the parts", tol=1e-5)


def check_smallest():
    """Two workers with a hidden unit each add up to the two layers."""
    x = torch.tensor([[1.0]])
    w1, w2 = torch.tensor([[2.0, -3.0]]), torch.tensor([[-5.0], [7.0]])
    given = "x = [[1]], w1 = [[2, -3]], w2 = [[-5], [7]], no biases, n = 2"
    same(2, x, w1, torch.zeros(2), w2, torch.zeros(1), given)


def check_first_bias():
    """The first bias is added before the ReLU, each unit's to its own."""
    x = torch.tensor([[1.0]])
    w1, w2 = torch.tensor([[2.0, -3.0]]), torch.tensor([[-5.0], [7.0]])
    given = "x = [[1]], w1 = [[2, -3]], b1 = [-1, 4], w2 = [[-5], [7]], b2 = [0], n = 2"
    same(2, x, w1, torch.tensor([-1.0, 4.0]), w2, torch.zeros(1), given)


def check_second_bias():
    """The second bias is in the sum once."""
    x = torch.tensor([[1.0]])
    w1, w2 = torch.tensor([[2.0, -3.0]]), torch.tensor([[-5.0], [7.0]])
    given = "x = [[1]], w1 = [[2, -3]], b1 = [0, 0], w2 = [[-5], [7]], b2 = [100], n = 2"
    same(2, x, w1, torch.zeros(2), w2, torch.tensor([100.0]), given)


def check_own_weights():
    """A worker uses no weight of another one."""
    for rank in range(2):
        x, w1, b1, w2, b2 = layers(4)
        others = slice(2, 4) if rank == 0 else slice(0, 2)
        w1[:, others], b1[others], w2[others] = math.nan, math.nan, math.nan
        got = part(rank, 2, x, w1, b1, w2, b2)
        given = f"4 hidden units, n = 2, rank = {rank}, all weights of the other rank are NaN: how many NaN come out"
        expect(got.isnan().sum().item(), 0, given=given)


def check_sizes():
    """It holds for one, two and four workers, and for several samples."""
    for n in (1, 2, 4):
        same(n, *layers(8), f"8 hidden units, n = {n}")


def check_uneven():
    """The hidden units need not be divisible by the number of workers."""
    for hidden, n in ((5, 2), (5, 3), (7, 4)):
        same(n, *layers(hidden), f"{hidden} hidden units, n = {n}")
