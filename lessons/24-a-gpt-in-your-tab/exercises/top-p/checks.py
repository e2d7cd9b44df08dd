import math

import glowgrad as torch
import glowgrad.nn.functional as F

OUT = -math.inf


def log(*numbers):
    """Logits with these probabilities."""
    return torch.tensor([math.log(number) for number in numbers])


def kept(logits, p):
    """Which characters are kept."""
    return [i for i, logit in enumerate(top_p(logits, p).tolist()) if logit != OUT]


def check_sure():
    """Where the likeliest character has p or more, it is kept alone."""
    expect(kept(log(0.8, 0.1, 0.06, 0.04), 0.5), [0], given="probabilities 0.8, 0.1, 0.06, 0.04, p = 0.5: which are kept")


def check_reaches():
    """The character with which the sum reaches p is kept, too."""
    expect(kept(log(0.5, 0.3, 0.2), 0.6), [0, 1], given="probabilities 0.5, 0.3, 0.2, p = 0.6: which are kept")


def check_unsure():
    """Where the model is unsure, many are kept."""
    expect(
        kept(log(0.3, 0.27, 0.23, 0.15, 0.05), 0.9),
        [0, 1, 2, 3],
        given="probabilities 0.3, 0.27, 0.23, 0.15, 0.05, p = 0.9: which are kept",
    )


def check_places():
    """Each character keeps its place, in whatever order they stand."""
    expect(kept(log(0.1, 0.2, 0.7), 0.8), [1, 2], given="probabilities 0.1, 0.2, 0.7, p = 0.8: which are kept")


def check_logits():
    """What is kept keeps its logit, and all others get minus infinity."""
    expect(
        top_p(torch.tensor([1.0, 5.0, 4.0, -2.0]), 0.9),
        torch.tensor([OUT, 5.0, 4.0, OUT]),
        given="logits = [1, 5, 4, -2], p = 0.9",
    )


def check_small_p():
    """However small p is, one character is kept."""
    expect(kept(log(0.5, 0.3, 0.2), 0.01), [0], given="probabilities 0.5, 0.3, 0.2, p = 0.01: which are kept")


def check_all():
    """If all are needed, all are kept."""
    expect(kept(log(0.5, 0.3, 0.2), 0.9), [0, 1, 2], given="probabilities 0.5, 0.3, 0.2, p = 0.9: which are kept")


def check_many():
    """It is right for a long row in any order."""
    torch.manual_seed(0)
    logits = 0.3 * torch.randperm(60).float()
    chances = F.softmax(logits, dim=0).tolist()
    want, total = [], 0.0
    for i in sorted(range(60), key=lambda i: -chances[i]):
        if total < 0.95:
            want.append(i)
        total += chances[i]
    expect(kept(logits, 0.95), sorted(want), given="60 logits, 0.3 · (0 to 59 shuffled), p = 0.95: which are kept")


def check_logits_stay():
    """The tensor that was passed stays as it was."""
    logits = torch.tensor([1.0, 5.0, 4.0])
    top_p(logits, 0.9)
    expect(logits, torch.tensor([1.0, 5.0, 4.0]), given="logits = [1, 5, 4], p = 0.9, the logits after the call")
