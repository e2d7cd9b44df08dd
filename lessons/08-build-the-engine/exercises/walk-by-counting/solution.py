class Node:
    def __init__(self, prev=(), slopes=()):
        self.grad = 0.0
        self._prev = prev
        self._slopes = slopes


def backward(root):
    """Sets root.grad to 1 and adds to .grad of everything below; each node hands on once."""
    root.grad = 1.0
    expected = {}  # node: how many gradients will still arrive
    seen, stack = {root}, [root]
    while stack:
        for source in stack.pop()._prev:
            expected[source] = expected.get(source, 0) + 1
            if source not in seen:
                seen.add(source)
                stack.append(source)
    ready = [root]
    while ready:
        node = ready.pop()
        for source, slope in zip(node._prev, node._slopes):
            source.grad += slope * node.grad
            expected[source] -= 1
            if expected[source] == 0:
                ready.append(source)
