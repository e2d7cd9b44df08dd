import glowgrad as torch


def cross_entropy(logits, target):
    log_sums = torch.logsumexp(logits, dim=1)
    of_the_truth = logits[torch.arange(len(target)), target]
    return (log_sums - of_the_truth).mean()
