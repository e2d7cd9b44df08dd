from glowgrad import lab


class Parameter:
    """As a tensor of the lesson: data, grad, and nothing it was made from."""

    def __init__(self, name):
        self.name, self.data, self.grad, self._prev = name, 0.0, 0.0, ()

    def __repr__(self):
        return self.name


class Layer(Module):
    def __init__(self, name):
        self.weight, self.bias = Parameter(name + ".weight"), Parameter(name + ".bias")


class Empty(Module):
    pass


def names(module):
    return [parameter.name for parameter in module.parameters()]


def check_own():
    """Its own parameters, in the order in which they were set."""
    expect(names(Layer("a")), ["a.weight", "a.bias"], given="a module with a weight and a bias")
    expect(names(Empty()), [], given="a module without attributes")


def check_nothing_else():
    """Numbers, texts and arrays are no parameters."""
    layer = Layer("a")
    layer.size, layer.kind, layer.mask, layer.nothing = 3, "linear", lab.array([1.0, 0.0]), None
    expect(names(layer), ["a.weight", "a.bias"], given="a layer with a number, a text, an array and None beside")


def check_modules():
    """Those of the modules among its attributes."""
    network = Empty()
    network.first, network.scale, network.last = Layer("a"), Parameter("scale"), Layer("b")
    want = ["a.weight", "a.bias", "scale", "b.weight", "b.bias"]
    expect(names(network), want, given="first = layer a, scale, last = layer b")


def check_deeper():
    """Those of modules in modules in modules."""
    top, middle = Empty(), Empty()
    top.middle, middle.low = middle, Layer("a")
    expect(names(top), ["a.weight", "a.bias"], given="top.middle.low = layer a")


def check_lists():
    """Those in a list or a tuple of modules and of parameters."""
    network = Empty()
    network.layers, network.gains = [Layer("a"), Layer("b")], (Parameter("g"), Parameter("h"))
    want = ["a.weight", "a.bias", "b.weight", "b.bias", "g", "h"]
    expect(names(network), want, given="layers = [layer a, layer b], gains = (g, h)")


def check_lists_of_lists():
    """A list may hold lists."""
    network = Empty()
    network.blocks = [[Layer("a")], [(Parameter("p"),), []]]
    expect(names(network), ["a.weight", "a.bias", "p"], given="blocks = [[layer a], [(p,), []]]")


def check_once():
    """A parameter that is shared stands there once."""
    network = Empty()
    network.reads, network.writes = Layer("a"), Layer("b")
    network.writes.weight = network.reads.weight
    expect(names(network), ["a.weight", "a.bias", "b.bias"], given="two layers with the same weight")
    network.again = network.reads
    expect(names(network), ["a.weight", "a.bias", "b.bias"], given="and one of the layers under two names")


def check_asked_twice():
    """Asked again, it gives the same list, and what has come since."""
    layer = Layer("a")
    layer.parameters()
    expect(names(layer), ["a.weight", "a.bias"], given="asked a second time")
    layer.scale = Parameter("a.scale")
    expect(names(layer), ["a.weight", "a.bias", "a.scale"], given="asked after a.scale was set")
