import glowgrad as torch
from glowgrad import lab


def check_relu():
    """Relu gives what is above 0, and 0 for the rest."""
    got = Relu.forward(Notes(), lab.array([-2.0, 0.0, 3.0]))
    expect(got, lab.array([0.0, 0.0, 3.0]), given="x = [-2, 0, 3]: Relu.forward")


def check_way_back():
    """Its gradient passes where the operand was above 0, and nowhere else."""
    notes = Notes()
    Relu.forward(notes, lab.array([-2.0, 0.0, 3.0]))
    got = Relu.backward(notes, lab.array([5.0, 6.0, 7.0]))
    want = (lab.array([0.0, 0.0, 7.0]),)
    expect(got, want, given="x = [-2, 0, 3], gy = [5, 6, 7]: Relu.backward")


def made_of(root):
    """All nodes that a result was made from."""
    found, todo = [root], [root]
    while todo:
        for source in todo.pop()._prev:
            if not any(source is node for node in found):
                found.append(source)
                todo.append(source)
    return found


def check_deep():
    """Deep makes 10 logits of each row, through Relu twice."""
    logits = Deep()(test_x[:3])
    expect(list(logits.data.shape), [3, 10], given="three digits: the shape of the logits")
    ops = [node._op for node in made_of(logits)]
    expect(ops.count("Relu"), 2, given="how many nodes of the graph are Relu")


def check_parameters():
    """All that is to be learned stands in parameters()."""
    network = Deep()
    leaves = [node for node in made_of(network(test_x[:3])) if not node._prev]
    listed = [node for node in leaves if any(node is p for p in network.parameters())]
    given = "leaves of the graph beside the digits; and how many of them parameters() lists"
    expect([len(leaves) - 1, len(listed)], [6, 6], given=given)


def check_reads():
    """It reads 90 % and more of other people's digits, on your engine alone."""

    def locked(*args, **how):
        raise RuntimeError("the lab's autograd is locked; your own engine finds the gradients")

    kept = torch.Tensor.backward, torch.autograd.grad
    torch.Tensor.backward, torch.autograd.grad = locked, locked
    try:
        torch.manual_seed(0)
        network = Deep()
        learn(network, train_x, train_y)
    finally:
        torch.Tensor.backward, torch.autograd.grad = kept
    hits = network(test_x).data.argmax(dim=1) == test_y
    share = hits.float().mean().item()
    if not share >= 0.9:
        raise AssertionError(f"given     {len(test_x)} digits of other people\ngot       {share:.1%} right\nexpected  90 % or more")
