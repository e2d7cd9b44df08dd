import glowgrad as torch


def turned(knobs, gradient, rate, want):
    got = turn(torch.tensor(knobs), torch.tensor(gradient), rate)
    expect(got, torch.tensor(want), given=f"knobs = {knobs}, gradient = {gradient}, rate = {rate}")


def check_down():
    """A positive gradient turns the knob down."""
    turned([1.0], [2.0], 0.1, [0.8])


def check_up():
    """A negative gradient turns the knob up."""
    turned([1.0], [-2.0], 0.1, [1.2])


def check_each():
    """Each knob follows its own gradient."""
    turned([5.0, 2.0, -3.0], [0.0, 10.0, -20.0], 0.01, [5.0, 1.9, -2.8])


def check_many():
    """Fifty turns bring the loss (knob - 3)² to its lowest point."""
    knob = torch.tensor([8.0])
    for _ in range(50):
        knob = turn(knob, 2 * (knob - 3), 0.2)
    expect(knob, torch.tensor([3.0]), given="a knob at 8, rate = 0.2, fifty turns", tol=1e-4)
