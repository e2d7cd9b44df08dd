import glowgrad as torch


def check_corner():
    """The first patch is the top left corner."""
    image = torch.tensor([[0.0, 1.0], [2.0, 3.0]])
    got = patches(image, 2)
    expect(list(got.shape), [1, 1, 2, 2], given="image of 2 × 2, size = 2: the shape of patches(image, 2)")
    expect(got[0, 0], image, given="image = [[0, 1], [2, 3]], size = 2, patch [0, 0]")


def check_right():
    """One step to the right moves the window by one column."""
    image = torch.tensor([[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]])
    got = patches(image, 2)
    expect(list(got.shape), [1, 2, 2, 2], given="image of 2 × 3, size = 2: the shape of patches(image, 2)")
    expect(
        got[0, 1],
        torch.tensor([[1.0, 2.0], [4.0, 5.0]]),
        given="image = [[0, 1, 2], [3, 4, 5]], size = 2, patch [0, 1]",
    )


def check_every_patch():
    """Patch [i, j] has its corner at image[i, j]."""
    image = torch.arange(20.0).reshape(4, 5)
    got = patches(image, 3)
    for i in range(2):
        for j in range(3):
            expect(
                got[i, j],
                image[i : i + 3, j : j + 3],
                given=f"image = torch.arange(20.0).reshape(4, 5), size = 3, patch [{i}, {j}]",
            )


def check_transposed():
    """It works on an image with other strides."""
    table = torch.arange(6.0).reshape(2, 3)
    expect(
        patches(table.T, 2)[1, 0],
        torch.tensor([[1.0, 4.0], [2.0, 5.0]]),
        given="table = torch.arange(6.0).reshape(2, 3), image = table.T = [[0, 3], [1, 4], [2, 5]], size = 2, patch [1, 0]",
    )


def check_no_copy():
    """A view: it reads the bytes of the image."""
    image = torch.zeros(3, 3)
    got = patches(image, 2)
    image[1, 1] = 1.0
    expect(
        got[1, 1],
        torch.tensor([[1.0, 0.0], [0.0, 0.0]]),
        given="image = torch.zeros(3, 3), size = 2, then image[1, 1] = 1: patch [1, 1] must show it",
    )


def check_convolution():
    """Multiply and sum, and you have a convolution."""
    image = torch.arange(20.0).reshape(4, 5) % 7
    kernel = torch.tensor([[1.0, 0.0, -1.0], [2.0, 0.0, -2.0], [1.0, 0.0, -1.0]])
    expect(
        (patches(image, 3) * kernel).sum(dim=(2, 3)),
        torch.nn.functional.conv2d(image.reshape(1, 1, 4, 5), kernel.reshape(1, 1, 3, 3))[0, 0],
        given="image = torch.arange(20.0).reshape(4, 5) % 7, kernel = [[1, 0, -1], [2, 0, -2], [1, 0, -1]]",
    )


def check_own_strides():
    """The strides are your own: as_strided, not unfold."""
    expect("unfold" in patches.__code__.co_names, False, given="whether patches calls unfold")
