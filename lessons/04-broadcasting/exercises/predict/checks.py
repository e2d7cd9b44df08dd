import glowgrad as torch


def predicted(pair, remark):
    """The prediction for a pair is right. What is right is not said; the remark says where to look."""
    a, b = (eval(shape) for shape in pair.split(" + "))
    try:
        right = tuple(torch.broadcast_shapes(a, b))
    except RuntimeError:
        right = "error"
    got = predictions.get(pair)
    if isinstance(got, list):
        got = tuple(got)
    if got != right or isinstance(got, bool):
        raise AssertionError(f"given     {pair}\ngot       {got!r}\n          {remark}")


def check_missing():
    """What is missing on the left counts as 1."""
    predicted("(3, 4) + (4,)", "From the right: 4 and 4 meet, then 3 and nothing.")


def check_both():
    """Both sides may stretch."""
    predicted("(3, 1) + (1, 4)", "From the right: 1 and 4 meet, then 3 and 1.")


def check_from_the_right():
    """Shapes are lined up from the right."""
    predicted("(2, 3) + (2,)", "From the right: 3 and 2 meet, and neither is 1.")


def check_row_and_column():
    """A row and a column make a table."""
    predicted("(4,) + (4, 1)", "From the right: 4 and 1 meet, then nothing and 4.")


def check_single_number():
    """A single number fits everywhere."""
    predicted("() + (2, 2)", "From the right: nothing and 2 meet, then nothing and 2.")


def check_three():
    """Three dimensions and two."""
    predicted("(5, 1, 4) + (3, 1)", "From the right: 4 and 1 meet, then 1 and 3, then 5 and nothing.")


def check_multiple():
    """Only a 1 stretches."""
    predicted("(4, 2) + (4,)", "From the right: 2 and 4 meet. That 2 goes into 4 twice does not count.")


def check_empty():
    """A 1 may be stretched to nothing."""
    predicted("(1,) + (0,)", "1 and 0 meet: a 1 is stretched to the other size, whatever it is.")
