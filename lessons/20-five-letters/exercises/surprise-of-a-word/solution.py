import glowgrad as torch

alphabet = ".abcdefghijklmnopqrstuvwxyz"
number = {c: i for i, c in enumerate(alphabet)}


def surprise(word, table):
    text = "." + word + "."
    total = 0.0
    for a, b in zip(text, text[1:]):
        total -= table[number[a], number[b]].log().item()
    return total
