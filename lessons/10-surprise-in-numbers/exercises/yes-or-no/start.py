import glowgrad as torch


def binary_cross_entropy_with_logits(logits, target):
    p = torch.sigmoid(logits)
    yes = -target * p.log()
    no = -(1 - target) * (1 - p).log()
    return (yes + no).mean()
