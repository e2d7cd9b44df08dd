import glowgrad as torch
from glowgrad import lab


def products(m, k, n, size):
    """How many products of blocks are asked for, each operation by itself."""
    a, b = torch.ones(m, k).realize(), torch.ones(k, n).realize()
    before = lab.set_eager(True)
    try:
        return lab.kernels(lambda: blocked(a, b, size)).count("matmul")
    finally:
        lab.set_eager(before)


def table(rows, columns):
    return torch.arange(1.0, rows * columns + 1).reshape(rows, columns)


def check_one_block():
    """A matrix that is one block is one product."""
    want = torch.tensor([[7.0, 10.0], [15.0, 22.0]])
    expect(blocked(table(2, 2), table(2, 2), 2), want, given="a = b = [[1, 2], [3, 4]], size = 2")


def check_along_the_inner_size():
    """Along the inner size, the products of blocks are added up."""
    want = torch.tensor([[50.0, 60.0], [114.0, 140.0]])
    given = "a = [[1, 2, 3, 4], [5, 6, 7, 8]], b = [[1, 2], [3, 4], [5, 6], [7, 8]], size = 2"
    expect(blocked(table(2, 4), table(4, 2), 2), want, given=given)


def check_two_blocks():
    """Each block of the result has a sum of its own."""
    want = torch.tensor([[11.0, 14.0, 17.0, 20.0], [23.0, 30.0, 37.0, 44.0]])
    given = "a = [[1, 2], [3, 4]], b = [[1, 2, 3, 4], [5, 6, 7, 8]], size = 2"
    expect(blocked(table(2, 2), table(2, 4), 2), want, given=given)


def check_edges():
    """What is left at the edges is multiplied too."""
    a, b = table(3, 3), torch.eye(3)
    expect(blocked(a, b, 2), a, given="a = [[1, 2, 3], [4, 5, 6], [7, 8, 9]], b = eye(3), size = 2")


def check_larger_than_all():
    """A block may be larger than the matrices."""
    want = torch.tensor([[7.0, 10.0], [15.0, 22.0]])
    expect(blocked(table(2, 2), table(2, 2), 5), want, given="a = b = [[1, 2], [3, 4]], size = 5")


def check_blocks():
    """All three sides are cut into blocks."""
    expect(products(4, 4, 4, 2), 8, given="4 × 4 times 4 × 4, size = 2: products of blocks")
    expect(products(5, 7, 3, 2), 24, given="5 × 7 times 7 × 3, size = 2: products of blocks")


def check_agrees():
    """It agrees with a @ b for [33, 50] times [50, 20] and sizes from 7 to 64."""
    torch.manual_seed(0)
    a, b = torch.randn(33, 50), torch.randn(50, 20)
    for size in [7, 10, 16, 64]:
        expect(blocked(a, b, size), a @ b, given=f"a of shape [33, 50], b of shape [50, 20], size = {size}", tol=1e-5)
