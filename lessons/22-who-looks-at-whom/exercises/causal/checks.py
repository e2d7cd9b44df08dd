import math

import glowgrad as torch
import glowgrad.nn.functional as F


def by_rows(scores):
    """The same for one table, a row at a time: softmax of what is open, then zeros."""
    n = len(scores)
    rows = []
    for i in range(n):
        opened = F.softmax(scores[i, : i + 1], dim=0)
        rows.append(torch.cat([opened, torch.zeros(n - i - 1)]))
    return torch.stack(rows)


def check_one_token():
    """A single token looks at itself."""
    expect(causal_shares(torch.tensor([[5.0]])), torch.tensor([[1.0]]), given="scores = [[5]]")


def check_two_tokens():
    """The first token looks at itself alone, the second at both."""
    expect(
        causal_shares(torch.zeros(2, 2)),
        torch.tensor([[1.0, 0.0], [0.5, 0.5]]),
        given="scores = [[0, 0], [0, 0]]",
    )


def check_size_of_scores():
    """What is open is shared out by the scores."""
    share = math.e / (math.e + 1)
    expect(
        causal_shares(torch.tensor([[0.0, 0.0], [1.0, 0.0]])),
        torch.tensor([[1.0, 0.0], [share, 1 - share]]),
        given="scores = [[0, 0], [1, 0]]",
    )


def check_three_tokens():
    """With three tokens, the second does not see the third."""
    third = 1 / 3
    expect(
        causal_shares(torch.zeros(3, 3)),
        torch.tensor([[1.0, 0.0, 0.0], [0.5, 0.5, 0.0], [third, third, third]]),
        given="scores = 3 × 3 zeros",
    )


def check_large_future():
    """A large score of a later token changes nothing."""
    expect(
        causal_shares(torch.tensor([[0.0, 1000.0], [0.0, 0.0]])),
        torch.tensor([[1.0, 0.0], [0.5, 0.5]]),
        given="scores = [[0, 1000], [0, 0]]",
    )


def check_very_negative():
    """A later token gets nothing even if all open scores are very negative."""
    expect(
        causal_shares(torch.tensor([[-1000.0, 0.0], [0.0, 0.0]])),
        torch.tensor([[1.0, 0.0], [0.5, 0.5]]),
        given="scores = [[-1000, 0], [0, 0]]",
    )


def check_batch():
    """A batch of tables gives a batch of shares."""
    torch.manual_seed(0)
    scores = torch.randn(2, 3, 4, 4)
    want = torch.stack([torch.stack([by_rows(table) for table in tables]) for tables in scores])
    expect(causal_shares(scores), want, given="scores of shape [2, 3, 4, 4]", tol=1e-5)


def check_leaves_the_scores():
    """The scores that were passed stay as they were."""
    scores = torch.zeros(2, 2)
    causal_shares(scores)
    expect(scores, torch.zeros(2, 2), given="scores = [[0, 0], [0, 0]], after the call")
