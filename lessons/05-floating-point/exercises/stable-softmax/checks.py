import glowgrad as torch


def check_small():
    """Small scores: twice the weight for a score that is log 2 higher."""
    expect(softmax(torch.tensor([0.0, 0.6931472])), torch.tensor([1 / 3, 2 / 3]), given="x = [0, log 2]")


def check_large():
    """Large scores do not overflow."""
    expect(softmax(torch.tensor([1000.0])), torch.tensor([1.0]), given="x = [1000]")


def check_large_difference():
    """Large or not, scores that differ have probabilities that differ."""
    expect(softmax(torch.tensor([1000.0, 1001.0])), torch.tensor([0.26894142, 0.7310586]), given="x = [1000, 1001]")


def check_very_negative():
    """Very negative scores do not leave 0 divided by 0."""
    expect(softmax(torch.tensor([-1000.0, -1000.0])), torch.tensor([0.5, 0.5]), given="x = [-1000, -1000]")


def check_rows():
    """Each row has a maximum of its own."""
    expect(
        softmax(torch.tensor([[0.0, 0.0], [1000.0, 1000.0]])),
        torch.tensor([[0.5, 0.5], [0.5, 0.5]]),
        given="x = [[0, 0], [1000, 1000]]",
    )


def check_not_possible():
    """A score of minus infinity gets the probability 0."""
    expect(softmax(torch.tensor([0.0, float("-inf")])), torch.tensor([1.0, 0.0]), given="x = [0, -inf]")


def check_hands_off():
    """The tensor you were given is as it was."""
    x = torch.tensor([1.0, 2.0])
    softmax(x)
    expect(x, torch.tensor([1.0, 2.0]), given="x = [1, 2], and x after the call")


def check_against_the_engine():
    """It agrees with the engine's own, in three dimensions too."""
    x = torch.arange(24.0).reshape(2, 3, 4) % 7 * 40 - 100
    expect(softmax(x), torch.softmax(x, dim=-1), given="x = torch.arange(24.0).reshape(2, 3, 4) % 7 * 40 - 100")


def check_own_work():
    """It is your own: no softmax of the engine's inside."""
    ready = {"softmax", "softmin", "log_softmax", "logsumexp"} & set(softmax.__code__.co_names)
    expect(sorted(ready), [], given="what softmax(x) calls that does the work")
