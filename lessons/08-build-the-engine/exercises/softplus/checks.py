def slope_at(number):
    y = softplus(Value(number))
    expect(len(y._slopes), 1, given=f"softplus(Value({number})): how many slopes it carries")
    return y._slopes[0]


def check_value_at_zero():
    """At 0 the value is log 2."""
    expect(softplus(Value(0.0)).data, 0.6931471805599453, given="x = 0")


def check_points_at_its_source():
    """The result is one node, made from x."""
    x = Value(0.0)
    y = softplus(x)
    expect(len(y._prev), 1, given="x = 0: how many sources the result has")
    expect(y._prev[0] is x, True, given="x = 0: whether the source is x itself")


def check_slope_at_zero():
    """At 0 the curve rises by one half."""
    expect(slope_at(0.0), 0.5, given="x = 0: the slope")


def check_slope_on_both_sides():
    """The slope goes from 0 to 1: 0.12 at -2, 0.88 at 2."""
    expect(slope_at(-2.0), 0.11920292202211755, given="x = -2: the slope")
    expect(slope_at(2.0), 0.8807970779778823, given="x = 2: the slope")


def check_slope_is_what_nudging_shows():
    """Nudging x moves the value by as much as the slope says."""
    for x in (-3.0, -0.5, 0.7, 4.0):
        rise = softplus(Value(x + 1e-6)).data - softplus(Value(x - 1e-6)).data
        expect(slope_at(x), rise / 2e-6, given=f"x = {x}: the slope", tol=1e-6)


def check_far_right():
    """Far to the right softplus is x itself, with slope 1."""
    expect(softplus(Value(1000.0)).data, 1000.0, given="x = 1000")
    expect(slope_at(1000.0), 1.0, given="x = 1000: the slope")


def check_far_left():
    """Far to the left it is nearly 0 and still not lost: e to the -40 at -40."""
    expect(softplus(Value(-1000.0)).data, 0.0, given="x = -1000")
    expect(slope_at(-1000.0), 0.0, given="x = -1000: the slope")
    tiny = softplus(Value(-40.0)).data / 4.248354255291589e-18
    expect(tiny, 1.0, given="softplus(-40) divided by exp(-40)", tol=1e-6)
