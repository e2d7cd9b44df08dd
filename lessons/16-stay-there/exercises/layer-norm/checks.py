import glowgrad as torch
import glowgrad.nn.functional as F


def plain(x, eps=0.0):
    """With a weight of 1 and a bias of 0."""
    n = x.shape[-1]
    return layer_norm(x, torch.ones(n), torch.zeros(n), eps)


def check_two():
    """Of two numbers, −1 and 1 are left."""
    expect(plain(torch.tensor([[3.0, 7.0]])), torch.tensor([[-1.0, 1.0]]), given="x = [[3, 7]], eps = 0")


def check_rows():
    """Each row is normalized by itself."""
    x = torch.tensor([[3.0, 7.0], [-50.0, 50.0], [2.0, 1.0]])
    want = torch.tensor([[-1.0, 1.0], [-1.0, 1.0], [1.0, -1.0]])
    expect(plain(x), want, given="x = [[3, 7], [-50, 50], [2, 1]], eps = 0")


def check_eps():
    """eps is added to the variance, under the root."""
    x = torch.tensor([[-1.0, 1.0]])
    expect(plain(x, eps=3.0), torch.tensor([[-0.5, 0.5]]), given="x = [[-1, 1]], so a variance of 1, eps = 3")


def check_no_spread():
    """A row of equal numbers gives zeros."""
    expect(plain(torch.full((1, 3), 5.0), eps=1e-5), torch.zeros(1, 3), given="x = [[5, 5, 5]], eps = 1e-5")


def check_weight_and_bias():
    """Weight and bias come last, and belong to the columns."""
    x = torch.tensor([[3.0, 7.0], [0.0, -2.0]])
    got = layer_norm(x, torch.tensor([10.0, 2.0]), torch.tensor([0.5, -1.0]), 0.0)
    want = torch.tensor([[-9.5, 1.0], [10.5, -3.0]])
    expect(got, want, given="x = [[3, 7], [0, -2]], weight = [10, 2], bias = [0.5, -1], eps = 0")


def check_more_dimensions():
    """Any dimensions may stand before the last."""
    torch.manual_seed(0)
    x, weight, bias = torch.randn(2, 3, 5) * 4 + 1, torch.randn(5), torch.randn(5)
    want = F.layer_norm(x, (5,), weight, bias, 1e-5)
    expect(layer_norm(x, weight, bias, 1e-5), want, given="x of shape [2, 3, 5]", tol=1e-5)
    want = F.layer_norm(x[0, 0], (5,), weight, bias, 1e-5)
    expect(layer_norm(x[0, 0], weight, bias, 1e-5), want, given="x of shape [5]", tol=1e-5)


def check_gradient():
    """The gradient goes through the mean and the variance too."""
    torch.manual_seed(1)
    x = torch.randn(3, 4, requires_grad=True)
    along = torch.randn(3, 4)
    (plain(x, eps=1e-5) * along).sum().backward()
    z = x.detach().clone().requires_grad_()
    (F.layer_norm(z, (4,), eps=1e-5) * along).sum().backward()
    expect(x.grad, z.grad, given="x of shape [3, 4], its gradient", tol=1e-4)
