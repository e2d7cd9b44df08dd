import glowgrad as torch


def check_answer():
    """The answer is the row, divided by its sum."""
    expect(first_row_share(torch.tensor([[1.0, 3.0]])), torch.tensor([0.25, 0.75]), given="x = [[1, 3]]")


def check_hands_off():
    """The tensor you were given is as it was."""
    x = torch.tensor([[1.0, 3.0]])
    first_row_share(x)
    expect(x, torch.tensor([[1.0, 3.0]]), given="x = [[1, 3]], and x after the call")


def check_twice():
    """The second call gives the answer of the first, and the first answer stays."""
    x = torch.tensor([[2.0, 2.0], [5.0, 5.0]])
    first = first_row_share(x)
    second = first_row_share(x)
    expect(second, torch.tensor([0.5, 0.5]), given="x = [[2, 2], [5, 5]], called a second time")
    second += 1
    expect(first, torch.tensor([0.5, 0.5]), given="the first answer, after adding 1 to the second")


def check_bytes():
    """The answer holds the bytes it reads and no others."""
    row = first_row_share(torch.ones(100, 2))
    expect(
        row.untyped_storage().nbytes(),
        8,
        given="x = torch.ones(100, 2): the answer has 2 numbers of 4 bytes; untyped_storage().nbytes()",
    )
