import glowgrad as torch


def read_of(scores, want):
    expect(read(torch.tensor(scores)), want, given=f"scores = {scores}")


def check_place():
    """The answer is the place of the highest score."""
    read_of([0.0, 0.0, 0.0, 5.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], 3)


def check_zero():
    """The first place is 0, as the first digit is."""
    read_of([4.0, 1.0, 0.5, 0.0, 2.0, 1.0, 0.0, 3.0, 1.0, 1.0], 0)


def check_several():
    """Other scores may be high, too."""
    read_of([0.0, 1.0, 0.0, 0.0, 6.0, 0.0, 0.0, 0.0, 2.0, 7.5], 9)


def check_negative():
    """The highest score is meant, not the one farthest from 0."""
    read_of([-9.0, -7.0, -3.0, -4.0, -8.0, -1.0, -6.0, -2.0, -5.0, -9.5], 5)
