# must say: A constant has no note
import glowgrad as torch


def n_notes(tensor):
    seen, to_visit = set(), [tensor.grad_fn]
    while to_visit:
        note = to_visit.pop()
        if note in seen:
            continue
        seen.add(note)
        if note is not None:
            to_visit.extend(following for following, _ in note.next_functions)
    return len(seen)
