import glowgrad as torch
from glowgrad import lab


def kernels(m, k, n):
    """The kernels that a product of these sizes asks for, each operation by itself."""
    a, b = torch.ones(m, k).realize(), torch.ones(k, n).realize()
    before = lab.set_eager(True)
    try:
        return lab.kernels(lambda: product(a, b))
    finally:
        lab.set_eager(before)


def check_one_outer_product():
    """A column times a row is a table."""
    a, b = torch.tensor([[1.0], [2.0]]), torch.tensor([[10.0, 20.0, 30.0]])
    want = torch.tensor([[10.0, 20.0, 30.0], [20.0, 40.0, 60.0]])
    expect(product(a, b), want, given="a = [[1], [2]], b = [[10, 20, 30]]")


def check_a_sum():
    """Outer products are added up."""
    a, b = torch.tensor([[1.0, 2.0], [3.0, 4.0]]), torch.tensor([[1.0, 10.0], [100.0, 1000.0]])
    want = torch.tensor([[201.0, 2010.0], [403.0, 4030.0]])
    expect(product(a, b), want, given="a = [[1, 2], [3, 4]], b = [[1, 10], [100, 1000]]")


def check_hands_off():
    """The tensors you were given are as they were."""
    a, b = torch.tensor([[1.0, 2.0]]), torch.tensor([[3.0], [4.0]])
    product(a, b)
    expect(a, torch.tensor([[1.0, 2.0]]), given="a = [[1, 2]], and a after the call")
    expect(b, torch.tensor([[3.0], [4.0]]), given="b = [[3], [4]], and b after the call")


def check_own_work():
    """The engine's own product is not asked."""
    asked = kernels(4, 3, 5).count("matmul")
    expect(asked, 0, given="a of shape [4, 3], b of shape [3, 5]: kernels of the name matmul")


def check_no_loop_over_the_result():
    """A larger result takes no more kernels."""
    small, large = len(kernels(2, 3, 2)), len(kernels(8, 3, 9))
    expect(large, small, given="a [8, 3], b [3, 9]: the kernels, beside those for a [2, 3], b [3, 2]")


def check_loop_over_k():
    """Each k is an outer product of its own, computed by the engine."""
    more = len(kernels(4, 9, 5)) - len(kernels(4, 3, 5))
    if more < 6:
        expect(more, 6, given="an inner size of 9 and one of 3: how many kernels more, at least")


def check_agrees():
    """It agrees with a @ b for [33, 17] times [17, 20]."""
    torch.manual_seed(0)
    a, b = torch.randn(33, 17), torch.randn(17, 20)
    expect(product(a, b), a @ b, given="a of shape [33, 17], b of shape [17, 20]", tol=1e-5)
