import glowgrad as torch

alphabet = ".abcdefghijklmnopqrstuvwxyz"
number = {c: i for i, c in enumerate(alphabet)}


def examples(words, size):
    contexts, following = [], []
    for word in words:
        for c in word:
            # Which `size` characters come before this one?
            contexts.append([0] * size)
            following.append(number[c])
    return torch.tensor(contexts), torch.tensor(following)
