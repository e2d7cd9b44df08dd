import glowgrad as torch
import glowgrad.nn.functional as F


def image_of(channels, height, width):
    torch.manual_seed(0)
    return torch.randint(0, 10, (channels, height, width)).float()


def filters_of(n_filters, channels, k):
    torch.manual_seed(1)
    return torch.randint(-2, 3, (n_filters, channels, k, k)).float()


def compare(image, filters, given, **how):
    want = F.conv2d(image.unsqueeze(0), filters, **how)[0]
    expect(convolve(image, filters, **how), want, given=given, tol=1e-5)


def check_one_place():
    """An image as large as the filter gives one number."""
    image = torch.tensor([[[1.0, 2.0], [3.0, 4.0]]])
    filters = torch.tensor([[[[1.0, 10.0], [100.0, 1000.0]]]])
    expect(
        convolve(image, filters),
        torch.tensor([[[4321.0]]]),
        given="image = [[1, 2], [3, 4]], filter = [[1, 10], [100, 1000]]",
    )


def check_slides():
    """The filter goes to every place, along the rows first."""
    image = torch.tensor([[[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]])
    filters = torch.tensor([[[[1.0]]]])
    expect(convolve(image, filters), image, given="image = [[0, 1, 2], [3, 4, 5]], filter = [[1]]")
    filters = torch.tensor([[[[-1.0, 1.0], [0.0, 10.0]]]])
    expect(
        convolve(image, filters),
        torch.tensor([[[41.0, 51.0]]]),
        given="image = [[0, 1, 2], [3, 4, 5]], filter = [[-1, 1], [0, 10]]",
    )


def check_two_filters():
    """Each filter has a map of its own."""
    image = torch.tensor([[[1.0, 2.0, 3.0]]])
    filters = torch.tensor([[[[1.0]]], [[[10.0]]]])
    expect(
        convolve(image, filters),
        torch.tensor([[[1.0, 2.0, 3.0]], [[10.0, 20.0, 30.0]]]),
        given="image = [[1, 2, 3]], filters = [[1]] and [[10]]",
    )


def check_channels():
    """A filter adds up over all channels."""
    image = torch.tensor([[[1.0, 2.0]], [[3.0, 4.0]]])
    filters = torch.tensor([[[[1.0]], [[10.0]]]])
    expect(
        convolve(image, filters),
        torch.tensor([[[31.0, 42.0]]]),
        given="two channels, [[1, 2]] and [[3, 4]]; a filter with [[1]] and [[10]]",
    )
    compare(image_of(2, 3, 4), filters_of(1, 2, 2), "an image of 2 channels, 3 × 4, and a filter of size 2")


def check_stride():
    """A stride of 2 leaves out every second place, in both directions."""
    image = torch.arange(16.0).reshape(1, 4, 4)
    filters = torch.tensor([[[[1.0]]]])
    expect(
        convolve(image, filters, stride=2),
        torch.tensor([[[0.0, 2.0], [8.0, 10.0]]]),
        given="image = torch.arange(16.0).reshape(1, 4, 4), filter = [[1]], stride = 2",
    )


def check_padding():
    """Padding lays zeros on all four sides."""
    image = torch.tensor([[[1.0]]])
    expect(
        convolve(image, torch.tensor([[[[1.0]]]]), padding=1),
        torch.tensor([[[0.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 0.0]]]),
        given="image = [[1]], filter = [[1]], padding = 1",
    )


def check_does_not_fit():
    """What is left at the end and too small for a step is not read."""
    compare(image_of(1, 6, 8), filters_of(1, 1, 3), "an image of 6 × 8, a filter of size 3, stride = 2", stride=2)


def check_all():
    """All together, it is F.conv2d."""
    given = "an image of 3 channels, 7 × 9, 4 filters of size 3, stride = 2, padding = 1"
    compare(image_of(3, 7, 9), filters_of(4, 3, 3), given, stride=2, padding=1)
    given = "an image of 2 channels, 9 × 5, 3 filters of size 2, stride = 3, padding = 2"
    compare(image_of(2, 9, 5), filters_of(3, 2, 2), given, stride=3, padding=2)


def check_own_product():
    """The product is your own: no conv2d."""
    expect("conv2d" in convolve.__code__.co_names, False, given="whether convolve calls conv2d")
