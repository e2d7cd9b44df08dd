"""What the page's bench runs, in a session of its own. Before this text the page puts `DEVICES`, names of devices, and `ROWS`,
expressions that each give a tensor.

The engine is lazy. Each result is therefore computed where it is made (`realize`), and before the clock is stopped a number is
read that depends on every element of the last one: a device computes in order, so by then it has computed them all.
"""

import time

import glowgrad as torch
from glowgrad import lab, nn
from glowgrad.nn import functional as F

# What a GPU cannot compute is an error; the CPU does not stand in for it.
lab.fallback(False)
# By device: a function for each row.
opened = {}


def names(device):
    """What the rows compute with: the same numbers on every device, all positive, so that no sum comes near to zero."""
    torch.manual_seed(0)

    def rand(*shape):
        tensor = torch.rand(*shape, device="cpu").to(device)
        tensor.realize()
        return tensor

    def step(model, *shape):
        model = model.to(device)
        images, labels = rand(*shape), (torch.arange(shape[0], device="cpu") % 10).to(device)
        optimizer = torch.optim.Adam(model.parameters())

        def run():
            loss = F.cross_entropy(model(images), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            return loss

        return run

    mlp = nn.Sequential(nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, 128), nn.ReLU(), nn.Linear(128, 10))
    cnn = nn.Sequential(
        nn.Conv2d(1, 8, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(8, 16, 3), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(400, 10),
    )
    x = rand(1000, 1000)
    many = x.repeat(16, 1)
    many.realize()
    return {
        "torch": torch, "F": F, "x": x, "y": rand(1000, 1000), "many": many,
        "a": rand(512, 512), "b": rand(512, 512), "large_a": rand(1024, 1024), "large_b": rand(1024, 1024),
        "weight": rand(1000), "bias": rand(1000),
        "mlp_step": step(mlp, 128, 784), "cnn_step": step(cnn, 32, 1, 28, 28),
    }


def open_device(asked):
    """Makes a device's tensors. Gives whether it is there (another may stand in for it), and the threads of the CPU."""
    device = DEVICES[int(asked[0].item())]
    there = torch.zeros(1, device=device).device.type == torch.device(device).type
    if there:
        scope = names(device)
        opened[device] = [eval("lambda: " + row, scope) for row in ROWS]
    return [float(there), torch.get_num_threads()]


def measure(asked):
    """Computes a row so many times in a row on a device. Gives milliseconds for one result, and the number that was read."""
    device, row, times = (int(number) for number in asked.tolist())
    compute = opened[DEVICES[device]][row]
    began = time.perf_counter()
    for _ in range(times):
        result = compute()
        result.realize()
    value = result.sum().item()
    return [(time.perf_counter() - began) * 1000 / times, value]
