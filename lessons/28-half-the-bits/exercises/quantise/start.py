import glowgrad as torch


def quantise(w):
    """Whole numbers as int8, and a scale for each row."""
    scale = w.max() / 127
    q = (w / scale).to(torch.int8)
    return q, scale.expand(len(w))
