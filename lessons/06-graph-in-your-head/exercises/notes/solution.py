import glowgrad as torch


def n_nodes(tensor):
    """How many different nodes can be reached from tensor.grad_fn."""
    seen = set()
    to_visit = [tensor.grad_fn]
    while to_visit:
        node = to_visit.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        for following, _ in node.next_functions:
            to_visit.append(following)
    return len(seen)
