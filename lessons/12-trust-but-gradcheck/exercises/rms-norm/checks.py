import glowgrad as torch


def gradient(x, gy):
    x = torch.tensor(x, requires_grad=True)
    RMSNorm.apply(x).backward(torch.tensor(gy))
    return x.grad


def check_forward():
    """Each row comes out with a mean square of 1."""
    got = RMSNorm.apply(torch.tensor([[3.0, 4.0], [0.6, -0.8]]))
    want = torch.tensor([[0.8485281, 1.1313708], [0.8485281, -1.1313708]])
    expect(got, want, given="x = [[3, 4], [0.6, -0.8]]", tol=1e-5)


def check_one_number():
    """A row of one positive number gives 1, whatever the number: nudging it moves nothing."""
    expect(gradient([[2.0]], [[1.0]]), torch.tensor([[0.0]]), given="x = [[2]], gy = [[1]]: x.grad")


def check_two_numbers():
    """Raise one number of a row and the other falls."""
    got = gradient([[1.0, 1.0]], [[1.0, 0.0]])
    expect(got, torch.tensor([[0.5, -0.5]]), given="x = [[1, 1]], gy = [[1, 0]]: x.grad", tol=1e-5)


def check_larger_rows_move_less():
    """A row ten times as large feels a nudge a tenth as much."""
    got = gradient([[10.0, 10.0]], [[1.0, 0.0]])
    expect(got, torch.tensor([[0.05, -0.05]]), given="x = [[10, 10]], gy = [[1, 0]]: x.grad", tol=1e-5)


def check_rows_are_apart():
    """A row's gradient does not depend on the other rows."""
    got = gradient([[1.0, 1.0], [3.0, -3.0]], [[1.0, 0.0], [0.0, 0.0]])
    want = torch.tensor([[0.5, -0.5], [0.0, 0.0]])
    expect(got, want, given="x = [[1, 1], [3, -3]], gy = [[1, 0], [0, 0]]: x.grad", tol=1e-5)


def check_gradcheck():
    """gradcheck agrees at random points."""
    torch.manual_seed(0)
    x = torch.randn(3, 4, dtype=torch.float64, requires_grad=True)
    expect(torch.autograd.gradcheck(RMSNorm.apply, (x,)), True, given="x of shape [3, 4]")
