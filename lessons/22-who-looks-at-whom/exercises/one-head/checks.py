import math

import glowgrad as torch
import glowgrad.nn.functional as F


def numbers(*sizes):
    return torch.randn(*sizes)


def compare(x_shape, y_shape, width, out):
    torch.manual_seed(0)
    x, y = numbers(*x_shape), numbers(*y_shape)
    size = x_shape[-1]
    wq, wk, wv = numbers(size, width), numbers(size, width), numbers(size, out)
    want = F.scaled_dot_product_attention(x @ wq, y @ wk, y @ wv)
    given = f"x of shape {list(x_shape)}, y of shape {list(y_shape)}, wq and wk [{size}, {width}], wv [{size}, {out}]"
    expect(head(x, y, wq, wk, wv)[0], want, given=given, tol=1e-4)


def check_one_key():
    """One key gets the whole attention, and its value comes out."""
    one = torch.tensor([[1.0]])
    out, shares = head(torch.tensor([[5.0]]), torch.tensor([[2.0]]), one, one, torch.tensor([[10.0]]))
    expect(shares, torch.tensor([[1.0]]), given="x = [[5]], y = [[2]], wq = wk = [[1]], wv = [[10]], the shares")
    expect(out, torch.tensor([[20.0]]), given="x = [[5]], y = [[2]], wq = wk = [[1]], wv = [[10]], what comes out")


def check_asks_nothing():
    """A query of 0 gets the mean of the values."""
    one = torch.tensor([[1.0]])
    out, shares = head(torch.tensor([[0.0]]), torch.tensor([[2.0], [6.0]]), one, one, one)
    expect(shares, torch.tensor([[0.5, 0.5]]), given="x = [[0]], y = [[2], [6]], all weights [[1]], the shares")
    expect(out, torch.tensor([[4.0]]), given="x = [[0]], y = [[2], [6]], all weights [[1]], what comes out")


def check_rows():
    """Each query shares out its whole attention: rows add up to 1."""
    x, y = torch.tensor([[0.0], [1.0], [3.0]]), torch.tensor([[1.0], [-1.0]])
    one = torch.tensor([[1.0]])
    sums = head(x, y, one, one, one)[1].sum(dim=-1)
    expect(sums, torch.ones(3), given="x = [[0], [1], [3]], y = [[1], [-1]], all weights [[1]], sums of the rows")


def check_fits():
    """A share is larger by the factor e if the score is larger by 1."""
    x, y = torch.tensor([[1.0]]), torch.tensor([[1.0], [0.0]])
    one = torch.tensor([[1.0]])
    share = math.e / (math.e + 1)
    expect(
        head(x, y, one, one, one)[1],
        torch.tensor([[share, 1 - share]]),
        given="x = [[1]], y = [[1], [0]], all weights [[1]], the shares",
    )


def check_root():
    """The scores are divided by the root of the width of the queries."""
    x, y = torch.tensor([[1.0]]), torch.tensor([[1.0], [0.0]])
    four = torch.ones(1, 4)
    share = math.exp(2) / (math.exp(2) + 1)
    expect(
        head(x, y, four, four, torch.ones(1, 3))[1],
        torch.tensor([[share, 1 - share]]),
        given="x = [[1]], y = [[1], [0]], wq = wk = [[1, 1, 1, 1]], wv = [[1, 1, 1]]: scores 4/2 and 0, the shares",
    )


def check_large():
    """Scores of 1000 are no problem."""
    one = torch.tensor([[1.0]])
    out = head(torch.tensor([[1000.0]]), torch.tensor([[1.0], [0.0]]), one, one, one)[0]
    expect(out, torch.tensor([[1.0]]), given="x = [[1000]], y = [[1], [0]], all weights [[1]]")


def check_sizes():
    """It agrees with scaled_dot_product_attention when no two sizes are equal."""
    compare((3, 5), (4, 5), 2, 6)


def check_batch():
    """A batch in front stays in front."""
    compare((2, 3, 5), (2, 4, 5), 6, 7)
    compare((2, 3, 4, 5), (2, 3, 6, 5), 8, 7)


def check_own():
    """The look-up is your own: no scaled_dot_product_attention."""
    expect(
        "scaled_dot_product_attention" in head.__code__.co_names,
        False,
        given="whether head calls scaled_dot_product_attention",
    )
