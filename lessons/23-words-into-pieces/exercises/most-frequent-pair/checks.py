import glowgrad as torch


def text(*words):
    """The tokens of some words, and where the words begin."""
    ids = [i for word in words for i in word]
    starts = [place == 0 for word in words for place in range(len(word))]
    return torch.tensor(ids), torch.tensor(starts)


def check_one_pair():
    """Two tokens in one word are one pair."""
    expect(most_frequent_pair(*text([5, 7])), (5, 7), given="ids = [5, 7], starts = [True, False]")


def check_most_frequent():
    """The pair that comes most often, the token in front first."""
    given = "ids = [3, 1, 3, 1, 2], one word"
    expect(most_frequent_pair(*text([3, 1, 3, 1, 2])), (3, 1), given=given)


def check_border():
    """A pair does not cross the border of a word."""
    given = "the words [4, 5], [6], [6], [6]: where 6 stands in front of 6, there is a border"
    expect(most_frequent_pair(*text([4, 5], [6], [6], [6])), (4, 5), given=given)


def check_first_of_a_word():
    """The pair at the beginning of a word counts, and the one at its end, too."""
    given = "the words [9], [1, 2, 7], [1, 2, 8]"
    expect(most_frequent_pair(*text([9], [1, 2, 7], [1, 2, 8])), (1, 2), given=given)
    given = "the words [7, 1, 2], [8, 1, 2], [9]"
    expect(most_frequent_pair(*text([7, 1, 2], [8, 1, 2], [9])), (1, 2), given=given)


def check_large_tokens():
    """Tokens may be larger than 255."""
    given = "ids = [300, 2, 300, 2], one word"
    expect(most_frequent_pair(*text([300, 2, 300, 2])), (300, 2), given=given)
    given = "ids = [2, 300, 9, 2, 300], one word"
    expect(most_frequent_pair(*text([2, 300, 9, 2, 300])), (2, 300), given=given)


def check_same_twice():
    """A token may be a pair with itself."""
    expect(most_frequent_pair(*text([4, 4, 4], [1, 4])), (4, 4), given="the words [4, 4, 4], [1, 4]")


def check_no_pair():
    """Where no word has two tokens, there is no pair."""
    given = "the words [1], [1], [1]: whether the result is None"
    expect(most_frequent_pair(*text([1], [1], [1])) is None, True, given=given)
    expect(most_frequent_pair(*text([6])) is None, True, given="the word [6]: whether the result is None")


def check_left_alone():
    """The tokens that were passed stay as they were."""
    ids, starts = text([3, 1], [3, 1], [5])
    most_frequent_pair(ids, starts)
    expect(ids.tolist(), [3, 1, 3, 1, 5], given="ids after the call")
    expect([int(s) for s in starts.tolist()], [1, 0, 1, 0, 1], given="starts after the call")


def check_a_text():
    """A text of 2,000 tokens."""
    torch.manual_seed(0)
    ids = torch.randint(0, 500, (2000,))
    starts = torch.rand(2000) < 0.2
    starts[0] = True
    for place in range(20, 2000, 100):
        # One pair inside of a word, and two that cross a border and do not count.
        ids[place], ids[place + 1] = 480, 17
        starts[place + 1] = False
        for at in (place + 10, place + 30):
            ids[at], ids[at + 1] = 17, 480
            starts[at + 1] = True
    given = "2,000 random tokens, with 20 pairs of 480 and 17 inside of words, and 40 of 17 and 480 across a border"
    expect(most_frequent_pair(ids, starts), (480, 17), given=given)
