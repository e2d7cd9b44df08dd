import glowgrad as torch


def check_one_stretches():
    """A 1 is stretched to the other size."""
    expect(broadcast_shapes((1,), (3,)), (3,), given="a = (1,), b = (3,)")
    expect(broadcast_shapes((3,), (1,)), (3,), given="a = (3,), b = (1,)")


def check_both():
    """Each pair of sizes is settled by itself."""
    expect(broadcast_shapes((3, 1), (1, 4)), (3, 4), given="a = (3, 1), b = (1, 4)")


def check_different_lengths():
    """A missing size on the left counts as 1."""
    expect(broadcast_shapes((2, 3), (3,)), (2, 3), given="a = (2, 3), b = (3,)")
    expect(broadcast_shapes((3,), (2, 3)), (2, 3), given="a = (3,), b = (2, 3)")
    expect(broadcast_shapes((), (2,)), (2,), given="a = (), b = (2,)")


def check_refuses():
    """Sizes that differ, and neither is 1, raise a ValueError."""
    refused((2,), (3,))
    refused((2,), (4,))
    refused((2, 3), (2,))


def check_nothing():
    """A 1 may be stretched to nothing: to (0,)."""
    expect(broadcast_shapes((1,), (0,)), (0,), given="a = (1,), b = (0,)")
    refused((0,), (3,))


def check_against_the_engine():
    """All pairs of small shapes, as the engine has them."""
    sizes = (0, 1, 2, 3)
    shapes = [()] + [(n,) for n in sizes] + [(m, n) for m in sizes for n in sizes]
    for a in shapes + [(2, 1, 3)]:
        for b in shapes:
            try:
                want = tuple(torch.broadcast_shapes(a, b))
            except RuntimeError:
                refused(a, b)
            else:
                expect(broadcast_shapes(a, b), want, given=f"a = {a}, b = {b}")


def refused(a, b):
    try:
        got = broadcast_shapes(a, b)
    except ValueError:
        return
    raise AssertionError(f"given     a = {a}, b = {b}\ngot       {got}\nexpected  ValueError to be raised")
