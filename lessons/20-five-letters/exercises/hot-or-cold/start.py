import glowgrad as torch
import glowgrad.nn.functional as F

alphabet = ".abcdefghijklmnopqrstuvwxyz"


def invent(scores, temperature):
    word = ""
    while True:
        logits = scores(word)
        choice = logits.argmax().item()
        if choice == 0:
            return word
        word += alphabet[choice]
