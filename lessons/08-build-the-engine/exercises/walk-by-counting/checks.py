class Watched(Node):
    """Counts how often a gradient arrives: the node above it hands on once along each of two edges."""

    arrived = 0

    @property
    def grad(self):
        return self.kept

    @grad.setter
    def grad(self, gradient):
        self.kept = gradient
        if gradient == 0.0:
            return  # it was cleared
        self.arrived += 1
        if self.arrived > 64:
            raise AssertionError("a node was handed more than 64 gradients; its user hands on once, with the sum")


def check_one_step():
    """A source gets the slope times 1."""
    x = Node()
    y = Node((x,), (3.0,))
    backward(y)
    expect([y.grad, x.grad], [1.0, 3.0], given="y made from x, slope 3: [y.grad, x.grad]")


def check_chain():
    """Along a chain the slopes multiply."""
    x = Node()
    y = Node((x,), (3.0,))
    z = Node((y,), (5.0,))
    backward(z)
    expect([y.grad, x.grad], [5.0, 15.0], given="x to y slope 3, y to z slope 5: [y.grad, x.grad]")


def check_same_source_twice():
    """A source that is used twice by one node gets both parts."""
    x = Node()
    y = Node((x, x), (3.0, 4.0))
    z = Node((y,), (2.0,))
    backward(z)
    expect(x.grad, 14.0, given="y made from x and x, slopes 3 and 4; z made from y, slope 2")


def check_waits():
    """A node waits for all its gradients before it hands on, in whatever order its users stand."""
    for flip in (False, True):
        x = Node()
        s = Node((x,), (1.0,))
        t = Node((s,), (3.0,))
        u = Node((t, s), (1.0, 1.0)) if flip else Node((s, t), (1.0, 1.0))
        backward(u)
        expect(
            [s.grad, x.grad],
            [4.0, 4.0],
            given="s = x, t = 3 s, u = " + ("t + s" if flip else "s + t") + ": [s.grad, x.grad]",
        )


def check_adds():
    """A leaf's gradient is added to what is there."""
    x = Node()
    x.grad = 100.0
    backward(Node((x,), (3.0,)))
    expect(x.grad, 103.0, given="x.grad was 100, y made from x with slope 3")


def check_each_once():
    """Every node hands on once, also where a million paths lead."""
    nodes = [Watched()]
    for _ in range(20):
        nodes.append(Watched((nodes[-1], nodes[-1]), (1.0, 1.0)))
    backward(nodes[-1])
    expect(nodes[0].grad, 2.0**20, given="y = x, then 20 times y = y + y")
    most = max(node.arrived for node in nodes)
    if most > 2:
        expect(most, 2, given="how many gradients the busiest node was handed, along two edges")


def check_long_chain():
    """A chain of 5,000 nodes is no trouble."""
    y = x = Node()
    for _ in range(5000):
        y = Node((y,), (1.0,))
    backward(y)
    expect(x.grad, 1.0, given="5,000 nodes in a row, slope 1 each")
