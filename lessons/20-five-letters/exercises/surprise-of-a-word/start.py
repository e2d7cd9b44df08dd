import glowgrad as torch

alphabet = ".abcdefghijklmnopqrstuvwxyz"
number = {c: i for i, c in enumerate(alphabet)}


def surprise(word, table):
    total = 0.0
    for a, b in zip(word, word[1:]):
        # One pair, from a to b. How surprising is it? And are these all pairs?
        total += 0.0
    return total
