# must say: It is one kernel. given 64 × 32 numbers, limit = 0.5 got ['reduce', 'fused', 'fused']
import glowgrad as torch


def shrink(x, limit):
    if not (x.abs() > limit).any().item():  # a question, in the middle
        return torch.zeros_like(x)
    return x.sign() * (x.abs() - limit).clamp(min=0)
