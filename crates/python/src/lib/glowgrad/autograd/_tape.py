"""What transforms of functions ask of the tape: what is behind results, and derivatives forward."""

import _glowgrad as _C
from glowgrad.autograd.grad_mode import enable_grad


def alias(x):
    """The tensor under a node of its own: a leaf where it is on no tape; and whether it is one."""
    with enable_grad():
        if x.requires_grad:
            return _C.quietly(lambda: x.view_as(x)), False
        return x.detach().requires_grad_(), True


def node_of(x):
    """The node of a tensor that requires grad; for a leaf, where its gradient is added up."""
    if x.grad_fn is not None:
        return x.grad_fn
    with enable_grad():
        return _C.quietly(lambda: x.view_as(x)).grad_fn.next_functions[0][0]


def reaches(outputs, own):
    """Whether results depend on a leaf of the tape that is none of `own`."""
    seen = {node_of(x) for x in own}
    waiting = [node_of(y) for y in outputs if y.requires_grad]
    while waiting:
        node = waiting.pop()
        if node in seen:
            continue
        if node.name().endswith("AccumulateGrad"):
            return True
        seen.add(node)
        waiting.extend([after for after, _ in node.next_functions if after is not None])
    return False


def pulled(outputs, inputs, seeds, keep, create):
    """The gradients of the outputs that are on the tape; None for an input that has none."""
    pairs = [(y, g) for y, g in zip(outputs, seeds) if y.requires_grad]
    if not pairs:
        return [None] * len(inputs)
    return _C.grad(
        [y for y, _ in pairs], list(inputs), [g for _, g in pairs], keep, create, True, False
    )


class Pushing:
    """The derivative of outputs along tangents of the inputs.

    Going back with unknown gradients gives gradients that are linear in those; going back through
    these gives what each output gets of a tangent.
    """

    def __init__(self, outputs, inputs):
        self.outputs = [y for y in outputs if y.requires_grad]
        self.places = [i for i, y in enumerate(outputs) if y.requires_grad]
        self.count = len(outputs)
        with enable_grad():
            self.unknown = [
                _C.full(y.shape, 0, y.dtype, False).requires_grad_() for y in self.outputs
            ]
            self.linear = pulled(self.outputs, inputs, self.unknown, True, True)

    def __call__(self, tangents, create):
        """A tangent of each output; None for one that depends on no input."""
        found = [None] * self.count
        pairs = [
            (g, t) for g, t in zip(self.linear, tangents)
            if g is not None and g.requires_grad and t is not None
        ]
        if pairs:
            with enable_grad():
                grads = pulled([g for g, _ in pairs], self.unknown, [t for _, t in pairs], True,
                               create)
            for i, gradient in zip(self.places, grads):
                found[i] = gradient
        return found
