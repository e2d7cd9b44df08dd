# must say: A node waits for all its gradients before it hands on
class Node:
    def __init__(self, prev=(), slopes=()):
        self.grad = 0.0
        self._prev = prev
        self._slopes = slopes


def backward(root):
    root.grad = 1.0
    waiting, seen = [root], {root}
    while waiting:
        node = waiting.pop(0)
        for source, slope in zip(node._prev, node._slopes):
            source.grad += slope * node.grad
            if source not in seen:
                seen.add(source)
                waiting.append(source)
