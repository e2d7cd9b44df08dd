import glowgrad as torch
import glowgrad.nn.functional as F


def read(x, wq, wk, wv):
    mean = x.mean(dim=-1, keepdim=True)
    var = x.var(dim=-1, correction=0, keepdim=True)
    x = (x - mean) / (var + 1e-5).sqrt()

    q, k, v = x @ wq, x @ wk, x @ wv
    scores = q @ k.T / q.shape[1] ** 0.5
    closed = torch.ones(len(x), len(x)).triu(1).bool()
    scores = scores.masked_fill(closed, -torch.inf)
    return F.softmax(scores, dim=1) @ v
