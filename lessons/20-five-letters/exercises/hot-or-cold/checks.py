import math

import glowgrad as torch


def only(**logits):
    """27 logits. `_` is the dot, and all characters that are not named are impossible."""
    row = torch.full((27,), -math.inf)
    for c, logit in logits.items():
        row["_abcdefghijklmnopqrstuvwxyz".index(c)] = logit
    return row


def ending(model):
    """The same model, but a word that does not end stops with an error."""
    calls = 0

    def scores(text):
        nonlocal calls
        calls = 0 if text == "" else calls + 1
        if calls > 50:
            raise RuntimeError("50 characters were drawn, and the word has not ended")
        return model(text)

    return scores


def speller(*places):
    """A model that goes by how many letters there are; after the last place comes the dot."""
    return ending(lambda text: places[len(text)] if len(text) < len(places) else only(_=0.0))


def share_of_a(temperature):
    """How often a word begins with a, where the logit of a is larger by log 3 than that of b."""
    torch.manual_seed(0)
    scores = speller(only(a=math.log(3), b=0.0))
    words = [invent(scores, temperature) for _ in range(600)]
    return words.count("a") / len(words)


def check_spells():
    """Where only one character is possible, it comes, and the dot is left out."""
    scores = speller(only(c=0.0), only(a=0.0), only(t=0.0))
    expect(invent(scores, 1.0), "cat", given="only c, then only a, then only t, then only the dot")


def check_empty():
    """A word may end before it has begun."""
    expect(invent(speller(only(_=0.0)), 1.0), "", given="only the dot is possible")


def check_all_letters():
    """The model sees all letters so far."""
    rows = {"aa": only(b=0.0), "aab": only(_=0.0)}
    scores = ending(lambda text: rows.get(text, only(a=0.0)))
    expect(invent(scores, 1.0), "aab", given="a, until the letters so far are aa; then b; the end after aab")


def check_both_come():
    """Characters with the same logit come equally often."""
    torch.manual_seed(0)
    scores = speller(only(a=0.0, b=0.0))
    words = [invent(scores, 1.0) for _ in range(600)]
    expect(words.count("a") / len(words), 0.5, given="logits 0 for a and b, 600 words: the share of a", tol=0.05)


def check_temperature_one():
    """A temperature of 1 leaves the probabilities as they are."""
    given = "logits log 3 for a and 0 for b, temperature = 1, 600 words: the share of a"
    expect(share_of_a(1.0), 0.75, given=given, tol=0.04)


def check_cold():
    """A low temperature makes the likely character likelier."""
    given = "logits log 3 for a and 0 for b, temperature = 0.5, 600 words: the share of a"
    expect(share_of_a(0.5), 0.9, given=given, tol=0.03)


def check_hot():
    """A high temperature brings the probabilities closer together."""
    given = "logits log 3 for a and 0 for b, temperature = 2, 600 words: the share of a"
    expect(share_of_a(2.0), 0.634, given=given, tol=0.05)
