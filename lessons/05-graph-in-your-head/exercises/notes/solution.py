import glowgrad as torch


def n_notes(tensor):
    """How many different notes can be reached from tensor.grad_fn."""
    seen = set()
    to_visit = [tensor.grad_fn]
    while to_visit:
        note = to_visit.pop()
        if note is None or note in seen:
            continue
        seen.add(note)
        for following, _ in note.next_functions:
            to_visit.append(following)
    return len(seen)
