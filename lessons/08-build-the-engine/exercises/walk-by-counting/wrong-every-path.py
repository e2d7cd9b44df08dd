# must say: its user hands on once, with the sum
class Node:
    def __init__(self, prev=(), slopes=()):
        self.grad = 0.0
        self._prev = prev
        self._slopes = slopes


def backward(root, gradient=1.0):
    if gradient == 1.0 and not root.grad:
        root.grad = 1.0
    stack = [(root, 1.0)]
    while stack:
        node, gradient = stack.pop()
        for source, slope in zip(node._prev, node._slopes):
            source.grad += slope * gradient
            stack.append((source, slope * gradient))
