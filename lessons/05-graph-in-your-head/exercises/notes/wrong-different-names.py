# must say: Two additions are two notes
import glowgrad as torch


def n_notes(tensor):
    # Two notes of the same kind are two notes.
    names, to_visit, seen = set(), [tensor.grad_fn], set()
    while to_visit:
        note = to_visit.pop()
        if note is None or note in seen:
            continue
        seen.add(note)
        names.add(note.name())
        to_visit.extend(following for following, _ in note.next_functions)
    return len(names)
