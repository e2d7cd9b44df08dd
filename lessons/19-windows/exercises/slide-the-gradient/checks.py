import glowgrad as torch
import glowgrad.nn.functional as F


def by_autograd(x, gy):
    height = x.shape[1] - gy.shape[1] + 1
    width = x.shape[2] - gy.shape[2] + 1
    w = torch.zeros(1, 1, height, width, requires_grad=True)
    (F.conv2d(x.unsqueeze(1), w)[:, 0] * gy).sum().backward()
    return w.grad[0, 0]


def check_one_place():
    """A filter that stood at one place gets what it saw, times the gradient there."""
    expect(
        filter_gradient(torch.tensor([[[1.0, 2.0], [3.0, 4.0]]]), torch.tensor([[[10.0]]])),
        torch.tensor([[10.0, 20.0], [30.0, 40.0]]),
        given="x = [[1, 2], [3, 4]], gy = [[10]]",
    )


def check_two_places():
    """A weight adds up over all places where it was used."""
    expect(
        filter_gradient(torch.tensor([[[1.0, 2.0]]]), torch.tensor([[[1.0, 10.0]]])),
        torch.tensor([[21.0]]),
        given="x = [[1, 2]], gy = [[1, 10]]",
    )


def check_two_weights():
    """The second weight met the neighbours on the right."""
    expect(
        filter_gradient(torch.tensor([[[1.0, 2.0, 3.0]]]), torch.tensor([[[1.0, 10.0]]])),
        torch.tensor([[21.0, 32.0]]),
        given="x = [[1, 2, 3]], gy = [[1, 10]]",
    )


def check_two_images():
    """The filter is shared by all images, too."""
    x = torch.tensor([[[1.0, 2.0]], [[3.0, 4.0]]])
    gy = torch.tensor([[[1.0]], [[10.0]]])
    expect(
        filter_gradient(x, gy),
        torch.tensor([[31.0, 42.0]]),
        given="two images, x = [[1, 2]] and [[3, 4]], with gy = [[1]] and [[10]]",
    )


def check_autograd():
    """It is the gradient that backward() gives."""
    torch.manual_seed(0)
    for n, height, width, rows, columns in ((1, 5, 5, 3, 3), (3, 6, 7, 4, 3), (2, 8, 8, 6, 6)):
        x, gy = torch.randn(n, height, width), torch.randn(n, rows, columns)
        given = f"x of shape {[n, height, width]}, gy of shape {[n, rows, columns]}"
        expect(filter_gradient(x, gy), by_autograd(x, gy), given=given, tol=1e-4)
