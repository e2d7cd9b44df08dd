import glowgrad as torch


def gradients(x, scale, shift):
    x, scale, shift = (torch.tensor(t, requires_grad=True) for t in (x, scale, shift))
    ScaleShift.apply(x, scale, shift).sum().backward()
    return x.grad, scale.grad, shift.grad


def check_shift_two_rows():
    """shift is added to every row, so it gets the sum over the rows."""
    _, _, shift = gradients([[0.0], [0.0]], [1.0], [0.0])
    expect(shift, torch.tensor([2.0]), given="x = [[0], [0]], scale = [1], shift = [0], all gy = 1: shift.grad")


def check_scale_one_row():
    """With one row, the gradient of scale is that row."""
    _, scale, _ = gradients([[5.0, 7.0]], [1.0, 1.0], [0.0, 0.0])
    expect(scale, torch.tensor([5.0, 7.0]), given="x = [[5, 7]], scale = [1, 1], all gy = 1: scale.grad")


def check_scale_square():
    """In a square batch, each scale gets its own column and not a row."""
    _, scale, _ = gradients([[1.0, 10.0], [2.0, 20.0]], [1.0, 1.0], [0.0, 0.0])
    expect(scale, torch.tensor([3.0, 30.0]), given="x = [[1, 10], [2, 20]], scale = [1, 1], all gy = 1: scale.grad")


def check_inputs():
    """The inputs get gy times scale."""
    x, _, _ = gradients([[1.0, 2.0]], [3.0, -4.0], [0.0, 0.0])
    expect(x, torch.tensor([[3.0, -4.0]]), given="x = [[1, 2]], scale = [3, -4], all gy = 1: x.grad")


def check_shapes():
    """backward gives each input a gradient of its own shape, summed by you."""

    class Notebook:
        saved_tensors = (torch.ones(4, 3), torch.ones(3))

    grads = ScaleShift.backward(Notebook(), torch.ones(4, 3))
    shapes = [list(grad.shape) for grad in grads]
    expect(shapes, [[4, 3], [3], [3]], given="gy of shape [4, 3]: the shapes that backward returns")


def check_gradcheck():
    """gradcheck agrees for a batch of 4 with 3 features."""
    torch.manual_seed(0)
    x = torch.randn(4, 3, dtype=torch.float64, requires_grad=True)
    scale = torch.randn(3, dtype=torch.float64, requires_grad=True)
    shift = torch.randn(3, dtype=torch.float64, requires_grad=True)
    expect(torch.autograd.gradcheck(ScaleShift.apply, (x, scale, shift)), True, given="x of shape [4, 3]")
