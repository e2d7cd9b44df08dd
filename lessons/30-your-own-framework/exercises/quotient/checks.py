import glowgrad as torch
from glowgrad import lab


class Pad:
    def save_for_backward(self, *arrays):
        self.saved_tensors = arrays


def gradients(a, b, gy):
    pad = Pad()
    Div.forward(pad, lab.array(a), lab.array(b))
    grads = Div.backward(pad, lab.array(gy))
    if not isinstance(grads, (tuple, list)) or len(grads) != 2:
        raise AssertionError(f"got       {grads}\nexpected  two gradients: of a, then of b")
    return grads


def check_of_a():
    """The slope in a is 1 / b."""
    expect(gradients([6.0], [2.0], [1.0])[0], lab.array([0.5]), given="a = [6], b = [2], gy = [1]: the gradient of a")


def check_of_b():
    """The slope in b is −a / b²."""
    expect(gradients([6.0], [2.0], [1.0])[1], lab.array([-1.5]), given="a = [6], b = [2], gy = [1]: the gradient of b")


def check_times_gy():
    """Both are multiplied with what arrives."""
    got = gradients([6.0, 6.0], [2.0, 2.0], [10.0, 0.0])
    want = lab.array([5.0, 0.0]), lab.array([-15.0, 0.0])
    expect(tuple(got), want, given="a = [6, 6], b = [2, 2], gy = [10, 0]")


def check_stretched():
    """An operand that was stretched gets the sum over its places."""
    of_a, of_b = gradients([[2.0, 4.0], [6.0, 8.0]], [1.0, 2.0], [[1.0, 1.0], [1.0, 1.0]])
    expect(of_b, lab.array([-8.0, -3.0]), given="a = [[2, 4], [6, 8]], b = [1, 2], all gy = 1: the gradient of b")
    expect(of_a, lab.array([[1.0, 0.5], [1.0, 0.5]]), given="a = [[2, 4], [6, 8]], b = [1, 2], all gy = 1: that of a")


def check_a_stretched():
    """So does a, when a is the one that was stretched."""
    of_a, _ = gradients(1.0, [[1.0, 2.0], [4.0, 8.0]], [[1.0, 1.0], [1.0, 1.0]])
    expect(of_a, lab.array(1.875), given="a = 1, b = [[1, 2], [4, 8]], all gy = 1: the gradient of a")


def check_agrees():
    """It agrees with the lab's engine, for many shapes."""
    torch.manual_seed(0)
    for shapes in [((2, 3), (2, 3)), ((2, 3), (3,)), ((3,), (2, 3)), ((2, 1), (1, 3)), ((), (4,)), ((4, 1, 2), (3, 1))]:
        a, b = torch.randn(shapes[0]), torch.rand(shapes[1]) + 0.5
        x, y = a.clone().requires_grad_(), b.clone().requires_grad_()
        quotient = x / y
        gy = torch.randn(tuple(quotient.shape))
        (quotient * gy).sum().backward()
        given = f"a of shape {shapes[0]}, b of shape {shapes[1]}: both gradients"
        expect(tuple(gradients(a, b, gy)), (x.grad, y.grad), given=given, tol=1e-5)
