# must say: Three right of four give 0.75.
import glowgrad as torch


def accuracy(scores, labels):
    guesses = scores.argmax(dim=1)
    return (guesses == labels).float().sum().item()
