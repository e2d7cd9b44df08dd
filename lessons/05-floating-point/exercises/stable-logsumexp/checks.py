import glowgrad as torch


def check_small():
    """A single score is its own logsumexp, and two equal ones are log 2 more."""
    expect(logsumexp(torch.tensor([3.0])), torch.tensor(3.0), given="x = [3]")
    expect(logsumexp(torch.tensor([0.0, 0.0])), torch.tensor(0.6931472), given="x = [0, 0]")


def check_shape():
    """A table gives one number per row."""
    expect(
        logsumexp(torch.tensor([[1.0], [2.0]])),
        torch.tensor([1.0, 2.0]),
        given="x = [[1], [2]]",
    )


def check_large():
    """Large scores do not overflow."""
    expect(logsumexp(torch.tensor([1000.0])), torch.tensor(1000.0), given="x = [1000]")


def check_very_negative():
    """Very negative scores do not underflow to log 0."""
    expect(logsumexp(torch.tensor([-1000.0])), torch.tensor(-1000.0), given="x = [-1000]")


def check_rows():
    """Each row has a maximum of its own."""
    expect(logsumexp(torch.tensor([[0.0], [1000.0]])), torch.tensor([0.0, 1000.0]), given="x = [[0], [1000]]")


def check_not_possible():
    """A score of minus infinity adds nothing."""
    expect(logsumexp(torch.tensor([2.0, float("-inf")])), torch.tensor(2.0), given="x = [2, -inf]")


def check_nothing_possible():
    """Where nothing is possible, the logarithm of nothing: minus infinity, not NaN."""
    expect(logsumexp(torch.tensor([float("-inf")])), torch.tensor(float("-inf")), given="x = [-inf]")


def check_against_the_engine():
    """It agrees with the engine's own, in three dimensions too."""
    x = torch.arange(24.0).reshape(2, 3, 4) % 7 * 40 - 100
    expect(logsumexp(x), torch.logsumexp(x, dim=-1), given="x = torch.arange(24.0).reshape(2, 3, 4) % 7 * 40 - 100")


def check_own_work():
    """It is your own: no logsumexp of the engine's inside."""
    names = logsumexp.__code__.co_names
    expect("logsumexp" in names or "logaddexp" in names, False, given="whether it calls logsumexp")
