import glowgrad as torch


def binary_cross_entropy_with_logits(logits, target):
    m = logits.clamp(min=0)
    log_sum = m + ((-m).exp() + (logits - m).exp()).log()
    return (log_sum - target * logits).mean()
