import glowgrad as torch


def n_nodes(tensor):
    """How many different nodes can be reached from tensor.grad_fn."""
    return count(tensor.grad_fn)


def count(node):
    n = 1
    for following, _ in node.next_functions:
        n += count(following)
    return n
