import glowgrad as torch


def check_first_element():
    """The very first element takes the first four bytes."""
    expect(byte_range(torch.zeros(2, 3), 0, 0), (0, 4), given="x = torch.zeros(2, 3), element [0, 0]")


def check_step_right():
    """One step to the right is one element further."""
    expect(byte_range(torch.zeros(2, 3), 0, 1), (4, 8), given="x = torch.zeros(2, 3), element [0, 1]")


def check_step_down():
    """One step down skips a whole row."""
    expect(byte_range(torch.zeros(2, 3), 1, 0), (12, 16), given="x = torch.zeros(2, 3), element [1, 0]")


def check_other_type():
    """A number of another type takes another number of bytes."""
    x = torch.zeros(2, 3, dtype=torch.float64)
    expect(byte_range(x, 0, 1), (8, 16), given="x = torch.zeros(2, 3, dtype=torch.float64), element [0, 1]")
    x = torch.zeros(2, 3, dtype=torch.bool)
    expect(byte_range(x, 1, 2), (5, 6), given="x = torch.zeros(2, 3, dtype=torch.bool), element [1, 2]")


def check_starts_in_the_middle():
    """A tensor that starts in the middle of a storage counts from the storage's first byte."""
    table = torch.zeros(3, 2)
    expect(byte_range(table[1:], 0, 0), (8, 12), given="table = torch.zeros(3, 2), x = table[1:], element [0, 0]")


def check_addresses():
    """The distance to x[i, j] in memory says the same."""
    table = torch.zeros(5, 7, dtype=torch.int16)
    x = table[2:]
    for i in range(3):
        for j in range(7):
            first = x[i, j].data_ptr() - table.data_ptr()
            expect(
                byte_range(x, i, j),
                (first, first + 2),
                given=f"table = torch.zeros(5, 7, dtype=torch.int16), x = table[2:], element [{i}, {j}]",
            )
