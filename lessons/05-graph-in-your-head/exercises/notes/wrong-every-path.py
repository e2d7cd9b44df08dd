# must say: A note is counted once, however many ways lead to it
import glowgrad as torch


def n_notes(tensor):
    return count(tensor.grad_fn)


def count(note):
    if note is None:
        return 0
    return 1 + sum(count(following) for following, _ in note.next_functions)
