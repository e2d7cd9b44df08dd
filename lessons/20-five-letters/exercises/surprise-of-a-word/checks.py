import math

import glowgrad as torch


def table_of(**pairs):
    """Probabilities for a few pairs. `_` is the dot, and all other pairs have 0."""
    table = torch.zeros(27, 27)
    for pair, p in pairs.items():
        i, j = ("_abcdefghijklmnopqrstuvwxyz".index(c) for c in pair)
        table[i, j] = p
    return table


def check_two_pairs():
    """A word of one letter has a beginning and an end: two pairs."""
    table = table_of(_a=0.5, a_=0.25)
    given = "word = 'a', with 0.5 for a at the beginning and 0.25 for the end after a"
    expect(surprise("a", table), math.log(8), given=given, tol=1e-5)


def check_row_then_column():
    """Row i holds what comes after character i."""
    table = table_of(_a=1.0, ab=0.5, ba=0.125, b_=1.0, a_=1.0, _b=1.0)
    given = "word = 'ab', with 0.5 for b after a, 0.125 for a after b, and the rest certain"
    expect(surprise("ab", table), math.log(2), given=given, tol=1e-5)


def check_sure():
    """Where all is certain, there is no surprise."""
    table = table_of(_a=1.0, ab=1.0, b_=1.0)
    expect(surprise("ab", table), 0.0, given="word = 'ab', all three pairs with probability 1", tol=1e-5)


def check_each_time():
    """A pair that comes twice surprises twice."""
    table = table_of(_a=1.0, aa=0.5, a_=0.5)
    given = "word = 'aaa', with 0.5 for a after a and 0.5 for the end"
    expect(surprise("aaa", table), math.log(8), given=given, tol=1e-5)


def check_impossible():
    """A word with an impossible pair is infinitely surprising."""
    table = table_of(_a=1.0, a_=1.0)
    got = surprise("ab", table)
    expect(got == math.inf, True, given=f"word = 'ab', with 0 for b after a: whether {got} is infinite")


def check_long_word():
    """Surprises are added up, so that a long word does no harm."""
    table = torch.full((27, 27), 1 / 27)
    given = "word = 400 letters, every probability 1/27"
    expect(surprise("ab" * 200, table), 401 * math.log(27), given=given, tol=1e-4)
