# must say: RecursionError
import glowgrad as torch


def n_notes(tensor):
    seen = set()
    visit(tensor.grad_fn, seen)
    return len(seen)


def visit(note, seen):
    if note is None or note in seen:
        return
    seen.add(note)
    for following, _ in note.next_functions:
        visit(following, seen)
