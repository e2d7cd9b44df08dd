# must say: A node is counted once, however many ways lead to it
import glowgrad as torch


def n_nodes(tensor):
    return count(tensor.grad_fn)


def count(node):
    if node is None:
        return 0
    return 1 + sum(count(following) for following, _ in node.next_functions)
