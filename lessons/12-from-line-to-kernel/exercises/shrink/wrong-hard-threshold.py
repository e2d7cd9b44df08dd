# must say: given x = [3, -3, 0.5], limit = 1 got tensor([3, -3, 0])
import glowgrad as torch


def shrink(x, limit):
    return torch.where(x.abs() > limit, x, 0.0)  # keeps or drops, and moves nothing
