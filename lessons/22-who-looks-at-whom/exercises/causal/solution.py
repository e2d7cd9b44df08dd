import glowgrad as torch
import glowgrad.nn.functional as F


def causal_shares(scores):
    """Row i shares among the columns 0 to i."""
    n = scores.shape[-1]
    closed = torch.ones(n, n).triu(1).bool()
    scores = scores.masked_fill(closed, -torch.inf)
    return F.softmax(scores, dim=-1)
