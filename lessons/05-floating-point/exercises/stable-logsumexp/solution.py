import glowgrad as torch


def logsumexp(x):
    """log(sum(exp(x))) of each row of x."""
    m = x.max(dim=-1, keepdim=True).values
    m = torch.where(torch.isinf(m), torch.zeros_like(m), m)
    return (x - m).exp().sum(dim=-1).log() + m.squeeze(-1)
