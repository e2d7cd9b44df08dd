import glowgrad as torch
import glowgrad.nn.functional as F


def head(x, y, wq, wk, wv):
    """The rows of x look at the rows of y. Returns what comes out, and the shares."""
    q, k, v = x @ wq, y @ wk, y @ wv
    scores = q @ k.transpose(-2, -1) / wq.shape[1] ** 0.5
    shares = F.softmax(scores, dim=-1)
    return shares @ v, shares
