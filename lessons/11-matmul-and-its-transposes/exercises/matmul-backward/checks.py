import glowgrad as torch


def gradients(a, b, gy):
    a, b = torch.tensor(a, requires_grad=True), torch.tensor(b, requires_grad=True)
    MatMul.apply(a, b).backward(torch.tensor(gy))
    return a.grad, b.grad


def check_numbers():
    """Matrices of one number behave like numbers: the other factor, times gy."""
    a, b = gradients([[2.0]], [[5.0]], [[10.0]])
    expect(a, torch.tensor([[50.0]]), given="a = [[2]], b = [[5]], gy = [[10]]: a.grad")
    expect(b, torch.tensor([[20.0]]), given="a = [[2]], b = [[5]], gy = [[10]]: b.grad")


def check_row_times_column():
    """A row times a column: the row gets the column's numbers, lying down."""
    a, b = gradients([[1.0, 2.0]], [[3.0], [4.0]], [[1.0]])
    expect(a, torch.tensor([[3.0, 4.0]]), given="a = [[1, 2]], b = [[3], [4]], gy = [[1]]: a.grad")
    expect(b, torch.tensor([[1.0], [2.0]]), given="a = [[1, 2]], b = [[3], [4]], gy = [[1]]: b.grad")


def check_column_times_row():
    """A column times a row: each number of the column gets a sum over the row."""
    a, b = gradients([[1.0], [2.0]], [[3.0, 4.0]], [[1.0, 10.0], [100.0, 1000.0]])
    given = "a = [[1], [2]], b = [[3, 4]], gy = [[1, 10], [100, 1000]]"
    expect(a, torch.tensor([[43.0], [4300.0]]), given=given + ": a.grad")
    expect(b, torch.tensor([[201.0, 2010.0]]), given=given + ": b.grad")


def check_square():
    """With square matrices, where every wrong formula fits, it is the right one."""
    a, b = gradients([[1.0, 2.0], [3.0, 4.0]], [[0.0, 1.0], [0.0, 0.0]], [[1.0, 0.0], [0.0, 0.0]])
    given = "a = [[1, 2], [3, 4]], b = [[0, 1], [0, 0]], gy = [[1, 0], [0, 0]]"
    expect(a, torch.tensor([[0.0, 0.0], [0.0, 0.0]]), given=given + ": a.grad")
    expect(b, torch.tensor([[1.0, 0.0], [2.0, 0.0]]), given=given + ": b.grad")


def check_gradcheck():
    """gradcheck agrees for [2, 3] times [3, 4]."""
    torch.manual_seed(0)
    a = torch.randn(2, 3, dtype=torch.float64, requires_grad=True)
    b = torch.randn(3, 4, dtype=torch.float64, requires_grad=True)
    expect(torch.autograd.gradcheck(MatMul.apply, (a, b)), True, given="a [2, 3], b [3, 4]")
