# must say: Not a tensor was expected, but a number. Call .item().
import glowgrad as torch


def accuracy(scores, labels):
    guesses = scores.argmax(dim=1)
    return (guesses == labels).float().mean()
