# must say: RecursionError
import glowgrad as torch


def n_nodes(tensor):
    seen = set()
    visit(tensor.grad_fn, seen)
    return len(seen)


def visit(node, seen):
    if node is None or node in seen:
        return
    seen.add(node)
    for following, _ in node.next_functions:
        visit(following, seen)
