# must say: It is one kernel. given 64 × 32 numbers, limit = 0.5 got ['fused', 'fused']
import glowgrad as torch


def shrink(x, limit):
    left = (x.abs() - limit).clamp(min=0)
    return torch.where(left > 0, x.sign() * left, left)  # three read it
