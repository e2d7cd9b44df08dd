import glowgrad as torch


def slope_at(point, gradient=1.0):
    x = torch.tensor([point], requires_grad=True)
    Tanh.apply(x).backward(torch.tensor([gradient]))
    return x.grad


def check_slope_at_zero():
    """At 0 the slope is 1."""
    expect(slope_at(0.0), torch.tensor([1.0]), given="x = [0]")


def check_slope_at_one():
    """At 1 the slope is 1 - tanh(1)**2, which is about 0.42."""
    expect(slope_at(1.0), torch.tensor([0.41997434]), given="x = [1]", tol=1e-5)


def check_flat_far_out():
    """Far from 0 the curve is flat and almost nothing passes."""
    expect(slope_at(-6.0), torch.tensor([2.4576547e-05]), given="x = [-6]", tol=1e-6)


def check_multiplies_what_comes_from_behind():
    """A gradient of 10 from behind comes out ten times as large."""
    expect(slope_at(1.0, 10.0), torch.tensor([4.1997434]), given="x = [1], gy = [10]", tol=1e-5)


def check_gradcheck():
    """gradcheck agrees: nudging the input moves the result by as much as backward says."""
    x = torch.tensor([[-1.5, -0.2, 0.0], [0.3, 1.0, 2.0]], dtype=torch.float64, requires_grad=True)
    expect(torch.autograd.gradcheck(Tanh.apply, (x,)), True)
