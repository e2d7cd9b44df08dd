import glowgrad as torch
import glowgrad.nn.functional as F

alphabet = ".abcdefghijklmnopqrstuvwxyz"


def invent(scores, temperature):
    word = ""
    while True:
        logits = scores(word)
        p = F.softmax(logits / temperature, dim=0)
        choice = torch.multinomial(p, 1).item()
        if choice == 0:
            return word
        word += alphabet[choice]
