"""memory.json: how much memory one training step needs in PyTorch, beyond what stays between steps.

A case is a network as a list of layers and the most bytes that PyTorch's CPU allocator had out
during a step (forward, backward, update, gradients dropped), less parameters, momentum and data.
The profiler reports what is allocated and freed; what a library allocates for itself is not seen.
"""

import torch
from torch import nn
from torch._C._profiler import _EventType
from torch.nn import functional as F
from torch.profiler import ProfilerActivity, profile

WARM_UP_STEPS = 3
MAKERS = {
    "linear": nn.Linear,
    "conv2d": nn.Conv2d,
    "max_pool2d": nn.MaxPool2d,
    "tanh": nn.Tanh,
    "relu": nn.ReLU,
    "flatten": nn.Flatten,
}


def perceptron(sizes, activation):
    layers = []
    for n_in, n_out in zip(sizes, sizes[1:]):
        layers += [["linear", n_in, n_out], [activation]]
    return layers[:-1]


def convolutional(channels, image, classes):
    layers = []
    for n_in, n_out in zip(channels, channels[1:]):
        layers += [["conv2d", n_in, n_out, 3], ["relu"], ["max_pool2d", 2]]
        image = (image - 2) // 2
    return [*layers, ["flatten"], ["linear", channels[-1] * image * image, classes]]


def peak_bytes(layers, input_shape, classes):
    torch.manual_seed(0)
    model = nn.Sequential(*(MAKERS[name](*arguments) for name, *arguments in layers))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    x, target = torch.randn(input_shape), torch.randint(0, classes, (input_shape[0],))

    def step():
        loss = F.cross_entropy(model(x), target)
        loss.backward()
        optimizer.step()
        # Nothing that is there when the profiler begins may go while it looks: it would not see it.
        optimizer.zero_grad()
        return loss.item()

    for _ in range(WARM_UP_STEPS):
        step()
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as profiler:
        step()
    events = allocations(profiler.profiler.kineto_results.experimental_event_tree())
    before = min(fields.total_allocated - fields.alloc_size for fields in events)
    return max(fields.total_allocated for fields in events) - before


def allocations(events):
    """What was allocated (a positive size) and freed, with the total after it."""
    found = []
    for event in events:
        if event.tag == _EventType.Allocation:
            found.append(event.extra_fields)
        found += allocations(event.children)
    return found


def cases():
    networks = [
        ("moons", perceptron([64, 32, 10], "tanh"), [64, 64]),
        ("digits", perceptron([784, 128, 64, 10], "relu"), [128, 784]),
        ("wide", perceptron([256, 512, 512, 10], "relu"), [256, 256]),
        ("convolutional", convolutional([1, 8, 16], 28, 10), [32, 1, 28, 28]),
    ]
    for name, layers, shape in networks:
        yield {
            "network": name,
            "layers": layers,
            "input": shape,
            "classes": 10,
            "peak_bytes": peak_bytes(layers, shape, 10),
        }
