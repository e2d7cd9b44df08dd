import glowgrad as torch


def n_notes(tensor):
    """How many different notes can be reached from tensor.grad_fn."""
    return count(tensor.grad_fn)


def count(note):
    n = 1
    for following, _ in note.next_functions:
        n += count(following)
    return n
