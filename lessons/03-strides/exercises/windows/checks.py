import glowgrad as torch


def check_two():
    """Each window starts one element after the last. The last window ends where x ends."""
    expect(
        windows(torch.tensor([0.0, 1.0, 2.0]), 2),
        torch.tensor([[0.0, 1.0], [1.0, 2.0]]),
        given="x = [0, 1, 2], size = 2",
    )


def check_edges():
    """Windows of one element, and one window of all of them."""
    x = torch.tensor([4.0, 5.0, 6.0])
    expect(windows(x, 1), torch.tensor([[4.0], [5.0], [6.0]]), given="x = [4, 5, 6], size = 1")
    expect(windows(x, 3), torch.tensor([[4.0, 5.0, 6.0]]), given="x = [4, 5, 6], size = 3")


def check_column():
    """It works on a tensor with another stride and another start: a column of a matrix."""
    table = torch.tensor([[0.0, 10.0], [1.0, 11.0], [2.0, 12.0]])
    expect(
        windows(table[:, 1], 2),
        torch.tensor([[10.0, 11.0], [11.0, 12.0]]),
        given="x = table[:, 1] = [10, 11, 12], which has stride 2 and offset 1; size = 2",
    )


def check_no_copy():
    """A view: it reads the bytes of x."""
    x = torch.tensor([0.0, 1.0, 2.0])
    view = windows(x, 2)
    x[1] = 7.0
    expect(
        view,
        torch.tensor([[0.0, 7.0], [7.0, 2.0]]),
        given="x = [0, 1, 2], size = 2, then x[1] = 7: the windows must show it",
    )


def check_own_strides():
    """The strides are your own: as_strided, not unfold."""
    expect("unfold" in windows.__code__.co_names, False, given="whether windows calls unfold")
