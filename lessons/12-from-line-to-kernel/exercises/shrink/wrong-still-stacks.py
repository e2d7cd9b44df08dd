# must say: It is one kernel. given 64 × 32 numbers, limit = 0.5 got ['fused', 'fused', 'write', 'reduce', 'fused']
import glowgrad as torch


def shrink(x, limit):
    left = torch.stack([x.abs() - limit, torch.zeros_like(x)]).amax(dim=0)
    return x.sign() * left
