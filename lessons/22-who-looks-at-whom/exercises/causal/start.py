import glowgrad as torch
import glowgrad.nn.functional as F


def causal_shares(scores):
    """Row i shares among the columns 0 to i."""
    return F.softmax(scores, dim=-1)
