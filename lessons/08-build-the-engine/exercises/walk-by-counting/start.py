class Node:
    def __init__(self, prev=(), slopes=()):
        self.grad = 0.0
        self._prev = prev
        self._slopes = slopes


def backward(root):
    """Sets root.grad to 1 and adds to .grad of everything below; each node hands on once."""
    root.grad = 1.0
    expected = {}  # node: how many gradients will still arrive
    ready = [root]
    while ready:
        node = ready.pop()
