import glowgrad as torch


def check_one_right():
    """One image, guessed right, gives 1."""
    expect(
        accuracy(torch.tensor([[0.1, 0.9]]), torch.tensor([1])),
        1.0,
        given="scores = [[0.1, 0.9]], labels = [1]",
    )


def check_one_wrong():
    """One image, guessed wrong, gives 0."""
    expect(
        accuracy(torch.tensor([[0.1, 0.9]]), torch.tensor([0])),
        0.0,
        given="scores = [[0.1, 0.9]], labels = [0]",
    )


def check_three_of_four():
    """Three right of four give 0.75."""
    scores = torch.tensor([[5.0, 1.0, 0.0], [-3.0, -1.0, -2.0], [0.0, 0.5, 2.0], [1.0, 0.0, 0.0]])
    expect(
        accuracy(scores, torch.tensor([0, 1, 2, 2])),
        0.75,
        given="scores = [[5, 1, 0], [-3, -1, -2], [0, 0.5, 2], [1, 0, 0]], labels = [0, 1, 2, 2]",
    )
