import glowgrad as torch
import glowgrad.nn as nn


def measured(n, layers):
    """The same from real layers: the size from a shape, the field from a gradient."""
    x = torch.zeros(1, 1, n, n, requires_grad=True)
    h = x
    for kernel, stride, padding in layers:
        layer = nn.Conv2d(1, 1, kernel, stride=stride, padding=padding)
        nn.init.ones_(layer.weight)
        h = layer(h)
    middle = h.shape[-1] // 2
    h[0, 0, middle, middle].backward()
    return h.shape[-1], (x.grad[0, 0] != 0).any(dim=0).sum().item()


def check_no_layer():
    """Without a layer a number sees itself."""
    expect(stack(8, []), (8, 1), given="n = 8, no layers")


def check_one_filter():
    """One filter sees as much as it covers."""
    expect(stack(8, [(3, 1, 0)]), (6, 3), given="n = 8, layers = [(3, 1, 0)]")
    expect(stack(8, [(5, 1, 0)]), (4, 5), given="n = 8, layers = [(5, 1, 0)]")


def check_padding():
    """Padding adds to the size on both sides."""
    expect(stack(8, [(3, 1, 1)]), (8, 3), given="n = 8, layers = [(3, 1, 1)]")


def check_stride():
    """The stride of a layer does not change its own field, only those of the layers behind it."""
    expect(stack(8, [(2, 2, 0)]), (4, 2), given="n = 8, layers = [(2, 2, 0)]")


def check_rounds_down():
    """A step that would stick out is not taken."""
    expect(stack(8, [(3, 2, 0)]), (3, 3), given="n = 8, layers = [(3, 2, 0)]")


def check_two_filters():
    """Two filters of size 3 see 5 pixels."""
    expect(stack(8, [(3, 1, 0), (3, 1, 0)]), (4, 5), given="n = 8, layers = [(3, 1, 0), (3, 1, 0)]")


def check_pooling_between():
    """After a pooling, neighbours are two pixels apart."""
    layers = [(3, 1, 0), (2, 2, 0), (3, 1, 0)]
    expect(stack(16, layers), (5, 8), given="n = 16, layers = [(3, 1, 0), (2, 2, 0), (3, 1, 0)]")


def check_two_strides():
    """Strides multiply: behind two of them, neighbours are four pixels apart."""
    layers = [(2, 2, 0), (2, 2, 0), (2, 1, 0)]
    expect(stack(16, layers), (3, 8), given="n = 16, layers = [(2, 2, 0), (2, 2, 0), (2, 1, 0)]")


def check_measured():
    """The size and the field are those of real layers, measured."""
    for n, layers in (
        (41, [(3, 1, 1), (3, 2, 1), (5, 1, 2), (2, 2, 0), (3, 1, 1)]),
        (30, [(4, 3, 0), (3, 1, 0), (2, 2, 1)]),
    ):
        expect(stack(n, layers), measured(n, layers), given=f"n = {n}, layers = {layers}")
