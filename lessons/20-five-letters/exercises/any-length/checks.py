import glowgrad as torch


def compare(words, size, contexts, following):
    given = f"words = {words}, size = {size}"
    got = examples(words, size)
    expect(got, (torch.tensor(contexts), torch.tensor(following)), given=given)


def check_one_letter():
    """A word of one letter has two examples: the letter, and the end."""
    compare(["a"], 1, [[0], [1]], [1, 0])


def check_moves_on():
    """The context is what comes right before the next character."""
    compare(["abc"], 1, [[0], [1], [2], [3]], [1, 2, 3, 0])


def check_order():
    """A context stands in reading order: the oldest character first."""
    compare(["abc"], 2, [[0, 0], [0, 1], [1, 2], [2, 3]], [1, 2, 3, 0])


def check_fresh_context():
    """Every word begins after dots, whatever word came before it."""
    compare(["ab", "c"], 2, [[0, 0], [0, 1], [1, 2], [0, 0], [0, 3]], [1, 2, 0, 3, 0])


def check_short_word():
    """A word may be shorter than the context."""
    compare(["b"], 3, [[0, 0, 0], [0, 0, 2]], [2, 0])


def check_words_of_any_length():
    """Words of different lengths stand one after the other."""
    contexts, following = examples(["queen", "ox", "a"], 3)
    given = "words = ['queen', 'ox', 'a'], size = 3"
    expect((list(contexts.shape), list(following.shape)), ([11, 3], [11]), given=given + ", the shapes")
    expect(following.tolist(), [17, 21, 5, 5, 14, 0, 15, 24, 0, 1, 0], given=given + ", the next characters")
    expect(contexts[4].tolist(), [21, 5, 5], given=given + ", the context before the n")


def check_whole_numbers():
    """An embedding picks rows by whole numbers."""
    contexts, following = examples(["ab"], 2)
    for name, numbers in (("contexts", contexts), ("next characters", following)):
        expect(numbers.is_floating_point(), False, given=f"whether the {name} are floats")
