import glowgrad as torch


def report(truth, guesses, classes):
    """The confusion matrix, the accuracy and its standard error."""
    table = torch.zeros(classes, classes)
    for true, guess in zip(truth.tolist(), guesses.tolist()):
        table[true, guess] += 1
    n = len(truth)
    p = table.diagonal().sum().item() / n
    return table, p, (p * (1 - p) / n) ** 0.5
