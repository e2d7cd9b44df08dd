import glowgrad as torch
from glowgrad import lab


def check_two_rows():
    """Each row gets the mean 0 and the variance 1."""
    x = torch.tensor([[1.0, 3.0], [60.0, 20.0]])
    want = torch.tensor([[-1.0, 1.0], [1.0, -1.0]])
    expect(standardise(x), want, given="x = [[1, 3], [60, 20]]", tol=1e-5)


def check_constant():
    """A row of equal numbers becomes 0."""
    expect(standardise(torch.tensor([[5.0, 5.0]])), torch.tensor([[0.0, 0.0]]), given="x = [[5, 5]]")


def check_far_out():
    """Rows far from 0 keep their digits."""
    x = torch.tensor([[10001.0, 10003.0]])
    expect(standardise(x), torch.tensor([[-1.0, 1.0]]), given="x = [[10001, 10003]]", tol=1e-5)


def check_kernels():
    """It is three kernels: two reductions, and what comes after them."""
    torch.manual_seed(0)
    x = torch.randn(64, 32)
    names = lab.kernels(lambda: standardise(x))
    if len(names) > 3:
        expect(names, ["reduce", "reduce", "fused"], given="x of shape [64, 32]")


def check_agrees():
    """It agrees with a layer norm for 64 × 32 numbers."""
    torch.manual_seed(0)
    x = torch.randn(64, 32) * 3 + 1
    want = torch.nn.functional.layer_norm(x, (32,))
    expect(standardise(x), want, given="64 × 32 numbers", tol=1e-5)
