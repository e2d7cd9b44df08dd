"""The graph of an engine that the learner wrote, and what its `backward()` does, for the stage.

While that `backward()` runs, the class of its nodes has a property in place of `grad`, so that every
read and every write is seen and nothing in the learner's code has to change. A write to `x.grad`
belongs to the node whose gradient was read last among those that were made from `x`: its rule is the
one that runs. What is drawn is what happened, also where it is wrong.
"""

import sys

import _glowgrad as _C
import _lab

_CHILDREN = ("_prev", "prev", "inputs", "children", "_children", "parents", "src")
_MOST_EVENTS = 8000
_MOST_NAMES = 2000


def show(root):
    """Draws what led to `root`, runs its `backward()` and shows what that did."""
    nodes = _ordered(root)
    watch = _Watch(nodes)
    walk = getattr(root, "backward", None)
    try:
        if walk is not None:
            with watch:
                walk()
    finally:
        names = _names(nodes)
        _lab.show_graph(
            [str(_first(node, ("_op", "op")) or "") for node in nodes],
            [names.get(id(node)) for node in nodes],
            watch.sources,
            watch.values,
            watch.told(),
        )


def _first(node, attributes):
    for name in attributes:
        value = getattr(node, name, None)
        if value is not None and not callable(value):
            return value
    return None


def _number(value, what):
    if isinstance(value, str):
        raise TypeError("graph: " + what + " is a str; expected a number")
    try:
        return float(value)
    except (TypeError, ValueError, RuntimeError):
        raise TypeError("graph: " + what + " is a " + type(value).__name__ + "; expected a number") from None


def _taken(value, what):
    """A number, or a copy of a tensor: what is drawn is what it was then."""
    return value.detach().clone() if isinstance(value, _C.TensorBase) else _number(value, what)


def _is_zero(value):
    return not (value != 0).any().item() if isinstance(value, _C.TensorBase) else value == 0.0


def _added(now, before):
    """What came to `before`; all of it where the sizes do not fit."""
    try:
        return now - before
    except RuntimeError:
        return now


def _ordered(root):
    """Everything that `root` was made from, sources first."""
    if not hasattr(root, "data") or hasattr(root, "grad_fn"):
        raise TypeError(
            "graph: got a " + type(root).__name__ + ", expected a node of an engine of your own: an object "
            "with .data, .grad and ._prev, the nodes it was made from"
            + ("; the graph of tensors is on stage by itself" if hasattr(root, "grad_fn") else "")
        )
    nodes, seen, stack = [], set(), [(root, False)]
    while stack:
        node, ready = stack.pop()
        if ready:
            nodes.append(node)
        elif id(node) not in seen:
            seen.add(id(node))
            if len(seen) > _lab.GRAPH_MOST_NODES:
                raise ValueError(
                    f"graph: more than {_lab.GRAPH_MOST_NODES} nodes lead to this one; show the graph of one example "
                    "instead of a whole batch"
                )
            stack.append((node, True))
            stack.extend([(child, False) for child in reversed(list(_first(node, _CHILDREN) or ()))])
    return nodes


class _Watch:
    """Records what a walk over `nodes` does to their gradients."""

    def __init__(self, nodes):
        self.nodes = nodes
        self.index = {id(node): at for at, node in enumerate(nodes)}
        self.sources = [
            [self.index[id(child)] for child in _first(node, _CHILDREN) or () if id(child) in self.index]
            for node in nodes
        ]
        self.readers = [set() for _ in nodes]
        for at, sources in enumerate(self.sources):
            for source in sources:
                self.readers[source].add(at)
        # Values of nodes, then every gradient that was seen.
        self.values = [_taken(node.data, ".data of a node") for node in nodes]
        self.events = [[_lab.GRAPH_MADE, at] for at in range(len(nodes))]
        self.waiting = []
        self.held = [self._held(node) for node in nodes]
        self.arrived = set()
        self.reads = []
        self.rule = None
        self.begun = False
        self.patched = []

    def __enter__(self):
        for kind in {type(node) for node in self.nodes}:
            self.patched.append((kind, "grad" in vars(kind), vars(kind).get("grad")))
            kind.grad = self._property(kind)

    def __exit__(self, *exception):
        for kind, own, before in self.patched:
            if own:
                kind.grad = before
            else:
                del kind.grad

    def _property(self, kind):
        before = None
        for base in kind.__mro__:
            if "grad" in vars(base):
                before = vars(base)["grad"]
                break
        slot = before if hasattr(type(before), "__set__") else None

        def read(node):
            value = slot.__get__(node, kind) if slot is not None else vars(node).get("grad", before)
            at = self.index.get(id(node))
            if at is not None:
                self.reads.append(at)
            return value

        def write(node, value):
            if slot is not None:
                slot.__set__(node, value)
            else:
                vars(node)["grad"] = value
            at = self.index.get(id(node))
            if at is not None:
                self._written(at, value)

        return property(read, write)

    def _held(self, node):
        value = getattr(node, "grad", None)
        return 0.0 if value is None else _taken(value, ".grad of a node")

    def _value(self, value):
        self.values.append(value)
        return len(self.values) - 1

    def _written(self, at, value):
        # `x.grad += …` reads x.grad itself first: that read is no rule's.
        del self.reads[:-64]
        for place in range(len(self.reads) - 1, -1, -1):
            if self.reads[place] == at:
                del self.reads[place]
                break
        before, now = self.held[at], 0.0 if value is None else _taken(value, ".grad of a node")
        self.held[at] = now
        if len(self.events) > _MOST_EVENTS:
            return
        reader = None
        for read in reversed(self.reads):
            if read in self.readers[at]:
                reader = read
                break
        if reader is None:
            # The first number that comes from nowhere begins the walk; a zero only clears.
            if _is_zero(now):
                self.arrived.discard(at)
            elif not self.begun:
                self._begin(at)
            return
        if not self.begun:
            self._begin(len(self.nodes) - 1)
        added = self._value(_added(now, before))
        self._sent(reader, at, added)
        if at in self.arrived or not _is_zero(before):
            self.waiting.append([_lab.GRAPH_ACCUMULATE, at, added, self._value(now)])
        self.arrived.add(at)

    def _begin(self, at):
        self.begun = True
        self.arrived.add(at)
        self.events.append([_lab.GRAPH_BACKWARD, at, self._value(self.held[at])])

    def _sent(self, reader, at, gradient):
        """Puts a gradient on its edge: of the rule that runs, or of one that begins here."""
        sources = self.sources[reader]
        rule = self.rule
        if rule is not None and rule[1] == reader:
            for operand, source in enumerate(sources):
                if source == at and rule[3 + operand] < 0:
                    rule[3 + operand] = gradient
                    return
            # A set of operands keeps one of two that are the same.
            if sources.count(at) == 1 and isinstance(_first(self.nodes[reader], _CHILDREN), (set, frozenset)):
                sources.append(at)
                rule.append(gradient)
                return
        self._settle()
        rule = [_lab.GRAPH_VJP, reader, self._value(self.held[reader])] + [-1] * len(sources)
        rule[3 + sources.index(at)] = gradient
        self.events.append(rule)
        self.rule = rule

    def _settle(self):
        self.events.extend(self.waiting)
        self.waiting = []

    def told(self):
        """The events, each leaf's gradient marked as filled where its last part arrived."""
        self._settle()
        last = {}
        for place, event in enumerate(self.events):
            if event[0] == _lab.GRAPH_VJP:
                reached = [s for s, g in zip(self.sources[event[1]], event[3:]) if g >= 0]
            else:
                reached = [event[1]] if event[0] in (_lab.GRAPH_ACCUMULATE, _lab.GRAPH_BACKWARD) else []
            for at in reached:
                if not self.sources[at]:
                    last[at] = place
        filled = {}
        for at, place in last.items():
            filled.setdefault(place, []).append(at)
        told = []
        for place, event in enumerate(self.events):
            told.append(event)
            told.extend([[_lab.GRAPH_GRAD, at, self._value(self.held[at])] for at in filled.get(place, ())])
        if self.begun:
            told.append([_lab.GRAPH_END, len(self.nodes) - 1])
        return told


def _names(nodes):
    """What the learner calls them: a label of their own, or the variable that leads to them."""
    wanted = {id(node): node for node in nodes}
    found, left = {}, [_MOST_NAMES]

    def look(value, name, depth):
        left[0] -= 1
        if left[0] < 0:
            return
        if id(value) in wanted:
            found.setdefault(id(value), name)
        elif depth > 4 or isinstance(value, (str, int, float, type)) or callable(value) and not hasattr(value, "__dict__"):
            return
        elif isinstance(value, (list, tuple)):
            for index, item in enumerate(value[:64]):
                look(item, f"{name}[{index}]", depth + 1)
        elif isinstance(value, dict):
            for key, item in list(value.items())[:64]:
                look(item, f"{name}[{key!r}]", depth + 1)
        elif type(value).__module__ == "__main__" and not hasattr(value, "data"):
            for key, item in list(vars(value).items())[:64]:
                look(item, f"{name}.{key}", depth + 1)

    main = sys.modules.get("__main__")
    variables = [pair for pair in vars(main).items() if not pair[0].startswith("_")] if main else []
    # In the order they were first written: a loop's variable comes after the list it walks.
    for name, value in variables:
        look(value, name, 0)
    for at, node in wanted.items():
        label = _first(node, ("label", "name"))
        if isinstance(label, str) and label:
            found[at] = label
    return found
