# must say: RecursionError
class Node:
    def __init__(self, prev=(), slopes=()):
        self.grad = 0.0
        self._prev = prev
        self._slopes = slopes


def backward(root):
    root.grad = 1.0
    order, seen = [], set()

    def visit(node):
        if node not in seen:
            seen.add(node)
            for source in node._prev:
                visit(source)
            order.append(node)

    visit(root)
    for node in reversed(order):
        for source, slope in zip(node._prev, node._slopes):
            source.grad += slope * node.grad
