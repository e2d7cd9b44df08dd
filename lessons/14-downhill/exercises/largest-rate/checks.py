def descended(curvature, rate):
    """How far from the bottom a thousand steps end that begin at 1."""
    w = 1.0
    for _ in range(1000):
        w -= rate * curvature * w
    return abs(w)


def check_one_direction():
    """With curvature 4, the border is at 0.5."""
    expect(largest_rate([4.0]), 0.5, given="curvatures = [4]")


def check_all_directions():
    """The rate suits every direction, wherever the steepest stands in the list."""
    expect(largest_rate([1.0, 25.0]), 0.08, given="curvatures = [1, 25]")
    expect(largest_rate([25.0, 1.0]), 0.08, given="curvatures = [25, 1]")
    expect(largest_rate([3.0, 8.0, 5.0]), 0.25, given="curvatures = [3, 8, 5]")


def check_border():
    """A rate 1 % below comes nearer in all directions, and one 1 % above does not."""
    curvatures = [0.5, 40.0, 7.0]
    rate = largest_rate(curvatures)
    below = all(descended(c, 0.99 * rate) < 1 for c in curvatures)
    above = all(descended(c, 1.01 * rate) < 1 for c in curvatures)
    expect(below, True, given="curvatures = [0.5, 40, 7], 1 % below: whether all come nearer")
    expect(above, False, given="curvatures = [0.5, 40, 7], 1 % above: whether all come nearer")
