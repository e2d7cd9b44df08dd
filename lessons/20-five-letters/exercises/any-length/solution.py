import glowgrad as torch

alphabet = ".abcdefghijklmnopqrstuvwxyz"
number = {c: i for i, c in enumerate(alphabet)}


def examples(words, size):
    contexts, following = [], []
    for word in words:
        context = [0] * size
        for c in word + ".":
            contexts.append(context)
            following.append(number[c])
            context = context[1:] + [number[c]]
    return torch.tensor(contexts), torch.tensor(following)
